//! Callables of the caller: `default`, `object_hook`, `ext_hook`, and the registry of extension types.
//!
//! What they raise stays set in the interpreter and reaches the caller as it is; see `errors`.

use core::ptr::null_mut;

use pyo3::ffi::*;
use samewire::Error;

use crate::layout::Object;
use crate::owned::{Owned, python_error};
use crate::state::state;

/// Hooks of a decode. Borrowed from the call's arguments, or owned by a Decoder: null where there is none.
#[derive(Clone, Copy)]
pub struct DecodeHooks {
    pub object_hook: Object,
    pub ext_hook: Object,
    /// The dict of type to decode function of an ExtRegistry.
    pub ext_decoders: Object,
}

impl DecodeHooks {
    /// No hooks.
    pub const NONE: DecodeHooks =
        DecodeHooks { object_hook: null_mut(), ext_hook: null_mut(), ext_decoders: null_mut() };

    /// True if Python code may run during the decode.
    pub fn any(&self) -> bool {
        !self.object_hook.is_null() || !self.ext_hook.is_null() || !self.ext_decoders.is_null()
    }

    /// True if [`object`](Self::object) is to be called.
    #[inline(always)]
    pub fn has_object_hook(&self) -> bool {
        !self.object_hook.is_null()
    }

    /// What the object hook makes of a dict.
    #[cold]
    pub fn object(&self, dict: Owned) -> Result<Owned, Error> {
        // SAFETY: the lock is held; the hook is alive.
        unsafe { Owned::new(PyObject_CallOneArg(self.object_hook, dict.as_ptr())) }
    }

    /// What the registry, the ext hook or the class `Ext` makes of an extension value.
    #[cold]
    pub fn ext(&self, kind: i8, bytes: &[u8]) -> Result<Owned, Error> {
        // SAFETY: the lock is held; the hooks are alive.
        unsafe {
            let number = Owned::new(PyLong_FromLong(kind.into()))?;
            let data = Owned::new(PyBytes_FromStringAndSize(bytes.as_ptr().cast(), bytes.len() as Py_ssize_t))?;
            if !self.ext_decoders.is_null() {
                let decode = PyDict_GetItemWithError(self.ext_decoders, number.as_ptr());
                if !decode.is_null() {
                    let decode = Owned::borrowed(decode);
                    return Owned::new(PyObject_CallOneArg(decode.as_ptr(), data.as_ptr()));
                }
                if !PyErr_Occurred().is_null() {
                    return Err(python_error());
                }
            }
            let make = if self.ext_hook.is_null() { (*state()).python.ext } else { self.ext_hook };
            let mut arguments = [number.as_ptr(), data.as_ptr()];
            Owned::new(PyObject_Vectorcall(make, arguments.as_mut_ptr(), 2, null_mut()))
        }
    }
}

/// Hooks of an encode.
#[derive(Clone, Copy)]
pub struct EncodeHooks {
    pub default: Object,
    /// The dict of class to (type, encode function) of an ExtRegistry.
    pub ext_encoders: Object,
}

impl EncodeHooks {
    /// No hooks.
    pub const NONE: EncodeHooks = EncodeHooks { default: null_mut(), ext_encoders: null_mut() };
}
