// From file to file where no engine does it off the thread: the same rules as bindings-node/src/files.rs.

import type { Compiled } from './codec.js'
import type { Codec } from './codec-more.js'
import { JSON_TEXT } from './engine.js'
import type { FileHandle, FileSystem } from './host.js'

/** What is to be done with files. */
export interface Files {
  source: string
  target: string
  from: number
  to: number
  /** The source is a stream of values, and so will the target be. */
  many: boolean
}

const CHUNK = 1 << 18
const LINE_FEED = Uint8Array.of(10)
let count = 0

/** Transcodes, and gives the number of values. A target that exists is replaced only when all went well. */
export async function transcodeFiles(codec: Codec, fs: FileSystem, files: Files, options: Compiled): Promise<number> {
  const input = await fs.open(files.source, 'r')
  try {
    // What is no plain file (a pipe, a device) is written to as it is.
    const there = await fs.stat(files.target).catch(() => undefined)
    const special = there !== undefined && !there.isFile() && !there.isDirectory()
    const partial = special ? files.target : `${files.target}.${Date.now().toString(36)}.${count++}.partial`
    const output = await fs.open(partial, 'w')
    try {
      const values = await copy(codec, fs, input, output, files, options).finally(() => output.close())
      if (!special) await fs.rename(partial, files.target)
      return values
    } catch (error) {
      if (!special) await fs.rm(partial, { force: true })
      throw error
    }
  } finally {
    await input.close()
  }
}

async function copy(codec: Codec, fs: FileSystem, input: FileHandle, output: FileHandle, files: Files, options: Compiled): Promise<number> {
  const { source, from, to, many } = files
  if (!many) {
    await output.writeFile(codec.transcode(await fs.readFile(source), from, to, options))
    return 1
  }
  const stream = codec.stream(from, options)
  const chunk = new Uint8Array(CHUNK)
  let values = 0
  let ended = false
  try {
    for (;;) {
      const pieces: Uint8Array[] = []
      for (let piece = codec.transcodeNext(from, to, stream, options); piece !== undefined; piece = codec.transcodeNext(from, to, stream, options)) {
        pieces.push(piece)
        if (to === JSON_TEXT) pieces.push(LINE_FEED)
        values++
      }
      if (pieces.length > 0) await output.writeFile(joined(pieces))
      if (ended) return values
      const { bytesRead } = await input.read(chunk, 0, CHUNK)
      if (bytesRead > 0) codec.feed(stream, chunk.subarray(0, bytesRead))
      else {
        ended = true
        codec.finish(stream)
      }
    }
  } finally {
    codec.freeStream(stream)
  }
}

function joined(pieces: Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((n, piece) => n + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}
