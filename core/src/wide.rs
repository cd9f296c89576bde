//! UTF-8 to the widths that hosts keep their strings in, validated in the same pass.
//!
//! Hosts do not store UTF-8: CPython keeps one, two or four bytes a code point, JavaScript engines one byte or
//! UTF-16. A first look ([`measure`]) finds how many there will be and how wide; [`to_latin1`], [`to_utf16`]
//! and [`to_utf32`] then write them and refuse what is not UTF-8 (Unicode 16, table 3-7).
//!
//! Runs of one script are taken by vector where the CPU has it; what is left goes one code point at a time.

/// The width that the widest code point needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Width {
    /// Below 0x80.
    Ascii,
    /// Below 0x100.
    Latin1,
    /// Below 0x10000.
    Bmp,
    /// Up to 0x10ffff.
    Astral,
}

/// What [`measure`] finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measure {
    /// Code points, if the text is UTF-8; never more than its bytes.
    pub code_points: usize,
    /// Of the widest code point, if the text is UTF-8.
    pub width: Width,
}

/// Counts code points and finds the width, without validating: one pass of adds and maxima.
#[inline]
pub fn measure(bytes: &[u8]) -> Measure {
    let (mut continuation, mut top) = (0usize, 0u8);
    // Blocks of at most 255 bytes keep the count in bytes, which the compiler turns into vectors.
    for block in bytes.chunks(128) {
        let mut count = 0u8;
        for &b in block {
            count += u8::from(b.cast_signed() < -0x40);
            top = top.max(b);
        }
        continuation += usize::from(count);
    }
    let width = match top {
        0..0x80 => Width::Ascii,
        0x80..0xc4 => Width::Latin1,
        0xc4..0xf0 => Width::Bmp,
        _ => Width::Astral,
    };
    Measure { code_points: bytes.len() - continuation, width }
}

/// Extra units that the writers below may write over past the last one.
pub const SLACK: usize = 16;

/// A unit of output.
trait Unit: Copy {
    fn low(code_point: u32) -> Self;
    /// Writes one code point above 0xffff; returns units written.
    ///
    /// # Safety
    /// Two units of room.
    unsafe fn astral(code_point: u32, to: *mut Self) -> usize;
    /// Writes the ASCII at the front of 16 bytes; returns how many those are, at least one.
    ///
    /// # Safety
    /// 16 bytes at `from`, the first of them ASCII, and room for 16 units.
    unsafe fn ascii_run(from: *const u8, to: *mut Self) -> usize;
}

/// How many of 16 bytes at the front are below 0x80.
///
/// # Safety
/// 16 bytes at `from`.
#[cfg_attr(not(samewire_compact), inline(always))]
unsafe fn ascii_prefix(from: *const u8) -> usize {
    // SAFETY: the caller's.
    let words = unsafe { from.cast::<[u64; 2]>().read_unaligned() };
    let (low, high) = (words[0].to_le() & 0x8080_8080_8080_8080, words[1].to_le() & 0x8080_8080_8080_8080);
    if low != 0 { low.trailing_zeros() as usize / 8 } else { 8 + high.trailing_zeros() as usize / 8 }
}

/// 16 bytes, each in its own unit. By hand where the compiler does not see the vector.
///
/// # Safety
/// 16 bytes at `from`, room for 16 units.
#[cfg_attr(not(samewire_compact), inline(always))]
unsafe fn widen_16(from: *const u8, to: *mut u16) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE2 is part of x86-64; the memory is the caller's.
    unsafe {
        use core::arch::x86_64::*;
        let (v, zero) = (_mm_loadu_si128(from.cast()), _mm_setzero_si128());
        _mm_storeu_si128(to.cast(), _mm_unpacklo_epi8(v, zero));
        _mm_storeu_si128(to.add(8).cast(), _mm_unpackhi_epi8(v, zero));
    }
    #[cfg(not(target_arch = "x86_64"))]
    // SAFETY: the memory is the caller's.
    unsafe {
        let bytes = from.cast::<[u8; 16]>().read();
        to.cast::<[u16; 16]>().write_unaligned(bytes.map(u16::from));
    }
}

impl Unit for u8 {
    #[cfg_attr(not(samewire_compact), inline(always))]
    fn low(code_point: u32) -> u8 {
        code_point as u8
    }
    #[cfg_attr(not(samewire_compact), inline(always))]
    unsafe fn astral(_: u32, _: *mut u8) -> usize {
        0
    }
    #[cfg_attr(not(samewire_compact), inline(always))]
    unsafe fn ascii_run(from: *const u8, to: *mut u8) -> usize {
        // SAFETY: the caller's.
        unsafe {
            to.cast::<[u8; 16]>().write(from.cast::<[u8; 16]>().read());
            ascii_prefix(from)
        }
    }
}

impl Unit for u16 {
    #[cfg_attr(not(samewire_compact), inline(always))]
    fn low(code_point: u32) -> u16 {
        code_point as u16
    }
    #[cfg_attr(not(samewire_compact), inline(always))]
    unsafe fn astral(code_point: u32, to: *mut u16) -> usize {
        let c = code_point - 0x10000;
        // SAFETY: two units of room.
        unsafe {
            *to = 0xd800 | (c >> 10) as u16;
            *to.add(1) = 0xdc00 | (c & 0x3ff) as u16;
        }
        2
    }
    #[cfg_attr(not(samewire_compact), inline(always))]
    unsafe fn ascii_run(from: *const u8, to: *mut u16) -> usize {
        // SAFETY: the caller's.
        unsafe {
            widen_16(from, to);
            ascii_prefix(from)
        }
    }
}

impl Unit for u32 {
    #[cfg_attr(not(samewire_compact), inline(always))]
    fn low(code_point: u32) -> u32 {
        code_point
    }
    #[cfg_attr(not(samewire_compact), inline(always))]
    unsafe fn astral(code_point: u32, to: *mut u32) -> usize {
        // SAFETY: two units of room.
        unsafe { *to = code_point };
        1
    }
    #[cfg_attr(not(samewire_compact), inline(always))]
    unsafe fn ascii_run(from: *const u8, to: *mut u32) -> usize {
        // SAFETY: the caller's.
        unsafe {
            to.cast::<[u32; 16]>().write_unaligned(from.cast::<[u8; 16]>().read().map(u32::from));
            ascii_prefix(from)
        }
    }
}

/// Writes Latin-1 (ISO 8859-1). Returns the units written, `None` if the text is not UTF-8.
///
/// # Safety
/// `to` must have room for the text's code points and [`SLACK`], and [`measure`] must have said at most
/// [`Width::Latin1`].
pub unsafe fn to_latin1(bytes: &[u8], to: *mut u8) -> Option<usize> {
    // SAFETY: the caller's.
    unsafe { convert::<u8>(bytes, to) }
}

/// Writes UTF-16 (or UCS-2, where nothing is astral). Returns the units written, `None` if the text is not
/// UTF-8.
///
/// # Safety
/// `to` must have room for as many units as the text has bytes, and [`SLACK`]; where [`measure`] said at most
/// [`Width::Bmp`], for its code points and [`SLACK`].
pub unsafe fn to_utf16(bytes: &[u8], to: *mut u16) -> Option<usize> {
    // SAFETY: the caller's.
    unsafe { convert::<u16>(bytes, to) }
}

/// Writes UTF-32. Returns the units written, `None` if the text is not UTF-8.
///
/// # Safety
/// `to` must have room for the text's code points and [`SLACK`].
pub unsafe fn to_utf32(bytes: &[u8], to: *mut u32) -> Option<usize> {
    // SAFETY: the caller's.
    unsafe { convert::<u32>(bytes, to) }
}

#[cfg_attr(not(samewire_compact), inline(always))]
unsafe fn convert<U: Unit>(bytes: &[u8], to: *mut U) -> Option<usize> {
    let (mut p, end) = (bytes.as_ptr(), bytes.as_ptr_range().end);
    let mut out = to;
    // SAFETY: reads are guarded by `left`, writes by the caller's room: a code point takes at least as many
    // bytes as it takes units, and runs write at most SLACK units past their start.
    unsafe {
        while p < end {
            let left = end as usize - p as usize;
            let b = *p;
            if b < 0x80 {
                // A lone blank between words of another script is not worth a run.
                if left >= 16 && *p.add(1) < 0x80 {
                    let n = U::ascii_run(p, out);
                    p = p.add(n);
                    out = out.add(n);
                    continue;
                }
                *out = U::low(u32::from(b));
                p = p.add(1);
                out = out.add(1);
            } else if b < 0xe0 {
                if left >= 8 {
                    let word = u64::from_le(p.cast::<u64>().read_unaligned());
                    // Four pairs of 110xxxxx 10xxxxxx, none of them overlong.
                    let lead = word & 0x001e_001e_001e_001e;
                    let not_overlong = (lead + 0x7fff_7fff_7fff_7fff) & 0x8000_8000_8000_8000;
                    if word & 0xc0e0_c0e0_c0e0_c0e0 == 0x80c0_80c0_80c0_80c0 && not_overlong == 0x8000_8000_8000_8000 {
                        let units = (word & 0x001f_001f_001f_001f) << 6 | word >> 8 & 0x003f_003f_003f_003f;
                        for i in 0..4 {
                            *out.add(i) = U::low(u32::from((units >> (16 * i)) as u16));
                        }
                        p = p.add(8);
                        out = out.add(4);
                        continue;
                    }
                }
                if b < 0xc2 || left < 2 || *p.add(1) & 0xc0 != 0x80 {
                    return None;
                }
                *out = U::low((u32::from(b) & 0x1f) << 6 | u32::from(*p.add(1)) & 0x3f);
                p = p.add(2);
                out = out.add(1);
            } else if b < 0xf0 {
                if size_of::<U>() == 2
                    && left >= 16
                    && let Some((taken, written)) = run::three_bytes(p, left, out.cast())
                {
                    p = p.add(taken);
                    out = out.add(written);
                    continue;
                }
                if left < 3 || *p.add(1) & 0xc0 != 0x80 || *p.add(2) & 0xc0 != 0x80 {
                    return None;
                }
                let c = (u32::from(b) & 15) << 12 | (u32::from(*p.add(1)) & 0x3f) << 6 | u32::from(*p.add(2)) & 0x3f;
                if c < 0x800 || c & 0xf800 == 0xd800 {
                    return None;
                }
                *out = U::low(c);
                p = p.add(3);
                out = out.add(1);
            } else {
                if left < 4 || *p.add(1) & 0xc0 != 0x80 || *p.add(2) & 0xc0 != 0x80 || *p.add(3) & 0xc0 != 0x80 {
                    return None;
                }
                let c = (u32::from(b) & 7) << 18
                    | (u32::from(*p.add(1)) & 0x3f) << 12
                    | (u32::from(*p.add(2)) & 0x3f) << 6
                    | u32::from(*p.add(3)) & 0x3f;
                if b > 0xf4 || !(0x10000..0x110000).contains(&c) {
                    return None;
                }
                out = out.add(U::astral(c, out));
                p = p.add(4);
            }
        }
        Some((out as usize - to as usize) / size_of::<U>())
    }
}

/// Runs of three-byte characters (most of CJK), four at a time.
#[cfg(target_arch = "x86_64")]
mod run {
    use core::arch::x86_64::*;

    #[cfg(feature = "std")]
    fn has_sse41() -> bool {
        std::is_x86_feature_detected!("sse4.1")
    }
    #[cfg(not(feature = "std"))]
    fn has_sse41() -> bool {
        cfg!(target_feature = "sse4.1")
    }

    /// Bytes taken and units written, or `None` where the next four characters are not all of three bytes,
    /// or not valid: the caller then takes one.
    ///
    /// # Safety
    /// `left ≥ 16` bytes at `p`; `left / 3 + 8` units of room at `out`.
    #[cfg_attr(not(samewire_compact), inline(always))]
    pub(super) unsafe fn three_bytes(p: *const u8, left: usize, out: *mut u16) -> Option<(usize, usize)> {
        // Only long runs pay for the call.
        // SAFETY: 16 bytes are there; the features are checked.
        unsafe {
            if *p.add(3) & 0xf0 != 0xe0 || *p.add(6) & 0xf0 != 0xe0 || *p.add(9) & 0xf0 != 0xe0 || !has_sse41() {
                return None;
            }
            let n = long_run(p, left, out);
            if n == 0 { None } else { Some((n * 3, n)) }
        }
    }

    /// # Safety
    /// As above, and the CPU must have SSE 4.1.
    #[target_feature(enable = "sse4.1,ssse3")]
    unsafe fn long_run(p: *const u8, left: usize, out: *mut u16) -> usize {
        let mask = _mm_setr_epi8(-16, -64, -64, -16, -64, -64, -16, -64, -64, -16, -64, -64, 0, 0, 0, 0);
        let form = _mm_setr_epi8(-32, -128, -128, -32, -128, -128, -32, -128, -128, -32, -128, -128, 0, 0, 0, 0);
        let lanes = _mm_setr_epi8(2, 1, 0, -1, 5, 4, 3, -1, 8, 7, 6, -1, 11, 10, 9, -1);
        let (f800, d800, least) = (_mm_set1_epi32(0xf800), _mm_set1_epi32(0xd800), _mm_set1_epi32(0x800));
        let mut n = 0;
        // SAFETY: 16 bytes are read while at least 16 are left; four units are written for twelve bytes.
        unsafe {
            while left - 3 * n >= 16 {
                let v = _mm_loadu_si128(p.add(3 * n).cast());
                if _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_and_si128(v, mask), form)) != 0xffff {
                    break;
                }
                let x = _mm_shuffle_epi8(v, lanes);
                let c = _mm_or_si128(
                    _mm_or_si128(
                        _mm_and_si128(x, _mm_set1_epi32(0x3f)),
                        _mm_and_si128(_mm_srli_epi32(x, 2), _mm_set1_epi32(0xfc0)),
                    ),
                    _mm_and_si128(_mm_srli_epi32(x, 4), _mm_set1_epi32(0xf000)),
                );
                let bad = _mm_or_si128(_mm_cmplt_epi32(c, least), _mm_cmpeq_epi32(_mm_and_si128(c, f800), d800));
                if _mm_movemask_epi8(bad) != 0 {
                    break;
                }
                _mm_storel_epi64(out.add(n).cast(), _mm_packus_epi32(c, c));
                n += 4;
            }
        }
        n
    }
}

/// Runs of three-byte characters (most of CJK), four at a time.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod run {
    use core::arch::wasm32::*;

    /// Bytes taken and units written, or `None` where the next four characters are not all of three bytes,
    /// or not valid: the caller then takes one.
    ///
    /// # Safety
    /// `left ≥ 16` bytes at `p`; `left / 3 + 8` units of room at `out`.
    #[cfg_attr(not(samewire_compact), inline(always))]
    pub(super) unsafe fn three_bytes(p: *const u8, left: usize, out: *mut u16) -> Option<(usize, usize)> {
        let mask = i8x16(-16, -64, -64, -16, -64, -64, -16, -64, -64, -16, -64, -64, 0, 0, 0, 0);
        let form = i8x16(-32, -128, -128, -32, -128, -128, -32, -128, -128, -32, -128, -128, 0, 0, 0, 0);
        let lanes = i8x16(2, 1, 0, 16, 5, 4, 3, 16, 8, 7, 6, 16, 11, 10, 9, 16);
        let mut n = 0;
        // SAFETY: 16 bytes are read while at least 16 are left; eight bytes are written for twelve.
        unsafe {
            while left - 3 * n >= 16 {
                let v = v128_load(p.add(3 * n).cast());
                if !i8x16_all_true(i8x16_eq(v128_and(v, mask), form)) {
                    break;
                }
                let x = i8x16_swizzle(v, lanes);
                let c = v128_or(
                    v128_or(v128_and(x, u32x4_splat(0x3f)), v128_and(u32x4_shr(x, 2), u32x4_splat(0xfc0))),
                    v128_and(u32x4_shr(x, 4), u32x4_splat(0xf000)),
                );
                let surrogate = u32x4_eq(v128_and(c, u32x4_splat(0xf800)), u32x4_splat(0xd800));
                if v128_any_true(v128_or(u32x4_lt(c, u32x4_splat(0x800)), surrogate)) {
                    break;
                }
                v128_store64_lane::<0>(u16x8_narrow_i32x4(c, c), out.add(n).cast());
                n += 4;
            }
        }
        if n == 0 { None } else { Some((n * 3, n)) }
    }
}

#[cfg(not(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128"))))]
mod run {
    /// No vectors here: the caller takes one character at a time.
    ///
    /// # Safety
    /// None needed.
    #[cfg_attr(not(samewire_compact), inline(always))]
    pub(super) unsafe fn three_bytes(_: *const u8, _: usize, _: *mut u16) -> Option<(usize, usize)> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use alloc::vec;
    use alloc::vec::Vec;

    fn utf16(bytes: &[u8]) -> Option<Vec<u16>> {
        let mut out = vec![0; bytes.len() + SLACK];
        // SAFETY: room for every byte and the slack.
        let n = unsafe { to_utf16(bytes, out.as_mut_ptr()) }?;
        out.truncate(n);
        Some(out)
    }

    fn utf32(bytes: &[u8]) -> Option<Vec<u32>> {
        let mut out = vec![0; bytes.len() + SLACK];
        // SAFETY: room for every byte and the slack.
        let n = unsafe { to_utf32(bytes, out.as_mut_ptr()) }?;
        out.truncate(n);
        Some(out)
    }

    fn check(bytes: &[u8]) {
        let expected = core::str::from_utf8(bytes).ok();
        assert_eq!(utf16(bytes), expected.map(|s| s.encode_utf16().collect()), "{bytes:x?}");
        assert_eq!(utf32(bytes), expected.map(|s| s.chars().map(u32::from).collect()), "{bytes:x?}");
        if let Some(s) = expected {
            let m = measure(bytes);
            assert_eq!(m.code_points, s.chars().count());
            let top = s.chars().map(u32::from).max().unwrap_or(0);
            let width = match top {
                0..0x80 => Width::Ascii,
                0x80..0x100 => Width::Latin1,
                0x100..0x10000 => Width::Bmp,
                _ => Width::Astral,
            };
            assert_eq!(m.width, width, "{s:?}");
            if width <= Width::Latin1 {
                let mut out = vec![0; bytes.len() + SLACK];
                // SAFETY: room for every byte and the slack.
                let n = unsafe { to_latin1(bytes, out.as_mut_ptr()) }.unwrap();
                assert!(out[..n].iter().map(|&b| char::from(b)).eq(s.chars()));
            }
        }
    }

    #[test]
    fn equals_std_on_texts_of_many_scripts() {
        for s in [
            "",
            "a",
            "hello, world, this is long enough",
            "é",
            "naïve café München",
            "Привет, мир и все остальные",
            "東京都千代田区丸の内一丁目九番一号から来ました",
            "emoji 😀😀 and 👩‍👩‍👧",
            "ÿ\u{100}\u{7ff}\u{800}\u{ffff}\u{10000}\u{10ffff}",
        ] {
            for repeat in 1..5 {
                let text: String = s.repeat(repeat);
                check(text.as_bytes());
                for cut in 0..text.len().min(80) {
                    check(&text.as_bytes()[cut..]);
                    check(&text.as_bytes()[..cut]);
                }
            }
        }
    }

    #[test]
    fn refuses_every_broken_byte_in_a_long_run() {
        let text = "東京都千代田区丸の内一丁目九番一号".repeat(2);
        for at in 0..text.len() {
            for byte in [0x00, 0x41, 0x80, 0xbf, 0xc0, 0xc1, 0xc3, 0xe0, 0xed, 0xf0, 0xf5, 0xff] {
                let mut bytes = text.clone().into_bytes();
                bytes[at] = byte;
                check(&bytes);
            }
        }
        // Overlong forms and surrogates inside runs that are otherwise of three bytes.
        for bad in [[0xe0, 0x9f, 0xbf], [0xed, 0xa0, 0x80], [0xed, 0xbf, 0xbf]] {
            for at in (0..48).step_by(3) {
                let mut bytes = text.clone().into_bytes();
                bytes[at..at + 3].copy_from_slice(&bad);
                check(&bytes);
            }
        }
    }

    #[test]
    fn equals_std_on_every_pair_of_lead_and_continuation() {
        for a in 0x80..=0xffu8 {
            for b in 0..=0xffu8 {
                check(&[a, b]);
                check(&[a, b, 0x80]);
                check(&[a, b, 0x80, 0xbf]);
            }
        }
    }
}
