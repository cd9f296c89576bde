// Lazy reading: a message is checked once, and only what is asked for is made.

import { codec } from '#platform'
import type { Bytes } from './bytes.js'
import { formatNumber, type Compiled, type Format } from './codec.js'
import { escapePointer } from './errors.js'
import type { DecodeOptions } from './options.js'

/** A place in a message that was checked. It keeps the message alive; do not change its bytes. */
export class View {
  /** @internal Bundlers shorten it. */
  static readonly name: string = 'View'
  readonly format: Format
  readonly #number: number
  readonly #message: Uint8Array
  readonly #at: number
  readonly #options: Compiled

  /** @internal */
  constructor(format: Format, message: Uint8Array, at: number, options: Compiled) {
    this.format = format
    this.#number = formatNumber(format)
    this.#message = message
    this.#at = at
    this.#options = options
  }

  /** The place under a key or an index, or under several in turn; undefined if there is none. */
  at(...steps: (string | number)[]): View | undefined {
    return this.pointer(steps.map((step) => `/${typeof step === 'number' ? step : escapePointer(step)}`).join(''))
  }

  /** The place at a JSON Pointer (RFC 6901); undefined if there is none. */
  pointer(pointer: string): View | undefined {
    const at = codec.viewGo(this.#number, this.#message, this.#at, pointer, this.#options)
    return at < 0 ? undefined : new View(this.format, this.#message, at, this.#options)
  }

  /** The value at a JSON Pointer; undefined if there is none. */
  get<T = unknown>(pointer: string): T | undefined {
    const at = codec.viewGo(this.#number, this.#message, this.#at, pointer, this.#options)
    return at < 0 ? undefined : (codec.viewValue(this.#number, this.#message, at, this.#options) as T)
  }

  /** The value here. */
  value<T = unknown>(): T {
    return codec.viewValue(this.#number, this.#message, this.#at, this.#options) as T
  }

  /** `array`, `map`, or `scalar` for all else. */
  get kind(): 'scalar' | 'array' | 'map' {
    return codec.viewAbout(this.#number, this.#message, this.#at, this.#options).kind
  }

  /** Elements of an array, entries of a map; 0 for a scalar. */
  get length(): number {
    return codec.viewAbout(this.#number, this.#message, this.#at, this.#options).length
  }

  /** The encoded value, in the message's memory. */
  get raw(): Uint8Array {
    const { end } = codec.viewAbout(this.#number, this.#message, this.#at, this.#options)
    return this.#message.subarray(this.#at, end)
  }

  /** Keys or indexes and their places, in the order of the data. */
  *entries(): Generator<[string | number, View], void, undefined> {
    const flat = codec.viewEntries(this.#number, this.#message, this.#at, this.#options)
    for (let i = 0; i < flat.length; i += 2) {
      yield [flat[i] as string | number, new View(this.format, this.#message, flat[i + 1] as number, this.#options)]
    }
  }

  [Symbol.iterator](): Generator<[string | number, View], void, undefined> {
    return this.entries()
  }
}

/** Checks a message and gives the place of its value. */
export function view(data: Bytes | string, format: Format = 'msgpack', options?: DecodeOptions): View {
  const number = formatNumber(format)
  const compiled = codec.compile(options)
  const given = codec.bytes(number, data, compiled)
  codec.validate(number, given, compiled)
  // An array object of its own stands for the message from now on.
  const message = new Uint8Array(given.buffer, given.byteOffset, given.byteLength)
  const place = new View(format, message, 0, compiled)
  // JSON may begin with white space.
  return place.pointer('') ?? place
}
