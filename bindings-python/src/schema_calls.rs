//! The methods of `Schema` that read, write and check, by the fast calling convention: with pyo3's `**options` a
//! call makes a tuple and a dict, which is as much again as reading a small message.

use pyo3::Borrowed;
use pyo3::ffi::*;
use pyo3::prelude::*;
use samewire::{Error, Format};

use crate::calls::{Arguments, default_settings, format_of};
use crate::codec;
use crate::errors::{Side, guard};
use crate::layout::Object;
use crate::owned::{Owned, python_error};
use crate::schema::Schema;
use crate::state::state;

unsafe fn write(schema: &Schema, format: Format, call: Arguments) -> Result<Owned, Error> {
    // SAFETY: the lock is held.
    unsafe {
        if call.is_plain() {
            return schema.write(format, call.first(), default_settings());
        }
        let ([object], settings) = call.parse(["obj"], 1)?;
        schema.write(format, object, &settings)
    }
}

unsafe fn read(schema: &Schema, format: Format, call: Arguments) -> Result<Owned, Error> {
    // SAFETY: the lock is held.
    unsafe {
        if call.is_plain() {
            let settings = default_settings();
            let input = codec::input_of(format, call.first(), settings)?;
            return schema.read(format, input.bytes(), settings);
        }
        let ([object], settings) = call.parse(["data"], 1)?;
        let input = codec::input_of(format, object, &settings)?;
        schema.read(format, input.bytes(), &settings)
    }
}

unsafe fn validate(schema: &Schema, call: Arguments) -> Result<Owned, Error> {
    // SAFETY: the lock is held.
    unsafe {
        let ([data, format], settings) = call.parse(["data", "format"], 1)?;
        let format = if format.is_null() { Format::MessagePack } else { format_of(format)? };
        let input = codec::input_of(format, data, &settings)?;
        let (schema, options) = (schema.compiled(), &settings.options);
        codec::without_lock(input, move |bytes| schema.validate(format, bytes, options))?;
        Ok(Owned::borrowed((*state()).none))
    }
}

macro_rules! methods {
    ($($function:ident = $name:literal, $side:ident, $body:expr, $doc:literal;)*) => {
        $(unsafe extern "C" fn $function(
            this: Object, values: *const Object, n: Py_ssize_t, names: Object,
        ) -> Object {
            // SAFETY: the descriptor has checked that `this` is a Schema; called with the lock held.
            guard(Side::$side, || unsafe {
                let py = Python::assume_attached();
                let schema = Borrowed::from_ptr(py, this).cast_unchecked::<Schema>();
                $body(schema.get(), Arguments::new($name, values, n, names))
            })
        })*

        /// Adds the methods to the class.
        ///
        /// # Safety
        /// The interpreter is attached; `class` is that of [`Schema`].
        pub unsafe fn add_to(class: Object) -> Result<(), Error> {
            // SAFETY: method definitions live for ever.
            unsafe {
                $({
                    let definition = Box::leak(Box::new(PyMethodDef {
                        ml_name: concat!($name, "\0").as_ptr().cast(),
                        ml_meth: PyMethodDefPointer { PyCFunctionFastWithKeywords: $function },
                        ml_flags: METH_FASTCALL | METH_KEYWORDS,
                        ml_doc: concat!($name, $doc, "\0").as_ptr().cast(),
                    }));
                    let method = Owned::new(PyDescr_NewMethod(class.cast(), definition))?;
                    if PyObject_SetAttrString(class, definition.ml_name, method.as_ptr()) != 0 {
                        return Err(python_error());
                    }
                })*
                Ok(())
            }
        }
    };
}

methods! {
    packb = "packb", Encode, |s, c| write(s, Format::MessagePack, c), "($self, obj, /, **options)\n--\n\n\
The MessagePack bytes of an object that keeps to the schema. Takes the keyword arguments of `packb`, `float32` and\n\
`omit_defaults`.";
    dumps = "dumps", Encode, |s, c| write(s, Format::Json, c), "($self, obj, /, **options)\n--\n\n\
The JSON text of an object that keeps to the schema. Takes the keyword arguments of `dumps`, `float32` and\n\
`omit_defaults`.";
    unpackb = "unpackb", Decode, |s, c| read(s, Format::MessagePack, c), "($self, data, /, **options)\n--\n\n\
The object of MessagePack bytes that keep to the schema. Takes the keyword arguments of `unpackb`,\n\
`unknown_fields` and `max_unknown_fields`.";
    loads = "loads", Decode, |s, c| read(s, Format::Json, c), "($self, data, /, **options)\n--\n\n\
The object of JSON text that keeps to the schema. Takes the keyword arguments of `loads`, `unknown_fields` and\n\
`max_unknown_fields`.";
    validate_bytes = "validate", Decode, |s, c| validate(s, c), "($self, data, /, format='msgpack', **options)\n--\n\n\
Raises DecodeError unless `data` is one value in the format that keeps to the schema.";
}
