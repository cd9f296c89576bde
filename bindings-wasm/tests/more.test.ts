// Views, schemas, the inspector, work off the thread.

import { fails, hex, ok, same, test, unhex, place } from './harness.js'

const message = { user: { name: 'Ada', 'a/b': 1 }, items: Array.from({ length: 100 }, (_, i) => ({ id: i, tag: `t${i}` })), n: null }

test('a view makes only what is asked for', (sw) => {
  for (const format of ['msgpack', 'json'] as const) {
    const bytes = format === 'msgpack' ? sw.encode(message) : sw.stringifyToBytes(message)
    const v = sw.view(bytes, format)
    same(v.get('/user/name'), 'Ada')
    same(v.get('/items/42'), { id: 42, tag: 't42' })
    same(v.get('/user/a~1b'), 1)
    same([v.get('/nothing'), v.get('/items/100'), v.get('/user/name/x')], [undefined, undefined, undefined])
    same(v.get('/n'), null)
    same(v.at('items', 7, 'id')?.value(), 7)
    same(v.at('user')?.at('a/b')?.value(), 1)
    same([v.kind, v.length, v.at('items')?.kind, v.at('items')?.length, v.at('n')?.kind, v.at('n')?.length], ['map', 3, 'array', 100, 'scalar', 0])
    same(v.at('user')!.raw, format === 'msgpack' ? sw.encode(message.user, { pool: false }) : sw.stringifyToBytes(message.user))
    same([...v.at('user')!].map(([k, w]) => [k, w.value()]), [['name', 'Ada'], ['a/b', 1]])
    same([...v.at('items')!.entries()].map(([k]) => k), message.items.map((_, i) => i))
    same(v.value(), message)
    // Two at once: each keeps its own message.
    const other = sw.view(sw.encode([1, [2]]))
    same([other.get('/1/0'), v.get('/items/3/id'), other.get('/0')], [2, 3, 1])
    fails(() => v.get('user'), 'invalid-syntax')
  }
  same(sw.view(' [1, 2] ', 'json').get('/1'), 2)
  fails(() => sw.view(unhex('92c0a1')), 'length-exceeds-input')
  fails(() => sw.view('[1,]', 'json'), 'invalid-syntax')
})

test('schemas', (sw) => {
  const document = { type: 'object', properties: { name: { type: 'string' }, price: { type: 'number' }, at: { type: 'string', format: 'date-time' } }, required: ['name'] }
  const schema = new sw.Schema<{ name: string; price?: number; at?: Date }>(document)
  same(schema.document, document)
  // A whole number in a float's field is a float on the wire, and fields are in the schema's order.
  same(hex(schema.encode({ price: 1, name: 'tea' })), '82a46e616d65a3746561a57072696365cb3ff0000000000000')
  same(schema.stringify({ price: 1, name: 'tea', at: new Date(0) }), '{"name":"tea","price":1.0,"at":"1970-01-01T00:00:00Z"}')
  same(schema.parse('{"name":"tea","at":"1970-01-01T00:00:00Z"}'), { name: 'tea', at: new Date(0) })
  same(schema.decode(schema.encode({ name: 'x', price: 2.5 })), { name: 'x', price: 2.5 })
  fails(() => schema.parse('{"price": 3}'), 'missing-field')
  fails(() => schema.encode({ name: 5 as never }), { code: 'type-mismatch', path: '/name' })
  schema.validate('{"name":"x"}', 'json')
  fails(() => schema.validate('{"name":1}', 'json'), { code: 'type-mismatch', path: '/name' })
  same(new TextDecoder().decode(schema.transcode(schema.encode({ name: 'x', at: new Date(0) }), 'msgpack', 'json')), '{"name":"x","at":"1970-01-01T00:00:00Z"}')
  fails(() => new sw.Schema({ type: 'thing' }), 'invalid-schema')
})

test('a change of a schema is judged', (sw) => {
  const old = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }
  const changed = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] }
  const [finding] = sw.check(old, changed, 'BACKWARD')
  same([finding?.rule, finding?.path, finding?.severity, finding?.mode], ['type-changed', '/id', 'error', 'BACKWARD'])
  same(sw.check(old, old), [])
  same(sw.check([new sw.Schema(old), old], JSON.stringify(old), 'FULL_TRANSITIVE'), [])
  fails(() => sw.check(old, { type: 'thing' }), 'invalid-schema')
  fails(() => sw.check(old, old, 'SIDEWAYS' as never), 'invalid-option')
})

test('metrics count what happens, and nothing when off', (sw) => {
  const { metrics } = sw
  sw.decode(sw.encode(1))
  same([metrics.enabled, metrics.snapshot()], [false, []])
  metrics.enable()
  try {
    sw.decode(sw.encode('abc'))
    new sw.Decoder('json').decode('[1]')
    fails(() => sw.decode(unhex('c1')), 'invalid-marker')
    const all = metrics.snapshot()
    const [encode, decode, json] = ['encode', 'decode', 'decode'].map((operation, i) => all.find((m) => m.operation === operation && m.format === (i === 2 ? 'json' : 'msgpack')))
    same([encode?.count, decode?.count, json?.count], [1, 2, 1])
    same([decode?.failures, decode?.bytes.sum, json?.bytes.sum], [{ 'invalid-marker': 1 }, 4, 3])
    ok(metrics.prometheus().includes('samewire_failures_total{operation="decode",format="msgpack",code="invalid-marker"} 1'))
  } finally {
    metrics.disable()
    metrics.reset()
  }
  sw.decode(sw.encode(1))
  same(metrics.snapshot(), [])
})

test('the inspector shows also what is broken', (sw) => {
  ok(sw.inspect(unhex('81a26964ccc8')).includes('200'))
  ok(sw.inspect(unhex('92c0c1')).includes('invalid-marker'))
  ok(sw.inspect('{"a":1}', 'json').includes('/a'))
})

test('off the thread', async (sw) => {
  const big = { list: Array.from({ length: 5000 }, (_, i) => ({ i, s: `string ${i % 50}`, f: i + 0.5, d: new Date(i), b: new Uint8Array([i & 255]), u: `é${i}` })) }
  const bytes = sw.encode(big)
  same(await sw.decodeAsync(bytes), big)
  const text = await sw.transcodeAsync(sw.encode([1, 'x']), 'msgpack', 'json')
  same(new TextDecoder().decode(text), '[1,"x"]')
  same(await sw.decodeAsync('{"a":[1.5]}', { format: 'json' }), { a: [1.5] })
  same(await sw.encodeAsync(big), bytes)
  for (const options of [{}, { canonical: true }, { sortKeys: true }, { omitNull: true, default: (v: unknown) => String(v) }]) {
    const value = { b: [1n, 'é', null, new Date(0)], a: new Map([['z', new Uint8Array([1])]]), n: null }
    same(await sw.encodeAsync(value, options), sw.encode(value, options))
    same(await sw.encodeAsync(value, { ...options, format: 'json' }), sw.stringifyToBytes(value, options))
  }
  // The value is taken as it is when the call is made.
  const changing = { list: [1] }
  const promise = sw.encodeAsync(changing, { format: 'json' })
  changing.list.push(2)
  same(new TextDecoder().decode(await promise), '{"list":[1]}')
  for (const [call, expected] of [
    [() => sw.encodeAsync({ a: [() => 1] }), { code: 'unsupported-type', path: '/a/0' }],
    [() => sw.encodeAsync({ a: NaN }, { format: 'json' }), { code: 'non-finite-number', path: '/a' }],
    [() => sw.encodeAsync(1, { format: 'xml' as never }), { code: 'invalid-option' }],
    [() => sw.encodeAsync(1, { nothing: 1 } as never), { code: 'invalid-option' }],
    [() => sw.decodeAsync('text' as never), { code: 'unsupported-type' }],
    [() => sw.decodeAsync('"\ud83d', { format: 'json' }), { code: 'lone-surrogate', offset: 1 }],
  ] as [() => Promise<unknown>, { code: string; path?: string; offset?: number }][]) {
    try {
      await call()
      ok(false, 'it did not fail')
    } catch (error) {
      place(error, expected)
    }
  }
  for (const call of [() => sw.decodeAsync(unhex('92')), () => sw.transcodeAsync(unhex('92'), 'msgpack', 'json')]) {
    try {
      await call()
      ok(false, 'it did not fail')
    } catch (error) {
      place(error, { code: 'length-exceeds-input', offset: 0, path: '' })
      ok(error instanceof sw.SamewireError)
    }
  }
  same((await Promise.all(Array.from({ length: 20 }, (_, i) => sw.decodeAsync(sw.encode(i))))).length, 20)
})
