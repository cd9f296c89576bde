// Counts and histograms of what the package does. Off by default, and free when off: turning them on puts a measuring
// function in place of each operation, turning them off puts the operation back.

import { codec } from '#platform'
import type { Codec } from './codec-more.js'
import { JSON_TEXT } from './engine.js'
import { SamewireError } from './errors.js'

/** Upper bounds: seconds from a microsecond on, bytes from 64 on, each four times the one before. */
const SECONDS = Array.from({ length: 12 }, (_, i) => 1e-6 * 4 ** i)
const BYTES = Array.from({ length: 12 }, (_, i) => 64 * 4 ** i)

/** How often a value was at most each bound; the last count is for all. */
export interface Histogram {
  bounds: readonly number[]
  counts: number[]
  sum: number
}

/** One operation on one format. */
export interface OperationMetrics {
  operation: string
  format: 'msgpack' | 'json'
  count: number
  seconds: Histogram
  /** The encoded bytes, read or written; units of text where it is a string. */
  bytes: Histogram
  /** Failures by code; `other` is an exception of a hook. */
  failures: Record<string, number>
}

type Operation = 'decode' | 'decodeFrom' | 'next' | 'encode' | 'stringify' | 'stringifyToBytes' | 'transcode'
const OPERATIONS: Operation[] = ['decode', 'decodeFrom', 'next', 'encode', 'stringify', 'stringifyToBytes', 'transcode']

const table = new Map<string, OperationMetrics>()
let originals: Pick<Codec, Operation> | undefined

const histogram = (bounds: readonly number[]): Histogram => ({ bounds, counts: new Array<number>(bounds.length + 1).fill(0), sum: 0 })

function add(h: Histogram, value: number): void {
  const i = h.bounds.findIndex((bound) => value <= bound)
  h.counts[i < 0 ? h.bounds.length : i]!++
  h.sum += value
}

function entry(operation: string, format: 'msgpack' | 'json'): OperationMetrics {
  const key = `${operation} ${format}`
  let found = table.get(key)
  if (found === undefined) {
    found = { operation, format, count: 0, seconds: histogram(SECONDS), bytes: histogram(BYTES), failures: {} }
    table.set(key, found)
  }
  return found
}

const sizeOf = (data: unknown): number =>
  typeof data === 'string' ? data.length : ((data as { byteLength?: number } | null | undefined)?.byteLength ?? 0)

function measured(name: Operation, run: (...args: unknown[]) => unknown): (...args: unknown[]) => unknown {
  const reads = name === 'decode' || name === 'decodeFrom'
  const takes = name === 'next'
  return (...args) => {
    const json = reads || takes ? args[0] === JSON_TEXT : name === 'transcode' ? args[1] === JSON_TEXT : name !== 'encode'
    const start = performance.now()
    let m: OperationMetrics | undefined = entry(takes ? 'decodeStream' : name, json ? 'json' : 'msgpack')
    try {
      const result = run(...args)
      // No value is complete: nothing was decoded.
      if (takes && result === undefined) m = undefined
      else add(m.bytes, sizeOf(reads ? args[1] : name === 'transcode' ? args[0] : result))
      return result
    } catch (error) {
      const code = error instanceof SamewireError ? error.code : 'other'
      m!.failures[code] = (m!.failures[code] ?? 0) + 1
      throw error
    } finally {
      if (m !== undefined) {
        m.count++
        add(m.seconds, (performance.now() - start) / 1000)
      }
    }
  }
}

/** Measurements of this package; `docs/javascript.md` has an example. */
export const metrics = {
  get enabled(): boolean {
    return originals !== undefined
  },

  enable(): void {
    if (originals !== undefined) return
    const target = codec as unknown as Record<Operation, (...args: unknown[]) => unknown>
    originals = Object.fromEntries(OPERATIONS.map((name) => [name, codec[name]])) as unknown as Pick<Codec, Operation>
    for (const name of OPERATIONS) target[name] = measured(name, target[name])
  },

  disable(): void {
    if (originals !== undefined) Object.assign(codec, originals)
    originals = undefined
  },

  /** What was measured since the last reset: a copy. */
  snapshot(): OperationMetrics[] {
    return structuredClone([...table.values()])
  },

  reset(): void {
    table.clear()
  },

  /** The same in the text format that Prometheus scrapes. */
  prometheus(): string {
    const lines: string[] = []
    for (const [name, unit] of [['seconds', 'Time of one operation.'], ['bytes', 'Encoded size.']] as const) {
      lines.push(`# HELP samewire_operation_${name} ${unit}`, `# TYPE samewire_operation_${name} histogram`)
      for (const m of table.values()) {
        const h = m[name]
        const labels = `operation="${m.operation}",format="${m.format}"`
        let all = 0
        h.counts.forEach((count, i) => {
          all += count
          lines.push(`samewire_operation_${name}_bucket{${labels},le="${h.bounds[i] ?? '+Inf'}"} ${all}`)
        })
        lines.push(`samewire_operation_${name}_sum{${labels}} ${h.sum}`, `samewire_operation_${name}_count{${labels}} ${all}`)
      }
    }
    lines.push('# HELP samewire_failures_total Failed operations.', '# TYPE samewire_failures_total counter')
    for (const m of table.values()) {
      for (const [code, n] of Object.entries(m.failures)) {
        lines.push(`samewire_failures_total{operation="${m.operation}",format="${m.format}",code="${code}"} ${n}`)
      }
    }
    return `${lines.join('\n')}\n`
  },
}
