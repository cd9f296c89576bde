// samewire/slim: reading and writing both formats.

export * from './api.js'
export { SamewireError, type ErrorCode } from './errors.js'
export { Ext, ExtRegistry, Raw } from './ext.js'
export { Timestamp } from './timestamp.js'
export type { Bytes } from './bytes.js'
export type { Format } from './codec.js'
export type { CommonOptions, DecodeOptions, EncodeOptions, JsonOptions, Options, StringifyOptions, TranscodeOptions } from './options.js'
