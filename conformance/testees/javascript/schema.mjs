// The requests about schemas.

import { fromHex, read, toHex, write } from './tagged.mjs'

/** `kinds` and `options` are those of the other requests. */
export function schemaOps({ Schema, check }, kinds, options) {
  const written = (schema, r) => {
    const value = read(r.value, kinds)
    return r.format === 'json' ? schema.stringifyToBytes(value, options(r)) : schema.encode(value, options(r))
  }
  const reading = (schema, r, bytes) => {
    const value = r.format === 'json' ? schema.parse(bytes, options(r)) : schema.decode(bytes, options(r))
    return { ok: write(value, kinds) }
  }
  return {
    'schema-compile': (r) => ({ ok: new Schema(r.schema) && null }),
    'schema-encode': (r) => ({ ok: toHex(written(new Schema(r.schema), r)) }),
    'schema-decode': (r) => reading(new Schema(r.schema), r, fromHex(r.input)),
    'schema-resolve': (r) => reading(new Schema(r.reader), r, written(new Schema(r.writer), r)),
    'schema-transcode': (r) => ({ ok: toHex(new Schema(r.schema).transcode(fromHex(r.input), r.from, r.to, options(r))) }),
    'schema-check': (r) => ({
      ok: check(new Schema(r.old), new Schema(r.new), r.mode).map(({ mode, rule, path, severity, format }) => ({ mode, rule, path, severity, format })),
    }),
  }
}
