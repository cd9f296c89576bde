// Runs the suite against a build: run.mjs ENTRY LABEL [--long] [--only=TEXT]. For Node, Deno and Bun.
// --long cuts the vectors' streams at each byte, not at some.
import { readFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import process from 'node:process'

const [entry, label, ...flags] = process.argv.slice(2)
const only = flags.find((f) => f.startsWith('--only='))?.slice(7) ?? ''
const here = new URL('.', import.meta.url)
await import('./linear.js')
const sw = await import(entry.startsWith('.') || entry.startsWith('/') ? pathToFileURL(entry).href : entry)
const { runAll, runSplits, runVectors } = await import(new URL('dist/suite.js', here).href)
const vectors = JSON.parse(readFileSync(fileURLToPath(new URL('dist/vectors.json', here)), 'utf8'))
const tests = await runAll(sw, only)
const cases = await runVectors(sw, vectors, only)
const splits = await runSplits(sw, vectors, only, flags.includes('--long'))
const failed = [...tests.failed, ...cases.failed, ...splits.failed]
for (const { name, error } of failed.slice(0, 40)) console.log(`FAILED ${label}: ${name}\n    ${error.split('\n').slice(0, 4).map((l) => l.slice(0, 300)).join('\n    ')}`)
for (const name of tests.skipped) console.log(`skipped ${label}: ${name}`)
console.log(`${label} (${sw.engine}): ${tests.passed + cases.passed + splits.passed} passed, ${failed.length} failed, ${tests.skipped.length + cases.skipped.length} skipped`)
process.exit(failed.length > 0 ? 1 : 0)
