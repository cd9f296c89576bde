// Who takes part in which operation. Every contestant is used as its documentation shows for speed.
//
// A name that starts with `~` is shown but is no peer: cbor-x writes another format, and msgpackr's records are an extension
// that no other MessagePack library reads. `tools/bench-js` still prints our ratio to each of them.

import { same } from './race.js'

export const OPS = ['decode', 'encode', 'stringify', 'parse', 'parse_bytes', 'view']

// The three fields that `view` reads, by JSON Pointer; peers decode the whole message for them.
const VIEWED = {
  request: ['/model', '/user', '/metadata/tenant'],
  request10k: ['/model', '/messages/3/content', '/metadata/tenant'],
  nested: ['/total', '/items/3/user/email', '/items/20/note'],
  records: ['/17/price', '/2500/owner', '/4999/comment'],
}

const walk = (value, pointers) => pointers.map((p) => p.split('/').slice(1).reduce((v, step) => v[step], value))

/** A payload as the races use it: texts, their values, and the bytes of each format. */
export function prepare(name, entry, texts, { msgpack }) {
  const plain = texts.map((t) => JSON.parse(t))
  const values = texts.map((t) => withTimes(JSON.parse(t), entry.times))
  const utf8 = new TextEncoder()
  return {
    name,
    key: entry.key,
    bytes: entry.bytes,
    times: entry.times,
    texts,
    plain,
    values,
    json: texts.map((t) => utf8.encode(t)),
    msgpack: values.map((v) => exact(msgpack.encode(v, { maxDepth: 1000 }))),
  }
}

/** Instants become Dates, which hold milliseconds. */
function withTimes(value, fields) {
  if (typeof value !== 'object' || value === null || !fields.length) return value
  for (const [k, v] of Object.entries(value)) {
    if (fields.includes(k)) value[k] = new Date(v)
    else withTimes(v, fields)
  }
  return value
}

/** Bytes of their own memory, as a message from a socket or a file has them. */
function exact(bytes) {
  return new Uint8Array(bytes)
}

/** The contestants of one cell. `lib` holds the modules that this runtime has; `lib.samewire` may be missing. */
export function build(op, p, lib) {
  const { msgpack, msgpackr, cborx, samewire } = lib
  const out = []
  const add = (name, make, inputs, check) => {
    try {
      out.push({ name, call: make(), inputs, check })
    } catch (error) {
      out.push({ name, error, inputs, check }) // shown as failing
    }
  }
  const value = (v, i) => same(v, p.values[i])
  const plain = (v, i) => same(v, p.plain[i])
  const packed = (b, i) => same(msgpack.decode(b), p.values[i])
  // An instant may be written with as many digits of its second as it needs.
  const text = (t, i) => same(withTimes(JSON.parse(t), p.times), p.values[i])

  // Without int64AsType msgpackr gives a bigint for every integer beyond 32 bits, which is not the value that was encoded.
  const packr = () => new msgpackr.Packr({ useRecords: false, int64AsType: 'auto' })
  const records = () => new msgpackr.Packr({ useRecords: true, int64AsType: 'auto' })
  const cbor = () => new cborx.Encoder({ useRecords: false })

  if (op === 'decode') {
    if (samewire) {
      add('samewire', () => samewire.decode, p.msgpack, value)
      add('samewire (no eval)', () => noEval(samewire, 'msgpack'), p.msgpack, value)
    }
    add('msgpackr', () => { const r = packr(); return (b) => r.unpack(b) }, p.msgpack, value)
    add('@msgpack/msgpack', () => { const d = new msgpack.Decoder(); return (b) => d.decode(b) }, p.msgpack, value)
    add('~JSON.parse, text', () => (t) => JSON.parse(t), p.texts, plain) // its input is no longer bytes
    add('JSON.parse, bytes', () => { const d = new TextDecoder(); return (b) => JSON.parse(d.decode(b)) }, p.json, plain)
    const r = records()
    add('~msgpackr records', () => (b) => r.unpack(b), p.values.map((v) => exact(r.pack(v))), value)
    const c = cbor()
    add('~cbor-x', () => (b) => c.decode(b), p.values.map((v) => exact(c.encode(v))), value)
  } else if (op === 'encode') {
    if (samewire) {
      add('samewire', () => samewire.encode, p.values, packed)
      add('samewire (pool: false)', () => own(samewire, { pool: false }), p.values, packed)
    }
    add('msgpackr', () => { const r = packr(); return (v) => r.pack(v) }, p.values, packed)
    add('@msgpack/msgpack', () => { const e = new msgpack.Encoder({ maxDepth: 1000 }); return (v) => e.encode(v) }, p.values, packed)
    add('~JSON.stringify to bytes', () => { const e = new TextEncoder(); return (v) => e.encode(JSON.stringify(v)) }, p.values,
      (b, i) => text(new TextDecoder().decode(b), i))
    add('~JSON.stringify', () => (v) => JSON.stringify(v), p.values, text)
    add('~msgpackr records', () => { const r = records(); return (v) => r.pack(v) }, p.values, () => true)
    add('~cbor-x', () => { const c = cbor(); return (v) => c.encode(v) }, p.values, (b, i) => same(cborx.decode(b), p.values[i]))
  } else if (op === 'stringify') {
    if (samewire) add('samewire', () => samewire.stringify, p.values, text)
    add('JSON.stringify', () => (v) => JSON.stringify(v), p.values, text)
  } else if (op === 'parse') {
    if (samewire) add('samewire', () => samewire.parse, p.texts, plain)
    add('JSON.parse', () => (t) => JSON.parse(t), p.texts, plain)
  } else if (op === 'parse_bytes') {
    if (samewire) {
      add('samewire', () => samewire.parse, p.json, plain)
      add('samewire (no eval)', () => noEval(samewire, 'json'), p.json, plain)
    }
    add('JSON.parse, bytes', () => { const d = new TextDecoder(); return (b) => JSON.parse(d.decode(b)) }, p.json, plain)
    if (globalThis.Buffer) {
      add('JSON.parse, Buffer', () => (b) => JSON.parse(b), p.json.map((b) => Buffer.from(b)), plain)
    }
    // Not the same work, but the figure people compare with: the text is already a string.
    add('~JSON.parse, text', () => (t) => JSON.parse(t), p.texts, plain)
  } else if (op === 'view') {
    const pointers = VIEWED[p.name]
    if (!pointers) return out
    const fields = (v, i) => same(v, walk(p.values[i], pointers))
    const read = (v) => pointers.map((pointer) => v.get(pointer))
    if (samewire) {
      add('samewire', () => (b) => read(samewire.view(b)), p.msgpack, fields)
      add('samewire (JSON)', () => (b) => read(samewire.view(b, 'json')), p.json, fields)
    }
    add('JSON.parse, text', () => (t) => walk(JSON.parse(t), pointers), p.texts, fields)
    add('JSON.parse, bytes', () => { const d = new TextDecoder(); return (b) => walk(JSON.parse(d.decode(b)), pointers) }, p.json, fields)
    add('msgpackr', () => { const r = packr(); return (b) => walk(r.unpack(b), pointers) }, p.msgpack, fields)
  } else {
    throw new Error(`no operation is called ${op}; there are: ${OPS.join(', ')}`)
  }
  return out
}

function noEval(samewire, format) {
  const decoder = new samewire.Decoder(format, { unsafeEval: false })
  return (b) => decoder.decode(b)
}

function own(samewire, options) {
  const encoder = new samewire.Encoder('msgpack', options)
  return (v) => encoder.encode(v)
}
