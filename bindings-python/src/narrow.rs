//! The UTF-8 of strings that CPython keeps in one, two or four bytes a character.
//!
//! Runs of one width are taken eight at a time, by vector where that pays; what is left goes character by
//! character.

/// Characters that a run takes.
const RUN: usize = 8;
/// Bytes that may be written past the last one.
pub const SLACK: usize = 16;

/// A unit of CPython's strings.
pub trait Unit: Copy + Into<u32> {
    /// The most bytes of UTF-8 that one takes.
    const WIDEST: usize;

    /// Writes eight characters of one width, or nothing.
    ///
    /// # Safety
    /// As for [`write`].
    #[inline(always)]
    unsafe fn run(run: &[Self; RUN], out: &mut *mut u8) -> bool {
        // SAFETY: the caller's.
        unsafe { plain_run(run, out) }
    }
}

impl Unit for u8 {
    const WIDEST: usize = 2;
}
impl Unit for u16 {
    const WIDEST: usize = 3;

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn run(run: &[u16; RUN], out: &mut *mut u8) -> bool {
        // SAFETY: the caller's.
        unsafe { vector_run(run, out) }
    }
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
            if let Some(run) = rest.first_chunk::<RUN>()
                && U::run(run, &mut out)
            {
                rest = rest.get_unchecked(RUN..);
                continue;
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

/// [`Unit::run`] by vectors of the instruction set that every x86-64 has (SSE2).
///
/// # Safety
/// As for [`write`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn vector_run(run: &[u16; RUN], out: &mut *mut u8) -> bool {
    use core::arch::x86_64::*;
    // SAFETY: sixteen bytes are read; at most 24 and two more are written.
    unsafe {
        let units = _mm_loadu_si128(run.as_ptr().cast());
        let none = _mm_setzero_si128();
        let high = _mm_and_si128(units, _mm_set1_epi16(0xf800u16.cast_signed()));
        let below_0x800 = _mm_movemask_epi8(_mm_cmpeq_epi16(high, none));
        let last = _mm_or_si128(_mm_and_si128(units, _mm_set1_epi16(0x3f)), _mm_set1_epi16(0x80));
        if below_0x800 == 0 {
            if _mm_movemask_epi8(_mm_cmpeq_epi16(high, _mm_set1_epi16(0xd800u16.cast_signed()))) != 0 {
                return false;
            }
            let first = _mm_or_si128(_mm_srli_epi16(units, 12), _mm_set1_epi16(0xe0));
            let middle = _mm_and_si128(_mm_slli_epi16(units, 2), _mm_set1_epi16(0x3f00));
            let two = _mm_or_si128(_mm_or_si128(first, middle), _mm_set1_epi16(0x8000u16.cast_signed()));
            // Four lanes of three bytes and a hole; pairs of lanes become six bytes.
            for lanes in [_mm_unpacklo_epi16(two, last), _mm_unpackhi_epi16(two, last)] {
                let low = _mm_and_si128(lanes, _mm_set1_epi64x(0xff_ffff));
                let high = _mm_and_si128(_mm_srli_epi64(lanes, 8), _mm_set1_epi64x(0xffff_ff00_0000));
                let six = _mm_or_si128(low, high);
                _mm_storel_epi64((*out).cast(), six);
                _mm_storel_epi64(out.add(6).cast(), _mm_unpackhi_epi64(six, six));
                *out = out.add(12);
            }
            return true;
        }
        let ascii = _mm_and_si128(units, _mm_set1_epi16(0xff80u16.cast_signed()));
        let ascii = _mm_movemask_epi8(_mm_cmpeq_epi16(ascii, none));
        if ascii == 0xffff {
            _mm_storel_epi64((*out).cast(), _mm_packus_epi16(units, units));
            *out = out.add(RUN);
            return true;
        }
        if below_0x800 == 0xffff && ascii == 0 {
            let first = _mm_or_si128(_mm_srli_epi16(units, 6), _mm_set1_epi16(0xc0));
            _mm_storeu_si128((*out).cast(), _mm_or_si128(first, _mm_slli_epi16(last, 8)));
            *out = out.add(2 * RUN);
            return true;
        }
        false
    }
}

/// [`Unit::run`] without vectors: ASCII only.
///
/// # Safety
/// As for [`write`].
#[inline(always)]
unsafe fn plain_run<U: Unit>(run: &[U; RUN], out: &mut *mut u8) -> bool {
    let units = run.map(Into::<u32>::into);
    if units.iter().fold(0, |all, &c| all | c) >= 0x80 {
        return false;
    }
    // SAFETY: the caller's.
    unsafe {
        for (i, &c) in units.iter().enumerate() {
            *out.add(i) = c as u8;
        }
        *out = out.add(RUN);
    }
    true
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
