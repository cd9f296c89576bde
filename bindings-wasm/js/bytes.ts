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

function refuseDetached(buffer: ArrayBufferLike): void {
  // Detached memory has length 0 and cannot be viewed; where the engine can tell, so do we.
  if ((buffer as { detached?: boolean }).detached === true) {
    throw new SamewireError('invalid-state', 'the memory of the input is detached: it was transferred elsewhere')
  }
}

/** True for ArrayBuffer and SharedArrayBuffer of any realm. */
export function isBuffer(value: unknown): value is ArrayBufferLike {
  if (value instanceof ArrayBuffer) return true
  const tag = Object.prototype.toString.call(value)
  return tag === '[object ArrayBuffer]' || tag === '[object SharedArrayBuffer]'
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
