//! One owned reference to a Python object, as the hot paths pass it: a pointer that is released when dropped.

use core::mem::ManuallyDrop;
use core::ptr::NonNull;

use pyo3::ffi::{Py_DECREF, Py_INCREF, PyErr_NoMemory, PyErr_Occurred};
use samewire::{Code, Error};

use crate::layout::Object;

/// An owned reference. Made and dropped only with the interpreter attached.
#[repr(transparent)]
pub struct Owned(NonNull<pyo3::ffi::PyObject>);

impl Owned {
    /// Takes over a reference that a CPython function returned; null means that it set an exception.
    ///
    /// # Safety
    /// The interpreter is attached; the reference is the caller's to give, or null.
    #[inline(always)]
    pub unsafe fn new(object: Object) -> Result<Self, Error> {
        match NonNull::new(object) {
            Some(object) => Ok(Owned(object)),
            None => Err(python_error()),
        }
    }

    /// Another reference to an object.
    ///
    /// # Safety
    /// The interpreter is attached and the object alive.
    #[inline(always)]
    pub unsafe fn borrowed(object: Object) -> Self {
        // SAFETY: the caller's.
        unsafe {
            Py_INCREF(object);
            Owned(NonNull::new_unchecked(object))
        }
    }

    /// The object, still owned by `self`.
    #[inline(always)]
    pub fn as_ptr(&self) -> Object {
        self.0.as_ptr()
    }

    /// The object, owned by the caller from now on.
    #[inline(always)]
    pub fn into_ptr(self) -> Object {
        ManuallyDrop::new(self).0.as_ptr()
    }
}

impl Drop for Owned {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: owned; the interpreter is attached wherever these live.
        unsafe { Py_DECREF(self.0.as_ptr()) }
    }
}

/// Stands for the exception that is set in the interpreter: it travels through core as `hook-failed` and is
/// raised as it is at the end.
#[cold]
#[inline(never)]
pub fn python_error() -> Error {
    // SAFETY: called with the interpreter attached.
    unsafe {
        if PyErr_Occurred().is_null() {
            PyErr_NoMemory();
        }
    }
    Error::new(Code::HookFailed, "a Python exception")
}

samewire::absent_is_none!(Owned);
