// Makes JavaScript's values of a tape (core/src/tape/mod.rs describes it). Knows no format and no policy.
//
// Nearly all of a decode's time is spent here, so its form follows measurements in V8, SpiderMonkey and
// JavaScriptCore: docs/javascript.md gives them.

import { Ext, type ExtRegistry } from './ext.js'
import { Timestamp } from './timestamp.js'
import { SamewireError } from './errors.js'
import type { Channel } from './engine.js'
import { decoder, mayEvaluate } from './host.js'
import { BUILDERS } from './builders.js'

/** What a call wants made of what the tape has. */
export interface Making {
  timestamp: 'native' | 'temporal'
  objectHook: ((object: Record<string, unknown>) => unknown) | undefined
  extHook: ((type: number, data: Uint8Array) => unknown) | undefined
  ext: ExtRegistry | undefined
}

/** State that generated and unrolled constructors share with the materializer. */
export interface State {
  /** Position in the words. */
  p: number
  /** Position in the piece of the ASCII pool, which is `A`. */
  ap: number
  /** Position in the floats. */
  fp: number
  A: string
  T: Int32Array
  F: Float64Array
  /** The pool is so small that its strings are made from bytes, one by one. */
  small: boolean
}

type Rest = (word: number) => unknown
type Shape = () => Record<string, unknown>

const ASCII_SEGMENT = 8192
const WIDE_SEGMENT = 4096
/** Up to this size of the pool, strings are made from bytes: one decoding call costs more. */
const SMALL_POOL = 24
/** Objects of a shape before it gets a constructor of its own, and the share of all that it must have. */
const HOT = 40
const SHARE = 64
/** Constructors of their own: more would only compete for the compilers' caches. */
const GENERATED = 64
/** Above this many keys a straight line gains nothing. */
const LINE = 24
/** Above this length `new Array(n)` makes a dictionary. */
const ARRAY_AT_ONCE = 1 << 24

const END = (12 << 4) | 15
const fromCharCode = String.fromCharCode

/** Kinds of fields, guessed from what was seen. */
const enum Kind { Unseen, Number, Text, Bool, Other }

export interface Materializer {
  /** True while values are made: hooks may run, and they may call back. */
  readonly busy: boolean
  /**
   * Set before a call that reads, and taken back when both sides agree again on what is defined. Where it is still set
   * at the next call, an exception came in between (the stack was used up): the session is to begin anew.
   */
  pending: boolean
  /** Makes the value of the tape that the channel's last call left. */
  make(making: Making): unknown
  /** Takes in the definitions of a call that failed. */
  define(): void
  /** The engine's side of the shared state is gone. */
  reset(): void
}

const DEFAULT: Making = { timestamp: 'native', objectHook: undefined, extHook: undefined, ext: undefined }

export function createMaterializer(channel: Channel, unsafeEval: boolean): Materializer {
  const S: State = { p: 0, ap: 0, fp: 0, A: '', T: channel.T, F: channel.F, small: false }
  const known: string[] = new Array<string>(2048).fill('')
  let keys: string[] = []
  let shapes: Shape[] = []
  let generated = 0
  let objects = 0
  let evaluate = unsafeEval ? undefined : false
  let I = channel.I
  let U = channel.U
  let wide = ''
  let wideAt = 0
  let segment = 0
  let wideSegment = 0
  let making = DEFAULT
  let hook: Making['objectHook']
  let busy = false

  /** A short string of bytes: flat, so that it keeps nothing else alive. */
  function flat(n: number): string {
    const b = channel.A
    let i = channel.a + S.ap
    S.ap += n
    switch (n) {
      case 0: return ''
      case 1: return fromCharCode(b[i]!)
      case 2: return fromCharCode(b[i]!, b[i + 1]!)
      case 3: return fromCharCode(b[i]!, b[i + 1]!, b[i + 2]!)
      case 4: return fromCharCode(b[i]!, b[i + 1]!, b[i + 2]!, b[i + 3]!)
      case 5: return fromCharCode(b[i]!, b[i + 1]!, b[i + 2]!, b[i + 3]!, b[i + 4]!)
      case 6: return fromCharCode(b[i]!, b[i + 1]!, b[i + 2]!, b[i + 3]!, b[i + 4]!, b[i + 5]!)
      case 7: return fromCharCode(b[i]!, b[i + 1]!, b[i + 2]!, b[i + 3]!, b[i + 4]!, b[i + 5]!, b[i + 6]!)
    }
    let s = ''
    for (; n >= 8; i += 8, n -= 8) {
      s += fromCharCode(b[i]!, b[i + 1]!, b[i + 2]!, b[i + 3]!, b[i + 4]!, b[i + 5]!, b[i + 6]!, b[i + 7]!)
    }
    for (; n >= 4; i += 4, n -= 4) s += fromCharCode(b[i]!, b[i + 1]!, b[i + 2]!, b[i + 3]!)
    for (; n > 0; i++, n--) s += fromCharCode(b[i]!)
    return s
  }

  function value(): unknown {
    const w = S.T[S.p++]!
    return (w & 1) === 0 ? w >> 1 : rest(w)
  }

  /** Any word; the commonest are served where it was read. */
  function rest(w: number): unknown {
    if ((w & 1) === 0) return w >> 1
    switch ((w >> 1) & 7) {
      case 0: return w === 1 ? null : w === 33
      case 1: return S.F[S.fp++]
      case 2: {
        const n = w >>> 4
        if (S.small) return flat(n)
        const from = S.ap
        return S.A.substring(from, (S.ap = from + n))
      }
      case 3: {
        const from = wideAt
        return wide.substring(from, (wideAt = from + (w >>> 4)))
      }
      case 4: return known[w >>> 4]
      case 5: return array(w >>> 4)
      case 6: {
        const object = shapes[w >>> 4]!()
        return hook === undefined ? object : hook(object)
      }
      default: return more(w)
    }
  }

  function array(n: number): unknown[] {
    if (n > ARRAY_AT_ONCE) {
      const a: unknown[] = []
      for (let i = 0; i < n; i++) a.push(value())
      return a
    }
    const a = new Array<unknown>(n)
    for (let i = 0; i < n; i++) {
      const w = S.T[S.p++]!
      a[i] = (w & 1) === 0 ? w >> 1 : rest(w)
    }
    return a
  }

  function floats(n: number): number[] {
    const F = S.F
    let f = S.fp
    S.fp += n
    if (n <= 4 || n > ARRAY_AT_ONCE) {
      const a: number[] = []
      for (let i = 0; i < n; i++) a.push(F[f++]!)
      return a
    }
    const a = new Array<number>(n)
    // The first store makes the array one of doubles; without it the engine would box each.
    a[0] = 0.5
    for (let i = 0; i < n; i++) a[i] = F[f + i]!
    return a
  }

  function more(w: number): unknown {
    const T = S.T
    const payload = w >>> 8
    switch ((w >> 4) & 15) {
      case 0: return I[S.fp++]
      case 1: return U[S.fp++]
      case 2: return bigint(channel.text(payload, T[S.p++]!, T[S.p++]!, true))
      case 3: return channel.bytes(payload, T[S.p++]! >>> 0, T[S.p++]! >>> 0)
      case 4: return ext((payload << 16) >> 24, channel.bytes(payload & 1, T[S.p++]! >>> 0, T[S.p++]! >>> 0))
      case 5: return time(T[S.p++]!, S.F[S.fp++]!)
      case 6: return (known[payload] = flatOrCut(T[S.p++]!))
      case 7: return channel.text(payload, T[S.p++]! >>> 0, T[S.p++]! >>> 0, true)
      case 8: return channel.text(payload, T[S.p++]! >>> 0, T[S.p++]! >>> 0, false)
      case 9: return floats(T[S.p++]!)
      case 10: {
        const object = shapes[payload]!()
        while (S.T[S.p] !== END) {
          const key = value() as string
          set(object, key, value())
        }
        S.p++
        return hook === undefined ? object : hook(object)
      }
      case 11: {
        const map = new Map<unknown, unknown>()
        while (S.T[S.p] !== END) {
          const key = value()
          map.set(key, value())
        }
        S.p++
        return map
      }
      case 13: {
        if (payload === 0) {
          segment++
          const from = segment * ASCII_SEGMENT
          S.A = channel.ascii(from, Math.min(from + ASCII_SEGMENT, channel.asciiLength))
          S.ap = 0
        } else {
          wideSegment++
          const from = wideSegment * WIDE_SEGMENT
          wide = channel.wide(from, Math.min(from + WIDE_SEGMENT, channel.wideLength))
          wideAt = 0
        }
        return value()
      }
      case 14: return array(T[S.p++]! >>> 0)
    }
    throw new SamewireError('invalid-state', 'the tape has an unknown word: the package and its engine are of different versions')
  }

  /** A string that is remembered must not keep its segment alive. */
  function flatOrCut(n: number): string {
    if (S.small) return flat(n)
    const base = segment * ASCII_SEGMENT
    const at = S.ap
    S.ap = base + at
    const s = flat(n)
    S.ap = at + n
    return s
  }

  function bigint(digits: string): bigint {
    try {
      return BigInt(digits)
    } catch (cause) {
      throw new SamewireError('integer-out-of-range', `an integer of ${digits.length} digits is beyond BigInt here`, undefined, '', { cause })
    }
  }

  function ext(type: number, data: Uint8Array): unknown {
    const decode = making.ext?.decoder(type)
    if (decode !== undefined) return decode(data)
    if (making.extHook !== undefined) return making.extHook(type, data)
    return new Ext(type, data)
  }

  function time(nanoseconds: number, seconds: number): unknown {
    if (making.timestamp === 'temporal') return temporal(seconds, nanoseconds)
    if (nanoseconds % 1_000_000 === 0) return new Date(seconds * 1000 + nanoseconds / 1_000_000)
    return new Timestamp(seconds, nanoseconds)
  }

  function set(object: Record<string, unknown>, key: string, v: unknown): void {
    if (key === '__proto__') Object.defineProperty(object, key, { value: v, writable: true, enumerable: true, configurable: true })
    else object[key] = v
  }

  // ---- keys and shapes

  /**
   * The engine's own string of a key. A string that a decoder made is not one, and SpiderMonkey looks it up anew at
   * every store, which takes half the time of a decode; what `for in` gives is.
   */
  function atom(key: string): string {
    if (key === '__proto__') return key
    const object: Record<string, number> = {}
    object[key] = 0
    for (const own in object) return own
    return key
  }

  function define(): void {
    const D = channel.D
    let i = channel.d
    const end = i + channel.definitions
    while (i < end) {
      switch (D[i++]) {
        case 0: {
          const id = D[i++]!
          const n = D[i++]!
          keys[id] = atom(decoder.decode(new Uint8Array(D.buffer, D.byteOffset + i * 4, n)))
          i += (n + 3) >> 2
          break
        }
        case 1: {
          const id = D[i++]!
          const n = D[i++]!
          const names = new Array<string>(n)
          for (let k = 0; k < n; k++) names[k] = keys[D[i++]!]!
          shapes[id] = shape(id, names)
          break
        }
        default:
          keys = []
          shapes = []
          generated = 0
      }
    }
  }

  function shape(id: number, names: string[]): Shape {
    const n = names.length
    if (n === 0) return () => ({})
    if (names.includes('__proto__')) {
      return () => {
        const o: Record<string, unknown> = {}
        for (let i = 0; i < n; i++) set(o, names[i]!, value())
        return o
      }
    }
    let seen = 0
    let born = objects
    const kinds = new Uint8Array(n)
    function plain(): Record<string, unknown> {
      const o: Record<string, unknown> = {}
      for (let i = 0; i < n; i++) {
        const w = S.T[S.p++]!
        o[names[i]!] = (w & 1) === 0 ? w >> 1 : rest(w)
      }
      return o
    }
    return function first(): Record<string, unknown> {
      if (generated >= GENERATED) {
        shapes[id] = plain
        return plain()
      }
      objects++
      const o: Record<string, unknown> = {}
      for (let i = 0; i < n; i++) {
        const w = S.T[S.p++]!
        kinds[i] = kindOf(w)
        o[names[i]!] = (w & 1) === 0 ? w >> 1 : rest(w)
      }
      if (++seen >= HOT) {
        if (objects - born > HOT * SHARE) {
          seen = 0
          born = objects
        } else shapes[id] = own(names, kinds) ?? plain
      }
      return o
    }
  }

  /** A constructor of a shape's own, whose stores see that shape only. */
  function own(names: string[], kinds: Uint8Array): Shape | undefined {
    evaluate ??= mayEvaluate()
    if (!evaluate) {
      if (generated >= BUILDERS.length) return undefined
      return BUILDERS[generated++]!(S, rest, names)
    }
    if (names.length > LINE) return undefined
    generated++
    return generate(names, kinds)
  }

  /** Straight-line code for a shape: fields are read by the kind that was seen, and by `rest` where that is wrong. */
  function generate(names: string[], kinds: Uint8Array): Shape {
    let body = ''
    names.forEach((_, i) => {
      const slow = `{S.p=p;S.ap=ap;S.fp=fp;v${i}=rest(w);p=S.p;ap=S.ap;fp=S.fp;A=S.A}`
      body += `w=T[p++];let v${i};`
      switch (kinds[i] as Kind) {
        case Kind.Number: body += `if((w&1)===0)v${i}=w>>1;else if(w===3)v${i}=F[fp++];else${slow}`; break
        case Kind.Text: body += `if((w&15)===5&&!S.small)v${i}=A.substring(ap,ap+=w>>>4);else if((w&15)===9)v${i}=known[w>>>4];else${slow}`; break
        case Kind.Bool: body += `if(w===33)v${i}=true;else if(w===17)v${i}=false;else${slow}`; break
        default: body += slow
      }
      body += '\n'
    })
    const literal = names.map((name, i) => `${JSON.stringify(name)}:v${i}`).join(',')
    const source = `return function(){let p=S.p,ap=S.ap,fp=S.fp,w=0,A=S.A;const T=S.T,F=S.F\n${body}S.p=p;S.ap=ap;S.fp=fp;return{${literal}}}`
    return (new Function('S', 'rest', 'known', source) as (s: State, r: Rest, k: string[]) => Shape)(S, rest, known)
  }

  const materializer: Materializer = {
    get busy() {
      return busy
    },
    pending: false,
    make(with_) {
      if (channel.definitions > 0) define()
      S.ap = 0
      if (with_.objectHook === undefined && with_.extHook === undefined && with_.ext === undefined) {
        S.T = channel.T
        S.F = channel.F
        I = channel.I
        U = channel.U
        S.p = channel.t
        S.fp = channel.f
      } else {
        // A hook may call back, memory may grow, and the constructors hold on to their arrays.
        S.T = channel.T.slice(channel.t, channel.t + channel.words)
        S.F = channel.F.slice(channel.f, channel.f + channel.floats)
        I = new BigInt64Array(S.F.buffer)
        U = new BigUint64Array(S.F.buffer)
        S.p = S.fp = 0
      }
      segment = wideSegment = wideAt = 0
      making = with_
      hook = with_.objectHook
      const n = channel.asciiLength
      S.small = n <= SMALL_POOL
      S.A = n > SMALL_POOL ? channel.ascii(0, Math.min(n, ASCII_SEGMENT)) : ''
      if (channel.wideLength > 0) wide = channel.wide(0, Math.min(channel.wideLength, WIDE_SEGMENT))
      busy = true
      try {
        const made = value()
        materializer.pending = false
        return made
      } catch (error) {
        channel.forget()
        materializer.pending = false
        throw error
      } finally {
        busy = false
        // Nothing of the message is kept.
        S.A = wide = ''
        making = DEFAULT
      }
    },
    define() {
      define()
      materializer.pending = false
    },
    reset() {
      keys = []
      shapes = []
      generated = 0
      materializer.pending = false
    },
  }
  return materializer
}

function kindOf(w: number): Kind {
  if ((w & 1) === 0) return Kind.Number
  switch (w & 15) {
    case 1: return w === 1 ? Kind.Other : Kind.Bool
    case 3: return Kind.Number
    case 5: case 9: return Kind.Text
    case 15: return ((w >> 4) & 15) === 6 ? Kind.Text : Kind.Other
    default: return Kind.Other
  }
}

function temporal(seconds: number, nanoseconds: number): unknown {
  const { Temporal } = globalThis as unknown as { Temporal: { Instant: { fromEpochNanoseconds(n: bigint): unknown } } }
  return Temporal.Instant.fromEpochNanoseconds(BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds))
}

