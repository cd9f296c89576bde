//! The visitor that builds Python objects: what `unpackb` and `loads` read into.
//!
//! Values wait on one stack until their container closes; then the list or dict is made with its final size.
//! No policy lives here: limits, duplicates and places of errors are the reader's.

use pyo3::ffi::*;
use samewire::options::{Options, TimestampAs};
use samewire::time::Timestamp;
use samewire::visit::{Constant, Text, Visitor};
use samewire::{Code, Error};

use crate::dicts;
use crate::hooks::DecodeHooks;
use crate::keys::{self, KeyRef};
use crate::layout::Object;
use crate::owned::{Owned, python_error};
use crate::state::{SMALL_INTS, state};
use crate::strings::new_str;
use crate::{bigint, time, types};

/// Builds objects for one input. `DECIMALS`: JSON numbers with a fraction become `Decimal`.
pub struct Builder<'h, const DECIMALS: bool> {
    values: Vec<Object>,
    keys: Vec<KeyRef>,
    timestamps_as_int: bool,
    hooks: &'h DecodeHooks,
}

impl<'h, const DECIMALS: bool> Builder<'h, DECIMALS> {
    /// A builder; the lock must be held until it is dropped, but for what hooks do.
    pub fn new(options: &Options, hooks: &'h DecodeHooks) -> Self {
        let state = state();
        // SAFETY: the lock is held. The stacks are taken out: a decode inside a hook finds none and makes its own.
        unsafe {
            (*state).decodes += 1;
            Builder {
                values: core::mem::take(&mut (*state).values_stack),
                keys: core::mem::take(&mut (*state).keys_stack),
                timestamps_as_int: options.timestamp == TimestampAs::Int,
                hooks,
            }
        }
    }
}

impl<const DECIMALS: bool> Drop for Builder<'_, DECIMALS> {
    #[inline]
    fn drop(&mut self) {
        let state = state();
        // SAFETY: the lock is held. Releasing may run Python code, so each thing is taken out first.
        unsafe {
            self.keys.clear();
            if !self.values.is_empty() {
                for value in core::mem::take(&mut self.values) {
                    Py_DECREF(value);
                }
            }
            // A stack that one huge array left behind is not kept.
            if self.values.capacity() <= 1 << 17 {
                (*state).values_stack = core::mem::take(&mut self.values);
                (*state).keys_stack = core::mem::take(&mut self.keys);
            }
            (*state).decodes -= 1;
            if (*state).decodes == 0 && !(*state).grave.is_empty() {
                bury();
            }
        }
    }
}

#[cold]
#[inline(never)]
unsafe fn bury() {
    // SAFETY: the lock is held.
    unsafe {
        for key in core::mem::take(&mut (*state()).grave) {
            Py_DECREF(key);
        }
    }
}

/// An open array: where its values begin on the stack.
pub struct Array(usize);

/// An open map: where its keys and values begin; once it has a key that is not a string, the dict itself.
pub struct Map {
    keys: usize,
    values: usize,
    dict: Option<Owned>,
}

impl<const DECIMALS: bool> Builder<'_, DECIMALS> {
    /// A map that has a key of another kind than str grows its dict entry by entry, so that keys that Python
    /// takes for equal (`True`, `1`, `1.0`) are found where they stand.
    #[cold]
    #[inline(never)]
    fn make_general(&mut self, map: &mut Map) -> Result<(), Error> {
        if map.dict.is_some() {
            return Ok(());
        }
        // SAFETY: the lock is held; the entries so far are moved from the stacks into the dict.
        unsafe {
            let n = self.keys.len() - map.keys;
            let (k, v) = (self.keys.as_ptr().add(map.keys), self.values.as_ptr().add(map.values));
            self.keys.set_len(map.keys);
            self.values.set_len(map.values);
            map.dict = Some(dicts::new_dict(k, v, n)?);
        }
        Ok(())
    }
}

/// What a MessagePack array is as a key: a tuple, all the way down.
///
/// # Safety
/// The lock is held.
pub unsafe fn as_key(value: Owned) -> Result<Owned, Error> {
    // SAFETY: the lock is held.
    unsafe {
        if PyList_Check(value.as_ptr()) != 0 {
            let tuple = Owned::new(PyList_AsTuple(value.as_ptr()))?;
            for i in 0..PyTuple_GET_SIZE(tuple.as_ptr()) {
                let item = PyTuple_GET_ITEM(tuple.as_ptr(), i);
                if PyList_Check(item) != 0 {
                    let item = as_key(Owned::borrowed(item))?;
                    // The list that stood there is released; nobody has seen the tuple yet.
                    let old = PyTuple_GET_ITEM(tuple.as_ptr(), i);
                    PyTuple_SET_ITEM(tuple.as_ptr(), i, item.into_ptr());
                    Py_DECREF(old);
                }
            }
            return Ok(tuple);
        }
        Ok(value)
    }
}

impl<const DECIMALS: bool> Visitor for Builder<'_, DECIMALS> {
    const FINDS_DUPLICATES: bool = true;
    const DECIMALS: bool = DECIMALS;

    type Value = Owned;
    type Array = Array;
    type Map = Map;
    type Key = KeyRef;

    #[inline(always)]
    fn constant(&mut self, value: Constant) -> Result<Owned, Error> {
        // SAFETY: the number of a constant is 0, 1 or 2.
        unsafe { Ok(Owned::borrowed(*(*state()).constants.as_ptr().add(value as usize))) }
    }

    #[inline(always)]
    fn int(&mut self, value: i64) -> Result<Owned, Error> {
        let index = value.wrapping_add(256).cast_unsigned();
        // SAFETY: within the table.
        unsafe {
            if index < SMALL_INTS as u64 {
                return Ok(Owned::borrowed(*(*state()).small_ints.as_ptr().add(index as usize)));
            }
            Owned::new(PyLong_FromLongLong(value))
        }
    }

    #[inline]
    fn uint(&mut self, value: u64) -> Result<Owned, Error> {
        // SAFETY: the lock is held.
        unsafe { Owned::new(PyLong_FromUnsignedLongLong(value)) }
    }

    #[cold]
    fn bigint(&mut self, digits: &str) -> Result<Owned, Error> {
        bigint::from_digits(digits)
    }

    #[inline(always)]
    fn float(&mut self, value: f64) -> Result<Owned, Error> {
        // SAFETY: the header is that of a float this interpreter made, checked at import.
        unsafe {
            let state = state();
            if (*state).layouts {
                let object = PyObject_Malloc(size_of::<PyFloatObject>()).cast::<PyFloatObject>();
                if object.is_null() {
                    return Err(python_error());
                }
                object.cast::<[usize; 2]>().write((*state).float_header);
                (&raw mut (*object).ob_fval).write(value);
                return Owned::new(object.cast());
            }
            Owned::new(PyFloat_FromDouble(value))
        }
    }

    #[cold]
    fn decimal(&mut self, text: &str, _: f64) -> Result<Owned, Error> {
        // SAFETY: the lock is held.
        unsafe {
            let text = new_str(Text::new(text))?;
            Owned::new(PyObject_CallOneArg((*state()).python.decimal, text.as_ptr()))
        }
    }

    #[inline(always)]
    fn str(&mut self, text: Text<'_>) -> Result<Owned, Error> {
        // SAFETY: the lock is held.
        unsafe { new_str(text) }
    }

    #[inline]
    fn bin(&mut self, bytes: &[u8]) -> Result<Owned, Error> {
        // SAFETY: the lock is held.
        unsafe { Owned::new(PyBytes_FromStringAndSize(bytes.as_ptr().cast(), bytes.len() as Py_ssize_t)) }
    }

    #[inline]
    fn timestamp(&mut self, value: Timestamp) -> Result<Owned, Error> {
        if self.timestamps_as_int {
            return time::as_int(value);
        }
        time::as_datetime(value)
    }

    fn ext(&mut self, kind: i8, bytes: &[u8]) -> Result<Owned, Error> {
        self.hooks.ext(kind, bytes)
    }

    #[inline(always)]
    fn begin_array(&mut self, _: Option<usize>) -> Result<Array, Error> {
        Ok(Array(self.values.len()))
    }

    #[inline(always)]
    fn element(&mut self, _: &mut Array, value: Owned) -> Result<(), Error> {
        self.values.push(value.into_ptr());
        Ok(())
    }

    #[inline(always)]
    fn end_array(&mut self, array: Array) -> Result<Owned, Error> {
        // SAFETY: the lock is held; the values move from the stack into the list. Making the list may run the
        // collector, which does not see the stack; it is ours.
        unsafe {
            let n = self.values.len() - array.0;
            let list = Owned::new(PyList_New(n as Py_ssize_t))?;
            if n > 0 {
                let items = (*list.as_ptr().cast::<PyListObject>()).ob_item;
                core::ptr::copy_nonoverlapping(self.values.as_ptr().add(array.0), items, n);
            }
            self.values.set_len(array.0);
            Ok(list)
        }
    }

    #[inline(always)]
    fn begin_map(&mut self, _: Option<usize>) -> Result<Map, Error> {
        Ok(Map { keys: self.keys.len(), values: self.values.len(), dict: None })
    }

    #[inline(always)]
    fn key(&mut self, _: &mut Map, text: Text<'_>) -> Result<KeyRef, Error> {
        // SAFETY: the lock is held, a decode is running.
        unsafe { keys::key(text) }
    }

    #[cold]
    fn value_key(&mut self, map: &mut Map, value: Owned) -> Result<KeyRef, Error> {
        self.make_general(map)?;
        // SAFETY: the lock is held; the grave keeps the key as long as it is needed.
        unsafe {
            if PyDict_Check(value.as_ptr()) != 0 {
                return Err(Error::new(Code::MapKeyType, "a map cannot be a key of a dict"));
            }
            let key = as_key(value)?;
            if PyObject_Hash(key.as_ptr()) == -1 {
                PyErr_Clear();
                let kind = types::name_of(key.as_ptr());
                return Err(Error::new(Code::MapKeyType, format!("a {kind} cannot be a key of a dict")));
            }
            let object = key.into_ptr();
            (*state()).grave.push(object);
            Ok(object)
        }
    }

    #[inline(always)]
    fn entry(&mut self, map: &mut Map, key: KeyRef, value: Owned) -> Result<(), Error> {
        if let Some(dict) = &map.dict {
            return general_entry(dict.as_ptr(), key, value);
        }
        self.keys.push(key);
        self.values.push(value.into_ptr());
        Ok(())
    }

    #[inline(always)]
    fn end_map(&mut self, map: Map) -> Result<Owned, Error> {
        let dict = match map.dict {
            Some(dict) => dict,
            // SAFETY: both stacks have the map's entries on top; new_dict takes the values over.
            None => unsafe {
                let n = self.keys.len() - map.keys;
                let (k, v) = (self.keys.as_ptr().add(map.keys), self.values.as_ptr().add(map.values));
                self.keys.set_len(map.keys);
                self.values.set_len(map.values);
                dicts::new_dict(k, v, n)?
            },
        };
        if self.hooks.has_object_hook() {
            return self.hooks.object(dict);
        }
        Ok(dict)
    }
}

#[cold]
#[inline(never)]
fn general_entry(dict: Object, key: KeyRef, value: Owned) -> Result<(), Error> {
    // SAFETY: the lock is held.
    unsafe {
        let before = PyDict_Size(dict);
        if PyDict_SetItem(dict, key, value.as_ptr()) != 0 {
            return Err(python_error());
        }
        if PyDict_Size(dict) == before { Err(dicts::duplicate()) } else { Ok(()) }
    }
}
