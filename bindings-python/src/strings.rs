//! Text from UTF-8 bytes to `str`, and back.

use core::mem::MaybeUninit;

use pyo3::ffi::*;
use samewire::Error;
use samewire::buffer::copy_short;
use samewire::utf8;
use samewire::visit::{Encoding, Text, invalid_utf8};
use samewire::wide::{self, Width};

use crate::layout::{ASCII_DATA, Object, ascii_of};
use crate::narrow::{self, Unit};
use crate::owned::{Owned, python_error};
use crate::state::state;

/// A new `str` of ASCII characters.
///
/// # Safety
/// The lock is held and the bytes are ASCII.
#[inline(always)]
pub unsafe fn new_ascii(bytes: &[u8]) -> Result<Owned, Error> {
    let n = bytes.len();
    let state = state();
    // SAFETY: the header is that of a string this interpreter made, checked at import; the memory has room.
    unsafe {
        if n <= 1 {
            let object = if n == 0 { (*state).empty_str } else { (*state).one_char[usize::from(bytes[0] & 127)] };
            return Ok(Owned::borrowed(object));
        }
        if (*state).layouts {
            let object = PyObject_Malloc(ASCII_DATA + n + 1).cast::<u8>();
            if object.is_null() {
                return Err(python_error());
            }
            object.cast::<[u8; ASCII_DATA]>().write((*state).ascii_header);
            (*object.cast::<PyASCIIObject>()).length = n as Py_ssize_t;
            let data = object.add(ASCII_DATA);
            copy_short(bytes.as_ptr(), data, n);
            *data.add(n) = 0;
            return Owned::new(object.cast());
        }
        let object = Owned::new(PyUnicode_New(n as Py_ssize_t, 127))?;
        copy_short(bytes.as_ptr(), PyUnicode_DATA(object.as_ptr()).cast(), n);
        Ok(object)
    }
}

/// A new `str` of the text, validated if nobody did.
///
/// # Safety
/// The lock is held.
#[inline(always)]
pub unsafe fn new_str(text: Text<'_>) -> Result<Owned, Error> {
    let bytes = text.bytes();
    let ascii = match text.encoding() {
        Encoding::Ascii => true,
        _ => utf8::is_ascii(bytes),
    };
    // SAFETY: the lock is held.
    unsafe { if ascii { new_ascii(bytes) } else { new_wide(bytes) } }
}

/// A new `str` of bytes that are not all ASCII.
#[inline(never)]
unsafe fn new_wide(bytes: &[u8]) -> Result<Owned, Error> {
    if bytes.len() <= SHORT {
        // SAFETY: the lock is held.
        if let Some(done) = unsafe { new_short(bytes) } {
            return done;
        }
    }
    let measure = wide::measure(bytes);
    let n = measure.code_points;
    // PyUnicode_New's memory has no slack for runs that write past their end: short strings go through the
    // stack, long ones are written in place up to their last few units.
    // SAFETY: each branch writes at most n units of the string's width; see `place`.
    unsafe {
        match measure.width {
            Width::Ascii | Width::Latin1 => place::<u8>(bytes, n, 0xff, wide::to_latin1),
            Width::Bmp => place::<u16>(bytes, n, 0xffff, wide::to_utf16),
            Width::Astral => place::<u32>(bytes, n, 0x10_ffff, wide::to_utf32),
        }
    }
}

/// Texts that are looked at once, character by character: measuring them first would take as long.
const SHORT: usize = 64;

/// A short `str`; `None` if it has a character beyond the basic plane.
#[inline(always)]
unsafe fn new_short(bytes: &[u8]) -> Option<Result<Owned, Error>> {
    let mut units = [const { MaybeUninit::<u16>::uninit() }; SHORT];
    let (mut n, mut at, mut all) = (0, 0, 0);
    while let Some(&lead) = bytes.get(at) {
        let lead = u32::from(lead);
        let tail = |i: usize| bytes.get(at + i).map(|&b| u32::from(b)).filter(|b| b & 0xc0 == 0x80);
        let c = if lead < 0x80 {
            at += 1;
            lead
        } else if lead < 0xe0 {
            match tail(1) {
                Some(b) if lead >= 0xc2 => {
                    at += 2;
                    (lead & 0x1f) << 6 | b & 0x3f
                }
                _ => return Some(Err(invalid_utf8())),
            }
        } else if lead < 0xf0 {
            let (Some(b), Some(c)) = (tail(1), tail(2)) else { return Some(Err(invalid_utf8())) };
            let c = (lead & 0x0f) << 12 | (b & 0x3f) << 6 | c & 0x3f;
            if c < 0x800 || c & 0xf800 == 0xd800 {
                return Some(Err(invalid_utf8()));
            }
            at += 3;
            c
        } else {
            return None;
        };
        all |= c;
        units[n].write(c as u16);
        n += 1;
    }
    // SAFETY: the string has n units of the width that was asked for; n of `units` are written.
    unsafe {
        let object = match Owned::new(PyUnicode_New(n as Py_ssize_t, if all < 0x100 { 0xff } else { 0xffff })) {
            Ok(object) => object,
            Err(error) => return Some(Err(error)),
        };
        let data = PyUnicode_DATA(object.as_ptr());
        if all < 0x100 {
            let data = data.cast::<u8>();
            for (i, unit) in units[..n].iter().enumerate() {
                *data.add(i) = unit.assume_init() as u8;
            }
        } else {
            core::ptr::copy_nonoverlapping(units.as_ptr().cast::<u16>(), data.cast::<u16>(), n);
        }
        Some(Ok(object))
    }
}

/// Bytes at the end of a text that are written through a buffer with slack.
const TAIL: usize = 64;

unsafe fn place<U>(
    bytes: &[u8],
    n: usize,
    max: u32,
    write: unsafe fn(&[u8], *mut U) -> Option<usize>,
) -> Result<Owned, Error> {
    // SAFETY: the string has n units and a terminator; the head stops so early that its slack stays inside.
    unsafe {
        let object = Owned::new(PyUnicode_New(n as Py_ssize_t, max))?;
        let data = PyUnicode_DATA(object.as_ptr()).cast::<U>();
        let mut cut = bytes.len().saturating_sub(TAIL);
        while cut > 0 && bytes[cut] & 0xc0 == 0x80 {
            cut -= 1;
        }
        let rest = &bytes[cut..];
        // The head may write SLACK units too far: valid text has as many in its last TAIL bytes.
        if rest.len() > TAIL + 4 || (cut > 0 && wide::measure(rest).code_points < wide::SLACK) {
            return Err(invalid_utf8());
        }
        let mut tail = [const { MaybeUninit::<U>::uninit() }; TAIL + 4 + wide::SLACK];
        let written = write(&bytes[..cut], data).and_then(|head| {
            let more = write(rest, tail.as_mut_ptr().cast())?;
            if head + more != n {
                return None;
            }
            core::ptr::copy_nonoverlapping(tail.as_ptr().cast::<U>(), data.add(head), more);
            Some(())
        });
        if written.is_none() {
            return Err(invalid_utf8());
        }
        Ok(object)
    }
}

/// The UTF-8 of a `str` that is not ASCII: in a shared buffer, valid until the next call. `None` if it has a
/// lone surrogate.
///
/// # Safety
/// The lock is held and `string` is a `str`.
#[inline(never)]
pub unsafe fn utf8_of<'a>(string: Object) -> Option<&'a [u8]> {
    // SAFETY: kind, length and data are the string's; the buffer has four bytes for each character.
    unsafe {
        if let Some(ascii) = ascii_of(string) {
            return Some(ascii);
        }
        let n = PyUnicode_GET_LENGTH(string) as usize;
        let out = &mut (*state()).utf8;
        out.clear();
        let data = PyUnicode_DATA(string);
        let kind = PyUnicode_KIND(string);
        if kind == PyUnicode_1BYTE_KIND {
            fill::<u8>(data, n, out)?;
        } else if kind == PyUnicode_2BYTE_KIND {
            fill::<u16>(data, n, out)?;
        } else {
            fill::<u32>(data, n, out)?;
        }
        Some(core::slice::from_raw_parts(out.as_ptr(), out.len()))
    }
}

/// # Safety
/// `data` is that of a string of `n` units.
unsafe fn fill<U: Unit>(data: *const core::ffi::c_void, n: usize, out: &mut Vec<u8>) -> Option<()> {
    out.reserve(U::WIDEST * n + narrow::SLACK);
    // SAFETY: the room is reserved.
    unsafe {
        let written = narrow::write(core::slice::from_raw_parts(data.cast::<U>(), n), out.as_mut_ptr())?;
        out.set_len(written);
    }
    Some(())
}

/// A copy of a `str` with U+FFFD for each lone surrogate.
///
/// # Safety
/// The lock is held and `string` is a `str`.
#[cold]
pub unsafe fn without_surrogates(string: Object) -> String {
    // SAFETY: reads inside the string.
    unsafe {
        let n = PyUnicode_GET_LENGTH(string);
        (0..n).map(|i| char::from_u32(PyUnicode_ReadChar(string, i)).unwrap_or('\u{fffd}')).collect()
    }
}

/// Where the first lone surrogate of a `str` would be in its UTF-8.
///
/// # Safety
/// The lock is held and `string` is a `str`.
#[cold]
pub unsafe fn surrogate_offset(string: Object) -> usize {
    // SAFETY: reads inside the string.
    unsafe {
        let n = PyUnicode_GET_LENGTH(string);
        let mut offset = 0;
        for i in 0..n {
            match char::from_u32(PyUnicode_ReadChar(string, i)) {
                Some(c) => offset += c.len_utf8(),
                None => break,
            }
        }
        offset
    }
}
