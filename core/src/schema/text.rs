//! What a schema asks of a string: length in code points, pattern, format, membership.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use super::number::Refusal;
use super::pattern::Pattern;
use crate::short;

/// A `format` that is checked; every other one is a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextFormat {
    Uuid,
    Date,
    Time,
    Ipv4,
    Ipv6,
}

impl TextFormat {
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "uuid" => TextFormat::Uuid,
            "date" => TextFormat::Date,
            "time" => TextFormat::Time,
            "ipv4" => TextFormat::Ipv4,
            "ipv6" => TextFormat::Ipv6,
            _ => return None,
        })
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            TextFormat::Uuid => "uuid",
            TextFormat::Date => "date",
            TextFormat::Time => "time",
            TextFormat::Ipv4 => "ipv4",
            TextFormat::Ipv6 => "ipv6",
        }
    }

    /// The length of every text of the format, where they share one.
    pub(crate) fn length(self) -> Option<usize> {
        match self {
            TextFormat::Uuid => Some(36),
            TextFormat::Date => Some(10),
            _ => None,
        }
    }

    pub(crate) fn holds(self, text: &str) -> bool {
        match self {
            TextFormat::Uuid => is_uuid(text),
            TextFormat::Date => text.len() == 10 && is_time(text, "T00:00:00Z", true),
            // Without an offset too: every emitter's local times carry this format.
            TextFormat::Time => {
                text.len() >= 8
                    && (is_time(text, "2000-01-01T", false)
                        || is_time(&alloc::format!("{text}Z"), "2000-01-01T", false))
            }
            TextFormat::Ipv4 => text.parse::<core::net::Ipv4Addr>().is_ok(),
            TextFormat::Ipv6 => text.parse::<core::net::Ipv6Addr>().is_ok(),
        }
    }
}

fn is_time(text: &str, rest: &str, before: bool) -> bool {
    let whole = if before { alloc::format!("{text}{rest}") } else { alloc::format!("{rest}{text}") };
    crate::time::Timestamp::parse(&whole).is_ok()
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(i, b)| match i {
            8 | 13 | 18 | 23 => b == b'-',
            _ => b.is_ascii_hexdigit(),
        })
}

/// All of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextRules {
    pub min: usize,
    pub max: Option<usize>,
    pub pattern: Option<Pattern>,
    pub format: Option<TextFormat>,
    /// The strings of `enum` or `const`, in the document's order.
    pub one_of: Option<Members>,
}

/// The strings of an enum, to look one up.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Members {
    /// In the document's order.
    pub list: Vec<Box<str>>,
    /// Indexes of `list`, sorted by the strings.
    order: Vec<u32>,
}

impl Members {
    pub(crate) fn new(members: impl IntoIterator<Item = Box<str>>) -> Self {
        let all: Vec<Box<str>> = members.into_iter().collect();
        let mut order: Vec<u32> = (0..all.len() as u32).collect();
        order.sort_by(|&a, &b| all[a as usize].cmp(&all[b as usize]).then(a.cmp(&b)));
        order.dedup_by(|b, a| all[*a as usize] == all[*b as usize]);
        let mut keep = order.clone();
        keep.sort_unstable();
        let list: Vec<Box<str>> = keep.iter().map(|&i| all[i as usize].clone()).collect();
        let mut order: Vec<u32> = (0..list.len() as u32).collect();
        order.sort_by(|&a, &b| list[a as usize].cmp(&list[b as usize]));
        Members { list, order }
    }

    pub(crate) fn contains(&self, text: &str) -> bool {
        if self.list.len() <= 4 {
            return self.list.iter().any(|m| short::equal(m.as_bytes(), text.as_bytes()));
        }
        self.order.binary_search_by(|&i| (*self.list[i as usize]).cmp(text)).is_ok()
    }
}

impl TextRules {
    pub(crate) fn is_empty(&self) -> bool {
        self.min == 0 && self.max.is_none() && self.pattern.is_none() && self.format.is_none() && self.one_of.is_none()
    }

    /// Texts of so many bytes keep to all rules; an empty range if other rules than lengths are there. Texts
    /// of other lengths may, too: a code point has one to four bytes.
    pub(crate) fn byte_range(&self) -> (usize, usize) {
        if self.pattern.is_some() || self.format.is_some() || self.one_of.is_some() {
            return (1, 0);
        }
        let min = if self.min <= 1 { self.min } else { self.min.saturating_mul(4) - 3 };
        (min, self.max.unwrap_or(usize::MAX))
    }

    pub(crate) fn check(&self, text: &str) -> Result<(), Refusal> {
        if let Some(members) = &self.one_of
            && !members.contains(text)
        {
            return Err(Refusal::Variant);
        }
        // A code point has one to four bytes: counting is needed only in between.
        if text.len() < self.min || (text.len() < 4 * self.min && length(text) < self.min) {
            return Err(refused("minLength", &self.min));
        }
        if let Some(max) = self.max
            && text.len() > max
            && length(text) > max
        {
            return Err(refused("maxLength", &max));
        }
        if let Some(format) = self.format
            && !format.holds(text)
        {
            return Err(refused("format", &format.name()));
        }
        if let Some(pattern) = &self.pattern
            && !pattern.matches(text)
        {
            return Err(refused("pattern", &pattern.source()));
        }
        Ok(())
    }
}

fn length(text: &str) -> usize {
    text.chars().count()
}

fn refused(name: &str, value: &dyn core::fmt::Display) -> Refusal {
    let text: String = alloc::format!("{name} {value}");
    Refusal::Constraint(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_code_points() {
        let rules = TextRules { min: 2, max: Some(2), ..TextRules::default() };
        assert!(rules.check("\u{1f4a9}\u{1f4a9}").is_ok());
        assert!(rules.check("\u{1f4a9}").is_err());
        assert!(rules.check("aé").is_ok());
        assert!(rules.check("abc").is_err());
    }

    #[test]
    fn lengths_by_bytes_are_on_the_safe_side() {
        for (min, max) in [(0, None), (1, Some(3)), (2, Some(6)), (2, Some(2)), (16, Some(16))] {
            let rules = TextRules { min, max, ..TextRules::default() };
            let (low, high) = rules.byte_range();
            for c in ["a", "é", "€", "💩"] {
                for n in 0..20 {
                    let text = c.repeat(n);
                    assert!(!(low..=high).contains(&text.len()) || rules.check(&text).is_ok(), "{min} {max:?} {text}");
                }
            }
        }
    }

    #[test]
    fn formats() {
        use TextFormat::*;
        for (f, good, bad) in [
            (Uuid, "123e4567-e89b-12d3-a456-426614174000", "123e4567e89b-12d3-a456-4266141740000"),
            (Date, "2024-02-29", "2023-02-29"),
            (Time, "12:30:00Z", "25:00:00Z"),
            (Time, "12:30:00.5", "12:30"),
            (Ipv4, "127.0.0.1", "127.0.0.256"),
            (Ipv6, "::1", ":::1"),
        ] {
            assert!(f.holds(good), "{good}");
            assert!(!f.holds(bad), "{bad}");
        }
    }

    #[test]
    fn members_are_found_and_not_repeated() {
        let m = Members::new(["b", "a", "c", "b", "e", "d"].map(Into::into));
        assert_eq!(m.list.iter().map(|s| &**s).collect::<Vec<_>>(), ["b", "a", "c", "e", "d"]);
        assert!(m.contains("d") && m.contains("a") && !m.contains("f"));
    }
}
