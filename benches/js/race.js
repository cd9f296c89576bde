// The race itself: interleaved rounds, outputs compared before timing. Runs in Node and in a page; knows no contestant,
// no file and no table (benches/common.py makes those, for every language alike).

const now = () => performance.now() * 1e6

/** Deep equality that tells 0 from -0, 1 from 1n, and keeps the order of keys. */
export function same(a, b) {
  if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) return Object.is(a, b)
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((v, i) => same(v, b[i]))
  if (a instanceof Date) return b instanceof Date && a.getTime() === b.getTime()
  if (Array.isArray(b) || b instanceof Date) return false
  const ka = Object.keys(a)
  const kb = Object.keys(b)
  return ka.length === kb.length && ka.every((k, i) => k === kb[i] && same(a[k], b[k]))
}

function describe(error) {
  return String(error?.message ?? error).split('\n')[0].slice(0, 120)
}

function shuffle(list) {
  for (let i = list.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1))
    ;[list[i], list[j]] = [list[j], list[i]]
  }
}

/**
 * One cell: `contestants` is a list of { name, call, inputs, check(output, index) }; `loop()` imports a timed loop (sample.js)
 * that nobody else has.
 * Yields to the event loop between rounds, so that a page stays alive and can report.
 */
export async function cell(contestants, { rounds, ms, warm }, loop) {
  const failed = {}
  const running = []
  for (const c of contestants) {
    try {
      if (c.error) throw c.error
      for (let i = 0; i < c.inputs.length; i++)
        if (!c.check(c.call(c.inputs[i]), i)) throw new Error(`wrong output for instance ${i}`)
      running.push({ ...c, samples: [], sample: await loop() })
    } catch (error) {
      failed[c.name] = describe(error)
    }
  }
  // Compilers get the same time for everyone, in turns, before anything counts.
  for (let turn = 0; turn < 4; turn++) {
    for (const c of running) {
      const end = now() + (warm * 1e6) / 4
      do c.sample(c.call, c.inputs, 1)
      while (now() < end)
    }
    await new Promise((done) => setTimeout(done))
  }
  for (const c of running) {
    // Clocks in browsers are coarse: look until the answer is longer than they are.
    let passes = 1
    let each
    for (;;) {
      const start = now()
      each = c.sample(c.call, c.inputs, passes)
      if (now() - start > 5e5 || passes > 1e6) break
      passes *= 2
    }
    c.passes = Math.max(1, Math.round((ms * 1e6) / (each * c.inputs.length)))
  }
  const order = [...running]
  for (let r = 0; r < rounds; r++) {
    shuffle(order)
    for (const c of order) c.samples.push(Math.round(c.sample(c.call, c.inputs, c.passes) * 100) / 100)
    await new Promise((done) => setTimeout(done))
  }
  return { rounds: Object.fromEntries(running.map((c) => [c.name, c.samples])), failed }
}

/**
 * All cells of a runtime. `build(op, payload)` gives the contestants of one, or nothing; `sampleAt` is the address of
 * sample.js.
 */
export async function race({ runtime, payloads, ops, build, config, sampleAt, log = () => {} }) {
  let copies = 0
  const loop = async () => (await import(`${sampleAt}?${copies++}`)).sample
  const cells = []
  for (const op of ops) {
    for (const p of payloads) {
      const contestants = build(op, p)
      if (!contestants?.length) continue
      const id = `${runtime}/${op}/${p.name}`
      log(id)
      const result = await cell(contestants, config, loop)
      cells.push({ id, op, payload: p.name, runtime, key: p.key, ours: 'samewire', bytes: p.bytes, ...result })
    }
  }
  return cells
}
