//! Finds the bytes that end a plain run of a JSON string: `"`, `\` and what is below 0x20, a block at a time.
//!
//! [`marks`] looks at one block with the instructions that every machine of the target has (SSE2, NEON, wasm
//! simd128, else a machine word); [`skip_plain`] takes long runs in wider steps where the machine has AVX2.
//! Nothing here reads outside its arguments: who has less than a block left calls [`last_marks`].

/// What [`marks`] found in a block: one bit for each byte, or one bit of each group of [`STEP`] bits.
#[derive(Clone, Copy)]
pub struct Marks {
    /// Bytes that end a plain run. Bits above the first set one may be wrong.
    pub special: Mask,
    /// Bytes of 0x80 and above.
    pub high: Mask,
}

impl Marks {
    /// The index of the first special byte; only if there is one.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn first(self) -> usize {
        (self.special.trailing_zeros() / STEP) as usize
    }

    /// The high bytes before the first special one, or all of them if there is none.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn high_before(self) -> Mask {
        // A special byte is never a high one, so the bits of `special` that survive do no harm.
        self.high & self.special.wrapping_sub(1)
    }
}

/// As [`marks`], for what is left of `input` from `at` on, which is fewer bytes than a block: what would
/// follow them counts as special.
#[cfg_attr(not(samewire_smallest), inline(always))]
pub fn last_marks(input: &[u8], at: usize) -> Marks {
    let left = input.len() - at;
    debug_assert!(left < BLOCK);
    // The word-sized twin is exact only up to the first special byte, which may be before `at`.
    if EXACT && left > 0 && input.len() >= BLOCK {
        // SAFETY: the last whole block of the input.
        let marks = unsafe { marks(input.as_ptr().add(input.len() - BLOCK)) };
        let shift = STEP * (BLOCK - left) as u32;
        return Marks { special: marks.special >> shift | 1 << (STEP * left as u32), high: marks.high >> shift };
    }
    let mut block = [0u8; BLOCK];
    // SAFETY: fewer than BLOCK bytes go to a block.
    unsafe {
        crate::buffer::copy_short(input.as_ptr().add(at), block.as_mut_ptr(), left);
        marks(block.as_ptr())
    }
}

/// True if all bits of [`Marks::special`] are right.
const EXACT: bool = STEP < 8;

/// True if a byte of fewer than a block is special: in registers, by words that overlap.
#[cfg_attr(not(samewire_smallest), inline(always))]
pub fn any_special(bytes: &[u8]) -> bool {
    let n = bytes.len();
    debug_assert!(n < 16);
    let p = bytes.as_ptr();
    // SAFETY: every read is inside 0..n.
    let (a, b) = unsafe {
        if n >= 8 {
            (p.cast::<u64>().read_unaligned(), p.add(n - 8).cast::<u64>().read_unaligned())
        } else if n >= 4 {
            let low = u64::from(p.cast::<u32>().read_unaligned());
            let both = low | u64::from(p.add(n - 4).cast::<u32>().read_unaligned()) << 32;
            (both, both)
        } else if n > 0 {
            let three = u64::from(*p) | u64::from(*p.add(n / 2)) << 8 | u64::from(*p.add(n - 1)) << 16;
            // The bytes that are not there must not look special.
            let all = three | 0x6161_6161_6100_0000;
            (all, all)
        } else {
            return false;
        }
    };
    (scalar::word(a).0 | scalar::word(b).0) != 0
}

/// True for a byte that ends a plain run.
#[cfg_attr(not(samewire_smallest), inline(always))]
pub const fn is_special(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

#[cfg(target_arch = "x86_64")]
mod arch {
    use core::arch::x86_64::*;

    pub type Mask = u32;
    pub const BLOCK: usize = 16;
    pub const STEP: u32 = 1;

    /// Looks at one block.
    ///
    /// # Safety
    /// `BLOCK` bytes must be readable at `at`.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub unsafe fn marks(at: *const u8) -> super::Marks {
        // SAFETY: SSE2 is part of x86-64, and the caller vouches for the bytes.
        unsafe {
            let block = _mm_loadu_si128(at.cast());
            let quote = _mm_cmpeq_epi8(block, _mm_set1_epi8(b'"' as i8));
            let backslash = _mm_cmpeq_epi8(block, _mm_set1_epi8(b'\\' as i8));
            let control = _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(0x1f)), block);
            let special = _mm_or_si128(_mm_or_si128(quote, backslash), control);
            super::Marks { special: _mm_movemask_epi8(special) as u32, high: _mm_movemask_epi8(block) as u32 }
        }
    }
}

#[cfg(target_arch = "aarch64")]
mod arch {
    use core::arch::aarch64::*;

    pub type Mask = u64;
    pub const BLOCK: usize = 16;
    pub const STEP: u32 = 4;

    /// Looks at one block.
    ///
    /// # Safety
    /// `BLOCK` bytes must be readable at `at`.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub unsafe fn marks(at: *const u8) -> super::Marks {
        // SAFETY: NEON is part of every AArch64 target that has floats, and the caller vouches for the bytes.
        unsafe {
            // There is no movemask; narrowing by four bits leaves a nibble for each byte.
            let nibbles = |v| vget_lane_u64::<0>(vreinterpret_u64_u8(vshrn_n_u16::<4>(vreinterpretq_u16_u8(v))));
            let block = vld1q_u8(at);
            let quote = vceqq_u8(block, vdupq_n_u8(b'"'));
            let backslash = vceqq_u8(block, vdupq_n_u8(b'\\'));
            let control = vcltq_u8(block, vdupq_n_u8(0x20));
            let special = vorrq_u8(vorrq_u8(quote, backslash), control);
            super::Marks { special: nibbles(special), high: nibbles(vcgeq_u8(block, vdupq_n_u8(0x80))) }
        }
    }
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod arch {
    use core::arch::wasm32::*;

    pub type Mask = u32;
    pub const BLOCK: usize = 16;
    pub const STEP: u32 = 1;

    /// Looks at one block.
    ///
    /// # Safety
    /// `BLOCK` bytes must be readable at `at`.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub unsafe fn marks(at: *const u8) -> super::Marks {
        // SAFETY: the caller vouches for the bytes; wasm loads need no alignment.
        let block = unsafe { v128_load(at.cast()) };
        let quote = u8x16_eq(block, u8x16_splat(b'"'));
        let backslash = u8x16_eq(block, u8x16_splat(b'\\'));
        let control = u8x16_lt(block, u8x16_splat(0x20));
        let special = v128_or(v128_or(quote, backslash), control);
        super::Marks { special: u32::from(u8x16_bitmask(special)), high: u32::from(u8x16_bitmask(block)) }
    }
}

#[cfg(not(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    all(target_arch = "wasm32", target_feature = "simd128")
)))]
mod arch {
    pub type Mask = u64;
    pub const BLOCK: usize = 8;
    pub const STEP: u32 = 8;

    /// Looks at one block.
    ///
    /// # Safety
    /// `BLOCK` bytes must be readable at `at`.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub unsafe fn marks(at: *const u8) -> super::Marks {
        // SAFETY: the caller vouches for the bytes.
        let (special, high) = super::scalar::word(u64::from_le(unsafe { at.cast::<u64>().read_unaligned() }));
        super::Marks { special, high }
    }
}

/// The same for a machine word: for short strings, for other targets, and to compare the others with.
mod scalar {
    #[cfg(test)]
    pub const BLOCK: usize = 8;

    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;

    /// The masks of special and of high bytes, in the top bit of each byte. The first is exact up to its
    /// lowest bit, and so is whether it is zero.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn word(x: u64) -> (u64, u64) {
        // A subtraction borrows only above a byte that was really below the bound, so the first bit is right.
        let below = |x: u64, bound: u64| x.wrapping_sub(ONES * bound) & !x & HIGH;
        let special = below(x, 0x20) | below(x ^ (ONES * b'"' as u64), 1) | below(x ^ (ONES * b'\\' as u64), 1);
        (special, x & HIGH)
    }
}

pub use arch::{BLOCK, Mask, STEP, marks};

/// From this many plain bytes on, [`skip_plain`] and [`copy_plain`] are worth their calls.
pub const LONG: usize = 64;

/// How many plain bytes `bytes` begins with, counted in wide steps (the rest is for [`marks`]), and whether
/// high ones are among them.
#[cfg_attr(not(samewire_smallest), inline(always))]
pub fn skip_plain(bytes: &[u8]) -> (usize, bool) {
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    if avx2::available() {
        // SAFETY: the machine has AVX2.
        return unsafe { avx2::skip_plain(bytes) };
    }
    let _ = bytes;
    (0, false)
}

/// Copies the plain bytes that `from` begins with, in wide steps, and returns how many.
///
/// # Safety
/// `from.len()` bytes must be writable at `to`, outside of `from`.
#[cfg_attr(not(samewire_smallest), inline(always))]
pub unsafe fn copy_plain(from: &[u8], to: *mut u8) -> usize {
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    if avx2::available() {
        // SAFETY: the machine has AVX2; the rest is the caller's.
        return unsafe { avx2::copy_plain(from, to) };
    }
    let _ = (from, to);
    0
}

#[cfg(all(target_arch = "x86_64", feature = "std"))]
mod avx2 {
    use core::arch::x86_64::*;

    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn available() -> bool {
        std::is_x86_feature_detected!("avx2")
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn special(v: __m256i) -> __m256i {
        let quote = _mm256_cmpeq_epi8(v, _mm256_set1_epi8(b'"' as i8));
        let backslash = _mm256_cmpeq_epi8(v, _mm256_set1_epi8(b'\\' as i8));
        let control = _mm256_cmpeq_epi8(_mm256_min_epu8(v, _mm256_set1_epi8(0x1f)), v);
        _mm256_or_si256(_mm256_or_si256(quote, backslash), control)
    }

    #[inline(never)]
    #[target_feature(enable = "avx2")]
    pub fn skip_plain(bytes: &[u8]) -> (usize, bool) {
        let mut high = _mm256_setzero_si256();
        let mut at = 0;
        for chunk in bytes.chunks_exact(64) {
            let p = chunk.as_ptr();
            // SAFETY: the chunk has 64 bytes.
            let (a, b) = unsafe { (_mm256_loadu_si256(p.cast()), _mm256_loadu_si256(p.add(32).cast())) };
            if _mm256_movemask_epi8(_mm256_or_si256(special(a), special(b))) != 0 {
                break;
            }
            high = _mm256_or_si256(high, _mm256_or_si256(a, b));
            at += 64;
        }
        (at, _mm256_movemask_epi8(high) != 0)
    }

    #[inline(never)]
    #[target_feature(enable = "avx2")]
    pub unsafe fn copy_plain(from: &[u8], to: *mut u8) -> usize {
        let mut at = 0;
        for chunk in from.chunks_exact(64) {
            let p = chunk.as_ptr();
            // SAFETY: the chunk has 64 bytes, and as many are writable at `to + at`.
            unsafe {
                let (a, b) = (_mm256_loadu_si256(p.cast()), _mm256_loadu_si256(p.add(32).cast()));
                if _mm256_movemask_epi8(_mm256_or_si256(special(a), special(b))) != 0 {
                    break;
                }
                _mm256_storeu_si256(to.add(at).cast(), a);
                _mm256_storeu_si256(to.add(at + 32).cast(), b);
            }
            at += 64;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn plain(bytes: &[u8]) -> usize {
        bytes.iter().position(|&b| is_special(b)).unwrap_or(bytes.len())
    }

    fn check(block: &[u8; BLOCK]) {
        // SAFETY: a whole block.
        let m = unsafe { marks(block.as_ptr()) };
        let n = plain(block);
        if n < BLOCK {
            assert!(m.special != 0, "{block:x?}");
            assert_eq!(m.first(), n, "{block:x?}");
        } else {
            assert_eq!(m.special, 0, "{block:x?}");
        }
        assert_eq!(m.high_before() != 0, block[..n].iter().any(|&b| b >= 0x80), "{block:x?}");
        for word in block.chunks_exact(scalar::BLOCK) {
            let (special, high) = scalar::word(u64::from_le_bytes(word.try_into().unwrap()));
            let n = plain(word);
            assert_eq!(special.trailing_zeros() as usize / 8, n, "{word:x?}");
            assert_eq!(high & special.wrapping_sub(1) != 0, word[..n].iter().any(|&b| b >= 0x80), "{word:x?}");
        }
    }

    #[test]
    fn every_byte_at_every_place_agrees_with_the_plain_loop() {
        for fill in [b'a', 0xff, b'!', b'#', b'[', b']', 0x20, 0x80] {
            for i in 0..BLOCK {
                for byte in 0..=255 {
                    let mut block = [fill; BLOCK];
                    block[i] = byte;
                    check(&block);
                    // A special byte before it, and one after it.
                    block[i.saturating_sub(3)] = b'"';
                    check(&block);
                    block[BLOCK - 1] = 0x1f;
                    check(&block);
                }
            }
        }
    }

    #[test]
    fn long_runs_stop_before_the_block_with_a_special_byte() {
        let mut bytes = vec![b'x'; 300];
        for i in 0..300 {
            bytes[i] = b'\\';
            let (n, high) = skip_plain(&bytes);
            assert!(n <= i && !high);
            let mut to = vec![0; 300];
            // SAFETY: both have 300 bytes.
            let n = unsafe { copy_plain(&bytes, to.as_mut_ptr()) };
            assert!(n <= i && to[..n] == bytes[..n]);
            bytes[i] = 0xc3;
            let (n, high) = skip_plain(&bytes);
            assert_eq!(high, n > i);
            bytes[i] = b'x';
        }
    }

    #[test]
    fn short_texts_are_looked_at_whole() {
        for n in 0..BLOCK.min(16) {
            let mut bytes = vec![b'a'; n];
            assert!(!any_special(&bytes));
            for i in 0..n {
                for byte in 0..=255 {
                    bytes[i] = byte;
                    assert_eq!(any_special(&bytes), is_special(byte));
                }
                bytes[i] = b'a';
            }
        }
    }

    #[test]
    fn the_end_of_the_input_counts_as_special() {
        for len in 0..3 * BLOCK {
            let mut input = vec![b'a'; len];
            for at in len.saturating_sub(BLOCK - 1)..=len {
                let m = last_marks(&input, at);
                assert_eq!((m.first(), m.high_before()), (len - at, 0));
                for i in 0..len {
                    for (byte, ends) in [(b'"', true), (0xff, false), (0, true)] {
                        input[i] = byte;
                        let m = last_marks(&input, at);
                        assert_eq!(m.first(), if ends && i >= at { i - at } else { len - at }, "{i} {at} of {len}");
                        assert_eq!(m.high_before() != 0, byte == 0xff && i >= at);
                        input[i] = b'a';
                    }
                }
            }
        }
    }
}
