// What only Node's threads show: workers.mjs ENTRY LABEL. The package in many threads at once, threads that end while
// work is under way, the package loaded twice, memory that is transferred, a main thread that stays free.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads'
import process from 'node:process'

const here = fileURLToPath(import.meta.url)

/** The same work in every thread: its digest, in hex. */
async function work(sw, rounds) {
  let digest = ''
  for (let i = 0; i < rounds; i++) {
    const value = { i, list: Array.from({ length: 50 }, (_, k) => ({ id: k, name: `name ${k % 7}`, 'ключ': 'значение' })) }
    const bytes = sw.encode(value)
    const back = await sw.decodeAsync(bytes)
    try {
      sw.decode(bytes.subarray(0, bytes.length - 1))
      throw new Error('it was read')
    } catch (error) {
      if (!(error instanceof sw.SamewireError)) throw error
    }
    const json = await sw.encodeAsync(back, { format: 'json' })
    digest = Buffer.from(sw.digest(sw.parse(json))).toString('hex')
  }
  return digest
}

async function thread() {
  const { entry, task } = workerData
  const sw = await import(entry)
  if (task === 'work') {
    parentPort.postMessage(await work(sw, 20))
  } else if (task === 'end') {
    // Ended from outside while these are under way.
    const bytes = sw.encode(Array.from({ length: 20000 }, (_, i) => ({ i, text: `text ${i}` })))
    for (let i = 0; i < 4; i++) {
      void sw.decodeAsync(bytes)
      void sw.transcodeAsync(bytes, 'msgpack', 'json')
    }
    parentPort.postMessage('under way')
    for (;;) {
      sw.decode(bytes)
      await turn()
    }
  } else if (task === 'stack') {
    parentPort.postMessage(nearlyUsedUp(sw, workerData.name))
  } else if (task === 'exit') {
    const schema = sw.Schema === undefined ? undefined : new sw.Schema({ type: 'array' })
    const bytes = sw.encode(Array.from({ length: 2000 }, (_, i) => `text ${i}`))
    schema?.decode(bytes)
    const stream = sw.decodeStream([bytes.subarray(0, 100)])
    void stream.next().catch(() => undefined)
    for (let i = 0; i < 3; i++) sw.decode(bytes, { maxItems: 5000 + i })
    process.exit(0)
  }
}

/** Calls that recurse as deep as they may. */
const DEEP = {
  decode: (sw, { bytes }) => sw.decode(bytes),
  parse: (sw, { text }) => sw.parse(text),
  transcode: (sw, { bytes }) => sw.transcode(bytes, 'msgpack', 'json'),
  canonical: (sw, { value }) => sw.encode(value, { canonical: true }),
  stringify: (sw, { value }) => sw.stringify(value),
  digest: (sw, { value }) => sw.digest(value),
  view: (sw, { bytes }) => sw.view(bytes).get('/a/0/a/0'),
  inspect: (sw, { bytes }) => sw.inspect(bytes),
  'decode by a schema': (sw, { bytes, schema }) => schema.decode(bytes),
  'parse by a schema': (sw, { text, schema }) => schema.parse(text),
  'encode by a schema': (sw, { value, schema }) => schema.encode(value),
  'transcode by a schema': (sw, { text, schema }) => schema.transcode(text, 'json', 'msgpack'),
}

/** Calls where the caller's own recursion has left hardly any stack: what they gave, and whether all works afterwards. */
function nearlyUsedUp(sw, name) {
  let value = 1
  for (let i = 0; i < 512; i++) value = i % 2 === 0 ? [value] : { a: value }
  const $ref = '#/$defs/n'
  const schema = new sw.Schema({ $ref, $defs: { n: { anyOf: [{ type: 'integer' }, { type: 'array', items: { $ref } }, { type: 'object', properties: { a: { $ref } } }] } } })
  const given = { value, bytes: sw.encode(value, { pool: false }), text: sw.stringify(value), schema }
  const kinds = new Set()
  let tries = 0
  const dive = () => {
    try {
      dive()
    } catch {
      // From here on up there is a little more room at each frame.
    }
    if (tries++ >= 4000 || tries % 10 !== 0) return
    try {
      DEEP[name](sw, given)
      kinds.add('done')
    } catch (error) {
      kinds.add(error.code ?? error.name)
    }
  }
  try {
    dive()
  } catch {
    // As above.
  }
  const json = sw.stringify(sw.decode(given.bytes))
  return { kinds: [...kinds], well: json === given.text && sw.stringify(sw.parse(given.text)) === json }
}

const tests = {
  'a stack that the caller has nearly used up': async (sw, entry) => {
    for (const name of Object.keys(DEEP)) {
      const worker = new Worker(here, { workerData: { entry, task: 'stack', name } })
      const { kinds, well } = await new Promise((resolve, reject) => {
        worker.on('message', resolve).on('error', reject).on('exit', (code) => reject(new Error(`${name}: the thread ended with ${code}`)))
      })
      const allowed = ['RangeError', 'depth-exceeded', 'done']
      if (!well || kinds.some((k) => !allowed.includes(k))) throw new Error(`${name}: ${kinds}, afterwards ${well ? 'well' : 'broken'}`)
    }
  },
  'many threads at once': async (sw, entry) => {
    const expected = await work(sw, 1)
    const results = await Promise.all(Array.from({ length: 8 }, () => new Promise((resolve, reject) => {
      const worker = new Worker(here, { workerData: { entry, task: 'work' } })
      worker.on('message', resolve).on('error', reject)
    })))
    const last = await work(sw, 20)
    if (results.some((r) => r !== last)) throw new Error(`digests ${results}, not ${last}`)
    if (last === expected) throw new Error('the rounds are alike')
  },
  'threads that end while work is under way': async (sw, entry) => {
    for (let i = 0; i < 12; i++) {
      const worker = new Worker(here, { workerData: { entry, task: 'end' } })
      await once(worker, 'message')
      if (i % 2 === 1) await turn()
      await worker.terminate()
    }
    await work(sw, 1)
  },
  'threads that end give their memory back': async (sw, entry) => {
    const round = async (n) => {
      for (let i = 0; i < n; i++) await once(new Worker(here, { workerData: { entry, task: 'exit' } }), 'exit')
      globalThis.gc?.()
      return process.memoryUsage.rss()
    }
    await round(15)
    const before = await round(15)
    const grown = (await round(30)) - before
    // A thread's session has half a megabyte and more.
    if (grown > 12e6) throw new Error(`30 threads left ${(grown / 1e6).toFixed(1)} MB`)
  },
  'loaded twice': async (sw, entry) => {
    const again = await import(`${entry}?again`)
    if (again.encode === sw.encode) throw new Error('it is the same instance')
    const value = { a: [1, 'x'], b: new Date(5) }
    for (let i = 0; i < 100; i++) {
      const bytes = again.encode(sw.decode(sw.encode(value)))
      if (Buffer.compare(Buffer.from(bytes), Buffer.from(sw.encode(value))) !== 0) throw new Error('other bytes')
    }
  },
  'a small result shares memory, which a transfer does not take from its neighbours': async (sw) => {
    const shared = sw.encode({ a: 1 })
    const neighbour = sw.encode({ b: 2 })
    let copy
    try {
      copy = structuredClone(shared, { transfer: [shared.buffer] })
    } catch (error) {
      // From Node 21 on; before that it is copied.
      if (error.name !== 'DataCloneError') throw error
    }
    if (copy !== undefined && sw.decode(copy).a !== 1) throw new Error('the copy is another')
    if (sw.decode(shared).a !== 1 || sw.decode(neighbour).b !== 2) throw new Error('neighbours were detached')
    const own = sw.encode({ a: 1 }, { pool: false })
    const moved = structuredClone(own, { transfer: [own.buffer] })
    if (sw.decode(moved).a !== 1 || own.length !== 0) throw new Error('it was not transferred')
  },
  'the thread is free while others work': async (sw) => {
    if (sw.engine !== 'native') return
    const bytes = sw.encode(Array.from({ length: 300000 }, (_, i) => ({ i, text: `some text ${i}`, f: i / 7 })), { pool: false })
    const start = performance.now()
    sw.transcode(bytes, 'msgpack', 'json')
    const blocked = performance.now() - start
    let turns = 0
    let longest = 0
    let last = performance.now()
    let done = false
    const job = sw.transcodeAsync(bytes, 'msgpack', 'json').finally(() => { done = true })
    while (!done) {
      await turn()
      const now = performance.now()
      longest = Math.max(longest, now - last)
      last = now
      turns++
    }
    await job
    if (turns < 10) throw new Error(`${turns} turns, the longest ${longest.toFixed(1)} ms, where the work takes ${blocked.toFixed(1)} ms`)
  },
  'a process that exits while work is under way': async (sw, entry) => {
    const script = `import(${JSON.stringify(entry)}).then((sw) => {
      const bytes = sw.encode(Array.from({ length: 50000 }, (_, i) => 'text ' + i))
      for (let i = 0; i < 8; i++) void sw.decodeAsync(bytes)
      setImmediate(() => process.exit(7))
    })`
    const child = spawn(process.execPath, ['-e', script], { stdio: 'inherit' })
    const [code, signal] = await once(child, 'exit')
    if (code !== 7) throw new Error(`it ended with ${code ?? signal}`)
  },
}

async function main() {
  const [entryPath, label, ...flags] = process.argv.slice(2)
  const only = flags.find((f) => f.startsWith('--only='))?.slice(7) ?? ''
  const entry = pathToFileURL(entryPath).href
  const sw = await import(entry)
  let passed = 0
  let failed = 0
  for (const [name, test] of Object.entries(tests)) {
    if (!name.includes(only)) continue
    try {
      await test(sw, entry)
      passed++
    } catch (error) {
      failed++
      console.log(`FAILED ${label}: ${name}\n    ${String(error.stack ?? error).slice(0, 500)}`)
    }
  }
  console.log(`${label} (${sw.engine}): ${passed} passed, ${failed} failed, 0 skipped`)
  process.exit(failed > 0 ? 1 : 0)
}

if (isMainThread) await main()
else await thread()
