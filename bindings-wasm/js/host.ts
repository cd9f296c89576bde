// What differs between Node and the rest: ways to make strings, and where results live.

/** What a Buffer of Node can do that the Encoding API does slower. */
export interface NodeBuffer extends Uint8Array {
  latin1Slice(from: number, to: number): string
  ucs2Slice(from: number, to: number): string
  utf8Slice(from: number, to: number): string
  utf8Write(text: string, offset: number, length: number): number
}

export interface Host {
  /** A Buffer over memory, where there is Buffer. */
  buffer?: (memory: ArrayBufferLike) => NodeBuffer
  /** A string's UTF-8. */
  utf8: (text: string) => Uint8Array
  /** Results share pieces of this many bytes; 0 gives each its own memory. */
  pool: number
  /** A new piece. */
  block: (size: number) => Uint8Array
  /** New memory for a result, which is written in full. */
  fresh: (size: number) => Uint8Array
  /** Strings up to this length are written by a loop, longer ones by the runtime: where that pays was measured. */
  loop: number
  /** The file system, where there is one. */
  files?: () => FileSystem | undefined
}

/** What files need of the runtime's node:fs/promises. */
export interface FileSystem {
  readFile(path: string): Promise<Uint8Array>
  open(path: string, flags: 'r' | 'w'): Promise<FileHandle>
  stat(path: string): Promise<{ isFile(): boolean; isDirectory(): boolean }>
  rename(from: string, to: string): Promise<void>
  rm(path: string, options: { force: boolean }): Promise<void>
}

export interface FileHandle {
  read(target: Uint8Array, offset: number, length: number): Promise<{ bytesRead: number }>
  writeFile(bytes: Uint8Array): Promise<void>
  close(): Promise<void>
}

export const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
export const encoder = new TextEncoder()

export const anyHost: Host = {
  utf8: (text) => encoder.encode(text),
  pool: 0,
  block: (size) => new Uint8Array(size),
  fresh: (size) => new Uint8Array(size),
  loop: 100,
  // Deno and Bun have Node's; an import of it would be in the way of bundlers for browsers.
  files: () =>
    (globalThis as { process?: { getBuiltinModule?(name: string): unknown } }).process?.getBuiltinModule?.('node:fs/promises') as FileSystem | undefined,
}

/** True if functions can be made from source: no Content-Security-Policy forbids it. */
export function mayEvaluate(): boolean {
  try {
    return new Function('return true')() === true
  } catch {
    return false
  }
}

/** True if a string has no half of a surrogate pair. */
export const isWellFormed: (text: string) => boolean =
  typeof (String.prototype as { isWellFormed?: () => boolean }).isWellFormed === 'function'
    ? (text) => (text as unknown as { isWellFormed(): boolean }).isWellFormed()
    : (text) => !/\p{Surrogate}/u.test(text)

/** A string with U+FFFD for each half of a surrogate pair. */
export const toWellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd')

/** Offset in the UTF-8 of the first half of a surrogate pair, or −1. */
export function loneSurrogate(text: string): number {
  return isWellFormed(text) ? -1 : encoder.encode(text.slice(0, text.search(/\p{Surrogate}/u))).length
}
