// Depth and claims, on every function that reads or writes: the coded error, never a RangeError or a trap, and the
// engine goes on. The limit is the same in both directions and formats.

import { fails, ok, place, same, Skip, test, unhex, type Samewire } from './harness.js'

const MILLION = 1_000_000
const LIMIT = 512

/** Bytes that repeat. */
function repeated(hex: string, n: number, end = ''): Uint8Array {
  const [unit, tail] = [unhex(hex), unhex(end)]
  const bytes = new Uint8Array(unit.length * n + tail.length)
  for (let i = 0; i < n; i++) bytes.set(unit, i * unit.length)
  bytes.set(tail, unit.length * n)
  return bytes
}

/** Everything that reads bytes or text; promises for what does so later. */
function readers(sw: Samewire, format: 'msgpack' | 'json', data: Uint8Array | string): [string, () => unknown][] {
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data
  const other = format === 'json' ? 'msgpack' : 'json'
  const given = data as Uint8Array
  const schema = new sw.Schema({})
  const list: [string, () => unknown][] = [
    ['Decoder', () => new sw.Decoder(format).decode(bytes)],
    ['decodeFrom', () => sw.decodeFrom(bytes, 0, { format })],
    ['transcode', () => sw.transcode(given, format, other)],
    ['transcode to itself', () => sw.transcode(given, format, format)],
    ['transcode in canonical form', () => sw.transcode(given, format, other, { canonical: true })],
    ['view', () => sw.view(given, format)],
    ['schema', () => (format === 'json' ? schema.parse(bytes) : schema.decode(bytes))],
    ['schema.validate', () => schema.validate(bytes, format)],
    ['schema.transcode', () => schema.transcode(bytes, format, other)],
    ['hooks', () => new sw.Decoder(format, { objectHook: (o) => o, extHook: () => 1 }).decode(bytes)],
    ['mapKeys', () => new sw.Decoder(format, { mapKeys: 'any' }).decode(bytes)],
    ['duplicateKeys', () => new sw.Decoder(format, { duplicateKeys: 'last' }).decode(bytes)],
    ['decodeAsync', () => sw.decodeAsync(given, { format })],
    ['transcodeAsync', () => sw.transcodeAsync(given, format, other)],
    ['decodeStream', async () => { for await (const _ of sw.decodeStream([bytes], { format })) continue }],
  ]
  if (format === 'json') list.push(['parse', () => sw.parse(given)], ['parse of bytes', () => sw.parse(bytes)])
  else list.push(['decode', () => sw.decode(given)])
  return list
}

/** Everything that writes a value. */
function writers(sw: Samewire, value: unknown, options: object = {}): [string, () => unknown][] {
  const schema = new sw.Schema({})
  return [
    ['encode', () => sw.encode(value, options)],
    ['encode sorted', () => sw.encode(value, { ...options, sortKeys: true })],
    ['canonical', () => sw.encode(value, { ...options, canonical: true })],
    ['encodeInto', () => sw.encodeInto(value, new Uint8Array(8), 0, options)],
    ['stringify', () => sw.stringify(value, options)],
    ['stringifyToBytes', () => sw.stringifyToBytes(value, options)],
    ['stringify indented', () => sw.stringify(value, { ...options, indent: 1 })],
    ['digest', () => sw.digest(value, options)],
    ['Encoder', () => new sw.Encoder('json', options).encode(value)],
    ['schema.encode', () => schema.encode(value, options)],
    ['schema.stringify', () => schema.stringify(value, options)],
    ['encodeAsync', () => sw.encodeAsync(value, options)],
    ['encodeAsync as JSON', () => sw.encodeAsync(value, { ...options, format: 'json' })],
    ['encodeStream', async () => {
      const source = new ReadableStream<unknown>({ start(c) { c.enqueue(value); c.close() } })
      const reader = source.pipeThrough(sw.encodeStream(options)).getReader()
      while (!(await reader.read()).done) continue
    }],
  ]
}

async function allFail(list: [string, () => unknown][], codes: string | string[], what: string): Promise<void> {
  for (const [name, call] of list) {
    let value: unknown
    try {
      value = await call()
    } catch (error) {
      const { code } = error as { code?: string }
      if (!([] as unknown[]).concat(codes).includes(code)) place(error, String(codes), `${name}, ${what}`)
      continue
    }
    throw new Error(`${name}, ${what}: did not fail but gave ${typeof value}`)
  }
}

test('a million levels to read', async (sw) => {
  const inputs: ['msgpack' | 'json', string, Uint8Array | string][] = [
    ['msgpack', 'arrays', repeated('91', MILLION, 'c0')],
    ['msgpack', 'arrays of long headers', repeated('dc0001', MILLION, 'c0')],
    ['msgpack', 'arrays without an end', repeated('91', MILLION)],
    ['msgpack', 'maps', repeated('81a161', MILLION, 'c0')],
    ['msgpack', 'maps of long headers', repeated('df00000001a161', MILLION / 5, 'c0')],
    ['msgpack', 'both', repeated('9181a161', MILLION / 2, 'c0')],
    ['json', 'arrays', '['.repeat(MILLION)],
    ['json', 'arrays with an end', `${'['.repeat(MILLION)}${']'.repeat(MILLION)}`],
    ['json', 'objects', '{"a":'.repeat(MILLION)],
    ['json', 'both', '[{"a":'.repeat(MILLION / 2)],
  ]
  for (const [format, what, data] of inputs) {
    await allFail(readers(sw, format, data), 'depth-exceeded', `${what} in ${format}`)
    ok(typeof sw.inspect(typeof data === 'string' ? data.slice(0, 20000) : data.subarray(0, 20000), format) === 'string')
    same(sw.decode(unhex('93c2a16101')), [false, 'a', 1])
  }
  // Keys that are containers.
  fails(() => sw.decode(repeated('81', MILLION, 'c0'), { mapKeys: 'any' }), 'depth-exceeded')
  fails(() => sw.decode(repeated('81', MILLION, 'c0')), 'map-key-type')
})

test('a million levels to write', async (sw) => {
  const nest = (wrap: (v: unknown) => unknown): unknown => {
    let v: unknown = 1
    for (let i = 0; i < MILLION; i++) v = wrap(v)
    return v
  }
  class Own {
    constructor(readonly inner: unknown) {}
  }
  const endless = { toJSON: () => endless as unknown }
  const growing = (): unknown => ({ toJSON: () => [growing()] })
  const getter = (): unknown => ({ get a() { return getter() } })
  const proxy = (): unknown => new Proxy([], { get: (_, k) => (k === 'length' ? 1 : proxy()) })
  const array: unknown[] = []
  array.push(array)
  const map = new Map<string, unknown>()
  map.set('a', [map])
  const set = new Set<unknown>()
  set.add({ set })
  const values: [string, unknown, object?][] = [
    ['arrays', nest((v) => [v])], ['objects', nest((v) => ({ a: v }))], ['maps', nest((v) => new Map([['a', v]]))],
    ['sets', nest((v) => new Set([v]))], ['instances', nest((v) => new Own(v))], ['objects without prototype', nest((v) => Object.assign(Object.create(null) as object, { v }))],
    ['toJSON that gives itself', endless], ['toJSON without end', growing()], ['getters without end', getter()], ['proxies without end', proxy()],
    ['a hook that gives the same', [Symbol('x')], { default: (v: unknown) => v }], ['a hook that nests', [Symbol('x')], { default: (v: unknown) => [v] }],
    ['an array in itself', array], ['a map in itself', map], ['a set in itself', set],
  ]
  for (const [what, value, options] of values) {
    await allFail(writers(sw, value, options), 'depth-exceeded', what)
    same(sw.encode([1, { a: 2 }]).length, 6)
  }
})

test('the limit is exact, in both directions, and by option', async (sw) => {
  const at = (n: number): unknown => {
    let v: unknown = n % 2
    for (let i = 0; i < n; i++) v = i % 3 === 0 ? { a: v } : i % 3 === 1 ? new Map([['a', v]]) : [v]
    return v
  }
  for (const maxDepth of [undefined, 1, 2, 7, 511, 512]) {
    const n = maxDepth ?? LIMIT
    const options = maxDepth === undefined ? {} : { maxDepth }
    for (const [name, call] of writers(sw, at(n), options)) if (name !== 'encodeInto') await call()
    await allFail(writers(sw, at(n + 1), options), 'depth-exceeded', `${n + 1} levels where ${n} are allowed`)
    if (n + 1 <= LIMIT) {
      const [bytes, text] = [sw.encode(at(n + 1)), sw.stringify(at(n + 1))]
      fails(() => sw.decode(bytes, options), 'depth-exceeded')
      fails(() => sw.parse(text, options), 'depth-exceeded')
    }
    const [bytes, text] = [sw.encode(at(n)), sw.stringify(at(n))]
    for (const [name, call] of [...readers(sw, 'msgpack', bytes), ...readers(sw, 'json', text)]) {
      try {
        await call()
      } catch (error) {
        throw new Error(`${name} of ${n} levels: ${String(error)}`)
      }
    }
    same(sw.stringify(sw.decode(bytes, options), options), text)
  }
  for (const maxDepth of [513, 1e6, -1, 1.5, NaN, '5', 2 ** 40]) fails(() => sw.encode(1, { maxDepth } as never), 'invalid-option', `maxDepth ${maxDepth}`)
  fails(() => sw.encode([], { maxDepth: 0 }), 'depth-exceeded')
  same(sw.encode(1, { maxDepth: 0 }).length, 1)
})

test('headers that claim what is not there', async (sw) => {
  const bombs = [
    'ddffffffff', 'dfffffffff', 'dbffffffff', 'dbffffffff61', 'c6ffffffff', 'c9ffffffff01', 'c9ffffffffff', 'dcffff', 'deffff', 'daffff', 'c5ffff', 'c8ffff01',
    'd9ff', 'c4ff', 'c7ff01', '9f', '8f', 'bf', 'd401', 'd8ff', '92ddffffffff', '81a161dfffffffff', 'dd7fffffff', 'dd80000000', 'df7fffffff', 'dd0fffffff', 'dd10000000',
  ].map(unhex).concat([repeated('dcffff', 24000), repeated('dd000f4240', 100), repeated('de7fff', 24000), repeated('ddffffffff', 600), repeated('92ddffffffff', 1000)])
  for (const bytes of bombs) {
    const start = performance.now()
    await allFail(readers(sw, 'msgpack', bytes), ['truncated', 'length-exceeds-input', 'input-too-large', 'depth-exceeded', 'map-key-type'], `${bytes.length} bytes`)
    ok(typeof sw.inspect(bytes) === 'string')
    ok(performance.now() - start < 3000, 'it took seconds')
  }
  // The same against the values' own limits.
  fails(() => sw.decode(repeated('c0', 0, `dc03e9${'c0'.repeat(1001)}`), { maxItems: 1001 }), 'too-many-items')
  same(sw.decode<unknown[]>(unhex(`dc03e9${'c0'.repeat(1001)}`), { maxItems: 1002 }).length, 1001)
  fails(() => sw.decode(unhex('ab6161616161616161616161'), { maxBytes: 11 }), 'input-too-large')
  same(sw.decode(unhex('ab6161616161616161616161'), { maxBytes: 12 }), 'aaaaaaaaaaa')
})

test('a handler that decodes what it is given nests no deeper than the guard', (sw) => {
  let bytes: Uint8Array = unhex('c0')
  for (let i = 0; i < 10000; i++) {
    const inner = bytes
    const header = inner.length < 256 ? [0xc7, inner.length, 1] : inner.length < 65536 ? [0xc8, inner.length >> 8, inner.length & 255, 1] : [0xc9, inner.length >>> 24, (inner.length >> 16) & 255, (inner.length >> 8) & 255, inner.length & 255, 1]
    bytes = new Uint8Array(header.length + inner.length)
    bytes.set(header)
    bytes.set(inner, header.length)
  }
  let deepest = 0
  let depth = 0
  const extHook = (_: number, data: Uint8Array): unknown => {
    deepest = Math.max(deepest, ++depth)
    try {
      return sw.decode(data, { extHook })
    } finally {
      depth--
    }
  }
  fails(() => sw.decode(bytes, { extHook }), 'depth-exceeded')
  ok(deepest >= 100 && deepest <= 1000, `${deepest} levels`)
  const registry = new sw.ExtRegistry()
  class Box { constructor(readonly inner: unknown) {} }
  registry.add(1, Box, (b) => sw.encode(b.inner, { ext: registry }), (data) => new Box(sw.decode(data, { ext: registry })))
  fails(() => sw.decode(bytes, { ext: registry }), 'depth-exceeded')
  let value: unknown = null
  for (let i = 0; i < 10000; i++) value = new Box(value)
  fails(() => sw.encode(value, { ext: registry }), 'depth-exceeded')
  let few: unknown = 5
  for (let i = 0; i < 50; i++) few = new Box(few)
  let back = sw.decode<unknown>(sw.encode(few, { ext: registry }), { ext: registry })
  for (let i = 0; i < 50; i++) back = (back as Box).inner
  same(back, 5)
  same(sw.decode(sw.encode({ a: 1 })), { a: 1 })
})

test('a stack that is nearly used up: an exception, and everything goes on', (sw) => {
  // Firefox and WebKit may raise the exception in the middle of the module's allocator.
  const { process, navigator } = globalThis as { process?: unknown; navigator?: { userAgent?: string } }
  if (process === undefined && navigator?.userAgent?.includes('Chrome') !== true) throw new Skip('what a stack overflow inside WebAssembly leaves is not held here')
  let bytes: Uint8Array = new Uint8Array(0)
  const build = (n: number): unknown => (n === 0 ? { text: 'some text that is long enough', list: [1, 2.5, 'x'] } : { [`k${n % 5}`]: [build(n - 1)] })
  const value = build(30)
  bytes = sw.encode(value, { pool: false })
  const text = sw.stringify(value)
  let overflows = 0
  let others: unknown
  const calls = [() => sw.decode(bytes), () => sw.encode(value), () => sw.stringify(value), () => sw.parse(text), () => sw.transcode(bytes, 'msgpack', 'json'), () => sw.decode(bytes, { objectHook: (o) => o })]
  for (let k = 0; k < 60; k++) {
    const call = calls[k % calls.length]!
    // Each frame on the way back tries once: with ever more room.
    let tries = 12
    const dive = (): void => {
      try {
        dive()
      } catch (error) {
        if (!(error instanceof Error)) others = error
      }
      if (tries-- > 0) {
        try {
          call()
        } catch {
          overflows++
        }
      }
    }
    try {
      dive()
    } catch {
      // The outermost frames had no room either.
    }
    same(sw.decode(bytes), value, 'decode after an overflow')
    same(sw.stringify(value), text)
    same(sw.parse(text), value)
    fails(() => sw.decode(bytes.subarray(0, 20)), 'length-exceeds-input')
  }
  ok(others === undefined && overflows > 0, `${overflows} overflows`)
})
