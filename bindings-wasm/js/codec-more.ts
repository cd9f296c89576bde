// What the package can beyond encoding and decoding: everything that `samewire/slim` does without.

import type { Bytes } from './bytes.js'
import { createBase, type BaseCodec, type Compiled } from './codec.js'
import { MSGPACK, type Channel, type Engine, type Failure, type StreamHandle } from './engine.js'
import { SamewireError } from './errors.js'
import { transcodeFiles } from './files.js'
import type { Host } from './host.js'
import { createMaterializer, type Materializer } from './materializer.js'

/** What `about` tells of a place in a view. */
export interface About {
  kind: 'scalar' | 'array' | 'map'
  length: number
  end: number
}

export interface Codec extends BaseCodec {
  transcode(data: Bytes | string, from: number, to: number, options: Compiled): Uint8Array
  /** SHA-256 of the canonical MessagePack. */
  digest(value: unknown, options: Compiled): Uint8Array
  inspect(format: number, data: Bytes | string, options: Compiled): string
  /** Views: `message` was checked by `validate`. */
  viewGo(format: number, message: Uint8Array, at: number, pointer: string, options: Compiled): number
  viewAbout(format: number, message: Uint8Array, at: number, options: Compiled): About
  viewEntries(format: number, message: Uint8Array, at: number, options: Compiled): unknown[]
  viewValue(format: number, message: Uint8Array, at: number, options: Compiled): unknown
  /** Schemas, by handle. */
  schema(document: Uint8Array): number
  freeSchema(schema: number): void
  check(request: [string[], string, string]): unknown
  decodeBy(schema: number, format: number, data: Bytes | string, options: Compiled): unknown
  validateBy(schema: number, format: number, data: Bytes | string, options: Compiled): void
  /** The result is bytes for MessagePack, and for JSON bytes or text. */
  encodeBy(schema: number, format: number, value: unknown, text: boolean, options: Compiled): Uint8Array | string
  transcodeBy(schema: number, data: Bytes | string, from: number, to: number, options: Compiled): Uint8Array
  /** Streams, by handle. */
  stream(format: number, options: Compiled): StreamHandle
  feed(stream: StreamHandle, chunk: Uint8Array): void
  finish(stream: StreamHandle): void
  /** The next value that is complete, and its encoded length; undefined if more chunks are needed, or none is left. */
  next(format: number, stream: StreamHandle, options: Compiled): { value: unknown; byteLength: number } | undefined
  /** The next value that is complete, in another format; undefined as for `next`. */
  transcodeNext(from: number, to: number, stream: StreamHandle, options: Compiled): Uint8Array | undefined
  freeStream(stream: StreamHandle): void
  /** Off the thread, where the engine can; else soon. */
  decodeLater(format: number, data: Bytes | string, options: Compiled): Promise<unknown>
  transcodeLater(data: Bytes | string, from: number, to: number, options: Compiled): Promise<Uint8Array>
  encodeLater(format: number, value: unknown, options: Compiled): Promise<Uint8Array>
  /** From file to file; the number of values. */
  transcodeFiles(source: string, target: string, from: number, to: number, many: boolean, options: Compiled): Promise<number>
}

function isFailure(value: unknown): value is Failure {
  return typeof value === 'object' && value !== null && typeof (value as { code?: unknown }).code === 'number'
}

export function createCodec(engine: Engine, host: Host): Codec {
  const base = createBase(engine, host)
  const { walker, walking, standard, compile, slot, errorOf, failed, load, bytesFrom, relayed, outputOf } = base

  async function later<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (failure) {
      throw isFailure(failure) ? errorOf(failure) : failure
    }
  }

  /** The error in a value of a stream: offsets count from the beginning of the stream. */
  function placed(channel: Channel, stream: StreamHandle): SamewireError {
    const failure = channel.failure()
    return errorOf({ ...failure, offset: failure.offset === undefined ? undefined : failure.offset + engine.streamOffset(stream) })
  }

  /** The session of views, and the message that it has: going through one message loads it once. */
  let viewer: { channel: Channel; materializer: Materializer } | undefined
  let viewed: Uint8Array | undefined

  function viewing(message: Uint8Array): { slot: { channel: Channel; materializer: Materializer }; length: number } {
    if (viewer === undefined) {
      const channel = engine.channel()
      const materializer = createMaterializer(channel, true)
      viewer = { channel, materializer }
      channel.onReborn = () => {
        materializer.reset()
        viewed = undefined
      }
    }
    if (viewer.materializer.busy) throw new SamewireError('invalid-state', 'a view is read by its own hook')
    if (viewer.materializer.pending) viewer.channel.renew()
    if (viewed !== message) {
      viewed = undefined
      viewer.channel.load(message, false)
      viewed = message
    }
    return { slot: viewer, length: message.length }
  }

  const more: Omit<Codec, keyof BaseCodec> = {
    transcode(data, from, to, options) {
      const { channel } = slot(true)
      if (!channel.transcode(from, to, load(channel, from, data, options), options.handle)) failed(channel)
      return outputOf(channel)
    },

    digest(value, options) {
      walker.walk(value, { ...options.relaying, raw: options.walking.raw })
      const { channel } = slot(true)
      const length = channel.load(walker.memory.subarray(walker.start, walker.end), false)
      if (!channel.digest(length, options.handle)) failed(channel)
      return outputOf(channel)
    },

    inspect(format, data, options) {
      const { channel } = slot(true)
      if (!channel.inspect(format, load(channel, format, data, options), options.handle)) failed(channel)
      return channel.outputText()
    },

    viewGo(format, message, at, pointer, options) {
      const { slot, length } = viewing(message)
      if (!slot.channel.viewGo(format, length, at, pointer, options.handle)) failed(slot.channel)
      const place = slot.channel.end()
      return place === 0xffff_ffff ? -1 : place
    },

    viewAbout(format, message, at, options) {
      const { slot, length } = viewing(message)
      if (!slot.channel.viewAbout(format, length, at, options.handle)) failed(slot.channel)
      const words = new Uint32Array(outputOf(slot.channel).buffer)
      return { kind: (['scalar', 'array', 'map'] as const)[words[0]!]!, length: words[1]!, end: words[2]! }
    },

    viewEntries(format, message, at, options) {
      const { slot, length } = viewing(message)
      if (!slot.channel.viewEntries(format, length, at, options.handle)) failed(slot.channel)
      return codec.decode(MSGPACK, outputOf(slot.channel), standard) as unknown[]
    },

    viewValue(format, message, at, options) {
      const { slot, length } = viewing(message)
      slot.materializer.pending = true
      if (!slot.channel.decodeFrom(format, length, at, options.handle)) {
        slot.materializer.define()
        failed(slot.channel)
      }
      return slot.materializer.make(options.making)
    },

    schema(document) {
      const { channel } = slot(true)
      const handle = channel.schema(channel.load(document, false))
      if (handle === 0) failed(channel)
      return handle
    },

    check(request) {
      walker.walk(request, walking)
      const { channel } = slot(true)
      if (!channel.check(channel.load(walker.memory.subarray(walker.start, walker.end), false))) failed(channel)
      return codec.decode(MSGPACK, outputOf(channel), compile({ mapKeys: 'stringify' }))
    },

    freeSchema: (handle) => engine.freeSchema(handle),

    decodeBy(schema, format, data, options) {
      const { channel, materializer } = slot(options.unsafeEval)
      const length = load(channel, format, data, options, options.hooks)
      materializer.pending = true
      if (!channel.decodeBy(schema, format, length, options.handle)) {
        materializer.define()
        failed(channel)
      }
      const value = materializer.make(options.making)
      channel.done()
      return value
    },

    validateBy(schema, format, data, options) {
      const { channel } = slot(true)
      if (!channel.validateBy(schema, format, load(channel, format, data, options), options.handle)) failed(channel)
    },

    encodeBy(schema, format, value, text, options) {
      // Which keys a map may have is the schema's business.
      const walking = { ...options.relaying, mapKeys: 'any' as const }
      walker.walk(value, format === MSGPACK ? { ...walking, raw: options.walking.raw } : walking)
      const { channel } = slot(true)
      const length = channel.load(walker.memory.subarray(walker.start, walker.end), false)
      if (!channel.encodeBy(schema, format, length, options.handle)) failed(channel)
      return text ? channel.outputText() : outputOf(channel)
    },

    transcodeBy(schema, data, from, to, options) {
      const { channel } = slot(true)
      if (!channel.transcodeBy(schema, from, to, load(channel, from, data, options), options.handle)) failed(channel)
      return outputOf(channel)
    },

    stream: (format, options) => engine.stream(format, options.handle),

    feed(stream, chunk) {
      const { channel } = slot(true)
      channel.feed(stream, channel.load(chunk, false))
      channel.done()
    },

    finish: (stream) => engine.finish(stream),

    next(format, stream, options) {
      const { channel, materializer } = slot(options.unsafeEval)
      const byteLength = channel.next(stream)
      if (byteLength === -1) return undefined
      if (byteLength < 0) failed(channel)
      materializer.pending = true
      if (!channel.decode(format, byteLength, options.handle)) {
        materializer.define()
        throw placed(channel, stream)
      }
      const value = materializer.make(options.making)
      channel.done()
      return { value, byteLength }
    },

    transcodeNext(from, to, stream, options) {
      const { channel } = slot(true)
      const byteLength = channel.next(stream)
      if (byteLength === -1) return undefined
      if (byteLength < 0) failed(channel)
      if (!channel.transcode(from, to, byteLength, options.handle)) throw placed(channel, stream)
      return outputOf(channel)
    },

    freeStream: (stream) => engine.freeStream(stream),

    async decodeLater(format, data, options) {
      await undefined
      if (engine.later === undefined) return codec.decode(format, data, options)
      const channel = await later(engine.later.decode(format, bytesFrom(format, data, options), options.handle))
      return createMaterializer(channel, options.unsafeEval).make(options.making)
    },

    async transcodeLater(data, from, to, options) {
      await undefined
      if (engine.later === undefined) return codec.transcode(data, from, to, options)
      return later(engine.later.transcode(from, to, bytesFrom(from, data, options), options.handle))
    },

    async encodeLater(format, value, options) {
      // The value is walked at once, as it is now; what the core makes of that can wait.
      if (engine.later === undefined || (format === MSGPACK && !options.relay)) {
        return format === MSGPACK ? codec.encode(value, options) : codec.stringifyToBytes(value, options)
      }
      walker.walk(value, format === MSGPACK ? { ...options.relaying, raw: options.walking.raw } : options.relaying)
      return later(engine.later.encode(format, walker.memory.subarray(walker.start, walker.end), options.handle))
    },

    async transcodeFiles(source, target, from, to, many, options) {
      if (engine.later !== undefined) return later(engine.later.files(from, to, many, source, target, options.handle))
      const fs = host.files?.()
      if (fs === undefined) throw new SamewireError('invalid-state', 'this runtime has no files')
      return transcodeFiles(codec, fs, { source, target, from, to, many }, options)
    },
  }
  const codec: Codec = Object.assign(base.codec, more)
  return codec
}
