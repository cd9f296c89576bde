// The engine where there is no Node: WebAssembly, its bytes inside the package.

import { createCodec } from './codec.js'
import { wasmEngine } from './engine-wasm.js'
import { anyHost } from './host.js'
import { wasmBytes } from './wasm-bytes.js'

export const codec = createCodec(wasmEngine(wasmBytes(), anyHost), anyHost)
