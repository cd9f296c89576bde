// samewire: MessagePack and JSON with the same bytes, values and errors in every runtime.

export * from './slim.js'
export { inspect } from './inspect.js'
export { Schema, check, type CheckMode, type Finding } from './schema.js'
