// The native engine: the same sessions behind Node-API (bindings-node). Input stays where the caller has it.

import { SamewireError, STACK_USED_UP } from './errors.js'
import type { Channel, Engine, Failure, OptionsHandle, StreamHandle } from './engine.js'
import type { Host, NodeBuffer } from './host.js'

/** What the addon exports. */
export interface Addon {
  channel(): number
  free(channel: number): void
  header(channel: number): ArrayBuffer
  areas(channel: number): ArrayBuffer[]
  forget(channel: number): void
  decode(channel: number, format: number, bytes: Uint8Array, options: number): number
  decodeFrom(channel: number, format: number, bytes: Uint8Array, start: number, options: number): number
  end(channel: number): number
  validate(channel: number, format: number, bytes: Uint8Array, options: number): number
  transcode(channel: number, from: number, to: number, bytes: Uint8Array, options: number): number
  encode(channel: number, to: number, bytes: Uint8Array, options: number): number
  digest(channel: number, bytes: Uint8Array, options: number): number
  options(channel: number, bytes: Uint8Array): number
  freeOptions(options: number): void
  failure(channel: number): Refusal
  outputLength(channel: number): number
  output(channel: number, target: Uint8Array, offset: number): void
  outputText(channel: number): string
  schema(channel: number, bytes: Uint8Array): number
  freeSchema(schema: number): void
  check(channel: number, request: Uint8Array): number
  decodeBy(channel: number, schema: number, format: number, bytes: Uint8Array, options: number): number
  validateBy(channel: number, schema: number, format: number, bytes: Uint8Array, options: number): number
  encodeBy(channel: number, schema: number, to: number, bytes: Uint8Array, options: number): number
  transcodeBy(channel: number, schema: number, from: number, to: number, bytes: Uint8Array, options: number): number
  inspect(channel: number, format: number, bytes: Uint8Array, options: number): number
  viewGo(channel: number, format: number, bytes: Uint8Array, at: number, pointer: Uint8Array, options: number): number
  viewAbout(channel: number, format: number, bytes: Uint8Array, at: number, options: number): number
  viewEntries(channel: number, format: number, bytes: Uint8Array, at: number, options: number): number
  stream(format: number, options: number): number
  freeStream(stream: number): void
  feed(stream: number, bytes: Uint8Array): void
  finish(stream: number): void
  next(channel: number, stream: number): number
  take(stream: number, target: Uint8Array): void
  streamOffset(stream: number): number
  transcodeLater(from: number, to: number, bytes: Uint8Array, options: number): Promise<ArrayBuffer>
  decodeLater(format: number, bytes: Uint8Array, options: number): Promise<ArrayBuffer[]>
  encodeLater(to: number, bytes: Uint8Array, options: number): Promise<ArrayBuffer>
  /** The paths each end in a zero byte. */
  transcodeFiles(from: number, to: number, many: number, paths: Uint8Array, options: number): Promise<number>
  /** Runs the command line with arguments that each end in a zero byte; its exit code. */
  command(typed: Uint8Array): number
}

/** code, offset or −1, path, message */
type Refusal = [number, number, string, string]
/** What the file system refused: −1, Node's name for why, path, message. */
type FileRefusal = [-1, string, string, string]

// Words of the header, as `leave` in bindings-node/src/calls.rs writes them.
const HEADER = { generation: 1, words: 2, floats: 3, ascii: 4, wide: 5, definitions: 6 } as const

const NOTHING = new Uint8Array(0)
const SCRATCH = 1 << 16
/** Memory of a tape that is kept for the next message. */
const KEEP = 1 << 26

/** The part of a channel that the materializer reads, over ArrayBuffers in the order in which the tape has its areas. */
class Areas {
  onReborn: (() => void) | undefined
  T!: Int32Array
  F!: Float64Array
  I!: BigInt64Array
  U!: BigUint64Array
  A!: Uint8Array
  D!: Int32Array
  readonly t = 0
  readonly f = 0
  readonly a = 0
  readonly d = 0
  words = 0
  floats = 0
  asciiLength = 0
  wideLength = 0
  definitions = 0
  protected input: Uint8Array = NOTHING
  #ascii!: NodeBuffer
  #wide!: NodeBuffer
  #bytes!: NodeBuffer

  constructor(protected readonly host: Host) {}

  protected adopt([words, floats, ascii, wide, bytes, definitions]: ArrayBuffer[]): void {
    this.T = new Int32Array(words!)
    const whole = floats!.byteLength >>> 3
    this.F = new Float64Array(floats!, 0, whole)
    this.I = new BigInt64Array(floats!, 0, whole)
    this.U = new BigUint64Array(floats!, 0, whole)
    this.A = new Uint8Array(ascii!)
    this.#ascii = this.host.buffer!(ascii!)
    this.#wide = this.host.buffer!(wide!)
    this.#bytes = this.host.buffer!(bytes!)
    this.D = new Int32Array(definitions!)
  }

  ascii(from: number, to: number): string {
    return this.#ascii.latin1Slice(from, to)
  }

  wide(from: number, to: number): string {
    return this.#wide.ucs2Slice(from * 2, to * 2)
  }

  #place(place: number): Uint8Array {
    return place === 0 ? this.input : this.#bytes
  }

  text(place: number, offset: number, length: number, ascii: boolean): string {
    // Methods of Buffer work on any Uint8Array.
    const b = this.#bytes
    const slice = ascii ? b.latin1Slice : b.utf8Slice
    return slice.call(this.#place(place), offset, offset + length)
  }

  bytes(place: number, offset: number, length: number): Uint8Array {
    const result = new Uint8Array(length)
    result.set(this.#place(place).subarray(offset, offset + length))
    return result
  }

  forget(): void {}
}

class NativeChannel extends Areas implements Channel {
  #channel = 0
  #header!: Int32Array
  #generation = -1
  /** For the values of streams, unless they are large. */
  #scratch: Uint8Array | undefined

  constructor(
    readonly addon: Addon,
    host: Host,
  ) {
    super(host)
    this.#open()
  }

  #open(): void {
    this.#channel = this.addon.channel()
    this.#header = new Int32Array(this.addon.header(this.#channel))
    this.#generation = -1
    this.adopt(this.addon.areas(this.#channel))
  }

  #left(status: number): boolean {
    const h = this.#header
    if (h[HEADER.generation] !== this.#generation) {
      this.#generation = h[HEADER.generation]!
      this.adopt(this.addon.areas(this.#channel))
    }
    this.words = h[HEADER.words]! >>> 2
    this.floats = h[HEADER.floats]! >>> 3
    this.asciiLength = h[HEADER.ascii]!
    this.wideLength = h[HEADER.wide]! >>> 1
    this.definitions = h[HEADER.definitions]! >>> 2
    return status === 0
  }

  #call(call: () => number): boolean {
    let status: number
    try {
      status = call()
    } catch (cause) {
      throw exhausted(cause)
    }
    return this.#left(status)
  }

  #made(make: () => number): number {
    try {
      return make()
    } catch (cause) {
      throw exhausted(cause)
    }
  }

  load(bytes: Uint8Array, keep: boolean): number {
    if (bytes.length > 0xffff_ffff) throw new SamewireError('input-too-large', `an input of ${bytes.length} bytes is beyond 4 GiB`)
    // What another thread may change while it is read, or a hook may change before it is made, is copied.
    this.input = keep || !(bytes.buffer instanceof ArrayBuffer) ? Uint8Array.from(bytes) : bytes
    return bytes.length
  }

  loadText(text: string): number {
    this.input = this.host.utf8(text)
    return this.input.length
  }

  decode(format: number, _length: number, options: OptionsHandle): boolean {
    let status: number
    try {
      status = this.addon.decode(this.#channel, format, this.input, options)
    } catch (cause) {
      throw exhausted(cause)
    }
    return this.#left(status)
  }

  decodeFrom(format: number, _length: number, start: number, options: OptionsHandle): boolean {
    return this.#call(() => this.addon.decodeFrom(this.#channel, format, this.input, start, options))
  }

  validate(format: number, _length: number, options: OptionsHandle): boolean {
    return this.#call(() => this.addon.validate(this.#channel, format, this.input, options))
  }

  transcode(from: number, to: number, _length: number, options: OptionsHandle): boolean {
    return this.#call(() => this.addon.transcode(this.#channel, from, to, this.input, options))
  }

  encode(to: number, _length: number, options: OptionsHandle): boolean {
    return this.#call(() => this.addon.encode(this.#channel, to, this.input, options))
  }

  digest(_length: number, options: OptionsHandle): boolean {
    return this.#call(() => this.addon.digest(this.#channel, this.input, options))
  }

  decodeBy(schema: number, format: number, _length: number, options: OptionsHandle): boolean {
    return this.#call(() => this.addon.decodeBy(this.#channel, schema, format, this.input, options))
  }

  validateBy(schema: number, format: number, _length: number, options: OptionsHandle): boolean {
    return this.#call(() => this.addon.validateBy(this.#channel, schema, format, this.input, options))
  }

  encodeBy(schema: number, to: number, _length: number, options: OptionsHandle): boolean {
    return this.#call(() => this.addon.encodeBy(this.#channel, schema, to, this.input, options))
  }

  transcodeBy(schema: number, from: number, to: number, _length: number, options: OptionsHandle): boolean {
    return this.#call(() => this.addon.transcodeBy(this.#channel, schema, from, to, this.input, options))
  }

  schema(_length: number): number {
    return this.#made(() => this.addon.schema(this.#channel, this.input))
  }

  check(_length: number): boolean {
    return this.#call(() => this.addon.check(this.#channel, this.input))
  }

  inspect(format: number, _length: number, options: OptionsHandle): boolean {
    return this.#call(() => this.addon.inspect(this.#channel, format, this.input, options))
  }

  viewGo(format: number, _length: number, at: number, pointer: string, options: OptionsHandle): boolean {
    const bytes = this.host.utf8(pointer)
    return this.#call(() => this.addon.viewGo(this.#channel, format, this.input, at, bytes, options))
  }

  viewAbout(format: number, _length: number, at: number, options: OptionsHandle): boolean {
    return this.#call(() => this.addon.viewAbout(this.#channel, format, this.input, at, options))
  }

  viewEntries(format: number, _length: number, at: number, options: OptionsHandle): boolean {
    return this.#call(() => this.addon.viewEntries(this.#channel, format, this.input, at, options))
  }

  feed(stream: StreamHandle, _length: number): void {
    this.#call(() => (this.addon.feed(stream, this.input), 0))
  }

  next(stream: StreamHandle): number {
    const length = this.addon.next(this.#channel, stream)
    if (length < 0) return length
    if (length <= SCRATCH) {
      this.#scratch ??= new Uint8Array(SCRATCH)
      this.input = this.#scratch.subarray(0, length)
    } else this.input = new Uint8Array(length)
    this.addon.take(stream, this.input)
    return length
  }

  options(_length: number): OptionsHandle {
    return this.#made(() => this.addon.options(this.#channel, this.input))
  }

  end(): number {
    return this.addon.end(this.#channel)
  }

  outputLength(): number {
    return this.addon.outputLength(this.#channel)
  }

  output(target: Uint8Array, offset: number): void {
    this.addon.output(this.#channel, target, offset)
  }

  outputText(): string {
    if (this.outputLength() > LONGEST_STRING) {
      throw new SamewireError('input-too-large', `a text of ${this.outputLength()} bytes is longer than a string can be`)
    }
    return this.addon.outputText(this.#channel)
  }

  override forget(): void {
    this.addon.forget(this.#channel)
  }

  failure(): Failure {
    return failureOf(this.addon.failure(this.#channel))
  }

  done(): void {
    this.input = NOTHING
    // What a large message needed is given back.
    if (this.T.byteLength + this.F.byteLength + this.A.byteLength > KEEP) this.renew()
  }

  renew(): void {
    const old = this.#channel
    this.#open()
    this.addon.free(old)
    this.onReborn?.()
  }

  free(): void {
    this.addon.free(this.#channel)
  }
}

/** A tape that was written elsewhere: to be read once. */
class Snapshot extends Areas {
  constructor(host: Host, input: Uint8Array, areas: ArrayBuffer[]) {
    super(host)
    this.input = input
    this.adopt(areas)
    this.words = areas[0]!.byteLength >>> 2
    this.floats = areas[1]!.byteLength >>> 3
    this.asciiLength = areas[2]!.byteLength
    this.wideLength = areas[3]!.byteLength >>> 1
    this.definitions = areas[5]!.byteLength >>> 2
  }
}

/** What an exception of the addon means: no room on the stack, or no memory. */
function exhausted(cause: unknown): unknown {
  if (cause instanceof RangeError) return cause
  const { code } = cause as { code?: string }
  if (code === 'STACK') return new SamewireError('depth-exceeded', STACK_USED_UP, undefined, '', { cause })
  return new SamewireError('input-too-large', 'the message needs more memory than there is', undefined, '', { cause })
}

async function settled<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise
  } catch (error) {
    if (!Array.isArray(error)) throw error
    if (error[0] === -1) {
      const [, code, path, message] = error as FileRefusal
      throw Object.assign(new Error(message), { code, path })
    }
    throw failureOf(error as Refusal)
  }
}

function failureOf([code, offset, path, message]: Refusal): Failure {
  return { code, offset: offset < 0 ? undefined : offset, path, message }
}

/** V8's longest string. */
const LONGEST_STRING = 0x1fff_ffe8

export function nativeEngine(addon: Addon, host: Host): Engine {
  return {
    kind: 'native',
    channel: () => new NativeChannel(addon, host),
    freeOptions: (handle) => addon.freeOptions(handle),
    freeSchema: (handle) => addon.freeSchema(handle),
    stream: (format, options) => addon.stream(format, options),
    finish: (stream) => addon.finish(stream),
    streamOffset: (stream) => addon.streamOffset(stream),
    freeStream: (stream) => addon.freeStream(stream),
    later: {
      // The bytes are the job's own: nobody changes them while it runs.
      async transcode(from, to, bytes, options) {
        return new Uint8Array(await settled(addon.transcodeLater(from, to, Uint8Array.from(bytes), options)))
      },
      async encode(to, walked, options) {
        return new Uint8Array(await settled(addon.encodeLater(to, Uint8Array.from(walked), options)))
      },
      files: (from, to, many, source, target, options) =>
        settled(addon.transcodeFiles(from, to, many ? 1 : 0, host.utf8(`${source}\0${target}\0`), options)),
      async decode(format, bytes, options) {
        const own = Uint8Array.from(bytes)
        return new Snapshot(host, own, await settled(addon.decodeLater(format, own, options))) as unknown as Channel
      },
    },
  }
}
