// What has a WebAssembly module of its own, which is put together when it is first used.

export { inspect } from './inspect.js'
export { Schema, check, type CheckMode, type Finding } from './schema.js'
