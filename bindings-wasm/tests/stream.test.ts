// Streams: sources of every kind, cuts at every place, errors that say where in the stream they are.

import { cat, fails, hex, ok, place, same, test, unhex, type Samewire } from './harness.js'

type Chunks = Parameters<Samewire['decodeStream']>[0]

async function all(sw: Samewire, source: Chunks, options?: object): Promise<unknown[]> {
  const out: unknown[] = []
  for await (const v of sw.decodeStream(source, options)) out.push(v)
  return out
}

/** The values before the failure, and that it is the expected one. */
async function broken(sw: Samewire, source: Chunks, options: object, expected: { code: string; offset?: number; path?: string }): Promise<unknown[]> {
  const out: unknown[] = []
  try {
    for await (const v of sw.decodeStream(source, options)) out.push(v)
  } catch (error) {
    place(error, expected)
    ok(error instanceof sw.SamewireError)
    return out
  }
  throw new Error(`did not fail but gave ${out.length} values`)
}

async function collect(stream: ReadableStream<Uint8Array>): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = []
  const reader = stream.getReader()
  for (let step = await reader.read(); !step.done; step = await reader.read()) chunks.push(step.value)
  return chunks
}

const from = <T>(...items: T[]): ReadableStream<T> => new ReadableStream<T>({ start(c) { for (const x of items) c.enqueue(x); c.close() } })

test('streams: any source, both directions', async (sw) => {
  const values = [1, 'zwei', { a: [1, 2] }, null, 'x'.repeat(100000)]
  for (const format of ['msgpack', 'json'] as const) {
    const chunks = await collect(from<unknown>(...values).pipeThrough(sw.encodeStream({ format })))
    same(chunks.length, values.length)
    const whole = cat(...chunks)
    async function* later(): AsyncGenerator<Uint8Array> {
      for (const c of chunks) {
        await new Promise((resolve) => setTimeout(resolve, 0))
        yield c
      }
    }
    const sources: Chunks[] = [from(...chunks), chunks, later(), new Set(chunks), whole, whole.buffer as ArrayBuffer, new DataView(whole.buffer), [whole.buffer as ArrayBuffer]]
    if (typeof Response !== 'undefined') sources.push(new Response(whole as never).body as never)
    if (typeof Blob !== 'undefined') sources.push(new Blob(chunks as never[]).stream() as never)
    for (const source of sources) same(await all(sw, source, { format }), values)
  }
  same(await all(sw, '{"a":1} [2] 3', { format: 'json' }), [{ a: 1 }, [2], 3])
  same(await all(sw, [], {}), [])
  same(await all(sw, [new Uint8Array(0), unhex('01'), new Uint8Array(0)]), [1])
  for (const wrong of [null, undefined, 5, {}, () => 1]) await broken(sw, wrong as never, {}, { code: 'unsupported-type' })
  for (const wrong of [[1, 2], [null], ['text'], [[1]]]) await broken(sw, wrong as never, {}, { code: 'unsupported-type' })
  await broken(sw, [], { nothing: 1 }, { code: 'invalid-option' })
  fails(() => sw.encodeStream({ format: 'xml' as never }), 'invalid-option')
  fails(() => sw.encodeStream({ format: 'json', indent: 2 }), 'invalid-option')
})

test('streams: text is cut in the middle of a character', async (sw) => {
  same(await all(sw, ['{"a":"\ud83d', '\ude00"} 1', '2 [3', ']'], { format: 'json' }), [{ a: '😀' }, 12, [3]])
  const replace = { format: 'json', loneSurrogates: 'replace' }
  for (const chunks of [['"\ud83d', 'x"'], ['"\ude00x"'], ['"\ud83d', '\ud83d\ude00"']]) {
    await broken(sw, ['[1] ', ...chunks], { format: 'json' }, { code: 'lone-surrogate', offset: 5 })
    ok(String((await all(sw, chunks, replace))[0]).startsWith('\ufffd'))
  }
  await broken(sw, ['"é\ud83d'], { format: 'json' }, { code: 'lone-surrogate', offset: 3 })
  same(await all(sw, Array.from(new TextEncoder().encode('"é日😀" "\\ud83d\\ude00"'), (b) => Uint8Array.of(b)), { format: 'json' }), ['é日😀', '😀'])
})

test('streams: an error says where in the stream it is, and what came before is given', async (sw) => {
  const good = sw.encode([1, 2], { pool: false })
  const cases: [Uint8Array, object, { code: string; offset?: number; path?: string }][] = [
    [unhex('92c101'), {}, { code: 'invalid-marker', offset: 4, path: '/0' }],
    [unhex('9201'), {}, { code: 'truncated', offset: 5, path: '/1' }],
    [unhex('a5616263'), {}, { code: 'truncated', offset: 7 }],
    [unhex('82a16101a1'), {}, { code: 'truncated', offset: 8, path: '' }],
    [unhex('82a16101a16102'), {}, { code: 'duplicate-key', offset: 7, path: '/a' }],
    [unhex('a1ff'), {}, { code: 'invalid-utf8', offset: 4 }],
    [unhex('919191c0'), { maxDepth: 2 }, { code: 'depth-exceeded', offset: 5, path: '/0/0' }],
    [unhex('93010203'), { maxItems: 3 }, { code: 'too-many-items' }],
    [unhex('c70507'), { maxBytes: 8 }, { code: 'truncated' }],
    [unhex('c6ffffffff'), {}, { code: 'input-too-large' }],
    [unhex('dfffffffff'), {}, { code: 'input-too-large' }],
  ]
  for (const [bytes, options, error] of cases) {
    const stream = cat(good, bytes)
    for (let i = 0; i <= stream.length; i++) {
      same(await broken(sw, [stream.subarray(0, i), stream.subarray(i)], options, error), [[1, 2]], `${hex(bytes)} cut at ${i}`)
    }
  }
  // A limit that the first value keeps to and the second does not (stream-01), one-shot and in pieces.
  const limits = { maxBytes: 1100 }
  const bins = cat(...[1024, 2200, 1024].map((n) => sw.encode(new Uint8Array(n))))
  for (const step of [1, 7, 1000, bins.length]) {
    const pieces = Array.from({ length: Math.ceil(bins.length / step) }, (_, i) => bins.subarray(i * step, (i + 1) * step))
    same((await broken(sw, pieces, limits, { code: 'input-too-large', offset: 1027 })).length, 1)
  }
  same(await broken(sw, ['[1]\n{"a":tru}\n'], { format: 'json' }, { code: 'invalid-syntax', path: '/a' }), [[1]])
  same(await broken(sw, ['["str\\'], { format: 'json' }, { code: 'truncated', offset: 6 }), [])
})

test('streams: a source that fails, and a reader that stops', async (sw) => {
  const mine = new Error('mine')
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield unhex('0102')
    throw mine
  }
  const got: unknown[] = []
  try {
    for await (const v of sw.decodeStream(failing())) got.push(v)
    ok(false)
  } catch (error) {
    ok(error === mine)
  }
  same(got, [1, 2])
  let cancelled = false
  const endless = new ReadableStream<Uint8Array>({ pull(c) { c.enqueue(unhex('01')) }, cancel() { cancelled = true } })
  for await (const _ of sw.decodeStream(endless)) break
  ok(cancelled, 'the source was not told')
  let returned = false
  function* counting(): Generator<Uint8Array> {
    try {
      for (;;) yield unhex('01')
    } finally {
      returned = true
    }
  }
  for await (const _ of sw.decodeStream(counting())) break
  ok(returned, 'the generator was not ended')
  try {
    await collect(from<unknown>(1, { a: () => 1 }).pipeThrough(sw.encodeStream()))
    ok(false)
  } catch (error) {
    place(error, { code: 'unsupported-type', path: '/a' })
  }
})

test('streams: hooks read other streams, and many streams are read at once', async (sw) => {
  const values = Array.from({ length: 50 }, (_, i) => ({ i, text: `text ${i}`, long: 'x'.repeat(i * 20) }))
  const bytes = cat(...values.map((v) => sw.encode(v, { pool: false })))
  const pieces = (n: number): Uint8Array[] => Array.from({ length: Math.ceil(bytes.length / n) }, (_, i) => bytes.subarray(i * n, (i + 1) * n))
  const inner = sw.decodeStream(pieces(11))
  let waiting: Promise<unknown> = Promise.resolve()
  const hooked = all(sw, pieces(13), { objectHook: (o: Record<string, unknown>) => { waiting = inner.next(); sw.decode(sw.encode([o['i']])); return o } })
  same(await hooked, values)
  await waiting
  await inner.return()
  const results = await Promise.all([1, 2, 3, 5, 8, 100, 10000].map((n) => all(sw, pieces(n))))
  for (const r of results) same(r, values)
})

test('streams: a large value in many chunks takes time in proportion', async (sw) => {
  const bytes = sw.encode(Array.from({ length: 400000 }, (_, i) => i * 1000))
  const cut = (n: number): Uint8Array[] => Array.from({ length: Math.ceil(bytes.length / n) }, (_, i) => bytes.subarray(i * n, (i + 1) * n))
  const time = async (chunks: Uint8Array[]): Promise<number> => {
    const start = performance.now()
    for await (const v of sw.decodeStream(chunks)) same((v as number[]).length, 400000)
    return performance.now() - start
  }
  await time([bytes])
  // 2000 chunks: what looks at everything again for each would take a thousand times as long.
  const [whole, many] = [await time([bytes]), await time(cut(1000))]
  ok(many < 20 * whole + 200, `${many.toFixed(0)} ms in 1000-byte chunks, ${whole.toFixed(0)} ms in one`)
})

test('streams: metrics count values, not chunks', async (sw) => {
  sw.metrics.enable()
  try {
    await all(sw, Array.from(unhex('93010203a16101'), (b) => Uint8Array.of(b)))
    await broken(sw, [unhex('01c1')], {}, { code: 'invalid-marker' })
    const m = sw.metrics.snapshot().find((x) => x.operation === 'decodeStream')
    same([m?.format, m?.count, m?.bytes.sum, m?.failures], ['msgpack', 5, 8, { 'invalid-marker': 1 }])
  } finally {
    sw.metrics.disable()
    sw.metrics.reset()
  }
})
