// The engine with schemas and the inspector, where modules are compiled when the worker is deployed.

import { createCodec, type Codec } from './codec-more.js'
import { wasmEngine } from './engine-wasm.js'
import { anyHost } from './host.js'
// @ts-expect-error the runtime gives a WebAssembly.Module for it
import module from './samewire-schema.wasm'

let codec: Codec | undefined

export const tools = (): Codec => (codec ??= createCodec(wasmEngine(module as WebAssembly.Module, anyHost), anyHost))
