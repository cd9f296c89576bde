//! Integers beyond 64 bits, through the Python half: CPython's own conversions are quadratic and refuse more
//! than 4300 digits.

use pyo3::ffi::*;
use samewire::visit::Text;
use samewire::{Code, Error};

use crate::layout::Object;
use crate::owned::{Owned, python_error};
use crate::state::state;
use crate::strings::{new_str, utf8_of};

/// More digits are refused: the conversion takes time that grows faster than the input.
const MOST: usize = 100_000;

#[cold]
fn too_many() -> Error {
    Error::new(Code::IntegerOutOfRange, format!("an integer of more than {MOST} digits"))
}

/// The integer of decimal digits.
#[cold]
pub fn from_digits(digits: &str) -> Result<Owned, Error> {
    if digits.trim_start_matches('-').len() > MOST {
        return Err(too_many());
    }
    // SAFETY: the lock is held.
    unsafe {
        let text = new_str(Text::new(digits))?;
        Owned::new(PyObject_CallOneArg((*state()).python.int_from_digits, text.as_ptr()))
    }
}

/// The decimal digits of an integer.
#[cold]
pub fn with_digits<T>(int: Object, then: impl FnOnce(&str) -> Result<T, Error>) -> Result<T, Error> {
    // SAFETY: the lock is held.
    unsafe {
        let text = Owned::new(PyObject_CallOneArg((*state()).python.digits_of_int, int))?;
        if text.as_ptr() == (*state()).none {
            return Err(too_many());
        }
        if PyUnicode_Check(text.as_ptr()) == 0 {
            return Err(python_error());
        }
        let bytes = utf8_of(text.as_ptr()).unwrap_or_default();
        then(core::str::from_utf8(bytes).unwrap_or("0"))
    }
}
