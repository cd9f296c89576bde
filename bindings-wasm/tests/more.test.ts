// Views, schemas, the inspector, streams, work off the thread, bounds.

import { fails, hex, ok, same, test, unhex, place, Skip } from './harness.js'

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

test('large messages, one after another, and small ones between', (sw) => {
  const large = sw.encode(Array.from({ length: 400000 }, (_, i) => `${i} and some more text, so that it takes room`))
  const small = { a: 'text', b: ['text', 1.5] }
  for (let i = 0; i < 3; i++) {
    same(sw.decode<string[]>(large)[399999], '399999 and some more text, so that it takes room')
    for (let k = 0; k < 5; k++) same(sw.decode(sw.encode(small)), small)
  }
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

test('keys that never repeat leave memory bounded and shapes usable', (sw) => {
  const real = sw.encode({ id: 1, name: 'x' })
  for (let i = 0; i < 30000; i++) {
    const key = `k${i.toString(36)}`
    const v = sw.decode<Record<string, number>>(sw.encode({ [key]: 1, [`${key}b`]: 2 }))
    same(v[key], 1)
    if (i % 1000 === 0) {
      same(sw.decode(real), { id: 1, name: 'x' })
      const twice = sw.encode([key])
      const twin = new Uint8Array([0x82, ...twice.subarray(1), 1, ...twice.subarray(1), 2])
      fails(() => sw.decode(twin), { code: 'duplicate-key', path: `/${key}` })
    }
  }
})

test('failing calls leave everything usable', (sw) => {
  const good = sw.encode({ a: 'repeated', b: ['repeated', 'repeated', 1.5], c: { d: 'é' } })
  const value = sw.decode(good)
  for (let i = 0; i < 3000; i++) {
    try {
      sw.decode(good.subarray(0, i % good.length))
      ok(false, 'a message that is cut off was read')
    } catch (error) {
      ok(['truncated', 'length-exceeds-input'].includes((error as { code: string }).code), String(error))
    }
    fails(() => sw.parse('{"repeated":'), 'truncated')
    fails(() => sw.encode({ a: [() => 1] }), 'unsupported-type')
    fails(() => sw.encode(1, { nothing: 1 } as never), 'invalid-option')
    if (i % 100 === 0) same(sw.decode(good), value)
  }
  same(sw.decode(good), value)
})

test('one short string of a large message keeps little of it', (sw) => {
  const gc = (globalThis as { gc?: () => void }).gc
  const process = (globalThis as { process?: { memoryUsage(): { heapUsed: number } } }).process
  if (gc === undefined || process === undefined) throw new Skip('needs --expose-gc')
  const bytes = sw.encode(Array.from({ length: 20000 }, (_, i) => `a string of some length that is number ${i}`))
  const keep = (): string => sw.decode<string[]>(bytes)[10000]!
  keep()
  gc()
  const before = process.memoryUsage().heapUsed
  const kept: string[] = []
  for (let i = 0; i < 20; i++) kept.push(keep())
  gc()
  const each = (process.memoryUsage().heapUsed - before) / kept.length
  ok(each < 32768, `${Math.round(each)} bytes each`)
  same(kept[0], 'a string of some length that is number 10000')
})

test('memory stays flat over many failing calls and results', (sw) => {
  const gc = (globalThis as { gc?: () => void }).gc
  const process = (globalThis as { process?: { memoryUsage(): { rss: number; heapUsed: number; arrayBuffers: number } } }).process
  if (gc === undefined || process === undefined) throw new Skip('needs --expose-gc')
  const bad = unhex('82a161c0a162c1')
  const good = sw.encode({ b: new Uint8Array(8) })
  const round = (n: number): void => {
    for (let i = 0; i < n; i++) {
      try { sw.decode(bad) } catch { /* expected */ }
      try { sw.encode([() => 1]) } catch { /* expected */ }
      sw.decode(good)
    }
  }
  round(20000)
  gc()
  const before = process.memoryUsage()
  round(100000)
  gc()
  const after = process.memoryUsage()
  ok(after.heapUsed - before.heapUsed < 2e6, `heap grew by ${after.heapUsed - before.heapUsed}`)
  ok(after.arrayBuffers - before.arrayBuffers < 2e6, `buffers grew by ${after.arrayBuffers - before.arrayBuffers}`)
})
