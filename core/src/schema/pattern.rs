//! `pattern`: ECMA-262 regular expressions (with the `u` flag, as JSON Schema recommends) on a linear-time
//! engine.
//!
//! The source is parsed and written anew in the engine's syntax, so that `\d`, `\w`, `\s`, `.`, `^` and `$`
//! mean what ECMA-262 says. What a linear-time engine cannot do (backreferences, lookbehind, lookahead in
//! the middle) is refused. Lookahead directly after a leading `^`, which emitters use to say "and also", is a
//! second expression and stays linear.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use regex_lite::{Regex, RegexBuilder};

/// Longest source, and the size that a compiled expression may take in bytes.
const MAX_SOURCE: usize = 4096;
const MAX_COMPILED: usize = 1 << 20;
/// `white space` and `line terminator` of ECMA-262.
const SPACE: &str = r"\t\n\x0B\f\r \u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}";
const NOT_SPACE: &str =
    r"[^\t\n\x0B\f\r \u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}]";

/// A compiled `pattern`.
#[derive(Clone)]
pub(crate) struct Pattern(Arc<Inner>);

struct Inner {
    source: Box<str>,
    main: Regex,
    /// Lookaheads after the leading `^`, and whether they must match.
    also: Vec<(Regex, bool)>,
}

impl core::fmt::Debug for Pattern {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Pattern({:?})", self.0.source)
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.source == other.0.source
    }
}

impl Pattern {
    /// Compiles a pattern, or says why not.
    pub(crate) fn new(source: &str) -> Result<Self, String> {
        if source.len() > MAX_SOURCE {
            return Err(format!("a pattern is longer than {MAX_SOURCE} bytes"));
        }
        let mut parser = Parser { rest: source.chars().collect(), at: 0, depth: 0 };
        let mut also = Vec::new();
        let mut prefix = String::new();
        if parser.peek(0) == Some('^') {
            parser.at = 1;
            prefix.push_str(r"\A");
            while parser.starts_with("(?=") || parser.starts_with("(?!") {
                let wanted = parser.starts_with("(?=");
                parser.at += 3;
                let inner = parser.alternatives()?;
                parser.expect(')')?;
                if matches!(parser.peek(0), Some('*' | '+' | '?' | '{')) {
                    return Err("a lookahead is repeated".into());
                }
                also.push((build(&format!(r"\A(?:{inner})"))?, wanted));
            }
        }
        let lookaheads = !also.is_empty();
        let (rest, branches) = parser.counted_alternatives()?;
        if parser.at < parser.rest.len() {
            return Err("an unmatched ) stands in it".into());
        }
        if lookaheads && branches > 1 {
            return Err("a lookahead stands in one of several alternatives, which no linear-time engine has".into());
        }
        let main = build(&format!("{prefix}{rest}"))?;
        Ok(Pattern(Arc::new(Inner { source: source.into(), main, also })))
    }

    pub(crate) fn source(&self) -> &str {
        &self.0.source
    }

    pub(crate) fn matches(&self, text: &str) -> bool {
        self.0.also.iter().all(|(regex, wanted)| regex.is_match(text) == *wanted) && self.0.main.is_match(text)
    }
}

fn build(translated: &str) -> Result<Regex, String> {
    RegexBuilder::new(translated).size_limit(MAX_COMPILED).nest_limit(64).build().map_err(|e| format!("{e}"))
}

struct Parser {
    rest: Vec<char>,
    at: usize,
    depth: u32,
}

/// One member of a class, or the end of a range.
enum Atom {
    Char(char),
    /// A class inside brackets, without them.
    Set(&'static str),
}

impl Parser {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.rest.get(self.at + ahead).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek(0);
        self.at += usize::from(c.is_some());
        c
    }

    fn starts_with(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(i, c)| self.peek(i) == Some(c))
    }

    fn expect(&mut self, c: char) -> Result<(), String> {
        if self.next() == Some(c) { Ok(()) } else { Err(format!("a {c} is missing")) }
    }

    fn alternatives(&mut self) -> Result<String, String> {
        self.counted_alternatives().map(|(text, _)| text)
    }

    /// Everything up to the end or an unmatched `)`.
    fn counted_alternatives(&mut self) -> Result<(String, usize), String> {
        self.depth += 1;
        if self.depth > 50 {
            return Err("its groups nest deeper than 50".into());
        }
        let mut out = String::new();
        let mut branches = 1;
        loop {
            match self.peek(0) {
                None | Some(')') => break,
                Some('|') => {
                    self.at += 1;
                    branches += 1;
                    out.push('|');
                }
                Some(_) => self.term(&mut out)?,
            }
        }
        self.depth -= 1;
        Ok((out, branches))
    }

    fn term(&mut self, out: &mut String) -> Result<(), String> {
        match self.next().unwrap_or(' ') {
            '^' => out.push_str(r"\A"),
            '$' => out.push_str(r"\z"),
            '.' => out.push_str(r"[^\n\r\u{2028}\u{2029}]"),
            '[' => self.class(out)?,
            '(' => self.group(out)?,
            '\\' => self.escape(out)?,
            c @ ('*' | '+' | '?' | '{' | '}' | ']') => return Err(format!("{c} stands where nothing is to repeat")),
            c => literal(c, out),
        }
        self.quantifier(out)
    }

    fn group(&mut self, out: &mut String) -> Result<(), String> {
        out.push_str("(?:");
        if self.starts_with("?:") {
            self.at += 2;
        } else if self.starts_with("?=") || self.starts_with("?!") {
            return Err("it has a lookahead, which no linear-time engine has (but directly after a leading ^)".into());
        } else if self.starts_with("?<=") || self.starts_with("?<!") {
            return Err("it has a lookbehind, which no linear-time engine has".into());
        } else if self.starts_with("?<") {
            self.at += 2;
            while self.next().ok_or("a group's name does not end")? != '>' {}
        } else if self.starts_with("?") {
            return Err("it has a group of an unknown sort".into());
        }
        out.push_str(&self.alternatives()?);
        self.expect(')')?;
        out.push(')');
        Ok(())
    }

    fn quantifier(&mut self, out: &mut String) -> Result<(), String> {
        match self.peek(0) {
            Some(c @ ('*' | '+' | '?')) => {
                self.at += 1;
                out.push(c);
            }
            Some('{') => {
                let end = self.rest[self.at..].iter().position(|&c| c == '}').ok_or("a } is missing")?;
                let inner: String = self.rest[self.at + 1..self.at + end].iter().collect();
                let (low, high) = inner.split_once(',').unwrap_or((&inner, &inner));
                let digits = |t: &str| !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit());
                if !digits(low) || !(digits(high) || (high.is_empty() && inner.contains(','))) {
                    return Err(format!("{{{inner}}} is no count"));
                }
                self.at += end + 1;
                out.push_str(&format!("{{{inner}}}"));
            }
            _ => return Ok(()),
        }
        if self.peek(0) == Some('?') {
            self.at += 1;
            out.push('?');
        }
        Ok(())
    }

    fn escape(&mut self, out: &mut String) -> Result<(), String> {
        match self.peek(0) {
            Some(c @ ('b' | 'B')) => {
                self.at += 1;
                // The engine's word boundary is ASCII, as ECMA-262's.
                out.push('\\');
                out.push(c);
                return Ok(());
            }
            Some('1'..='9' | 'k') => return Err("it has a backreference, which no linear-time engine has".into()),
            Some('D') => out.push_str("[^0-9]"),
            Some('W') => out.push_str("[^0-9A-Za-z_]"),
            Some('S') => out.push_str(NOT_SPACE),
            _ => {
                match self.escaped_atom()? {
                    Atom::Char(c) => literal(c, out),
                    Atom::Set(set) => {
                        out.push('[');
                        out.push_str(set);
                        out.push(']');
                    }
                }
                return Ok(());
            }
        }
        self.at += 1;
        Ok(())
    }

    /// What follows a backslash, in a class or outside.
    fn escaped_atom(&mut self) -> Result<Atom, String> {
        Ok(Atom::Char(match self.next().ok_or("it ends in a backslash")? {
            'd' => return Ok(Atom::Set("0-9")),
            'w' => return Ok(Atom::Set("0-9A-Za-z_")),
            's' => return Ok(Atom::Set(SPACE)),
            'p' | 'P' => return Err("it has a Unicode property (\\p), which is not supported".into()),
            't' => '\t',
            'n' => '\n',
            'r' => '\r',
            'f' => '\u{c}',
            'v' => '\u{b}',
            '0' if !matches!(self.peek(0), Some('0'..='9')) => '\0',
            'c' => match self.next() {
                Some(c) if c.is_ascii_alphabetic() => char::from(c as u8 & 31),
                _ => return Err("\\c wants a letter".into()),
            },
            'x' => self.hex(2)?,
            'u' if self.peek(0) == Some('{') => {
                let end = self.rest[self.at..].iter().position(|&c| c == '}').ok_or("a } is missing")?;
                let digits: String = self.rest[self.at + 1..self.at + end].iter().collect();
                self.at += end + 1;
                u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32).ok_or("\\u{…} is no character")?
            }
            'u' => self.utf16()?,
            c if c.is_ascii_alphanumeric() => return Err(format!("\\{c} means nothing")),
            c => c,
        }))
    }

    fn code(&mut self, digits: usize) -> Result<u32, String> {
        let text: String = self.rest[self.at..].iter().take(digits).collect();
        if text.len() != digits || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(format!("an escape wants {digits} hexadecimal digits"));
        }
        self.at += digits;
        u32::from_str_radix(&text, 16).map_err(|e| format!("{e}"))
    }

    fn hex(&mut self, digits: usize) -> Result<char, String> {
        char::from_u32(self.code(digits)?).ok_or_else(|| "an escape is half a surrogate pair".into())
    }

    fn utf16(&mut self) -> Result<char, String> {
        let first = self.code(4)?;
        if (0xd800..0xdc00).contains(&first) && self.starts_with("\\u") {
            self.at += 2;
            let second = self.code(4)?;
            if (0xdc00..0xe000).contains(&second) {
                let c = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                return char::from_u32(c).ok_or_else(|| "an escape is no character".into());
            }
        }
        char::from_u32(first).ok_or_else(|| "an escape is half a surrogate pair".into())
    }

    fn class(&mut self, out: &mut String) -> Result<(), String> {
        let negated = self.peek(0) == Some('^');
        self.at += usize::from(negated);
        let mut inner = String::new();
        let mut any = false;
        loop {
            match self.peek(0).ok_or("a ] is missing")? {
                ']' => break,
                '\\' if matches!(self.peek(1), Some('D' | 'W' | 'S')) => {
                    inner.push_str(match self.peek(1) {
                        Some('D') => "[^0-9]",
                        Some('W') => "[^0-9A-Za-z_]",
                        _ => NOT_SPACE,
                    });
                    self.at += 2;
                }
                _ => self.class_member(&mut inner)?,
            }
            any = true;
        }
        self.at += 1;
        match (any, negated) {
            (false, false) => out.push_str(r"[^\u{0}-\u{10ffff}]"),
            (false, true) => out.push_str(r"[\u{0}-\u{10ffff}]"),
            _ => {
                out.push_str(if negated { "[^" } else { "[" });
                out.push_str(&inner);
                out.push(']');
            }
        }
        Ok(())
    }

    fn class_atom(&mut self) -> Result<Atom, String> {
        match self.next().ok_or("a ] is missing")? {
            '\\' if self.peek(0) == Some('b') => {
                self.at += 1;
                Ok(Atom::Char('\u{8}'))
            }
            '\\' if self.peek(0) == Some('-') => {
                self.at += 1;
                Ok(Atom::Char('-'))
            }
            '\\' => self.escaped_atom(),
            c => Ok(Atom::Char(c)),
        }
    }

    fn class_member(&mut self, inner: &mut String) -> Result<(), String> {
        let low = match self.class_atom()? {
            Atom::Set(set) => {
                if self.peek(0) == Some('-') && self.peek(1) != Some(']') {
                    return Err("a range begins with a class".into());
                }
                inner.push_str(set);
                return Ok(());
            }
            Atom::Char(c) => c,
        };
        if self.peek(0) == Some('-') && !matches!(self.peek(1), Some(']') | None) {
            self.at += 1;
            let Atom::Char(high) = self.class_atom()? else { return Err("a range ends with a class".into()) };
            if high < low {
                return Err(format!("the range {low}-{high} is backwards"));
            }
            inner.push_str(&format!("\\u{{{:x}}}-\\u{{{:x}}}", low as u32, high as u32));
            return Ok(());
        }
        inner.push_str(&format!("\\u{{{:x}}}", low as u32));
        Ok(())
    }
}

fn literal(c: char, out: &mut String) {
    if c.is_ascii_alphanumeric() || !c.is_ascii() {
        out.push(c);
    } else {
        out.push_str(&format!("\\u{{{:x}}}", c as u32));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, text: &str) -> bool {
        Pattern::new(pattern).unwrap_or_else(|e| panic!("{pattern}: {e}")).matches(text)
    }

    #[test]
    fn ecma_meanings() {
        for (p, yes, no) in [
            ("^a*$", "aaa", "aab"),
            ("a+", "xaay", "xy"),
            (r"^\d$", "0", "\u{9ea}"),
            (r"^\w$", "_", "é"),
            (r"^\s$", "\u{2029}", "\u{1}"),
            (r"^\s$", "\u{feff}", "x"),
            (r"^\S$", "x", "\u{feff}"),
            ("^.$", "\u{85}", "\u{2028}"),
            (r"^\u{1F432}$", "🐲", "x"),
            (r"^\uD83D\uDC32$", "🐲", "x"),
            ("^🐲*$", "🐲🐲", "🐉"),
            (r"^[a\-z]$", "-", "b"),
            ("^[a-]$", "-", "b"),
            (r"^[\d-]$", "-", "x"),
            (r"^[^]$", "\n", ""),
            (r"^\cC$", "\u{3}", "\\cC"),
            (r"^\/\-$", "/-", "x"),
            ("^(?<year>[0-9]{4})$", "2024", "24"),
            (r"^[[&~]$", "[", "x"),
            ("^[a-z]{2,}?$", "abc", "a"),
            (r"\bcat\b", "a cat.", "concat"),
            ("^a$|^b$", "b", "ab"),
        ] {
            assert!(matches(p, yes), "{p} {yes:?}");
            assert!(!matches(p, no), "{p} {no:?}");
        }
        // No flag makes $ match before a line feed.
        assert!(!matches("^a$", "a\n"));
    }

    #[test]
    fn leading_lookaheads_are_conditions() {
        let email = r"^(?!\.)(?!.*\.\.)([A-Za-z0-9_'+\-\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$";
        assert!(matches(email, "a.b@example.org"));
        assert!(!matches(email, ".a@example.org"));
        assert!(!matches(email, "a..b@example.org"));
        assert!(matches(r"^(?=.*\d)(?=.*[a-z]).{4,}$", "abc1"));
        assert!(!matches(r"^(?=.*\d)(?=.*[a-z]).{4,}$", "abcd"));
    }

    #[test]
    fn refused_by_name() {
        for (p, why) in [
            (r"(a)\1", "backreference"),
            ("a(?=b)", "lookahead"),
            ("^(?=a)b|c", "alternatives"),
            ("(?<=a)b", "lookbehind"),
            (r"\p{L}", "Unicode property"),
            ("(a", "missing"),
            ("a)", "unmatched"),
            ("*a", "repeat"),
            ("[b-a]", "backwards"),
            (r"\a", "means nothing"),
            ("a{1", "missing"),
            ("(?i:a)", "unknown sort"),
        ] {
            let e = Pattern::new(p).unwrap_err();
            assert!(e.contains(why), "{p}: {e}");
        }
        Pattern::new(&"(".repeat(4000)).unwrap_err();
        Pattern::new("((a{1000}){1000}){1000}").unwrap_err();
    }

    #[test]
    fn catastrophic_patterns_stay_linear() {
        let text = "a".repeat(20_000) + "!";
        assert!(!matches("^(a+)+$", &text));
        assert!(!matches("^(a|aa)+$", &text));
    }
}
