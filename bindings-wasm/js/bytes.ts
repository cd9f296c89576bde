// Whatever holds bytes, as a Uint8Array of the same memory.

import { SamewireError } from './errors.js'

/** Anything that holds bytes. */
export type Bytes = ArrayBufferView | ArrayBufferLike

/** The bytes, not copied. */
export function bytesOf(data: Bytes): Uint8Array {
  // What has no length may be detached, or a view beyond the end of memory that has shrunk: only a method tells.
  if (data instanceof Uint8Array) return data.length > 0 ? data : checked(() => keys.call(data), data)
  if (ArrayBuffer.isView(data)) {
    return checked(() => {
      if (!(data instanceof DataView) && data.byteLength === 0) keys.call(data)
      return new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    })
  }
  if (isBuffer(data)) return checked(() => new Uint8Array(data))
  throw new SamewireError('unsupported-type', `input is bytes, not ${typeName(data)}`)
}

const { keys } = Object.getPrototypeOf(Uint8Array.prototype) as Uint8Array

/** What a look at memory gives, if there is memory. */
function checked<T>(look: () => T, result?: Uint8Array): Uint8Array {
  try {
    const seen = look()
    return result ?? (seen as Uint8Array)
  } catch (cause) {
    throw new SamewireError('invalid-state', 'the memory of the input is detached: it was transferred elsewhere', undefined, '', { cause })
  }
}

const lengths = [ArrayBuffer, globalThis.SharedArrayBuffer]
  .filter((c) => c !== undefined)
  .map((c) => Object.getOwnPropertyDescriptor(c.prototype, 'byteLength')!.get!)

/** True for ArrayBuffer and SharedArrayBuffer of any realm: the getters ask for the real thing, not for a name. */
export function isBuffer(value: unknown): value is ArrayBufferLike {
  return lengths.some((length) => {
    try {
      length.call(value)
      return true
    } catch {
      return false
    }
  })
}

/** The name of a value's type, for messages. Never runs the value's own code. */
export function typeName(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value === 'object') {
    const tag = Object.prototype.toString.call(value).slice(8, -1)
    return tag === 'Object' ? 'an object' : tag
  }
  return typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`
}
