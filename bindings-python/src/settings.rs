//! Keyword arguments as core's options and this binding's hooks. No option is known here by name but the
//! callables and `pause_gc`: the rest is `Options::set`'s business.

use core::ptr::null_mut;

use pyo3::ffi::*;
use samewire::options::Setting;
use samewire::{Code, Error, Options};

use crate::hooks::{DecodeHooks, EncodeHooks};
use crate::layout::Object;
use crate::owned::{Owned, python_error};
use crate::state::state;
use crate::strings;
use crate::types;

/// What a call was told. Holds the hooks.
pub struct Settings {
    pub options: Options,
    pub pause_gc: bool,
    held: Vec<Owned>,
    default: Object,
    ext_encoders: Object,
    decode: DecodeHooks,
}

// SAFETY: used and dropped only with the lock held.
unsafe impl Send for Settings {}
// SAFETY: as above.
unsafe impl Sync for Settings {}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            options: Options::default(),
            pause_gc: true,
            held: Vec::new(),
            default: null_mut(),
            ext_encoders: null_mut(),
            decode: DecodeHooks::NONE,
        }
    }
}

impl Settings {
    /// Hooks for an encode; borrowed from `self`.
    pub fn encode_hooks(&self) -> EncodeHooks {
        EncodeHooks { default: self.default, ext_encoders: self.ext_encoders }
    }

    /// Hooks for a decode; borrowed from `self`.
    pub fn decode_hooks(&self) -> DecodeHooks {
        self.decode
    }

    /// True if Python code may run during a call.
    pub fn has_hooks(&self) -> bool {
        self.decode.any()
    }

    /// Sets one keyword argument.
    ///
    /// # Safety
    /// The lock is held; `name` is a str.
    pub unsafe fn set(&mut self, name: &str, value: Object) -> Result<(), Error> {
        // SAFETY: what is borrowed is held.
        unsafe {
            let given = value != (*state()).none;
            match name {
                "default" => self.default = self.callable(name, value)?,
                "object_hook" => self.decode.object_hook = self.callable(name, value)?,
                "ext_hook" => self.decode.ext_hook = self.callable(name, value)?,
                "ext" if !given => (self.ext_encoders, self.decode.ext_decoders) = (null_mut(), null_mut()),
                "ext" => {
                    self.ext_encoders = self.registry(value, c"_encoders")?;
                    self.decode.ext_decoders = self.registry(value, c"_decoders")?;
                }
                "pause_gc" if !given => self.pause_gc = true,
                "pause_gc" => match setting(value)? {
                    Given::Bool(on) => self.pause_gc = on,
                    _ => {
                        return Err(invalid(format!(
                            "option pause_gc takes True or False, not {}",
                            types::name_of(value)
                        )));
                    }
                },
                _ => match setting(value)? {
                    Given::None => self.options.set(name, Setting::None)?,
                    Given::Bool(b) => self.options.set(name, Setting::Bool(b))?,
                    Given::Int(n) => self.options.set(name, Setting::Int(n))?,
                    Given::Str(s) => self.options.set(name, Setting::Str(&s))?,
                    Given::Other(kind) => self.options.set(name, Setting::Other(&kind))?,
                },
            }
            Ok(())
        }
    }

    unsafe fn callable(&mut self, name: &str, value: Object) -> Result<Object, Error> {
        // SAFETY: the lock is held.
        unsafe {
            if value == (*state()).none {
                return Ok(null_mut());
            }
            if PyCallable_Check(value) == 0 {
                return Err(invalid(format!("option {name} takes a callable, not {}", types::name_of(value))));
            }
            self.held.push(Owned::borrowed(value));
            Ok(value)
        }
    }

    unsafe fn registry(&mut self, value: Object, part: &core::ffi::CStr) -> Result<Object, Error> {
        // SAFETY: the lock is held.
        unsafe {
            let dict = PyObject_GetAttrString(value, part.as_ptr());
            if dict.is_null() || PyDict_Check(dict) == 0 {
                PyErr_Clear();
                Py_XDECREF(dict);
                return Err(invalid(format!("option ext takes a samewire.ExtRegistry, not {}", types::name_of(value))));
            }
            self.held.push(Owned::new(dict)?);
            Ok(dict)
        }
    }

    /// The keyword arguments of a vectorcall: names in a tuple, values in a row.
    ///
    /// # Safety
    /// The lock is held; `values` has as many elements as `names`.
    pub unsafe fn of_keywords(names: Object, values: *const Object, skip: &[&str]) -> Result<Self, Error> {
        // SAFETY: the caller's.
        unsafe {
            let mut settings = Settings::default();
            for i in 0..PyTuple_GET_SIZE(names) {
                let name = text(PyTuple_GET_ITEM(names, i))?;
                if !skip.contains(&name.as_str()) {
                    settings.set(&name, *values.add(i as usize))?;
                }
            }
            Ok(settings)
        }
    }

    /// The entries of a dict of keyword arguments.
    ///
    /// # Safety
    /// The lock is held; `dict` is a dict with str keys, or null.
    pub unsafe fn of_dict(dict: Object) -> Result<Self, Error> {
        // SAFETY: the caller's.
        unsafe {
            let mut settings = Settings::default();
            let (mut position, mut key, mut value) = (0, null_mut(), null_mut());
            while !dict.is_null() && PyDict_Next(dict, &mut position, &mut key, &mut value) != 0 {
                settings.set(&text(key)?, value)?;
            }
            Ok(settings)
        }
    }
}

enum Given {
    None,
    Bool(bool),
    Int(i64),
    Str(String),
    Other(String),
}

unsafe fn setting(value: Object) -> Result<Given, Error> {
    // SAFETY: the lock is held.
    unsafe {
        let [none, no, yes] = (*state()).constants;
        if value == none {
            return Ok(Given::None);
        }
        if value == no || value == yes {
            return Ok(Given::Bool(value == yes));
        }
        if PyUnicode_Check(value) != 0 {
            return Ok(Given::Str(text(value)?));
        }
        if PyLong_Check(value) != 0 {
            let mut overflow = 0;
            let n = PyLong_AsLongLongAndOverflow(value, &mut overflow);
            if overflow == 0 {
                return Ok(Given::Int(n));
            }
        }
        Ok(Given::Other(types::name_of(value)))
    }
}

/// The text of a str.
///
/// # Safety
/// The lock is held; `string` is a str.
pub unsafe fn text(string: Object) -> Result<String, Error> {
    // SAFETY: the caller's.
    unsafe {
        if PyUnicode_Check(string) == 0 {
            PyErr_SetString(PyExc_TypeError, c"a str is expected".as_ptr());
            return Err(python_error());
        }
        match strings::utf8_of(string) {
            Some(bytes) => Ok(String::from_utf8_lossy(bytes).into_owned()),
            None => Ok(strings::without_surrogates(string)),
        }
    }
}

#[cold]
fn invalid(message: String) -> Error {
    Error::new(Code::InvalidOption, message)
}
