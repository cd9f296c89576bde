// Whatever holds bytes, as a Uint8Array of the same memory.

import { SamewireError } from './errors.js'

/** Anything that holds bytes. */
export type Bytes = ArrayBufferView | ArrayBufferLike

/** The bytes, not copied. */
export function bytesOf(data: Bytes): Uint8Array {
  if (data instanceof Uint8Array) {
    if (data.length === 0) refuseDetached(data.buffer)
    return data
  }
  if (ArrayBuffer.isView(data)) {
    refuseDetached(data.buffer)
    return new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
  }
  if (isBuffer(data)) {
    refuseDetached(data)
    return new Uint8Array(data)
  }
  throw new SamewireError('unsupported-type', `input is bytes, not ${typeName(data)}`)
}

/** Detached memory has length 0 and can be told by nothing but that it cannot be viewed. */
function refuseDetached(buffer: ArrayBufferLike): void {
  try {
    new Uint8Array(buffer, 0, 0)
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
