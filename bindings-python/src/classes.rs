//! `Encoder` and `Decoder`: options parsed once, for a format named once.

use core::mem::MaybeUninit;

use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use samewire::{Code, Error, Format};

use crate::codec::{self, End};
use crate::errors::{self, Side};
use crate::output;
use crate::owned::Owned;
use crate::settings::Settings;

/// An object made by the hot paths, for pyo3.
pub fn finish(py: Python<'_>, side: Side, result: Result<Owned, Error>) -> PyResult<Bound<'_, PyAny>> {
    match result {
        // SAFETY: owned.
        Ok(object) => Ok(unsafe { Bound::from_owned_ptr(py, object.into_ptr()) }),
        Err(error) => Err(exception(py, side, &error)),
    }
}

/// The exception for an error.
#[cold]
pub fn exception(py: Python<'_>, side: Side, error: &Error) -> PyErr {
    errors::raise(side, error);
    PyErr::fetch(py)
}

/// The settings among keyword arguments.
pub fn settings(py: Python<'_>, side: Side, options: Option<&Bound<'_, PyDict>>) -> PyResult<Settings> {
    // SAFETY: the interpreter is attached; keywords are str.
    let settings = unsafe { Settings::of_dict(options.map_or(core::ptr::null_mut(), |o| o.as_ptr())) };
    settings.map_err(|error| exception(py, side, &error))
}

/// The format of a name.
pub fn format(py: Python<'_>, name: &str) -> PyResult<Format> {
    Format::parse(name).map_err(|error| exception(py, Side::Decode, &error))
}

/// Writes objects in one format, with options that are parsed once.
///
/// Takes the keyword arguments of `packb` and `dumps`.
#[pyclass(frozen, module = "samewire", name = "Encoder")]
pub struct Encoder {
    format: Format,
    settings: Settings,
}

#[pymethods]
impl Encoder {
    #[new]
    #[pyo3(signature = (format, /, **options))]
    fn new(py: Python<'_>, format: &str, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let format = self::format(py, format)?;
        Ok(Encoder { format, settings: settings(py, Side::Encode, options)? })
    }

    /// "msgpack" or "json".
    #[getter]
    fn format(&self) -> &'static str {
        self.format.as_str()
    }

    /// The bytes of an object.
    #[pyo3(signature = (obj, /))]
    fn encode<'py>(&self, py: Python<'py>, obj: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let object = obj.as_ptr();
        // SAFETY: the interpreter is attached.
        let result =
            unsafe { codec::encode(self.format, object, &self.settings.options, &self.settings.encode_hooks()) };
        finish(py, Side::Encode, result)
    }

    /// Writes an object into a buffer and returns the offset of its end.
    ///
    /// A bytearray grows as needed and ends where the object ends; `offset` -1 appends to it. Any other writable
    /// buffer must have room (`buffer-too-small`) and keeps its size.
    #[pyo3(signature = (obj, buffer, /, offset=0))]
    fn encode_into<'py>(
        &self,
        py: Python<'py>,
        obj: &Bound<'py, PyAny>,
        buffer: &Bound<'py, PyAny>,
        offset: isize,
    ) -> PyResult<usize> {
        let hooks = self.settings.encode_hooks();
        let written = output::with_slice(
            // SAFETY: the interpreter is attached.
            |out| unsafe { codec::write(self.format, obj.as_ptr(), &self.settings.options, &hooks, out) },
            |bytes| place(py, bytes, buffer, offset),
        );
        written.map_err(|error| exception(py, Side::Encode, &error))?
    }
}

/// Puts bytes into a buffer at an offset.
fn place(py: Python<'_>, bytes: &[u8], buffer: &Bound<'_, PyAny>, offset: isize) -> PyResult<usize> {
    let object = buffer.as_ptr();
    let refused = |code, message: String| Err(exception(py, Side::Encode, &Error::new(code, message)));
    // SAFETY: the interpreter is attached. The bytearray is resized before its memory is looked up, and nothing
    // runs between that and the copy; the view keeps other memory in place.
    unsafe {
        if ffi::PyByteArray_Check(object) != 0 {
            let len = ffi::PyByteArray_Size(object);
            let at = if offset == -1 { len } else { offset };
            if !(0..=len).contains(&at) {
                return refused(
                    Code::InvalidOption,
                    format!("offset {offset} is outside the {len} bytes of the bytearray"),
                );
            }
            let end = at as usize + bytes.len();
            if ffi::PyByteArray_Resize(object, end as ffi::Py_ssize_t) != 0 {
                return Err(PyErr::fetch(py));
            }
            let to = ffi::PyByteArray_AsString(object).cast::<u8>().add(at as usize);
            core::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len());
            return Ok(end);
        }
        if ffi::PyObject_CheckBuffer(object) == 0 {
            return Err(PyTypeError::new_err("encode_into writes into a bytearray or another writable buffer"));
        }
        let mut view = MaybeUninit::<ffi::Py_buffer>::zeroed().assume_init();
        if ffi::PyObject_GetBuffer(object, &mut view, ffi::PyBUF_CONTIG) != 0 {
            return Err(PyErr::fetch(py));
        }
        let len = view.len;
        let result = if view.readonly != 0 {
            Err(PyBufferError::new_err("the buffer is read-only"))
        } else if offset < 0 || offset > len {
            refused(Code::InvalidOption, format!("offset {offset} is outside the {len} bytes of the buffer"))
        } else if bytes.len() > (len - offset) as usize {
            let (n, room) = (bytes.len(), len - offset);
            refused(Code::BufferTooSmall, format!("{n} bytes do not fit into the {room} bytes that are left"))
        } else {
            let to = view.buf.cast::<u8>().add(offset as usize);
            core::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len());
            Ok(offset as usize + bytes.len())
        };
        ffi::PyBuffer_Release(&mut view);
        result
    }
}

/// Reads one format, with options that are parsed once.
///
/// Takes the keyword arguments of `unpackb` and `loads`.
#[pyclass(frozen, module = "samewire", name = "Decoder")]
pub struct Decoder {
    format: Format,
    settings: Settings,
}

#[pymethods]
impl Decoder {
    #[new]
    #[pyo3(signature = (format, /, **options))]
    fn new(py: Python<'_>, format: &str, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let format = self::format(py, format)?;
        Ok(Decoder { format, settings: settings(py, Side::Decode, options)? })
    }

    /// "msgpack" or "json".
    #[getter]
    fn format(&self) -> &'static str {
        self.format.as_str()
    }

    /// The object that the bytes (JSON: or the str) stand for.
    #[pyo3(signature = (data, /))]
    fn decode<'py>(&self, py: Python<'py>, data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: the interpreter is attached.
        let result = unsafe {
            codec::input_of(self.format, data.as_ptr(), &self.settings)
                .and_then(|input| codec::decode(self.format, input.bytes(), 0, End::Whole, &self.settings))
        };
        finish(py, Side::Decode, result.map(|(value, _)| value))
    }

    /// One value that begins at `offset` of longer data, and the offset of its end.
    #[pyo3(signature = (data, /, offset=0))]
    fn decode_from<'py>(
        &self,
        py: Python<'py>,
        data: &Bound<'py, PyAny>,
        offset: usize,
    ) -> PyResult<(Bound<'py, PyAny>, usize)> {
        // SAFETY: the interpreter is attached.
        let result = unsafe {
            codec::input_of(self.format, data.as_ptr(), &self.settings).and_then(|input| {
                let len = input.bytes().len();
                if offset > len {
                    return Err(codec::outside(offset as isize, len));
                }
                codec::decode(self.format, input.bytes(), offset, End::First, &self.settings)
            })
        };
        let (value, end) = result.map_err(|error| exception(py, Side::Decode, &error))?;
        Ok((finish(py, Side::Decode, Ok(value))?, end))
    }
}

/// The bytes of an argument as a bytes object: itself, or a copy that nobody changes.
pub fn frozen_bytes<'py>(
    py: Python<'py>,
    format: Format,
    data: &Bound<'py, PyAny>,
    settings: &Settings,
) -> PyResult<Bound<'py, PyBytes>> {
    if let Ok(bytes) = data.cast_exact::<PyBytes>() {
        return Ok(bytes.clone());
    }
    // SAFETY: the interpreter is attached.
    let input = unsafe { codec::input_of(format, data.as_ptr(), settings) };
    let input = input.map_err(|error| exception(py, Side::Decode, &error))?;
    Ok(PyBytes::new(py, input.bytes()))
}
