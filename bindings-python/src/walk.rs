//! The walker: drives any visitor through a Python object. What `packb` and `dumps` read from.
//!
//! Which host type is which kind is decided here and in `_host.resolve`; policies and formats are core's.
//! Python code may run in the middle (hooks, time zones, properties) and change what is being walked: every
//! object is held while Python code may run, and containers are looked at again afterwards.

use pyo3::ffi::*;
use samewire::options::{LoneSurrogates, Options};
use samewire::visit::{Constant, Encoding, Reader, Text, Visitor};
use samewire::{Code, Error, Format};

use crate::bigint;
use crate::errors;
use crate::hooks::EncodeHooks;
use crate::input::Input;
use crate::layout::{self, Object};
use crate::owned::{Owned, python_error};
use crate::state::state;
use crate::strings;
use crate::time;
use crate::types::{self, Base, Plan};

/// `default` may answer with another object that needs `default`, this often.
const MOST_REPLACEMENTS: u32 = 64;

/// An object to read, as core's trait.
pub struct ObjectReader<'o> {
    pub object: Object,
    pub format: Format,
    pub options: &'o Options,
    pub hooks: &'o EncodeHooks,
}

impl Reader for ObjectReader<'_> {
    #[inline]
    fn read<V: Visitor>(&mut self, visitor: &mut V) -> Result<V::Value, Error> {
        let mut walker = Walker {
            visitor,
            hooks: self.hooks,
            options: self.options,
            format: self.format,
            layouts: false,
            replacements: MOST_REPLACEMENTS,
        };
        // SAFETY: the lock is held; the caller holds the object.
        unsafe {
            walker.layouts = (*state()).layouts;
            walker.item(self.object, self.options.limits.max_depth)
        }
    }
}

struct Walker<'w, V> {
    visitor: &'w mut V,
    hooks: &'w EncodeHooks,
    options: &'w Options,
    format: Format,
    layouts: bool,
    replacements: u32,
}

impl<V: Visitor> Walker<'_, V> {
    /// Any object; what is commonest is inline in the containers' loops.
    #[inline(always)]
    unsafe fn item(&mut self, object: Object, depth: u32) -> Result<V::Value, Error> {
        // SAFETY: the lock is held; the object is alive, and held while Python code may run.
        unsafe {
            if let Some(result) = self.scalar(object) {
                return result;
            }
            Py_INCREF(object);
            let result = self.other(object, depth);
            Py_DECREF(object);
            result
        }
    }

    /// What can be written without any Python code; `None` is anything else.
    #[inline(always)]
    unsafe fn scalar(&mut self, object: Object) -> Option<Result<V::Value, Error>> {
        // SAFETY: the lock is held; the object is alive.
        unsafe {
            let kind = Py_TYPE(object);
            if kind == &raw mut PyUnicode_Type {
                return Some(self.str(object));
            }
            if kind == &raw mut PyLong_Type {
                if self.layouts
                    && let Some(value) = layout::small_int(object)
                {
                    return Some(self.visitor.int(value));
                }
                return None;
            }
            // One branch for the three constants: which one it is, no predictor knows.
            let [null, no, yes] = (*state()).constants;
            let constant = u8::from(object == no) | u8::from(object == yes) << 1;
            if (constant != 0) | (object == null) {
                const CONSTANTS: [Constant; 3] = [Constant::Null, Constant::False, Constant::True];
                return Some(self.visitor.constant(CONSTANTS[usize::from(constant)]));
            }
            if kind == &raw mut PyFloat_Type {
                return Some(self.visitor.float(PyFloat_AS_DOUBLE(object)));
            }
            None
        }
    }

    /// Everything that is not inline in [`item`](Self::item).
    #[inline(never)]
    unsafe fn other(&mut self, object: Object, depth: u32) -> Result<V::Value, Error> {
        // SAFETY: as for item.
        unsafe {
            let kind = Py_TYPE(object);
            if kind == &raw mut PyLong_Type {
                return self.int(object);
            }
            if kind == &raw mut PyDict_Type {
                return self.dict(object, depth);
            }
            if kind == &raw mut PyList_Type {
                return self.list(object, depth);
            }
            if kind == &raw mut PyTuple_Type {
                return self.tuple(object, depth);
            }
            if kind == &raw mut PyBytes_Type {
                return self.bytes(object);
            }
            if kind == (*state()).datetime_type {
                return self.visitor.timestamp(time::instant_of(object, self.options.naive)?);
            }
            self.rare(object, depth)
        }
    }

    #[inline(always)]
    unsafe fn str(&mut self, object: Object) -> Result<V::Value, Error> {
        // SAFETY: a str.
        unsafe {
            if self.layouts
                && let Some(ascii) = layout::ascii_of(object)
            {
                return self.visitor.str(Text::with_encoding(ascii, Encoding::Ascii));
            }
            match strings::utf8_of(object) {
                Some(bytes) => self.visitor.str(Text::with_encoding(bytes, Encoding::Utf8)),
                None => {
                    let text = self.repaired(object)?;
                    self.visitor.str(Text::new(&text))
                }
            }
        }
    }

    #[cold]
    #[inline(never)]
    unsafe fn repaired(&self, object: Object) -> Result<String, Error> {
        if self.options.lone_surrogates == LoneSurrogates::Replace {
            // SAFETY: a str.
            return Ok(unsafe { strings::without_surrogates(object) });
        }
        Err(Error::new(Code::LoneSurrogate, "a str with half of a surrogate pair has no UTF-8"))
    }

    #[inline(always)]
    unsafe fn key(&mut self, map: &mut V::Map, object: Object) -> Result<V::Key, Error> {
        // SAFETY: a str.
        unsafe {
            if self.layouts
                && let Some(ascii) = layout::ascii_of(object)
            {
                return self.visitor.key(map, Text::with_encoding(ascii, Encoding::Ascii));
            }
            match strings::utf8_of(object) {
                Some(bytes) => self.visitor.key(map, Text::with_encoding(bytes, Encoding::Utf8)),
                None => {
                    let text = self.repaired(object)?;
                    self.visitor.key(map, Text::new(&text))
                }
            }
        }
    }

    #[inline(never)]
    unsafe fn int(&mut self, object: Object) -> Result<V::Value, Error> {
        // SAFETY: an int.
        unsafe {
            let mut overflow = 0;
            let value = PyLong_AsLongLongAndOverflow(object, &mut overflow);
            if overflow == 0 {
                if value == -1 && !PyErr_Occurred().is_null() {
                    return Err(python_error());
                }
                return self.visitor.int(value);
            }
            if overflow > 0 {
                let value = PyLong_AsUnsignedLongLong(object);
                if value != u64::MAX || PyErr_Occurred().is_null() {
                    return self.visitor.uint(value);
                }
                PyErr_Clear();
            }
            bigint::with_digits(object, |digits| self.visitor.bigint(digits))
        }
    }

    #[inline(never)]
    unsafe fn bytes(&mut self, object: Object) -> Result<V::Value, Error> {
        // SAFETY: the object is held.
        unsafe {
            let input = Input::new(object)?;
            self.visitor.bin(input.bytes())
        }
    }

    #[inline(never)]
    unsafe fn list(&mut self, list: Object, depth: u32) -> Result<V::Value, Error> {
        if depth == 0 {
            return Err(too_deep());
        }
        // SAFETY: the list is held; its length is looked at before each element, its items only then.
        unsafe {
            let n = PyList_GET_SIZE(list) as usize;
            let mut array = self.visitor.begin_array(Some(n))?;
            for i in 0..n {
                if PyList_GET_SIZE(list) as usize != n {
                    return Err(changed("list"));
                }
                let item = *(*list.cast::<PyListObject>()).ob_item.add(i);
                let value = self.item(item, depth - 1).map_err(|e| e.in_element(i))?;
                self.visitor.element(&mut array, value)?;
            }
            self.visitor.end_array(array)
        }
    }

    #[inline(never)]
    unsafe fn tuple(&mut self, tuple: Object, depth: u32) -> Result<V::Value, Error> {
        if depth == 0 {
            return Err(too_deep());
        }
        // SAFETY: the tuple is held and does not change.
        unsafe {
            let n = PyTuple_GET_SIZE(tuple);
            let mut array = self.visitor.begin_array(Some(n as usize))?;
            for i in 0..n {
                let value = self.item(PyTuple_GET_ITEM(tuple, i), depth - 1).map_err(|e| e.in_element(i as usize))?;
                self.visitor.element(&mut array, value)?;
            }
            self.visitor.end_array(array)
        }
    }

    #[inline(never)]
    unsafe fn dict(&mut self, dict: Object, depth: u32) -> Result<V::Value, Error> {
        if depth == 0 {
            return Err(too_deep());
        }
        // SAFETY: the dict is held; its entries are read only while its keys object is the one they were found in.
        unsafe {
            if !(*state()).dict_layout {
                return self.dict_by_next(dict, depth);
            }
            let Some((first, stride, n)) = layout::dict_entries(dict) else {
                return self.dict_by_next(dict, depth);
            };
            let identity = layout::dict_identity(dict);
            let mut map = self.visitor.begin_map(Some(identity.1))?;
            let mut entry = first;
            for _ in 0..n {
                let (key, value) = (*entry, *entry.add(1));
                entry = entry.add(stride);
                if value.is_null() {
                    continue;
                }
                self.entry(&mut map, key, value, depth)?;
                if layout::dict_identity(dict) != identity {
                    return Err(changed("dict"));
                }
            }
            self.visitor.end_map(map)
        }
    }

    /// The same by the public API.
    #[inline(never)]
    unsafe fn dict_by_next(&mut self, dict: Object, depth: u32) -> Result<V::Value, Error> {
        // SAFETY: the dict is held; PyDict_Next is called only while its size is the same.
        unsafe {
            let n = PyDict_Size(dict);
            let mut map = self.visitor.begin_map(Some(n as usize))?;
            let (mut position, mut key, mut value) = (0, core::ptr::null_mut(), core::ptr::null_mut());
            let mut seen = 0;
            while PyDict_Next(dict, &mut position, &mut key, &mut value) != 0 {
                seen += 1;
                if seen > n {
                    return Err(changed("dict"));
                }
                self.entry(&mut map, key, value, depth)?;
                if PyDict_Size(dict) != n {
                    return Err(changed("dict"));
                }
            }
            if seen != n {
                return Err(changed("dict"));
            }
            self.visitor.end_map(map)
        }
    }

    #[inline(always)]
    unsafe fn entry(&mut self, map: &mut V::Map, key: Object, value: Object, depth: u32) -> Result<(), Error> {
        // SAFETY: key and value are alive, and held while Python code may run.
        unsafe {
            if Py_TYPE(key) == &raw mut PyUnicode_Type {
                let k = self.key(map, key)?;
                let v = match self.scalar(value) {
                    Some(result) => result.map_err(|e| in_entry(e, key))?,
                    None => {
                        let (key, value) = (Owned::borrowed(key), Owned::borrowed(value));
                        self.other(value.as_ptr(), depth - 1).map_err(|e| in_entry(e, key.as_ptr()))?
                    }
                };
                return self.visitor.entry(map, k, v);
            }
            let (key, value) = (Owned::borrowed(key), Owned::borrowed(value));
            self.other_entry(map, key.as_ptr(), value.as_ptr(), depth)
        }
    }

    #[inline(never)]
    unsafe fn other_entry(&mut self, map: &mut V::Map, key: Object, value: Object, depth: u32) -> Result<(), Error> {
        // SAFETY: both are held.
        unsafe {
            let k = if PyUnicode_Check(key) != 0 {
                self.key(map, key)?
            } else {
                self.visitor.begin_value_key(map)?;
                let k = self.item(key, depth - 1)?;
                self.visitor.value_key(map, k)?
            };
            let v = self.item(value, depth - 1).map_err(|e| in_entry(e, key))?;
            self.visitor.entry(map, k, v)
        }
    }

    /// What is not an exact built-in type.
    #[inline(never)]
    unsafe fn rare(&mut self, object: Object, depth: u32) -> Result<V::Value, Error> {
        // SAFETY: the object is held.
        unsafe {
            if !self.hooks.ext_encoders.is_null()
                && let Some(value) = self.registered(object)?
            {
                return Ok(value);
            }
            let replacement = match types::plan_of(object)? {
                Plan::Base(base) => return self.base(object, base, depth),
                Plan::Convert(convert) => {
                    let made = PyObject_CallOneArg(convert.as_ptr(), object);
                    if made.is_null() {
                        return Err(errors::refused());
                    }
                    Owned::new(made)?
                }
                plan => {
                    if matches!(plan, Plan::Unknown) && PyObject_CheckBuffer(object) != 0 {
                        return self.bytes(object);
                    }
                    if self.hooks.default.is_null() {
                        return Err(unsupported(object));
                    }
                    Owned::new(PyObject_CallOneArg(self.hooks.default, object))?
                }
            };
            if self.replacements == 0 {
                return Err(Error::new(
                    Code::HookFailed,
                    format!("{} replacements in a row were not what can be written", MOST_REPLACEMENTS),
                ));
            }
            let before = self.replacements;
            // Inside a container of its own an answer begins anew: there the depth counts.
            let kind = Py_TYPE(replacement.as_ptr());
            let container =
                kind == &raw mut PyList_Type || kind == &raw mut PyDict_Type || kind == &raw mut PyTuple_Type;
            self.replacements = if container { MOST_REPLACEMENTS } else { before - 1 };
            let result = self.item(replacement.as_ptr(), depth);
            self.replacements = before;
            result
        }
    }

    /// A subclass of a built-in type, as what its base is.
    unsafe fn base(&mut self, object: Object, base: Base, depth: u32) -> Result<V::Value, Error> {
        // SAFETY: the object is held; `resolve` answers with a base only for subclasses of it.
        unsafe {
            match base {
                Base::Str => self.str(object),
                Base::Int => self.int(object),
                Base::Float => self.visitor.float(PyFloat_AS_DOUBLE(object)),
                Base::Dict => {
                    if depth == 0 {
                        return Err(too_deep());
                    }
                    self.dict_by_next(object, depth)
                }
                Base::List => self.list(object, depth),
                Base::Tuple => self.tuple(object, depth),
                Base::Buffer => self.bytes(object),
                Base::Datetime => self.visitor.timestamp(time::instant_of(object, self.options.naive)?),
                Base::Raw => self.raw(object),
                Base::Ext => {
                    let kind = Owned::new(PyObject_GetAttrString(object, c"type".as_ptr()))?;
                    let data = Owned::new(PyObject_GetAttrString(object, c"data".as_ptr()))?;
                    self.ext(kind.as_ptr(), data.as_ptr())
                }
            }
        }
    }

    unsafe fn ext(&mut self, kind: Object, data: Object) -> Result<V::Value, Error> {
        // SAFETY: both are held.
        unsafe {
            let kind = PyLong_AsLongLong(kind);
            if kind == -1 && !PyErr_Occurred().is_null() {
                return Err(python_error());
            }
            let Ok(kind) = i8::try_from(kind) else {
                return Err(Error::new(Code::HookFailed, format!("an extension type of {kind} is not in -128 to 127")));
            };
            let data = Input::new(data)?;
            self.visitor.ext(kind, data.bytes())
        }
    }

    /// A class of the extension registry: `(type, encode)` by exact class, else by the classes it derives from.
    unsafe fn registered(&mut self, object: Object) -> Result<Option<V::Value>, Error> {
        // SAFETY: the object is held; what the dict answers is held while Python code runs.
        unsafe {
            let bases = (*Py_TYPE(object)).tp_mro;
            for i in 0..if bases.is_null() { 0 } else { PyTuple_GET_SIZE(bases) } {
                let found = PyDict_GetItemWithError(self.hooks.ext_encoders, PyTuple_GET_ITEM(bases, i));
                if found.is_null() {
                    if !PyErr_Occurred().is_null() {
                        return Err(python_error());
                    }
                    continue;
                }
                let found = Owned::borrowed(found);
                let (kind, encode) = (PyTuple_GetItem(found.as_ptr(), 0), PyTuple_GetItem(found.as_ptr(), 1));
                if kind.is_null() || encode.is_null() {
                    return Err(python_error());
                }
                let data = Owned::new(PyObject_CallOneArg(encode, object))?;
                if PyObject_CheckBuffer(data.as_ptr()) == 0 {
                    let name = types::name_of(data.as_ptr());
                    return Err(Error::new(
                        Code::HookFailed,
                        format!("an extension's encode function returned {name}, not bytes"),
                    ));
                }
                return self.ext(kind, data.as_ptr()).map(Some);
            }
            Ok(None)
        }
    }

    /// An encoded value, spliced in as it is; read where the destination is not its format.
    unsafe fn raw(&mut self, object: Object) -> Result<V::Value, Error> {
        // SAFETY: the object is held.
        unsafe {
            let data = Owned::new(PyObject_GetAttrString(object, c"data".as_ptr()))?;
            let input = Input::new(data.as_ptr())?;
            if self.options.canonical {
                return samewire::transcode::read(self.format, input.bytes(), self.options, self.visitor);
            }
            self.visitor.raw(input.bytes())
        }
    }
}

#[cold]
#[inline(never)]
fn too_deep() -> Error {
    Error::new(Code::DepthExceeded, "containers nest too deep, or one contains itself")
}

#[cold]
#[inline(never)]
fn changed(kind: &str) -> Error {
    Error::new(Code::InvalidState, format!("a {kind} changed while it was being written"))
}

#[cold]
#[inline(never)]
unsafe fn unsupported(object: Object) -> Error {
    // SAFETY: the object is held.
    let kind = unsafe { types::name_of(object) };
    Error::new(Code::UnsupportedType, format!("cannot write an object of type {kind}; default= could replace it"))
}

#[cold]
#[inline(never)]
unsafe fn in_entry(error: Error, key: Object) -> Error {
    // SAFETY: the key is alive.
    unsafe {
        if PyUnicode_Check(key) != 0 {
            return error.in_entry(&strings::without_surrogates(key));
        }
        // What the key is shown as, without running its code.
        let mut overflow = 0;
        if PyLong_Check(key) != 0 {
            let value = PyLong_AsLongLongAndOverflow(key, &mut overflow);
            if overflow == 0 {
                return error.in_entry(&value.to_string());
            }
        }
        error.in_entry(&types::name_of(key))
    }
}
