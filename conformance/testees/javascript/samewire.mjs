// The npm package as a testee, for Node, Deno and Bun; the page for browsers imports `testee` too.

import { fromHex, read, toHex, write } from './tagged.mjs'
import { schemaOps } from './schema.mjs'

const camel = (name) => name.replace(/_([a-z])/g, (_, c) => c.toUpperCase())

/** The testee for one build of the package. */
export function testee(samewire, runtime) {
  const { Ext, Timestamp } = samewire
  const kinds = {
    time: (seconds, nanoseconds) =>
      nanoseconds % 1e6 === 0 ? new Date(seconds * 1000 + nanoseconds / 1e6) : new Timestamp(seconds, nanoseconds),
    ext: (type, data) => new Ext(type, data),
    tag(value) {
      if (value instanceof Timestamp) return { $time: [value.seconds, value.nanoseconds] }
      if (value instanceof Date) {
        const seconds = Math.floor(value.getTime() / 1000)
        return { $time: [seconds, (value.getTime() - seconds * 1000) * 1e6] }
      }
      if (value instanceof Ext) return { ext: [value.type, value.data] }
    },
  }
  const options = (request) => Object.fromEntries(Object.entries(request.options ?? {}).map(([k, v]) => [camel(k), v]))
  const ops = {
    encode(r) {
      const value = read(r.value, kinds)
      const bytes = r.format === 'json' ? samewire.stringifyToBytes(value, options(r)) : samewire.encode(value, options(r))
      if (r.format === 'json') {
        // The text and its bytes are two ways out; both must say the same.
        const text = new TextEncoder().encode(samewire.stringify(value, options(r)))
        if (toHex(text) !== toHex(bytes)) throw new Error('stringify and stringifyToBytes differ')
      }
      return { ok: toHex(bytes) }
    },
    decode(r) {
      const bytes = fromHex(r.input)
      const value = r.format === 'json' ? samewire.parse(bytes, options(r)) : samewire.decode(bytes, options(r))
      return { ok: write(value, kinds) }
    },
    transcode: (r) => ({ ok: toHex(samewire.transcode(fromHex(r.input), r.from, r.to, options(r))) }),
    digest: (r) => ({ ok: toHex(samewire.digest(read(r.value, kinds))) }),
  }
  Object.assign(ops, schemaOps(samewire, kinds, options))
  if (samewire.decodeStream) {
    ops.stream = async (r) => {
      const values = []
      let error = null
      try {
        const stream = samewire.decodeStream(r.chunks.map(fromHex), { ...options(r), format: r.format })
        for await (const value of stream) values.push(write(value, kinds))
      } catch (e) {
        error = { code: e.code, offset: e.offset, path: e.path, message: String(e.message) }
      }
      return { values, error }
    }
  }
  const hello = {
    name: 'samewire',
    version: '0.1.0',
    runtime: `${runtime}, ${samewire.engine}`,
    host: 'javascript',
    formats: ['msgpack', 'json'],
    ops: Object.keys(ops),
    options: ['*'],
    strict: true,
  }
  return { hello, ...ops }
}
