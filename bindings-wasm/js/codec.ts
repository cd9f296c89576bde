// The functions of the package over one engine: sessions, options and errors are managed here. What `samewire/slim` does
// without is in codec-more.ts.

import { bytesOf, typeName, type Bytes } from './bytes.js'
import { JSON_TEXT, MSGPACK, type Channel, type Engine, type Failure, type OptionsHandle, type StreamHandle } from './engine.js'
import { CODES, SamewireError } from './errors.js'
import { Ext, ExtRegistry } from './ext.js'
import { transcodeFiles } from './files.js'
import { isWellFormed, loneSurrogate, toWellFormed, type Host } from './host.js'
import { createMaterializer, type Making, type Materializer } from './materializer.js'
import type { Options } from './options.js'
import { createWalker, type Walker, type Walking } from './walker.js'

/** The formats by name. */
export type Format = 'msgpack' | 'json'

/** Options made ready: parsed once, used for many calls. */
export interface Compiled {
  handle: OptionsHandle
  /** Keeps the handle: the engine's options are freed when nobody holds this. */
  held: Held
  making: Making
  /** For writing MessagePack, and for writing what the core makes the result of. */
  walking: Walking
  relaying: Walking
  /** The core makes MessagePack too. */
  relay: boolean
  pool: boolean
  unsafeEval: boolean
  /** The caller's functions run while values are made. */
  hooks: boolean
}

interface Held {
  readonly handle: OptionsHandle
}
const DEFAULTS: Held = { handle: 0 }

interface Slot {
  channel: Channel
  materializer: Materializer
}

/** Options that the engine never sees. */
const OWN = new Set(['default', 'objectHook', 'extHook', 'ext', 'pool', 'unsafeEval'])
/** Options kept compiled for calls that give them as an object. */
const COMPILED = 64
/** Decoding inside hooks of decoding. */
const NESTED = 128
/** Sessions kept for that. */
const KEPT = 4
const MAX_DEPTH = 512

/** What every build of the package has. */
export interface BaseCodec {
  readonly engine: Engine['kind']
  compile(options: Options | undefined): Compiled
  decode(format: number, data: Bytes | string, options: Compiled): unknown
  decodeFrom(format: number, data: Bytes, start: number, options: Compiled): { value: unknown; end: number }
  encode(value: unknown, options: Compiled): Uint8Array
  /** Writes into `target`; returns the end. */
  encodeInto(format: number, value: unknown, target: Uint8Array, offset: number, options: Compiled): number
  stringify(value: unknown, options: Compiled): string
  stringifyToBytes(value: unknown, options: Compiled): Uint8Array
  validate(format: number, data: Bytes | string, options: Compiled): void
  /** The bytes of an input, not copied; the UTF-8 of text. */
  bytes(format: number, data: Bytes | string, options: Compiled): Uint8Array
}

export function formatNumber(format: Format): number {
  if (format === 'msgpack') return MSGPACK
  if (format === 'json') return JSON_TEXT
  throw new SamewireError('invalid-option', `a format is "msgpack" or "json", not ${typeof format === 'string' ? JSON.stringify(format) : typeName(format)}`)
}

/** The codec of a build, and what codec-more.ts makes the rest of. */
export function createBase(engine: Engine, host: Host) {
  const walker: Walker = createWalker(host)
  /** Sessions with and without generated code. */
  const slots: [Slot[], Slot[]] = [[], []]

  function slot(unsafeEval: boolean): Slot {
    const list = slots[unsafeEval ? 0 : 1]
    for (const slot of list) {
      if (slot.materializer.busy) continue
      if (slot.materializer.pending) slot.channel.renew()
      return slot
    }
    if (list.length >= NESTED) throw new SamewireError('depth-exceeded', `hooks that call back nest deeper than ${NESTED}`)
    const channel = engine.channel()
    const made = { channel, materializer: createMaterializer(channel, unsafeEval) }
    channel.onReborn = () => made.materializer.reset()
    list.push(made)
    return made
  }

  /** After a decode: sessions that only deep nesting needed are freed. */
  function tidy(unsafeEval: boolean): void {
    const list = slots[unsafeEval ? 0 : 1]
    while (list.length > KEPT && !list[list.length - 1]!.materializer.busy) list.pop()!.channel.free()
  }

  function errorOf({ code, offset, path, message }: Failure): SamewireError {
    return new SamewireError(CODES[code] ?? 'invalid-state', message, offset, path)
  }

  function failed(channel: Channel): never {
    throw errorOf(channel.failure())
  }

  const raw = (format: number) => (bytes: Uint8Array): Uint8Array => {
    codec.validate(format, bytes, standard)
    return bytes
  }

  function walkings(maxDepth: number, options: Options): [Walking, Walking] {
    const common = {
      maxDepth,
      replaceSurrogates: options.loneSurrogates === 'replace',
      mapKeys: options.mapKeys ?? 'str',
      default: options.default,
      ext: options.ext,
    }
    return [
      { ...common, relay: false, raw: raw(MSGPACK) },
      { ...common, relay: true, raw: raw(JSON_TEXT) },
    ]
  }

  const [walking, relaying] = walkings(MAX_DEPTH, {})
  const standard: Compiled = {
    handle: 0,
    held: DEFAULTS,
    making: { timestamp: 'native', objectHook: undefined, extHook: undefined, ext: undefined },
    walking,
    relaying,
    relay: false,
    pool: host.pool > 0,
    unsafeEval: true,
    hooks: false,
  }

  const handles = new Map<string, Held>()
  // A Decoder, or a call whose hook runs, may hold options for longer than the table does: they are freed with their
  // last holder.
  const freed = new FinalizationRegistry<OptionsHandle>((handle) => engine.freeOptions(handle))

  /** The engine's options for the entries of an object. */
  function handleOf(settings: Record<string, unknown>): Held {
    let key = ''
    for (const name in settings) {
      const v = settings[name]
      const text = typeof v === 'object' || typeof v === 'function' || typeof v === 'symbol' ? '' : String(v)
      key += `${name}=${typeof v} ${text.length} ${text}\n`
    }
    if (key === '') return DEFAULTS
    const known = handles.get(key)
    if (known !== undefined) return known
    const entries: Record<string, unknown> = {}
    for (const name in settings) {
      const v = settings[name]
      const plain = typeof v === 'string' || typeof v === 'boolean' || (typeof v === 'number' && Number.isSafeInteger(v))
      entries[name] = plain || v === null ? v : new Ext(0, new TextEncoder().encode(typeof v === 'number' ? 'float' : typeName(v)))
    }
    walker.walk(entries, walking)
    const { channel } = slot(true)
    const handle = channel.options(channel.load(walker.memory.subarray(walker.start, walker.end), false))
    if (handle === 0) failed(channel)
    const held = { handle }
    freed.register(held, handle)
    if (handles.size >= COMPILED) handles.delete(handles.keys().next().value!)
    handles.set(key, held)
    return held
  }

  /** For {@link refuseTwins}: made before the walk that may need it, for making options is a walk, too. */
  let twins: Held | undefined

  function hook(options: Options, name: 'default' | 'objectHook' | 'extHook'): void {
    const v: unknown = options[name]
    if (v !== undefined && v !== null && typeof v !== 'function') {
      throw new SamewireError('invalid-option', `option ${name} takes a function, not ${typeName(v)}`)
    }
  }

  function compile(options: Options | undefined): Compiled {
    if (options === undefined) return standard
    if (typeof options !== 'object' || options === null) {
      throw new SamewireError('invalid-option', `options are an object, not ${typeName(options)}`)
    }
    const settings: Record<string, unknown> = {}
    for (const name of Object.keys(options)) {
      const v = (options as Record<string, unknown>)[name]
      if (v !== undefined && !OWN.has(name)) settings[name] = v
    }
    const held = handleOf(settings)
    if (options.mapKeys === 'any' || options.loneSurrogates === 'replace') {
      twins ??= handleOf({ mapKeys: 'any', maxBytes: 0xffff_ffff, maxItems: 0xffff_ffff })
    }
    hook(options, 'default')
    hook(options, 'objectHook')
    hook(options, 'extHook')
    if (options.ext !== undefined && !(options.ext instanceof ExtRegistry)) {
      throw new SamewireError('invalid-option', `option ext takes an ExtRegistry, not ${typeName(options.ext)}`)
    }
    for (const name of ['pool', 'unsafeEval'] as const) {
      const v: unknown = options[name]
      if (v !== undefined && typeof v !== 'boolean') {
        throw new SamewireError('invalid-option', `option ${name} takes true or false, not ${typeName(v)}`)
      }
    }
    if (options.timestamp === 'temporal' && (globalThis as { Temporal?: unknown }).Temporal === undefined) {
      throw new SamewireError('invalid-option', 'option timestamp: this runtime has no Temporal')
    }
    const [walking, relaying] = walkings(options.maxDepth ?? MAX_DEPTH, options)
    return {
      handle: held.handle,
      held,
      making: {
        timestamp: options.timestamp === 'temporal' ? 'temporal' : 'native',
        objectHook: options.objectHook ?? undefined,
        extHook: options.extHook ?? undefined,
        ext: options.ext,
      },
      walking,
      relaying,
      relay:
        options.canonical === true || options.sortKeys === true || options.omitNull === true || options.mapKeys === 'stringify',
      pool: options.pool ?? host.pool > 0,
      unsafeEval: options.unsafeEval !== false,
      hooks: (options.objectHook ?? options.extHook ?? options.ext) !== undefined,
    }
  }

  /** Makes data the input of a channel. */
  function load(channel: Channel, format: number, data: Bytes | string, options: Compiled, keep = false): number {
    if (typeof data !== 'string') return channel.load(data instanceof Uint8Array && data.length > 0 ? data : bytesOf(data), keep)
    return channel.loadText(textOf(format, data, options))
  }

  function textOf(format: number, text: string, options: Compiled): string {
    if (format === MSGPACK) throw new SamewireError('unsupported-type', 'MessagePack is bytes, not a string')
    return isWellFormed(text) ? text : mended(text, options)
  }

  function bytesFrom(format: number, data: Bytes | string, options: Compiled): Uint8Array {
    return typeof data === 'string' ? host.utf8(textOf(format, data, options)) : bytesOf(data)
  }

  function mended(text: string, { walking }: Compiled): string {
    if (walking.replaceSurrogates) return toWellFormed(text)
    throw new SamewireError('lone-surrogate', 'the text has half of a surrogate pair', loneSurrogate(text))
  }

  /** Walks a value and lets the core make the result, which is the channel's output. */
  function relayed(format: number, value: unknown, options: Compiled): Channel {
    walker.walk(value, format === MSGPACK ? { ...options.relaying, raw: options.walking.raw } : options.relaying)
    const { channel } = slot(true)
    const length = channel.load(walker.memory.subarray(walker.start, walker.end), false)
    if (!channel.encode(format, length, options.handle)) failed(channel)
    return channel
  }

  /** Keys that JavaScript tells apart may be the same on the wire: the core's reader finds them. */
  function refuseTwins(): void {
    const { channel } = slot(true)
    const length = channel.load(walker.memory.subarray(walker.start, walker.end), false)
    if (channel.validate(MSGPACK, length, twins!.handle)) return
    throw errorOf({ ...channel.failure(), offset: undefined })
  }

  function outputOf(channel: Channel): Uint8Array {
    const result = new Uint8Array(channel.outputLength())
    channel.output(result, 0)
    return result
  }

  const codec: BaseCodec = {
    engine: engine.kind,
    compile,

    decode(format, data, options) {
      const { channel, materializer } = slot(options.unsafeEval)
      const length = load(channel, format, data, options, options.hooks)
      materializer.pending = true
      if (!channel.decode(format, length, options.handle)) {
        materializer.define()
        failed(channel)
      }
      const value = materializer.make(options.making)
      channel.done()
      if (slots[0].length > KEPT || slots[1].length > KEPT) tidy(options.unsafeEval)
      return value
    },

    decodeFrom(format, data, start, options) {
      const { channel, materializer } = slot(options.unsafeEval)
      const length = load(channel, format, data, options, options.hooks)
      if (!Number.isInteger(start) || start < 0) {
        throw new SamewireError('invalid-option', `an offset is a non-negative integer, not ${String(start)}`)
      }
      materializer.pending = true
      if (!channel.decodeFrom(format, length, Math.min(start, 0xffff_ffff), options.handle)) {
        materializer.define()
        failed(channel)
      }
      const end = channel.end()
      const value = materializer.make(options.making)
      channel.done()
      return { value, end }
    },

    encode(value, options) {
      if (options.relay) return outputOf(relayed(MSGPACK, value, options))
      walker.walk(value, options.walking)
      if (walker.doubtful) refuseTwins()
      return walker.take(options.pool)
    },

    encodeInto(format, value, target, offset, options) {
      if (!(target instanceof Uint8Array)) {
        throw new SamewireError('unsupported-type', `a target is a Uint8Array, not ${typeName(target)}`)
      }
      if (!Number.isInteger(offset) || offset < 0 || offset > target.length) {
        throw new SamewireError('buffer-too-small', `offset ${String(offset)} is outside a target of ${target.length} bytes`)
      }
      const room = (n: number): void => {
        if (n > target.length - offset) {
          throw new SamewireError('buffer-too-small', `the result has ${n} bytes, the target ${target.length - offset} from offset ${offset}`)
        }
      }
      if (format === MSGPACK && !options.relay) {
        walker.walk(value, options.walking)
        if (walker.doubtful) refuseTwins()
        const n = walker.end - walker.start
        room(n)
        target.set(walker.memory.subarray(walker.start, walker.end), offset)
        return offset + n
      }
      const channel = relayed(format, value, options)
      const n = channel.outputLength()
      room(n)
      channel.output(target, offset)
      return offset + n
    },

    stringify(value, options) {
      return relayed(JSON_TEXT, value, options).outputText()
    },

    stringifyToBytes(value, options) {
      return outputOf(relayed(JSON_TEXT, value, options))
    },

    validate(format, data, options) {
      const { channel } = slot(true)
      if (!channel.validate(format, load(channel, format, data, options), options.handle)) failed(channel)
    },

    bytes: bytesFrom,
  }
  return { codec, walker, walking, standard, compile, slot, errorOf, failed, load, bytesFrom, relayed, outputOf }
}
