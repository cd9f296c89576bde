// The error type: what the core's errors and the walker's look like to JavaScript.

/** Why an operation failed; stable, the same names in every language. The order is that of the core's codes. */
export const CODES = [
  'truncated', 'trailing-data', 'invalid-marker', 'invalid-syntax', 'invalid-utf8', 'lone-surrogate',
  'duplicate-key', 'map-key-type', 'depth-exceeded', 'length-exceeds-input', 'input-too-large',
  'too-many-items', 'too-many-unknown-fields', 'integer-out-of-range', 'number-out-of-range',
  'non-finite-number', 'invalid-timestamp', 'timestamp-out-of-range', 'naive-datetime', 'unsupported-type',
  'type-mismatch', 'missing-field', 'unknown-field', 'unknown-variant', 'invalid-base64',
  'constraint-violated', 'invalid-schema', 'incompatible-schema', 'invalid-option', 'hook-failed',
  'invalid-state', 'buffer-too-small',
] as const

/** One of {@link CODES}. */
export type ErrorCode = (typeof CODES)[number]

/** What an engine says where the caller's own recursion left it no room. */
export const STACK_USED_UP = 'the stack of this thread has no room for reading or writing'

/** An operation that failed, with a stable code and the place of the fault. */
export class SamewireError extends Error {
  /** @internal Bundlers shorten it. */
  static override readonly name: string = 'SamewireError'
  /** Why, as a stable name. */
  readonly code: ErrorCode
  /** Byte offset in the input; undefined where there is no input. */
  readonly offset: number | undefined
  /** JSON Pointer to the value; empty for the whole message. */
  path: string
  /** What was expected and what was found, without code, offset and path. */
  readonly detail: string

  constructor(code: ErrorCode, detail: string, offset?: number, path = '', options?: ErrorOptions) {
    super(sentence(code, detail, offset, path), options)
    this.code = code
    this.offset = offset
    this.path = path
    this.detail = detail
  }
}
// On the prototype, so that every instance does not carry it; not enumerable, as with built-in errors.
Object.defineProperty(SamewireError.prototype, 'name', { value: 'SamewireError', configurable: true, writable: true })

function sentence(code: string, detail: string, offset: number | undefined, path: string): string {
  return `${detail} (${code}${offset === undefined ? '' : `, at byte ${offset}`}${path === '' ? '' : `, in ${path}`})`
}

/** Puts a step in front of the path of an error on its way out of a walker. */
export function inside(error: unknown, step: string | number): unknown {
  if (error instanceof SamewireError && walking.has(error)) {
    error.path = `/${typeof step === 'number' ? step : escapePointer(step)}${error.path}`
    error.message = sentence(error.code, error.detail, error.offset, error.path)
  }
  return error
}

// Errors of the walker that is running; one that a hook lets through from a call of its own is not touched.
const walking = new WeakSet<SamewireError>()

/** An error whose path grows as the walker unwinds. */
export function walkError(code: ErrorCode, detail: string): SamewireError {
  const error = new SamewireError(code, detail)
  walking.add(error)
  return error
}

/** Ends an error's way out of its walker. */
export function settled(error: unknown): unknown {
  if (error instanceof SamewireError) walking.delete(error)
  return error
}

/** A key as a step of a JSON Pointer (RFC 6901 §3). */
export function escapePointer(key: string): string {
  return key.includes('~') || key.includes('/') ? key.replace(/~/g, '~0').replace(/\//g, '~1') : key
}
