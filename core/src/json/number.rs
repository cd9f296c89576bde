//! Numbers of JSON text: integers by eights of digits, floats by `float::nearest`, and the rare long ones
//! by their text.

use super::cursor::Cursor;
use crate::error::{Code, Error};
use crate::float;

/// A number that was read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number<'de> {
    /// An integer of −2^63 … 2^63−1.
    Int(i64),
    /// An integer of 2^63 … 2^64−1.
    Uint(u64),
    /// An integer beyond both: digits, with `-` in front if negative.
    Big(&'de str),
    /// A number with fraction or exponent, or `-0`; infinite if it is beyond the range of binary64.
    Float(f64),
}

/// Powers of ten that a binary64 holds exactly.
static EXACT: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// Powers of ten for a part of eight digits.
static POWERS: [u64; 8] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];

/// The same for up to sixteen; what is above is not used.
static WIDE_POWERS: [u64; 32] = {
    let mut table = [1; 32];
    let mut i = 1;
    while i <= 16 {
        table[i] = table[i - 1] * 10;
        i += 1;
    }
    table
};

const ZEROS: u64 = 0x3030_3030_3030_3030;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The value of eight digits, the first in the lowest byte.
#[cfg_attr(not(samewire_smallest), inline(always))]
fn eight_digits(text: u64) -> u64 {
    eight_values(text.wrapping_sub(ZEROS))
}

/// The same for the digits' values, 0 to 9 in each byte.
#[cfg_attr(not(samewire_smallest), inline(always))]
fn eight_values(digits: u64) -> u64 {
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    // Four pairs in every other byte; two multiplications bring them together in the upper half.
    let even = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(100 + (1_000_000 << 32));
    let odd = (pairs >> 16 & 0x0000_00ff_0000_00ff).wrapping_mul(1 + (10_000 << 32));
    even.wrapping_add(odd) >> 32
}

/// The top bit of each byte that is not a digit; exact up to the first.
#[cfg_attr(not(samewire_smallest), inline(always))]
fn not_digits(text: u64) -> u64 {
    (text.wrapping_add(0x4646_4646_4646_4646) | text.wrapping_sub(ZEROS)) & HIGH
}

impl<'de> Cursor<'de> {
    /// Steps over digits, adding them to `value` (modulo 2^64), and returns how many.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn digits(&mut self, value: &mut u64) -> usize {
        let from = self.offset();
        // SAFETY: only digits that were looked at are stepped over.
        unsafe {
            while let Some(text) = self.word() {
                let others = not_digits(text);
                if others == 0 {
                    *value = value.wrapping_mul(100_000_000).wrapping_add(eight_digits(text));
                    self.advance(8);
                    continue;
                }
                let n = others.trailing_zeros() as usize / 8;
                if n > 0 {
                    // Zeros in front of the digits, and what follows them is shifted out.
                    let padded = text << (64 - 8 * n) | ZEROS >> (8 * n);
                    *value = value.wrapping_mul(POWERS[n & 7]).wrapping_add(eight_digits(padded));
                    self.advance(n);
                }
                return self.offset() - from;
            }
            while self.peek().is_ascii_digit() {
                *value = value.wrapping_mul(10).wrapping_add(u64::from(self.peek() - b'0'));
                self.advance(1);
            }
        }
        self.offset() - from
    }

    /// The digits of a fraction, as [`digits`](Self::digits). Those that end within eight are the ones people
    /// write; beyond that doubles in full length follow, whose number of digits no branch predictor knows.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn fraction(&mut self, value: &mut u64) -> usize {
        if self.left() < 24 {
            return self.digits(value);
        }
        // SAFETY: 24 bytes are left, and only digits are stepped over.
        unsafe {
            let word = |i: usize| u64::from_le(self.position.add(8 * i).cast::<u64>().read_unaligned());
            let text = u128::from(word(1)) << 64 | u128::from(word(0));
            if not_digits(text as u64) != 0 {
                return self.digits(value);
            }
            let others = u128::from(not_digits((text >> 64) as u64)) << 64;
            let n = (others.trailing_zeros() / 8) as usize;
            // The digits move up, so that what follows them is shifted out and zeros are in front.
            let digits = text.wrapping_sub(u128::from(ZEROS) << 64 | u128::from(ZEROS)) << (128 - 8 * n);
            let sixteen = eight_values(digits as u64) * 100_000_000 + eight_values((digits >> 64) as u64);
            *value = value.wrapping_mul(WIDE_POWERS[n & 31]).wrapping_add(sixteen);
            let others = not_digits(word(2));
            let more = if n == 16 { (others.trailing_zeros() / 8) as usize } else { 0 };
            let digits = if more == 0 { 0 } else { word(2).wrapping_sub(ZEROS) << (64 - 8 * more) };
            *value = value.wrapping_mul(WIDE_POWERS[more]).wrapping_add(eight_values(digits));
            self.advance(n + more);
            if more == 8 {
                return 24 + self.digits(value);
            }
            n + more
        }
    }

    /// Steps over digits and returns how many.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn skip_digits(&mut self) -> usize {
        let from = self.offset();
        // SAFETY: only digits that were looked at are stepped over.
        unsafe {
            while let Some(text) = self.word() {
                let others = not_digits(text);
                if others != 0 {
                    self.advance(others.trailing_zeros() as usize / 8);
                    return self.offset() - from;
                }
                self.advance(8);
            }
            while self.peek().is_ascii_digit() {
                self.advance(1);
            }
        }
        self.offset() - from
    }

    /// Reads the number that begins with `first`, which is the next byte and a digit or `-`.
    ///
    /// # Errors
    /// `invalid-syntax` or `truncated`. A float beyond the range is infinite, not an error.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn number(&mut self, first: u8) -> Result<Number<'de>, Error> {
        debug_assert!(first == b'-' || first.is_ascii_digit());
        let start = self.offset();
        let negative = first == b'-';
        // SAFETY: the sign is there.
        unsafe { self.advance(usize::from(negative)) };
        let leading = self.peek();
        let mut w = 0u64;
        let whole = if self.rest().get(1) == Some(&b'.') && leading.is_ascii_digit() {
            // One digit and a point: what most fractions begin with.
            w = u64::from(leading - b'0');
            // SAFETY: the digit is there.
            unsafe { self.advance(1) };
            1
        } else {
            self.digits(&mut w)
        };
        if whole == 0 || (leading == b'0' && whole > 1) {
            return Err(self.number_fault(start));
        }
        let next = self.peek();
        if next != b'.' && next | 0x20 != b'e' {
            if whole > 18 {
                return Ok(self.long_integer(start));
            }
            let value = w as i64;
            return Ok(if !negative {
                Number::Int(value)
            } else if value != 0 {
                Number::Int(-value)
            } else {
                Number::Float(-0.0)
            });
        }
        let mut digits = whole;
        let mut q = 0;
        let mut long = false;
        if next == b'.' {
            // SAFETY: the point is there.
            unsafe { self.advance(1) };
            let fraction = self.fraction(&mut w);
            long = fraction > 8;
            if fraction == 0 {
                return Err(self.number_fault(start));
            }
            digits += fraction;
            q = -(fraction as i64);
        }
        if self.peek() | 0x20 == b'e' {
            match self.exponent() {
                Some(exponent) => q += exponent,
                None => return Err(self.number_fault(start)),
            }
        }
        let value = if !long && digits <= 15 && (-22..=22).contains(&q) {
            // Both are exact, so one operation rounds once.
            let value = w as f64;
            let power = EXACT[(q.unsigned_abs() as usize).min(22)];
            if q < 0 { value / power } else { value * power }
        } else if digits <= 19 {
            float::nearest(w, q)
        } else {
            return Ok(Number::Float(long_float(self.since(start), digits, w, q)));
        };
        Ok(Number::Float(if negative { -value } else { value }))
    }

    /// [`number`](Self::number), where it is not worth its size.
    ///
    /// # Errors
    /// The same.
    #[inline(never)]
    pub fn number_apart(&mut self, first: u8) -> Result<Number<'de>, Error> {
        self.number(first)
    }

    /// An exponent from its `e` on; `None` without digits. Clamped where it only matters that it is huge.
    #[inline(never)]
    fn exponent(&mut self) -> Option<i64> {
        // SAFETY: `e`, then a sign, then digits: each was seen.
        unsafe {
            self.advance(1);
            let sign = self.peek();
            self.advance(usize::from(sign == b'-' || sign == b'+'));
            let mut value = 0i64;
            let from = self.offset();
            while self.peek().is_ascii_digit() {
                if value < 1 << 40 {
                    value = value * 10 + i64::from(self.peek() - b'0');
                }
                self.advance(1);
            }
            if self.offset() == from {
                return None;
            }
            Some(if sign == b'-' { -value } else { value })
        }
    }

    /// An integer of 19 digits or more; the position is after it.
    #[cold]
    #[inline(never)]
    fn long_integer(&self, start: usize) -> Number<'de> {
        // SAFETY: a sign and digits are ASCII.
        let text = unsafe { core::str::from_utf8_unchecked(self.since(start)) };
        // Longer ones would parse in linear time too, but to no end.
        if text.len() <= 20 {
            if let Ok(value) = text.parse() {
                return Number::Int(value);
            }
            if let Ok(value) = text.parse() {
                return Number::Uint(value);
            }
        }
        Number::Big(text)
    }

    /// Steps over the number that begins with `first` and checks it, its range included.
    ///
    /// # Errors
    /// `invalid-syntax`, `truncated` or `number-out-of-range`.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn skip_number(&mut self, first: u8) -> Result<(), Error> {
        let start = self.offset();
        if self.skip_number_text(first)? && float::parse(self.since(start)).is_infinite() {
            return Err(out_of_range(self.since(start)).at(start));
        }
        Ok(())
    }

    /// Steps over the number that begins with `first`; true if it may be beyond the range of binary64.
    ///
    /// # Errors
    /// `invalid-syntax` or `truncated`.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub(super) fn skip_number_text(&mut self, first: u8) -> Result<bool, Error> {
        let start = self.offset();
        // SAFETY: each byte was seen.
        unsafe {
            self.advance(usize::from(first == b'-'));
            let leading = self.peek();
            let whole = self.skip_digits();
            if whole == 0 || (leading == b'0' && whole > 1) {
                return Err(self.number_fault(start));
            }
            let mut next = self.peek();
            let mut float = false;
            if next == b'.' {
                self.advance(1);
                if self.skip_digits() == 0 {
                    return Err(self.number_fault(start));
                }
                next = self.peek();
                // Fewer digits before the point than the largest float has.
                float = whole > 300;
            }
            if next | 0x20 == b'e' {
                match self.exponent() {
                    Some(exponent) => float = exponent > 0,
                    None => return Err(self.number_fault(start)),
                }
                // A long number with a negative exponent may still be too large.
                float |= whole > 300;
            }
            Ok(float)
        }
    }

    /// What is wrong with the number at `start`.
    #[cold]
    #[inline(never)]
    fn number_fault(&self, start: usize) -> Error {
        let input = self.input();
        let digits = |from: usize| input[from..].iter().take_while(|c| c.is_ascii_digit()).count();
        let mut at = start + usize::from(input.get(start) == Some(&b'-'));
        let whole = digits(at);
        if whole == 0 {
            return self.fault_at(at, "a digit");
        }
        if input[at] == b'0' && whole > 1 {
            return self.fault_at(at + 1, "no digit after a leading zero");
        }
        at += whole;
        if input.get(at) == Some(&b'.') {
            let fraction = digits(at + 1);
            if fraction == 0 {
                return self.fault_at(at + 1, "a digit after the point");
            }
            at += 1 + fraction;
        }
        // Only the exponent is left.
        at += 1;
        at += usize::from(matches!(input.get(at), Some(b'-' | b'+')));
        self.fault_at(at, "a digit of the exponent")
    }
}

/// A float of more than 19 digits: zeros in front may be what makes it long.
#[cold]
#[inline(never)]
fn long_float(text: &[u8], digits: usize, w: u64, q: i64) -> f64 {
    let zeros = text.iter().filter(|c| !matches!(c, b'-' | b'.')).take_while(|&&c| c == b'0').count();
    if digits - zeros.min(digits) > 19 {
        return float::parse(text);
    }
    let value = float::nearest(w, q);
    if text[0] == b'-' { -value } else { value }
}

/// The error for a float that only infinity is near to; the caller adds the offset.
#[cold]
#[inline(never)]
pub(crate) fn out_of_range(text: &[u8]) -> Error {
    let shown = match core::str::from_utf8(text) {
        Ok(text) if text.len() <= 40 => text,
        _ => "a number",
    };
    Error::new(Code::NumberOutOfRange, message![shown, " is beyond the range of binary64"])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use alloc::format;

    fn read(text: &str) -> Result<Number<'_>, Error> {
        let mut cursor = Cursor::new(text.as_bytes(), &Options::default());
        let number = cursor.number(text.as_bytes()[0])?;
        let mut skipping = Cursor::new(text.as_bytes(), &Options::default());
        let skipped = skipping.skip_number(text.as_bytes()[0]);
        assert_eq!(skipping.offset(), cursor.offset(), "{text}");
        assert_eq!(skipped.is_err(), matches!(number, Number::Float(v) if v.is_infinite()), "{text}");
        Ok(number)
    }

    #[test]
    fn integers_of_every_length() {
        for len in 1..=40 {
            for digit in ["1", "9", "5"] {
                for end in ["", ",", "        ", "]                   "] {
                    for sign in ["", "-"] {
                        let number = format!("{sign}{}", digit.repeat(len));
                        let text = format!("{number}{end}");
                        let expected = if let Ok(v) = number.parse() {
                            Number::Int(v)
                        } else if let Ok(v) = number.parse() {
                            Number::Uint(v)
                        } else {
                            Number::Big(&number)
                        };
                        assert_eq!(read(&text).unwrap(), expected);
                    }
                }
            }
        }
        for (text, expected) in [
            ("0", Number::Int(0)),
            ("9223372036854775807", Number::Int(i64::MAX)),
            ("9223372036854775808", Number::Uint(1 << 63)),
            ("18446744073709551615", Number::Uint(u64::MAX)),
            ("18446744073709551616", Number::Big("18446744073709551616")),
            ("19500000000000000001", Number::Big("19500000000000000001")),
            ("-9223372036854775808", Number::Int(i64::MIN)),
            ("-9223372036854775809", Number::Big("-9223372036854775809")),
        ] {
            assert_eq!(read(text).unwrap(), expected);
        }
    }

    #[test]
    fn minus_zero_is_a_float() {
        for text in ["-0", "-0 ", "-0.0", "-0e5"] {
            let Number::Float(value) = read(text).unwrap() else { panic!("{text}") };
            assert_eq!(value.to_bits(), (-0.0f64).to_bits());
        }
    }

    #[test]
    fn floats_of_every_length() {
        for whole in 1..=25 {
            for fraction in 0..=50 {
                for exponent in ["", "e0", "E-5", "e+22", "e-300", "e280"] {
                    let mut text = "1234567890".repeat(3)[..whole].to_string();
                    if fraction > 0 {
                        text += &format!(".{}", &"9081726354".repeat(5)[..fraction]);
                    }
                    text += exponent;
                    if fraction == 0 && exponent.is_empty() {
                        continue;
                    }
                    let expected: f64 = text.parse().unwrap();
                    assert_eq!(read(&text).unwrap(), Number::Float(expected), "{text}");
                    assert_eq!(read(&format!("-{text}]         ")).unwrap(), Number::Float(-expected), "{text}");
                }
            }
        }
        for zeros in 0..40 {
            let text = format!("0.{}12345678901234567890e5", "0".repeat(zeros));
            for n in zeros + 3..text.len() - 2 {
                let text = format!("{} ", &text[..n]);
                assert_eq!(read(&text).unwrap(), Number::Float(text.trim().parse().unwrap()), "{text}");
                let text = format!("-{text}                          ");
                assert_eq!(read(&text).unwrap(), Number::Float(text.trim().parse().unwrap()), "{text}");
            }
        }
        assert_eq!(read("6.0328868632295236").unwrap(), Number::Float(f64::from_bits(0x4018_21ad_1808_27c3)));
    }

    use alloc::string::ToString;

    #[test]
    fn faults_have_their_place() {
        for (text, code, at) in [
            ("-", Code::Truncated, 1),
            ("10.", Code::Truncated, 3),
            ("1e", Code::Truncated, 2),
            ("1e+", Code::Truncated, 3),
            ("1.5E-", Code::Truncated, 5),
            ("01", Code::InvalidSyntax, 1),
            ("-01", Code::InvalidSyntax, 2),
            ("00", Code::InvalidSyntax, 1),
            ("1.e3", Code::InvalidSyntax, 2),
            ("1.]", Code::InvalidSyntax, 2),
            ("-x", Code::InvalidSyntax, 1),
            ("-.5", Code::InvalidSyntax, 1),
            ("1e]", Code::InvalidSyntax, 2),
            ("1e+-5", Code::InvalidSyntax, 3),
            ("1.5e+,         ", Code::InvalidSyntax, 5),
        ] {
            let options = Options::default();
            let e = Cursor::new(text.as_bytes(), &options).number(text.as_bytes()[0]).unwrap_err();
            assert_eq!((e.code(), e.offset()), (code, Some(at)), "{text}: {e}");
            let e = Cursor::new(text.as_bytes(), &options).skip_number(text.as_bytes()[0]).unwrap_err();
            assert_eq!((e.code(), e.offset()), (code, Some(at)), "{text}: {e}");
        }
    }

    #[test]
    fn skipping_finds_what_is_out_of_range() {
        let long = "9".repeat(400);
        for text in ["1e400", "-1e309", &format!("{long}.0"), &format!("{long}e-5"), &format!("0.{long}e400")] {
            let e = Cursor::new(text.as_bytes(), &Options::default()).skip_number(text.as_bytes()[0]).unwrap_err();
            assert_eq!((e.code(), e.offset()), (Code::NumberOutOfRange, Some(0)), "{text}");
        }
        for text in ["1e-400", "1e308", "0e999", &long, &format!("{long}e-200"), &format!("0.{}1e400", "0".repeat(300))]
        {
            read(text).unwrap();
        }
    }
}
