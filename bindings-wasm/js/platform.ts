// The engine where there is no Node: WebAssembly, its bytes inside the package.

import { createCodec } from './codec-more.js'
import { wasmEngine } from './engine-wasm.js'
import { anyHost } from './host.js'
import packed from 'packed:core'
import { unpacked } from './wasm-bytes.js'

export const codec = createCodec(wasmEngine(unpacked(packed), anyHost), anyHost)
