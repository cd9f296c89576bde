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
