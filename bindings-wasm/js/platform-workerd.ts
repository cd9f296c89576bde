// The engine where modules are compiled when the worker is deployed and never at run time (Cloudflare Workers).

import { createCodec } from './codec-more.js'
import { wasmEngine } from './engine-wasm.js'
import { anyHost } from './host.js'
// @ts-expect-error the runtime gives a WebAssembly.Module for it
import module from './samewire.wasm'

export const codec = createCodec(wasmEngine(module as WebAssembly.Module, anyHost), anyHost)
