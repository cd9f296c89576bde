//! UTF-8: is it valid, is it ASCII, where is it wrong. Short strings dominate, so they never leave the
//! inlined path.

const HIGH: u64 = 0x8080_8080_8080_8080;

/// True if every byte is below 0x80.
#[cfg_attr(not(samewire_smallest), inline(always))]
pub fn is_ascii(bytes: &[u8]) -> bool {
    let n = bytes.len();
    let p = bytes.as_ptr();
    // Overlapping loads: two reads whatever the length, no loop.
    // SAFETY: every read is inside 0..n.
    unsafe {
        if n > 32 {
            is_ascii_long(bytes)
        } else if n >= 16 {
            let a = p.cast::<[u64; 2]>().read_unaligned();
            let b = p.add(n - 16).cast::<[u64; 2]>().read_unaligned();
            (a[0] | a[1] | b[0] | b[1]) & HIGH == 0
        } else if n >= 8 {
            (p.cast::<u64>().read_unaligned() | p.add(n - 8).cast::<u64>().read_unaligned()) & HIGH == 0
        } else if n >= 4 {
            let x = p.cast::<u32>().read_unaligned() | p.add(n - 4).cast::<u32>().read_unaligned();
            x & HIGH as u32 == 0
        } else if n > 0 {
            (*p | *p.add(n / 2) | *p.add(n - 1)) < 0x80
        } else {
            true
        }
    }
}

#[inline(never)]
fn is_ascii_long(bytes: &[u8]) -> bool {
    // The compiler turns this into vector ORs.
    let mut chunks = bytes.chunks_exact(64);
    for chunk in &mut chunks {
        if chunk.iter().fold(0, |all, b| all | b) >= 0x80 {
            return false;
        }
    }
    chunks.remainder().iter().fold(0, |all, b| all | b) < 0x80
}

/// True if the bytes are UTF-8 (Unicode 16, table 3-7: no surrogates, no overlong forms).
#[cfg_attr(not(samewire_smallest), inline(always))]
pub fn is_valid(bytes: &[u8]) -> bool {
    is_ascii(bytes) || is_valid_cold(bytes)
}

#[inline(never)]
fn is_valid_cold(bytes: &[u8]) -> bool {
    if bytes.len() < 64 { core::str::from_utf8(bytes).is_ok() } else { simdutf8::basic::from_utf8(bytes).is_ok() }
}

/// How many bytes at the front are valid UTF-8: the offset of the first bad sequence, or the length.
pub fn valid_up_to(bytes: &[u8]) -> usize {
    core::str::from_utf8(bytes).map_or_else(|e| e.valid_up_to(), str::len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascii_finds_a_high_byte_at_every_place() {
        for n in 0..200 {
            let mut bytes = alloc::vec![b'a'; n];
            assert!(is_ascii(&bytes));
            for i in 0..n {
                bytes[i] = 0x80;
                assert!(!is_ascii(&bytes) && !is_valid(&bytes), "{i} of {n}");
                assert_eq!(valid_up_to(&bytes), i);
                bytes[i] = b'a';
            }
        }
    }
}
