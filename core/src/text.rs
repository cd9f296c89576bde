//! Short texts made of pieces, for messages. What the language has for that is ten kilobytes of machine code once it is
//! used, and a table at each place of use; a message is none of its fine points' business.

use alloc::string::String;

use crate::buffer::Buffer;
use crate::number;

/// `text!["a map has ", n, " keys"]`: a `String` of its pieces.
macro_rules! text {
    ($($piece:expr),* $(,)?) => {{
        let mut text = alloc::string::String::new();
        $($crate::text::Piece::add(&$piece, &mut text);)*
        text
    }};
}

/// `text!` for what only an error says, which the smallest build leaves out.
macro_rules! message {
    ($($piece:expr),* $(,)?) => {{
        #[cfg(not(samewire_smallest))]
        let text = text![$($piece),*];
        #[cfg(samewire_smallest)]
        let text = {
            // Not evaluated, only used.
            let _ = || { $(let _ = &$piece;)* };
            ""
        };
        text
    }};
}

/// What a text can be made of.
pub(crate) trait Piece {
    fn add(&self, text: &mut String);
}

impl Piece for str {
    #[inline(never)]
    fn add(&self, text: &mut String) {
        text.push_str(self);
    }
}

impl Piece for String {
    fn add(&self, text: &mut String) {
        (**self).add(text);
    }
}

impl Piece for char {
    fn add(&self, text: &mut String) {
        text.push(*self);
    }
}

impl<P: Piece + ?Sized> Piece for &P {
    #[cfg_attr(not(samewire_compact), inline(always))]
    fn add(&self, text: &mut String) {
        (**self).add(text);
    }
}

impl Piece for i64 {
    #[inline(never)]
    fn add(&self, text: &mut String) {
        if *self < 0 {
            text.push('-');
        }
        self.unsigned_abs().add(text);
    }
}

impl Piece for u64 {
    #[inline(never)]
    fn add(&self, text: &mut String) {
        let mut digits = Buffer::with_capacity(number::TEXT_ROOM);
        // SAFETY: the room is there.
        unsafe { number::put_uint(*self, &mut digits) };
        text.extend(digits.as_slice().iter().map(|&digit| char::from(digit)));
    }
}

macro_rules! widened {
    ($($narrow:ty as $wide:ty),*) => {$(
        impl Piece for $narrow {
            #[cfg_attr(not(samewire_compact), inline(always))]
            fn add(&self, text: &mut String) {
                (*self as $wide).add(text);
            }
        }
    )*};
}
widened!(u8 as u64, u32 as u64, usize as u64, i8 as i64, i32 as i64);

/// In double quotes, with what would not be seen or not be understood escaped.
pub(crate) struct Quoted<'t>(pub &'t str);

impl Piece for Quoted<'_> {
    fn add(&self, text: &mut String) {
        text.push('"');
        for c in self.0.chars() {
            match c {
                '"' | '\\' => {
                    text.push('\\');
                    text.push(c);
                }
                '\n' => text.push_str("\\n"),
                '\r' => text.push_str("\\r"),
                '\t' => text.push_str("\\t"),
                '\0'..' ' | '\x7f'..'\u{a0}' | '\u{2028}'..'\u{202f}' => {
                    text.push_str("\\u{");
                    Hex(c as u32, 2).add(text);
                    text.push('}');
                }
                _ => text.push(c),
            }
        }
        text.push('"');
    }
}

/// In hexadecimal, so many digits at least.
pub(crate) struct Hex(pub u32, pub u32);

impl Piece for Hex {
    fn add(&self, text: &mut String) {
        let digits = (35 - (self.0 | 1).leading_zeros()) / 4;
        for i in (0..digits.max(self.1)).rev() {
            text.extend(char::from_digit(self.0 >> (4 * i) & 15, 16));
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    #[test]
    fn pieces_are_what_format_makes_of_them() {
        for n in [0, 9, 10, 99, 12_345, u64::MAX] {
            assert_eq!(text!["a ", n, " b ", n as i64, ' ', n as u32], format!("a {n} b {} {}", n as i64, n as u32));
        }
        assert_eq!(text![i64::MIN], format!("{}", i64::MIN));
        for c in [0, 1, 0x0f, 0x10, 0x7f, 0xff, 0x100, 0xfff, 0x1000, 0x2028, u32::MAX] {
            assert_eq!(text![Hex(c, 2)], format!("{c:02x}"));
        }
        for plain in ["", "a \"b\" \\c\n\t\r\0", "é…😀"] {
            assert_eq!(text![Quoted(plain)], format!("{plain:?}").replace("\\0", "\\u{00}"));
        }
        assert_eq!(text![Quoted("\u{2028}\u{85}")], "\"\\u{2028}\\u{85}\"");
    }
}
