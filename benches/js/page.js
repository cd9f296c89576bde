// The race in a page: asks the driver for its configuration and payloads, posts the cells back.

import * as msgpack from '@msgpack/msgpack'
import * as cborx from 'cbor-x'
import * as msgpackr from 'msgpackr'
import { OPS, build, prepare } from './contestants.js'
import { race } from './race.js'

const post = (path, value) => fetch(path, { method: 'POST', body: JSON.stringify(value) })

async function main() {
  const { runtime, config, files, ours } = await (await fetch('/config.json')).json()
  const lib = { msgpack, msgpackr, cborx }
  // A name that the bundler does not see: the page's import map resolves it, as a plain page would.
  if (ours) lib.samewire = await import(/* @vite-ignore */ ours)
  const cells = await race({
    runtime,
    payloads: files.map(([name, entry, texts]) => prepare(name, entry, texts, lib)),
    ops: config.ops.length ? config.ops : OPS,
    build: (op, p) => build(op, p, lib),
    config,
    sampleAt: '/sample.js',
    log: (id) => {
      document.title = id
      post('/log', id)
    },
  })
  await post('/result', { cells, isolated: globalThis.crossOriginIsolated, agent: navigator.userAgent })
}

main().catch((error) => post('/result', { error: String(error?.stack ?? error) }))
