// Options: their names and values are the core's, in camelCase; hooks and memory are JavaScript's own.

import type { ExtRegistry } from './ext.js'

/** Options of reading and writing alike; `docs/options.md` says what each means. The first value is the default. */
export interface CommonOptions {
  /** Keys that are not strings: refused, kept (as `Map`), or made JSON text. */
  mapKeys?: 'str' | 'any' | 'stringify'
  /** Halves of surrogate pairs. */
  loneSurrogates?: 'error' | 'replace'
  /** Containers inside containers, at most 512. */
  maxDepth?: number
  /** Classes that travel as MessagePack extensions. */
  ext?: ExtRegistry
}

export interface DecodeOptions extends CommonOptions {
  duplicateKeys?: 'error' | 'last' | 'first'
  invalidUtf8?: 'error' | 'replace' | 'bytes'
  /** Integers beyond ±(2^53 − 1): bigint; always bigint; an error; text. */
  int64?: 'auto' | 'bigint' | 'number' | 'string'
  /** Date or {@link Timestamp}; bigint nanoseconds; `Temporal.Instant`. */
  timestamp?: 'native' | 'int' | 'temporal'
  /** Bytes of one input. */
  maxBytes?: number
  /** Values in one input. */
  maxItems?: number
  /** Called with each finished object; its result takes the object's place. */
  objectHook?: (object: Record<string, unknown>) => unknown
  /** Called with each extension that `ext` does not know. */
  extHook?: (type: number, data: Uint8Array) => unknown
  /** False: never make functions from source, and never try. */
  unsafeEval?: boolean
}

export interface EncodeOptions extends CommonOptions {
  sortKeys?: boolean
  canonical?: boolean
  /** Leaves out entries whose value is null. */
  omitNull?: boolean
  /** Called with what has no place in the data model: functions, symbols. */
  default?: (value: unknown) => unknown
  /** Node: false gives each result memory of its own. Elsewhere: true lets small results share memory. */
  pool?: boolean
}

export interface JsonOptions {
  nonFinite?: 'error' | 'null' | 'string'
  binJson?: 'base64' | 'error'
  /** Blanks a level; compact without. */
  indent?: number
  appendNewline?: boolean
  escapeHtml?: boolean
}

export interface StringifyOptions extends EncodeOptions, JsonOptions {
  int64?: DecodeOptions['int64']
}

/** Options of {@link transcode}: reading and writing. */
export interface TranscodeOptions extends DecodeOptions, EncodeOptions, JsonOptions {}

/** Every option. */
export type Options = TranscodeOptions
