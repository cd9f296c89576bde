// Finds where values end in bytes that arrive in pieces, in time linear in the bytes. Reads nothing but structure:
// what is wrong inside a value is for the decoder to say.

import { SamewireError } from './errors.js'

/** Scans one value; resumable. */
export interface Scanner {
  /** Goes on from where it stopped. Returns the value's end, or −1 if more bytes are needed. */
  scan(bytes: Uint8Array, length: number): number
  /** Begins a value at an offset. */
  begin(offset: number): void
  /** The bytes moved to the front by `n`. */
  moved(n: number): void
}

const TOO_LARGE = 'a value of the stream needs more bytes than maxBytes'

export function msgpackScanner(maxBytes: number): Scanner {
  let start = 0
  let at = 0
  /** Values that are still to come. */
  let todo = 1
  const be = (b: Uint8Array, p: number, n: number): number => {
    let v = 0
    for (let i = 0; i < n; i++) v = v * 256 + b[p + i]!
    return v
  }
  return {
    begin(offset) {
      start = at = offset
      todo = 1
    },
    moved(n) {
      start -= n
      at -= n
    },
    scan(b, length) {
      while (todo > 0) {
        if (at >= length) return -1
        const m = b[at]!
        let header = 1
        let payload = 0
        let children = 0
        if (m < 0x80 || m >= 0xe0) {
          // A fixed integer.
        } else if (m < 0x90) children = (m & 15) * 2
        else if (m < 0xa0) children = m & 15
        else if (m < 0xc0) payload = m & 31
        else if (m >= 0xca && m <= 0xd3) payload = [4, 8, 1, 2, 4, 8, 1, 2, 4, 8][m - 0xca]!
        else if (m >= 0xd4 && m <= 0xd8) payload = 1 + (1 << (m - 0xd4))
        else if (m === 0xc1) return at + 1
        else if (m >= 0xc4) {
          const size = m >= 0xdc ? 2 << (m & 1) : 1 << (m <= 0xc6 ? m - 0xc4 : m <= 0xc9 ? m - 0xc7 : m - 0xd9)
          header += size
          if (at + header > length) return -1
          const n = be(b, at + 1, size)
          if (m >= 0xde) children = n * 2
          else if (m >= 0xdc) children = n
          else payload = n + (m >= 0xc7 && m <= 0xc9 ? 1 : 0)
        }
        at += header + payload
        todo += children - 1
        // At least a byte a value.
        if (at + todo - start > maxBytes) throw new SamewireError('input-too-large', TOO_LARGE, start)
      }
      return at <= length ? at : -1
    },
  }
}

export function jsonScanner(maxBytes: number): Scanner {
  let start = 0
  let at = 0
  let depth = 0
  let inString = false
  let escaped = false
  let scalar = false
  return {
    begin(offset) {
      start = at = offset
      depth = 0
      inString = escaped = scalar = false
    },
    moved(n) {
      start -= n
      at -= n
    },
    scan(b, length) {
      for (; at < length; at++) {
        const c = b[at]!
        if (inString) {
          if (escaped) escaped = false
          else if (c === 0x5c) escaped = true
          else if (c === 0x22) {
            inString = false
            if (depth === 0) return ++at
          }
          continue
        }
        const blank = c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09
        if (scalar) {
          if (blank) return at
          continue
        }
        if (blank) {
          if (depth === 0) start = at + 1
          continue
        }
        if (c === 0x22) inString = true
        else if (c === 0x5b || c === 0x7b) depth++
        else if (c === 0x5d || c === 0x7d) {
          if (--depth <= 0) return ++at
        } else if (depth === 0) scalar = true
      }
      if (at - start > maxBytes) throw new SamewireError('input-too-large', TOO_LARGE, start)
      return -1
    },
  }
}
