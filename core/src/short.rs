//! Short runs of bytes, compared in registers: names of fields and members of enums are short, and a call into
//! libc costs more than the comparison.

/// `a == b`.
#[inline(always)]
pub(crate) fn equal(a: &[u8], b: &[u8]) -> bool {
    let n = a.len();
    if n != b.len() {
        return false;
    }
    let (p, q) = (a.as_ptr(), b.as_ptr());
    // SAFETY: every read is inside 0..n.
    unsafe {
        if n > 32 {
            a == b
        } else if n >= 16 {
            let word = |p: *const u8| p.cast::<u128>().read_unaligned();
            (word(p) ^ word(q)) | (word(p.add(n - 16)) ^ word(q.add(n - 16))) == 0
        } else if n >= 8 {
            let word = |p: *const u8| p.cast::<u64>().read_unaligned();
            (word(p) ^ word(q)) | (word(p.add(n - 8)) ^ word(q.add(n - 8))) == 0
        } else if n >= 4 {
            let word = |p: *const u8| p.cast::<u32>().read_unaligned();
            (word(p) ^ word(q)) | (word(p.add(n - 4)) ^ word(q.add(n - 4))) == 0
        } else if n > 0 {
            (*p ^ *q) | (*p.add(n / 2) ^ *q.add(n / 2)) | (*p.add(n - 1) ^ *q.add(n - 1)) == 0
        } else {
            true
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_counts_at_every_length() {
        for n in 0..70 {
            let a: alloc::vec::Vec<u8> = (0..n).collect();
            let mut b = a.clone();
            assert!(equal(&a, &b));
            for i in 0..usize::from(n) {
                b[i] ^= 0x80;
                assert!(!equal(&a, &b), "{i} of {n}");
                b[i] ^= 0x80;
            }
            b.push(0);
            assert!(!equal(&a, &b));
        }
    }
}
