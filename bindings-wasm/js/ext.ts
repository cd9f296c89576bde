// MessagePack extensions: the value type, and the registry that maps classes to them.

import { SamewireError } from './errors.js'
import { bytesOf, isBuffer, type Bytes } from './bytes.js'

/** A MessagePack extension: an application's type number and its bytes. */
export class Ext {
  /** @internal Bundlers shorten it. */
  static readonly name: string = 'Ext'
  /** −128 … 127; −1 is the timestamp. */
  readonly type: number
  readonly data: Uint8Array

  constructor(type: number, data: Bytes) {
    checkType(type)
    this.type = type
    this.data = bytesOf(data)
  }
}

function checkType(type: number): void {
  if (!Number.isInteger(type) || type < -128 || type > 127) {
    throw new SamewireError('invalid-option', `an extension type is an integer of -128 to 127, not ${String(type)}`)
  }
}

/** An encoded value that is put in its place as it is: MessagePack where MessagePack is written, JSON in JSON. */
export class Raw {
  /** @internal Bundlers shorten it. */
  static readonly name: string = 'Raw'
  readonly bytes: Uint8Array

  constructor(bytes: Bytes | string) {
    this.bytes = typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytesOf(bytes)
  }
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Class<T> = abstract new (...args: any[]) => T

interface Entry {
  type: number
  encode: (value: unknown) => Bytes
  decode: (data: Uint8Array) => unknown
}

/** Classes that travel as extensions, given as the option `ext`. */
export class ExtRegistry {
  /** @internal Bundlers shorten it. */
  static readonly name: string = 'ExtRegistry'
  readonly #byType = new Map<number, Entry>()
  readonly #byClass = new Map<unknown, Entry>()

  /** Adds a class. Instances of subclasses are written as it is, unless they are added themselves. */
  add<T>(type: number, cls: Class<T>, encode: (value: T) => Bytes, decode: (data: Uint8Array) => T): this {
    checkType(type)
    if (type === -1) throw new SamewireError('invalid-option', 'extension type -1 is the timestamp')
    if (this.#byType.has(type)) throw new SamewireError('invalid-option', `extension type ${type} is taken already`)
    if (this.#byClass.has(cls.prototype)) throw new SamewireError('invalid-option', `the class ${cls.name} has an extension type already`)
    const entry: Entry = { type, encode: encode as (value: unknown) => Bytes, decode }
    this.#byType.set(type, entry)
    this.#byClass.set(cls.prototype, entry)
    return this
  }

  /** @internal The extension of a value of a class in the registry. */
  toExt(value: object): Ext | undefined {
    for (let p: unknown = Object.getPrototypeOf(value); p !== null; p = Object.getPrototypeOf(p)) {
      const entry = this.#byClass.get(p)
      if (entry !== undefined) {
        const data: unknown = entry.encode(value)
        if (!ArrayBuffer.isView(data) && !isBuffer(data)) {
          throw new SamewireError('hook-failed', `the encoder of extension type ${entry.type} did not return bytes`)
        }
        return new Ext(entry.type, data)
      }
    }
    return undefined
  }

  /** @internal */
  decoder(type: number): ((data: Uint8Array) => unknown) | undefined {
    return this.#byType.get(type)?.decode
  }
}
