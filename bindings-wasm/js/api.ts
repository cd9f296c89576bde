// The package's functions and classes. `#platform` is the engine of the runtime, chosen by the build.

import { codec } from '#platform'
import type { Bytes } from './bytes.js'
import { formatNumber, type Compiled, type Format } from './codec.js'
import { JSON_TEXT, MSGPACK } from './engine.js'
import { SamewireError } from './errors.js'
import type { DecodeOptions, EncodeOptions, Options, StringifyOptions, TranscodeOptions } from './options.js'

/** Which engine runs: `native` or `wasm`. They behave alike. */
export const engine: 'native' | 'wasm' = codec.engine

const standard = codec.compile(undefined)
const compiled = (options: Options | undefined): Compiled => (options === undefined ? standard : codec.compile(options))

/**
 * Writes a value as MessagePack.
 *
 * In Node small results share memory, as those of Buffer do (`pool: false` for memory of one's own).
 */
export function encode(value: unknown, options?: EncodeOptions): Uint8Array {
  return codec.encode(value, options === undefined ? standard : codec.compile(options))
}

/** Reads one MessagePack value. */
export function decode<T = unknown>(data: Bytes, options?: DecodeOptions): T {
  return codec.decode(MSGPACK, data, options === undefined ? standard : codec.compile(options)) as T
}

/** Writes a value as JSON text. */
export function stringify(value: unknown, options?: StringifyOptions): string {
  return codec.stringify(value, compiled(options))
}

/** Writes a value as JSON in UTF-8. */
export function stringifyToBytes(value: unknown, options?: StringifyOptions): Uint8Array {
  return codec.stringifyToBytes(value, compiled(options))
}

/** Reads one JSON value, from text or its UTF-8. */
export function parse<T = unknown>(data: string | Bytes, options?: DecodeOptions): T {
  return codec.decode(JSON_TEXT, data, compiled(options)) as T
}

/** Writes a value as MessagePack into a target; returns the offset after it. */
export function encodeInto(value: unknown, target: Uint8Array, offset = 0, options?: EncodeOptions): number {
  return codec.encodeInto(MSGPACK, value, target, offset, compiled(options))
}

/** Reads one value out of longer bytes; `end` is the offset after it. */
export function decodeFrom<T = unknown>(
  data: Bytes,
  offset = 0,
  options?: DecodeOptions & { format?: Format },
): { value: T; end: number } {
  const { format = 'msgpack', ...rest } = options ?? {}
  const with_ = options === undefined ? standard : codec.compile(rest)
  return codec.decodeFrom(formatNumber(format), data, offset, with_) as { value: T; end: number }
}

/** Writes bytes of one format in another, without making values in between. */
export function transcode(data: Bytes | string, from: Format, to: Format, options?: TranscodeOptions): Uint8Array {
  return codec.transcode(data, formatNumber(from), formatNumber(to), compiled(options))
}

/** SHA-256 of a value's canonical MessagePack: equal values have equal digests, in every language. */
export function digest(value: unknown, options?: EncodeOptions): Uint8Array {
  return codec.digest(value, compiled(options))
}

/**
 * Reads a value off the thread, where the native engine runs; only the making of objects is left to it. With
 * WebAssembly the work is done in a later turn of the event loop.
 */
export async function decodeAsync<T = unknown>(
  data: Bytes | string,
  options?: DecodeOptions & { format?: Format },
): Promise<T> {
  const { format = 'msgpack', ...rest } = options ?? {}
  return (await codec.decodeLater(formatNumber(format), data, codec.compile(rest))) as T
}

/**
 * Writes a value off the thread, where the native engine runs: it is read at once, as it is now, and what the core
 * makes of it (JSON, sorted and canonical output) is left to another thread.
 */
export async function encodeAsync(value: unknown, options?: StringifyOptions & { format?: Format }): Promise<Uint8Array> {
  const { format = 'msgpack', ...rest } = options ?? {}
  return codec.encodeLater(formatNumber(format), value, codec.compile(rest))
}

/**
 * Writes a file's value in another format into another file, off the thread where the native engine runs; resolves
 * with the number of values. With `stream` the file has values one after another (JSON Lines, in JSON), memory is
 * bounded by the largest, and so is what is written. A target that exists is replaced only when all went well.
 */
export async function transcodeFile(
  source: string | URL,
  target: string | URL,
  from: Format,
  to: Format,
  options?: TranscodeOptions & { stream?: boolean },
): Promise<number> {
  const { stream = false, ...rest } = options ?? {}
  if (typeof stream !== 'boolean') throw new SamewireError('invalid-option', 'option stream takes true or false')
  // A line is a value: what would break it is refused, and its end is there anyway.
  if (stream && rest.indent !== undefined) throw new SamewireError('invalid-option', 'option indent: a stream of JSON has one value a line')
  const compiled = codec.compile(stream ? { ...rest, appendNewline: undefined } : rest)
  return codec.transcodeFiles(pathOf(source), pathOf(target), formatNumber(from), formatNumber(to), stream, compiled)
}

function pathOf(path: string | URL): string {
  const text = path instanceof URL ? decodeURIComponent(path.pathname).replace(/^\/([A-Za-z]:)/, '$1') : path
  if (typeof text !== 'string' || text.includes('\0')) throw new SamewireError('unsupported-type', 'a file is a path or a file: URL')
  if (path instanceof URL && path.protocol !== 'file:') throw new SamewireError('unsupported-type', `a file is a path or a file: URL, not ${path.protocol}`)
  return text
}

/** {@link transcode} off the thread, where the native engine runs. */
export async function transcodeAsync(
  data: Bytes | string,
  from: Format,
  to: Format,
  options?: TranscodeOptions,
): Promise<Uint8Array> {
  return codec.transcodeLater(data, formatNumber(from), formatNumber(to), compiled(options))
}

/** Writes many values with one set of options, which are read once. */
export class Encoder {
  readonly format: Format
  readonly #number: number
  readonly #options: Compiled

  constructor(format: Format = 'msgpack', options?: StringifyOptions) {
    this.#number = formatNumber(format)
    this.format = format
    this.#options = compiled(options)
  }

  encode(value: unknown): Uint8Array {
    return this.#number === MSGPACK ? codec.encode(value, this.#options) : codec.stringifyToBytes(value, this.#options)
  }

  /** Writes into a target; returns the offset after the value. */
  encodeInto(value: unknown, target: Uint8Array, offset = 0): number {
    return codec.encodeInto(this.#number, value, target, offset, this.#options)
  }
}

/** Reads many values with one set of options, which are read once. */
export class Decoder<T = unknown> {
  readonly format: Format
  readonly #number: number
  readonly #options: Compiled

  constructor(format: Format = 'msgpack', options?: DecodeOptions) {
    this.#number = formatNumber(format)
    this.format = format
    this.#options = compiled(options)
  }

  decode(data: Bytes | string): T {
    return codec.decode(this.#number, data, this.#options) as T
  }

  decodeFrom(data: Bytes, offset = 0): { value: T; end: number } {
    return codec.decodeFrom(this.#number, data, offset, this.#options) as { value: T; end: number }
  }
}
