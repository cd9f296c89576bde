//! Strings of JSON text: found in the input where they have no escapes, else unescaped into a scratch buffer.

use alloc::vec::Vec;

use super::cursor::Cursor;
use super::scan::{self, BLOCK, LONG};
use crate::buffer::copy_short;
use crate::error::{Code, Error};
use crate::options::LoneSurrogates;
use crate::text::Hex;
use crate::utf8;
use crate::visit::{Encoding, Text};

/// A string that was read: its text is either in the input or in the cursor's scratch buffer.
#[derive(Clone, Copy)]
pub enum Chars<'de, 'c> {
    /// Without escapes: the input's own bytes.
    Input(Text<'de>),
    /// Unescaped; lives until the cursor moves on.
    Scratch(Text<'c>),
}

impl<'c> Chars<'_, 'c> {
    /// The text. If it is [`Encoding::Unchecked`], whoever uses it validates it.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn text(&self) -> Text<'_> {
        match self {
            Chars::Input(text) => *text,
            Chars::Scratch(text) => *text,
        }
    }
}

/// What the escapes of one letter stand for; zero for others.
static UNESCAPED: [u8; 256] = {
    let mut table = [0; 256];
    let pairs = b"\"\"\\\\//n\nt\tr\rb\x08f\x0c";
    let mut i = 0;
    while i < pairs.len() {
        table[pairs[i] as usize] = pairs[i + 1];
        i += 2;
    }
    table
};

impl<'de> Cursor<'de> {
    /// Reads the string whose opening quote is the next byte.
    ///
    /// # Errors
    /// `invalid-syntax`, `truncated` or `lone-surrogate`; not `invalid-utf8`, see [`Chars::text`].
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn string(&mut self) -> Result<Chars<'de, '_>, Error> {
        debug_assert_eq!(self.peek(), b'"');
        let quote = self.offset();
        // SAFETY: the quote is there.
        unsafe { self.advance(1) };
        let mut high = 0;
        while self.left() >= BLOCK {
            // SAFETY: a whole block is left; the steps below stay inside it.
            unsafe {
                let marks = scan::marks(self.position);
                high |= marks.high_before();
                if marks.special == 0 {
                    self.advance(BLOCK);
                    if self.offset() - quote > LONG && self.left() >= 2 * LONG {
                        let (n, any) = scan::skip_plain(self.rest());
                        self.advance(n);
                        high |= scan::Mask::from(any);
                    }
                    continue;
                }
                self.advance(marks.first());
                if *self.position == b'"' {
                    let bytes = self.since(quote + 1);
                    let encoding = if high != 0 { self.encoding(quote + 1) } else { Encoding::Ascii };
                    self.advance(1);
                    return Ok(Chars::Input(Text::with_encoding(bytes, encoding)));
                }
                break;
            }
        }
        self.string_rest(quote, high != 0)
    }

    /// [`string`](Self::string), where it is not worth its size.
    ///
    /// # Errors
    /// The same.
    #[inline(never)]
    pub fn string_apart(&mut self) -> Result<Chars<'de, '_>, Error> {
        self.string()
    }

    /// The end of a string within the last block of the input, or from its first escape on.
    #[inline(never)]
    fn string_rest(&mut self, quote: usize, mut high: bool) -> Result<Chars<'de, '_>, Error> {
        if self.left() < BLOCK {
            let marks = scan::last_marks(self.input(), self.offset());
            high |= marks.high_before() != 0;
            // SAFETY: the padding counts as special, so the first one is within what is left, or its end.
            unsafe { self.advance(marks.first()) };
        }
        let plain = self.since(quote + 1);
        if self.peek() == b'"' {
            let encoding = if high { self.encoding(quote + 1) } else { Encoding::Ascii };
            // SAFETY: the quote is there; the encoding is what the scan saw.
            unsafe {
                self.advance(1);
                return Ok(Chars::Input(Text::with_encoding(plain, encoding)));
            }
        }
        let mut out = core::mem::take(&mut self.scratch);
        out.clear();
        out.extend_from_slice(plain);
        let result = self.unescape(&mut out);
        self.scratch = out;
        match result {
            Some(more) => {
                let encoding = if high | more { self.encoding(quote + 1) } else { Encoding::Ascii };
                // SAFETY: escapes are UTF-8, and end no sequence that began before them.
                Ok(Chars::Scratch(unsafe { Text::with_encoding(&self.scratch, encoding) }))
            }
            None => Err(self.string_fault(quote)),
        }
    }

    /// Appends the unescaped rest of a string; true if bytes of 0x80 and above are among it. `None` if
    /// something is wrong, which is found by looking again.
    fn unescape(&mut self, out: &mut Vec<u8>) -> Option<bool> {
        let mut high = 0;
        let mut run = 0;
        loop {
            // Room for a block and an escape. The text is never longer than what it is read from.
            if out.capacity() - out.len() < 2 * BLOCK {
                out.reserve(self.left().clamp(2 * BLOCK, out.len().max(256)));
            }
            // SAFETY: blocks are read where a whole one is left, and written into the room made above.
            unsafe {
                let to = out.as_mut_ptr().add(out.len());
                let marks = if self.left() >= BLOCK {
                    to.cast::<[u8; BLOCK]>().write(self.position.cast::<[u8; BLOCK]>().read());
                    scan::marks(self.position)
                } else {
                    let rest = self.rest();
                    copy_short(rest.as_ptr(), to, rest.len());
                    scan::last_marks(self.input(), self.offset())
                };
                high |= marks.high_before();
                if marks.special == 0 {
                    self.advance(BLOCK);
                    out.set_len(out.len() + BLOCK);
                    run += BLOCK;
                    if run >= LONG && self.left() >= 2 * LONG {
                        high |= scan::Mask::from(self.copy_long(out));
                        run = 0;
                    }
                    continue;
                }
                let n = marks.first();
                self.advance(n);
                run = 0;
                let Some(&[b'\\', escape]) = self.rest().first_chunk() else {
                    out.set_len(out.len() + n);
                    if self.peek() != b'"' {
                        return None;
                    }
                    self.advance(1);
                    return Some(high != 0);
                };
                let simple = UNESCAPED[usize::from(escape)];
                if simple != 0 {
                    *to.add(n) = simple;
                    out.set_len(out.len() + n + 1);
                    self.advance(2);
                    continue;
                }
                out.set_len(out.len() + n);
                if escape != b'u' {
                    return None;
                }
            }
            let c = self.unicode_escape()?;
            high |= scan::Mask::from(!c.is_ascii());
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }

    /// Copies the plain bytes that follow, in wide steps; true if high ones are among them.
    #[inline(never)]
    fn copy_long(&mut self, out: &mut Vec<u8>) -> bool {
        let (n, high) = scan::skip_plain(self.rest());
        out.extend_from_slice(&self.rest()[..n]);
        // SAFETY: they were looked at.
        unsafe { self.advance(n) };
        high
    }

    /// Reads a `\u` escape, or two of them that make one character.
    fn unicode_escape(&mut self) -> Option<char> {
        let unit = self.rest().get(2..).and_then(hex4)?;
        // SAFETY: six bytes were looked at.
        unsafe { self.advance(6) };
        let c = match unit {
            0xd800..0xdc00 => self.low_surrogate().map(|low| 0x10000 + ((unit - 0xd800) << 10) + low),
            0xdc00..0xe000 => None,
            _ => Some(unit),
        };
        match c.and_then(char::from_u32) {
            None if self.lone_surrogates == LoneSurrogates::Replace => Some(char::REPLACEMENT_CHARACTER),
            c => c,
        }
    }

    /// Steps over the escape of a low surrogate, if that is what follows, and returns its ten bits.
    fn low_surrogate(&mut self) -> Option<u32> {
        let low = self.rest().strip_prefix(b"\\u").and_then(hex4).filter(|low| (0xdc00..0xe000).contains(low))?;
        // SAFETY: six bytes were looked at.
        unsafe { self.advance(6) };
        Some(low - 0xdc00)
    }

    /// Steps over the string whose opening quote is the next byte, and checks it, its UTF-8 included.
    ///
    /// # Errors
    /// `invalid-syntax`, `truncated`, `lone-surrogate` or `invalid-utf8`.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn skip_string(&mut self) -> Result<(), Error> {
        debug_assert_eq!(self.peek(), b'"');
        let quote = self.offset();
        // SAFETY: the quote is there.
        unsafe { self.advance(1) };
        let mut high = 0;
        loop {
            let marks = if self.left() >= BLOCK {
                // SAFETY: a whole block is left.
                unsafe { scan::marks(self.position) }
            } else {
                scan::last_marks(self.input(), self.offset())
            };
            high |= marks.high_before();
            // SAFETY: `first` is within what is left (padding counts as special); long runs too.
            unsafe {
                if marks.special == 0 {
                    self.advance(BLOCK);
                    if self.offset() - quote > LONG && self.left() >= 2 * LONG {
                        let (n, any) = scan::skip_plain(self.rest());
                        self.advance(n);
                        high |= scan::Mask::from(any);
                    }
                    continue;
                }
                self.advance(marks.first());
            }
            if self.peek() == b'"' {
                break;
            }
            if !self.skip_escape() {
                return Err(self.string_fault(quote));
            }
        }
        if high != 0 && self.encoding(quote + 1) == Encoding::Unchecked && !utf8::is_valid(self.since(quote + 1)) {
            return Err(self.string_fault(quote));
        }
        // SAFETY: the quote is there.
        unsafe { self.advance(1) };
        Ok(())
    }

    /// Steps over an escape; false if it is none, or is wrong.
    #[inline(never)]
    fn skip_escape(&mut self) -> bool {
        let len = match *self.rest() {
            [b'\\', b'"' | b'\\' | b'/' | b'n' | b't' | b'r' | b'b' | b'f', ..] => 2,
            [b'\\', b'u', ref hex @ ..] => match hex4(hex) {
                Some(0xd800..0xdc00) => {
                    // SAFETY: six bytes were looked at.
                    unsafe { self.advance(6) };
                    return self.low_surrogate().is_some() || self.lone_surrogates == LoneSurrogates::Replace;
                }
                Some(0xdc00..0xe000) if self.lone_surrogates == LoneSurrogates::Error => return false,
                Some(_) => 6,
                None => return false,
            },
            _ => return false,
        };
        // SAFETY: as many bytes were looked at.
        unsafe { self.advance(len) };
        true
    }

    /// The first fault of the string whose opening quote is at `quote`.
    #[cold]
    #[inline(never)]
    pub(super) fn string_fault(&self, quote: usize) -> Error {
        let bytes = &self.input()[quote + 1..];
        let (at, fault) = match self.find_fault(bytes) {
            Ok(end) => (end, None),
            Err((at, fault)) => (at, Some(fault)),
        };
        if let Err(e) = core::str::from_utf8(&bytes[..at]) {
            // A sequence that is cut by the end of the input is cut, not wrong.
            if e.error_len().is_some() || at < bytes.len() {
                let bad = quote + 1 + e.valid_up_to();
                return crate::visit::invalid_utf8().at(bad);
            }
        }
        let at = quote + 1 + at;
        match fault {
            Some(Fault::Syntax(expected)) => self.fault_at(at, expected),
            Some(Fault::Surrogate(unit)) => {
                Error::new(Code::LoneSurrogate, message!["\\u", Hex(unit, 4), " is half of a surrogate pair"]).at(at)
            }
            // Not reached: the caller found a fault. An error all the same, never a panic.
            None => self.fault_at(at, "a valid string"),
        }
    }

    /// The end of a string, or the place of its first fault but UTF-8.
    fn find_fault(&self, bytes: &[u8]) -> Result<usize, (usize, Fault)> {
        let mut at = 0;
        loop {
            match bytes.get(at) {
                Some(b'"') => return Ok(at),
                Some(b'\\') => match bytes.get(at + 1) {
                    Some(b'"' | b'\\' | b'/' | b'n' | b't' | b'r' | b'b' | b'f') => at += 2,
                    Some(b'u') => {
                        let unit = self.find_unit(bytes, at)?;
                        let replace = self.lone_surrogates == LoneSurrogates::Replace;
                        match unit {
                            0xdc00..0xe000 if !replace => return Err((at, Fault::Surrogate(unit))),
                            0xd800..0xdc00 if !replace => {
                                let next = &bytes[at + 6..];
                                let low = next.strip_prefix(b"\\u").and_then(hex4);
                                if !low.is_some_and(|low| (0xdc00..0xe000).contains(&low)) {
                                    // Cut short it may still become a pair.
                                    if b"\\u".starts_with(&next[..next.len().min(2)])
                                        && next.len() < 6
                                        && next.iter().skip(2).all(u8::is_ascii_hexdigit)
                                    {
                                        return Err((bytes.len(), Fault::Syntax("the other half of a surrogate pair")));
                                    }
                                    return Err((at, Fault::Surrogate(unit)));
                                }
                                at += 12;
                            }
                            _ => at += 6,
                        }
                    }
                    _ => return Err((at + 1, Fault::Syntax("an escape: one of \"\\/bfnrtu"))),
                },
                Some(0x20..) => at += 1,
                _ => return Err((at, Fault::Syntax("the rest of a string, where control characters are escaped"))),
            }
        }
    }

    /// The unit of a `\u` escape at `at`.
    fn find_unit(&self, bytes: &[u8], at: usize) -> Result<u32, (usize, Fault)> {
        let digits = &bytes[at + 2..];
        hex4(digits).ok_or_else(|| {
            let good = digits.iter().take(4).take_while(|d| d.is_ascii_hexdigit()).count();
            (at + 2 + good, Fault::Syntax("four hexadecimal digits after \\u"))
        })
    }
}

/// What is wrong with a string, by what was expected or the unit that has no other half.
enum Fault {
    Syntax(&'static str),
    Surrogate(u32),
}

const NOT_HEX: u8 = 0xff;
static HEX: [u8; 256] = {
    let mut table = [NOT_HEX; 256];
    let mut i = 0;
    while i < 16 {
        table[b"0123456789abcdef"[i] as usize] = i as u8;
        table[b"0123456789ABCDEF"[i] as usize] = i as u8;
        i += 1;
    }
    table
};

/// The value of the four hexadecimal digits at the front.
#[cfg_attr(not(samewire_smallest), inline(always))]
fn hex4(bytes: &[u8]) -> Option<u32> {
    let &[a, b, c, d] = bytes.first_chunk()?;
    let [a, b, c, d] = [a, b, c, d].map(|c| u32::from(HEX[c as usize]));
    // A digit that is none has all its high bits set.
    if (a | b | c | d) & 0xf0 != 0 {
        return None;
    }
    Some(a << 12 | b << 8 | c << 4 | d)
}
