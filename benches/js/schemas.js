// What a schema costs in Node: reading, writing and checking by a schema, against the same without one and against
// JSON.parse with ajv. `tools/bench-schema` runs this, once for each engine, and the same in CPython.
//
//   node schemas.js [--quick] [--op OP]… [--payload NAME]… [--rounds N] [--ms N] --out FILE

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import Ajv from 'ajv/dist/2020.js'
import * as msgpack from '@msgpack/msgpack'
import * as msgpackr from 'msgpackr'
import * as samewire from 'samewire'
import { options, payloadFiles } from './files.js'
import { race, same } from './race.js'

const OPS = ['decode', 'parse', 'encode', 'stringify', 'validate', 'validate_msgpack']
const OURS = 'by schema'
const place = (name) => new URL(`../payloads/schemas/${name}.json`, import.meta.url)

/** The value without the first field of its first record, which every schema here requires. */
function spoilt(value) {
  if (Array.isArray(value)) return [spoilt(value[0]), ...value.slice(1)]
  return Object.fromEntries(Object.entries(value).slice(1))
}

function prepare([name, entry, texts]) {
  const document = JSON.parse(readFileSync(place(name), 'utf8'))
  const utf8 = new TextEncoder()
  const values = texts.map((t) => JSON.parse(t))
  return {
    name, key: true, bytes: entry.bytes, values, document,
    json: texts.map((t) => utf8.encode(t)),
    // Floats stay floats, as every writer but JavaScript's sends them.
    msgpack: texts.map((t) => samewire.transcode(utf8.encode(t), 'json', 'msgpack')),
    wrong: spoilt(values[0]),
  }
}

function build(op, p) {
  const schema = new samewire.Schema(p.document)
  const ajv = new Ajv().compile(p.document)
  const out = []
  const value = (v, i) => same(v, p.values[i])
  const add = (name, call, inputs, check) => out.push({ name, call, inputs, check })
  const pair = (mine, plain, inputs, check) => {
    add(OURS, mine, inputs, check)
    add('unchecked', plain, inputs, check)
  }
  /** A checker, which must refuse the message that lacks a field. */
  const checks = (name, call, inputs, wrong) =>
    add(name, call, inputs, (_, i) => {
      if (i > 0) return true
      try {
        call(wrong)
      } catch {
        return true
      }
      return false
    })
  const valid = (read) => (data) => {
    if (!ajv(read(data))) throw new Error('not valid')
  }
  if (op === 'decode') pair((b) => schema.decode(b), samewire.decode, p.msgpack, value)
  else if (op === 'parse') pair((b) => schema.parse(b), samewire.parse, p.json, value)
  else if (op === 'encode') pair((v) => schema.encode(v), samewire.encode, p.values, (b, i) => same(msgpack.decode(b), p.values[i]))
  else if (op === 'stringify') pair((v) => schema.stringify(v), samewire.stringify, p.values, (t, i) => same(JSON.parse(t), p.values[i]))
  else if (op === 'validate') {
    const wrong = new TextEncoder().encode(JSON.stringify(p.wrong))
    const text = new TextDecoder()
    checks(OURS, (b) => schema.validate(b, 'json'), p.json, wrong)
    checks('JSON.parse + ajv', valid((b) => JSON.parse(text.decode(b))), p.json, wrong)
  } else if (op === 'validate_msgpack') {
    const wrong = msgpack.encode(p.wrong)
    const packr = new msgpackr.Packr({ useRecords: false, int64AsType: 'auto' })
    checks(OURS, (b) => schema.validate(b), p.msgpack, wrong)
    checks('msgpackr + ajv', valid((b) => packr.unpack(b)), p.msgpack, wrong)
  }
  return out
}

const o = options(process.argv.slice(2))
const cells = await race({
  runtime: `Node ${process.versions.node.split('.')[0]} ${samewire.engine}`,
  payloads: payloadFiles(o.payloads).filter(([name]) => existsSync(place(name))).map(prepare),
  ops: o.ops.length ? o.ops.filter((op) => OPS.includes(op)) : OPS,
  build,
  config: o,
  sampleAt: new URL('./sample.js', import.meta.url).href,
})
const text = JSON.stringify(cells.map((c) => ({ ...c, ours: OURS })))
if (o.out) writeFileSync(o.out, text)
else console.log(text)
