//! The functions of the module, by the fast calling convention (30 ns a call against 40-53 ns for a
//! `#[pyfunction]`): each converts, calls, maps the error.

use core::ptr::null_mut;

use pyo3::ffi::*;
use samewire::visit::{Nothing, Reader};
use samewire::{Error, Format, json, msgpack, transcode};

use crate::codec::{self, End};
use crate::errors::{Side, guard};
use crate::hooks::EncodeHooks;
use crate::layout::Object;
use crate::owned::{Owned, python_error};
use crate::settings::{self, Settings};
use crate::state::state;

/// The arguments of one call.
#[derive(Clone, Copy)]
pub struct Arguments {
    name: &'static str,
    values: *const Object,
    positional: usize,
    names: Object,
}

impl Arguments {
    #[inline(always)]
    pub fn new(name: &'static str, values: *const Object, n: Py_ssize_t, names: Object) -> Self {
        Arguments { name, values, positional: n as usize, names }
    }

    /// True if there is one argument and nothing else.
    #[inline(always)]
    pub fn is_plain(&self) -> bool {
        self.positional == 1 && self.names.is_null()
    }

    /// The first positional argument.
    ///
    /// # Safety
    /// There is one.
    #[inline(always)]
    pub unsafe fn first(&self) -> Object {
        // SAFETY: the caller's.
        unsafe { *self.values }
    }

    /// The positional parameters, by position or by name, the first `needed` of which must be there; and the
    /// settings among the other keywords.
    ///
    /// # Safety
    /// The lock is held.
    #[inline(never)]
    pub unsafe fn parse<const N: usize>(
        &self,
        parameters: [&'static str; N],
        needed: usize,
    ) -> Result<([Object; N], Settings), Error> {
        // SAFETY: the vectorcall protocol: values for the positional ones, then for the names.
        unsafe {
            if self.positional > N {
                let n = self.positional;
                return Err(type_error(&format!("{}() takes {N} positional arguments, not {n}", self.name)));
            }
            let mut found = [null_mut(); N];
            for (i, slot) in found.iter_mut().enumerate().take(self.positional) {
                *slot = *self.values.add(i);
            }
            let mut settings = Settings::default();
            if !self.names.is_null() {
                let values = self.values.add(self.positional);
                // The first parameter is positional only.
                for (p, parameter) in parameters.iter().enumerate().skip(1) {
                    for i in 0..PyTuple_GET_SIZE(self.names) {
                        if settings::text(PyTuple_GET_ITEM(self.names, i))? == *parameter {
                            if !found[p].is_null() {
                                return Err(type_error(&format!("{}() got {parameter} twice", self.name)));
                            }
                            found[p] = *values.add(i as usize);
                        }
                    }
                }
                settings = Settings::of_keywords(self.names, values, &parameters[1..])?;
            }
            for i in 0..needed {
                if found[i].is_null() {
                    return Err(type_error(&format!("{}() needs the argument {}", self.name, parameters[i])));
                }
            }
            Ok((found, settings))
        }
    }
}

#[cold]
fn type_error(message: &str) -> Error {
    let message = format!("{message}\0");
    // SAFETY: the lock is held; the text ends with a zero.
    unsafe { PyErr_SetString(PyExc_TypeError, message.as_ptr().cast()) };
    python_error()
}

/// The format that an argument names.
///
/// # Safety
/// The lock is held.
pub unsafe fn format_of(object: Object) -> Result<Format, Error> {
    // SAFETY: the lock is held.
    unsafe { Format::parse(&settings::text(object)?) }
}

#[inline(always)]
unsafe fn encode(format: Format, call: Arguments) -> Result<Owned, Error> {
    // SAFETY: the lock is held.
    unsafe {
        if call.is_plain() {
            return codec::encode(format, *call.values, &default_settings().options, &EncodeHooks::NONE);
        }
        let ([object], settings) = call.parse(["obj"], 1)?;
        codec::encode(format, object, &settings.options, &settings.encode_hooks())
    }
}

/// The settings of a call that sets none.
#[inline(always)]
pub fn default_settings() -> &'static Settings {
    static DEFAULT: std::sync::OnceLock<Settings> = std::sync::OnceLock::new();
    DEFAULT.get_or_init(Settings::default)
}

#[inline(always)]
unsafe fn decode(format: Format, call: Arguments) -> Result<Owned, Error> {
    // SAFETY: the lock is held.
    unsafe {
        let (object, settings) = if call.is_plain() {
            (*call.values, Settings::default())
        } else {
            let ([object], settings) = call.parse(["data"], 1)?;
            (object, settings)
        };
        let input = codec::input_of(format, object, &settings)?;
        Ok(codec::decode(format, input.bytes(), 0, End::Whole, &settings)?.0)
    }
}

unsafe fn decode_from(format: Format, call: Arguments) -> Result<Owned, Error> {
    // SAFETY: the lock is held.
    unsafe {
        let ([object, offset], settings) = call.parse(["data", "offset"], 1)?;
        let input = codec::input_of(format, object, &settings)?;
        let offset = offset_of(offset, input.bytes().len())?;
        let (value, end) = codec::decode(format, input.bytes(), offset, End::First, &settings)?;
        let end = Owned::new(PyLong_FromSize_t(end))?;
        let pair = Owned::new(PyTuple_New(2))?;
        PyTuple_SET_ITEM(pair.as_ptr(), 0, value.into_ptr());
        PyTuple_SET_ITEM(pair.as_ptr(), 1, end.into_ptr());
        Ok(pair)
    }
}

/// An offset argument into `len` bytes; null is 0.
unsafe fn offset_of(object: Object, len: usize) -> Result<usize, Error> {
    // SAFETY: the lock is held.
    unsafe {
        if object.is_null() {
            return Ok(0);
        }
        let offset = PyNumber_AsSsize_t(object, PyExc_OverflowError);
        if offset == -1 && !PyErr_Occurred().is_null() {
            return Err(python_error());
        }
        usize::try_from(offset).ok().filter(|&o| o <= len).ok_or_else(|| codec::outside(offset, len))
    }
}

unsafe fn transcode_bytes(call: Arguments) -> Result<Owned, Error> {
    // SAFETY: the lock is held.
    unsafe {
        let ([data, source, target], settings) = call.parse(["data", "source", "target"], 3)?;
        let (source, target) = (format_of(source)?, format_of(target)?);
        let input = codec::input_of(source, data, &settings)?;
        let options = settings.options.clone();
        let bytes = codec::without_lock(input, move |b| transcode::transcode(b, source, target, &options))?;
        codec::bytes_of(&bytes)
    }
}

unsafe fn validate_bytes(call: Arguments) -> Result<Owned, Error> {
    // SAFETY: the lock is held.
    unsafe {
        let ([data, format], settings) = call.parse(["data", "format"], 1)?;
        let format = if format.is_null() { Format::MessagePack } else { format_of(format)? };
        let input = codec::input_of(format, data, &settings)?;
        let options = settings.options.clone();
        codec::without_lock(input, move |b| check(format, b, &options))?;
        Ok(Owned::borrowed((*state()).none))
    }
}

fn check(format: Format, bytes: &[u8], options: &samewire::Options) -> Result<(), Error> {
    match format {
        Format::MessagePack => {
            let mut reader = msgpack::Reader::new(bytes, options)?;
            reader.read(&mut Nothing)?;
            reader.finish()
        }
        Format::Json => {
            let mut reader = json::Reader::new(bytes, options)?;
            reader.read(&mut Nothing)?;
            reader.finish()
        }
    }
}

unsafe fn digest_of(call: Arguments) -> Result<Owned, Error> {
    // SAFETY: the lock is held.
    unsafe {
        let ([object], settings) = call.parse(["obj"], 1)?;
        let hooks = settings.encode_hooks();
        let mut options = settings.options.clone();
        options.canonical = true;
        let mut reader =
            crate::walk::ObjectReader { object, format: Format::MessagePack, options: &options, hooks: &hooks };
        let value = reader.read(&mut samewire::value::Builder)?;
        codec::bytes_of(&samewire::canonical::digest(&value)?)
    }
}

macro_rules! functions {
    ($($name:ident, $side:ident, $body:expr, $doc:literal;)*) => {
        $(unsafe extern "C" fn $name(
            _: Object, values: *const Object, n: Py_ssize_t, names: Object,
        ) -> Object {
            // SAFETY: called by the interpreter with the lock held.
            guard(Side::$side, || unsafe { $body(Arguments::new(stringify!($name), values, n, names)) })
        })*

        /// Adds the functions to the module.
        ///
        /// # Safety
        /// The interpreter is attached.
        pub unsafe fn add_to(module: Object) -> Result<(), Error> {
            // SAFETY: method definitions live for ever.
            unsafe {
                let module_name = Owned::new(PyUnicode_FromString(c"samewire".as_ptr()))?;
                $({
                    let definition = Box::leak(Box::new(PyMethodDef {
                        ml_name: concat!(stringify!($name), "\0").as_ptr().cast(),
                        ml_meth: PyMethodDefPointer { PyCFunctionFastWithKeywords: $name },
                        ml_flags: METH_FASTCALL | METH_KEYWORDS,
                        ml_doc: concat!($doc, "\0").as_ptr().cast(),
                    }));
                    let function = Owned::new(PyCFunction_NewEx(definition, module, module_name.as_ptr()))?;
                    if PyObject_SetAttrString(module, definition.ml_name, function.as_ptr()) != 0 {
                        return Err(python_error());
                    }
                })*
                Ok(())
            }
        }
    };
}

functions! {
    packb, Encode, |c| encode(Format::MessagePack, c), "packb($module, obj, /, *, default=None, ext=None, **options)\n--\n\n\
The MessagePack bytes of an object.\n\n\
`default` is called with each object of a type that has no form of its own and returns one that has. `ext` is an\n\
ExtRegistry. Options: map_keys, lone_surrogates, naive, sort_keys, canonical, omit_null, max_depth.";
    dumps, Encode, |c| encode(Format::Json, c), "dumps($module, obj, /, *, default=None, ext=None, **options)\n--\n\n\
The JSON text of an object, as UTF-8 bytes.\n\n\
`default` is called with each object of a type that has no form of its own and returns one that has. Options:\n\
non_finite, map_keys, lone_surrogates, bin_json, naive, sort_keys, canonical, indent, append_newline, escape_html,\n\
omit_null, max_depth.";
    unpackb, Decode, |c| decode(Format::MessagePack, c), "unpackb($module, data, /, *, object_hook=None, ext_hook=None, ext=None, pause_gc=True, **options)\n--\n\n\
The object that MessagePack bytes stand for: bytes, bytearray, memoryview or any other buffer.\n\n\
`object_hook` is called with each dict and returns what takes its place, `ext_hook` with the type and the bytes of\n\
each extension value. Options: duplicate_keys, map_keys, invalid_utf8, timestamp, max_depth, max_bytes, max_items.";
    loads, Decode, |c| decode(Format::Json, c), "loads($module, data, /, *, object_hook=None, pause_gc=True, **options)\n--\n\n\
The object that JSON text stands for: a str, or UTF-8 in bytes, bytearray, memoryview or any other buffer.\n\n\
`object_hook` is called with each dict and returns what takes its place. Options: duplicate_keys, floats,\n\
lone_surrogates, max_depth, max_bytes, max_items.";
    unpack_from, Decode, |c| decode_from(Format::MessagePack, c), "unpack_from($module, data, /, offset=0, **options)\n--\n\n\
One MessagePack value that begins at `offset` of a longer buffer, and the offset of its end.";
    loads_from, Decode, |c| decode_from(Format::Json, c), "loads_from($module, data, /, offset=0, **options)\n--\n\n\
One JSON value that begins at `offset` of a longer text, and the offset of its end (bytes of UTF-8).";
    transcode, Decode, |c| transcode_bytes(c), "transcode($module, data, /, source, target, **options)\n--\n\n\
The bytes of `data`, a value in the format `source`, in the format `target`: \"msgpack\" or \"json\". No Python\n\
objects are made in between, and other threads run meanwhile.";
    validate, Decode, |c| validate_bytes(c), "validate($module, data, /, format='msgpack', **options)\n--\n\n\
Raises DecodeError unless `data` is one value in the format.";
    digest, Encode, |c| digest_of(c), "digest($module, obj, /, *, default=None, ext=None, **options)\n--\n\n\
SHA-256 of the canonical MessagePack of an object: equal for equal values, whatever made them.";
}
