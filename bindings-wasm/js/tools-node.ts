// The engine with schemas and the inspector in Node: the native one has them; WebAssembly has them in a second module.

import { codec, host, wasmFile } from './platform-node.js'
import { createCodec, type Codec } from './codec-more.js'
import { wasmEngine } from './engine-wasm.js'

declare const SAMEWIRE_SCHEMA_FILE: string

let made: Codec | undefined = codec.engine === 'native' ? codec : undefined

export const tools = (): Codec => (made ??= createCodec(wasmEngine(wasmFile(SAMEWIRE_SCHEMA_FILE), host), host))
