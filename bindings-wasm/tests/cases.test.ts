// Failures that other libraries had, by their number in the collection of real-world cases, where they are about
// JavaScript and not in the vectors or in another file.

import { fails, hex, ok, same, test, unhex } from './harness.js'

test('float-09: a float32 is widened bit for bit', (sw) => same(sw.decode(unhex('ca3fa66666')), 1.2999999523162842))

test('float-13: integers among floats', (sw) => same(sw.decode(unhex('93cb3feccccccccccccd01cb3ff199999999999a')), [0.9, 1, 1.1]))

test('float-19: canonical numbers are those of ECMAScript', (sw) => {
  const numbers = [1e21, 1e-7, 1e20, 5e-324, -0, 333333333.33333329]
  same(sw.stringify(numbers, { canonical: true }), '[1e+21,1e-7,100000000000000000000,5e-324,0,333333333.3333333]')
  same(sw.stringify(numbers, { canonical: true }), JSON.stringify(numbers))
})

test('int-01, int-03, int-20: the type follows the value, not the width', (sw) => {
  same(sw.decode(unhex('cf0020000000000001')), 9007199254740993n)
  same(sw.decode(unhex('93cf0000000000000001cd0001d30000000000000001')), [1, 1, 1])
  for (const bytes of ['2a', 'cc2a', 'cf000000000000002a', 'd3000000000000002a']) same(sw.decode(unhex(bytes)), 42)
})

test('int-07, int-09, int-11: 65-bit integers in JSON are exact', (sw) => {
  same(sw.parse('19500000000000000001'), 19500000000000000001n)
  same(sw.parse('[-9223372036854775808,-9223372036854775809]'), [-9223372036854775808n, -9223372036854775809n])
  same(sw.parse('{"n":99999999999999999999}'), { n: 99999999999999999999n })
})

test('int-22: the safe range is tested on the digits', (sw) => {
  same(sw.parse('9007199254740991', { int64: 'number' }), 9007199254740991)
  for (const text of ['9007199254740992', '9007199254740993']) fails(() => sw.parse(text, { int64: 'number' }), 'integer-out-of-range')
})

test('int-24: bits that look like a NaN', (sw) => same(sw.decode(unhex('9200d3fff7ffffffffffff')), [0, -2251799813685249]))

test('int-16: a private marker of another library is a key', (sw) => {
  same(sw.parse('{"$serde_json::private::Number":"1e3"}'), { '$serde_json::private::Number': '1e3' })
})

test('sec-02: decoded toString and valueOf are data', (sw) => {
  const value = sw.decode<object>(unhex('82a8746f537472696e6701a776616c75654f6602'))
  ok(Object.hasOwn(value, 'toString') && Object.hasOwn(value, 'valueOf'))
  same(hex(sw.encode(value)), '82a8746f537472696e6701a776616c75654f6602')
  fails(() => sw.encode({ a: value, b: () => 1 }), { code: 'unsupported-type', path: '/b' })
  fails(() => sw.decode(value as never), 'unsupported-type')
  fails(() => sw.encode(1, { maxDepth: value as never }), 'invalid-option')
})

test('str-13: many objects with CJK text', (sw) => {
  const value = Array.from({ length: 20000 }, (_, i) => ({ k: '日本語の文字列が十八文字あります。ね'.slice(0, 17) + (i % 10) }))
  same(sw.decode(sw.encode(value)), value)
})

test('str-15: a byte order mark is an error by name', (sw) => {
  fails(() => sw.parse(unhex('efbbbf7b7d')), 'invalid-syntax')
  fails(() => sw.parse('\ufeff{}'), 'invalid-syntax')
})

test('key-10, key-12: order', (sw) => {
  same([...sw.decode<Map<string, number>>(unhex('83a16201a13102a16103'), { mapKeys: 'any' }).keys()], ['b', '1', 'a'])
  same(sw.stringify({ '\ufb33': 1, '\u{1f600}': 2 }, { canonical: true }), '{"\u{1f600}":2,"\ufb33":1}')
})

test('ext-01, ext-03, ext-05: codes are signed, payloads are payloads', (sw) => {
  same(sw.decode(unhex('92d407c0c70507c001020304')), [new sw.Ext(7, unhex('c0')), new sw.Ext(7, unhex('c001020304'))])
  same(sw.decode(unhex('92d4800ad47f0b')), [new sw.Ext(-128, unhex('0a')), new sw.Ext(127, unhex('0b'))])
  for (const bad of ['d4ff0c', 'c705ff0102030405', 'c700ff']) fails(() => sw.decode(unhex(bad)), 'invalid-timestamp')
})

test('bomb-11: a long integer takes linear time', (sw) => {
  const start = performance.now()
  ok(typeof sw.parse('9'.repeat(100000)) === 'bigint')
  ok(performance.now() - start < 2000)
})

test('perf-04: nested arrays take time in proportion', (sw) => {
  const make = (n: number): Uint8Array => sw.encode(Array.from({ length: n }, () => Array.from({ length: n }, (_, i) => i)))
  const time = (bytes: Uint8Array): number => {
    let best = Infinity
    for (let i = 0; i < 3; i++) {
      const start = performance.now()
      sw.decode(bytes)
      best = Math.min(best, performance.now() - start)
    }
    return best
  }
  const [small, large] = [make(200), make(800)]
  time(small)
  // On a busy machine one round says little; what grows with the square of the size would fail all of them.
  const ratios: number[] = []
  do ratios.push(time(large) / Math.max(time(small), 0.2))
  while (ratios.length < 5 && Math.min(...ratios) >= 64)
  ok(Math.min(...ratios) < 100, `16 times the values took ${ratios.map((r) => r.toFixed(1)).join(', ')} times as long`)
})

test('stream-05: what follows a value is an error, or the next value', (sw) => {
  fails(() => sw.decode(unhex('0102')), { code: 'trailing-data', offset: 1 })
  fails(() => sw.parse('1 2'), { code: 'trailing-data', offset: 2 })
})

test('time-03, time-05, time-17: nanoseconds are positive, and less than a second', (sw) => {
  same((sw.decode(unhex('c70cff3b9ac61800000007915ecc00')) as Date).toISOString(), '3000-01-01T00:00:00.999999Z')
  for (const bad of ['c70cff773593ff000000005868467f', 'd7ffee6b28005868467f', 'c70cff3b9aca000000000000000000', 'd7ffffffffff00000000']) fails(() => sw.decode(unhex(bad)), 'invalid-timestamp')
  same(hex(sw.encode(new Date(-1))), 'c70cff3b8b87c0ffffffffffffffff')
  same(hex(sw.encode(sw.Timestamp.fromNanoseconds(-1_000_000n))), 'c70cff3b8b87c0ffffffffffffffff')
  fails(() => new sw.Timestamp(1, 1_999_999_999), 'invalid-timestamp')
})

test('time-09, time-11: other people\'s times are what they were', (sw) => {
  same(sw.decode(unhex('c7090dcb4278bcfe56800000')), new sw.Ext(13, unhex('cb4278bcfe56800000')))
  const schema = new sw.Schema({ type: 'string', format: 'date-time' })
  for (const other of ['c7090dcb4278bcfe56800000', 'c40f010000000edce5e80000000000ffff', 'cb4278bcfe56800000']) fails(() => schema.decode(unhex(other)), 'type-mismatch')
})

test('float-03, float-05, float-07, float-11: JSON numbers', (sw) => {
  for (const n of [1.25e-7, 6.0328868632295236, 5e-324, 1.7976931348623157e308, 0.1, 1e23, -1e-7]) {
    same(sw.parse(sw.stringify(n)), n)
    same(sw.parse(String(n)), n)
  }
  for (const bad of ['10.', '1.e3', '.5', '+1', '01', '-', '1e', '1e+', '0x1', 'NaN', 'Infinity', '-Infinity', '1_0', '--1', '-01', '0.', '1.5.']) {
    let code: unknown
    try { sw.parse(bad) } catch (error) { code = (error as { code: string }).code }
    ok(code === 'invalid-syntax' || code === 'truncated' || code === 'trailing-data', `${bad}: ${String(code)}`)
  }
  same([sw.parse('-0'), sw.parse('-0.0'), sw.parse('-0e5'), sw.parse('0')], [-0, -0, -0, 0])
  for (const n of [NaN, Infinity, -Infinity]) {
    fails(() => sw.stringify([n]), { code: 'non-finite-number', path: '/0' })
    same(sw.stringify([n], { nonFinite: 'null' }), '[null]')
    same(sw.stringify([n], { nonFinite: 'string' }), `["${n}"]`)
    same(sw.decode(sw.encode([n])), [n])
  }
})

test('int-15, int-18: bigints keep their sign, and fields their range', (sw) => {
  same([hex(sw.encode(-1000n)), hex(sw.encode(-(2n ** 63n))), hex(sw.encode(2n ** 64n - 1n))], ['d1fc18', 'd38000000000000000', 'cfffffffffffffffff'])
  for (const n of [2n ** 64n, -(2n ** 63n) - 1n, 10n ** 40n]) {
    fails(() => sw.encode({ n }), { code: 'integer-out-of-range', path: '/n' })
    same(sw.stringify({ n }), `{"n":${n}}`)
    same(sw.parse(`{"n":${n}}`), { n })
  }
  const schema = new sw.Schema<unknown>({ properties: { age: { type: 'integer', minimum: -(2 ** 53 - 1) } } })
  same(hex(schema.encode({ age: 22 })), '81a361676516')
  fails(() => schema.encode({ age: 1.5 }), { code: 'type-mismatch', path: '/age' })
  fails(() => schema.encode({ age: '22' }), { code: 'type-mismatch', path: '/age' })
})

test('key-06, key-08: a key that stands twice, however it is spelt', (sw) => {
  for (const bad of ['{"a":1,"a":2}', '{"a":1,"\\u0061":2}', '{"\\u0061":1,"a":2}', '{"é":1,"\\u00e9":2}', '{"":1,"":2}', '{"__proto__":1,"__proto__":2}', '{"😀":1,"\\ud83d\\ude00":2}']) {
    fails(() => sw.parse(bad), 'duplicate-key', bad)
    same(Object.values(sw.parse<object>(bad, { duplicateKeys: 'last' })), [2])
    same(Object.values(sw.parse<object>(bad, { duplicateKeys: 'first' })), [1])
  }
  fails(() => sw.parse('{"us":{"a":0},"us":{"b":1}}'), { code: 'duplicate-key', offset: 14, path: '/us' })
  fails(() => sw.decode(unhex('82a16101d9016102')), { code: 'duplicate-key', offset: 4, path: '/a' })
})

test('key-01, key-14, key-15: keys of any kind', (sw) => {
  fails(() => sw.decode(unhex('8101a161')), { code: 'map-key-type', offset: 1 })
  fails(() => sw.encode(new Map([[1, 'a']])), 'map-key-type')
  const any = { mapKeys: 'any' } as const
  same(sw.decode<Map<unknown, unknown>>(unhex('84c001c202cb3ff000000000000003cb7ff800000000000004'), any).size, 4)
  same([...sw.decode<Map<unknown, unknown>>(unhex('820001c203'), any).keys()], [0, false])
  const n = 65536
  const bytes = new Uint8Array(5 + n * 10)
  const view = new DataView(bytes.buffer)
  bytes[0] = 0xdf
  view.setUint32(1, n)
  for (let i = 0; i < n; i++) {
    bytes[5 + i * 10] = 0xcf
    view.setBigUint64(6 + i * 10, BigInt(i) << 44n)
    bytes[14 + i * 10] = 0xc0
  }
  const start = performance.now()
  same(sw.decode<Map<unknown, unknown>>(bytes, any).size, n)
  ok(performance.now() - start < 5000, 'integer keys that share buckets take quadratic time')
})

test('sec-04, str-01, str-05, str-17, stream-13: broken text, everywhere it is read', (sw) => {
  const broken = ['[-]', '["\\x"]', '["\\u12"]', '["\\ud800"]', '["\\udc49"]', '["\\ud83d\\u0041"]', '["\\ud83d', '["\\ud83d\\', '["\\ud83d\\u', '"\\udc49', '[[]', '["a', '["\\', '{"a"', '{"a":', '{"a":1,', '["a\u0000"]', '["a\b"]', '["\u001f"]', '\u00a0[]', '[1 2]', '{1:2}', "['a']", '[1,]', '{"a":1,}', '/**/1', '']
  const schema = new sw.Schema({})
  for (const text of broken) {
    const bytes = new TextEncoder().encode(text)
    const codes = [() => sw.parse(text), () => sw.parse(bytes), () => sw.view(text, 'json'), () => sw.transcode(bytes, 'json', 'msgpack'), () => sw.decodeFrom(bytes, 0, { format: 'json' }), () => schema.parse(text), () => schema.validate(text, 'json'), () => sw.stringify([new sw.Raw(text)])].map((read) => {
      try {
        read()
        return 'nothing'
      } catch (error) {
        return (error as { code: string }).code
      }
    })
    ok(codes.every((c) => c === codes[0]) && codes[0] !== 'nothing', `${JSON.stringify(text)}: ${codes.join()}`)
  }
  same(sw.parse('"\u007f"'), '\u007f')
})

test('str-07, str-09, str-11: broken UTF-8 by option, lengths in bytes', (sw) => {
  for (const bad of ['a2e280', 'a1ff', 'a2c080', 'a3eda080', 'a4f4908080', 'a1c3']) {
    fails(() => sw.decode(unhex(bad)), { code: 'invalid-utf8' })
    same(sw.decode(unhex(bad), { invalidUtf8: 'bytes' }), unhex(bad.slice(2)))
    ok(sw.decode<string>(unhex(bad), { invalidUtf8: 'replace' }).includes('\ufffd'))
  }
  same(sw.decode(unhex(`d980${'41'.repeat(128)}`)), 'A'.repeat(128))
  same(sw.decode(unhex(`d928${'c3a9'.repeat(20)}`)), 'é'.repeat(20))
  same(hex(sw.encode('é'.repeat(20))).slice(0, 4), 'd928')
})

test('api-02, api-08, ext-09: null and what is not there', (sw) => {
  same(sw.decode(unhex('81a161c0')), { a: null })
  same([hex(sw.encode({ a: undefined })), hex(sw.encode([undefined])), hex(sw.encode({ a: undefined, b: 1 })), hex(sw.encode([null, undefined]))], ['80', '91c0', '81a16201', '92c0c0'])
  same([sw.stringify({ a: undefined, b: null }), sw.stringify([undefined])], ['{"b":null}', '[null]'])
  same(sw.stringify({ a: null, b: undefined, c: [null] }, { omitNull: true }), '{"c":[null]}')
  for (const v of [() => 1, Symbol('x'), class {}, function* () { yield 1 }, Math.max]) fails(() => sw.encode(v), 'unsupported-type')
})
