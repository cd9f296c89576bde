// Everything but schemas and the inspector.

export * from './slim.js'
export * from './api-more.js'
export { decodeStream, encodeStream, type Chunk, type ChunkSource } from './stream.js'
export { metrics, type Histogram, type OperationMetrics } from './metrics.js'
export { View, view } from './view.js'
