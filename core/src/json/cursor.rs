//! The token primitives of JSON: look at the next byte, read a string, a number, a literal, skip a value.
//!
//! A cursor knows tokens and not what they mean: structure, limits and policies are the reader's (or whoever
//! else pulls). Hot paths find that something is wrong; what and where exactly is found by the cold
//! functions, which look at the token again from its start.

use alloc::string::String;
use alloc::vec::Vec;
use core::marker::PhantomData;

use crate::error::{Code, Error};
use crate::options::{LoneSurrogates, Options};
use crate::text::Hex;
use crate::utf8;
use crate::visit::{Constant, Encoding};

/// A place in JSON text.
pub struct Cursor<'de> {
    start: *const u8,
    pub(super) position: *const u8,
    end: *const u8,
    /// Unescaped text of the last string that had escapes.
    pub(super) scratch: Vec<u8>,
    pub(super) lone_surrogates: LoneSurrogates,
    /// From a string with non-ASCII characters up to here, the input is known to be UTF-8.
    utf8_until: *const u8,
    /// The end of the last string with non-ASCII characters.
    last_high: *const u8,
    input: PhantomData<&'de [u8]>,
}

// SAFETY: a cursor is a shared borrow of bytes and a Vec of its own.
unsafe impl Send for Cursor<'_> {}
// SAFETY: as above; nothing changes behind `&self`.
unsafe impl Sync for Cursor<'_> {}

impl<'de> Cursor<'de> {
    /// A cursor at the start of `input`. Of the options it needs `lone_surrogates`.
    #[inline]
    pub fn new(input: &'de [u8], options: &Options) -> Self {
        let range = input.as_ptr_range();
        Cursor {
            start: range.start,
            position: range.start,
            end: range.end,
            scratch: Vec::new(),
            lone_surrogates: options.lone_surrogates,
            utf8_until: range.start,
            last_high: range.start,
            input: PhantomData,
        }
    }

    /// What is known of a string's bytes, which end at the position and among which are high ones. Short
    /// strings are validated many at once: one by one, the calls cost more than the bytes.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub(super) fn encoding(&mut self, start: usize) -> Encoding {
        if self.position <= self.utf8_until { Encoding::Utf8 } else { self.validate_ahead(start) }
    }

    #[inline(never)]
    fn validate_ahead(&mut self, start: usize) -> Encoding {
        /// Longer strings are left to the visitor, which may have to look at each byte anyway, and so are
        /// those that stand alone.
        const SHORT: usize = 64;
        const NEAR: usize = 24;
        const AHEAD: usize = 512;
        let input = self.input();
        let gap = start.wrapping_sub(self.last_high as usize - self.start as usize);
        self.last_high = self.position;
        if gap > NEAR || self.offset() - start > SHORT {
            return Encoding::Unchecked;
        }
        let mut end = (start + AHEAD).min(input.len());
        // Not within a character: its last bytes are 10xx_xxxx.
        while end < input.len() && end > self.offset() && input[end] & 0xc0 == 0x80 {
            end -= 1;
        }
        if !utf8::is_valid(&input[start..end]) {
            return Encoding::Unchecked;
        }
        self.utf8_until = input[end..].as_ptr();
        Encoding::Utf8
    }

    /// Another cursor at the start of the same input.
    pub(super) fn again(&self) -> Self {
        Cursor { position: self.start, utf8_until: self.start, last_high: self.start, scratch: Vec::new(), ..*self }
    }

    /// The whole input.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn input(&self) -> &'de [u8] {
        // SAFETY: start and end are those of a slice that lives for 'de.
        unsafe { core::slice::from_raw_parts(self.start, self.end as usize - self.start as usize) }
    }

    /// The input from the position on.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn rest(&self) -> &'de [u8] {
        // SAFETY: the position is within the input.
        unsafe { core::slice::from_raw_parts(self.position, self.left()) }
    }

    /// The offset of the next byte.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn offset(&self) -> usize {
        self.position as usize - self.start as usize
    }

    /// Goes to an offset, at most the input's length.
    #[inline]
    pub fn seek(&mut self, offset: usize) {
        assert!(offset <= self.input().len());
        // What lies between the start and `utf8_until` is known only from where the cursor came by.
        self.utf8_until = self.start;
        self.last_high = self.start;
        // SAFETY: checked.
        self.position = unsafe { self.start.add(offset) };
    }

    /// The bytes from an earlier offset to the position.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn since(&self, offset: usize) -> &'de [u8] {
        let input = self.input();
        debug_assert!(offset <= self.offset());
        // SAFETY: offsets come from `offset()` earlier on, and the position is within the input.
        unsafe { input.get_unchecked(offset..self.offset()) }
    }

    /// Bytes that are left.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn left(&self) -> usize {
        self.end as usize - self.position as usize
    }

    /// True at the end of the input.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn at_end(&self) -> bool {
        self.position == self.end
    }

    /// The next byte; zero (which no token begins with) at the end.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn peek(&self) -> u8 {
        // SAFETY: not at the end.
        if self.at_end() { 0 } else { unsafe { *self.position } }
    }

    /// Steps over `n` bytes.
    ///
    /// # Safety
    /// As many must be left.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub unsafe fn advance(&mut self, n: usize) {
        debug_assert!(n <= self.left());
        // SAFETY: by contract.
        self.position = unsafe { self.position.add(n) };
    }

    /// Steps over whitespace and returns the byte after it; zero at the end.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn skip_whitespace(&mut self) -> u8 {
        let byte = self.peek();
        if byte > b' ' { byte } else { self.skip_whitespace_slow(byte) }
    }

    #[inline(never)]
    fn skip_whitespace_slow(&mut self, first: u8) -> u8 {
        let mut byte = first;
        // One blank after a comma or a colon, as many writers have it; or a line feed and the indentation.
        loop {
            if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return byte;
            }
            // SAFETY: the byte was there.
            unsafe { self.advance(1) };
            byte = self.peek();
            if byte > b' ' {
                return byte;
            }
            while let Some(word) = self.word() {
                let others = word ^ 0x2020_2020_2020_2020;
                // SAFETY: as many blanks were seen.
                unsafe {
                    if others != 0 {
                        self.advance(others.trailing_zeros() as usize / 8);
                        break;
                    }
                    self.advance(8);
                }
            }
            byte = self.peek();
        }
    }

    /// The next eight bytes, the first in the lowest place.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub(super) fn word(&self) -> Option<u64> {
        // SAFETY: eight bytes are left.
        (self.left() >= 8).then(|| u64::from_le(unsafe { self.position.cast::<u64>().read_unaligned() }))
    }

    /// Reads `null`, `false` or `true`; `first` is the next byte. Anything else is an error.
    ///
    /// # Errors
    /// `invalid-syntax` (also where no value begins with `first`) or `truncated`.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn literal(&mut self, first: u8) -> Result<Constant, Error> {
        let rest = self.rest();
        let (constant, len) = match first {
            b'n' if rest.starts_with(b"null") => (Constant::Null, 4),
            b't' if rest.starts_with(b"true") => (Constant::True, 4),
            b'f' if rest.starts_with(b"false") => (Constant::False, 5),
            _ => return Err(self.literal_fault()),
        };
        // SAFETY: compared just now.
        unsafe { self.advance(len) };
        Ok(constant)
    }

    #[cold]
    #[inline(never)]
    fn literal_fault(&self) -> Error {
        for word in ["null", "true", "false"] {
            if self.peek() == word.as_bytes()[0] {
                let same = self.rest().iter().zip(word.bytes()).take_while(|&(&a, b)| a == b).count();
                return self.fault_at(self.offset() + same, &message!["the rest of ", word]);
            }
        }
        self.fault("a value")
    }

    /// The error for a next byte that is not what was expected: `truncated` at the end of the input, otherwise
    /// `invalid-syntax`.
    #[cold]
    #[inline(never)]
    pub fn fault(&self, expected: &str) -> Error {
        self.fault_at(self.offset(), expected)
    }

    #[cold]
    #[inline(never)]
    pub(super) fn fault_at(&self, offset: usize, expected: &str) -> Error {
        let input = self.input();
        let error = match input.get(offset) {
            None => Error::new(Code::Truncated, message!["expected ", expected, ", found the end of the input"]),
            Some(_) if offset == 0 && input.starts_with(b"\xef\xbb\xbf") => {
                Error::new(Code::InvalidSyntax, message!["expected ", expected, ", found a byte order mark"])
            }
            Some(&byte) => Error::new(Code::InvalidSyntax, message!["expected ", expected, ", found ", shown(byte)]),
        };
        error.at(offset)
    }

    /// Skips one value of any kind, whitespace before it included: its grammar, text and ranges are checked
    /// as reading it would, but not for duplicate keys.
    ///
    /// # Errors
    /// As for reading; `depth-exceeded` beyond `max_depth` open containers.
    pub fn skip_value(&mut self, max_depth: u32) -> Result<(), Error> {
        // One bit for each open container, set for maps. Limits::max_depth is at most 512.
        let mut maps = [0u64; crate::limits::MAX_DEPTH as usize / 64];
        let mut depth = 0u32;
        let mut in_map = false;
        loop {
            // A value, or the first key or end of what was opened.
            let first = self.skip_whitespace();
            match first {
                b'{' | b'[' => {
                    if depth >= max_depth.min(crate::limits::MAX_DEPTH) {
                        return Err(depth_exceeded(max_depth).at(self.offset()));
                    }
                    let (word, bit) = (depth as usize / 64, 1 << (depth % 64));
                    in_map = first == b'{';
                    maps[word] = if in_map { maps[word] | bit } else { maps[word] & !bit };
                    depth += 1;
                    // SAFETY: `first` was there.
                    unsafe { self.advance(1) };
                    let next = self.skip_whitespace();
                    if next != closing(in_map) {
                        if in_map {
                            self.skip_key(next)?;
                        }
                        continue;
                    }
                }
                b'"' => self.skip_string()?,
                b'-' | b'0'..=b'9' => self.skip_number(first)?,
                _ => {
                    self.literal(first)?;
                    // Falls through to what may follow a value.
                }
            }
            // After a value, or at the end of an empty container.
            loop {
                if depth == 0 {
                    return Ok(());
                }
                let next = self.skip_whitespace();
                if next == closing(in_map) {
                    // SAFETY: `next` was there.
                    unsafe { self.advance(1) };
                    depth -= 1;
                    in_map = depth > 0 && maps[(depth as usize - 1) / 64] >> ((depth - 1) % 64) & 1 == 1;
                    continue;
                }
                if next != b',' {
                    return Err(self.fault(if in_map { "',' or '}'" } else { "',' or ']'" }));
                }
                // SAFETY: the comma was there.
                unsafe { self.advance(1) };
                if in_map {
                    let next = self.skip_whitespace();
                    self.skip_key(next)?;
                }
                break;
            }
        }
    }

    /// A key that is not looked at, and its colon.
    fn skip_key(&mut self, first: u8) -> Result<(), Error> {
        if first != b'"' {
            return Err(self.fault("a string as key"));
        }
        self.skip_string()?;
        self.colon()
    }

    /// Steps over whitespace and a colon.
    ///
    /// # Errors
    /// `invalid-syntax` or `truncated`.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn colon(&mut self) -> Result<(), Error> {
        if self.skip_whitespace() != b':' {
            return Err(self.fault("':'"));
        }
        // SAFETY: the colon was there.
        unsafe { self.advance(1) };
        Ok(())
    }
}

#[cfg_attr(not(samewire_smallest), inline(always))]
const fn closing(in_map: bool) -> u8 {
    if in_map { b'}' } else { b']' }
}

/// The error for one container too many; the caller adds the offset.
#[cold]
#[inline(never)]
pub(crate) fn depth_exceeded(max_depth: u32) -> Error {
    Error::new(Code::DepthExceeded, message!["containers nest deeper than ", max_depth, " levels"])
}

fn shown(byte: u8) -> String {
    match byte {
        b'\'' => "\"'\"".into(),
        0x20..0x7f => text!["'", char::from(byte), "'"],
        _ => text!["the byte 0x", Hex(byte.into(), 2)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skip(text: &str, depth: u32) -> Result<usize, Error> {
        let mut cursor = Cursor::new(text.as_bytes(), &Options::default());
        cursor.skip_value(depth)?;
        Ok(cursor.offset())
    }

    #[test]
    fn a_value_is_skipped_to_its_end() {
        for text in [
            "1",
            " null",
            "[]",
            "{}",
            "[[],{}]",
            r#"{"a":[1,{"b":"\u00e9"}],"c":{}}"#,
            "[[[1]],[{}],{\"a\":[]}]",
            "-0.5e3",
        ] {
            assert_eq!(skip(&alloc::format!("{text} ,"), 512).unwrap(), text.len(), "{text}");
        }
    }

    #[test]
    fn a_skipped_value_is_checked() {
        for (text, code, offset) in [
            ("", Code::Truncated, 0),
            ("[1", Code::Truncated, 2),
            ("[1,]", Code::InvalidSyntax, 3),
            ("[1}", Code::InvalidSyntax, 2),
            ("{\"a\":1]", Code::InvalidSyntax, 6),
            ("{\"a\" 1}", Code::InvalidSyntax, 5),
            ("{\"a\":1,}", Code::InvalidSyntax, 7),
            ("{1:1}", Code::InvalidSyntax, 1),
            ("[[]", Code::Truncated, 3),
            ("nul", Code::Truncated, 3),
            ("nulL", Code::InvalidSyntax, 3),
            ("\u{feff}1", Code::InvalidSyntax, 0),
            ("[[[1]]]", Code::DepthExceeded, 2),
        ] {
            let e = skip(text, 2).unwrap_err();
            assert_eq!((e.code(), e.offset()), (code, Some(offset)), "{text}: {e}");
        }
        let deep = "[".repeat(513);
        assert_eq!(skip(&deep, 512).unwrap_err().offset(), Some(512));
    }
}
