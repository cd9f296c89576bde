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

/** Writes many values with one set of options, which are read once. */
export class Encoder {
  /** @internal Bundlers shorten it. */
  static readonly name: string = 'Encoder'
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
  /** @internal Bundlers shorten it. */
  static readonly name: string = 'Decoder'
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
