// Bundles the suite and the vectors into tests/dist/.
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const here = fileURLToPath(new URL('.', import.meta.url))
mkdirSync(join(here, 'dist'), { recursive: true })
await build({ entryPoints: [join(here, 'suite.ts')], bundle: true, format: 'esm', platform: 'neutral', target: 'es2022', outfile: join(here, 'dist/suite.js'), logLevel: 'warning' })
const files = (dir) => readdirSync(dir).flatMap((f) => (statSync(join(dir, f)).isDirectory() ? files(join(dir, f)) : f.endsWith('.json') ? [join(dir, f)] : []))
// Joined as text: what JSON.parse and JSON.stringify would lose (-0) is what some cases are about.
const vectors = files(join(here, '../../conformance/vectors')).sort().map((f) => readFileSync(f, 'utf8').trim().slice(1, -1))
writeFileSync(join(here, 'dist/vectors.json'), `[${vectors.filter((v) => v.trim() !== '').join(',')}]`)
