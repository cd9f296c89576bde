//! binary64 and decimal text, both ways: the nearest float of a decimal, and the shortest decimal of a float.
//!
//! Reading is Eisel–Lemire with an exact comparison where more than 19 digits leave it open. Digits for
//! writing come from `zmij`. Nothing here knows JSON's grammar: `json::number` does.

use core::cmp::Ordering;

use alloc::vec::Vec;

use crate::buffer::Buffer;
use crate::pow5;

/// More significant digits than this never change which of two neighbouring binary64 is nearer, if it is
/// known whether all the others are zero: the longest midpoint has 767.
const MAX_DIGITS: usize = 769;

/// Digits that always fit in a `u64`.
const DIGITS_19: usize = 19;

/// The binary64 nearest to `w` × 10^`q`, ties to even; infinity beyond the range.
///
/// D. Lemire, "Number Parsing at a Gigabyte per Second" (2021), without the fallback, which
/// N. Mushtak and D. Lemire, "Fast Number Parsing Without Fallback" (2022), proved to be unreachable.
#[inline]
pub fn nearest(w: u64, q: i64) -> f64 {
    if w == 0 || q < pow5::MIN {
        return 0.0;
    }
    if q > pow5::MAX {
        return f64::INFINITY;
    }
    let zeros = w.leading_zeros();
    let w = w << zeros;
    // SAFETY: MIN ≤ q ≤ MAX.
    let (five_high, five_low) = unsafe { pow5::significand(q) };
    let product = u128::from(w) * u128::from(five_high);
    let (mut high, mut low) = ((product >> 64) as u64, product as u64);
    if high & 0x1ff == 0x1ff {
        // The bits below those that count are all ones: the low half of the power may carry into them.
        let (sum, carry) = low.overflowing_add(((u128::from(w) * u128::from(five_low)) >> 64) as u64);
        low = sum;
        high += u64::from(carry);
    }
    let top = (high >> 63) as i32;
    let shift = top + 64 - 52 - 3;
    let mut mantissa = high >> shift;
    // 217706 / 2^16 is log2(10), near enough in this range.
    let mut exponent = ((q as i32 * 217_706) >> 16) + 63 + top - zeros as i32 + 1023;
    if exponent <= 0 {
        // Subnormal: the rounding bit moves up.
        if 1 - exponent >= 64 {
            return 0.0;
        }
        mantissa >>= 1 - exponent;
        mantissa += mantissa & 1;
        return f64::from_bits(mantissa >> 1);
    }
    if low <= 1 && (-4..=23).contains(&q) && mantissa & 3 == 1 && mantissa << shift == high {
        // Exactly between two floats: the even one is below.
        mantissa &= !1;
    }
    mantissa += mantissa & 1;
    mantissa >>= 1;
    if mantissa >= 2 << 52 {
        mantissa = 1 << 52;
        exponent += 1;
    }
    if exponent >= 0x7ff {
        return f64::INFINITY;
    }
    f64::from_bits((exponent as u64) << 52 | mantissa & !(1 << 52))
}

/// A decimal of any length: `0.d₁d₂d₃… × 10^point`, without leading zeros.
struct Decimal {
    digits: Vec<u8>,
    point: i64,
    /// Digits that are not all zero follow.
    more: bool,
}

/// The binary64 nearest to a number in JSON's grammar, of any length; ±infinity beyond the range. Takes
/// linear time.
#[cold]
#[inline(never)]
pub fn parse(text: &[u8]) -> f64 {
    let (negative, text) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    let value = magnitude(&decimal(text));
    if negative { -value } else { value }
}

fn decimal(text: &[u8]) -> Decimal {
    let mut d = Decimal { digits: Vec::with_capacity(DIGITS_19 * 2), point: 0, more: false };
    let mut fraction = false;
    for (i, &c) in text.iter().enumerate() {
        match c {
            b'.' => fraction = true,
            b'e' | b'E' => {
                d.point = d.point.saturating_add(exponent(&text[i + 1..]));
                break;
            }
            b'0' if d.digits.is_empty() => d.point -= i64::from(fraction),
            _ => {
                d.point += i64::from(!fraction);
                if d.digits.len() < MAX_DIGITS {
                    d.digits.push(c - b'0');
                } else {
                    d.more |= c != b'0';
                }
            }
        }
    }
    d
}

fn exponent(text: &[u8]) -> i64 {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let value =
        digits.iter().fold(0i64, |n, c| n.saturating_mul(10).saturating_add(i64::from(c - b'0')).min(i64::MAX / 4));
    if negative { -value } else { value }
}

fn magnitude(d: &Decimal) -> f64 {
    let first = &d.digits[..d.digits.len().min(DIGITS_19)];
    let w = first.iter().fold(0u64, |n, &c| n * 10 + u64::from(c));
    let q = d.point.saturating_sub(first.len() as i64);
    let low = nearest(w, q);
    if first.len() == d.digits.len() {
        return low;
    }
    // The value is in w … w+1: nearly always both have the same nearest float.
    let high = nearest(w + 1, q);
    if low == high {
        return low;
    }
    match compare_with_midpoint(d, low) {
        Ordering::Less => low,
        Ordering::Greater => next_up(low),
        Ordering::Equal if low.to_bits() & 1 == 0 => low,
        Ordering::Equal => next_up(low),
    }
}

/// The next float above a finite one that is not negative; infinity after the last.
fn next_up(value: f64) -> f64 {
    f64::from_bits(value.to_bits() + 1)
}

/// Where the decimal is, seen from the middle between `low` and the next float above it.
fn compare_with_midpoint(d: &Decimal, low: f64) -> Ordering {
    let bits = low.to_bits();
    let (mantissa, power) = match bits >> 52 {
        0 => (bits, -1074),
        e => (bits & ((1 << 52) - 1) | 1 << 52, e as i64 - 1075),
    };
    // Decimal: left × 2^q × 5^q; midpoint: right × 2^p.
    let mut left = Big::from_digits(&d.digits);
    let mut right = Big(alloc::vec![2 * mantissa + 1]);
    let q = d.point - d.digits.len() as i64;
    let p = power - 1;
    let fives = if q < 0 { &mut right } else { &mut left };
    fives.times_power_of_five(q.unsigned_abs());
    let shifted = if q < p { &mut right } else { &mut left };
    shifted.shift_left(q.abs_diff(p));
    match left.compare(&right) {
        Ordering::Equal if d.more => Ordering::Greater,
        order => order,
    }
}

/// A natural number of 64-bit limbs, the lowest first, without zeros on top.
struct Big(Vec<u64>);

impl Big {
    fn from_digits(digits: &[u8]) -> Self {
        let mut n = Big(Vec::with_capacity(digits.len() / DIGITS_19 + 1));
        for chunk in digits.chunks(DIGITS_19) {
            let value = chunk.iter().fold(0u64, |n, &d| n * 10 + u64::from(d));
            n.times_plus(10u64.pow(chunk.len() as u32), value);
        }
        n
    }

    fn times_plus(&mut self, factor: u64, summand: u64) {
        let mut carry = summand;
        for limb in &mut self.0 {
            let product = u128::from(*limb) * u128::from(factor) + u128::from(carry);
            *limb = product as u64;
            carry = (product >> 64) as u64;
        }
        if carry > 0 {
            self.0.push(carry);
        }
    }

    fn times_power_of_five(&mut self, mut power: u64) {
        /// The highest power of five in 64 bits.
        const STEP: u64 = 27;
        while power > 0 {
            let step = power.min(STEP);
            self.times_plus(5u64.pow(step as u32), 0);
            power -= step;
        }
    }

    fn shift_left(&mut self, bits: u64) {
        self.times_plus(1 << (bits % 64), 0);
        self.0.splice(0..0, core::iter::repeat_n(0, (bits / 64) as usize));
    }

    fn compare(&self, other: &Big) -> Ordering {
        self.0.len().cmp(&other.0.len()).then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}

/// Room that [`put`] and [`put32`] need.
pub const TEXT_ROOM: usize = 32;

/// Writes a finite float as `serde_json` does: shortest digits, always with a point or an exponent.
///
/// # Safety
/// [`TEXT_ROOM`] bytes must be reserved.
#[cfg_attr(not(samewire_smallest), inline(always))]
pub unsafe fn put(value: f64, out: &mut Buffer) {
    debug_assert!(value.is_finite());
    // SAFETY: the same contract.
    unsafe { put_shortest(value, out) }
}

/// As [`put`], with the shortest digits that read back to the same binary32.
///
/// # Safety
/// [`TEXT_ROOM`] bytes must be reserved.
pub unsafe fn put32(value: f32, out: &mut Buffer) {
    debug_assert!(value.is_finite());
    // SAFETY: the same contract.
    unsafe { put_shortest(value, out) }
}

#[cfg_attr(not(samewire_smallest), inline(always))]
unsafe fn put_shortest(value: impl zmij::Float, out: &mut Buffer) {
    const { assert!(align_of::<zmij::Buffer>() == 1 && size_of::<zmij::Buffer>() <= TEXT_ROOM) };
    // In place, which saves a copy that waits for the stores before it.
    // SAFETY: the room is reserved, and has a buffer's alignment. The text lies somewhere in that buffer.
    unsafe {
        let place = out.position().cast::<zmij::Buffer>();
        place.write(zmij::Buffer::new());
        let text = (*place).format_finite(value);
        let (from, len) = (text.as_ptr(), text.len());
        if from != out.position() {
            core::ptr::copy(from, out.position(), len);
        }
        out.advance(len);
    }
}

/// Writes a finite float as ECMAScript's `Number::toString` does (RFC 8785 §3.2.2.3): whole numbers below
/// 10^21 in digits, −0 as `0`.
pub fn write_ecmascript(value: f64, out: &mut Buffer) {
    debug_assert!(value.is_finite());
    if value == 0.0 {
        return out.extend(b"0");
    }
    let mut text = zmij::Buffer::new();
    let text = text.format_finite(value.abs()).as_bytes();
    // The same shortest digits in another layout: 0.d₁d₂d₃… × 10^point.
    let mut d = decimal(text);
    while d.digits.last() == Some(&0) {
        d.digits.pop();
    }
    let (digits, n) = (&mut d.digits, d.point);
    for digit in digits.iter_mut() {
        *digit += b'0';
    }
    let k = digits.len() as i64;
    if value < 0.0 {
        out.extend(b"-");
    }
    let zeros = b"00000000000000000000000";
    if k <= n && n <= 21 {
        out.extend(digits);
        out.extend(&zeros[..(n - k) as usize]);
    } else if 0 < n && n <= 21 {
        out.extend(&digits[..n as usize]);
        out.extend(b".");
        out.extend(&digits[n as usize..]);
    } else if -6 < n && n <= 0 {
        out.extend(b"0.");
        out.extend(&zeros[..-n as usize]);
        out.extend(digits);
    } else {
        out.extend(&digits[..1]);
        if k > 1 {
            out.extend(b".");
            out.extend(&digits[1..]);
        }
        out.extend(text!["e", if n > 0 { "+" } else { "" }, n - 1].as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::String;

    /// A small generator (SplitMix64), so that failures repeat.
    struct Random(u64);
    impl Random {
        fn next(&mut self) -> u64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ z >> 31
        }
    }

    fn agrees_with_std(text: &str) {
        let expected: f64 = text.parse().unwrap();
        assert_eq!(parse(text.as_bytes()).to_bits(), expected.to_bits(), "{text}");
    }

    #[test]
    fn parses_as_the_standard_library_does() {
        let mut random = Random(1);
        for _ in 0..40_000 {
            let w = random.next() >> (random.next() % 64);
            let q = (random.next() % 700) as i64 - 350;
            let text = format!("{w}e{q}");
            let expected: f64 = text.parse().unwrap();
            assert_eq!(nearest(w, q).to_bits(), expected.to_bits(), "{text}");
            agrees_with_std(&text);
            agrees_with_std(&format!("{w}.{}{}e{q}", random.next(), random.next()));
        }
    }

    #[test]
    fn midpoints_are_exact_and_tie_to_even() {
        let mut random = Random(2);
        for i in 0..3_000 {
            let bits = match i % 3 {
                0 => random.next() & 0x7fff_ffff_ffff_ffff,
                1 => random.next() >> 12,
                _ => 0x7fe0_0000_0000_0000 | random.next() >> 12,
            };
            let value = f64::from_bits(bits);
            if !value.is_finite() {
                continue;
            }
            // The exact decimal of the midpoint above: one binary digit more than a binary64 has.
            let text = midpoint_text(value);
            agrees_with_std(&text);
            agrees_with_std(&format!("{text}0000000000001"));
            let mut below = text.clone().into_bytes();
            let last = below.iter_mut().rev().find(|c| (b'1'..=b'9').contains(*c)).unwrap();
            *last -= 1;
            agrees_with_std(&format!("{}9", String::from_utf8(below).unwrap()));
        }
        agrees_with_std(&midpoint_text(f64::MAX));
    }

    /// (2m+1) × 2^(e−1) as `digits` + `.` + `digits`.
    fn midpoint_text(value: f64) -> String {
        let bits = value.to_bits();
        let (m, e) = match bits >> 52 {
            0 => (bits, -1074),
            e => (bits & ((1 << 52) - 1) | 1 << 52, e as i64 - 1075),
        };
        let mut digits: Vec<u8> = format!("{}", 2 * m + 1).bytes().rev().map(|c| c - b'0').collect();
        let mut times = |n: u32| {
            let mut carry = 0;
            for d in digits.iter_mut() {
                carry += u32::from(*d) * n;
                *d = (carry % 10) as u8;
                carry /= 10;
            }
            while carry > 0 {
                digits.push((carry % 10) as u8);
                carry /= 10;
            }
        };
        let p = e - 1;
        for _ in 0..p.unsigned_abs() {
            times(if p < 0 { 5 } else { 2 });
        }
        let fraction = if p < 0 { p.unsigned_abs() as usize } else { 0 };
        while digits.len() <= fraction {
            digits.push(0);
        }
        let (low, high) = digits.split_at(fraction);
        let text = |d: &[u8]| d.iter().rev().map(|d| char::from(d + b'0')).collect::<String>();
        format!("{}.{}0", text(high), text(low))
    }

    #[test]
    fn the_range_ends_where_it_should() {
        for text in [
            "1.7976931348623157e308",
            "1.7976931348623158e308",
            "1.7976931348623159e308",
            "1e309",
            "1e400",
            "4.9e-324",
            "2.4703282292062327e-324",
            "2.4703282292062328e-324",
            "2.2250738585072011e-308",
            "1e-400",
            "0e99999999999999999999",
            "1e-99999999999999999999",
            "1e99999999999999999999",
            "0.0",
            "-0.0",
            "-1e-5",
            "9007199254740993",
            "9007199254740992.999999999999999999999999",
            "100000000000000000000000000000000e-32",
        ] {
            agrees_with_std(text);
        }
        agrees_with_std(&format!("0.{}1e{}", "0".repeat(100_000), 100_000));
        agrees_with_std(&format!("1{}e-{}", "0".repeat(100_000), 100_000));
        agrees_with_std(&format!("0.{}", "9".repeat(100_000)));
    }

    fn text(f: impl FnOnce(&mut Buffer)) -> String {
        let mut out = Buffer::with_capacity(TEXT_ROOM);
        f(&mut out);
        String::from_utf8(out.into_vec()).unwrap()
    }

    #[test]
    fn writes_shortest_digits() {
        // SAFETY: the buffer has TEXT_ROOM.
        let long = |v: f64| text(|out| unsafe { put(v, out) });
        // SAFETY: as above.
        let short = |v: f32| text(|out| unsafe { put32(v, out) });
        for (value, expected) in [
            (1.0, "1.0"),
            (-0.0, "-0.0"),
            (1e16, "1e+16"),
            (1e15, "1000000000000000.0"),
            (0.1, "0.1"),
            (5e-324, "5e-324"),
            (1.5e300, "1.5e+300"),
            (-1e-7, "-1e-7"),
            (0.00001, "0.00001"),
        ] {
            assert_eq!(long(value), expected);
        }
        assert_eq!((short(0.1), short(16777216.0), short(1e-45)), ("0.1".into(), "16777216.0".into(), "1e-45".into()));
    }

    #[test]
    fn writes_ecmascript_digits() {
        for (value, expected) in [
            (1e21, "1e+21"),
            (1e-7, "1e-7"),
            (1e20, "100000000000000000000"),
            (5e-324, "5e-324"),
            (-0.0, "0"),
            (333_333_333.333_333_3, "333333333.3333333"),
            (0.000001, "0.000001"),
            (-1.5, "-1.5"),
            (123456789012345680000.0, "123456789012345680000"),
            (1.2345e25, "1.2345e+25"),
            (f64::MAX, "1.7976931348623157e+308"),
        ] {
            assert_eq!(text(|out| write_ecmascript(value, out)), expected);
        }
    }
}
