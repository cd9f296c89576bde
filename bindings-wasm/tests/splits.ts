// Every vector through a stream that is cut at each byte: the values, or the error's code, offset and path, are those
// of the stream in one piece, and those of reading at once where the two can agree.

import { same, shown, unhex, type Result, type Samewire } from './harness.js'
import { optionsOf, type Case } from './vectors.js'

/** Cuts of one input in the short form. */
const SHORT = 12
/** Cuts of one input in the long form: each byte of up to as many, then evenly. */
const LONG = 4096

/** What reading at once and a stream see differently: more data may come, or another value. */
const OWN = new Set(['trailing-data', 'truncated', 'length-exceeds-input', 'input-too-large'])

interface Input {
  format: 'msgpack' | 'json'
  bytes: Uint8Array
}

function inputs(c: Case): Input[] {
  const found: Input[] = []
  const text = (t: string): Uint8Array => new TextEncoder().encode(t)
  if (String(c['name']).startsWith('schema/') || c['format'] === 'tagged') return []
  if (c['format'] === 'msgpack') found.push({ format: 'msgpack', bytes: unhex(c['input']) })
  else if (c['format'] === 'json') found.push({ format: 'json', bytes: c['input_hex'] === undefined ? text(c['input']) : unhex(c['input_hex']) })
  else {
    for (const hex of [c['msgpack'], ...(c['msgpack_accepted'] ?? [])]) if (hex !== undefined) found.push({ format: 'msgpack', bytes: unhex(hex) })
    for (const json of [c['json'], ...(c['json_accepted'] ?? [])]) if (json !== undefined) found.push({ format: 'json', bytes: text(json) })
  }
  return found
}

/** What a stream gives: its values, then its error. */
async function read(sw: Samewire, input: Input, options: object | undefined, chunks: Uint8Array[]): Promise<string[]> {
  const out: string[] = []
  try {
    for await (const v of sw.decodeStream(chunks, { ...options, format: input.format })) out.push(shown(v))
  } catch (error) {
    out.push(failure(error))
  }
  return out
}

function failure(error: unknown): string {
  const { name, code, offset, path } = error as { name: string; code: string; offset?: number; path: string }
  if (name !== 'SamewireError') throw error
  return `error ${code} ${offset} ${path}`
}

function once(sw: Samewire, input: Input, options: object | undefined): string {
  try {
    return shown(input.format === 'msgpack' ? sw.decode(input.bytes, options) : sw.parse(input.bytes, options))
  } catch (error) {
    return failure(error)
  }
}

export async function runSplits(sw: Samewire, vectors: Case[], only = '', long = false): Promise<Result & { cuts: number }> {
  const result = { passed: 0, failed: [] as { name: string; error: string }[], skipped: [], cuts: 0 }
  for (const c of vectors) {
    const name = `split ${String(c['name'])}`
    if (!name.includes(only)) continue
    for (const input of inputs(c)) {
      const { bytes } = input
      const options = optionsOf(c)
      try {
        const whole = await read(sw, input, options, [bytes])
        if (c['stream'] === undefined) {
          const direct = once(sw, input, options)
          // A stream takes what stands bare up to a blank for a whole value: half a number ends too early in it.
          const bare = input.format === 'json' && whole.length === 1 && whole[0]!.startsWith('error truncated')
          if (!OWN.has(direct.split(' ')[1]!) && !bare) same(whole, [direct], 'in one piece')
        }
        const most = long ? LONG : SHORT
        const step = Math.max(1, bytes.length / most)
        for (let at = 1; at < bytes.length; at += step) {
          const i = Math.floor(at)
          same(await read(sw, input, options, [bytes.subarray(0, i), bytes.subarray(i)]), whole, `cut at ${i}`)
          result.cuts++
        }
        result.passed++
      } catch (error) {
        result.failed.push({ name, error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) })
      }
    }
  }
  return result
}
