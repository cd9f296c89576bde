// The package's functions that `samewire/slim` does without.

import { codec } from '#platform'
import type { Bytes } from './bytes.js'
import { formatNumber, type Compiled, type Format } from './codec.js'
import { SamewireError } from './errors.js'
import type { DecodeOptions, EncodeOptions, Options, StringifyOptions, TranscodeOptions } from './options.js'

const compiled = (options: Options | undefined): Compiled => codec.compile(options)

/** Writes bytes of one format in another, without making values in between. */
export function transcode(data: Bytes | string, from: Format, to: Format, options?: TranscodeOptions): Uint8Array {
  return codec.transcode(data, formatNumber(from), formatNumber(to), compiled(options))
}

/** SHA-256 of a value's canonical MessagePack: equal values have equal digests, in every language. */
export function digest(value: unknown, options?: EncodeOptions): Uint8Array {
  return codec.digest(value, compiled(options))
}

/**
 * Reads a value off the thread, where the native engine runs; only the making of objects is left to it. With
 * WebAssembly the work is done in a later turn of the event loop.
 */
export async function decodeAsync<T = unknown>(
  data: Bytes | string,
  options?: DecodeOptions & { format?: Format },
): Promise<T> {
  const { format = 'msgpack', ...rest } = options ?? {}
  return (await codec.decodeLater(formatNumber(format), data, codec.compile(rest))) as T
}

/**
 * Writes a value off the thread, where the native engine runs: it is read at once, as it is now, and what the core
 * makes of it (JSON, sorted and canonical output) is left to another thread.
 */
export async function encodeAsync(value: unknown, options?: StringifyOptions & { format?: Format }): Promise<Uint8Array> {
  const { format = 'msgpack', ...rest } = options ?? {}
  return codec.encodeLater(formatNumber(format), value, codec.compile(rest))
}

/**
 * Writes a file's value in another format into another file, off the thread where the native engine runs; resolves
 * with the number of values. With `stream` the file has values one after another (JSON Lines, in JSON), memory is
 * bounded by the largest, and so is what is written. A target that exists is replaced only when all went well.
 */
export async function transcodeFile(
  source: string | URL,
  target: string | URL,
  from: Format,
  to: Format,
  options?: TranscodeOptions & { stream?: boolean },
): Promise<number> {
  const { stream = false, ...rest } = options ?? {}
  if (typeof stream !== 'boolean') throw new SamewireError('invalid-option', 'option stream takes true or false')
  // A line is a value: what would break it is refused, and its end is there anyway.
  if (stream && rest.indent !== undefined) throw new SamewireError('invalid-option', 'option indent: a stream of JSON has one value a line')
  const compiled = codec.compile(stream ? { ...rest, appendNewline: undefined } : rest)
  return codec.transcodeFiles(pathOf(source), pathOf(target), formatNumber(from), formatNumber(to), stream, compiled)
}

function pathOf(path: string | URL): string {
  const text = path instanceof URL ? decodeURIComponent(path.pathname).replace(/^\/([A-Za-z]:)/, '$1') : path
  if (typeof text !== 'string' || text.includes('\0')) throw new SamewireError('unsupported-type', 'a file is a path or a file: URL')
  if (path instanceof URL && path.protocol !== 'file:') throw new SamewireError('unsupported-type', `a file is a path or a file: URL, not ${path.protocol}`)
  return text
}

/** {@link transcode} off the thread, where the native engine runs. */
export async function transcodeAsync(
  data: Bytes | string,
  from: Format,
  to: Format,
  options?: TranscodeOptions,
): Promise<Uint8Array> {
  return codec.transcodeLater(data, formatNumber(from), formatNumber(to), compiled(options))
}
