//! Short strings as two integers: comparing, hashing, testing for ASCII and copying them costs two operations
//! instead of a loop.

/// The longest string that packs.
pub const LONGEST: usize = 15;
const HIGH: u64 = 0x8080_8080_8080_8080;
const LENGTH_SHIFT: u32 = 56;

/// Up to 15 bytes, zero-padded, with the length in the last byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Packed {
    pub low: u64,
    /// Bytes 8–14 and the length.
    pub high: u64,
}

impl Packed {
    /// Packs bytes with two overlapping loads at most; never reads outside them.
    ///
    /// # Safety
    /// There are at most [`LONGEST`].
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub unsafe fn new(bytes: &[u8]) -> Self {
        let n = bytes.len();
        debug_assert!(n <= LONGEST);
        let p = bytes.as_ptr();
        let length = (n as u64) << LENGTH_SHIFT;
        // SAFETY: each branch reads inside 0..n.
        unsafe {
            if n >= 8 {
                let low = u64::from_le(p.cast::<u64>().read_unaligned());
                let last = u64::from_le(p.add(n - 8).cast::<u64>().read_unaligned());
                // Twice, as a shift by 64 is none.
                Packed { low, high: last >> (8 * (15 - n)) >> 8 | length }
            } else if n >= 4 {
                let first = u32::from_le(p.cast::<u32>().read_unaligned());
                let last = u32::from_le(p.add(n - 4).cast::<u32>().read_unaligned());
                Packed { low: u64::from(first) | u64::from(last) << (8 * (n - 4)), high: length }
            } else if n > 0 {
                let byte = |i: usize| u64::from(*p.add(i)) << (8 * i);
                Packed { low: byte(0) | byte(n / 2) | byte(n - 1), high: length }
            } else {
                Packed { low: 0, high: 0 }
            }
        }
    }

    /// True if every byte is below 0x80. (The length is, too.)
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn is_ascii(self) -> bool {
        (self.low | self.high) & HIGH == 0
    }

    /// The 16 bytes, the length last.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn bytes(self) -> [u64; 2] {
        [self.low.to_le(), self.high.to_le()]
    }

    /// A hash of `bits` bits.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn hash(self, bits: u32) -> usize {
        ((self.low ^ self.high.rotate_left(29)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - bits)) as usize
    }
}

/// True if two slices are equal, for lengths where a call to `memcmp` costs more than the comparison.
#[cfg_attr(not(samewire_smallest), inline(always))]
pub fn equal(a: &[u8], b: &[u8]) -> bool {
    let n = a.len();
    if n != b.len() {
        return false;
    }
    if !(8..=64).contains(&n) {
        return a == b;
    }
    let (p, q) = (a.as_ptr(), b.as_ptr());
    let mut i = 0;
    // SAFETY: every read is inside 0..n, which is at least 8.
    unsafe {
        let differ = |i: usize| p.add(i).cast::<u64>().read_unaligned() ^ q.add(i).cast::<u64>().read_unaligned();
        while i + 8 < n {
            if differ(i) != 0 {
                return false;
            }
            i += 8;
        }
        differ(n - 8) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_is_the_zero_padded_bytes() {
        let text = b"abcdefghijklmnop";
        for n in 0..=LONGEST {
            let mut want = [0u8; 16];
            want[..n].copy_from_slice(&text[..n]);
            want[15] = n as u8;
            // SAFETY: n ≤ LONGEST.
            let packed = unsafe { Packed::new(&text[..n]) };
            let mut got = [0u8; 16];
            got[..8].copy_from_slice(&packed.low.to_le_bytes());
            got[8..].copy_from_slice(&packed.high.to_le_bytes());
            assert_eq!(got, want);
            assert!(packed.is_ascii());
            for i in 0..n {
                let mut bytes = text[..n].to_vec();
                bytes[i] |= 0x80;
                // SAFETY: n ≤ LONGEST.
                assert!(!unsafe { Packed::new(&bytes) }.is_ascii(), "{i} of {n}");
            }
        }
    }

    #[test]
    fn equal_is_equality() {
        for n in 0..100 {
            let a: alloc::vec::Vec<u8> = (0..n).collect();
            let mut b = a.clone();
            assert!(equal(&a, &b));
            for i in 0..n as usize {
                b[i] ^= 1;
                assert!(!equal(&a, &b), "{i} of {n}");
                b[i] ^= 1;
            }
        }
        assert!(!equal(b"a", b"ab"));
    }
}
