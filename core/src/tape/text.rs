//! UTF-8 to UTF-16 in one pass that also validates: two passes cost half as much again on short strings.

/// Writes `bytes` as UTF-16 to `out` and returns the number of units, or `None` if they are not UTF-8
/// (Unicode 16, table 3-7).
///
/// # Safety
/// `out` must have room for as many units as there are bytes.
pub unsafe fn utf16(bytes: &[u8], out: *mut u16) -> Option<usize> {
    let len = bytes.len();
    let (mut i, mut n) = (0, 0);
    // SAFETY: i < len at each read by the checks before it; n ≤ i, so the writes are inside the room.
    unsafe {
        let at = |i: usize| u32::from(*bytes.get_unchecked(i));
        let put = |n: usize, unit: u32| *out.add(n) = unit as u16;
        let is_tail = |byte: u32| byte & 0xc0 == 0x80;
        while i < len {
            let a = at(i);
            if a < 0x80 {
                put(n, a);
                i += 1;
                n += 1;
            } else if a < 0xe0 {
                if a < 0xc2 || len - i < 2 || !is_tail(at(i + 1)) {
                    return None;
                }
                put(n, (a & 0x1f) << 6 | at(i + 1) & 0x3f);
                i += 2;
                n += 1;
            } else if a < 0xf0 {
                if len - i < 3 {
                    return None;
                }
                let (b, c) = (at(i + 1), at(i + 2));
                let scalar = (a & 0xf) << 12 | (b & 0x3f) << 6 | c & 0x3f;
                if !is_tail(b) || !is_tail(c) || scalar < 0x800 || scalar & 0xf800 == 0xd800 {
                    return None;
                }
                put(n, scalar);
                i += 3;
                n += 1;
            } else {
                if a > 0xf4 || len - i < 4 {
                    return None;
                }
                let (b, c, d) = (at(i + 1), at(i + 2), at(i + 3));
                let scalar = (a & 7) << 18 | (b & 0x3f) << 12 | (c & 0x3f) << 6 | d & 0x3f;
                if !is_tail(b) || !is_tail(c) || !is_tail(d) || !(0x1_0000..=0x10_ffff).contains(&scalar) {
                    return None;
                }
                let pair = scalar - 0x1_0000;
                put(n, 0xd800 | pair >> 10);
                put(n + 1, 0xdc00 | pair & 0x3ff);
                i += 4;
                n += 2;
            }
        }
    }
    Some(n)
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    fn convert(bytes: &[u8]) -> Option<Vec<u16>> {
        let mut out = alloc::vec![0; bytes.len()];
        // SAFETY: as many units as bytes.
        let n = unsafe { utf16(bytes, out.as_mut_ptr()) }?;
        out.truncate(n);
        Some(out)
    }

    #[test]
    fn agrees_with_the_standard_library() {
        // Every lead byte with tails at the edges of every range, whole and cut short.
        let edges = [0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff];
        for a in 0..=255u8 {
            for b in edges {
                for c in edges {
                    for d in [0x41, 0x7f, 0x80, 0xbf, 0xc0] {
                        let bytes = [a, b, c, d];
                        for n in 1..=4 {
                            let want = core::str::from_utf8(&bytes[..n]).ok().map(|s| s.encode_utf16().collect());
                            assert_eq!(convert(&bytes[..n]), want, "{:x?}", &bytes[..n]);
                        }
                    }
                }
            }
        }
    }
}
