// The race in Node: `node node.js [--quick] [--op OP]… [--payload NAME]… [--rounds N] [--ms N] --out FILE`.
// Run it with --disallow-code-generation-from-strings to see what a strict Content-Security-Policy costs.

import { writeFileSync } from 'node:fs'
import * as msgpack from '@msgpack/msgpack'
import * as cborx from 'cbor-x'
import * as msgpackr from 'msgpackr'
import { OPS, build, prepare } from './contestants.js'
import { options, payloadFiles } from './files.js'
import { race } from './race.js'

const o = options(process.argv.slice(2))
const lib = { msgpack, msgpackr, cborx }
try {
  lib.samewire = await import('samewire')
} catch (error) {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
  console.error('the package samewire is not built: the peers race alone')
}
if (!msgpackr.isNativeAccelerationEnabled) console.error('msgpackr runs without its native extension')
let evalAllowed = true
try {
  new Function('')
} catch {
  evalAllowed = false
}
const runtime = `Node ${process.versions.node.split('.')[0]}${evalAllowed ? '' : ' without eval'}`
const engine = lib.samewire?.engine
if (engine) console.error(`${runtime}: samewire runs on its ${typeof engine === 'string' ? engine : (engine.name ?? engine.kind)} engine`)
const cells = await race({
  runtime,
  payloads: payloadFiles(o.payloads).map(([name, entry, texts]) => prepare(name, entry, texts, lib)),
  ops: o.ops.length ? o.ops : OPS,
  build: (op, p) => build(op, p, lib),
  config: o,
  sampleAt: new URL('./sample.js', import.meta.url).href,
  log: (id) => process.stderr.isTTY && process.stderr.write(`\r${id.padEnd(60)}\r`),
})
const text = JSON.stringify(cells)
if (o.out) writeFileSync(o.out, text)
else console.log(text)
