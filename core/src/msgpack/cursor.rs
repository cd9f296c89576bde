//! The token primitives: read a marker, an integer, a length, some bytes. No structure, no policy, no limits
//! but the input's end. The push reader, the serde bridge and the view stand on it.

use core::marker::PhantomData;

use super::marker::*;
use crate::error::{Code, Error};
use crate::time::Timestamp;

/// A place in MessagePack bytes.
#[derive(Clone)]
pub struct Cursor<'de> {
    position: *const u8,
    end: *const u8,
    start: *const u8,
    input: PhantomData<&'de [u8]>,
}

// SAFETY: a Cursor is a shared slice and a place in it.
unsafe impl Send for Cursor<'_> {}
// SAFETY: as above.
unsafe impl Sync for Cursor<'_> {}

/// A string, binary or extension header's error: the claim is checked before anything is taken.
#[cold]
#[inline(never)]
pub(crate) fn exceeds(claim: u64, what: &str, rest: usize, at: usize) -> Error {
    Error::new(
        Code::LengthExceedsInput,
        message!["a header claims ", claim, " ", what, ", and only ", rest, " bytes of input follow it"],
    )
    .at(at)
}

/// A scalar of a kind that [`Cursor::rare`] reads.
#[derive(Clone, Copy, Debug)]
pub enum Rare<'de> {
    /// An integer of −2^63 … 2^63−1.
    Int(i64),
    /// A larger one.
    Uint(u64),
    /// binary64
    Float(f64),
    /// The bytes of a string.
    Text(&'de [u8]),
    /// Binary.
    Bin(&'de [u8]),
    /// A point in time.
    Time(Timestamp),
    /// An extension's type and bytes.
    Ext(i8, &'de [u8]),
}

impl<'de> Cursor<'de> {
    /// A cursor at the start of `input`.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn new(input: &'de [u8]) -> Self {
        let range = input.as_ptr_range();
        Cursor { position: range.start, end: range.end, start: range.start, input: PhantomData }
    }

    /// The whole input.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn input(&self) -> &'de [u8] {
        // SAFETY: start..end is the slice that `new` was given.
        unsafe { core::slice::from_raw_parts(self.start, self.end as usize - self.start as usize) }
    }

    /// Bytes before the cursor.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn offset(&self) -> usize {
        self.position as usize - self.start as usize
    }

    /// Bytes after the cursor.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn remaining(&self) -> usize {
        self.end as usize - self.position as usize
    }

    /// Moves to an offset in the input.
    ///
    /// # Panics
    /// If the offset is beyond the end.
    pub fn seek(&mut self, offset: usize) {
        assert!(offset <= self.end as usize - self.start as usize);
        // SAFETY: within the input.
        self.position = unsafe { self.start.add(offset) };
    }

    /// The error for an input that ends too early.
    #[cold]
    #[inline(never)]
    pub fn truncated(&self) -> Error {
        Error::new(Code::Truncated, "the input ends inside a value").at(self.end as usize - self.start as usize)
    }

    /// The next byte, not taken.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn peek(&self) -> Option<u8> {
        // SAFETY: read only before the end.
        if self.position == self.end { None } else { Some(unsafe { *self.position }) }
    }

    /// Steps over `n` bytes.
    ///
    /// # Safety
    /// At least `n` bytes must remain.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub unsafe fn advance(&mut self, n: usize) {
        // SAFETY: within the input.
        self.position = unsafe { self.position.add(n) };
    }

    /// Takes the marker.
    ///
    /// # Errors
    /// `truncated`
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn marker(&mut self) -> Result<u8, Error> {
        let Some(byte) = self.peek() else { return Err(self.truncated()) };
        // SAFETY: there is a byte.
        unsafe { self.advance(1) };
        Ok(byte)
    }

    /// Takes `n` bytes that are known to be there.
    ///
    /// # Safety
    /// At least `n` bytes must remain.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub unsafe fn take_unchecked(&mut self, n: usize) -> &'de [u8] {
        // SAFETY: within the input.
        unsafe {
            let bytes = core::slice::from_raw_parts(self.position, n);
            self.advance(n);
            bytes
        }
    }

    /// Takes a big-endian unsigned integer of `N` = 1, 2, 4 or 8 bytes.
    ///
    /// # Errors
    /// `truncated`
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn be<const N: usize>(&mut self) -> Result<u64, Error> {
        if self.remaining() < N {
            return Err(self.truncated());
        }
        // SAFETY: N bytes remain.
        unsafe {
            let p = self.position;
            self.advance(N);
            Ok(match N {
                1 => u64::from(*p),
                2 => u64::from(u16::from_be(p.cast::<u16>().read_unaligned())),
                4 => u64::from(u32::from_be(p.cast::<u32>().read_unaligned())),
                _ => u64::from_be(p.cast::<u64>().read_unaligned()),
            })
        }
    }

    /// Takes `n` bytes of a string or binary whose header is at offset `at`.
    ///
    /// # Errors
    /// `length-exceeds-input`
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn payload(&mut self, n: usize, at: usize) -> Result<&'de [u8], Error> {
        if n > self.remaining() {
            return Err(exceeds(n as u64, "bytes", self.remaining(), at));
        }
        // SAFETY: n bytes remain.
        Ok(unsafe { self.take_unchecked(n) })
    }

    /// The length in a string's header after its marker; `None` if the marker is no string's.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn str_len(&mut self, marker: u8) -> Result<Option<usize>, Error> {
        if marker & 0xe0 == FIXSTR {
            return Ok(Some(usize::from(marker & 31)));
        }
        Ok(Some(match marker {
            STR8 => self.be::<1>()? as usize,
            STR16 => self.be::<2>()? as usize,
            STR32 => self.be::<4>()? as usize,
            _ => return Ok(None),
        }))
    }

    /// The length in a binary's header after its marker; `None` if the marker is no binary's.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn bin_len(&mut self, marker: u8) -> Result<Option<usize>, Error> {
        Ok(Some(match marker {
            BIN8 => self.be::<1>()? as usize,
            BIN16 => self.be::<2>()? as usize,
            BIN32 => self.be::<4>()? as usize,
            _ => return Ok(None),
        }))
    }

    /// The length in an extension's header after its marker, its type not taken; `None` if it is none.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn ext_len(&mut self, marker: u8) -> Result<Option<usize>, Error> {
        Ok(Some(match marker {
            FIXEXT1..=FIXEXT16 => 1 << (marker - FIXEXT1),
            EXT8 => self.be::<1>()? as usize,
            EXT16 => self.be::<2>()? as usize,
            EXT32 => self.be::<4>()? as usize,
            _ => return Ok(None),
        }))
    }

    /// The count in an array's header after its marker; `None` if the marker is no array's. Not yet checked
    /// against the input: see [`claim`](Self::claim).
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn array_len(&mut self, marker: u8) -> Result<Option<usize>, Error> {
        if marker & 0xf0 == FIXARRAY {
            return Ok(Some(usize::from(marker & 15)));
        }
        Ok(Some(match marker {
            ARRAY16 => self.be::<2>()? as usize,
            ARRAY32 => self.be::<4>()? as usize,
            _ => return Ok(None),
        }))
    }

    /// The count in a map's header after its marker; `None` if the marker is no map's. Not yet checked
    /// against the input: see [`claim`](Self::claim).
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn map_len(&mut self, marker: u8) -> Result<Option<usize>, Error> {
        if marker & 0xf0 == FIXMAP {
            return Ok(Some(usize::from(marker & 15)));
        }
        Ok(Some(match marker {
            MAP16 => self.be::<2>()? as usize,
            MAP32 => self.be::<4>()? as usize,
            _ => return Ok(None),
        }))
    }

    /// Checks a container's count against the rest of the input: `each` bytes at least for one of `count`.
    ///
    /// # Errors
    /// `length-exceeds-input` at the header's offset `at`.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn claim(&self, count: usize, each: usize, at: usize) -> Result<(), Error> {
        if count > self.remaining() / each {
            let what = if each == 1 { "elements" } else { "entries" };
            return Err(exceeds(count as u64, what, self.remaining(), at));
        }
        Ok(())
    }

    /// An integer of marker 0xcc–0xd3 (already looked at, not taken) when nine bytes remain: one load and one
    /// shift, no branch on the width. The second result says that it is a uint64 above `i64::MAX`.
    ///
    /// # Safety
    /// At least nine bytes must remain and the marker must be in the range.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub unsafe fn wide_int(&mut self, marker: u8) -> (u64, bool) {
        debug_assert!((UINT8..=INT64).contains(&marker));
        // SAFETY: nine bytes remain.
        unsafe {
            let bytes = 1u32 << (marker & 3);
            let raw = u64::from_be(self.position.add(1).cast::<u64>().read_unaligned());
            let shift = 64 - 8 * bytes;
            let unsigned = raw >> shift;
            let signed = (raw.cast_signed() >> shift).cast_unsigned();
            self.advance(1 + bytes as usize);
            let value = if marker >= INT8 { signed } else { unsigned };
            (value, marker == UINT64 && value.cast_signed() < 0)
        }
    }

    /// Takes an integer of marker 0xcc–0xd3, already taken, near the input's end.
    ///
    /// # Errors
    /// `truncated`
    #[inline(never)]
    pub fn narrow_int(&mut self, marker: u8) -> Result<(u64, bool), Error> {
        let value = match marker & 3 {
            0 => self.be::<1>()?,
            1 => self.be::<2>()?,
            2 => self.be::<4>()?,
            _ => self.be::<8>()?,
        };
        if marker < INT8 {
            return Ok((value, marker == UINT64 && value.cast_signed() < 0));
        }
        let shift = 64 - (8 << (marker & 3));
        Ok((((value << shift).cast_signed() >> shift).cast_unsigned(), false))
    }

    /// Takes a scalar, the header's claim on the input checked. Not for what is common: it goes through memory.
    ///
    /// # Errors
    /// `truncated`, `length-exceeds-input`, `invalid-timestamp`; `invalid-marker` for what begins no scalar.
    #[inline(never)]
    pub fn rare(&mut self, at: usize) -> Result<Rare<'de>, Error> {
        let marker = self.marker()?;
        Ok(match marker {
            NEGATIVE_FIXINT..=0xff => Rare::Int(i64::from(marker.cast_signed())),
            STR8..=STR32 => {
                let n = self.str_len(marker)?.unwrap_or(0);
                Rare::Text(self.payload(n, at)?)
            }
            FLOAT64 => Rare::Float(f64::from_bits(self.be::<8>()?)),
            FLOAT32 => Rare::Float(f64::from(f32::from_bits(self.be::<4>()? as u32))),
            UINT8..=INT64 => {
                let (value, large) = self.narrow_int(marker)?;
                if large { Rare::Uint(value) } else { Rare::Int(value.cast_signed()) }
            }
            BIN8..=BIN32 => {
                let n = self.bin_len(marker)?.unwrap_or(0);
                Rare::Bin(self.payload(n, at)?)
            }
            FIXEXT1..=FIXEXT16 | EXT8..=EXT32 => {
                let n = self.ext_len(marker)?.unwrap_or(0);
                // The type is part of the header: the claim is on what follows it.
                let kind = (self.be::<1>()? as u8).cast_signed();
                let bytes = self.payload(n, at)?;
                if kind == TIMESTAMP {
                    Rare::Time(Timestamp::from_ext(bytes).map_err(|e| e.at(at))?)
                } else {
                    Rare::Ext(kind, bytes)
                }
            }
            _ => return Err(Error::new(Code::InvalidMarker, "the byte 0xc1 begins no value").at(at)),
        })
    }

    /// Takes any integer; `None`, with nothing taken, if the next value is something else.
    ///
    /// # Errors
    /// `truncated`
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn int(&mut self) -> Result<Option<(u64, bool)>, Error> {
        let Some(marker) = self.peek() else { return Err(self.truncated()) };
        if marker.cast_signed() >= -32 {
            // SAFETY: there is a byte.
            unsafe { self.advance(1) };
            return Ok(Some((i64::from(marker.cast_signed()).cast_unsigned(), false)));
        }
        if !(UINT8..=INT64).contains(&marker) {
            return Ok(None);
        }
        if self.remaining() >= 9 {
            // SAFETY: nine bytes remain, the marker is in the range.
            return Ok(Some(unsafe { self.wide_int(marker) }));
        }
        // SAFETY: there is a byte.
        unsafe { self.advance(1) };
        self.narrow_int(marker).map(Some)
    }
}
