// The inspector.

import { tools } from '#tools'
import type { Bytes } from './bytes.js'
import { formatNumber, type Format } from './codec.js'
import type { DecodeOptions } from './options.js'

/** An annotated dump of a message: each token with its offset, its bytes and what they mean. Faults are shown, not thrown. */
export function inspect(data: Bytes | string, format: Format = 'msgpack', options?: DecodeOptions): string {
  return tools().inspect(formatNumber(format), data, tools().compile(options))
}
