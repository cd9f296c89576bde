// The WebAssembly engine: every area is a piece of one memory.

import { SamewireError, STACK_USED_UP } from './errors.js'
import type { Channel, Engine, Failure, OptionsHandle, StreamHandle } from './engine.js'
import { decoder, encoder, type Host } from './host.js'

interface Exports {
  memory: WebAssembly.Memory
  __stack_pointer: WebAssembly.Global<'i32'>
  session_new(): number
  session_free(session: number): void
  session_header(session: number): number
  session_input(session: number, n: number): number
  session_forget(session: number): void
  options_new(session: number, n: number): number
  options_free(options: number): void
  decode(session: number, format: number, n: number, options: number): number
  decode_from(session: number, format: number, n: number, start: number, options: number): number
  validate(session: number, format: number, n: number, options: number): number
  transcode(session: number, from: number, to: number, n: number, options: number): number
  encode(session: number, to: number, n: number, options: number): number
  digest(session: number, n: number, options: number): number
  view_go(session: number, format: number, n: number, at: number, pointer: number, options: number): number
  view_about(session: number, format: number, n: number, at: number, options: number): number
  view_entries(session: number, format: number, n: number, at: number, options: number): number
  stream_new(format: number, options: number): number
  stream_free(stream: number): void
  stream_feed(session: number, stream: number, n: number): void
  stream_finish(stream: number): void
  stream_next(session: number, stream: number): number
  stream_offset(stream: number): number
  // Absent from the module of `samewire/slim`.
  inspect(session: number, format: number, n: number, options: number): number
  schema_new(session: number, n: number): number
  schema_free(schema: number): void
  schema_check(session: number, n: number): number
  decode_by(session: number, schema: number, format: number, n: number, options: number): number
  validate_by(session: number, schema: number, format: number, n: number, options: number): number
  encode_by(session: number, schema: number, to: number, n: number, options: number): number
  transcode_by(session: number, schema: number, from: number, to: number, n: number, options: number): number
}

// Words of the header that a call leaves, as `Header` in src/lib.rs has them: a pair is address and length.
const HEADER = {
  status: 0, offset: 1, path: 2, message: 4, words: 6, floats: 8, ascii: 10, wide: 12, bytes: 14,
  definitions: 16, output: 18, end: 20, input: 21,
} as const

/** Kept free behind an input, for the pointers of views. */
const POINTER_ROOM = 1024
/** Small ASCII pools are decoded through views kept for each 64 bytes of length: making one costs more. */
const VIEW_STEP = 64
const VIEWS = 128

/** Makes the engine of a module or its bytes, synchronously. */
export function wasmEngine(source: BufferSource | WebAssembly.Module, host: Host): Engine {
  const module = source instanceof WebAssembly.Module ? source : new WebAssembly.Module(source)
  const wasm = new WebAssembly.Instance(module).exports as unknown as Exports
  const channels = new Set<WasmChannel>()

  const NOTHING = new Int32Array(0)
  /** All views, made anew whenever memory has grown; every call that may grow it ends with a look here. */
  let T = new Int32Array(wasm.memory.buffer)
  let F = new Float64Array(wasm.memory.buffer)
  let I = new BigInt64Array(wasm.memory.buffer)
  let U = new BigUint64Array(wasm.memory.buffer)
  let A = new Uint8Array(wasm.memory.buffer)
  let node = host.buffer?.(wasm.memory.buffer)

  function refresh(): void {
    const { buffer } = wasm.memory
    try {
      T = new Int32Array(buffer)
      F = new Float64Array(buffer)
      I = new BigInt64Array(buffer)
      U = new BigUint64Array(buffer)
      A = new Uint8Array(buffer)
      node = host.buffer?.(buffer)
      for (const channel of channels) channel.refresh()
    } catch (error) {
      // The stack is used up: this has to be done again.
      T = NOTHING
      throw error
    }
  }

  const stack = wasm.__stack_pointer.value

  /**
   * A trap: memory that the machine does not have, or a bug. What the call left on the stack is dropped, its session
   * makes way for a new one, and the instance goes on.
   */
  function dead(channel: WasmChannel, error: unknown): never {
    wasm.__stack_pointer.value = stack
    if (T.length === 0) refresh()
    channel.renew()
    if (error instanceof RangeError) throw new SamewireError('depth-exceeded', STACK_USED_UP, undefined, '', { cause: error })
    throw new SamewireError('input-too-large', 'the message needs more memory than there is', undefined, '', { cause: error })
  }

  class WasmChannel implements Channel {
    T = T
    F = F
    I = I
    U = U
    A = A
    D = T
    t = 0
    words = 0
    f = 0
    floats = 0
    a = 0
    d = 0
    asciiLength = 0
    wideLength = 0
    definitions = 0
    /** Called when the state that both sides share is lost. */
    onReborn: (() => void) | undefined
    #session = 0
    #header = 0
    #wide = 0
    #bytes = 0
    #input = 0
    #room = 0
    #views: (Uint8Array | undefined)[] = []
    #viewsAt = -1

    constructor() {
      this.#open()
      channels.add(this)
    }

    #open(): void {
      this.#session = wasm.session_new()
      if (T.length === 0) refresh()
      this.refresh()
      this.#header = wasm.session_header(this.#session) >>> 2
      this.#input = this.#room = 0
    }

    renew(): void {
      try {
        wasm.session_free(this.#session)
      } catch {
        wasm.__stack_pointer.value = stack
      }
      this.#open()
      this.onReborn?.()
    }

    refresh(): void {
      this.T = this.D = T
      this.F = F
      this.I = I
      this.U = U
      this.A = A
      this.#viewsAt = -1
    }

    /** After a call that reads: takes in what it left. */
    #left(status: number): boolean {
      if (T.length === 0) refresh()
      const h = this.#header
      const t = T
      this.t = t[h + HEADER.words]! >>> 2
      this.words = t[h + HEADER.words + 1]! >>> 2
      this.f = t[h + HEADER.floats]! >>> 3
      this.floats = t[h + HEADER.floats + 1]! >>> 3
      this.a = t[h + HEADER.ascii]! >>> 0
      this.asciiLength = t[h + HEADER.ascii + 1]!
      this.#wide = t[h + HEADER.wide]! >>> 0
      this.wideLength = t[h + HEADER.wide + 1]! >>> 1
      this.#bytes = t[h + HEADER.bytes]! >>> 0
      this.d = t[h + HEADER.definitions]! >>> 2
      this.definitions = t[h + HEADER.definitions + 1]! >>> 2
      return status === 0
    }

    ascii(from: number, to: number): string {
      if (node !== undefined) return node.latin1Slice(this.a + from, this.a + to)
      const length = to - from
      if (from !== 0 || length > VIEW_STEP * VIEWS) return decoder.decode(A.subarray(this.a + from, this.a + to))
      if (this.#viewsAt !== this.a) {
        this.#views = []
        this.#viewsAt = this.a
      }
      const step = (length + VIEW_STEP - 1) >> 6
      // Zeros lie behind the pool's end: the tape saw to that.
      return decoder.decode((this.#views[step] ??= A.subarray(this.a, this.a + step * VIEW_STEP)))
    }

    wide(from: number, to: number): string {
      const at = this.#wide
      if (node !== undefined) return node.ucs2Slice(at + from * 2, at + to * 2)
      return utf16.decode(A.subarray(at + from * 2, at + to * 2))
    }

    #place(place: number): number {
      return place === 0 ? this.#input : this.#bytes
    }

    text(place: number, offset: number, length: number, ascii: boolean): string {
      const at = this.#place(place) + offset
      if (node !== undefined) return ascii ? node.latin1Slice(at, at + length) : node.utf8Slice(at, at + length)
      return decoder.decode(A.subarray(at, at + length))
    }

    bytes(place: number, offset: number, length: number): Uint8Array {
      const at = this.#place(place) + offset
      const result = new Uint8Array(length)
      if (length <= 16) for (let i = 0; i < length; i++) result[i] = A[at + i]!
      else result.set(A.subarray(at, at + length))
      return result
    }

    #reserve(n: number): void {
      if (n <= this.#room && this.#room <= 1 << 23) return
      let at: number
      try {
        at = wasm.session_input(this.#session, n)
      } catch (error) {
        dead(this, error)
      }
      if (T.length === 0) refresh()
      if (at === 0) throw new SamewireError('input-too-large', `there is no memory for an input of ${n} bytes`)
      this.#input = at >>> 0
      this.#room = T[this.#header + HEADER.input + 1]! >>> 0
    }

    load(bytes: Uint8Array): number {
      const n = bytes.length
      if (n + POINTER_ROOM > this.#room || this.#room > 1 << 23) {
        if (n > 0xfff0_0000) throw new SamewireError('input-too-large', `an input of ${n} bytes is beyond 32-bit memory`)
        this.#reserve(n + POINTER_ROOM)
      }
      A.set(bytes, this.#input)
      return n
    }

    loadText(text: string): number {
      const n = text.length
      // Mostly one byte a unit; three at most.
      this.#reserve(n + 64)
      if (node !== undefined && n <= 1024) {
        this.#reserve(n * 3)
        return node.utf8Write(text, this.#input, n * 3)
      }
      let result = encoder.encodeInto(text, A.subarray(this.#input, this.#input + this.#room))
      if (result.read < n) {
        this.#reserve(n * 3)
        result = encoder.encodeInto(text, A.subarray(this.#input, this.#input + this.#room))
      }
      return result.written
    }

    decode(format: number, length: number, options: OptionsHandle): boolean {
      let status: number
      try {
        status = wasm.decode(this.#session, format, length, options)
      } catch (error) {
        dead(this, error)
      }
      return this.#left(status)
    }

    decodeFrom(format: number, length: number, start: number, options: OptionsHandle): boolean {
      return this.#call(() => wasm.decode_from(this.#session, format, length, start, options))
    }

    validate(format: number, length: number, options: OptionsHandle): boolean {
      return this.#call(() => wasm.validate(this.#session, format, length, options))
    }

    transcode(from: number, to: number, length: number, options: OptionsHandle): boolean {
      return this.#call(() => wasm.transcode(this.#session, from, to, length, options))
    }

    encode(to: number, length: number, options: OptionsHandle): boolean {
      let status: number
      try {
        status = wasm.encode(this.#session, to, length, options)
      } catch (error) {
        dead(this, error)
      }
      if (T.length === 0) refresh()
      return status === 0
    }

    digest(length: number, options: OptionsHandle): boolean {
      return this.#call(() => wasm.digest(this.#session, length, options))
    }

    decodeBy(schema: number, format: number, length: number, options: OptionsHandle): boolean {
      return this.#call(() => wasm.decode_by(this.#session, schema, format, length, options))
    }

    validateBy(schema: number, format: number, length: number, options: OptionsHandle): boolean {
      return this.#call(() => wasm.validate_by(this.#session, schema, format, length, options))
    }

    encodeBy(schema: number, to: number, length: number, options: OptionsHandle): boolean {
      return this.#call(() => wasm.encode_by(this.#session, schema, to, length, options))
    }

    transcodeBy(schema: number, from: number, to: number, length: number, options: OptionsHandle): boolean {
      return this.#call(() => wasm.transcode_by(this.#session, schema, from, to, length, options))
    }

    schema(length: number): number {
      let handle = 0
      this.#call(() => ((handle = wasm.schema_new(this.#session, length)), handle === 0 ? 1 : 0))
      return handle
    }

    check(length: number): boolean {
      return this.#call(() => wasm.schema_check(this.#session, length))
    }

    inspect(format: number, length: number, options: OptionsHandle): boolean {
      return this.#call(() => wasm.inspect(this.#session, format, length, options))
    }

    viewGo(format: number, length: number, at: number, pointer: string, options: OptionsHandle): boolean {
      // Behind the message, which stays where it is: `load` left room.
      const room = A.subarray(this.#input + length, this.#input + this.#room)
      const { read, written } = encoder.encodeInto(pointer, room)
      if (read < pointer.length) throw new SamewireError('input-too-large', 'a JSON Pointer is too long')
      return this.#call(() => wasm.view_go(this.#session, format, length, at, written, options))
    }

    viewAbout(format: number, length: number, at: number, options: OptionsHandle): boolean {
      return this.#call(() => wasm.view_about(this.#session, format, length, at, options))
    }

    viewEntries(format: number, length: number, at: number, options: OptionsHandle): boolean {
      return this.#call(() => wasm.view_entries(this.#session, format, length, at, options))
    }

    #call(f: () => number): boolean {
      let status: number
      try {
        status = f()
      } catch (error) {
        dead(this, error)
      }
      return this.#left(status)
    }

    feed(stream: StreamHandle, length: number): void {
      this.#call(() => (wasm.stream_feed(this.#session, stream, length), 0))
    }

    next(stream: StreamHandle): number {
      let found = 0
      this.#call(() => (found = wasm.stream_next(this.#session, stream)))
      this.#input = T[this.#header + HEADER.input]! >>> 0
      this.#room = T[this.#header + HEADER.input + 1]! >>> 0
      return found === 0 ? this.end() : -found
    }

    options(length: number): OptionsHandle {
      const handle = wasm.options_new(this.#session, length)
      if (T.length === 0) refresh()
      return handle
    }

    end(): number {
      return T[this.#header + HEADER.end]! >>> 0
    }

    outputLength(): number {
      return T[this.#header + HEADER.output + 1]! >>> 0
    }

    output(target: Uint8Array, offset: number): void {
      const at = T[this.#header + HEADER.output]! >>> 0
      target.set(A.subarray(at, at + this.outputLength()), offset)
    }

    outputText(): string {
      const at = T[this.#header + HEADER.output]! >>> 0
      return this.#string(at, this.outputLength())
    }

    #string(at: number, length: number): string {
      if (length > LONGEST_STRING) {
        throw new SamewireError('input-too-large', `a text of ${length} bytes is longer than a string can be`)
      }
      if (node !== undefined) return node.utf8Slice(at, at + length)
      return decoder.decode(A.subarray(at, at + length))
    }

    forget(): void {
      wasm.session_forget(this.#session)
    }

    failure(): Failure {
      const h = this.#header
      const offset = T[h + HEADER.offset]!
      const text = (at: number): string => this.#string(T[h + at]! >>> 0, T[h + at + 1]! >>> 0)
      return {
        code: T[h + HEADER.status]! - 1,
        offset: offset === -1 ? undefined : offset >>> 0,
        path: text(HEADER.path),
        message: text(HEADER.message),
      }
    }

    done(): void {}

    free(): void {
      wasm.session_free(this.#session)
      channels.delete(this)
    }
  }

  return {
    kind: 'wasm',
    channel: () => new WasmChannel(),
    freeOptions: (handle) => wasm.options_free(handle),
    freeSchema: (handle) => wasm.schema_free(handle),
    stream(format, options) {
      const stream = wasm.stream_new(format, options)
      if (T.length === 0) refresh()
      return stream
    },
    finish: (stream) => wasm.stream_finish(stream),
    streamOffset: (stream) => wasm.stream_offset(stream),
    freeStream: (stream) => wasm.stream_free(stream),
  }
}

/** What the shortest of the engines' limits allows: V8's 2^29 − 24 units. */
const LONGEST_STRING = 0x1fff_ffe8
const utf16 = new TextDecoder('utf-16le', { ignoreBOM: true })
