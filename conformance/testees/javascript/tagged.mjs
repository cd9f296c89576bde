// Tagged JSON ↔ JavaScript values, and the loop over lines: what every JavaScript testee shares. It knows no codec;
// `kinds` says how a codec represents the kinds that JavaScript lacks.

const SAFE = Number.MAX_SAFE_INTEGER
const view = new DataView(new ArrayBuffer(8))

export const fromHex = (text) => {
  const out = new Uint8Array(text.length / 2)
  for (let i = 0; i < out.length; i++) out[i] = parseInt(text.substr(2 * i, 2), 16)
  return out
}
const DIGITS = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0'))
export const toHex = (bytes) => {
  let out = ''
  for (const b of bytes) out += DIGITS[b]
  return out
}
const fromBase64 = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0))
const toBase64 = (bytes) => {
  let out = ''
  for (const b of bytes) out += String.fromCharCode(b)
  return btoa(out)
}

/** A value of the host for tagged JSON. */
export function read(json, kinds) {
  if (Array.isArray(json)) return json.map((v) => read(v, kinds))
  if (json === null || typeof json !== 'object') return json
  const keys = Object.keys(json)
  if (keys.length === 1 && keys[0][0] === '$') {
    const inner = json[keys[0]]
    switch (keys[0]) {
      case '$int': {
        const n = BigInt(inner)
        return n >= -SAFE && n <= SAFE ? Number(n) : n
      }
      case '$float':
        view.setBigUint64(0, BigInt(inner))
        return view.getFloat64(0)
      case '$bin':
        return fromBase64(inner)
      case '$time':
        return kinds.time(inner[0], inner[1])
      case '$ext':
        return kinds.ext(inner[0], fromBase64(inner[1]))
      case '$map':
        return new Map(inner.map(([k, v]) => [read(k, kinds), read(v, kinds)]))
      case '$obj':
        return object(inner, kinds)
    }
    throw new Error(`no tag ${keys[0]}`)
  }
  return object(json, kinds)
}

function object(json, kinds) {
  const out = {}
  for (const k of Object.keys(json)) {
    const value = read(json[k], kinds)
    if (k === '__proto__') Object.defineProperty(out, k, { value, enumerable: true, writable: true, configurable: true })
    else out[k] = value
  }
  return out
}

/** Tagged JSON of a value of the host. */
export function write(value, kinds) {
  switch (typeof value) {
    case 'number':
      if (Number.isSafeInteger(value) && !Object.is(value, -0)) return value
      view.setFloat64(0, value)
      return { $float: '0x' + view.getBigUint64(0).toString(16).padStart(16, '0') }
    case 'string':
      // Half a surrogate pair is no text; a line of the protocol cannot carry it.
      return value.isWellFormed() ? value : { $str: toBase64(Array.from(value, (c) => c.codePointAt(0) & 255)) }
    case 'bigint':
      return { $int: value.toString() }
    case 'object':
      break
    default:
      return value
  }
  if (value === null) return null
  if (Array.isArray(value)) return value.map((v) => write(v, kinds))
  const special = kinds.tag(value)
  if (special) return special.ext ? { $ext: [special.ext[0], toBase64(special.ext[1])] } : special
  if (value instanceof Uint8Array) return { $bin: toBase64(value) }
  if (value instanceof Map) return { $map: [...value].map(([k, v]) => [write(k, kinds), write(v, kinds)]) }
  // As pairs: an object here would change `__proto__` and could look like a tag.
  return { $map: Object.keys(value).map((k) => [write(k, kinds), write(value[k], kinds)]) }
}

/** Answers an array of requests. */
export async function answers(requests, testee) {
  const out = []
  for (const request of requests) out.push(await answer(request, testee))
  return out
}

async function answer(request, testee) {
  if (request.op === 'hello') return { ok: testee.hello }
  const op = testee[request.op]
  if (!op) return { skipped: `no op ${request.op}` }
  try {
    return await op(request)
  } catch (e) {
    return { error: { code: e?.code ?? '', offset: e?.offset, path: e?.path, message: String(e?.message ?? e).slice(0, 300).toWellFormed() } }
  }
}

/** Reads lines of requests from the process's input until it ends. */
export async function serve(testee) {
  const decoder = new TextDecoder()
  let rest = ''
  const write = globalThis.Deno
    ? async (text) => {
        const bytes = new TextEncoder().encode(text)
        for (let at = 0; at < bytes.length; ) at += await Deno.stdout.write(bytes.subarray(at))
      }
    : (text) => new Promise((done) => process.stdout.write(text, done))
  const input = globalThis.Deno ? Deno.stdin.readable : process.stdin
  for await (const chunk of input) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop()
    for (const line of lines) await write(JSON.stringify(await answers(JSON.parse(line), testee)) + '\n')
  }
}
