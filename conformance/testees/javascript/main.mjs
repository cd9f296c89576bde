// usage: node main.mjs (also deno run -A, bun). SAMEWIRE_PATH is the entry file, SAMEWIRE_ENGINE the one that must run.

import { serve } from './tagged.mjs'
import { testee } from './samewire.mjs'

const path = process.env.SAMEWIRE_PATH
const samewire = path.endsWith('.cjs') ? (await import('node:module')).createRequire(import.meta.url)(path) : await import(path)
const runtime = globalThis.Deno ? `Deno ${Deno.version.deno}` : process.versions.bun ? `Bun ${process.versions.bun}` : `Node ${process.versions.node}`
const wanted = process.env.TESTEE_ENGINE
if (wanted && samewire.engine !== wanted) {
  console.error(`the ${wanted} engine is not there: ${samewire.engine} runs`)
  process.exit(77)
}
await serve(testee(samewire, runtime))
