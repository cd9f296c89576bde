// What JavaScript's own objects do that no other host's can: memory that goes away, keys that only look different,
// values that change while they are written, built-in objects of every kind.

import { fails, hex, ok, same, test, unhex, type Samewire } from './harness.js'

const back = (sw: Samewire, v: unknown, options?: object): unknown => sw.decode(sw.encode(v, options), options)

function detached<T extends ArrayBufferView | ArrayBuffer>(make: (buffer: ArrayBuffer) => T): T {
  const buffer = new ArrayBuffer(8)
  const view = make(buffer)
  structuredClone(buffer, { transfer: [buffer] })
  return view
}

test('memory that is gone: values and inputs', (sw) => {
  const gone: [string, Uint8Array][] = [
    ['Uint8Array', detached((b) => new Uint8Array(b, 2, 3))], ['Uint16Array', detached((b) => new Uint16Array(b))],
    ['BigInt64Array', detached((b) => new BigInt64Array(b))], ['DataView', detached((b) => new DataView(b))], ['ArrayBuffer', detached((b) => b)],
  ] as never
  type Resizable = new (length: number, options: { maxByteLength: number }) => ArrayBuffer & { resize?(n: number): void }
  const shrinking = new (ArrayBuffer as unknown as Resizable)(8, { maxByteLength: 8 })
  if (shrinking.resize !== undefined) {
    const views = [new Uint8Array(shrinking, 4, 4), new Float32Array(shrinking, 4, 1), new BigUint64Array(shrinking, 0, 1), new DataView(shrinking, 4, 4)]
    shrinking.resize(2)
    for (const v of views) gone.push([`${v.constructor.name} beyond the end`, v as never])
    same(hex(sw.encode(new Uint8Array(shrinking))), 'c4020000')
  }
  for (const [name, memory] of gone) {
    for (const write of [() => sw.encode({ a: [memory] }), () => sw.stringify({ a: [memory] }), () => sw.digest({ a: [memory] })]) fails(write, { code: 'invalid-state', path: '/a/0' }, name)
    for (const read of [() => sw.decode(memory), () => sw.parse(memory), () => sw.view(memory), () => sw.inspect(memory), () => sw.transcode(memory, 'json', 'msgpack')]) fails(read, 'invalid-state', name)
    fails(() => new sw.Ext(1, memory), 'invalid-state', name)
  }
  // What is only empty is empty.
  const empty = [new Uint8Array(0), new Uint16Array(0), new BigInt64Array(0), new DataView(new ArrayBuffer(0)), new ArrayBuffer(0)]
  same(hex(sw.encode(empty)), `95${'c400'.repeat(5)}`)
  for (const e of empty) fails(() => sw.decode(e), { code: 'truncated', offset: 0 })
})

test('binary of every kind of array, in the machine\'s order, and only the part that is viewed', (sw) => {
  const memory = new Uint8Array(64).map((_, i) => i)
  const part = hex(memory.subarray(8, 24))
  const kinds = [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array, BigInt64Array, BigUint64Array]
  for (const Kind of kinds) same(hex(sw.encode(new Kind(memory.buffer, 8, 16 / Kind.BYTES_PER_ELEMENT))), `c410${part}`, Kind.name)
  same(hex(sw.encode(new DataView(memory.buffer, 8, 16))), `c410${part}`)
  class Own extends Uint8Array {}
  same(hex(sw.encode(new Own(memory.buffer, 8, 16))), `c410${part}`)
  same(hex(sw.encode(new Uint8Array(new ArrayBuffer(64), 8, 3))), 'c403000000')
  const { Buffer } = globalThis as { Buffer?: { from(s: string): Uint8Array } }
  if (Buffer !== undefined) {
    same(hex(sw.encode(Buffer.from('hello').subarray(1, 3))), 'c402656c')
    const pooled = Buffer.from('\u0001')
    same([sw.decode(pooled), sw.parse(Buffer.from('[1]')), sw.decodeFrom(Buffer.from('..\u0001'), 2).value], [1, [1], 1])
  }
  if (typeof SharedArrayBuffer !== 'undefined') {
    const shared = new Uint8Array(new SharedArrayBuffer(5))
    shared.set([9, 1, 2, 3, 9])
    same(hex(sw.encode([shared.subarray(1, 4), shared.buffer])), '92c403010203c4050901020309')
  }
})

test('keys that only JavaScript tells apart', (sw) => {
  const any = { mapKeys: 'any' } as const
  const twins: [unknown, unknown][] = [
    [1, 1n], [300n, 300], [new Uint8Array([1]), new Uint8Array([1])], [new Date(5), new Date(5)], [[1], [1]], [{ a: 1 }, { a: 1 }], [Object('x'), 'x'], [undefined, null],
  ]
  for (const [a, b] of twins) {
    const map = new Map([[a, 1], [b, 2]])
    for (const write of [() => sw.encode({ m: map }, any), () => sw.encodeInto({ m: map }, new Uint8Array(99), 0, any), () => sw.encode({ m: map }, { ...any, sortKeys: true })]) fails(write, 'duplicate-key')
    // And one of them can be written, and read.
    same(hex(sw.encode(sw.decode(sw.encode(new Map([[a, 1]]), any), any), any)), hex(sw.encode(new Map([[a, 1]]), any)))
  }
  same(sw.decode(sw.encode(new Map<unknown, unknown>([[1, 'a'], ['1', 'b'], [1.5, 'c'], [NaN, 'd'], [true, 'e'], [null, 'f'], [2n ** 60n, 'g']]), any), any),
    new Map<unknown, unknown>([[1, 'a'], ['1', 'b'], [1.5, 'c'], [NaN, 'd'], [true, 'e'], [null, 'f'], [2n ** 60n, 'g']]))
  const replace = { loneSurrogates: 'replace' } as const
  fails(() => sw.encode({ 'x\ud800': 1, 'x\udfff': 2 }, replace), { code: 'duplicate-key', path: '/x\ufffd' })
  fails(() => sw.encode(new Map([['x\ud800', 1], ['x\ufffd', 2]]), replace), 'duplicate-key')
  // What an option allowed once is none of the next call's.
  for (let i = 0; i < 3; i++) {
    same(sw.decode(sw.encode({ 'x\ud800': i, y: 1 }, replace)), { 'x\ufffd': i, y: 1 })
    fails(() => sw.encode({ 'x\ud800': i, y: 1 }), 'lone-surrogate')
  }
  fails(() => sw.encode(new Map([[Symbol('x'), 1]]), any), 'unsupported-type')
  fails(() => sw.encode(new Map([[() => 1, 1]]), any), 'unsupported-type')
})

test('text with half a pair is read by the option as well', (sw) => {
  const replace = { loneSurrogates: 'replace' } as const
  for (const pad of ['', 'x'.repeat(70), '日'.repeat(300)]) {
    const text = `["${pad}\ud83d", "\ude00${pad}"]`
    fails(() => sw.parse(text), 'lone-surrogate')
    fails(() => sw.view(text, 'json'), 'lone-surrogate')
    fails(() => sw.transcode(text, 'json', 'msgpack'), 'lone-surrogate')
    same(sw.parse(text, replace), [`${pad}\ufffd`, `\ufffd${pad}`])
    same(sw.view(text, 'json', replace).get('/0'), `${pad}\ufffd`)
    same(sw.decode(sw.transcode(text, 'json', 'msgpack', replace)), [`${pad}\ufffd`, `\ufffd${pad}`])
  }
  for (const f of [() => sw.inspect('text'), () => sw.view('text'), () => sw.decode('text' as never)]) fails(f, 'unsupported-type')
})

test('built-in objects that hold nothing to write are empty objects, as for JSON', (sw) => {
  const nothing = [new WeakMap(), new WeakSet(), Promise.resolve(1), /a/g, Object(Symbol('x')), new Error('boom'), [1].values(), new Map().entries(), (function* () { yield 1 })(), Object.create({ a: 1 }), new (class {})(), new AbortController()]
  for (const v of nothing) same([hex(sw.encode(v)), sw.stringify(v)], ['80', '{}'])
  same(back(sw, Object.assign(new TypeError('x'), { code: 'E' })), { code: 'E' })
  same(back(sw, (function (..._: number[]) { return arguments })(1, 2)), { 0: 1, 1: 2 })
  same(back(sw, { [Symbol('a')]: 1, b: 2 }), { b: 2 })
  same(back(sw, Object.defineProperty({ a: 1 }, 'b', { value: 2 })), { a: 1 })
  same(back(sw, Object.assign([1, 2], { x: 1 })), [1, 2])
  same(back(sw, { __proto__: { a: 1 }, b: 2 }), { b: 2 })
  same(back(sw, [new (class extends Number {})(5), new (class extends String {})('x'), new (class extends Date {})(5), new (class extends Map {})([['a', 1]]), new (class extends Set {})([1])]), [5, 'x', new Date(5), { a: 1 }, [1]])
})

test('values that change while they are written', (sw) => {
  const growing: unknown[] = [1]
  growing.push({ toJSON: () => (growing.push(3), 2) })
  same(back(sw, growing), [1, 2])
  const shrinking: unknown[] = [0, 2, 3]
  shrinking[0] = { toJSON: () => ((shrinking.length = 1), 0) }
  same(back(sw, shrinking), [0, null, null])
  const map = new Map<string, unknown>([['a', 1]])
  map.set('b', { toJSON: () => (map.set('c', 3), 2) })
  same(back(sw, map), { a: 1, b: 2, c: 3 })
  const set = new Set<unknown>([1])
  set.add({ toJSON: () => (set.add(3), 2) })
  same((back(sw, set) as unknown[]).slice(0, 2), [1, 2])
  const object: Record<string, unknown> = { a: { toJSON: () => { delete object['b']; object['z'] = 1; return 1 } }, b: 2, c: 3 }
  ok(['{"a":1,"c":3}', '{"a":1,"c":3,"z":1}'].includes(sw.stringify(back(sw, object))))
  same(back(sw, { a: { toJSON: () => undefined }, b: [{ toJSON: () => undefined }] }), { a: null, b: [null] })
  same(back(sw, { toJSON: 5, a: 1 }), { toJSON: 5, a: 1 })
  const keys: unknown[] = []
  sw.encode([{ toJSON(this: unknown, key: unknown) { keys.push(key, this === undefined); return 1 } }])
  same(keys, ['', false])
})

test('hooks that call everything', (sw) => {
  const bytes = sw.encode({ a: [{ b: 'text' }, { b: 'text' }], c: new sw.Ext(5, new Uint8Array([1])) }, { pool: false })
  const busy = (): void => {
    sw.decode(bytes)
    sw.encode({ x: 'y'.repeat(3000) })
    sw.stringify([1, { a: new Date(5) }])
    sw.parse('{"a":["b"]}')
    sw.transcode(bytes, 'msgpack', 'msgpack')
    sw.view(bytes).get('/a/0/b')
    sw.digest(1)
    try { sw.decode(bytes.subarray(0, 5)) } catch { /* expected */ }
    try { sw.encode([() => 1]) } catch { /* expected */ }
  }
  const options = { objectHook: (o: object) => (busy(), o), extHook: (type: number, data: Uint8Array) => (busy(), new sw.Ext(type, data)) }
  for (let i = 0; i < 50; i++) {
    same(sw.decode(bytes, options), { a: [{ b: 'text' }, { b: 'text' }], c: new sw.Ext(5, new Uint8Array([1])) })
    same(back(sw, [{ get a() { busy(); return 'one' } }, { toJSON: () => (busy(), 'two') }, Symbol('x')], { default: () => (busy(), 'three') }), [{ a: 'one' }, 'two', 'three'])
  }
})

test('options that a Decoder holds outlive the table of options', (sw) => {
  const bytes = sw.encode([1, 2, 3, 4, 5], { pool: false })
  const decoder = new sw.Decoder('msgpack', { maxItems: 3 })
  const encoder = new sw.Encoder('json', { sortKeys: true, indent: 3 })
  const view = sw.view(bytes, 'msgpack', { maxItems: 11 })
  const source = sw.decodeStream([bytes, bytes], { maxItems: 7 })
  const hooked = sw.stringify({ a: { toJSON: () => { for (let i = 0; i < 100; i++) sw.decode(bytes, { maxItems: 3000 + i }); return 1 } } }, { indent: 5 })
  same(hooked, '{\n     "a": 1\n}')
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 200; i++) sw.decode(bytes, { maxItems: 1000 + i })
    fails(() => decoder.decode(bytes), 'too-many-items')
    same(new TextDecoder().decode(encoder.encode({ b: 1, a: 2 })), '{\n   "a": 2,\n   "b": 1\n}')
    same(view.get('/4'), 5)
  }
  return source.next().then(({ value }) => same(value, [1, 2, 3, 4, 5]))
})

test('a value of an option is the value, not what its text looks like', (sw) => {
  sw.encode(1, { loneSurrogates: 'error', maxDepth: 5 })
  for (const wrong of [{ loneSurrogates: 'error\nmaxDepth=number 5' }, { maxDepth: '5' }, { sortKeys: 'true' }, { sortKeys: 1 }, { mapKeys: { toString: () => 'any' } }, { mapKeys: ['any'] }, { loneSurrogates: Object('replace') }]) {
    fails(() => sw.encode(1, wrong as never), 'invalid-option', JSON.stringify(wrong))
  }
  same(sw.encode(1, { loneSurrogates: undefined, maxDepth: undefined }).length, 1)
})

test('extensions: types, clashes, subclasses, results that are none', (sw) => {
  class A { constructor(readonly n = 1) {} }
  class B extends A {}
  const registry = new sw.ExtRegistry()
  registry.add(1, A, (a) => Uint8Array.of(a.n), (d) => new A(d[0]))
  for (const [type, cls] of [[1, B], [2, A], [-1, B], [128, B], [-129, B], [1.5, B], ['2', B]] as const) {
    fails(() => registry.add(type as never, cls, () => new Uint8Array(1), () => new A()), 'invalid-option', `${type} ${cls.name}`)
  }
  const ext = { ext: registry }
  same(hex(sw.encode([new A(7), new B(8)], ext)), '92d40107d40108')
  ok(sw.decode<unknown[]>(sw.encode([new B(8)], ext), ext)[0] instanceof A)
  for (const wrong of [undefined, null, 'text', 5, [1], {}]) {
    const bad = new sw.ExtRegistry()
    bad.add(1, A, () => wrong as never, () => new A())
    fails(() => sw.encode({ a: new A() }, { ext: bad }), 'hook-failed', String(wrong))
  }
  // The unknown stays what it was, at every length and type.
  for (const type of [-128, -2, 0, 1, 127]) {
    for (const n of [0, 1, 2, 3, 4, 5, 8, 16, 17, 255, 256, 65535, 65536]) {
      const bytes = sw.encode(new sw.Ext(type, new Uint8Array(n).fill(n)), { pool: false })
      const read = sw.decode<InstanceType<typeof sw.Ext>>(bytes)
      same([read.type, read.data.length], [type, n])
      same(hex(sw.encode(read)), hex(bytes))
    }
  }
  same(sw.decode(unhex('d6ff00000005')), new Date(5000))
  same(hex(sw.encode(new sw.Ext(-1, unhex('00000005')))), 'd6ff00000005')
  fails(() => sw.encode(new sw.Ext(-1, unhex('00'))), 'invalid-timestamp')
})

test('times: order, edges, invalid ones anywhere', (sw) => {
  const { Timestamp } = sw
  const sorted = [new Date(-2000), new Timestamp(-1, 1), new Date(-500), new Timestamp(0, 1), new Timestamp(0, 2), new Timestamp(0, 999999999), new Date(1000)]
  for (let i = 0; i < sorted.length; i++) {
    for (let k = 0; k < sorted.length; k++) same(Timestamp.fromDate(sorted[i]!).compare(sorted[k]!), Math.sign(i - k))
  }
  same(hex(sw.encode(new Date(-1))), 'c70cff3b8b87c0ffffffffffffffff')
  same(hex(sw.encode(Timestamp.fromNanoseconds(-1n))), 'c70cff3b9ac9ffffffffffffffffff')
  for (const ms of [8.64e15, -8.64e15, 0, -1, 1, 253402300799999]) same(back(sw, new Date(ms)), new Date(ms))
  fails(() => sw.decode(unhex('c70cff000000008000000000000000')), 'timestamp-out-of-range')
  same(sw.decode(unhex('c70cff000000008000000000000000'), { timestamp: 'int' }), -9223372036854775808n * 1000000000n)
  for (const v of [new Date(NaN), [new Date(NaN)], new Map([['k', new Date(NaN)]]), new Set([new Date(NaN)])]) {
    for (const write of [() => sw.encode(v), () => sw.stringify(v), () => sw.digest(v), () => sw.encodeInto(v, new Uint8Array(99))]) fails(write, 'invalid-timestamp')
  }
  fails(() => sw.encode({ a: [new Date(NaN)] }), { code: 'invalid-timestamp', path: '/a/0' })
  const moved = new Timestamp(1, 5)
  moved.setTime(2000)
  same(hex(sw.encode(moved)), 'd6ff00000002')
  same(new Timestamp(1, 5).constructor.name, 'Timestamp')
})
