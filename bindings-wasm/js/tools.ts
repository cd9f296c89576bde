// The engine with schemas and the inspector, made when it is first asked for.

import { createCodec, type Codec } from './codec-more.js'
import { wasmEngine } from './engine-wasm.js'
import { anyHost } from './host.js'
import packed from 'packed:schema'
import { unpacked } from './wasm-bytes.js'

let codec: Codec | undefined

export const tools = (): Codec => (codec ??= createCodec(wasmEngine(unpacked(packed), anyHost), anyHost))
