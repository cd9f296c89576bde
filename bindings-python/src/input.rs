//! The bytes of an argument: bytes, str, or anything with the buffer protocol.

use core::mem::MaybeUninit;

use pyo3::ffi::*;
use samewire::options::LoneSurrogates;
use samewire::{Code, Error};

use crate::layout::{Object, ascii_of};
use crate::owned::python_error;
use crate::state::state;
use crate::strings;
use crate::types;

/// Bytes of an object, readable as long as this lives.
pub struct Input {
    start: *const u8,
    len: usize,
    view: Option<Box<Py_buffer>>,
    /// A copy: of a str's characters in UTF-8, or of a buffer that is not contiguous.
    _copy: Vec<u8>,
    /// Other threads and hooks cannot change the bytes.
    pub frozen: bool,
}

impl Drop for Input {
    #[inline]
    fn drop(&mut self) {
        if let Some(view) = &mut self.view {
            // SAFETY: filled by PyObject_GetBuffer; the lock is held.
            unsafe { PyBuffer_Release(&mut **view) }
        }
    }
}

impl Input {
    /// The bytes of an object; the caller keeps the object alive.
    ///
    /// # Safety
    /// The lock is held.
    #[inline(always)]
    pub unsafe fn new(object: Object) -> Result<Self, Error> {
        // SAFETY: the caller's.
        unsafe {
            if Py_TYPE(object) == &raw mut PyBytes_Type {
                let len = Py_SIZE(object) as usize;
                return Ok(Input {
                    start: PyBytes_AS_STRING(object).cast(),
                    len,
                    view: None,
                    _copy: Vec::new(),
                    frozen: true,
                });
            }
            Self::of_buffer(object)
        }
    }

    /// The same, or the UTF-8 of a str.
    ///
    /// # Safety
    /// The lock is held.
    #[inline(always)]
    pub unsafe fn text(object: Object, surrogates: LoneSurrogates) -> Result<Self, Error> {
        // SAFETY: the caller's.
        unsafe {
            if Py_TYPE(object) == &raw mut PyUnicode_Type || PyUnicode_Check(object) != 0 {
                if (*state()).layouts
                    && let Some(ascii) = ascii_of(object)
                {
                    return Ok(Input {
                        start: ascii.as_ptr(),
                        len: ascii.len(),
                        view: None,
                        _copy: Vec::new(),
                        frozen: true,
                    });
                }
                return Self::of_str(object, surrogates);
            }
            Self::new(object)
        }
    }

    fn owned(copy: Vec<u8>) -> Self {
        Input { start: copy.as_ptr(), len: copy.len(), view: None, _copy: copy, frozen: true }
    }

    #[inline(never)]
    unsafe fn of_str(object: Object, surrogates: LoneSurrogates) -> Result<Self, Error> {
        // SAFETY: `object` is a str; the buffer that utf8_of fills is taken out of the state.
        unsafe {
            if strings::utf8_of(object).is_some() {
                if let Some(ascii) = ascii_of(object) {
                    return Ok(Self::owned(ascii.to_vec()));
                }
                return Ok(Self::owned(core::mem::take(&mut (*state()).utf8)));
            }
            if surrogates == LoneSurrogates::Replace {
                return Ok(Self::owned(strings::without_surrogates(object).into_bytes()));
            }
            let offset = strings::surrogate_offset(object);
            Err(Error::new(Code::LoneSurrogate, "the str has half of a surrogate pair").at(offset).with_path(""))
        }
    }

    #[inline(never)]
    unsafe fn of_buffer(object: Object) -> Result<Self, Error> {
        // SAFETY: the view is released when the result is dropped.
        unsafe {
            if PyObject_CheckBuffer(object) == 0 {
                let kind = types::name_of(object);
                let text = format!("samewire reads bytes, bytearray, memoryview or another buffer, not {kind}\0");
                PyErr_SetString(PyExc_TypeError, text.as_ptr().cast());
                return Err(python_error());
            }
            let mut view = Box::new(MaybeUninit::<Py_buffer>::zeroed().assume_init());
            if PyObject_GetBuffer(object, &mut *view, PyBUF_FULL_RO) != 0 {
                return Err(python_error());
            }
            let len = view.len as usize;
            let mut input = Input { start: view.buf.cast(), len, frozen: false, view: Some(view), _copy: Vec::new() };
            let view = input.view.as_mut().expect("just set");
            if PyBuffer_IsContiguous(&**view, b'C' as core::ffi::c_char) == 0 {
                let mut copy = vec![0u8; len];
                if PyBuffer_ToContiguous(copy.as_mut_ptr().cast(), &raw mut **view, len as Py_ssize_t, b'C' as _) != 0 {
                    return Err(python_error());
                }
                return Ok(Self::owned(copy));
            }
            if len == 0 || view.buf.is_null() {
                return Ok(Self::owned(Vec::new()));
            }
            Ok(input)
        }
    }

    /// A copy where somebody might change the bytes, so that what was checked stays true.
    pub fn freeze(self) -> Self {
        if self.frozen { self } else { Self::owned(self.bytes().to_vec()) }
    }

    /// The bytes.
    #[inline(always)]
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the object, the view or the copy keeps them.
        unsafe { core::slice::from_raw_parts(self.start, self.len) }
    }
}
