// Dates and nanoseconds.

import { fails, hex, ok, same, test, unhex } from './harness.js'

test('milliseconds are Date, more is Timestamp', (sw) => {
  const date = sw.decode(unhex('d6ff00000000'))
  ok((date as Date).constructor === Date)
  const fine = sw.decode<InstanceType<typeof sw.Timestamp>>(unhex('d7ff1d6f34546553f100'))
  ok(fine instanceof Date && fine instanceof sw.Timestamp)
  same([fine.seconds, fine.nanoseconds], [1700000000, 123456789])
  same(fine.getTime(), 1700000000123)
  same(fine.toISOString(), '2023-11-14T22:13:20.123456789Z')
  same(JSON.stringify(fine), '"2023-11-14T22:13:20.123456789Z"')
  same(sw.stringify(fine), '"2023-11-14T22:13:20.123456789Z"')
  same(hex(sw.encode(fine)), 'd7ff1d6f34546553f100')
})

test('before 1970 seconds are floored', (sw) => {
  same(hex(sw.encode(new Date(-1))), 'c70cff3b8b87c0ffffffffffffffff')
  same(hex(sw.encode(new Date(-500))), 'c70cff1dcd6500ffffffffffffffff')
  same(sw.decode(unhex('c70cff1dcd6500ffffffffffffffff')), new Date(-500))
})

test('Timestamp is exact', (sw) => {
  const { Timestamp } = sw
  const a = new Timestamp(1, 999999999)
  ok(a.compare(new Timestamp(2)) === -1 && a.compare(new Date(1999)) === 1 && a.equals(Timestamp.fromNanoseconds(1999999999n)))
  same(Timestamp.fromNanoseconds(-1n).toNanoseconds(), -1n)
  same([Timestamp.fromNanoseconds(-1n).seconds, Timestamp.fromNanoseconds(-1n).nanoseconds], [-1, 999999999])
  same([new Timestamp(0).toISOString(), new Timestamp(0, 1000).toISOString(), new Timestamp(0, 120000000).toISOString()],
    ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000001Z', '1970-01-01T00:00:00.120Z'])
  fails(() => new Timestamp(0, 1e9), 'invalid-timestamp')
  fails(() => new Timestamp(0.5), 'invalid-timestamp')
  fails(() => new Timestamp(8.64e12, 1), 'timestamp-out-of-range')
  const moved = new Timestamp(1, 5)
  moved.setTime(3000)
  same(hex(sw.encode(moved)), hex(sw.encode(new Date(3000))))
})

test('invalid dates never become the epoch', (sw) => {
  fails(() => sw.encode({ a: new Date(NaN) }), { code: 'invalid-timestamp', path: '/a' })
  fails(() => sw.stringify(new Date(NaN)), 'invalid-timestamp')
  fails(() => sw.decode(unhex('c70cff000000008000000000000000')), { code: 'timestamp-out-of-range', offset: 0 })
  fails(() => sw.encode(new sw.Ext(-1, new Uint8Array(5))), 'invalid-timestamp')
  same(hex(sw.encode(new sw.Ext(-1, unhex('000000000000000000000001')))), 'd6ff00000001')
})

test('timestamps as integers', (sw) => {
  same(sw.decode(unhex('d7ff1d6f34546553f100'), { timestamp: 'int' }), 1700000000123456789n)
  same(sw.decode(unhex('d6ff00000000'), { timestamp: 'int' }), 0n)
  same(sw.decode(unhex('c70cff000000008000000000000000'), { timestamp: 'int' }), -(2n ** 63n) * 10n ** 9n)
  if ((globalThis as { Temporal?: unknown }).Temporal === undefined) fails(() => sw.decode(unhex('d6ff00000000'), { timestamp: 'temporal' }), 'invalid-option')
  else same(String(sw.decode(unhex('d7ff1d6f34546553f100'), { timestamp: 'temporal' })), '2023-11-14T22:13:20.123456789Z')
})
