// A Date that keeps nanoseconds.

import { SamewireError } from './errors.js'

const NANOS = 1_000_000_000
const DATE_LIMIT = 8_640_000_000_000

/**
 * A point in time with nanoseconds. It is a `Date` of its millisecond (floored), so code that wants a Date works;
 * it is written back bit for bit.
 */
export class Timestamp extends Date {
  /** @internal Bundlers shorten it. */
  static override readonly name: string = 'Timestamp'
  /** Seconds since 1970, floored. */
  readonly seconds: number
  /** 0 … 999 999 999 of the second. */
  readonly nanoseconds: number

  constructor(seconds: number, nanoseconds = 0) {
    if (!Number.isInteger(nanoseconds) || nanoseconds < 0 || nanoseconds >= NANOS) {
      throw new SamewireError('invalid-timestamp', `nanoseconds are an integer of 0 to 999999999, not ${String(nanoseconds)}`)
    }
    if (!Number.isInteger(seconds)) {
      throw new SamewireError('invalid-timestamp', `seconds are an integer, not ${String(seconds)}`)
    }
    if (seconds < -DATE_LIMIT || seconds > DATE_LIMIT || (seconds === DATE_LIMIT && nanoseconds > 0)) {
      throw new SamewireError('timestamp-out-of-range', `${seconds} seconds since 1970 are beyond the range of Date`)
    }
    super(seconds * 1000 + Math.floor(nanoseconds / 1e6))
    this.seconds = seconds
    this.nanoseconds = nanoseconds
  }

  /** The timestamp of nanoseconds since 1970. */
  static fromNanoseconds(nanoseconds: bigint): Timestamp {
    const n = BigInt(NANOS)
    const rest = ((nanoseconds % n) + n) % n
    return timestamp(Number((nanoseconds - rest) / n), Number(rest))
  }

  /** The timestamp of a Date. */
  static fromDate(date: Date): Timestamp {
    const { seconds, nanoseconds } = partsOf(date)
    return timestamp(seconds, nanoseconds)
  }

  /** All of it in nanoseconds since 1970. */
  toNanoseconds(): bigint {
    return BigInt(this.seconds) * BigInt(NANOS) + BigInt(this.nanoseconds)
  }

  /** −1, 0 or 1, at full precision. */
  compare(other: Date): number {
    const that = partsOf(other)
    return Math.sign(this.seconds - that.seconds || this.nanoseconds - that.nanoseconds)
  }

  /** True for the same instant, at full precision. */
  equals(other: Date): boolean {
    return this.compare(other) === 0
  }

  /** RFC 3339 text in UTC with 0, 3, 6 or 9 fraction digits, the fewest that are exact. */
  override toISOString(): string {
    const text = super.toISOString()
    const digits = String(this.nanoseconds).padStart(9, '0').replace(/^(\d{3}|\d{6})0+$/, '$1')
    return text.replace(/\.\d+Z$/, this.nanoseconds === 0 ? 'Z' : `.${digits}Z`)
  }

  override toJSON(): string {
    return this.toISOString()
  }
}

// Inside the class its own name would make the bundler rename it.
const timestamp = (seconds: number, nanoseconds: number): Timestamp => new Timestamp(seconds, nanoseconds)

/** Seconds, floored, and nanoseconds of any Date; NaN for an invalid one. */
export function partsOf(date: Date): { seconds: number; nanoseconds: number } {
  // A Timestamp that was moved with a setter of Date is what the setter made it.
  const ms = Date.prototype.getTime.call(date)
  if (date instanceof Timestamp && date.seconds * 1000 + Math.floor(date.nanoseconds / 1e6) === ms) return date
  const seconds = Math.floor(ms / 1000)
  return { seconds, nanoseconds: (ms - seconds * 1000) * 1e6 }
}
