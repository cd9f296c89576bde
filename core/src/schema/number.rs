//! Exact arithmetic on numbers as people write them: bounds, `multipleOf` and enum members. A float counts as
//! the shortest decimal that reads back to it, so that 19.99 is a multiple of 0.01.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::value::Value;

/// A number on its way through a check.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Num<'n> {
    Int(i64),
    Uint(u64),
    Big(&'n str),
    Float(f64),
    /// A binary32, by its own shortest digits.
    Single(f32),
}

impl<'n> Num<'n> {
    pub(crate) fn of(value: &'n Value) -> Option<Self> {
        Some(match value {
            Value::Int(v) => Num::Int(*v),
            Value::Uint(v) => Num::Uint(*v),
            Value::BigInt(v) => Num::Big(v),
            Value::Float(v) => Num::Float(*v),
            _ => return None,
        })
    }

    /// The decimal; `None` for NaN and infinities.
    pub(crate) fn decimal(self) -> Option<Decimal> {
        Some(match self {
            Num::Int(v) => Decimal::of_u64(v.unsigned_abs(), v < 0),
            Num::Uint(v) => Decimal::of_u64(v, false),
            Num::Big(text) => Decimal::parse(text),
            Num::Float(v) if v.is_finite() => Decimal::parse(zmij::Buffer::new().format_finite(v)),
            Num::Single(v) if v.is_finite() => Decimal::parse(zmij::Buffer::new().format_finite(v)),
            Num::Float(_) | Num::Single(_) => return None,
        })
    }

    fn compare(self, bound: &Decimal) -> Ordering {
        let infinite = match self {
            Num::Float(v) => v,
            Num::Single(v) => f64::from(v),
            _ => 0.0,
        };
        match Num::Float(infinite) {
            Num::Float(v) if v.is_nan() => Ordering::Less,
            Num::Float(v) if v.is_infinite() => {
                if v > 0.0 {
                    Ordering::Greater
                } else {
                    Ordering::Less
                }
            }
            _ => self.decimal().map_or(Ordering::Less, |d| d.cmp(bound)),
        }
    }

    fn is_nan(self) -> bool {
        matches!(self, Num::Float(v) if v.is_nan()) || matches!(self, Num::Single(v) if v.is_nan())
    }
}

/// 0.d₁d₂… × 10^exponent, without leading and trailing zeros; zero has no digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    negative: bool,
    digits: Vec<u8>,
    exponent: i64,
}

impl Decimal {
    pub(crate) fn of_u64(value: u64, negative: bool) -> Self {
        Decimal::from_parts(negative, value.to_string().bytes().map(|b| b - b'0').collect(), 0)
    }

    pub(crate) fn of_i128(value: i128) -> Self {
        let digits = value.unsigned_abs().to_string().bytes().map(|b| b - b'0').collect();
        Decimal::from_parts(value < 0, digits, 0)
    }

    /// Reads digits with an optional sign, fraction and exponent: text that a JSON reader has checked.
    pub(crate) fn parse(text: &str) -> Self {
        let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (mantissa, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let power = power.parse::<i64>().unwrap_or(if power.starts_with('-') { -(1 << 40) } else { 1 << 40 });
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = whole.bytes().chain(fraction.bytes()).map(|b| b.wrapping_sub(b'0')).collect();
        Decimal::from_parts(negative, digits, power - fraction.len() as i64)
    }

    /// Digits of an integer, times 10^power.
    fn from_parts(negative: bool, mut digits: Vec<u8>, power: i64) -> Self {
        let mut exponent = power + digits.len() as i64;
        let zeros = digits.iter().take_while(|&&d| d == 0).count();
        digits.drain(..zeros);
        exponent -= zeros as i64;
        while digits.last() == Some(&0) {
            digits.pop();
        }
        if digits.is_empty() {
            return Decimal { negative: false, digits, exponent: 0 };
        }
        Decimal { negative, digits, exponent }
    }

    pub(crate) fn is_integer(&self) -> bool {
        self.digits.len() as i64 <= self.exponent || self.digits.is_empty()
    }

    /// How many digits the integer has.
    pub(crate) fn digit_count(&self) -> i64 {
        self.exponent
    }

    /// All digits of an integer, with its sign.
    pub(crate) fn digits(&self) -> String {
        let mut text = String::from(if self.negative { "-" } else { "" });
        text.extend(
            (0..self.exponent.max(0) as usize).map(|i| char::from(b'0' + self.digits.get(i).copied().unwrap_or(0))),
        );
        text
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    pub(crate) fn is_positive(&self) -> bool {
        !self.negative && !self.is_zero()
    }

    /// The power of ten of the last digit.
    fn power(&self) -> i64 {
        self.exponent - self.digits.len() as i64
    }

    /// The integer, if it is one of at most 38 digits.
    pub(crate) fn to_i128(&self) -> Option<i128> {
        if self.is_zero() {
            return Some(0);
        }
        if !self.is_integer() || self.exponent > 38 {
            return None;
        }
        let mut value: i128 = 0;
        for i in 0..self.exponent as usize {
            value = value.checked_mul(10)?.checked_add(i128::from(self.digits.get(i).copied().unwrap_or(0)))?;
        }
        Some(if self.negative { -value } else { value })
    }

    /// The nearest integer not below (`up`) or not above.
    pub(crate) fn round_i128(&self, up: bool) -> Option<i128> {
        if let Some(v) = self.to_i128() {
            return Some(v);
        }
        if self.is_integer() {
            return None;
        }
        let whole = Decimal::from_parts(self.negative, self.digits[..self.exponent.max(0) as usize].to_vec(), 0);
        let toward_zero = whole.to_i128()?;
        Some(match (self.negative, up) {
            (false, true) => toward_zero + 1,
            (true, false) => toward_zero - 1,
            _ => toward_zero,
        })
    }

    /// True if `self` is a whole multiple of `divisor`, whose digits fit in 64 bits.
    pub(crate) fn is_multiple_of(&self, divisor: &Decimal) -> bool {
        if self.is_zero() {
            return true;
        }
        // Neither has trailing zeros, so that a finer last digit than the divisor's cannot divide.
        let shift = self.power() - divisor.power();
        if shift < 0 {
            return false;
        }
        let modulus = u128::from(divisor.to_u64_digits().unwrap_or(1));
        let rest = self.digits.iter().fold(0u128, |acc, &d| (acc * 10 + u128::from(d)) % modulus);
        (rest * power_mod(10 % modulus, shift as u64, modulus)).is_multiple_of(modulus)
    }

    fn to_u64_digits(&self) -> Option<u64> {
        self.digits.iter().try_fold(0u64, |acc, &d| acc.checked_mul(10)?.checked_add(u64::from(d)))
    }

    /// Plain text.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        if self.is_zero() {
            return "0".into();
        }
        if self.negative {
            text.push('-');
        }
        let digit = |i: usize| char::from(b'0' + self.digits.get(i).copied().unwrap_or(0));
        if !(-6..=24).contains(&self.exponent) {
            text.push(digit(0));
            if self.digits.len() > 1 {
                text.push('.');
                text.extend((1..self.digits.len()).map(digit));
            }
            text.push_str(&alloc::format!("e{}", self.exponent - 1));
            return text;
        }
        if self.exponent <= 0 {
            text.push_str("0.");
            text.extend((self.exponent..0).map(|_| '0'));
            text.extend((0..self.digits.len()).map(digit));
        } else {
            text.extend((0..self.exponent as usize).map(digit));
            if self.digits.len() as i64 > self.exponent {
                text.push('.');
                text.extend((self.exponent as usize..self.digits.len()).map(digit));
            }
        }
        text
    }

    /// The value in the data model: an integer where it is one, else the nearest float.
    pub(crate) fn to_value(&self) -> Value {
        match self.to_i128() {
            Some(v) => match (i64::try_from(v), u64::try_from(v)) {
                (Ok(v), _) => Value::Int(v),
                (_, Ok(v)) => Value::Uint(v),
                _ => Value::BigInt(v.to_string()),
            },
            None => Value::Float(self.text().parse().unwrap_or(0.0)),
        }
    }
}

fn power_mod(mut base: u128, mut power: u64, modulus: u128) -> u128 {
    let mut result = 1 % modulus;
    while power > 0 {
        if power & 1 == 1 {
            result = result * base % modulus;
        }
        base = base * base % modulus;
        power >>= 1;
    }
    result
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let sign = |d: &Decimal| {
            if d.is_zero() {
                0
            } else if d.negative {
                -1
            } else {
                1
            }
        };
        let by_sign = sign(self).cmp(&sign(other));
        if by_sign.is_ne() || self.is_zero() {
            return by_sign;
        }
        // Without leading zeros the exponent decides first, then the digits as text.
        let magnitude = self.exponent.cmp(&other.exponent).then_with(|| self.digits.cmp(&other.digits));
        if self.negative { magnitude.reverse() } else { magnitude }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// `minimum` or `maximum`, exclusive or not.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bound {
    pub at: Decimal,
    pub exclusive: bool,
}

/// What a schema asks of a number beyond its type.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct NumberRules {
    pub min: Option<Bound>,
    pub max: Option<Bound>,
    pub multiple_of: Option<Decimal>,
    /// The numbers of `enum` or `const`, without repetition.
    pub one_of: Option<Vec<Decimal>>,
}

/// Why a number was refused.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Refusal {
    /// Not a member of the enum.
    Variant,
    /// Outside a constraint, named with its value.
    Constraint(String),
}

impl NumberRules {
    pub(crate) fn is_empty(&self) -> bool {
        *self == NumberRules::default()
    }

    /// True if the decimal keeps to all rules.
    pub(crate) fn admits(&self, number: &Decimal) -> bool {
        let above = self.min.as_ref().is_none_or(|b| *number > b.at || (!b.exclusive && *number == b.at));
        let below = self.max.as_ref().is_none_or(|b| *number < b.at || (!b.exclusive && *number == b.at));
        let multiple = self.multiple_of.as_ref().is_none_or(|d| number.is_multiple_of(d));
        above && below && multiple && self.one_of.as_ref().is_none_or(|m| m.contains(number))
    }

    /// The largest digits a divisor may have.
    pub(crate) fn divisor_fits(divisor: &Decimal) -> bool {
        divisor.to_u64_digits().is_some()
    }

    pub(crate) fn check(&self, number: Num<'_>) -> Result<(), Refusal> {
        if let Some(members) = &self.one_of {
            let found = number.decimal().is_some_and(|d| members.contains(&d));
            if !found {
                return Err(Refusal::Variant);
            }
        }
        if let Some(bound) = &self.min {
            let order = number.compare(&bound.at);
            if number.is_nan() || order.is_lt() || (bound.exclusive && order.is_eq()) {
                let name = if bound.exclusive { "exclusiveMinimum" } else { "minimum" };
                return Err(Refusal::Constraint(alloc::format!("{name} {}", bound.at.text())));
            }
        }
        if let Some(bound) = &self.max {
            let order = number.compare(&bound.at);
            if number.is_nan() || order.is_gt() || (bound.exclusive && order.is_eq()) {
                let name = if bound.exclusive { "exclusiveMaximum" } else { "maximum" };
                return Err(Refusal::Constraint(alloc::format!("{name} {}", bound.at.text())));
            }
        }
        if let Some(divisor) = &self.multiple_of {
            let good = number.decimal().is_some_and(|d| d.is_multiple_of(divisor));
            if !good {
                return Err(Refusal::Constraint(alloc::format!("multipleOf {}", divisor.text())));
            }
        }
        Ok(())
    }

    /// Floats from the first to the second keep to the bounds; an empty range if that cannot be said. What is
    /// outside may, too.
    pub(crate) fn float_range(&self) -> (f64, f64) {
        // The nearest float is on the wrong side of a bound by less than one step.
        let inside = |bound: &Bound, step: fn(f64) -> f64| {
            let near: f64 = bound.at.text().parse().unwrap_or(f64::NAN);
            [near, step(near)].into_iter().find(|v| v.is_finite() && self.check(Num::Float(*v)).is_ok())
        };
        let low = self.min.as_ref().map_or(Some(f64::MIN), |b| inside(b, f64::next_up));
        let high = self.max.as_ref().map_or(Some(f64::MAX), |b| inside(b, f64::next_down));
        match (low, high) {
            (Some(low), Some(high)) => (low, high),
            _ => (1.0, 0.0),
        }
    }

    /// The lowest and highest integer that the bounds allow, where they are bounds of integers.
    pub(crate) fn int_range(&self) -> (Option<i128>, Option<i128>) {
        let low = self.min.as_ref().map(|b| match b.at.round_i128(true) {
            Some(v) if b.exclusive && b.at.is_integer() => v.saturating_add(1),
            Some(v) => v,
            None => {
                if b.at.negative {
                    i128::MIN
                } else {
                    i128::MAX
                }
            }
        });
        let high = self.max.as_ref().map(|b| match b.at.round_i128(false) {
            Some(v) if b.exclusive && b.at.is_integer() => v.saturating_sub(1),
            Some(v) => v,
            None => {
                if b.at.negative {
                    i128::MIN
                } else {
                    i128::MAX
                }
            }
        });
        (low, high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn d(text: &str) -> Decimal {
        Decimal::parse(text)
    }

    #[test]
    fn compares_exactly() {
        for (a, b) in [
            ("1", "2"),
            ("-2", "-1"),
            ("0.3", "0.30000001"),
            ("9007199254740992", "9007199254740993"),
            ("-1", "0"),
            ("1e3", "1e4"),
            ("0", "1e-400"),
            ("99", "100"),
        ] {
            assert!(d(a) < d(b), "{a} {b}");
        }
        assert_eq!(d("1.50"), d("15e-1"));
        assert_eq!(d("-0"), d("0.000"));
    }

    #[test]
    fn multiples_of_decimals() {
        for (v, by, yes) in [
            ("19.99", "0.01", true),
            ("0.35", "0.01", true),
            ("1e308", "0.5", true),
            ("4.5", "1.5", true),
            ("35", "1.5", false),
            ("0.0075", "0.0001", true),
            ("0.00751", "0.0001", false),
            ("0", "7", true),
            ("-14", "7", true),
            ("1e300", "7", false),
            ("123456789012345678901234567890", "3", true),
        ] {
            assert_eq!(d(v).is_multiple_of(&d(by)), yes, "{v} {by}");
        }
    }

    #[test]
    fn text_is_plain() {
        for t in ["0", "1", "-1.5", "0.01", "120", "1e30", "1.25e-9", "18446744073709551616"] {
            assert_eq!(d(t).text(), t);
        }
    }

    #[test]
    fn float_ranges_are_exact() {
        let bound = |at: &str, exclusive| Some(Bound { at: d(at), exclusive });
        for (min, max, open, low, high) in [
            (Some("0"), Some("2"), false, 0.0, 2.0),
            (Some("0"), Some("1"), true, 5e-324, 1.0f64.next_down()),
            (Some("0.1"), Some("0.3"), false, 0.1, 0.3),
            (Some("0.1"), Some("0.3"), true, 0.1f64.next_up(), 0.3f64.next_down()),
            (Some("-1e400"), None, false, f64::MIN, f64::MAX),
            (None, Some("0.10000000000000000000000001"), true, f64::MIN, 0.1),
            (Some("0.10000000000000000000000001"), None, true, 0.1f64.next_up(), f64::MAX),
            (Some("3"), Some("2"), false, 1.0, 0.0),
        ] {
            let rules = NumberRules {
                min: min.and_then(|m| bound(m, open)),
                max: max.and_then(|m| bound(m, open)),
                ..NumberRules::default()
            };
            assert_eq!(rules.float_range(), (low, high), "{min:?} {max:?}");
            if low <= high {
                assert!(rules.check(Num::Float(low)).is_ok() && rules.check(Num::Float(high)).is_ok());
                assert!(min.is_none() || rules.check(Num::Float(low.next_down())).is_err());
                assert!(max.is_none() || rules.check(Num::Float(high.next_up())).is_err());
            }
        }
    }

    #[test]
    fn integer_ranges() {
        let rule = |min: &str, ex: bool| {
            NumberRules { min: Some(Bound { at: d(min), exclusive: ex }), ..NumberRules::default() }
                .int_range()
                .0
                .unwrap()
        };
        assert_eq!(
            (
                rule("1", false),
                rule("1", true),
                rule("1.5", true),
                rule("-1.5", false),
                rule("0.5", false),
                rule("-0.5", false)
            ),
            (1, 2, 2, -1, 1, 0)
        );
    }
}
