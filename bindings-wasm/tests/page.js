// The page that runs the suite and posts the result; the plain page then goes to the strict one.
const strict = location.pathname === '/strict'
const only = new URLSearchParams(location.search).get('only') ?? ''
const result = { strict, engine: '?', passed: 0, failed: [], skipped: [], left: 0 }
const violations = []
document.addEventListener('securitypolicyviolation', (event) => violations.push(`${event.effectiveDirective} ${event.sourceFile}`))
try {
  await import('/linear.js')
  const sw = await import(strict ? '/samewire.js' : 'samewire')
  const { runAll, runSplits, runVectors } = await import('/suite.js')
  result.engine = sw.engine
  const vectors = await (await fetch('/vectors.json')).json()
  const tests = await runAll(sw, only)
  const cases = await runVectors(sw, vectors, only)
  const splits = await runSplits(sw, vectors, only)
  result.passed = tests.passed + cases.passed + splits.passed
  result.failed = [...tests.failed, ...cases.failed, ...splits.failed]
  result.skipped = tests.skipped
  result.left = cases.skipped.length
  // In a worker, on its own.
  const answer = await new Promise((resolve, reject) => {
    const worker = new Worker('/worker.js', { type: 'module' })
    worker.onmessage = (event) => resolve(event.data)
    worker.onerror = (event) => reject(new Error(event.message))
    worker.postMessage(sw.encode({ from: 'page' }))
  })
  if (sw.decode(answer).from === 'worker') result.passed++
  else result.failed.push({ name: 'worker', error: 'a strange answer' })
} catch (error) {
  result.failed.push({ name: 'page', error: `${error.name}: ${error.message}` })
}
await fetch('/result', { method: 'POST', body: JSON.stringify(result) })
if (!strict) location.href = `/strict${location.search}`
