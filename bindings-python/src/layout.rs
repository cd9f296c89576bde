//! The private layouts of CPython objects that the hot paths read and write, in one place.
//!
//! Everything here is checked against the running interpreter at import ([`self_test`]). Where a layout is not
//! the one expected, `State::layouts` stays off and the callers use the public API instead.

use pyo3::ffi::*;

/// A pointer to any Python object.
pub type Object = *mut PyObject;

unsafe extern "C" {
    /// Changes the size of a bytes object that nobody else has seen.
    pub fn _PyBytes_Resize(bytes: *mut Object, size: Py_ssize_t) -> core::ffi::c_int;
    #[cfg(not(Py_3_14))]
    fn _PyDict_NewPresized(n: Py_ssize_t) -> Object;
}

/// An empty dict with room for `n` entries, where the interpreter can make one.
///
/// # Safety
/// The interpreter is attached.
#[inline(always)]
pub unsafe fn new_dict(n: usize) -> Object {
    // SAFETY: the caller's.
    unsafe {
        #[cfg(not(Py_3_14))]
        if n > 5 {
            return _PyDict_NewPresized(n as Py_ssize_t);
        }
        let _ = n;
        PyDict_New()
    }
}

/// Where a compact ASCII string's characters begin.
pub const ASCII_DATA: usize = size_of::<PyASCIIObject>();

/// A dict's keys object since CPython 3.11 (`struct _dictkeysobject`).
#[repr(C)]
pub struct DictKeys {
    refcount: isize,
    log2_size: u8,
    log2_index_bytes: u8,
    kind: u8,
    #[cfg(Py_3_14)]
    mutex: u8,
    #[cfg(not(Py_3_14))]
    padding: u8,
    version: u32,
    usable: isize,
    entries: isize,
}

/// All keys are strings: entries are two pointers. Otherwise three: hash, key, value.
const KIND_GENERAL: u8 = 0;
const KIND_UNICODE: u8 = 1;

/// True if this version of CPython has the layout above.
pub const DICT_LAYOUT_KNOWN: bool = cfg!(all(Py_3_11, not(Py_3_14), not(Py_GIL_DISABLED)));

#[repr(C)]
struct Dict {
    base: PyObject,
    used: isize,
    version: u64,
    keys: *mut DictKeys,
    values: *mut u8,
}

/// The entries of a dict: a pointer to the first key, the stride in pointers, and how many there are (holes
/// included, whose value is null). `None` for a dict whose values lie elsewhere (an instance's attributes).
///
/// # Safety
/// `dict` must be a dict and [`DICT_LAYOUT_KNOWN`].
#[inline(always)]
pub unsafe fn dict_entries(dict: Object) -> Option<(*const Object, usize, usize)> {
    // SAFETY: the layout was checked at import.
    unsafe {
        let dict = dict.cast::<Dict>();
        if !(*dict).values.is_null() {
            return None;
        }
        let keys = (*dict).keys;
        let first =
            keys.cast::<u8>().add(size_of::<DictKeys>() + (1usize << (*keys).log2_index_bytes)).cast::<Object>();
        let general = (*keys).kind == KIND_GENERAL;
        let (first, stride) = if general { (first.add(1), 3) } else { (first, 2) };
        Some((first, stride, (*keys).entries as usize))
    }
}

/// The entries of a dict that has only string keys, `n` of them and no holes; to write values into.
///
/// # Safety
/// `dict` must be a dict and [`DICT_LAYOUT_KNOWN`].
#[inline(always)]
pub unsafe fn unicode_entries(dict: Object, n: usize) -> Option<*mut [Object; 2]> {
    // SAFETY: the layout was checked at import.
    unsafe {
        let dict = dict.cast::<Dict>();
        let keys = (*dict).keys;
        if !(*dict).values.is_null() || (*keys).kind != KIND_UNICODE || (*keys).entries as usize != n {
            return None;
        }
        Some(keys.cast::<u8>().add(size_of::<DictKeys>() + (1usize << (*keys).log2_index_bytes)).cast())
    }
}

/// The keys object of a dict, to see whether it is still the same, and how many entries the dict has.
///
/// # Safety
/// `dict` must be a dict and [`DICT_LAYOUT_KNOWN`].
#[inline(always)]
pub unsafe fn dict_identity(dict: Object) -> (*const DictKeys, usize) {
    // SAFETY: the layout was checked at import.
    unsafe {
        let dict = dict.cast::<Dict>();
        ((*dict).keys, (*dict).used as usize)
    }
}

/// The state bits of a string: compact and ASCII.
const COMPACT_ASCII: u32 = 0x60;

/// The characters of a compact ASCII string.
///
/// # Safety
/// `string` must be an exact `str`.
#[inline(always)]
pub unsafe fn ascii_of<'a>(string: Object) -> Option<&'a [u8]> {
    // SAFETY: PyASCIIObject is the start of every string; the state word follows length and hash.
    unsafe {
        let ascii = string.cast::<PyASCIIObject>();
        let state = (&raw const (*ascii).state).cast::<u32>().read();
        if state & COMPACT_ASCII != COMPACT_ASCII {
            return None;
        }
        Some(core::slice::from_raw_parts(string.cast::<u8>().add(ASCII_DATA), (*ascii).length as usize))
    }
}

/// An integer of at most two digits (60 bits): sign and magnitude.
///
/// # Safety
/// `int` must be an `int`.
#[inline(always)]
pub unsafe fn small_int(int: Object) -> Option<i64> {
    // SAFETY: ob_digit follows the size (before 3.12) or the tag (since).
    unsafe {
        #[cfg(Py_3_12)]
        let (negative, digits) = {
            let tag = int.cast::<usize>().add(size_of::<PyObject>() / size_of::<usize>()).read();
            (tag & 3 == 2, tag >> 3)
        };
        #[cfg(not(Py_3_12))]
        let (negative, digits) = {
            let size = (*int.cast::<PyVarObject>()).ob_size;
            (size < 0, size.unsigned_abs())
        };
        let digit = int.cast::<u8>().add(size_of::<PyVarObject>()).cast::<u32>();
        let magnitude = match digits {
            0 => 0,
            1 => i64::from(*digit),
            2 => i64::from(*digit) | i64::from(*digit.add(1)) << 30,
            _ => return None,
        };
        Some(if negative { -magnitude } else { magnitude })
    }
}

/// Compares what this module reads with what the public API says. False turns the private paths off.
///
/// # Safety
/// The interpreter must be attached.
pub unsafe fn self_test() -> bool {
    // SAFETY: objects made here, read by the functions above inside their own memory.
    unsafe {
        let mut good = true;
        for value in [0i64, 1, -1, 255, 1 << 29, 1 << 30, (1 << 30) - 1, -(1 << 30), (1 << 59) + 12345, -(1 << 59)] {
            let int = PyLong_FromLongLong(value);
            good &= small_int(int) == Some(value);
            Py_DECREF(int);
        }
        for value in [i64::MAX, i64::MIN, 1 << 60] {
            let int = PyLong_FromLongLong(value);
            good &= small_int(int).is_none();
            Py_DECREF(int);
        }
        for (text, ascii) in [(c"", true), (c"hello", true), (c"h\xc3\xa9llo", false)] {
            let string = PyUnicode_FromString(text.as_ptr());
            good &= ascii_of(string) == ascii.then_some(text.to_bytes());
            Py_DECREF(string);
        }
        if DICT_LAYOUT_KNOWN {
            good &= dict_test();
        }
        good
    }
}

unsafe fn dict_test() -> bool {
    // SAFETY: as for self_test.
    unsafe {
        let dict = PyDict_New();
        let mut pairs = [(core::ptr::null_mut(), core::ptr::null_mut()); 12];
        for (i, pair) in pairs.iter_mut().enumerate() {
            *pair = (PyUnicode_FromFormat(c"key%d".as_ptr(), i as core::ffi::c_int), PyLong_FromLong(i as _));
            PyDict_SetItem(dict, pair.0, pair.1);
        }
        let same = |(first, stride, n): (*const Object, usize, usize)| {
            n == pairs.len()
                && (0..n).all(|i| *first.add(i * stride) == pairs[i].0 && *first.add(i * stride + 1) == pairs[i].1)
        };
        let mut good = dict_entries(dict).is_some_and(same);
        good &=
            unicode_entries(dict, pairs.len()).is_some_and(|e| (0..pairs.len()).all(|i| (*e.add(i))[0] == pairs[i].0));
        let copy = PyDict_Copy(dict);
        good &= dict_entries(copy).is_some_and(same);
        // A key that is no string makes the entries wider.
        PyDict_SetItem(dict, pairs[1].1, pairs[0].0);
        good &= dict_entries(dict).is_some_and(|(first, stride, n)| {
            n == pairs.len() + 1 && *first == pairs[0].0 && *first.add(12 * stride) == pairs[1].1
        });
        Py_DECREF(copy);
        Py_DECREF(dict);
        for (key, value) in pairs {
            Py_DECREF(key);
            Py_DECREF(value);
        }
        good
    }
}
