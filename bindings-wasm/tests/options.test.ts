// Options, errors, hooks, extensions.

import { fails, hex, ok, same, test, unhex } from './harness.js'

test('options are checked at once', (sw) => {
  for (const bad of [{ sortKey: true }, { sort_keys: true }, { maxDepth: 513 }, { maxDepth: -1 }, { maxDepth: 1.5 }, { mapKeys: 'all' }, { indent: '2' },
    { default: 1 }, { objectHook: {} }, { ext: {} }, { pool: 1 }, { unsafeEval: 'no' }, { sortKeys: () => 1 }]) {
    fails(() => sw.encode(1, bad as never), 'invalid-option', JSON.stringify(bad))
    fails(() => sw.decode(unhex('01'), bad as never), 'invalid-option')
    fails(() => new sw.Encoder('json', bad as never), 'invalid-option')
  }
  fails(() => new sw.Encoder('xml' as never), 'invalid-option')
  fails(() => sw.encode(1, 5 as never), 'invalid-option')
  same(hex(sw.encode(1, { sortKeys: undefined })), '01')
})

test('an error has a name, a code, a place and a sentence', (sw) => {
  try {
    sw.decode(unhex('82a161c0a1629301'))
    ok(false)
  } catch (e) {
    const error = e as InstanceType<typeof sw.SamewireError>
    ok(error instanceof sw.SamewireError && error instanceof Error)
    same([error.name, error.code, error.offset, error.path], ['SamewireError', 'length-exceeds-input', 6, '/b'])
    ok(error.message.includes('length-exceeds-input') && error.message.includes('6') && error.message.includes('/b'))
    same(Object.keys(error).includes('name'), false)
  }
})

test('depth', (sw) => {
  const nested = (n: number): unknown => {
    let v: unknown = 1
    for (let i = 0; i < n; i++) v = [v]
    return v
  }
  same(sw.decode(sw.encode(nested(512))), nested(512))
  fails(() => sw.encode(nested(513)), 'depth-exceeded')
  fails(() => sw.stringify(nested(513)), 'depth-exceeded')
  fails(() => sw.encode(nested(3), { maxDepth: 2 }), { code: 'depth-exceeded', path: '/0/0' })
  fails(() => sw.decode(new Uint8Array(1_000_000).fill(0x91)), 'depth-exceeded')
  fails(() => sw.parse('['.repeat(1_000_000)), 'depth-exceeded')
  fails(() => sw.decode(new Uint8Array(200_000 * 3).map((_, i) => [0x81, 0xa1, 0x61][i % 3]!)), 'depth-exceeded')
  const cycle: Record<string, unknown> = {}
  cycle['self'] = cycle
  fails(() => sw.encode(cycle), 'depth-exceeded')
  const list: unknown[] = []
  list.push(list)
  fails(() => sw.encode(list), 'depth-exceeded')
  same(hex(sw.encode([1])), '9101')
})

test('header bombs', (sw) => {
  for (const bomb of ['ddffffffff', 'dfffffffff', 'dbffffffff61', 'c6ffffffff', 'c9ffffffff01', 'dd000f4240'.repeat(100)]) {
    fails(() => sw.decode(unhex(bomb)), 'length-exceeds-input')
  }
  fails(() => sw.decode(unhex('dcffff'.repeat(24000))), 'depth-exceeded')
})

test('limits trip one past the limit', (sw) => {
  const items = sw.encode(Array(999).fill(null))
  same(sw.decode<unknown[]>(items, { maxItems: 1000 }).length, 999)
  fails(() => sw.decode(sw.encode(Array(1000).fill(null)), { maxItems: 1000 }), 'too-many-items')
  same(sw.decode(unhex('a3616263'), { maxBytes: 4 }), 'abc')
  fails(() => sw.decode(unhex('a461626364'), { maxBytes: 4 }), 'input-too-large')
})

test('hooks see finished objects and may call back', (sw) => {
  const bytes = sw.encode({ a: { kind: 'x', n: 1 }, b: [{ kind: 'y' }], s: 'a string that is kept', d: new Uint8Array([1, 2]) })
  const seen: unknown[] = []
  const big = sw.encode(Array.from({ length: 50000 }, (_, i) => `string ${i}`))
  const value = sw.decode(bytes, { objectHook: (o) => {
    seen.push(o['kind'])
    // Grows memory and uses sessions while the outer one is in use.
    same(sw.decode<string[]>(big)[49999], 'string 49999')
    same(sw.decode(sw.encode({ inner: [o['kind'] ?? null] })), { inner: [o['kind'] ?? null] })
    return o['kind'] === undefined ? o : `hooked ${String(o['kind'])}`
  } })
  same(seen, ['x', 'y', undefined])
  same(value, { a: 'hooked x', b: ['hooked y'], s: 'a string that is kept', d: new Uint8Array([1, 2]) })
  const thrown = new Error('mine')
  try {
    sw.decode(bytes, { objectHook: () => { throw thrown } })
    ok(false)
  } catch (e) {
    ok(e === thrown)
  }
  for (let i = 0; i < 5; i++) same(sw.decode(bytes), sw.decode(bytes))
})

test('encode inside encode', (sw) => {
  const inner = { x: 'y'.repeat(100000) }
  const outer = { a: 1, b: { toJSON: () => sw.encode(inner).length }, c: [() => sw.stringify({ z: 1 }), 2], d: 'end' }
  same(sw.decode(sw.encode(outer, { default: (f) => (f as () => unknown)() })), { a: 1, b: 100006 + 2, c: ['{"z":1}', 2], d: 'end' })
  const deep = (): unknown => sw.encode([() => 0], { default: deep })
  fails(deep, 'depth-exceeded')
  same(hex(sw.encode([1])), '9101')
})

test('extensions', (sw) => {
  const { Ext, ExtRegistry } = sw
  for (const n of [0, 1, 2, 3, 4, 5, 8, 9, 16, 17, 255, 256, 70000]) {
    for (const type of [0, 127, -2, -128]) {
      const ext = new Ext(type, new Uint8Array(n).fill(3))
      same(sw.decode(sw.encode([ext, 1])), [ext, 1])
      // Through the core, which relays by an extension type of its own.
      same(sw.decode(sw.encode([ext, 1], { sortKeys: true })), [ext, 1])
    }
  }
  fails(() => new Ext(128, new Uint8Array(0)), 'invalid-option')
  fails(() => sw.stringify(new Ext(1, new Uint8Array(1))), 'unsupported-type')
  class Vec { constructor(readonly x: number) {} }
  class Vec2 extends Vec {}
  const registry = new ExtRegistry().add(7, Vec, (v) => sw.encode(v.x), (data) => new Vec(sw.decode(data)))
  const bytes = sw.encode({ v: new Vec(5), w: new Vec2(6) }, { ext: registry })
  const value = sw.decode<{ v: Vec; w: Vec }>(bytes, { ext: registry })
  ok(value.v instanceof Vec && value.v.x === 5 && value.w instanceof Vec && value.w.x === 6)
  same(sw.decode(unhex('d40705'), { extHook: (type, data) => [type, data] }), [7, new Uint8Array([5])])
  fails(() => new ExtRegistry().add(1, Vec, () => new Uint8Array(0), () => new Vec(1)).add(1, Vec, () => new Uint8Array(0), () => new Vec(1)), 'invalid-option')
  fails(() => sw.encode(new Vec(1), { ext: new ExtRegistry().add(1, Vec, () => 5 as never, () => new Vec(1)) }), 'hook-failed')
  // A payload that contains its own kind, without end.
  let nested = unhex('c0')
  for (let i = 0; i < 1000; i++) nested = sw.encode(new Ext(1, nested), { pool: false })
  fails(() => sw.decode(nested, { extHook: function hook(_, data): unknown { return sw.decode(data, { extHook: hook }) } }), 'depth-exceeded')
})

test('raw values are put in place', (sw) => {
  const raw = new sw.Raw(sw.encode({ a: [1, 2] }))
  same(sw.decode(sw.encode([raw, { b: raw }])), [{ a: [1, 2] }, { b: { a: [1, 2] } }])
  same(sw.stringify([new sw.Raw('{"x": 1.50}'), 2]), '[{"x": 1.50},2]')
  same(sw.stringify([new sw.Raw('{"x": 1.50}'), 2], { sortKeys: true }), '[{"x":1.5},2]')
  same(hex(sw.encode(new sw.Raw(unhex('82a16202a16101')), { sortKeys: true })), '82a16101a16202')
  fails(() => sw.encode({ a: new sw.Raw(unhex('92')) }), 'length-exceeds-input')
  fails(() => sw.stringify(new sw.Raw('{')), 'truncated')
})

test('Encoder and Decoder', (sw) => {
  const encoder = new sw.Encoder('json', { sortKeys: true })
  same(new TextDecoder().decode(encoder.encode({ b: 1, a: 2 })), '{"a":2,"b":1}')
  const target = new Uint8Array(20)
  same(encoder.encodeInto({ a: 1 }, target, 3), 10)
  same(new TextDecoder().decode(target.subarray(3, 10)), '{"a":1}')
  fails(() => encoder.encodeInto('long enough to fail', new Uint8Array(5)), 'buffer-too-small')
  fails(() => sw.encodeInto(1, new Uint8Array(1), 2), 'buffer-too-small')
  same(sw.encodeInto([1, 2], target, 1), 4)
  same(hex(target.subarray(1, 4)), '920102')
  same(new sw.Decoder('json').decode('[1]'), [1])
  same(new sw.Decoder<{ a: number }>('msgpack').decode(unhex('81a16101')).a, 1)
})

test('decodeFrom', (sw) => {
  const bytes = unhex('00a16192010205')
  same(sw.decodeFrom(bytes, 1), { value: 'a', end: 3 })
  same(sw.decodeFrom(bytes, 3), { value: [1, 2], end: 6 })
  same(sw.decodeFrom(new TextEncoder().encode('1 [2] '), 1, { format: 'json' }), { value: [2], end: 5 })
  fails(() => sw.decodeFrom(bytes, 7), { code: 'truncated', offset: 7 })
  fails(() => sw.decodeFrom(bytes, 8), 'truncated')
  fails(() => sw.decodeFrom(bytes, -1), 'invalid-option')
})

test('int64', (sw) => {
  const big = unhex('92cf002000000000000001')
  same(sw.decode(big, { int64: 'auto' }), [9007199254740992n, 1])
  same(sw.decode(big, { int64: 'bigint' }), [9007199254740992n, 1n])
  same(sw.decode(big, { int64: 'string' }), ['9007199254740992', 1])
  fails(() => sw.decode(big, { int64: 'number' }), { code: 'integer-out-of-range', path: '/0' })
})

test('results of encode do not touch each other', (sw) => {
  const all: [Uint8Array, string][] = []
  for (let i = 0; i < 5000; i++) {
    const bytes = sw.encode({ i, s: 'x'.repeat(i % 300) })
    ok(bytes.constructor === Uint8Array)
    all.push([bytes, hex(bytes)])
  }
  for (const [bytes, text] of all) same(hex(bytes), text)
  const own = sw.encode([1], { pool: false })
  same(own.buffer.byteLength, own.byteLength)
})
