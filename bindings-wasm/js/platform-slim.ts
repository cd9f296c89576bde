// The engine of samewire/slim: a module of its own.

import { createBase } from './codec.js'
import { wasmEngine } from './engine-wasm.js'
import { anyHost } from './host.js'
import packed from 'packed:slim'
import { unpacked } from './wasm-bytes.js'

export const { codec } = createBase(wasmEngine(unpacked(packed), anyHost), anyHost)
