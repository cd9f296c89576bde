// A test runner of a few lines that runs wherever JavaScript does: Node, Deno, Bun, browser pages.

export type Samewire = typeof import('../js/index.js')

type Body = (sw: Samewire) => void | Promise<void>
const tests: { name: string; body: Body }[] = []

export function test(name: string, body: Body): void {
  tests.push({ name, body })
}

/** Thrown by a test that cannot run here. */
export class Skip extends Error {}

export interface Result {
  passed: number
  failed: { name: string; error: string }[]
  skipped: string[]
}

export async function runAll(sw: Samewire, only = ''): Promise<Result> {
  const result: Result = { passed: 0, failed: [], skipped: [] }
  for (const { name, body } of tests) {
    if (!name.includes(only)) continue
    try {
      await body(sw)
      result.passed++
    } catch (error) {
      if (error instanceof Skip) result.skipped.push(`${name}: ${error.message}`)
      else result.failed.push({ name, error: error instanceof Error ? `${error.name}: ${error.message}\n${error.stack ?? ''}` : String(error) })
    }
  }
  return result
}

/** A value as text in which two values are equal only if they are the same to the last bit. */
export function shown(value: unknown): string {
  switch (typeof value) {
    case 'number': return Object.is(value, -0) ? '-0' : String(value)
    case 'bigint': return `${value}n`
    case 'string': return JSON.stringify(value)
    case 'object': break
    default: return String(value)
  }
  if (value === null) return 'null'
  if (Array.isArray(value)) {
    const items = []
    for (let i = 0; i < value.length; i++) items.push(i in value ? shown(value[i]) : 'hole')
    return `[${items.join(',')}]`
  }
  if (value instanceof Date) {
    const t = value as Date & { seconds?: number; nanoseconds?: number }
    return `${value.constructor.name}(${Date.prototype.getTime.call(value)}${t.nanoseconds === undefined ? '' : ` ${t.seconds}s${t.nanoseconds}ns`})`
  }
  if (ArrayBuffer.isView(value)) {
    const b = new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    return `${value.constructor.name}(${hex(b)})`
  }
  if (value instanceof Map) {
    const entries = [...value]
    // Where all keys are text, a Map and an object say the same.
    if (entries.every(([k]) => typeof k === 'string')) return `{${entries.map(([k, v]) => `${shown(k)}:${shown(v)}`).join(',')}}`
    return `Map{${entries.map(([k, v]) => `${shown(k)}=>${shown(v)}`).join(',')}}`
  }
  const entries = Object.keys(value).map((k) => `${shown(k)}:${shown((value as Record<string, unknown>)[k])}`)
  const prototype: unknown = Object.getPrototypeOf(value)
  const name = prototype === Object.prototype || prototype === null ? '' : value.constructor.name
  return `${name}{${entries.join(',')}}`
}

export function same(actual: unknown, expected: unknown, what = ''): void {
  const a = shown(actual)
  const e = shown(expected)
  if (a !== e) throw new Error(`${what} ${a.slice(0, 400)} is not ${e.slice(0, 400)}`)
}

export function ok(condition: unknown, what = 'not true'): asserts condition {
  if (!condition) throw new Error(what)
}

interface Place {
  code: string
  offset?: number
  path?: string
}

/** That a call fails with a code, and at a place where one is given. */
export function fails(call: () => unknown, expected: Place | string, what = ''): void {
  let value: unknown
  try {
    value = call()
  } catch (error) {
    return place(error, expected, what)
  }
  throw new Error(`${what} did not fail but gave ${shown(value).slice(0, 200)}`)
}

export function place(error: unknown, expected: Place | string, what = ''): void {
  const want = typeof expected === 'string' ? { code: expected } : expected
  const e = error as { name?: string; code?: string; offset?: number; path?: string; message?: string }
  if (e.name !== 'SamewireError') throw error
  for (const key of ['code', 'offset', 'path'] as const) {
    if (want[key] !== undefined && e[key] !== want[key]) {
      throw new Error(`${what} ${key} is ${String(e[key])}, not ${String(want[key])}: ${e.message}`)
    }
  }
}

export function hex(bytes: Uint8Array): string {
  let s = ''
  for (const b of bytes) s += (b < 16 ? '0' : '') + b.toString(16)
  return s
}

export function unhex(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length / 2)
  for (let i = 0; i < bytes.length; i++) bytes[i] = parseInt(text.slice(i * 2, i * 2 + 2), 16)
  return bytes
}

export function cat(...parts: (Uint8Array | number[])[]): Uint8Array {
  const all = parts.map((p) => Uint8Array.from(p))
  const out = new Uint8Array(all.reduce((n, p) => n + p.length, 0))
  let at = 0
  for (const p of all) {
    out.set(p, at)
    at += p.length
  }
  return out
}
