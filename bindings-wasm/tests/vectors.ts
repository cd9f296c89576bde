// The conformance vectors in this runtime. `conformance/vectors/README.md` says what each key means.

import { fails, hex, ok, same, shown, unhex, place, type Samewire } from './harness.js'

/* eslint-disable @typescript-eslint/no-explicit-any */
export type Case = Record<string, any>

const camel = (name: string): string => name.replace(/_([a-z])/g, (_, c: string) => c.toUpperCase())

/** A value that this host cannot hold. */
class Beyond extends Error {}

function untag(sw: Samewire, v: any): any {
  if (Array.isArray(v)) return v.map((x) => untag(sw, x))
  if (v === null || typeof v !== 'object') return v
  const keys = Object.keys(v)
  if (keys.length === 1 && keys[0]!.startsWith('$')) {
    const x = v[keys[0]!]
    const bytes = (text: string): Uint8Array => Uint8Array.from(atob(text), (c) => c.charCodeAt(0))
    switch (keys[0]) {
      case '$int': {
        const n = BigInt(x)
        return n >= -0x1fffffffffffffn && n <= 0x1fffffffffffffn ? Number(n) : n
      }
      case '$float': {
        if (!x.startsWith('0x')) return Number(x)
        const view = new DataView(new ArrayBuffer(8))
        view.setBigUint64(0, BigInt(x))
        return view.getFloat64(0)
      }
      case '$bin': return bytes(x)
      case '$time': return time(sw, x)
      case '$ext': return new sw.Ext(x[0], bytes(x[1]))
      case '$map': return new Map(x.map(([k, y]: [any, any]) => [untag(sw, k), untag(sw, y)]))
      case '$obj': return object(sw, x)
    }
  }
  return object(sw, v)
}

function object(sw: Samewire, v: any): any {
  const o = {}
  for (const k of Object.keys(v)) Object.defineProperty(o, k, { value: untag(sw, v[k]), writable: true, enumerable: true, configurable: true })
  return o
}

function time(sw: Samewire, x: any): any {
  let seconds: number
  let nanoseconds: number
  if (Array.isArray(x)) {
    seconds = untag(sw, x[0])
    nanoseconds = x[1]
  } else {
    const [, head, fraction = '', zone] = /^(.*?)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/i.exec(x)!
    seconds = Date.parse(`${head}${zone}`) / 1000
    nanoseconds = Number(fraction.padEnd(9, '0'))
  }
  if (typeof seconds === 'bigint' || Math.abs(seconds) > 8.64e12) throw new Beyond()
  return nanoseconds % 1e6 === 0 ? new Date(seconds * 1000 + nanoseconds / 1e6) : new sw.Timestamp(seconds, nanoseconds)
}

export function optionsOf(c: Case): any {
  const options: any = {}
  for (const [name, v] of Object.entries(c.options ?? {})) options[camel(name)] = v
  return Object.keys(options).length === 0 ? undefined : options
}

function valueCase(sw: Samewire, own: Case, c: Case): void {
  const options = optionsOf(c)
  let value: any
  try {
    value = untag(sw, c.value)
  } catch (error) {
    if (!(error instanceof Beyond)) throw error
    ok(c.read_error, 'a value beyond the host has no read_error')
    fails(() => sw.decode(unhex(own.msgpack), options), c.read_error)
    return
  }
  if (c.msgpack !== undefined) same(hex(sw.encode(value, options)), c.msgpack, 'encode')
  if (c.msgpack_error !== undefined) fails(() => sw.encode(value, options), c.msgpack_error, 'encode')
  if (c.json !== undefined) {
    same(sw.stringify(value, options), c.json, 'stringify')
    same(new TextDecoder().decode(sw.stringifyToBytes(value, options)), c.json, 'stringifyToBytes')
  }
  if (c.json_error !== undefined) fails(() => sw.stringify(value, options), c.json_error, 'stringify')
  if (c.digest !== undefined) same(hex(sw.digest(value)), c.digest, 'digest')
  if (c.write_only) return
  for (const bytes of [own.msgpack, c.msgpack, ...(c.msgpack_accepted ?? [])]) {
    if (bytes !== undefined) same(sw.decode(unhex(bytes), options), value, `decode ${bytes}`)
  }
  const back = c.json_value === undefined ? value : untag(sw, c.json_value)
  for (const text of [own.json, c.json, ...(c.json_accepted ?? [])]) {
    if (text === undefined) continue
    same(sw.parse(text, options), back, `parse ${text}`)
    same(sw.parse(new TextEncoder().encode(text), options), back, `parse bytes of ${text}`)
  }
  if (own.msgpack !== undefined && own.json !== undefined) {
    same(new TextDecoder().decode(sw.transcode(unhex(own.msgpack), 'msgpack', 'json', options)), own.json, 'transcode')
    if (c.json_value === undefined) same(hex(sw.transcode(own.json, 'json', 'msgpack', options)), own.msgpack, 'transcode back')
  }
}

function inputCase(sw: Samewire, c: Case): void {
  const options = optionsOf(c)
  const inputs: (() => unknown)[] = []
  if (c.format === 'msgpack') inputs.push(() => sw.decode(unhex(c.input), options))
  else if (c.input_hex !== undefined) inputs.push(() => sw.parse(unhex(c.input_hex), options))
  else {
    inputs.push(() => sw.parse(new TextEncoder().encode(c.input), options))
    inputs.push(() => sw.parse(c.input as string, options))
  }
  for (const read of inputs) {
    if (c.error !== undefined) fails(read, c.error)
    else same(read(), untag(sw, c.value))
  }
}

async function streamCase(sw: Samewire, c: Case): Promise<void> {
  const input = c.format === 'msgpack' ? unhex(c.input) : new TextEncoder().encode(c.input)
  const cuts: Uint8Array[][] = [[input], Array.from(input, (b) => Uint8Array.of(b))]
  for (let i = 1; i < input.length; i++) cuts.push([input.subarray(0, i), input.subarray(i)])
  const want = (untag(sw, c.values) as unknown[]).map(shown)
  for (const cut of cuts) {
    const got: string[] = []
    let error: unknown
    try {
      for await (const v of sw.decodeStream(cut, { format: c.format, ...optionsOf(c) })) got.push(shown(v))
    } catch (e) {
      error = e
    }
    same(got, want, `${cut.length} chunks, ${cut[0]?.length} first`)
    if (c.error === undefined) {
      if (error !== undefined) throw error
    } else place(error, c.error)
  }
}

function schemaCase(sw: Samewire, c: Case): void {
  const options = optionsOf(c)
  if (c.document !== undefined) return fails(() => new sw.Schema(c.document), c.error)
  if (c.old !== undefined) {
    const findings = sw.check(c.old, c.new, c.mode)
    if (c.compatible !== undefined) same(findings.every((f) => f.severity !== 'error'), c.compatible)
    if (c.findings === undefined) return
    const line = (f: Case): string => [f.mode, f.rule, f.path, f.severity, f.format ?? 'both'].join(' ')
    return same(findings.map(line).sort(), c.findings.map(line).sort())
  }
  const bytes = (format: string, input: string): Uint8Array | string => (format === 'msgpack' ? unhex(input) : input)
  const read = (schema: InstanceType<typeof sw.Schema>, format: string, input: Uint8Array | string): unknown =>
    format === 'msgpack' ? schema.decode(input as Uint8Array, options) : schema.parse(input, options)
  if (c.from !== undefined) {
    const schema = new sw.Schema(c.reader)
    const given = (): Uint8Array => schema.transcode(bytes(c.from, c.input), c.from, c.to, options)
    if (c.error !== undefined) return fails(given, c.error)
    return same(c.to === 'msgpack' ? hex(given()) : new TextDecoder().decode(given()), c.gives)
  }
  if (c.format !== undefined) {
    const schema = new sw.Schema(c.reader)
    const input = bytes(c.format, c.input)
    if (c.error !== undefined) {
      fails(() => read(schema, c.format, input), c.error)
      return fails(() => schema.validate(input, c.format, options), c.error)
    }
    return same(read(schema, c.format, input), untag(sw, c.reads))
  }
  const writer = new sw.Schema(c.writer)
  const value = untag(sw, c.value)
  if (c.reader === undefined) {
    if (c.msgpack !== undefined) same(hex(writer.encode(value, options)), c.msgpack, 'encode')
    if (c.json !== undefined) same(writer.stringify(value, options), c.json, 'stringify')
    if (c.error !== undefined) {
      fails(() => writer.encode(value, options), c.error, 'encode')
      fails(() => writer.stringify(value, options), c.error, 'stringify')
    }
    return
  }
  const reader = new sw.Schema(c.reader)
  for (const format of ['msgpack', 'json']) {
    const input = format === 'msgpack' ? writer.encode(value, options) : writer.stringify(value, options)
    if (c.error === undefined) same(read(reader, format, input), untag(sw, c.reads), format)
    else fails(() => read(reader, format, input), c.error, format)
  }
}

/** Tagged JSON is no format of this package; its times are read as a schema's are. */
function timeCase(sw: Samewire, c: Case): boolean {
  const input = JSON.parse(c.input)
  if (typeof input?.$time !== 'string') return false
  const read = (): unknown => new sw.Schema({ type: 'string', format: 'date-time' }).parse(JSON.stringify(input.$time))
  if (c.error !== undefined) fails(read, c.error)
  else same(read(), untag(sw, c.value))
  return true
}

/** True for a case of this host. */
export const isOurs = (c: Case): boolean => c.only === undefined || c.only.includes('javascript')

/** Runs one case; false if it is not for this host. */
export async function runCase(sw: Samewire, own: Case): Promise<boolean> {
  const host = own.hosts?.javascript ?? {}
  if (host.skip !== undefined) return false
  const c = { ...own, ...host }
  if (c.stream) await streamCase(sw, c)
  else if (c.format === 'tagged') return timeCase(sw, c)
  else if (String(c.name).startsWith('schema/')) schemaCase(sw, c)
  else if (c.format !== undefined) inputCase(sw, c)
  else if ('value' in c) valueCase(sw, own, c)
  else return false
  return true
}
