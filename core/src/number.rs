//! Integers and their decimal text, and the bounds that several formats share.

use crate::buffer::Buffer;

/// 2^53 − 1: the largest integer n for which n and all smaller ones are exact in a binary64.
pub const MAX_SAFE: i64 = (1 << 53) - 1;

/// True within ±(2^53 − 1).
#[cfg_attr(not(samewire_compact), inline(always))]
pub const fn is_safe(value: i64) -> bool {
    value >= -MAX_SAFE && value <= MAX_SAFE
}

/// Room that [`put_uint`] and [`put_int`] need.
pub const TEXT_ROOM: usize = 20;

static PAIRS: [[u8; 2]; 100] = {
    let mut table = [[0; 2]; 100];
    let mut i = 0;
    while i < 100 {
        table[i] = [b'0' + (i / 10) as u8, b'0' + (i % 10) as u8];
        i += 1;
    }
    table
};

/// Writes decimal digits.
///
/// # Safety
/// [`TEXT_ROOM`] bytes must be reserved.
#[cfg_attr(not(samewire_compact), inline(always))]
pub unsafe fn put_uint(mut value: u64, out: &mut Buffer) {
    // SAFETY: at most 20 digits are written into the reserved room; table indices are below 100.
    unsafe {
        let pair = |n: u64| *PAIRS.get_unchecked(n as usize);
        if value < 100 {
            if value < 10 {
                return out.put(b'0' + value as u8);
            }
            return out.put_array(pair(value));
        }
        if value < 10_000 {
            let (high, low) = (value / 100, value % 100);
            if value < 1000 {
                let [a, b] = pair(low);
                return out.put_array([b'0' + high as u8, a, b]);
            }
            let ([a, b], [c, d]) = (pair(high), pair(low));
            return out.put_array([a, b, c, d]);
        }
        let len = value.ilog10() as usize + 1;
        let mut at = out.position().add(len);
        while value >= 10_000 {
            let rest = value % 10_000;
            value /= 10_000;
            let ([a, b], [c, d]) = (pair(rest / 100), pair(rest % 100));
            at = at.sub(4);
            at.cast::<[u8; 4]>().write([a, b, c, d]);
        }
        while value >= 100 {
            at = at.sub(2);
            at.cast::<[u8; 2]>().write(pair(value % 100));
            value /= 100;
        }
        if value >= 10 {
            at.sub(2).cast::<[u8; 2]>().write(pair(value));
        } else {
            *at.sub(1) = b'0' + value as u8;
        }
        out.advance(len);
    }
}

/// Writes decimal digits with `-` in front of negative ones.
///
/// # Safety
/// [`TEXT_ROOM`] bytes must be reserved.
#[cfg_attr(not(samewire_compact), inline(always))]
pub unsafe fn put_int(value: i64, out: &mut Buffer) {
    // SAFETY: at most a sign and 19 digits.
    unsafe {
        if value < 0 {
            out.put(b'-');
        }
        put_uint(value.unsigned_abs(), out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    #[test]
    fn writes_every_length() {
        let mut values = alloc::vec![0u64, 5, u64::MAX, i64::MAX as u64, i64::MAX as u64 + 1];
        let mut power = 1u64;
        for _ in 0..20 {
            values.extend([power, power - 1, power + 1, power.saturating_mul(9), power.wrapping_mul(37) % 10_000_019]);
            power = power.saturating_mul(10);
        }
        values.extend(0..20_000);
        for value in values {
            let mut out = Buffer::with_capacity(64);
            // SAFETY: room for both.
            unsafe {
                put_uint(value, &mut out);
                out.put(b' ');
                put_int(value as i64, &mut out);
            }
            assert_eq!(out.as_slice(), format!("{value} {}", value as i64).as_bytes());
        }
    }
}
