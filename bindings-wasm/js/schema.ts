// Schemas: JSON Schema documents that reading and writing keep to.

import { tools } from '#tools'
import type { Bytes } from './bytes.js'
import { formatNumber, type Compiled, type Format } from './codec.js'
import { JSON_TEXT, MSGPACK } from './engine.js'
import { encoder } from './host.js'
import type { DecodeOptions, EncodeOptions, Options, StringifyOptions, TranscodeOptions } from './options.js'

const freed = new FinalizationRegistry<number>((handle) => tools().freeSchema(handle))
const compiled = (options: Options | undefined): Compiled => tools().compile(options)

/** A JSON Schema (2020-12, the part that describes data), compiled. `T` is the type of its values. */
export class Schema<T = unknown> {
  /** @internal Bundlers shorten it. */
  static readonly name: string = 'Schema'
  /** The document, as it was given. */
  readonly document: unknown
  readonly #handle: number

  /** @param document A JSON Schema: an object (zod's `toJSONSchema`, TypeBox types as they are) or JSON text. */
  constructor(document: object | boolean | string) {
    const text = typeof document === 'string' ? document : JSON.stringify(document)
    this.document = JSON.parse(text)
    this.#handle = tools().schema(encoder.encode(text))
    freed.register(this, this.#handle)
  }

  /** Writes a value as MessagePack. */
  encode(value: T, options?: EncodeOptions): Uint8Array {
    return tools().encodeBy(this.#handle, MSGPACK, value, false, compiled(options)) as Uint8Array
  }

  /** Reads MessagePack. */
  decode(data: Bytes, options?: DecodeOptions): T {
    return tools().decodeBy(this.#handle, MSGPACK, data, compiled(options)) as T
  }

  /** Writes a value as JSON text. */
  stringify(value: T, options?: StringifyOptions): string {
    return tools().encodeBy(this.#handle, JSON_TEXT, value, true, compiled(options)) as string
  }

  /** Writes a value as JSON in UTF-8. */
  stringifyToBytes(value: T, options?: StringifyOptions): Uint8Array {
    return tools().encodeBy(this.#handle, JSON_TEXT, value, false, compiled(options)) as Uint8Array
  }

  /** Reads JSON. */
  parse(data: string | Bytes, options?: DecodeOptions): T {
    return tools().decodeBy(this.#handle, JSON_TEXT, data, compiled(options)) as T
  }

  /** Checks encoded data; throws what is wrong first. */
  validate(data: Bytes | string, format: Format = 'msgpack', options?: DecodeOptions): void {
    tools().validateBy(this.#handle, formatNumber(format), data, compiled(options))
  }

  /** Reads one format and writes another, both by the schema. */
  transcode(data: Bytes | string, from: Format, to: Format, options?: TranscodeOptions): Uint8Array {
    return tools().transcodeBy(this.#handle, data, formatNumber(from), formatNumber(to), compiled(options))
  }
}

/** Which readings must go on working, by the names that schema registries use. */
export type CheckMode = 'NONE' | 'BACKWARD' | 'FORWARD' | 'FULL' | 'BACKWARD_TRANSITIVE' | 'FORWARD_TRANSITIVE' | 'FULL_TRANSITIVE'

/** One thing to know about a change. */
export interface Finding {
  /** JSON Pointer into the data; `*` stands for every element or key. */
  path: string
  /** The rule's stable name, such as `field-removed`. */
  rule: string
  severity: 'info' | 'warning' | 'error'
  mode: 'BACKWARD' | 'FORWARD'
  format: 'both' | 'msgpack' | 'json' | 'packed'
  /** What to do instead, in one sentence. */
  advice: string
  /** A message that the writer writes and the reader refuses, and the reader's error. */
  witness?: unknown
  code?: string
  /** Of a history, the index of the schema that the new one was held against. */
  against?: number
}

type Document = Schema<never> | object | boolean | string

/**
 * Judges a change of a schema before it ships. `old` is the schema before, or the whole history, oldest first.
 * The change is compatible if no finding is an error.
 */
export function check(old: Document | Document[], changed: Document, mode: CheckMode = 'BACKWARD'): Finding[] {
  const text = (document: Document): string =>
    typeof document === 'string' ? document : JSON.stringify(document instanceof Schema ? document.document : document)
  return tools().check([(Array.isArray(old) ? old : [old]).map(text), text(changed), mode]) as Finding[]
}
