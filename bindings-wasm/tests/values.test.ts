// JavaScript's own values: what each becomes, and what comes back.

import { cat, fails, hex, ok, same, test, type Samewire } from './harness.js'

const back = (sw: Samewire, v: unknown, options?: object): unknown => sw.decode(sw.encode(v, options), options)

test('values come back', (sw) => {
  const value = { a: 1, b: [1, 2.5, -3, 1e10, 2 ** 40, -(2 ** 40)], s: 'text', u: 'Zürich 日本語 😀', n: null, t: true, f: false,
    d: new Date(1764540000123), m: { x: { y: 'z' } }, bytes: new Uint8Array([1, 2, 3]), big: 2n ** 63n, long: 'x'.repeat(1000),
    wide: 'é'.repeat(1000), floats: [0.5, 1.5, 2.5], empty: {}, none: [] }
  for (let i = 0; i < 100; i++) same(back(sw, value), value)
})

test('numbers at every edge are the core\'s bytes', (sw) => {
  const edges: [number | bigint, string][] = [
    [0, '00'], [127, '7f'], [128, 'cc80'], [255, 'ccff'], [256, 'cd0100'], [65535, 'cdffff'], [65536, 'ce00010000'],
    [2147483647, 'ce7fffffff'], [2147483648, 'ce80000000'], [4294967295, 'ceffffffff'], [4294967296, 'cf0000000100000000'],
    [2 ** 53 - 1, 'cf001fffffffffffff'], [-1, 'ff'], [-32, 'e0'], [-33, 'd0df'], [-128, 'd080'], [-129, 'd1ff7f'],
    [-32768, 'd18000'], [-32769, 'd2ffff7fff'], [-2147483648, 'd280000000'], [-2147483649, 'd3ffffffff7fffffff'],
    [-(2 ** 53 - 1), 'd3ffe0000000000001'], [2 ** 53, 'cb4340000000000000'], [-0, 'cb8000000000000000'], [0.5, 'cb3fe0000000000000'],
    [NaN, 'cb7ff8000000000000'], [Infinity, 'cb7ff0000000000000'], [1n, '01'], [-1n, 'ff'], [2n ** 64n - 1n, 'cfffffffffffffffff'],
    [-(2n ** 63n), 'd38000000000000000'], [-1000n, 'd1fc18'], [2n ** 53n, 'cf0020000000000000'],
  ]
  for (const [n, bytes] of edges) {
    same(hex(sw.encode(n)), bytes)
    same(hex(sw.encode([n])), `91${bytes}`)
    // The fast path of long arrays of numbers.
    if (typeof n === 'number') same(hex(sw.encode(Array<number>(20).fill(n))), `dc0014${bytes.repeat(20)}`)
    same(hex(sw.encode({ a: n })), `81a161${bytes}`)
  }
  fails(() => sw.encode([1, 2n ** 64n]), { code: 'integer-out-of-range', path: '/1' })
  same(sw.stringify(2n ** 64n), '18446744073709551616')
  same(sw.parse('[18446744073709551616]'), [2n ** 64n])
})

test('strings at every length and script', (sw) => {
  for (const script of ['a', 'é', '日', '😀', 'aé日😀']) {
    for (let n = 0; n < 700; n += n < 140 ? 1 : 37) {
      const s = script.repeat(n)
      same(back(sw, s), s)
      same(back(sw, { [s]: s, x: [s, s] }), { [s]: s, x: [s, s] })
      same(sw.parse(sw.stringify([s])), [s])
    }
  }
  for (const n of [65535, 65536, 70000, 300000]) for (const c of ['a', '日']) same(back(sw, c.repeat(n)), c.repeat(n))
})

test('lone surrogates, short and long', (sw) => {
  for (const pad of ['', 'x'.repeat(70), 'x'.repeat(600), '日'.repeat(200)]) {
    for (const s of [`${pad}\ud83d`, `\ude00${pad}`, `${pad}\ud83dx`]) {
      fails(() => sw.encode([s]), { code: 'lone-surrogate', path: '/0' })
      fails(() => sw.encode({ a: { [s]: 1 } }), 'lone-surrogate')
      fails(() => sw.stringify(s), 'lone-surrogate')
      const replaced = s.replace(/\ud83d|\ude00/, '\ufffd')
      same(sw.decode(sw.encode([s], { loneSurrogates: 'replace' })), [replaced])
      same(sw.decode(sw.encode({ [s]: 1 }, { loneSurrogates: 'replace' })), { [replaced]: 1 })
    }
  }
  fails(() => sw.parse('"\ud800"'), { code: 'lone-surrogate', offset: 1 })
  fails(() => sw.parse('"\\ud800"'), { code: 'lone-surrogate', offset: 1 })
})

test('undefined, holes, functions, symbols', (sw) => {
  same(hex(sw.encode({ a: undefined })), '80')
  same(hex(sw.encode({ a: undefined, b: 1 })), '81a16201')
  same(hex(sw.encode([undefined])), '91c0')
  same(hex(sw.encode(undefined)), 'c0')
  same(hex(sw.encode([, 1])), '92c001')
  const sparse: number[] = []
  sparse[3] = 1
  same(back(sw, sparse), [null, null, null, 1])
  fails(() => sw.encode(() => 1), { code: 'unsupported-type', path: '' })
  fails(() => sw.encode([Symbol('x')]), { code: 'unsupported-type', path: '/0' })
  fails(() => sw.encode({ 'a/b~c': [{ f: () => 1 }] }), { code: 'unsupported-type', path: '/a~1b~0c/0/f' })
  same(back(sw, [() => 1, Symbol('x')], { default: (v: unknown) => typeof v }), ['function', 'symbol'])
  fails(() => sw.encode([() => 1], { default: (v: unknown) => v }), 'depth-exceeded')
})

test('__proto__, constructor and toString are keys like others', (sw) => {
  const text = '{"__proto__":{"polluted":1},"constructor":2,"toString":3,"valueOf":4,"hasOwnProperty":5}'
  for (let i = 0; i < 100; i++) {
    const v = sw.parse<Record<string, unknown>>(text)
    ok(Object.hasOwn(v, '__proto__') && Object.getPrototypeOf(v) === Object.prototype)
    same((v as { polluted?: unknown }).polluted, undefined)
    same(sw.stringify(v), text)
    same(sw.stringify(sw.decode(sw.transcode(text, 'json', 'msgpack'))), text)
  }
  // Outside the trie too.
  const wide = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, i]))
  Object.defineProperty(wide, '__proto__', { value: 1, enumerable: true, configurable: true, writable: true })
  const v = back(sw, wide) as object
  ok(Object.hasOwn(v, '__proto__') && Object.getPrototypeOf(v) === Object.prototype)
  same(Object.keys(v).length, 301)
})

test('a polluted prototype is nobody\'s property', (sw) => {
  const prototype = Object.prototype as Record<string, unknown>
  prototype['inherited'] = 1
  try {
    same(hex(sw.encode({ a: 1 })), '81a16101')
    same(hex(sw.encode(Object.create({ b: 2 }, { a: { value: 1, enumerable: true } }))), '81a16101')
  } finally {
    delete prototype['inherited']
  }
  same(hex(sw.encode(Object.create({ b: 2 }, { a: { value: 1, enumerable: true } }))), '81a16101')
  same(hex(sw.encode(Object.assign(Object.create(null), { a: 1 }))), '81a16101')
})

test('classes, toJSON, getters, proxies, boxes', (sw) => {
  class Point {
    #hidden = 1
    constructor(public x: number, public y: number) {}
    get sum(): number { return this.x + this.y + this.#hidden }
  }
  same(back(sw, new Point(1, 2)), { x: 1, y: 2 })
  class Money { constructor(readonly n: number) {} toJSON(): string { return `${this.n} €` } }
  same(back(sw, { m: new Money(5) }), { m: '5 €' })
  same(back(sw, { a: 1, toJSON: () => 'instead' }), 'instead')
  same(back(sw, [{ a: { toJSON: () => [1] } }]), [{ a: [1] }])
  same(back(sw, { get a() { return 7 } }), { a: 7 })
  same(back(sw, new Proxy({ a: 1, b: [2] }, {})), { a: 1, b: [2] })
  same(back(sw, new Proxy([1, 2], {})), [1, 2])
  same(back(sw, [Object(1), Object('s'), Object(false), Object(5n)]), [1, 's', false, 5])
  same(back(sw, new (class extends Array<number> {})(1, 2, 3)), [1, 2, 3])
  same(back(sw, new URL('http://a.b/c')), 'http://a.b/c')
  same(back(sw, new Error('x')), {})
  const thrown = new Error('mine')
  try {
    sw.encode({ get a() { throw thrown } })
    ok(false)
  } catch (error) {
    ok(error === thrown, 'an exception of the user\'s code reaches the caller as it is')
  }
})

test('binary in every dress', (sw) => {
  const memory = new Uint8Array([9, 9, 1, 2, 255, 9])
  const view = memory.subarray(2, 5)
  same(hex(sw.encode(view)), 'c4030102ff')
  same(hex(sw.encode(new DataView(memory.buffer, 2, 3))), 'c4030102ff')
  same(hex(sw.encode(view.slice().buffer)), 'c4030102ff')
  same(hex(sw.encode(new Uint16Array([258]))), hex(cat([0xc4, 2], new Uint8Array(new Uint16Array([258]).buffer))))
  for (const n of [0, 1, 255, 256, 65535, 65536, 100000]) same(back(sw, new Uint8Array(n).fill(7)), new Uint8Array(n).fill(7))
  const text = sw.encode('abc')
  const padded = cat([0, 0], text, [0])
  for (const input of [text, text.slice().buffer, new DataView(text.slice().buffer), padded.subarray(2, 2 + text.length)]) same(sw.decode(input), 'abc')
  if (typeof SharedArrayBuffer !== 'undefined') {
    const shared = new SharedArrayBuffer(text.length)
    new Uint8Array(shared).set(text)
    same(sw.decode(shared), 'abc')
    same(sw.decode(new Uint8Array(shared)), 'abc')
  }
  const result = back(sw, { a: view }) as { a: Uint8Array }
  ok(result.a.constructor === Uint8Array && result.a.byteLength === result.a.buffer.byteLength, 'a plain Uint8Array of its own memory')
  for (const wrong of ['text', 5, null, undefined, {}, [1]]) fails(() => sw.decode(wrong as never), 'unsupported-type')
  fails(() => sw.transcode('text', 'msgpack', 'json'), 'unsupported-type')
})

test('a detached input is refused', (sw) => {
  const bytes = sw.encode([1, 2, 3], { pool: false }).slice()
  structuredClone(bytes.buffer, { transfer: [bytes.buffer] })
  try {
    sw.decode(bytes)
    ok(false, 'it was read')
  } catch (error) {
    same((error as { code: string }).code, 'invalid-state')
  }
})

test('Map, Set and keys that are not strings', (sw) => {
  same(hex(sw.encode(new Map<unknown, unknown>([['a', 1]]))), '81a16101')
  same(hex(sw.encode(new Set([1, 'x']))), '9201a178')
  const mixed = new Map<unknown, unknown>([[1, 'a'], ['1', 'b']])
  fails(() => sw.encode(mixed), 'map-key-type')
  same(hex(sw.encode(mixed, { mapKeys: 'any' })), '8201a161a131a162')
  same(sw.decode(sw.encode(mixed, { mapKeys: 'any' }), { mapKeys: 'any' }), mixed)
  fails(() => sw.encode(mixed, { mapKeys: 'stringify' }), 'duplicate-key')
  same(sw.stringify(new Map<unknown, unknown>([[1, 2], [true, 3]]), { mapKeys: 'stringify' }), '{"1":2,"true":3}')
  fails(() => sw.encode({ a: new Map([[{}, 1]]) }), { code: 'map-key-type', path: '/a' })
})

test('objects with many keys', (sw) => {
  for (const n of [15, 16, 17, 255, 256, 257, 1000, 70000]) {
    const o: Record<string, unknown> = {}
    for (let i = 0; i < n; i++) o[`key ${i}`] = i % 3 === 0 ? `value ${i}` : i
    same(back(sw, o), o)
    same(back(sw, [o, o]), [o, o])
  }
})

test('values of another realm', async (sw) => {
  let vm
  try {
    vm = await import('node:vm' as string)
  } catch {
    return // Browsers have frames instead; the tags are the same.
  }
  const there = vm.runInNewContext('({d: new Date(5), m: new Map([["a", 1]]), s: new Set([1]), u: new Uint8Array([1,2]), b: new ArrayBuffer(2), o: {x: 1}, a: [1], n: new Number(3)})')
  same(sw.decode(sw.encode(there)), { d: new Date(5), m: { a: 1 }, s: [1], u: new Uint8Array([1, 2]), b: new Uint8Array(2), o: { x: 1 }, a: [1], n: 3 })
})

test('what only claims to be built in', (sw) => {
  for (const tag of ['Date', 'Map', 'Set', 'Number', 'String', 'Boolean', 'BigInt', 'ArrayBuffer', 'Temporal.Instant']) {
    same(back(sw, { [Symbol.toStringTag]: tag, a: 1 }), { a: 1 })
    same(back(sw, new (class { get [Symbol.toStringTag]() { return tag } b = 2 })()), { b: 2 })
  }
})
