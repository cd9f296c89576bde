// What the rest of the package needs of an engine, and no more. Two exist: WebAssembly and native.

/** MessagePack as the engines number it. */
export const MSGPACK = 0
/** JSON as the engines number it. */
export const JSON_TEXT = 1

/** Options that an engine holds; 0 are the defaults. */
export type OptionsHandle = number

/** A splitter of the core, which cuts a stream into values. */
export type StreamHandle = number

/**
 * One session: input, a tape, output. The areas of the tape are what the last call left; each is given as a view
 * and the index where it begins, and views change when memory grows.
 */
export interface Channel {
  /** Called when the state that both sides share is lost. */
  onReborn: (() => void) | undefined
  /** Words; `t` is the index of the first. */
  T: Int32Array
  t: number
  words: number
  /** Floats, and the same memory as 64-bit integers. */
  F: Float64Array
  I: BigInt64Array
  U: BigUint64Array
  f: number
  floats: number
  /** Length of the ASCII pool in bytes and of the UTF-16 pool in units. */
  asciiLength: number
  wideLength: number
  /** The ASCII pool as bytes. */
  A: Uint8Array
  a: number
  /** Definitions: words from index `d` in `D`, `definitions` of them. */
  D: Int32Array
  d: number
  definitions: number

  /** A piece of the ASCII pool. */
  ascii(from: number, to: number): string
  /** A piece of the UTF-16 pool, in units. */
  wide(from: number, to: number): string
  /** Text outside the pools: `place` 0 is the input, 1 the session's bytes. */
  text(place: number, offset: number, length: number, ascii: boolean): string
  /** Bytes outside the pools, as an array of their own. */
  bytes(place: number, offset: number, length: number): Uint8Array

  /** Makes bytes the input; returns their number. `keep`: the caller's code may run before the value is made. */
  load(bytes: Uint8Array, keep: boolean): number
  /** Makes a string's UTF-8 the input; returns its length in bytes. The string has no lone surrogates. */
  loadText(text: string): number
  /** Reads the input onto the tape. True if it worked; else `failure` tells. */
  decode(format: number, length: number, options: OptionsHandle): boolean
  /** Reads one value from an offset on. */
  decodeFrom(format: number, length: number, start: number, options: OptionsHandle): boolean
  /** Checks the input. */
  validate(format: number, length: number, options: OptionsHandle): boolean
  /** Writes the input in another format, to be had by `output` or `outputText`. */
  transcode(from: number, to: number, length: number, options: OptionsHandle): boolean
  /** Writes what the walker wrote, which is the input, in a format. */
  encode(to: number, length: number, options: OptionsHandle): boolean
  /** The digest of what the walker wrote, which is the input, as output. */
  digest(length: number, options: OptionsHandle): boolean
  /** Keeps to a schema, where one is given as a handle that `schema` made. */
  decodeBy(schema: number, format: number, length: number, options: OptionsHandle): boolean
  validateBy(schema: number, format: number, length: number, options: OptionsHandle): boolean
  encodeBy(schema: number, to: number, length: number, options: OptionsHandle): boolean
  transcodeBy(schema: number, from: number, to: number, length: number, options: OptionsHandle): boolean
  /** Makes a schema of a JSON document, which is the input. 0 if it is refused: `failure` tells. */
  schema(length: number): number
  /** Judges the change of a schema; the request is the input, the findings are output. */
  check(length: number): boolean
  /** The annotated dump of the input, as output. */
  inspect(format: number, length: number, options: OptionsHandle): boolean
  /** In checked input: goes along a JSON Pointer from an offset; `end` is the place, or 0xffffffff for none. */
  viewGo(format: number, length: number, at: number, pointer: string, options: OptionsHandle): boolean
  /** Kind, length and end of the value at an offset, as output: three words. */
  viewAbout(format: number, length: number, at: number, options: OptionsHandle): boolean
  /** Keys and places of a container, as output: MessagePack. */
  viewEntries(format: number, length: number, at: number, options: OptionsHandle): boolean
  /** Takes the input as the next chunk of a stream. */
  feed(stream: StreamHandle, length: number): void
  /** Makes the stream's next complete value the input: its length; −1 if more chunks are needed; −2: `failure` tells. */
  next(stream: StreamHandle): number
  /** Makes options of a MessagePack map, which is the input. 0 if they are refused: `failure` tells. */
  options(length: number): OptionsHandle
  /** The last call's end of the value. */
  end(): number
  /** Length of the output. */
  outputLength(): number
  /** Copies the output. */
  output(target: Uint8Array, offset: number): void
  outputText(): string
  /** Forgets interned strings: the tape was not read to its end. */
  forget(): void
  /** The last error. */
  failure(): Failure
  /** The input is not needed any more. */
  done(): void
  /** Begins anew: what both sides share is lost. */
  renew(): void
  free(): void
}

export interface Failure {
  /** Index in CODES. */
  code: number
  offset: number | undefined
  path: string
  message: string
}

export interface Engine {
  readonly kind: 'native' | 'wasm'
  channel(): Channel
  freeOptions(handle: OptionsHandle): void
  freeSchema(handle: number): void
  stream(format: number, options: OptionsHandle): StreamHandle
  /** There are no more chunks. What is wrong with the end, `next` tells. */
  finish(stream: StreamHandle): void
  /** Offset in the stream of the value that `next` gave last. */
  streamOffset(stream: StreamHandle): number
  freeStream(stream: StreamHandle): void
  /** Work off the thread, where the engine can. */
  later?: Later
}

/** What an engine does off the thread. Failures reject with a {@link Failure}. */
export interface Later {
  transcode(from: number, to: number, bytes: Uint8Array, options: OptionsHandle): Promise<Uint8Array>
  /** Writes what the walker wrote in a format. */
  encode(to: number, walked: Uint8Array, options: OptionsHandle): Promise<Uint8Array>
  /** From file to file; the number of values. `many`: they follow each other as in a stream. */
  files(from: number, to: number, many: boolean, source: string, target: string, options: OptionsHandle): Promise<number>
  /** Reads onto a tape of its own, ready to be made into a value. */
  decode(format: number, bytes: Uint8Array, options: OptionsHandle): Promise<Channel>
}
