// The engine in Node: the native addon where there is one, else WebAssembly.

import { Buffer } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { markAsUntransferable } from 'node:worker_threads'
import { createCodec } from './codec.js'
import { wasmEngine } from './engine-wasm.js'
import type { Host, NodeBuffer } from './host.js'

declare const SAMEWIRE_WASM_FILE: string

const host: Host = {
  buffer: (memory) => Buffer.from(memory as ArrayBuffer) as unknown as NodeBuffer,
  // Small results share pieces, as Buffer's do. A transfer of one would detach its neighbours: it fails instead.
  pool: 1 << 16,
  block: (size) => {
    const block = new Uint8Array(Buffer.allocUnsafeSlow(size).buffer)
    markAsUntransferable(block.buffer)
    return block
  },
  loop: 40,
}

export const codec = createCodec(wasmEngine(readFileSync(new URL(SAMEWIRE_WASM_FILE, import.meta.url)), host), host)
