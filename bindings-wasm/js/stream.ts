// Streams of values: any source of byte chunks in, values out; values in, byte chunks out. Where a value ends is the
// core's business (core/src/stream).

import { codec } from '#platform'
import { bytesOf, isBuffer, typeName, type Bytes } from './bytes.js'
import { formatNumber, type Compiled, type Format } from './codec.js'
import { JSON_TEXT, MSGPACK, type StreamHandle } from './engine.js'
import { SamewireError } from './errors.js'
import { encoder, loneSurrogate, toWellFormed } from './host.js'
import type { DecodeOptions, StringifyOptions } from './options.js'

/** A chunk of a stream; text only where the format is JSON. */
export type Chunk = Bytes | string
/** Where chunks come from. */
export type ChunkSource = ReadableStream<Chunk> | AsyncIterable<Chunk> | Iterable<Chunk> | Chunk

// A generator that nobody ends is collected with its splitter.
const freed = new FinalizationRegistry<StreamHandle>((handle) => codec.freeStream(handle))

/** Takes chunks and gives the values that are complete. */
class Splitter<T> {
  #half = ''
  #fed = 0
  readonly #handle: StreamHandle
  readonly #format: number
  readonly #options: Compiled

  constructor(format: number, options: DecodeOptions) {
    this.#format = format
    this.#options = codec.compile(options)
    this.#handle = codec.stream(format, this.#options)
    freed.register(this, this.#handle, this)
  }

  feed(chunk: Chunk): void {
    const bytes = typeof chunk === 'string' ? this.#text(chunk) : bytesOf(chunk)
    codec.feed(this.#handle, bytes)
    this.#fed += bytes.length
  }

  #text(chunk: string): Uint8Array {
    if (this.#format !== JSON_TEXT) throw new SamewireError('unsupported-type', 'a chunk of MessagePack is bytes, not a string')
    // A pair of surrogates may be cut in two.
    const text = this.#half + chunk
    const last = text.charCodeAt(text.length - 1)
    const cut = (last & 0xfc00) === 0xd800 ? text.length - 1 : text.length
    this.#half = text.slice(cut)
    return this.#utf8(text.slice(0, cut))
  }

  #utf8(text: string): Uint8Array {
    if (this.#options.walking.replaceSurrogates) return encoder.encode(toWellFormed(text))
    const at = loneSurrogate(text)
    if (at >= 0) throw new SamewireError('lone-surrogate', 'the text has half of a surrogate pair', this.#fed + at)
    return encoder.encode(text)
  }

  /** The next value that is complete, or undefined. */
  next(): { value: T } | undefined {
    return codec.next(this.#format, this.#handle, this.#options) as { value: T } | undefined
  }

  /** After the last chunk: `next` gives what is left, or says what is wrong with it. */
  finish(): void {
    if (this.#half !== '') codec.feed(this.#handle, this.#utf8(this.#half))
    codec.finish(this.#handle)
  }

  free(): void {
    freed.unregister(this)
    codec.freeStream(this.#handle)
  }
}

/**
 * Reads values from a stream of chunks, cut anywhere: MessagePack values after one another, or JSON values after one
 * another (JSON Lines and others). An error's offset counts from the beginning of the stream.
 */
export async function* decodeStream<T = unknown>(
  source: ChunkSource,
  options: DecodeOptions & { format?: Format } = {},
): AsyncGenerator<T, void, undefined> {
  const { format = 'msgpack', ...rest } = options
  const splitter = new Splitter<T>(formatNumber(format), rest)
  try {
    for await (const chunk of chunks(source)) {
      splitter.feed(chunk)
      for (let item = splitter.next(); item !== undefined; item = splitter.next()) yield item.value
    }
    splitter.finish()
    for (let item = splitter.next(); item !== undefined; item = splitter.next()) yield item.value
  } finally {
    splitter.free()
  }
}

/** A ReadableStream is an async iterable in most runtimes, not in all. */
async function* chunks(source: ChunkSource): AsyncGenerator<Chunk> {
  if (typeof source === 'string' || ArrayBuffer.isView(source) || isBuffer(source)) {
    yield source
    return
  }
  if (source === null || typeof source !== 'object') throw unreadable(source)
  if (Symbol.asyncIterator in source || Symbol.iterator in source) {
    yield* source as AsyncIterable<Chunk>
    return
  }
  if (typeof (source as { getReader?: unknown }).getReader !== 'function') throw unreadable(source)
  const reader = source.getReader()
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

function unreadable(source: unknown): SamewireError {
  return new SamewireError('unsupported-type', `a source is a stream or an iterable of chunks, not ${typeName(source)}`)
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
