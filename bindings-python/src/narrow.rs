//! The UTF-8 of strings that CPython keeps in one, two or four bytes a character.
//!
//! Runs of one width are taken eight at a time, in loops that the compiler turns into vectors; what is left goes
//! character by character.

/// Characters that a run takes.
const RUN: usize = 8;
/// Bytes that may be written past the last one.
pub const SLACK: usize = 16;

/// A unit of CPython's strings.
pub trait Unit: Copy + Into<u32> {
    /// The most bytes of UTF-8 that one takes.
    const WIDEST: usize;
}

impl Unit for u8 {
    const WIDEST: usize = 2;
}
impl Unit for u16 {
    const WIDEST: usize = 3;
}
impl Unit for u32 {
    const WIDEST: usize = 4;
}

/// Writes the UTF-8 of `units` at `to` and returns the bytes written; `None` if there is a lone surrogate.
///
/// # Safety
/// `to` must have room for [`Unit::WIDEST`] bytes a unit and [`SLACK`].
#[inline(always)]
pub unsafe fn write<U: Unit>(units: &[U], to: *mut u8) -> Option<usize> {
    let mut out = to;
    let mut rest = units;
    let mut surrogate = false;
    // SAFETY: each step writes at most the widest form of the units that it takes, runs of three bytes two more.
    unsafe {
        while !rest.is_empty() {
            if let Some(run) = rest.first_chunk::<RUN>() {
                let taken = self::run(run, &mut out);
                if taken > 0 {
                    rest = rest.get_unchecked(taken..);
                    continue;
                }
            }
            // A run that was none is not tried again at once.
            let (some, more) = rest.split_at(rest.len().min(RUN / 2));
            for &unit in some {
                surrogate |= one(unit.into(), &mut out);
            }
            rest = more;
        }
    }
    if surrogate { None } else { Some(out as usize - to as usize) }
}

/// Eight characters of one width, or none.
///
/// # Safety
/// As for [`write`].
#[inline(always)]
unsafe fn run<U: Unit>(run: &[U; RUN], out: &mut *mut u8) -> usize {
    let units = run.map(Into::<u32>::into);
    let all = units.iter().fold(0, |all, &c| all | c);
    // SAFETY: the caller's.
    unsafe {
        if all < 0x80 {
            for (i, &c) in units.iter().enumerate() {
                *out.add(i) = c as u8;
            }
            *out = out.add(RUN);
            return RUN;
        }
        if U::WIDEST > 2 && all < 0x10000 {
            // Each of three bytes: none below 0x800, none a surrogate.
            let plain = units.iter().fold(true, |all, &c| all & (c & 0xf800 != 0) & (c & 0xf800 != 0xd800));
            if plain {
                let wide = units.map(|c| 0x0080_80e0 | c >> 12 | (c & 0xfc0) << 2 | (c & 0x3f) << 16);
                for pair in wide.chunks_exact(2) {
                    // Six bytes of eight.
                    let six = u64::from(pair[0]) | u64::from(pair[1]) << 24;
                    out.cast::<u64>().write_unaligned(six.to_le());
                    *out = out.add(6);
                }
                return RUN;
            }
        }
        if all < 0x800 && units.iter().all(|&c| c >= 0x80) {
            let wide = units.map(|c| (0x80c0 | c >> 6 | (c & 0x3f) << 8) as u16);
            for two in wide {
                out.cast::<u16>().write_unaligned(two.to_le());
                *out = out.add(2);
            }
            return RUN;
        }
    }
    0
}

/// One character; true for a surrogate.
///
/// # Safety
/// Four bytes of room.
#[inline(always)]
unsafe fn one(c: u32, out: &mut *mut u8) -> bool {
    let tail = |shift: u32| 0x80 | (c >> shift & 63) as u8;
    // SAFETY: the caller's.
    unsafe {
        if c < 0x80 {
            **out = c as u8;
            *out = out.add(1);
        } else if c < 0x800 {
            out.cast::<[u8; 2]>().write([0xc0 | (c >> 6) as u8, tail(0)]);
            *out = out.add(2);
        } else if c < 0x10000 {
            out.cast::<[u8; 3]>().write([0xe0 | (c >> 12) as u8, tail(6), tail(0)]);
            *out = out.add(3);
            return c & 0xf800 == 0xd800;
        } else {
            out.cast::<[u8; 4]>().write([0xf0 | (c >> 18) as u8, tail(12), tail(6), tail(0)]);
            *out = out.add(4);
        }
    }
    false
}
