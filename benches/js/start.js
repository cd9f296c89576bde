// What it costs to have each library: time from a bare Node to the first decoded message, and the size of a browser bundle.

import { execFileSync } from 'node:child_process'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const here = new URL('.', import.meta.url).pathname
const libraries = {
  samewire: 'm.decode(bytes)',
  'samewire/slim': 'm.decode(bytes)',
  msgpackr: 'm.unpack(bytes)',
  '@msgpack/msgpack': 'm.decode(bytes)',
  'cbor-x': 'm.decode(new Uint8Array([0xa1, 0x61, 0x61, 1]))',
}

/** Milliseconds of import and first call in a fresh process: the median of 15. */
function started(name, call) {
  const code = `const bytes = new Uint8Array([0x81, 0xa1, 0x61, 1]); const t = performance.now();
    const m = await import(${JSON.stringify(name)}); const imported = performance.now(); ${call};
    console.log(imported - t, performance.now() - imported)`
  const runs = Array.from({ length: 15 }, () =>
    execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd: here, encoding: 'utf8', stdio: 'pipe' }).split(' ').map(Number),
  )
  const median = (i) => runs.map((r) => r[i]).sort((a, b) => a - b)[7]
  return [median(0), median(1)]
}

async function bundled(name) {
  const out = await build({
    stdin: { contents: `export * from ${JSON.stringify(name)}`, resolveDir: here },
    bundle: true, minify: true, format: 'esm', platform: 'browser', target: 'es2022', write: false, logLevel: 'silent',
  })
  const bytes = out.outputFiles.reduce((all, f) => Buffer.concat([all, f.contents]), Buffer.alloc(0))
  return [bytes.length, gzipSync(bytes, { level: 9 }).length, brotliCompressSync(bytes).length]
}

const kb = (n) => `${(n / 1024).toFixed(1)} KB`.padStart(10)
console.log(`Node ${process.version}`)
console.log(`${'library'.padEnd(18)} ${'import'.padStart(9)} ${'1st call'.padStart(9)} ${'minified'.padStart(10)} ${'gzip'.padStart(10)} ${'brotli'.padStart(10)}`)
for (const [name, call] of Object.entries(libraries)) {
  try {
    const [load, first] = started(name, call)
    const sizes = await bundled(name)
    console.log(`${name.padEnd(18)} ${load.toFixed(2).padStart(6)} ms ${first.toFixed(2).padStart(6)} ms ${sizes.map(kb).join(' ')}`)
  } catch (error) {
    console.log(`${name.padEnd(18)} — ${String(error.message).match(/Cannot find package|not defined by "exports"|not exported/)?.[0] ?? String(error.message).split('\n')[0]}`)
  }
}
