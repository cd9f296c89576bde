// samewire/slim: the codec without schemas and the inspector.

export * from './api.js'
export { SamewireError, type ErrorCode } from './errors.js'
export { Ext, ExtRegistry, Raw } from './ext.js'
export { decodeStream, encodeStream, type Chunk, type ChunkSource } from './stream.js'
export { metrics, type Histogram, type OperationMetrics } from './metrics.js'
export { Timestamp } from './timestamp.js'
export { View, view } from './view.js'
export type { Bytes } from './bytes.js'
export type { Format } from './codec.js'
export type { CommonOptions, DecodeOptions, EncodeOptions, JsonOptions, Options, StringifyOptions, TranscodeOptions } from './options.js'
