// The engine in Node: the native addon where there is one, else WebAssembly.

import { Buffer } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import process from 'node:process'
import { markAsUntransferable } from 'node:worker_threads'
import { createCodec } from './codec.js'
import type { Engine } from './engine.js'
import { nativeEngine, type Addon } from './engine-native.js'
import { wasmEngine } from './engine-wasm.js'
import type { Host, NodeBuffer } from './host.js'

declare const SAMEWIRE_WASM_FILE: string

const host: Host = {
  buffer: (memory) => Buffer.from(memory as ArrayBuffer) as unknown as NodeBuffer,
  utf8: (text) => Buffer.from(text, 'utf8'),
  // Small results share pieces, as Buffer's do. A transfer of one would detach its neighbours: it fails instead.
  pool: 1 << 16,
  block: (size) => {
    const block = new Uint8Array(Buffer.allocUnsafeSlow(size).buffer)
    markAsUntransferable(block.buffer)
    return block
  },
  // Zeroing memory that is then written costs as much as writing it.
  fresh: (size) => (size < 4096 ? new Uint8Array(size) : new Uint8Array(Buffer.allocUnsafeSlow(size).buffer)),
  loop: 40,
}

/** The addon beside this package, or of the optional package for this platform; undefined where neither loads. */
function addon(): Addon | undefined {
  if (process.env['SAMEWIRE_ENGINE'] === 'wasm') return undefined
  const require = createRequire(import.meta.url)
  // On Linux one of two C libraries: the addon of the other does not load, and finding out which takes longer.
  const libcs = process.platform === 'linux' ? ['-gnu', '-musl'] : process.platform === 'win32' ? ['-msvc'] : ['']
  const platforms = libcs.map((libc) => `${process.platform}-${process.arch}${libc}`)
  for (const name of [...platforms.map((p) => `./samewire.${p}.node`), ...platforms.map((p) => `@samewire/node-${p}`)]) {
    try {
      return require(name) as Addon
    } catch {
      // Missing or broken: WebAssembly does the same, and `engine` says which it is.
    }
  }
  return undefined
}

function engine(): Engine {
  const native = addon()
  if (native !== undefined) return nativeEngine(native, host)
  return wasmEngine(readFileSync(new URL(SAMEWIRE_WASM_FILE, import.meta.url)), host)
}

export const codec = createCodec(engine(), host)
