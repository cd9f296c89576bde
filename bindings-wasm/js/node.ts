// Node's own modules, asked for when they are needed. An `import` of `node:fs` would read all that it exports, and so load
// what that makes only when asked (streams among it): most of the time that importing this package took.

import { createRequire } from 'node:module'

export const require = createRequire(import.meta.url)
export const fs = () => require('node:fs') as typeof import('node:fs')
