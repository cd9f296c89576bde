// The engine in Node: the native addon where there is one, else WebAssembly.

import { findAddon } from './addon.js'
import { createCodec } from './codec-more.js'
import type { Engine } from './engine.js'
import { nativeEngine } from './engine-native.js'
import { wasmEngine } from './engine-wasm.js'
import type { FileSystem, Host, NodeBuffer } from './host.js'
import { fs, require } from './node.js'

declare const SAMEWIRE_CORE_FILE: string

export const host: Host = {
  buffer: (memory) => Buffer.from(memory as ArrayBuffer) as unknown as NodeBuffer,
  utf8: (text) => Buffer.from(text, 'utf8'),
  // Small results share pieces, as Buffer's do. A transfer of one would detach its neighbours: it fails instead.
  pool: 1 << 16,
  block: (size) => {
    const block = new Uint8Array(Buffer.allocUnsafeSlow(size).buffer)
    const { markAsUntransferable } = require('node:worker_threads') as typeof import('node:worker_threads')
    markAsUntransferable(block.buffer)
    return block
  },
  // Zeroing memory that is then written costs as much as writing it.
  fresh: (size) => (size < 4096 ? new Uint8Array(size) : new Uint8Array(Buffer.allocUnsafeSlow(size).buffer)),
  loop: 40,
  // Not at the start: few need it.
  files: () => require('node:fs/promises') as FileSystem,
}

/** A module that lies beside this script. */
export const wasmFile = (name: string): Uint8Array<ArrayBuffer> => fs().readFileSync(new URL(name, import.meta.url)) as Uint8Array<ArrayBuffer>

function engine(): Engine {
  // Where the addon is missing or broken, WebAssembly does the same, and `engine` says which it is.
  const addon = process.env['SAMEWIRE_ENGINE'] === 'wasm' ? undefined : findAddon().addon
  if (addon !== undefined) return nativeEngine(addon, host)
  return wasmEngine(wasmFile(SAMEWIRE_CORE_FILE), host)
}

export const codec = createCodec(engine(), host)
