// samewire: MessagePack and JSON with the same bytes, values and errors in every runtime.

export * from './core.js'
export * from './schema-tools.js'
