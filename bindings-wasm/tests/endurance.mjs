// The long form of memory.test.ts: a million messages whose keys never repeat, against msgpackr's time, and a million
// failing calls of every kind. endurance.mjs ENTRY LABEL MSGPACKR [--n=1000000]; Node with --expose-gc.
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import './linear.js'

const [entry, label, msgpackr, ...flags] = process.argv.slice(2)
const total = Number(flags.find((f) => f.startsWith('--n='))?.slice(4) ?? 1e6)
const sw = await import(pathToFileURL(entry).href)
const { codeOf, failing, failingLater } = await import(new URL('dist/suite.js', import.meta.url).href)
const { Packr, Unpackr } = await import(pathToFileURL(msgpackr).href)

let passed = 0
let failed = 0
function check(ok, what) {
  if (ok) passed++
  else failed++
  console.log(`${ok ? '' : `FAILED ${label}: `}${what}`)
}
const MB = (n) => `${(n / 1e6).toFixed(1)} MB`
function memory() {
  for (let i = 0; i < 3; i++) globalThis.gc()
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage()
  return { heap: heapUsed + arrayBuffers, linear: globalThis.samewireLinearMemory(), rss }
}
const shown = (m) => `heap ${MB(m.heap)}, WebAssembly ${MB(m.linear)}, process ${MB(m.rss)}`
/** That the second half of the work needed no more than the first. */
function flat(what, half, end) {
  const grown = { heap: end.heap - half.heap, linear: end.linear - half.linear, rss: end.rss - half.rss }
  check(grown.heap < 2e6 && grown.linear === 0 && grown.rss < 16e6, `${what}: after half ${shown(half)}; at the end ${shown(end)}`)
}

// ---- keys that never repeat
const packr = new Packr({ useRecords: false, variableMapSize: true })
const unpackr = new Unpackr({ useRecords: false })
const shapes = {
  '3 keys': (i) => ({ [`k${i.toString(36)}`]: i, [`${i.toString(36)}b`]: 'text', [`c${i}`]: null }),
  '30 keys': (i) => Object.fromEntries(Array.from({ length: 30 }, (_, k) => [`key_${i.toString(36)}_${k}`, k])),
}
for (const [name, make] of Object.entries(shapes)) {
  const n = name === '3 keys' ? total : Math.ceil(total / 10)
  const BATCH = 1000
  const ratios = []
  const spent = [0, 0]
  let half
  for (let from = 0; from < n; from += BATCH) {
    const messages = Array.from({ length: BATCH }, (_, i) => new Uint8Array(packr.pack(make(from + i))))
    const times = [0, 0]
    // They take turns in going first.
    for (const who of from % (2 * BATCH) === 0 ? [0, 1] : [1, 0]) {
      const start = performance.now()
      if (who === 0) for (const m of messages) sw.decode(m)
      else for (const m of messages) unpackr.unpack(m)
      times[who] = performance.now() - start
      spent[who] += times[who]
    }
    ratios.push(times[0] / times[1])
    if (half === undefined && from >= n / 2) half = memory()
  }
  const end = memory()
  ratios.sort((a, b) => a - b)
  const median = ratios[ratios.length >> 1]
  check(median <= 2, `${n} messages of ${name} that never repeat: ${(spent[0] / n * 1000).toFixed(2)} µs each, msgpackr ${(spent[1] / n * 1000).toFixed(2)} µs; median of the ratios ${median.toFixed(2)}`)
  flat('  memory', half, end)
}

// ---- failing calls
const list = failing(sw)
const later = failingLater(sw)
const good = sw.encode({ a: 'repeated', b: ['repeated', 1.5], c: { d: new Date(7) } }, { pool: false })
const expected = JSON.stringify(sw.decode(good))
let calls = 0
let wrong = 0
let half
const start = performance.now()
while (calls < total) {
  for (const { code, call } of list) {
    try {
      call()
      wrong++
    } catch (error) {
      if (codeOf(error) !== code) wrong++
    }
    calls++
  }
  if (calls % 20 < list.length % 20 || calls % 7 === 0) {
    for (const { code, call } of later) {
      await call().then(() => wrong++, (error) => (codeOf(error) === code ? 0 : wrong++))
      calls++
    }
  }
  if (half === undefined && calls >= total / 2) half = memory()
}
check(wrong === 0, `${calls} failing calls of ${list.length + later.length} kinds, ${((performance.now() - start) / calls * 1000).toFixed(1)} µs each: ${wrong} gave something else`)
flat('  memory', half, memory())
check(JSON.stringify(sw.decode(good)) === expected, '  the engine is usable afterwards')
console.log(`${label} (${sw.engine}): ${passed} passed, ${failed} failed, 0 skipped`)
process.exit(failed > 0 ? 1 : 0)
