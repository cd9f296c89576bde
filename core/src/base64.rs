//! Base64 by RFC 4648 §4: the standard alphabet, padded. Nothing else is read or written.

use alloc::vec::Vec;

use crate::buffer::Buffer;
use crate::error::{Code, Error};

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BAD: u8 = 0xff;
static VALUES: [u8; 256] = {
    let mut table = [BAD; 256];
    let mut i = 0;
    while i < 64 {
        table[ALPHABET[i] as usize] = i as u8;
        i += 1;
    }
    table
};

/// Bytes of text that `n` bytes become.
pub const fn encoded_len(n: usize) -> usize {
    n.div_ceil(3) * 4
}

/// Appends the text of `bytes`.
pub fn encode(bytes: &[u8], out: &mut Buffer) {
    out.reserve(encoded_len(bytes.len()));
    let letter = |bits: u32| ALPHABET[(bits & 63) as usize];
    let chunks = bytes.chunks_exact(3);
    let rest = chunks.remainder();
    for c in chunks {
        let v = u32::from(c[0]) << 16 | u32::from(c[1]) << 8 | u32::from(c[2]);
        // SAFETY: four bytes for three were reserved.
        unsafe { out.put_array([letter(v >> 18), letter(v >> 12), letter(v >> 6), letter(v)]) };
    }
    let tail = match *rest {
        [a] => [letter(u32::from(a) >> 2), letter(u32::from(a) << 4), b'=', b'='],
        [a, b] => {
            let v = u32::from(a) << 8 | u32::from(b);
            [letter(v >> 10), letter(v >> 4), letter(v << 2), b'=']
        }
        _ => return,
    };
    // SAFETY: the last four bytes of the room reserved above.
    unsafe { out.put_array(tail) };
}

/// The bytes that `text` stands for.
///
/// # Errors
/// `invalid-base64`: a byte outside the alphabet, a length that is no multiple of four, padding elsewhere
/// than at the end, or bits after the end that are not zero (RFC 4648 §3.5).
pub fn decode(text: &[u8]) -> Result<Vec<u8>, Error> {
    if !text.len().is_multiple_of(4) {
        return Err(invalid("its length is not a multiple of four"));
    }
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let padding = text.iter().rev().take(2).take_while(|&&c| c == b'=').count();
    let (full, last) = text.split_at(if padding > 0 { text.len() - 4 } else { text.len() });
    for quad in full.chunks_exact(4) {
        let v = [quad[0], quad[1], quad[2], quad[3]].map(|c| VALUES[c as usize]);
        if v.contains(&BAD) {
            return Err(invalid("a byte is outside the alphabet"));
        }
        let v = v.iter().fold(0u32, |all, &v| all << 6 | u32::from(v));
        bytes.extend_from_slice(&v.to_be_bytes()[1..]);
    }
    if padding > 0 {
        let mut v = 0u32;
        for &c in &last[..4 - padding] {
            if VALUES[c as usize] == BAD {
                return Err(invalid("a byte is outside the alphabet"));
            }
            v = v << 6 | u32::from(VALUES[c as usize]);
        }
        let unused = if padding == 1 { 2 } else { 4 };
        if v & ((1 << unused) - 1) != 0 {
            return Err(invalid("the unused bits before the padding are not zero"));
        }
        v >>= unused;
        if padding == 1 {
            bytes.push((v >> 8) as u8);
        }
        bytes.push(v as u8);
    }
    Ok(bytes)
}

fn invalid(reason: &'static str) -> Error {
    Error::new(Code::InvalidBase64, message!["not base64 (RFC 4648 §4, padded): ", reason])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> Vec<u8> {
        let mut b = Buffer::with_capacity(0);
        encode(bytes, &mut b);
        b.into_vec()
    }

    #[test]
    fn rfc_4648_section_10() {
        for (bytes, expected) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(text(bytes.as_bytes()), expected.as_bytes());
            assert_eq!(decode(expected.as_bytes()).unwrap(), bytes.as_bytes());
        }
    }

    #[test]
    fn refuses_what_is_not_padded_or_not_canonical() {
        for bad in ["Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Z===", "====", "Zm 9", "Zm-_", "Zg==Zg=="] {
            assert_eq!(decode(bad.as_bytes()).unwrap_err().code(), Code::InvalidBase64, "{bad}");
        }
    }

    #[test]
    fn every_length_round_trips() {
        let bytes: Vec<u8> = (0..=255).collect();
        for n in 0..bytes.len() {
            assert_eq!(decode(&text(&bytes[..n])).unwrap(), &bytes[..n]);
        }
    }
}
