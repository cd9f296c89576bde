// Memory: what a kept value keeps, what failures and strangers' keys leave behind. `tools/test-js-endurance` is the long
// form of the same.

import { codeOf, failing, failingLater } from './failing.js'
import { fails, ok, same, Skip, test, unhex, type Samewire } from './harness.js'

interface Usage {
  heapUsed: number
  arrayBuffers?: number
}

/** Collects garbage, where the runtime can on demand. */
const collect: (() => void) | undefined = (() => {
  const { gc, Bun } = globalThis as { gc?: () => void; Bun?: { gc(force: boolean): void } }
  return Bun === undefined ? gc : () => Bun.gc(true)
})()

/** What the runtime tells of its heap; undefined if nothing. */
function usage(): Usage | undefined {
  const { process } = globalThis as { process?: { memoryUsage?(): Usage } }
  const { memory } = performance as { memory?: { usedJSHeapSize: number } }
  return process?.memoryUsage?.() ?? (memory && { heapUsed: memory.usedJSHeapSize })
}

/** Bytes of all WebAssembly memories, as the runner counts them. */
const linear = (): number => (globalThis as { samewireLinearMemory?: () => number }).samewireLinearMemory?.() ?? 0

/** Bytes of heap and buffers that each of many results keeps. */
function kept(keep: () => unknown): number {
  for (let i = 0; i < 10; i++) keep()
  collect!()
  const before = usage()!
  const all: unknown[] = []
  for (let i = 0; i < 100; i++) all.push(keep())
  collect!()
  collect!()
  const after = usage()!
  ok(all.length === 100)
  return (after.heapUsed - before.heapUsed + (after.arrayBuffers ?? 0) - (before.arrayBuffers ?? 0)) / all.length
}

test('one short string of a large message keeps little of it', (sw) => {
  if (collect === undefined || usage() === undefined) throw new Skip('this runtime does not tell its heap')
  const strings = (make: (i: number) => string): string[] => Array.from({ length: 20000 }, (_, i) => make(i))
  const messages: [string, unknown, (v: never) => unknown][] = [
    ['text', strings((i) => `a string of some length that is number ${i}`), (v: string[]) => v[10000]],
    ['the first', strings((i) => `a string of some length that is number ${i}`), (v: string[]) => v[0]],
    ['short text', strings((i) => `s${i}`).concat(strings((i) => `a string of some length ${i}`)), (v: string[]) => v[777]],
    ['text that is not ASCII', strings((i) => `ein größerer Text mit der Nummer ${i}`), (v: string[]) => v[10000]],
    ['a key', Object.fromEntries(strings((i) => `a key of some length ${i}`).map((k) => [k, 1])), (v: object) => Object.keys(v)[10000]],
    ['a value in objects', strings((i) => `name ${i}`).map((name, id) => ({ id, name, text: `text of ${name}` })), (v: { text: string }[]) => v[10000]!.text],
    ['bytes', strings((i) => `${i}`).map((_, i) => new Uint8Array(50).fill(i)), (v: Uint8Array[]) => v[10000]],
    ['a long string', [...strings((i) => `text ${i} of some length`), 'x'.repeat(3000)], (v: string[]) => v[20000]],
  ]
  for (const [name, value, pick] of messages) {
    const bytes = sw.encode(value)
    const text = sw.stringifyToBytes(value)
    ok(bytes.length > 100_000, name)
    const found: [string, number][] = [
      ['decode', kept(() => pick(sw.decode(bytes) as never))],
      ['parse', kept(() => pick(sw.parse(text) as never))],
      ['decode with hooks', kept(() => pick(sw.decode(bytes, { objectHook: (o) => o }) as never))],
    ]
    for (const [how, each] of found) ok(each < 32768, `${name}, ${how}: ${Math.round(each)} bytes each`)
  }
  const v = sw.view(sw.encode(messages[0]![1]))
  ok(kept(() => v.get('/10000')) < 32768)
})

/** That the second of two rounds needs no memory that the first did not, as far as the runtime tells. */
async function flat(rounds: (n: number) => void | Promise<void>, n: number, room = 2e6): Promise<void> {
  // Buffers are given back by a thread of the collector's, some time after their arrays.
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 3; i++) {
      collect?.()
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  await rounds(n)
  await settle()
  const [before, linearBefore] = [usage(), linear()]
  await rounds(n)
  ok(linear() === linearBefore, `WebAssembly memory grew from ${linearBefore} to ${linear()}`)
  if (collect === undefined || before === undefined) return
  await settle()
  const after = usage()!
  ok(after.heapUsed - before.heapUsed < room, `the heap grew by ${after.heapUsed - before.heapUsed}`)
  const buffers = (after.arrayBuffers ?? 0) - (before.arrayBuffers ?? 0)
  ok(buffers < room, `buffers grew by ${buffers}`)
}

const sample = { a: 'repeated', b: ['repeated', 'repeated', 1.5, { id: 5, name: 'é' }], c: { d: new Date(7) } }

test('failing calls of every kind say what they must, and leave everything usable', (sw) => {
  const good = sw.encode(sample, { pool: false })
  for (let round = 0; round < 30; round++) {
    for (const { name, code, call } of failing(sw)) {
      let got: string
      try {
        got = `nothing: ${String(call())}`
      } catch (error) {
        got = codeOf(error)
      }
      same(got, code, name)
      same(sw.decode(good), sample, `after ${name}`)
    }
  }
})

test('failing promises and streams, too', async (sw) => {
  const good = sw.encode(sample, { pool: false })
  for (let round = 0; round < 10; round++) {
    await Promise.all(failingLater(sw).map(async ({ name, code, call }) => {
      let got = 'nothing'
      try {
        await call()
      } catch (error) {
        got = codeOf(error)
      }
      same(got, code, name)
    }))
    same(sw.decode(good), sample)
  }
})

test('memory stays flat over failing calls of every kind', async (sw) => {
  const list = failing(sw)
  const later = failingLater(sw)
  await flat(async (n) => {
    for (let i = 0; i < n; i++) {
      for (const { call } of list) {
        try {
          call()
        } catch {
          // Expected.
        }
      }
      if (i % 10 === 0) for (const { call } of later) await (call() as Promise<unknown>).catch(() => undefined)
    }
  }, 100)
})

test('memory stays flat over many results', async (sw) => {
  const good = sw.encode({ b: new Uint8Array(8) }, { pool: false })
  await flat((n) => {
    for (let i = 0; i < n; i++) sw.encode(sw.decode(good))
  }, 30000)
})

test('options, schemas and views that come and go leave nothing behind', async (sw) => {
  const bytes = sw.encode(sample, { pool: false })
  // Options are freed with their objects, which is when the collector comes by.
  const kinds = collect === undefined ? 20 : 300
  await flat(async (n) => {
    for (let i = 0; i < n; i++) {
      sw.decode(bytes, { maxItems: 1000 + (i % kinds), objectHook: (o) => o })
      sw.view(bytes, 'msgpack', { maxBytes: 5000 + (i % kinds) }).get('/a')
      // So are schemas.
      if (i % 20 === 0 && collect !== undefined) new sw.Schema({ type: 'object', title: `number ${i}` }).decode(bytes)
      if (i % 20 === 0) for await (const _ of sw.decodeStream([bytes, bytes])) break
      // And in a turn of its own.
      if (i % 1000 === 0) await new Promise((resolve) => setTimeout(resolve, 0))
    }
  }, 4000, 4e6)
})

function strangers(sw: Samewire, from: number, n: number): void {
  for (let i = from; i < from + n; i++) {
    const k = `k${i.toString(36)}`
    const v = sw.decode<Record<string, number>>(sw.encode({ [k]: 1, [`${k}b`]: 2 }))
    if (v[k] !== 1) throw new Error(k)
  }
}

test('keys that never repeat leave memory bounded and shapes usable', (sw) => {
  const real = sw.encode({ id: 1, name: 'x' }, { pool: false })
  for (let i = 0; i < 30000; i += 1000) {
    strangers(sw, i, 1000)
    same(sw.decode(real), { id: 1, name: 'x' })
    // Duplicates are found past every bound, in both formats.
    const key = `k${i.toString(36)}`
    const twice = sw.encode([key])
    fails(() => sw.decode(new Uint8Array([0x82, ...twice.subarray(1), 1, ...twice.subarray(1), 2])), { code: 'duplicate-key', path: `/${key}` })
    fails(() => sw.parse(`{"${key}":1,"${key}":2}`), { code: 'duplicate-key', path: `/${key}` })
  }
  same(sw.decode(real), { id: 1, name: 'x' })
})

test('memory stays flat over keys that never repeat', async (sw) => {
  let from = 0
  await flat((n) => {
    strangers(sw, from, n)
    from += n
  }, 100000)
})

test('one large message, and memory for the next', async (sw) => {
  const large = sw.encode(Array.from({ length: 300000 }, (_, i) => `${i} and some more text, so that it takes room`), { pool: false })
  const small = sw.encode(sample, { pool: false })
  await flat(() => {
    same(sw.decode<string[]>(large).length, 300000)
    sw.transcode(large, 'msgpack', 'json')
    for (let k = 0; k < 5; k++) same(sw.decode(small), sample)
  }, 1, 4e6)
  fails(() => sw.decode(large, { maxBytes: 1 << 20 }), 'input-too-large')
  same(sw.decode(unhex('01')), 1)
})
