//! Dicts from keys and values that wait on the stacks, and the shape cache.
//!
//! Records repeat their keys: a remembered key sequence has a template dict, which is copied (one block of
//! memory) and whose entries then get their values. Measured at 1.2-1.45 times the speed of inserting. Where
//! data has no shapes, trying stops paying, and is done only now and then.

use core::ptr::null_mut;

use pyo3::ffi::*;
use samewire::{Code, Error};

use crate::keys::KeyRef;
use crate::layout::{self, Object};
use crate::owned::{Owned, python_error};
use crate::state::{SHAPES, state};

/// Maps with more entries are not remembered.
const LARGEST: usize = 64;

/// A remembered sequence of keys.
#[derive(Default)]
pub struct Shape {
    /// Owned.
    keys: Vec<Object>,
    /// Owned; null until the sequence was seen twice.
    template: Template,
    signature: u64,
}

struct Template(Object);
impl Default for Template {
    fn default() -> Self {
        Template(null_mut())
    }
}

impl Shape {
    /// Empties the shape and gives its references away.
    pub fn take(&mut self, to: &mut Vec<Object>) {
        to.append(&mut self.keys);
        if !self.template.0.is_null() {
            to.push(self.template.0);
        }
        *self = Shape::default();
    }
}

/// The error for a key that stands twice; the reader looks for its place.
#[cold]
#[inline(never)]
pub fn duplicate() -> Error {
    Error::new(Code::DuplicateKey, "a key stands twice in a map")
}

/// A dict of `n` keys and values. Takes over the values' references, whatever happens.
///
/// # Safety
/// The lock is held; the keys live; both pointers have `n` elements.
#[inline(always)]
pub unsafe fn new_dict(keys: *const KeyRef, values: *const Object, n: usize) -> Result<Owned, Error> {
    // SAFETY: the caller's; the table's index is masked.
    unsafe {
        let state = state();
        if n == 0 {
            return Owned::new(PyDict_New());
        }
        if n > LARGEST || !(*state).dict_layout {
            return plain(keys, values, n);
        }
        if (*state).shape_score < -32 {
            (*state).shape_tick = (*state).shape_tick.wrapping_add(1);
            if (*state).shape_tick & 31 != 0 {
                return plain(keys, values, n);
            }
        }
        let index = slot(keys, n);
        let shape = (*state).shapes.as_mut_ptr().add(index);
        if (*shape).keys.len() == n && !(*shape).template.0.is_null() {
            let known = (*shape).keys.as_ptr();
            let mut same = true;
            for i in 0..n {
                same &= *known.add(i) == *keys.add(i);
            }
            if same {
                if (*state).shape_score < 64 {
                    (*state).shape_score += 4;
                }
                return copy((*shape).template.0, values, n);
            }
        }
        if (*state).shape_score > -64 {
            (*state).shape_score -= 1;
        }
        learn(shape, keys, n);
        plain(keys, values, n)
    }
}

#[inline(always)]
unsafe fn slot(keys: *const KeyRef, n: usize) -> usize {
    // SAFETY: n > 0.
    unsafe {
        let first = ((*keys) as usize >> 4).wrapping_mul(0x9E37);
        let last = ((*keys.add(n - 1)) as usize >> 4).wrapping_mul(0x85EB);
        ((first ^ last ^ n.wrapping_mul(0x27d4)) >> 4) & (SHAPES - 1)
    }
}

/// A copy of the template with these values in its entries.
#[inline(always)]
unsafe fn copy(template: Object, values: *const Object, n: usize) -> Result<Owned, Error> {
    // SAFETY: a copy of a dict without holes has the template's keys in the template's order (checked when it
    // was learnt); its values are None.
    unsafe {
        let dict = PyDict_Copy(template);
        let entries = if dict.is_null() { None } else { layout::unicode_entries(dict, n) };
        let Some(entries) = entries else {
            for i in 0..n {
                Py_DECREF(*values.add(i));
            }
            Py_XDECREF(dict);
            return Err(python_error());
        };
        let mut flags = 0;
        for i in 0..n {
            let value = *values.add(i);
            (*entries.add(i))[1] = value;
            flags |= (*Py_TYPE(value)).tp_flags as usize;
        }
        // The references to None that the copy took. Immortal since 3.12.
        #[cfg(not(Py_3_12))]
        {
            (*(*state()).none).ob_refcnt -= n as Py_ssize_t;
        }
        // The collector need not know a dict of strings and numbers; it was copied as one.
        if flags & Py_TPFLAGS_HAVE_GC as usize != 0 && PyObject_GC_IsTracked(dict) == 0 {
            PyObject_GC_Track(dict.cast());
        }
        Owned::new(dict)
    }
}

#[inline(never)]
unsafe fn plain(keys: *const KeyRef, values: *const Object, n: usize) -> Result<Owned, Error> {
    // SAFETY: the caller's.
    unsafe {
        let dict = layout::new_dict(n);
        let mut good = !dict.is_null();
        for i in 0..n {
            let value = *values.add(i);
            if good {
                good = PyDict_SetItem(dict, *keys.add(i), value) == 0;
            }
            Py_DECREF(value);
        }
        let dict = Owned::new(dict)?;
        if !good {
            return Err(python_error());
        }
        if PyDict_Size(dict.as_ptr()) as usize != n {
            return Err(duplicate());
        }
        Ok(dict)
    }
}

#[inline(never)]
unsafe fn learn(shape: *mut Shape, keys: *const KeyRef, n: usize) {
    // SAFETY: the caller's. The new template is looked at before it is trusted.
    unsafe {
        let keys = core::slice::from_raw_parts(keys, n);
        let signature = keys
            .iter()
            .fold(n as u64, |mix, &key| (mix.rotate_left(9) ^ key as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        // A sequence seen once may never come again: only its signature is kept.
        if (*shape).signature != signature {
            (*shape).signature = signature;
            return;
        }
        let dict = PyDict_New();
        let mut good = !dict.is_null();
        for &key in keys {
            good = good && PyDict_SetItem(dict, key, (*state()).none) == 0;
        }
        good = good
            && PyDict_Size(dict) as usize == n
            && layout::unicode_entries(dict, n)
                .is_some_and(|e| (0..n).all(|i| (*e.add(i))[0] == keys[i] && (*e.add(i))[1] == (*state()).none));
        if !good {
            PyErr_Clear();
            Py_XDECREF(dict);
            return;
        }
        let mut gone = Vec::new();
        (*shape).take(&mut gone);
        (*shape).signature = signature;
        (*shape).keys.extend(keys.iter().map(|&key| {
            Py_INCREF(key);
            key
        }));
        (*shape).template = Template(dict);
        for object in gone {
            Py_DECREF(object);
        }
    }
}
