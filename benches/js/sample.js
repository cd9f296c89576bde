// The timed loop. Each contestant of a cell gets an instance of this module to itself (imported with a query string of its
// own): a loop that all shared would call every codec from one place, which no application does and which keeps compilers
// from what they do for an ordinary call.

export const kept = { value: undefined } // so that no engine may drop the calls

const now = () => performance.now() * 1e6

/** Nanoseconds per call over `passes` passes through all inputs. */
export function sample(call, inputs, passes) {
  const n = inputs.length
  let last
  const start = now()
  for (let p = 0; p < passes; p++) for (let i = 0; i < n; i++) last = call(inputs[i])
  const spent = now() - start
  kept.value = last
  return spent / (passes * n)
}
