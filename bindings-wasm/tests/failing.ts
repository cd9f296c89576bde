// Calls that fail, of every kind: what each must say. They leave nothing behind, however many there are.

import { cat, unhex, type Samewire } from './harness.js'

export interface Failing {
  name: string
  /** A code; `mine` for an exception of the caller's own code, which comes through as it is. */
  code: string
  call: () => unknown
}

/** The caller's own exception. */
export const MINE = new Error('mine')

export function failing(sw: Samewire): Failing[] {
  const list: Failing[] = []
  const add = (code: string, name: string, call: () => unknown): void => void list.push({ code, name, call })
  const mine = (): never => {
    throw MINE
  }
  const good = sw.encode({ id: 1, name: 'repeated', list: ['repeated', 'repeated', { deep: [1.5, 'é'] }], at: new Date(5) }, { pool: false })
  const text = sw.stringify({ id: 1, name: 'repeated', list: ['repeated', { deep: [1.5, 'é'] }] })

  // Reading.
  add('length-exceeds-input', 'decode of a message that is cut off', () => sw.decode(good.subarray(0, good.length - 1)))
  add('trailing-data', 'decode with bytes behind', () => sw.decode(cat(good, [0])))
  const read: [string, string, object?][] = [
    ['truncated', '92a161cd01'], ['invalid-marker', '92a161c1'], ['invalid-utf8', '93a161a162a2c328'], ['duplicate-key', '82a16101a16102'],
    ['map-key-type', '82a161010102'], ['length-exceeds-input', '92a161db7fffffff'], ['length-exceeds-input', 'ddffffffff'],
    ['invalid-timestamp', '92a161c705ff0102030405'], ['timestamp-out-of-range', 'c70cff000000007fffffffffffffff'],
    ['depth-exceeded', '91'.repeat(600) + 'c0'], ['depth-exceeded', '81a161'.repeat(600) + 'c0'],
    ['too-many-items', '93010203', { maxItems: 3 }], ['input-too-large', '93010203', { maxBytes: 3 }],
    ['integer-out-of-range', '91cf0020000000000001', { int64: 'number' }], ['depth-exceeded', '919190', { maxDepth: 2 }],
  ]
  for (const [code, hex, options] of read) add(code, `decode ${hex.slice(0, 20)}`, () => sw.decode(unhex(hex), options))
  const parsed: [string, string, object?][] = [
    ['truncated', '{"repeated":'], ['truncated', '["a", "b'], ['invalid-syntax', '{"a":tru}'], ['invalid-syntax', '[1,]'],
    ['trailing-data', '{"repeated":1} 2'], ['duplicate-key', '{"a":1,"\\u0061":2}'], ['lone-surrogate', '["a","\\ud800"]'],
    ['lone-surrogate', '"\ud800"'], ['number-out-of-range', '[1e400]'], ['depth-exceeded', '['.repeat(600)],
    ['depth-exceeded', '{"a":'.repeat(600)], ['integer-out-of-range', '[9007199254740993]', { int64: 'number' }],
    ['too-many-items', '[1,2,3]', { maxItems: 3 }], ['input-too-large', '[1,2,3]', { maxBytes: 3 }],
  ]
  for (const [code, json, options] of parsed) add(code, `parse ${json.slice(0, 20)}`, () => sw.parse(json, options))
  add('invalid-utf8', 'parse of bytes', () => sw.parse(Uint8Array.of(0x5b, 0x22, 0xff, 0x22, 0x5d)))
  add('invalid-option', 'decodeFrom at a strange offset', () => sw.decodeFrom(good, -1))
  add('truncated', 'decodeFrom beyond the end', () => sw.decodeFrom(good, good.length + 1))
  for (const wrong of ['text', 5, null, undefined, {}, [1]]) add('unsupported-type', `decode of ${typeof wrong}`, () => sw.decode(wrong as never))
  add('invalid-state', 'decode of detached memory', () => {
    const bytes = Uint8Array.of(1, 2)
    structuredClone(bytes.buffer, { transfer: [bytes.buffer] })
    return sw.decode(bytes)
  })
  add('mine', 'an objectHook that throws', () => sw.decode(good, { objectHook: mine }))
  add('mine', 'an extHook that throws', () => sw.decode(unhex('93a161c70307010203a161'), { extHook: mine }))
  const registry = new sw.ExtRegistry()
  class Money {}
  registry.add(7, Money, mine, mine)
  add('mine', 'a registry that throws in reading', () => sw.decode(unhex('92a161c70307010203'), { ext: registry }))
  add('mine', 'a registry that throws in writing', () => sw.encode([1, new Money()], { ext: registry }))

  // Writing.
  const cyclic: unknown[] = ['text', { a: 1 }]
  cyclic.push({ more: cyclic })
  const values: [string, string, unknown, object?][] = [
    ['unsupported-type', 'a function', { a: [1, 'text', () => 1] }], ['unsupported-type', 'a symbol', [Symbol('x')]],
    ['depth-exceeded', 'a cycle', cyclic], ['lone-surrogate', 'half a pair', { a: 'x\ud800' }], ['lone-surrogate', 'in a key', { 'x\ud800y': 1 }],
    ['map-key-type', 'a key of a Map', new Map([[1, 2]])], ['duplicate-key', 'keys that become the same', new Map<unknown, unknown>([[1, 2], ['1', 3]]), { mapKeys: 'stringify' }],
    ['invalid-timestamp', 'an invalid Date', [new Date(NaN)]], ['mine', 'a getter', { get a() { return mine() } }], ['mine', 'toJSON', [{ toJSON: mine }]],
    ['mine', 'a hook', [Symbol('x')], { default: mine }], ['mine', 'a proxy', [new Proxy({}, { ownKeys: mine })]],
  ]
  for (const [code, name, value, options] of values) {
    add(code, `encode: ${name}`, () => sw.encode(value, options))
    add(code, `stringify: ${name}`, () => sw.stringify(value, options))
  }
  add('integer-out-of-range', 'encode: a bigint', () => sw.encode([2n ** 64n]))
  add('non-finite-number', 'stringify: NaN', () => sw.stringify({ a: [NaN] }))
  add('map-key-type', 'stringify: an ext', () => sw.stringify(new Map([[new sw.Ext(1, new Uint8Array(1)), 1]])))
  add('invalid-marker', 'encode: a broken Raw', () => sw.encode([new sw.Raw(unhex('c1'))]))
  add('buffer-too-small', 'encodeInto', () => sw.encodeInto({ a: 'longer than that' }, new Uint8Array(4)))
  add('unsupported-type', 'digest', () => sw.digest([() => 1]))
  for (const options of [{ nothing: 1 }, { maxDepth: 'x' }, { int64: 'float' }, { default: 1 }, { ext: {} }, 5]) {
    add('invalid-option', `options ${JSON.stringify(options)}`, () => sw.encode(1, options as never))
  }

  // The rest.
  add('truncated', 'transcode from JSON', () => sw.transcode(text.slice(0, -1), 'json', 'msgpack'))
  add('invalid-marker', 'transcode from MessagePack', () => sw.transcode(unhex('92a161c1'), 'msgpack', 'json'))
  add('invalid-option', 'transcode to what is none', () => sw.transcode(good, 'msgpack', 'xml' as never))
  add('length-exceeds-input', 'view of a broken message', () => sw.view(good.subarray(0, good.length - 1)))
  const place = sw.view(good)
  add('invalid-syntax', 'a pointer that is none', () => place.get('id'))
  if (sw.Schema !== undefined) {
    const schema = new sw.Schema<unknown>({ type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] })
    add('missing-field', 'decode by a schema', () => schema.decode(unhex('80')))
    add('type-mismatch', 'parse by a schema', () => schema.parse('{"id":"x"}'))
    add('type-mismatch', 'encode by a schema', () => schema.encode({ id: 'x' }))
    add('truncated', 'validate by a schema', () => schema.validate('{"id":', 'json'))
    add('missing-field', 'transcode by a schema', () => schema.transcode('{}', 'json', 'msgpack'))
    add('invalid-schema', 'a schema', () => new sw.Schema({ type: 'thing' }))
    add('invalid-option', 'check', () => sw.check({}, {}, 'SIDEWAYS' as never))
  }
  return list
}

/** The same as promises. */
export function failingLater(sw: Samewire): Failing[] {
  const list: Failing[] = []
  const add = (code: string, name: string, call: () => Promise<unknown>): void => void list.push({ code, name, call })
  const drain = async (source: AsyncGenerator): Promise<void> => {
    for await (const _ of source) continue
  }
  add('truncated', 'decodeAsync', () => sw.decodeAsync(unhex('92a161cd01')))
  add('invalid-syntax', 'decodeAsync of JSON', () => sw.decodeAsync('[1,}', { format: 'json' }))
  add('duplicate-key', 'transcodeAsync', () => sw.transcodeAsync('{"a":1,"a":2}', 'json', 'msgpack'))
  add('non-finite-number', 'encodeAsync', () => sw.encodeAsync([NaN], { format: 'json' }))
  add('unsupported-type', 'encodeAsync of a function', () => sw.encodeAsync([() => 1]))
  add('truncated', 'decodeStream that ends inside', () => drain(sw.decodeStream([unhex('01a261')])))
  add('invalid-marker', 'decodeStream', () => drain(sw.decodeStream([unhex('01'), unhex('92c1')])))
  add('invalid-utf8', 'decodeStream of broken text', () => drain(sw.decodeStream([unhex('a1ff')])))
  add('unsupported-type', 'decodeStream of numbers', () => drain(sw.decodeStream([1] as never)))
  return list
}

/** What a failure was: its code, or `mine`; throws what is none of these. */
export function codeOf(error: unknown): string {
  if (error === MINE) return 'mine'
  const { name, code } = error as { name?: string; code?: string }
  if (name !== 'SamewireError' || code === undefined) throw error
  return code
}
