// JavaScript's own values: what each becomes, and what comes back.

import { cat, fails, hex, ok, same, test } from './harness.js'

test('values come back', (sw) => {
  const value = { a: 1, b: [1, 2.5, -3, 1e10, 2 ** 40, -(2 ** 40)], s: 'text', u: 'Zürich 日本語 😀', n: null, t: true, f: false,
    d: new Date(1764540000123), m: { x: { y: 'z' } }, bytes: new Uint8Array([1, 2, 3]), big: 2n ** 63n, long: 'x'.repeat(1000),
    wide: 'é'.repeat(1000), floats: [0.5, 1.5, 2.5], empty: {}, none: [] }
  for (let i = 0; i < 100; i++) same(sw.decode(sw.encode(value)), value)
})
