// Tests of the race itself: what it would report wrongly without anyone noticing. `node --test benches/js`.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cell, same } from './race.js'
import { sample } from './sample.js'

test('equality is strict', () => {
  assert.ok(same({ a: [1, 'x', null, new Date(5)] }, { a: [1, 'x', null, new Date(5)] }))
  for (const [a, b] of [
    [0, -0], [1, 1n], [1, '1'], [null, undefined], [[], {}], [{ a: 1, b: 2 }, { b: 2, a: 1 }], [{ a: 1 }, { a: 1, b: 2 }],
    [[1, 2], [1]], [new Date(5), new Date(6)], [new Date(5), {}], [{}, new Date(5)], [[undefined], [null]],
  ]) assert.ok(!same(a, b), JSON.stringify([typeof a, typeof b]))
})

test('a contestant whose output is wrong is not timed', async () => {
  const config = { rounds: 3, ms: 0.1, warm: 1 }
  const inputs = [1, 2, 3]
  const check = (v, i) => v === inputs[i] + 1
  const { rounds, failed } = await cell(
    [
      { name: 'right', call: (x) => x + 1, inputs, check },
      { name: 'wrong', call: (x) => (x === 3 ? 0 : x + 1), inputs, check },
      { name: 'throws', call: () => { throw new Error('no\nmore') }, inputs, check },
      { name: 'absent', error: new Error('not there'), inputs, check },
    ],
    config,
    async () => sample,
  )
  assert.deepEqual(Object.keys(rounds), ['right'])
  assert.equal(rounds.right.length, 3)
  assert.deepEqual(failed, { wrong: 'wrong output for instance 2', throws: 'no', absent: 'not there' })
})
