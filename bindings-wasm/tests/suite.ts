// Everything that runs in every runtime.

import type { Result, Samewire } from './harness.js'
import { isOurs, runCase } from './vectors.js'

export { runAll } from './harness.js'
export { codeOf, failing, failingLater } from './failing.js'
export { runSplits } from './splits.js'
import './values.test.js'
import './time.test.js'
import './options.test.js'
import './more.test.js'
import './stream.test.js'
import './files.test.js'
import './memory.test.js'
import './deep.test.js'
import './host.test.js'
import './cases.test.js'

export async function runVectors(sw: Samewire, vectors: Record<string, unknown>[], only = ''): Promise<Result> {
  const result: Result = { passed: 0, failed: [], skipped: [] }
  for (const c of vectors) {
    const name = String(c['name'])
    if (!name.includes(only) || !isOurs(c)) continue
    try {
      if (await runCase(sw, c)) result.passed++
      else result.skipped.push(name)
    } catch (error) {
      result.failed.push({ name, error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) })
    }
  }
  return result
}
