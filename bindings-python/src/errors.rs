//! Core's errors as Python exceptions.

use core::ptr::null_mut;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::ffi::*;
use pyo3::prelude::*;
use samewire::visit::Text;
use samewire::{Code, Error};

use crate::layout::Object;
use crate::owned::Owned;
use crate::state::state;
use crate::strings::new_str;

/// Which class a failure is raised as.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Encode,
    Decode,
}

/// Runs the body of a function that Python calls: errors become exceptions, and a panic (memory that could not
/// be had, or a bug) does not cross into the interpreter.
#[inline(always)]
pub fn guard(side: Side, body: impl FnOnce() -> Result<Owned, Error>) -> Object {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(object)) => object.into_ptr(),
        Ok(Err(error)) => {
            raise(side, &error);
            null_mut()
        }
        Err(_) => {
            panicked();
            null_mut()
        }
    }
}

/// Sets the exception after a caught panic.
#[cold]
pub fn panicked() {
    // SAFETY: the lock is held.
    unsafe {
        if PyErr_Occurred().is_null() {
            PyErr_SetString(PyExc_SystemError, c"samewire: internal error, please report it".as_ptr());
        }
    }
}

/// Sets the exception for an error. An exception that is set already (a hook's) stays what it is, with a note
/// that says where it happened.
#[cold]
#[inline(never)]
pub fn raise(side: Side, error: &Error) {
    // SAFETY: the lock is held; objects made here are released here.
    unsafe {
        if !PyErr_Occurred().is_null() {
            add_note(error);
            return;
        }
        let python = &(*state()).python;
        let class = match (error.code(), side) {
            (Code::InvalidOption | Code::InvalidState, _) => python.base_error,
            (_, Side::Encode) => python.encode_error,
            (_, Side::Decode) => python.decode_error,
        };
        if let Ok(instance) = instance(class, error) {
            PyErr_SetObject(class, instance.as_ptr());
        }
    }
}

unsafe fn instance(class: Object, error: &Error) -> Result<Owned, Error> {
    // SAFETY: the lock is held.
    unsafe {
        let message = new_str(Text::new(error.message()))?;
        let code = new_str(Text::new(error.code().as_str()))?;
        let offset = match error.offset() {
            Some(offset) => Owned::new(PyLong_FromSize_t(offset))?,
            None => Owned::borrowed((*state()).none),
        };
        let path = new_str(Text::new(error.path()))?;
        let mut arguments = [message.as_ptr(), code.as_ptr(), offset.as_ptr(), path.as_ptr()];
        Owned::new(PyObject_Vectorcall(class, arguments.as_mut_ptr(), arguments.len(), null_mut()))
    }
}

/// `BaseException.add_note`, where there is one (3.11), on the exception that is set.
///
/// # Safety
/// The lock is held.
unsafe fn add_note(error: &Error) {
    if cfg!(not(Py_3_11)) {
        return;
    }
    let text = match (error.offset(), error.path()) {
        (None, "") => return,
        (None, path) => format!("samewire: in {path}"),
        (Some(offset), "") => format!("samewire: at byte {offset}"),
        (Some(offset), path) => format!("samewire: at byte {offset}, in {path}"),
    };
    attached(|py| {
        if let Some(exception) = PyErr::take(py) {
            // A class may have a method of its own that raises: the exception counts, not the note.
            let _ = exception.value(py).call_method1("add_note", (text,));
            exception.restore(py);
        }
    });
}

/// Runs what uses pyo3's own objects. The functions here are called past pyo3, which keeps objects that are dropped
/// while it knows of no lock until it hears of one: they would pile up.
fn attached<T>(work: impl FnOnce(Python<'_>) -> T) -> T {
    Python::attach(work)
}

/// The exception that Python code raised to refuse a value with a code of ours (`_host.Refused`), as an error.
///
/// # Safety
/// The lock is held and an exception is set.
pub unsafe fn refused() -> Error {
    // SAFETY: the caller's.
    unsafe {
        if PyErr_ExceptionMatches((*state()).python.refused) == 0 {
            return crate::owned::python_error();
        }
        attached(|py| {
            let Some(exception) = PyErr::take(py) else { return crate::owned::python_error() };
            let text = |name: &str| {
                let value = exception.value(py).getattr(name);
                value.and_then(|value| value.extract::<String>()).unwrap_or_default()
            };
            let code = text("code").parse().unwrap_or(Code::UnsupportedType);
            Error::new(code, text("message"))
        })
    }
}
