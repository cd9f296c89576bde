// Maps JavaScript's values to the data model and writes MessagePack. Canonical form, sorting, JSON and all other
// options that change bytes are the core's: it makes them from what is written here ("relayed").

import { bytesOf, isBuffer, typeName, type Bytes } from './bytes.js'
import { SamewireError, inside, walkError, settled } from './errors.js'
import { Ext, Raw, type ExtRegistry } from './ext.js'
import { encoder, isWellFormed, type Host, type NodeBuffer } from './host.js'
import { Timestamp, partsOf } from './timestamp.js'

/** What a call wants of the walk. */
export interface Walking {
  maxDepth: number
  /** Lone halves of surrogate pairs become U+FFFD instead of an error. */
  replaceSurrogates: boolean
  mapKeys: 'str' | 'any' | 'stringify'
  /** The core makes the result: what MessagePack cannot carry is wrapped for it. */
  relay: boolean
  default: ((value: unknown) => unknown) | undefined
  ext: ExtRegistry | undefined
  /** Checks an encoded value that is to be put in place, and returns it. */
  raw: (bytes: Uint8Array) => Uint8Array
}

/** The extension that wraps, and what is in it: core/src/tape/relay.rs. */
const RELAY = -128
const RELAY_EXT = 0
const RELAY_BIGINT = 1
const RELAY_RAW = 2

/** No entry of a map without long strings takes more. */
const ROOM = 1024
const KEY_NODES = 4096
const LONGEST_KEY = 120
/** Keys that found the table full, until it starts anew. */
const PATIENCE = 1 << 16
/** Results up to this share of a block are pieces of it. */
const POOLED = 1 / 4
const SCRATCH = 1 << 16
/** Walks inside hooks of walks. */
const NESTED = 128
/** Memory kept for the next call. */
const KEEP = 1 << 22

/** A key with its bytes, and the key that came after it last time. */
class Key {
  next: Key | null = null
  /** The encoded key's first 16 bytes as four words: two to four stores instead of a loop. */
  readonly a: number
  readonly b: number
  readonly c: number
  readonly d: number
  readonly length: number

  constructor(
    readonly text: string,
    readonly encoded: Uint8Array,
  ) {
    const words = new DataView(new ArrayBuffer(16))
    for (let i = 0; i < Math.min(16, encoded.length); i++) words.setUint8(i, encoded[i]!)
    this.a = words.getInt32(0, true)
    this.b = words.getInt32(4, true)
    this.c = words.getInt32(8, true)
    this.d = words.getInt32(12, true)
    this.length = encoded.length
  }
}

const NOTHING = new Uint8Array(0)
const getPrototypeOf = Object.getPrototypeOf as (value: object) => object | null
const objectPrototype = Object.prototype
const toStringTag = Object.prototype.toString
const isArray = Array.isArray

export interface Walker {
  /** Writes a value; the bytes are `memory[start..end]` until the next call. */
  walk(value: unknown, walking: Walking): void
  readonly memory: Uint8Array
  readonly start: number
  readonly end: number
  /** The written bytes, as an array of the caller's. */
  take(pool: boolean): Uint8Array
  /** Keys that differ here may have become the same bytes. */
  readonly doubtful: boolean
}

export function createWalker(host: Host): Walker {
  const loop = host.loop
  let u8: Uint8Array = NOTHING
  /** Memory that a large value needed, for the next one. */
  let spare: Uint8Array = NOTHING
  let node: NodeBuffer | undefined
  let view = new DataView(u8.buffer)
  let pos = 0
  let size = 0
  /** Beyond this there is no room for one more entry. */
  let limit = 0
  /** The pool's block, up to where it is given away; and whether it is the memory now. */
  let block: Uint8Array = NOTHING
  let blockPos = 0
  let pooled = false
  let depth = 0
  /** Walks in progress: those after the first were called by hooks of the one before. */
  let walks = 0
  /** Where the first of them began. */
  let base = 0
  /** What the last walk wrote. */
  let begun = 0
  let end = 0
  /** The fault is in a key: its place is the map. */
  let inKey = false
  let doubtful = false
  /** Object.prototype has enumerable properties, which are nobody's own. */
  let polluted = false
  let W!: Walking

  let keys = new Map<string, Key>()
  let turnedAway = 0
  let first = new Key('', new Uint8Array(0))

  function adopt(memory: Uint8Array): void {
    u8 = memory
    size = memory.length
    limit = size - ROOM
    view = new DataView(memory.buffer, memory.byteOffset, size)
    node = host.buffer === undefined ? undefined : host.buffer(memory.buffer)
  }

  /**
   * Room for `n` bytes and one entry. What the walks in progress wrote keeps its offsets, which open containers
   * hold on to.
   */
  function grow(n: number): void {
    const need = pos + n + 2 * ROOM
    let memory = spare
    if (memory === u8 || memory.length < need) memory = new Uint8Array(Math.max(pos * 2, SCRATCH * 2, need))
    memory.set(u8.subarray(base, pos), base)
    adopt(memory)
    pooled = false
    spare = memory.length <= KEEP ? memory : NOTHING
  }

  function begin(): void {
    if (walks > 0) return
    if (host.pool > 0) {
      // A large value left the block where it was.
      if (!pooled && block !== NOTHING) {
        adopt(block)
        pos = blockPos
        pooled = true
      }
      if (!pooled || size - pos < host.pool * POOLED) {
        block = host.block(host.pool)
        adopt(block)
        pooled = true
        pos = 0
      }
      blockPos = pos
    } else {
      if (size < SCRATCH || size > KEEP) adopt(new Uint8Array(SCRATCH))
      pos = 0
    }
    base = pos
  }

  // ---- strings

  function text(s: string): void {
    const n = s.length
    if (n > loop) return longText(s)
    const h = n < 32 ? 1 : 2
    const u = u8
    let q = pos + h
    for (let i = 0; i < n; i++) {
      const c = s.charCodeAt(i)
      if (c >= 128) return shortWideText(s, i, q)
      u[q++] = c
    }
    if (h === 1) u[pos] = 0xa0 | n
    else {
      u[pos] = 0xd9
      u[pos + 1] = n
    }
    pos = q
  }

  /** Not ASCII from unit `i` on; what comes before is written up to `q`. */
  function shortWideText(s: string, i: number, q: number): void {
    const n = s.length
    const u = u8
    const guess = q - i - pos
    for (; i < n; i++) {
      let c = s.charCodeAt(i)
      if (c < 0x80) u[q++] = c
      else if (c < 0x800) {
        u[q++] = 0xc0 | (c >> 6)
        u[q++] = 0x80 | (c & 63)
      } else {
        if ((c & 0xf800) === 0xd800) {
          const d = (c & 0x400) === 0 && i + 1 < n ? s.charCodeAt(i + 1) : 0
          if ((d & 0xfc00) === 0xdc00) {
            i++
            c = 0x10000 + ((c & 0x3ff) << 10) + (d & 0x3ff)
            u[q++] = 0xf0 | (c >> 18)
            u[q++] = 0x80 | ((c >> 12) & 63)
            u[q++] = 0x80 | ((c >> 6) & 63)
            u[q++] = 0x80 | (c & 63)
            continue
          }
          if (!W.replaceSurrogates) throw loneSurrogate(i)
          c = 0xfffd
        }
        u[q++] = 0xe0 | (c >> 12)
        u[q++] = 0x80 | ((c >> 6) & 63)
        u[q++] = 0x80 | (c & 63)
      }
    }
    const length = q - pos - guess
    const h = length < 32 ? 1 : length < 256 ? 2 : 3
    if (h !== guess) {
      u.copyWithin(pos + h, pos + guess, q)
      q += h - guess
    }
    textHeader(h, length)
    pos = q
  }

  function textHeader(h: number, length: number): void {
    switch (h) {
      case 1: u8[pos] = 0xa0 | length; break
      case 2: u8[pos] = 0xd9; u8[pos + 1] = length; break
      case 3: u8[pos] = 0xda; view.setUint16(pos + 1, length); break
      default: u8[pos] = 0xdb; view.setUint32(pos + 1, length)
    }
  }

  function longText(s: string): void {
    const n = s.length
    if (!isWellFormed(s)) {
      if (!W.replaceSurrogates) throw loneSurrogate(loneAt(s))
      // TextEncoder and Buffer do what the option says: one U+FFFD each.
    }
    if (n > 0x5000_0000) throw walkError('input-too-large', `a text of ${n} units is too long`)
    if (pos + n * 3 > limit) grow(n * 3)
    // The header's size is guessed for ASCII, the commonest; otherwise the text moves.
    const guess = n < 32 ? 1 : n < 256 ? 2 : n < 65536 ? 3 : 5
    const at = pos + guess
    const length =
      node !== undefined
        ? node.utf8Write(s, u8.byteOffset + at, n * 3)
        : encoder.encodeInto(s, u8.subarray(at)).written
    const h = length < 32 ? 1 : length < 256 ? 2 : length < 65536 ? 3 : 5
    if (h !== guess) u8.copyWithin(pos + h, at, at + length)
    textHeader(h, length)
    pos += h + length
  }

  function loneSurrogate(at: number): SamewireError {
    return walkError('lone-surrogate', `unit ${at} of a string is half of a surrogate pair`)
  }

  // ---- numbers

  function number(v: number): void {
    const n = v | 0
    if (v === n && (n !== 0 || 1 / v > 0)) {
      const u = u8
      if (n >= 0) {
        if (n < 128) u[pos++] = n
        else if (n < 256) {
          u[pos] = 0xcc
          u[pos + 1] = n
          pos += 2
        } else if (n < 65536) {
          u[pos] = 0xcd
          u[pos + 1] = n >> 8
          u[pos + 2] = n
          pos += 3
        } else {
          u[pos] = 0xce
          view.setInt32(pos + 1, n)
          pos += 5
        }
      } else if (n >= -32) u[pos++] = n
      else if (n >= -128) {
        u[pos] = 0xd0
        u[pos + 1] = n
        pos += 2
      } else if (n >= -32768) {
        u[pos] = 0xd1
        u[pos + 1] = n >> 8
        u[pos + 2] = n
        pos += 3
      } else {
        u[pos] = 0xd2
        view.setInt32(pos + 1, n)
        pos += 5
      }
    } else if (Number.isSafeInteger(v) && v !== 0) {
      if (v > 0 && v <= 0xffff_ffff) {
        u8[pos] = 0xce
        view.setUint32(pos + 1, v)
        pos += 5
      } else {
        u8[pos] = v > 0 ? 0xcf : 0xd3
        view.setInt32(pos + 1, Math.floor(v / 0x1_0000_0000))
        view.setInt32(pos + 5, v | 0)
        pos += 9
      }
    } else float(v)
  }

  function float(v: number): void {
    u8[pos] = 0xcb
    if (v === v) view.setFloat64(pos + 1, v)
    else {
      // One NaN for all: the engine's own bits may be any.
      view.setUint32(pos + 1, 0x7ff8_0000)
      view.setUint32(pos + 5, 0)
    }
    pos += 9
  }

  function bigint(v: bigint): void {
    if (v >= -0x8000_0000_0000_0000n && v <= 0xffff_ffff_ffff_ffffn) {
      if (v >= -0x1f_ffff_ffff_ffffn && v <= 0x1f_ffff_ffff_ffffn) return number(Number(v))
      u8[pos] = v < 0n ? 0xd3 : 0xcf
      if (v < 0n) view.setBigInt64(pos + 1, v)
      else view.setBigUint64(pos + 1, v)
      pos += 9
      return
    }
    if (!W.relay) {
      throw walkError('integer-out-of-range', 'a bigint is outside -2^63 ... 2^64-1, which is all that MessagePack has')
    }
    relay(RELAY_BIGINT, encoder.encode(String(v)))
  }

  // ---- bytes

  function put(bytes: Uint8Array): void {
    const n = bytes.length
    if (pos + n > limit) grow(n)
    u8.set(bytes, pos)
    pos += n
  }

  function bin(bytes: Uint8Array): void {
    const n = bytes.length
    if (pos + n > limit) grow(n)
    if (n < 256) {
      u8[pos] = 0xc4
      u8[pos + 1] = n
      pos += 2
    } else if (n < 65536) {
      u8[pos] = 0xc5
      view.setUint16(pos + 1, n)
      pos += 3
    } else {
      u8[pos] = 0xc6
      view.setUint32(pos + 1, n)
      pos += 5
    }
    u8.set(bytes, pos)
    pos += n
  }

  function extHeader(type: number, n: number): void {
    const fixed = n <= 16 && n > 0 && (n & (n - 1)) === 0
    if (fixed) u8[pos++] = 0xd4 + Math.log2(n)
    else if (n < 256) {
      u8[pos] = 0xc7
      u8[pos + 1] = n
      pos += 2
    } else if (n < 65536) {
      u8[pos] = 0xc8
      view.setUint16(pos + 1, n)
      pos += 3
    } else {
      u8[pos] = 0xc9
      view.setUint32(pos + 1, n)
      pos += 5
    }
    u8[pos++] = type
  }

  function relay(kind: number, payload: Uint8Array): void {
    if (pos > limit) grow(0)
    extHeader(RELAY, payload.length + 1)
    u8[pos++] = kind
    put(payload)
  }

  function ext(v: Ext): void {
    if (v.type === -1) return timestampBytes(v.data)
    if (W.relay && v.type === RELAY) return relay(RELAY_EXT, v.data)
    if (pos > limit) grow(0)
    extHeader(v.type, v.data.length)
    put(v.data)
  }

  function timestampBytes(data: Uint8Array): void {
    const d = new DataView(data.buffer, data.byteOffset, data.byteLength)
    switch (data.length) {
      case 4: return timestamp(d.getUint32(0), 0)
      case 8: {
        const high = d.getUint32(0)
        return timestamp((high & 3) * 0x1_0000_0000 + d.getUint32(4), high >>> 2)
      }
      case 12: {
        const seconds = d.getBigInt64(4)
        const nanoseconds = d.getUint32(0)
        if (nanoseconds > 999_999_999) break
        if (seconds >= -0x1f_ffff_ffff_ffffn && seconds <= 0x1f_ffff_ffff_ffffn) return timestamp(Number(seconds), nanoseconds)
        extHeader(-1, 12)
        return put(data)
      }
    }
    throw walkError('invalid-timestamp', `an extension of type -1 with ${data.length} bytes is no timestamp`)
  }

  function timestamp(seconds: number, nanoseconds: number): void {
    if (nanoseconds > 999_999_999) throw walkError('invalid-timestamp', `${nanoseconds} nanoseconds are more than 999999999`)
    if (pos > limit) grow(0)
    if (seconds >= 0 && seconds < 0x4_0000_0000) {
      if (nanoseconds === 0 && seconds <= 0xffff_ffff) {
        u8[pos] = 0xd6
        u8[pos + 1] = 0xff
        view.setUint32(pos + 2, seconds)
        pos += 6
      } else {
        u8[pos] = 0xd7
        u8[pos + 1] = 0xff
        view.setUint32(pos + 2, nanoseconds * 4 + Math.floor(seconds / 0x1_0000_0000))
        view.setUint32(pos + 6, seconds >>> 0)
        pos += 10
      }
    } else {
      u8[pos] = 0xc7
      u8[pos + 1] = 12
      u8[pos + 2] = 0xff
      view.setUint32(pos + 3, nanoseconds)
      view.setInt32(pos + 7, Math.floor(seconds / 0x1_0000_0000))
      view.setInt32(pos + 11, seconds | 0)
      pos += 15
    }
  }

  function date(v: Date): void {
    const { seconds, nanoseconds } = partsOf(v)
    if (seconds !== seconds) throw walkError('invalid-timestamp', 'a Date is invalid')
    timestamp(seconds, nanoseconds)
  }

  // ---- containers

  function enter(): void {
    if (++depth > W.maxDepth) throw walkError('depth-exceeded', `containers nest deeper than ${W.maxDepth}, or one contains itself`)
    if (pos > limit) grow(0)
  }

  function array(v: readonly unknown[]): void {
    enter()
    const n = v.length
    if (n < 16) u8[pos++] = 0x90 | n
    else if (n < 65536) {
      u8[pos] = 0xdc
      view.setUint16(pos + 1, n)
      pos += 3
    } else {
      u8[pos] = 0xdd
      view.setUint32(pos + 1, n)
      pos += 5
    }
    let i = 0
    if (n > 8 && typeof v[0] === 'number' && n < 1 << 24) i = numbers(v, n)
    try {
      for (; i < n; i++) {
        if (pos > limit) grow(0)
        const x = v[i]
        if (typeof x === 'string') text(x)
        else if (typeof x === 'number') number(x)
        else value(x)
      }
    } catch (error) {
      throw inside(error, i)
    }
    depth--
  }

  /** The numbers at the front of an array: no other code runs, so the memory stays where it is. */
  function numbers(v: readonly unknown[], n: number): number {
    if (pos + n * 9 > limit) grow(n * 9)
    const u = u8
    const d = view
    let i = 0
    let p = pos
    for (; i < n; i++) {
      const x = v[i]
      if (typeof x !== 'number') break
      if (x !== Math.floor(x)) {
        u[p] = 0xcb
        if (x === x) d.setFloat64(p + 1, x)
        else {
          d.setUint32(p + 1, 0x7ff8_0000)
          d.setUint32(p + 5, 0)
        }
        p += 9
      } else {
        pos = p
        number(x)
        p = pos
      }
    }
    pos = p
    return i
  }

  /** The key after `previous`, which was not the one that came last time. */
  function lookup(previous: Key, text: string): Key {
    let key = keys.get(text)
    if (key === undefined) {
      key = new Key(text, encodedKey(text))
      // What an option replaced is none of the next call's.
      if (W.replaceSurrogates && !isWellFormed(text)) return key
      if (keys.size < KEY_NODES && text.length <= LONGEST_KEY) keys.set(text, key)
      else {
        if (++turnedAway > PATIENCE) {
          keys = new Map()
          first = new Key('', new Uint8Array(0))
          turnedAway = 0
        }
        return key
      }
    }
    previous.next = key
    return key
  }

  function encodedKey(key: string): Uint8Array {
    if (!isWellFormed(key)) {
      inKey = true
      if (!W.replaceSurrogates) throw loneSurrogate(loneAt(key))
      // Two keys may become the same.
      doubtful = true
    }
    const bytes = encoder.encode(key)
    const n = bytes.length
    const h = n < 32 ? 1 : n < 256 ? 2 : n < 65536 ? 3 : 5
    const encoded = new Uint8Array(h + n)
    encoded.set(bytes, h)
    const d = new DataView(encoded.buffer)
    if (h === 1) encoded[0] = 0xa0 | n
    else if (h === 2) {
      encoded[0] = 0xd9
      encoded[1] = n
    } else if (h === 3) {
      encoded[0] = 0xda
      d.setUint16(1, n)
    } else {
      encoded[0] = 0xdb
      d.setUint32(1, n)
    }
    return encoded
  }

  function putKey(key: Key): void {
    const n = key.length
    if (n <= 16) {
      const d = view
      const p = pos
      d.setInt32(p, key.a, true)
      d.setInt32(p + 4, key.b, true)
      if (n > 8) {
        d.setInt32(p + 8, key.c, true)
        d.setInt32(p + 12, key.d, true)
      }
      pos = p + n
    } else put(key.encoded)
  }

  /** A plain object. */
  function object(o: Record<string, unknown>): void {
    enter()
    const header = pos++
    let count = 0
    let key = first
    let at = ''
    try {
      for (const k in o) {
        const v = o[k]
        if (v === undefined) continue
        at = k
        if (pos > limit) grow(0)
        let next = key.next
        if (next === null || next.text !== k) next = lookup(key, k)
        putKey(next)
        key = next
        count++
        if (typeof v === 'string') text(v)
        else if (typeof v === 'number') number(v)
        else if (typeof v === 'function' && k === 'toJSON') {
          // Seen late, so that objects without one need not be asked.
          pos = header
          depth--
          return jsonOf(o as { toJSON: unknown })
        } else value(v)
      }
    } catch (error) {
      throw outwards(error, at)
    }
    close(header, count)
  }

  /** Ends a map whose header was left one byte at `header`. */
  function close(header: number, count: number): void {
    depth--
    if (count < 16) u8[header] = 0x80 | count
    else {
      const more = count < 65536 ? 2 : 4
      if (pos > limit) grow(0)
      u8.copyWithin(header + 1 + more, header + 1, pos)
      pos += more
      if (more === 2) {
        u8[header] = 0xde
        view.setUint16(header + 1, count)
      } else {
        u8[header] = 0xdf
        view.setUint32(header + 1, count)
      }
    }
  }

  function outwards(error: unknown, key: string): unknown {
    if (!inKey) return inside(error, key)
    inKey = false
    return error
  }

  function map(m: Map<unknown, unknown>): void {
    enter()
    const header = pos++
    let count = 0
    let at = ''
    try {
      for (const [k, v] of m) {
        if (v === undefined) continue
        at = typeof k === 'string' ? k : typeof k === 'object' || typeof k === 'symbol' ? '' : String(k)
        if (pos > limit) grow(0)
        inKey = true
        if (typeof k === 'string') {
          if (W.replaceSurrogates && !isWellFormed(k)) doubtful = true
          text(k)
        } else if (W.mapKeys === 'str') {
          throw walkError('map-key-type', `a map key is ${typeName(k)}, not a string (option mapKeys allows others)`)
        } else {
          // A Map tells 1n from 1, and objects by identity.
          if (typeof k === 'bigint' || typeof k === 'object') doubtful = true
          value(k)
        }
        inKey = false
        count++
        value(v)
      }
    } catch (error) {
      throw outwards(error, at)
    }
    close(header, count)
  }

  function set(s: Set<unknown>): void {
    array([...s])
  }

  /** An instance of a class: its own enumerable properties. */
  function instance(o: Record<string, unknown>): void {
    enter()
    const header = pos++
    let count = 0
    let key = first
    let at = ''
    try {
      for (const k of Object.keys(o)) {
        at = k
        const v = o[k]
        if (v === undefined) continue
        if (pos > limit) grow(0)
        let next = key.next
        if (next === null || next.text !== k) next = lookup(key, k)
        putKey(next)
        key = next
        count++
        value(v)
      }
    } catch (error) {
      throw outwards(error, at)
    }
    close(header, count)
  }

  function jsonOf(o: { toJSON: unknown }): void {
    derived((o.toJSON as (key: string) => unknown).call(o, ''))
  }

  /** A value that stands for another one; that it does so without end is caught as depth. */
  function derived(v: unknown): void {
    enter()
    value(v)
    depth--
  }

  function value(v: unknown): void {
    if (typeof v === 'object') {
      if (v === null) u8[pos++] = 0xc0
      else if (isArray(v)) array(v)
      else {
        const prototype = getPrototypeOf(v)
        if ((prototype === objectPrototype && !polluted) || prototype === null) object(v as Record<string, unknown>)
        else other(v)
      }
    } else if (typeof v === 'string') text(v)
    else if (typeof v === 'number') number(v)
    else if (typeof v === 'boolean') u8[pos++] = v ? 0xc3 : 0xc2
    else if (v === undefined) u8[pos++] = 0xc0
    else if (typeof v === 'bigint') bigint(v)
    else unsupported(v)
  }

  function unsupported(v: unknown): void {
    if (W.default === undefined) throw walkError('unsupported-type', `${typeName(v)} has no place in the data model`)
    derived(W.default(v))
  }

  /** An object that is neither plain nor an array. */
  function other(v: object): void {
    if (W.ext !== undefined) {
      const found = W.ext.toExt(v)
      if (found !== undefined) return ext(found)
    }
    if (v instanceof Date) return date(v)
    if (ArrayBuffer.isView(v)) return bin(held(v))
    if (v instanceof Map) return map(v)
    if (v instanceof Set) return set(v)
    if (v instanceof Ext) return ext(v)
    if (v instanceof Raw) return raw(v)
    // What is of another realm, or boxed, says so by its tag, unless a class took a tag of its own.
    switch (toStringTag.call(v)) {
      case '[object ArrayBuffer]': case '[object SharedArrayBuffer]':
        if (isBuffer(v)) return bin(held(v))
        break
      case '[object Date]':
        if (isReal(v, dateTime)) return date(v as Date)
        break
      case '[object Map]':
        if (isReal(v, mapSize)) return map(new Map(v as Map<unknown, unknown>))
        break
      case '[object Set]':
        if (isReal(v, setSize)) return array([...(v as Set<unknown>)])
        break
      case '[object Number]': if (isReal(v, numberOf)) return number(numberOf.call(v)); break
      case '[object String]': if (isReal(v, stringOf)) return room(stringOf.call(v)); break
      case '[object Boolean]': if (isReal(v, booleanOf)) return value(booleanOf.call(v)); break
      case '[object BigInt]': if (isReal(v, bigintOf)) return bigint(bigintOf.call(v)); break
      case '[object Temporal.Instant]': {
        const nanoseconds = (v as { epochNanoseconds?: unknown }).epochNanoseconds
        if (typeof nanoseconds === 'bigint') {
          const t = Timestamp.fromNanoseconds(nanoseconds)
          return timestamp(t.seconds, t.nanoseconds)
        }
      }
    }
    if (typeof (v as { toJSON?: unknown }).toJSON === 'function') return jsonOf(v as { toJSON: unknown })
    // Also a plain object of another realm, and any while Object.prototype is polluted.
    instance(v as Record<string, unknown>)
  }

  /** The bytes of a value in the tree. */
  function held(v: Bytes): Uint8Array {
    try {
      return bytesOf(v)
    } catch (error) {
      throw error instanceof SamewireError ? walkError(error.code, 'the memory of a value is detached, or ends before it') : error
    }
  }

  function room(s: string): void {
    if (pos > limit) grow(0)
    text(s)
  }

  function raw(v: Raw): void {
    const bytes = W.raw(v.bytes)
    if (W.relay) relay(RELAY_RAW, bytes)
    else put(bytes)
  }

  return {
    walk(v, walking) {
      begin()
      if (++walks > NESTED) {
        walks--
        throw new SamewireError('depth-exceeded', `hooks that call back nest deeper than ${NESTED}`)
      }
      const outer = { W, depth, pos }
      W = walking
      depth = 0
      inKey = false
      if (walks === 1) doubtful = false
      polluted = false
      for (const key in objectPrototype) polluted = key !== ''
      try {
        if (pos > limit) grow(0)
        value(v)
        begun = outer.pos
        end = pos
      } catch (error) {
        throw settled(error)
      } finally {
        walks--
        W = outer.W
        depth = outer.depth
        pos = outer.pos
      }
    },
    get memory() {
      return u8
    },
    get start() {
      return begun
    },
    get end() {
      return end
    },
    get doubtful() {
      return doubtful
    },
    take(pool) {
      const n = end - begun
      if (pool && pooled && walks === 0 && n <= host.pool * POOLED) {
        pos = (end + 7) & ~7
        return new Uint8Array(u8.buffer, begun, n)
      }
      const result = host.fresh(n)
      result.set(u8.subarray(begun, end))
      return result
    },
  }
}

const dateTime = Date.prototype.getTime
const mapSize = Object.getOwnPropertyDescriptor(Map.prototype, 'size')!.get!
const setSize = Object.getOwnPropertyDescriptor(Set.prototype, 'size')!.get!
const numberOf = Number.prototype.valueOf
const stringOf = String.prototype.valueOf
const booleanOf = Boolean.prototype.valueOf
const bigintOf = BigInt.prototype.valueOf

/** True if a method of a built-in works on a value: tags can be faked, internal slots cannot. */
function isReal(value: object, method: (this: never) => unknown): boolean {
  try {
    ;(method as (this: unknown) => unknown).call(value)
    return true
  } catch {
    return false
  }
}

/** The unit of the first lone surrogate. */
function loneAt(s: string): number {
  for (let i = 0; i < s.length; i++) {
    const c = s.charCodeAt(i)
    if ((c & 0xf800) !== 0xd800) continue
    if ((c & 0x400) === 0 && (s.charCodeAt(i + 1) & 0xfc00) === 0xdc00) i++
    else return i
  }
  return -1
}
