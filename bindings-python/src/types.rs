//! Which kind a Python type is written as, where that is not one of the exact built-in types.
//!
//! The Python half decides once per type (`_host.resolve`); the answer is kept.

use pyo3::ffi::*;
use samewire::Error;

use crate::layout::Object;
use crate::owned::{Owned, python_error};
use crate::state::state;

/// How a type is written.
pub enum Plan {
    /// As what its base is: see the constants of `_host.py`.
    Base(Base),
    /// As what a function makes of it.
    Convert(Owned),
    /// As binary if it has the buffer protocol, else not at all, but for `default`.
    Unknown,
    /// Not at all, but for `default`.
    Unsupported,
}

/// The built-in type that a subclass is written as.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Base {
    Str,
    Int,
    Float,
    Dict,
    List,
    Tuple,
    Buffer,
    Datetime,
    Raw,
    Ext,
}

const BASES: [Base; 10] = [
    Base::Str,
    Base::Int,
    Base::Float,
    Base::Dict,
    Base::List,
    Base::Tuple,
    Base::Buffer,
    Base::Datetime,
    Base::Raw,
    Base::Ext,
];

/// Types that are remembered: programs that make types without end get the memory back.
const MOST: Py_ssize_t = 4096;

/// How the type of an object is written.
///
/// # Safety
/// The lock is held. Python code may run.
pub unsafe fn plan_of(object: Object) -> Result<Plan, Error> {
    // SAFETY: the caller's.
    unsafe {
        let converters = (*state()).converters;
        let kind = Py_TYPE(object).cast::<PyObject>();
        let known = PyDict_GetItemWithError(converters, kind);
        let answer = if known.is_null() {
            if !PyErr_Occurred().is_null() {
                return Err(python_error());
            }
            let answer = Owned::new(PyObject_CallOneArg((*state()).python.resolve, kind))?;
            if PyDict_Size(converters) >= MOST {
                PyDict_Clear(converters);
            }
            if PyDict_SetItem(converters, kind, answer.as_ptr()) != 0 {
                return Err(python_error());
            }
            answer
        } else {
            Owned::borrowed(known)
        };
        if answer.as_ptr() == (*state()).none {
            return Ok(Plan::Unknown);
        }
        if Py_TYPE(answer.as_ptr()) == &raw mut PyLong_Type {
            let index = PyLong_AsSize_t(answer.as_ptr());
            return Ok(BASES.get(index).map_or(Plan::Unsupported, |&base| Plan::Base(base)));
        }
        Ok(Plan::Convert(answer))
    }
}

/// The name of an object's type, for messages.
///
/// # Safety
/// The lock is held.
pub unsafe fn name_of(object: Object) -> String {
    // SAFETY: tp_name is a C string that lives with the type.
    unsafe { core::ffi::CStr::from_ptr((*Py_TYPE(object)).tp_name).to_string_lossy().into_owned() }
}
