// samewire/slim against the whole package, on every input that the conformance vectors have: the same values, the same
// bytes, the same codes, offsets and paths of errors. And the sizes of both, which are budgets.
import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { gzipSync } from 'node:zlib'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import * as full from '../dist/index.js'
import * as slim from '../dist/slim.js'

let passed = 0
let failed = 0
function check(name, fine, what = '') {
  if (fine) passed++
  else if (failed++ < 20) console.log(`FAILED slim: ${name} ${what}`)
}

const outcome = (f) => {
  try {
    return { value: f() }
  } catch (error) {
    if (!(error instanceof full.SamewireError || error instanceof slim.SamewireError)) throw error
    return { error: [error.code, error.offset, error.path] }
  }
}
/** Of two classes with the same name and the same content. */
const plain = (v) => {
  if (Array.isArray(v)) return v.map(plain)
  if (v instanceof Date) return [v.constructor.name === 'Date' ? 'date' : 'timestamp', v.getTime(), v.nanoseconds]
  if (v instanceof Map) return ['map', [...v].map(plain)]
  if (v instanceof full.Ext || v instanceof slim.Ext) return ['ext', v.type, v.data]
  if (v !== null && typeof v === 'object' && !(v instanceof Uint8Array)) return ['object', Object.entries(v).map(([k, x]) => [k, plain(x)])]
  return v
}
const alike = (name, f) => {
  const [a, b] = [outcome(() => f(full)), outcome(() => f(slim))]
  check(name, isDeepStrictEqual(plain(a), plain(b)), `${JSON.stringify(a, big)} / ${JSON.stringify(b, big)}`.slice(0, 300))
}
const big = (_, v) => (typeof v === 'bigint' ? `${v}n` : v)

const here = new URL('.', import.meta.url)
const vectors = JSON.parse(readFileSync(fileURLToPath(new URL('dist/vectors.json', here)), 'utf8'))
const inputs = new Set()
const collect = (v) => {
  if (typeof v === 'string') inputs.add(v)
  else if (v !== null && typeof v === 'object') Object.values(v).forEach(collect)
}
collect(vectors)
for (const text of inputs) {
  if (/^([0-9a-f]{2})+$/.test(text)) {
    const bytes = Uint8Array.from(text.match(/../g), (h) => parseInt(h, 16))
    alike(`decode ${text.slice(0, 40)}`, (sw) => sw.decode(bytes))
    alike(`int64 of ${text.slice(0, 40)}`, (sw) => sw.decode(bytes, { int64: 'number', timestamp: 'int' }))
    alike(`decode and write ${text.slice(0, 40)}`, (sw) => [...sw.encode(sw.decode(bytes)), sw.stringify(sw.decode(bytes))])
    alike(`parse bytes ${text.slice(0, 40)}`, (sw) => sw.parse(bytes))
  }
  alike(`parse ${text.slice(0, 40)}`, (sw) => sw.parse(text))
  alike(`parse and write ${text.slice(0, 40)}`, (sw) => sw.stringify(sw.parse(text), { nonFinite: 'null', indent: 1 }))
}
for (const option of [{ sortKeys: true }, { canonical: true }, { omitNull: true }, { mapKeys: 'any' }, { duplicateKeys: 'last' }, { invalidUtf8: 'replace' }]) {
  check(`refuses ${Object.keys(option)}`, outcome(() => slim.decode(Uint8Array.of(0xc0), option)).error?.[0] === 'invalid-option')
  check(`takes the default of ${Object.keys(option)}`, slim.decode(Uint8Array.of(0xc0), { [Object.keys(option)[0]]: undefined }) === null)
}
check('deep input', outcome(() => slim.decode(new Uint8Array(1_000_000).fill(0x91))).error?.[0] === 'depth-exceeded')
check('a header bomb', outcome(() => slim.decode(Uint8Array.of(0xdd, 255, 255, 255, 255))).error?.[0] === 'length-exceeds-input')

/** Bytes of what a page loads for an import, minified and compressed as servers do it. */
async function size(contents) {
  const result = await build({ stdin: { contents, resolveDir: fileURLToPath(new URL('..', here)) }, bundle: true, minify: true, format: 'esm', platform: 'browser', target: 'es2022', write: false, logLevel: 'silent' })
  return gzipSync(result.outputFiles[0].contents, { level: 9 }).length
}
const KB = 1024
const budgets = {
  'samewire/slim': ["export * from './dist/slim.js'", 45 * KB],
  'samewire without schemas': [`export { ${Object.keys(full).filter((n) => !['Schema', 'check', 'inspect'].includes(n))} } from './dist/index.js'`, 80 * KB],
}
for (const [name, [contents, budget]] of Object.entries(budgets)) {
  const bytes = await size(contents)
  console.log(`${name}: ${(bytes / KB).toFixed(1)} KB of ${budget / KB}`)
  check(`${name} is ${bytes} bytes, more than ${budget}`, bytes <= budget)
}
console.log(`slim and sizes: ${passed} passed, ${failed} failed, 0 skipped`)
process.exit(failed > 0 ? 1 : 0)
