//! Points in time: the timestamp extension of the MessagePack specification and RFC 3339 text.

use alloc::borrow::Cow;
use core::fmt;

use crate::error::{Code, Error};
use crate::text::Quoted;

/// Nanoseconds in a second.
pub const NANOS: u32 = 1_000_000_000;

/// A point in time: whole seconds since 1970-01-01T00:00:00Z, floored, and nanoseconds after them. Leap
/// seconds do not exist, as in POSIX time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    seconds: i64,
    nanoseconds: u32,
}

impl Timestamp {
    /// A timestamp of seconds since 1970 and 0…999 999 999 nanoseconds after them.
    ///
    /// # Errors
    /// `invalid-timestamp` for more nanoseconds.
    pub fn new(seconds: i64, nanoseconds: u32) -> Result<Self, Error> {
        if nanoseconds >= NANOS {
            return Err(invalid(message![nanoseconds, " nanoseconds are more than 999999999"]));
        }
        Ok(Timestamp { seconds, nanoseconds })
    }

    /// The timestamp of nanoseconds since 1970.
    ///
    /// # Errors
    /// `timestamp-out-of-range` where the seconds do not fit in 64 bits.
    pub fn from_nanoseconds(nanoseconds: i128) -> Result<Self, Error> {
        let seconds = nanoseconds.div_euclid(i128::from(NANOS));
        let seconds = i64::try_from(seconds).map_err(|_| out_of_range("the seconds do not fit in 64 bits"))?;
        Ok(Timestamp { seconds, nanoseconds: nanoseconds.rem_euclid(i128::from(NANOS)) as u32 })
    }

    /// Seconds since 1970, floored.
    #[inline]
    pub const fn seconds(self) -> i64 {
        self.seconds
    }

    /// 0…999 999 999 nanoseconds after [`seconds`](Self::seconds).
    #[inline]
    pub const fn nanoseconds(self) -> u32 {
        self.nanoseconds
    }

    /// All of it in nanoseconds since 1970.
    pub const fn as_nanoseconds(self) -> i128 {
        self.seconds as i128 * NANOS as i128 + self.nanoseconds as i128
    }

    /// Reads the payload of an extension of type −1 (4, 8 or 12 bytes).
    ///
    /// # Errors
    /// `invalid-timestamp` for another length or more than 999 999 999 nanoseconds.
    pub fn from_ext(payload: &[u8]) -> Result<Self, Error> {
        match *payload {
            [a, b, c, d] => Ok(Timestamp { seconds: i64::from(u32::from_be_bytes([a, b, c, d])), nanoseconds: 0 }),
            [a, b, c, d, e, f, g, h] => {
                let bits = u64::from_be_bytes([a, b, c, d, e, f, g, h]);
                Timestamp::new((bits & ((1 << 34) - 1)) as i64, (bits >> 34) as u32)
            }
            [a, b, c, d, e, f, g, h, i, j, k, l] => {
                Timestamp::new(i64::from_be_bytes([e, f, g, h, i, j, k, l]), u32::from_be_bytes([a, b, c, d]))
            }
            _ => Err(invalid(message!["a timestamp has 4, 8 or 12 bytes, not ", payload.len()])),
        }
    }

    /// The shortest payload for an extension of type −1: 12 bytes of room and how many are used.
    pub fn to_ext(self) -> ([u8; 12], usize) {
        let mut out = [0; 12];
        if self.seconds >> 34 == 0 {
            let bits = u64::from(self.nanoseconds) << 34 | self.seconds as u64;
            if bits >> 32 == 0 {
                out[..4].copy_from_slice(&(bits as u32).to_be_bytes());
                return (out, 4);
            }
            out[..8].copy_from_slice(&bits.to_be_bytes());
            return (out, 8);
        }
        out[..4].copy_from_slice(&self.nanoseconds.to_be_bytes());
        out[4..].copy_from_slice(&self.seconds.to_be_bytes());
        (out, 12)
    }

    /// Reads RFC 3339 §5.6 text: any offset, `T` or a blank between date and time, either case, 1–9 fraction
    /// digits.
    ///
    /// # Errors
    /// `invalid-timestamp`: anything else, second 60 and hour 24 included.
    pub fn parse(text: &str) -> Result<Self, Error> {
        parse(text.as_bytes())
            .ok_or_else(|| invalid(message![Quoted(shorten(text)), " is not an RFC 3339 time with an offset"]))
    }

    /// The RFC 3339 text in UTC with `Z` and 0, 3, 6 or 9 fraction digits, at most 30 bytes.
    ///
    /// # Errors
    /// `timestamp-out-of-range` outside the years 0000–9999.
    pub fn format(self) -> Result<Rfc3339, Error> {
        let days = self.seconds.div_euclid(86_400);
        let (year, month, day) = civil_from_days(days)
            .filter(|&(year, ..)| (0..=9999).contains(&year))
            .ok_or_else(|| out_of_range("RFC 3339 has only the years 0000 to 9999"))?;
        let second = self.seconds.rem_euclid(86_400) as u32;
        let mut text = Rfc3339 { bytes: *b"0000-00-00T00:00:00.000000000Z", len: 0 };
        let mut pair = |at: usize, value: u32| {
            text.bytes[at] = b'0' + (value / 10) as u8;
            text.bytes[at + 1] = b'0' + (value % 10) as u8;
        };
        pair(0, year as u32 / 100);
        pair(2, year as u32 % 100);
        pair(5, month);
        pair(8, day);
        pair(11, second / 3600);
        pair(14, second / 60 % 60);
        pair(17, second % 60);
        if self.nanoseconds != 0 {
            let (milli, rest) = (self.nanoseconds / 1_000_000, self.nanoseconds % 1_000_000);
            pair(20, milli / 10);
            pair(22, milli % 10 * 10 + rest / 100_000);
            pair(24, rest / 1000 % 100);
            pair(26, rest % 1000 / 10);
            text.bytes[28] = b'0' + (rest % 10) as u8;
        }
        let digits = match self.nanoseconds {
            0 => 0,
            n if n.is_multiple_of(1_000_000) => 4,
            n if n.is_multiple_of(1_000) => 7,
            _ => 10,
        };
        text.bytes[19 + digits] = b'Z';
        text.len = 20 + digits;
        Ok(text)
    }
}

/// RFC 3339 text, made without allocation.
#[derive(Clone, Copy)]
pub struct Rfc3339 {
    bytes: [u8; 30],
    len: usize,
}

impl Rfc3339 {
    /// The text.
    pub fn as_str(&self) -> &str {
        core::str::from_utf8(&self.bytes[..self.len]).unwrap_or_default()
    }
}

impl fmt::Display for Rfc3339 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

fn parse(t: &[u8]) -> Option<Timestamp> {
    let number = |range: core::ops::Range<usize>| -> Option<u32> {
        t.get(range)?.iter().try_fold(0u32, |n, c| c.is_ascii_digit().then(|| n * 10 + u32::from(c - b'0')))
    };
    let is = |at: usize, any: &[u8]| t.get(at).filter(|c| any.contains(c)).map(|_| ());
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
    is(4, b"-")?;
    is(7, b"-")?;
    is(10, b"Tt ")?;
    is(13, b":")?;
    is(16, b":")?;
    if !(1..=12).contains(&month)
        || day == 0
        || day > days_in_month(year, month)
        || hour > 23
        || minute > 59
        || second > 59
    {
        return None;
    }
    let mut at = 19;
    let mut nanoseconds = 0;
    if t.get(at) == Some(&b'.') {
        let digits = t[at + 1..].iter().take_while(|c| c.is_ascii_digit()).count();
        if !(1..=9).contains(&digits) {
            return None;
        }
        nanoseconds = number(at + 1..at + 1 + digits)? * 10u32.pow(9 - digits as u32);
        at += 1 + digits;
    }
    let offset = match t.get(at)? {
        b'Z' | b'z' => {
            at += 1;
            0
        }
        sign @ (b'+' | b'-') => {
            let (hours, minutes) = (number(at + 1..at + 3)?, number(at + 4..at + 6)?);
            is(at + 3, b":")?;
            if hours > 23 || minutes > 59 {
                return None;
            }
            at += 6;
            let offset = i64::from(hours * 3600 + minutes * 60);
            if *sign == b'-' { -offset } else { offset }
        }
        _ => return None,
    };
    let days = days_from_civil(i64::from(year), month, day);
    let seconds = days * 86_400 + i64::from(hour * 3600 + minute * 60 + second) - offset;
    (at == t.len()).then_some(Timestamp { seconds, nanoseconds })
}

fn days_in_month(year: u32, month: u32) -> u32 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01 in the proleptic Gregorian calendar. Years start in March, so that the leap day is
/// the last one; 400 years are 146 097 days.
pub fn days_from_civil(year: i64, month: u32, day: u32) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((i64::from(month) + 9) % 12) + 2) / 5 + i64::from(day) - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// The inverse of [`days_from_civil`]: year, month 1–12, day 1–31. `None` far outside any calendar's use.
pub fn civil_from_days(days: i64) -> Option<(i64, u32, u32)> {
    let days = days.checked_add(719_468)?;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = (day_of_year - (153 * shifted + 2) / 5 + 1) as u32;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 } as u32;
    Some((era * 400 + year_of_era + i64::from(month <= 2), month, day))
}

fn shorten(text: &str) -> &str {
    let mut end = text.len().min(40);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

#[cold]
fn invalid(message: impl Into<Cow<'static, str>>) -> Error {
    Error::new(Code::InvalidTimestamp, message)
}

#[cold]
fn out_of_range(message: &'static str) -> Error {
    Error::new(Code::TimestampOutOfRange, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64, nanoseconds: u32) -> Timestamp {
        Timestamp::new(seconds, nanoseconds).unwrap()
    }

    #[test]
    fn ext_takes_the_shortest_size() {
        for (t, n) in [
            (at(0, 0), 4),
            (at(u32::MAX.into(), 0), 4),
            (at(1 << 32, 0), 8),
            (at(0, 1), 8),
            (at((1 << 34) - 1, 999_999_999), 8),
            (at(1 << 34, 0), 12),
            (at(-1, 0), 12),
            (at(i64::MIN, 0), 12),
            (at(i64::MAX, 999_999_999), 12),
        ] {
            let (bytes, len) = t.to_ext();
            assert_eq!(len, n, "{t:?}");
            assert_eq!(Timestamp::from_ext(&bytes[..len]).unwrap(), t);
        }
    }

    #[test]
    fn before_1970_seconds_are_floored() {
        assert_eq!(Timestamp::parse("1969-12-31T23:59:59.5Z").unwrap(), at(-1, 500_000_000));
        assert_eq!(Timestamp::from_nanoseconds(-1_000_000).unwrap(), at(-1, 999_000_000));
    }

    #[test]
    fn rfc_3339_reads_and_writes() {
        for (text, t, out) in [
            ("1970-01-01T00:00:00Z", at(0, 0), "1970-01-01T00:00:00Z"),
            ("2016-03-04T05:06:07.123456789+01:00", at(1_457_064_367, 123_456_789), "2016-03-04T04:06:07.123456789Z"),
            ("2024-02-29t12:00:00.1z", at(1_709_208_000, 100_000_000), "2024-02-29T12:00:00.100Z"),
            ("0000-01-01 00:00:00-00:00", at(-62_167_219_200, 0), "0000-01-01T00:00:00Z"),
            ("9999-12-31T23:59:59.999999Z", at(253_402_300_799, 999_999_000), "9999-12-31T23:59:59.999999Z"),
        ] {
            assert_eq!(Timestamp::parse(text).unwrap(), t);
            assert_eq!(t.format().unwrap().as_str(), out);
        }
        assert_eq!(at(253_402_300_800, 0).format().err().unwrap().code(), Code::TimestampOutOfRange);
        assert_eq!(at(i64::MIN, 0).format().err().unwrap().code(), Code::TimestampOutOfRange);
    }

    #[test]
    fn rfc_3339_refuses() {
        for bad in [
            "",
            "2024-01-01",
            "2024-01-01T00:00:00",
            "2024-01-01T24:00:00Z",
            "2024-01-01T00:00:60Z",
            "2023-02-29T00:00:00Z",
            "2024-13-01T00:00:00Z",
            "2024-00-01T00:00:00Z",
            "2024-01-00T00:00:00Z",
            "2024-01-01T00:00:00.Z",
            "2024-01-01T00:00:00.1234567890Z",
            "2024-01-01T00:00:00+0100",
            "2024-01-01T00:00:00+24:00",
            "2024-01-01T00:00:00Z ",
            "2024-1-01T00:00:00Z",
            "+024-01-01T00:00:00Z",
            "2024-01-01_00:00:00Z",
            "1900-02-29T00:00:00Z",
        ] {
            assert_eq!(Timestamp::parse(bad).unwrap_err().code(), Code::InvalidTimestamp, "{bad}");
        }
    }

    #[test]
    fn calendar_round_trips() {
        for days in (-800_000..3_000_000).step_by(37) {
            let (y, m, d) = civil_from_days(days).unwrap();
            assert_eq!(days_from_civil(y, m, d), days);
        }
    }
}
