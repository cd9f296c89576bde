// Other libraries of JavaScript as testees: node peer.mjs JSON | msgpackr | @msgpack/msgpack.

import { createRequire } from 'node:module'
import { fromHex, read, serve, toHex, write } from './tagged.mjs'

const name = process.argv[2]
const require = createRequire(new URL('package.json', `file://${process.env.PEERS}/`))
let version = process.versions.v8
const load = (name) => {
  try {
    version = require(`${name}/package.json`).version
  } catch {
    version = ''
  }
  try {
    return require(name)
  } catch {
    console.error(`${name} is not installed: tools/conform installs it`)
    process.exit(77)
  }
}
const noKinds = { time: (s, n) => new Date(s * 1000 + n / 1e6), ext: () => undefined, tag: (v) => (v instanceof Date ? date(v) : undefined) }
const date = (v) => {
  const seconds = Math.floor(v.getTime() / 1000)
  return { $time: [seconds, (v.getTime() - seconds * 1000) * 1e6] }
}
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const peers = {
  JSON() {
    return {
      format: 'json',
      lacks: ['bigint', 'bin', 'ext', 'timestamp', 'map-key'],
      kinds: noKinds,
      encode: (v) => new TextEncoder().encode(JSON.stringify(v)),
      decode: (b) => JSON.parse(strict.decode(b)),
    }
  },
  msgpackr() {
    const { Packr, Unpackr, addExtension } = load('msgpackr')
    class Ext {
      constructor(type, data) {
        Object.assign(this, { type, data })
      }
    }
    for (let type = 0; type < 128; type++) addExtension({ type, unpack: (data) => new Ext(type, new Uint8Array(data)) })
    const options = { useRecords: false, mapsAsObjects: true, int64AsType: 'auto' }
    const packr = new Packr(options)
    const unpackr = new Unpackr(options)
    return {
      format: 'msgpack',
      // It has no way to write an extension without a class for it.
      lacks: ['bigint', 'ext'],
      kinds: { ...noKinds, ext: (t, d) => new Ext(t, d), tag: (v) => (v instanceof Ext ? { ext: [v.type, v.data] } : noKinds.tag(v)) },
      encode: (v) => packr.pack(v),
      decode: (b) => unpackr.unpack(b),
    }
  },
  '@msgpack/msgpack'() {
    const { encode, decode, ExtData } = load('@msgpack/msgpack')
    return {
      format: 'msgpack',
      lacks: ['bigint'],
      kinds: { ...noKinds, ext: (t, d) => new ExtData(t, d), tag: (v) => (v instanceof ExtData ? { ext: [v.type, v.data] } : noKinds.tag(v)) },
      encode: (v) => encode(v, { useBigInt64: true }),
      // With this option every 64-bit integer is a BigInt, small ones too; they are the same numbers.
      decode: (b) => decode(b, { useBigInt64: true }),
    }
  },
}

const peer = peers[name]()
const ops = {
  encode: (r) => ({ ok: toHex(peer.encode(read(r.value, peer.kinds))) }),
  decode: (r) => ({ ok: write(peer.decode(fromHex(r.input)), peer.kinds) }),
}
const hello = { name, version, runtime: `Node ${process.versions.node}`, host: 'javascript', formats: [peer.format], ops: Object.keys(ops), options: [], lacks: peer.lacks, strict: false }
await serve({ hello, ...ops })
