// Streams of values: any source of byte chunks in, values out; values in, byte chunks out.

import { codec } from '#platform'
import { bytesOf, typeName, type Bytes } from './bytes.js'
import { formatNumber, type Compiled, type Format } from './codec.js'
import { JSON_TEXT, MSGPACK } from './engine.js'
import { SamewireError } from './errors.js'
import { encoder } from './host.js'
import type { DecodeOptions, StringifyOptions } from './options.js'
import { jsonScanner, msgpackScanner, type Scanner } from './split.js'

/** A chunk of a stream; text only where the format is JSON. */
export type Chunk = Bytes | string
/** Where chunks come from. */
export type ChunkSource = ReadableStream<Chunk> | AsyncIterable<Chunk> | Iterable<Chunk>

const MAX_BYTES = 256 * 2 ** 20
const NOTHING = new Uint8Array(0)

/** Takes chunks and gives the values that are complete. */
class Splitter<T> {
  #bytes: Uint8Array = NOTHING
  #length = 0
  #from = 0
  /** Bytes of the stream before `#bytes`. */
  #base = 0
  #busy = false
  #half = ''
  readonly #format: number
  readonly #options: Compiled
  readonly #scanner: Scanner

  constructor(format: number, options: DecodeOptions) {
    this.#format = format
    this.#options = codec.compile(options)
    const max = options.maxBytes ?? MAX_BYTES
    this.#scanner = format === MSGPACK ? msgpackScanner(max) : jsonScanner(max)
    this.#scanner.begin(0)
  }

  feed(chunk: Chunk): void {
    const bytes = typeof chunk === 'string' ? this.#text(chunk) : bytesOf(chunk)
    if (this.#length + bytes.length > this.#bytes.length) {
      // What is read moves out; room doubles, so that a value in many chunks is copied a bounded number of times.
      const rest = this.#length - this.#from
      const target = rest + bytes.length > this.#bytes.length ? new Uint8Array(Math.max(rest * 2, rest + bytes.length, 4096)) : this.#bytes
      if (target === this.#bytes) target.copyWithin(0, this.#from, this.#length)
      else target.set(this.#bytes.subarray(this.#from, this.#length))
      this.#scanner.moved(this.#from)
      this.#base += this.#from
      this.#bytes = target
      this.#length = rest
      this.#from = 0
    }
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  #text(chunk: string): Uint8Array {
    if (this.#format !== JSON_TEXT) throw new SamewireError('unsupported-type', 'a chunk of MessagePack is bytes, not a string')
    // A pair of surrogates may be cut in two.
    const text = this.#half + chunk
    const last = text.charCodeAt(text.length - 1)
    const cut = (last & 0xfc00) === 0xd800 ? text.length - 1 : text.length
    this.#half = text.slice(cut)
    return encoder.encode(text.slice(0, cut))
  }

  /** The next value that is complete, or undefined. */
  next(): { value: T } | undefined {
    let end: number
    try {
      end = this.#scanner.scan(this.#bytes, this.#length)
    } catch (error) {
      throw this.#placed(error, 0)
    }
    return end < 0 ? undefined : this.#decode(end)
  }

  /** After the last chunk: what is left must be a value, or nothing. */
  finish(): { value: T } | undefined {
    if (this.#half !== '') throw new SamewireError('lone-surrogate', 'the text ends in half of a surrogate pair')
    let from = this.#from
    if (this.#format === JSON_TEXT) while (from < this.#length && [0x20, 0x0a, 0x0d, 0x09].includes(this.#bytes[from]!)) from++
    return from === this.#length ? undefined : this.#decode(this.#length)
  }

  #decode(end: number): { value: T } {
    if (this.#busy) throw new SamewireError('invalid-state', 'a stream is read by its own hook')
    this.#busy = true
    const from = this.#from
    try {
      const piece = this.#bytes.subarray(from, end)
      const { value, end: length } = codec.decodeFrom(this.#format, piece, 0, this.#options)
      this.#from = from + length
      this.#scanner.begin(this.#from)
      return { value: value as T }
    } catch (error) {
      throw this.#placed(error, from)
    } finally {
      this.#busy = false
    }
  }

  /** Offsets count from the beginning of the stream. */
  #placed(error: unknown, from: number): unknown {
    if (!(error instanceof SamewireError) || error.offset === undefined) return error
    return new SamewireError(error.code, error.detail, error.offset + from + this.#base, error.path, { cause: error })
  }
}

/**
 * Reads values from a stream of chunks, cut anywhere: MessagePack values after one another, or JSON values with
 * white space between them (JSON Lines).
 */
export async function* decodeStream<T = unknown>(
  source: ChunkSource,
  options: DecodeOptions & { format?: Format } = {},
): AsyncGenerator<T, void, undefined> {
  const { format = 'msgpack', ...rest } = options
  const splitter = new Splitter<T>(formatNumber(format), rest)
  for await (const chunk of chunks(source)) {
    splitter.feed(chunk)
    for (let item = splitter.next(); item !== undefined; item = splitter.next()) yield item.value
  }
  for (let item = splitter.finish(); item !== undefined; item = splitter.finish()) yield item.value
}

/** A ReadableStream is an async iterable in most runtimes, not in all. */
async function* chunks(source: ChunkSource): AsyncGenerator<Chunk> {
  if (source === null || typeof source !== 'object') {
    throw new SamewireError('unsupported-type', `a source is a stream or an iterable of chunks, not ${typeName(source)}`)
  }
  if (Symbol.asyncIterator in source || Symbol.iterator in source) {
    if (ArrayBuffer.isView(source)) yield source as Uint8Array
    else yield* source as AsyncIterable<Chunk>
    return
  }
  const reader = (source as ReadableStream<Chunk>).getReader()
  let done = false
  try {
    for (;;) {
      const step = await reader.read()
      if (step.done) {
        done = true
        return
      }
      yield step.value
    }
  } finally {
    if (!done) await reader.cancel().catch(() => undefined)
    reader.releaseLock()
  }
}

/** Writes values as a stream of chunks: MessagePack values after one another, or JSON Lines. */
export function encodeStream(options: StringifyOptions & { format?: Format } = {}): TransformStream<unknown, Uint8Array> {
  const { format = 'msgpack', ...rest } = options
  const number = formatNumber(format)
  // A line is a value: what would break it is refused.
  if (number === JSON_TEXT && rest.indent !== undefined) {
    throw new SamewireError('invalid-option', 'option indent: a stream of JSON has one value a line')
  }
  // A chunk may be transferred by whoever takes it.
  const compiled = codec.compile(number === JSON_TEXT ? { ...rest, appendNewline: true } : { ...rest, pool: false })
  return new TransformStream({
    transform(value, controller) {
      controller.enqueue(number === MSGPACK ? codec.encode(value, compiled) : codec.stringifyToBytes(value, compiled))
    },
  })
}
