//! Writes strings with the escapes that JSON needs and no others: `\"`, `\\`, the five with a letter of their
//! own, and `\u00xx` for the other control characters.

use super::scan::{self, BLOCK, LONG};
use crate::buffer::{Buffer, SLACK};
use crate::text::Hex;

/// The escape of each byte that has one, and its length in the last place.
static ESCAPES: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let hex = b"0123456789abcdef";
    let mut i = 0;
    while i < 0x20 {
        table[i] = [b'\\', b'u', b'0', b'0', hex[i >> 4], hex[i & 15], 0, 6];
        i += 1;
    }
    let short = b"\"\"\\\\\nn\rr\tt\x08b\x0cf";
    let mut i = 0;
    while i < short.len() {
        table[short[i] as usize] = [b'\\', short[i + 1], 0, 0, 0, 0, 0, 2];
        i += 2;
    }
    table
};

/// Writes a string and its quotes.
#[cfg_attr(not(samewire_compact), inline(always))]
pub fn write(text: &str, out: &mut Buffer) {
    let bytes = text.as_bytes();
    out.reserve(bytes.len() + 2);
    // SAFETY: room for all and the quotes is reserved, and again after each escape.
    unsafe {
        if bytes.len() < BLOCK && !scan::any_special(bytes) {
            let mut pen = out.pen();
            pen.put(b'"');
            pen.put_slice(bytes);
            pen.put(b'"');
            out.lay(pen);
            return;
        }
        out.put(b'"');
        if bytes.len() >= BLOCK {
            put_blocks(bytes, out);
        } else {
            put_escaped(bytes, out);
        }
        out.put(b'"');
    }
}

/// The content of a string of at least a block.
///
/// # Safety
/// `bytes.len() + 1` bytes must be reserved; one is left of them.
#[cfg_attr(not(samewire_compact), inline(always))]
unsafe fn put_blocks(bytes: &[u8], out: &mut Buffer) {
    let mut rest = bytes;
    // Plain bytes since the last escape: wide steps do not pay between close escapes.
    let mut run = 0;
    // SAFETY: as much room is reserved as `rest` has bytes, and SLACK, which is more than a block.
    unsafe {
        while rest.len() >= BLOCK {
            let marks = scan::marks(rest.as_ptr());
            let to = out.position().cast::<[u8; BLOCK]>();
            to.write(rest.as_ptr().cast::<[u8; BLOCK]>().read());
            if marks.special == 0 {
                out.advance(BLOCK);
                rest = rest.get_unchecked(BLOCK..);
                run += BLOCK;
                if run >= LONG && rest.len() >= 2 * LONG {
                    let n = scan::copy_plain(rest, out.position());
                    out.advance(n);
                    rest = rest.get_unchecked(n..);
                    run = 0;
                }
                continue;
            }
            let n = marks.first();
            out.advance(n);
            put_escape(*rest.get_unchecked(n), rest.len() - n, out);
            rest = rest.get_unchecked(n + 1..);
            run = 0;
        }
        if rest.is_empty() {
            return;
        }
        // The last bytes again with some before them, so that nothing outside is read.
        let marks = scan::marks(bytes.as_ptr().add(bytes.len() - BLOCK));
        if marks.special >> (scan::STEP * (BLOCK - rest.len()) as u32) == 0 {
            out.put_slice(rest);
        } else {
            put_escaped(rest, out);
        }
    }
}

/// Bytes one by one.
///
/// # Safety
/// `bytes.len() + 1` bytes must be reserved; one is left of them.
#[inline(never)]
unsafe fn put_escaped(bytes: &[u8], out: &mut Buffer) {
    for (i, &byte) in bytes.iter().enumerate() {
        // SAFETY: as much room is reserved as bytes are left.
        unsafe {
            if scan::is_special(byte) {
                put_escape(byte, bytes.len() - i, out);
            } else {
                out.put(byte);
            }
        }
    }
}

/// One escape, and room for the `left` bytes from it on, and for one more.
///
/// # Safety
/// [`SLACK`] bytes of room must be there.
#[cfg_attr(not(samewire_compact), inline(always))]
unsafe fn put_escape(byte: u8, left: usize, out: &mut Buffer) {
    const { assert!(SLACK >= 8) };
    let escape = &ESCAPES[usize::from(byte)];
    // SAFETY: eight bytes fit into the slack, and then room is made again.
    unsafe {
        out.position().cast::<[u8; 8]>().write(*escape);
        out.advance(usize::from(escape[7]));
    }
    out.reserve(left + 1);
}

/// The same with `<`, `>`, `&`, U+2028 and U+2029 escaped, too.
#[cold]
#[inline(never)]
pub fn write_for_html(text: &str, out: &mut Buffer) {
    let special = |c: char| c < ' ' || matches!(c, '"' | '\\' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}');
    out.extend(b"\"");
    let mut rest = text;
    while let Some(at) = rest.find(special) {
        let (plain, from) = rest.split_at(at);
        out.extend(plain.as_bytes());
        let c = from.chars().next().unwrap_or_default();
        match u8::try_from(c) {
            Ok(byte) if scan::is_special(byte) => {
                let escape = &ESCAPES[usize::from(byte)];
                out.extend(&escape[..usize::from(escape[7])]);
            }
            _ => out.extend(text!["\\u", Hex(c as u32, 4)].as_bytes()),
        }
        rest = &from[c.len_utf8()..];
    }
    out.extend(rest.as_bytes());
    out.extend(b"\"");
}
