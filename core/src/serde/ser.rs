//! `Serialize` into any visitor that writes.

use alloc::format;
use alloc::string::{String, ToString};

use serde::Serialize;
use serde::ser::{self, Impossible};

use super::name;
use crate::error::{Code, Error};
use crate::time::Timestamp;
use crate::visit::{Constant, Text, Visitor};

/// Drives a visitor. `TEXT` is what serde calls a human-readable format.
pub(super) struct Serializer<'v, V, const TEXT: bool> {
    visitor: &'v mut V,
    depth: u32,
}

impl<'v, V: Visitor, const TEXT: bool> Serializer<'v, V, TEXT> {
    #[inline]
    pub(super) fn new(visitor: &'v mut V, depth: u32) -> Self {
        Serializer { visitor, depth }
    }

    #[inline(always)]
    fn down(&self) -> Result<u32, Error> {
        self.depth.checked_sub(1).ok_or_else(too_deep)
    }
}

#[cold]
fn too_deep() -> Error {
    Error::new(Code::DepthExceeded, "containers nest deeper than max_depth")
}

/// An array being written.
pub(super) struct Sequence<'v, V: Visitor, const TEXT: bool> {
    visitor: &'v mut V,
    array: V::Array,
    index: usize,
    depth: u32,
    /// For a tuple variant: the map around it.
    outer: Option<(V::Map, V::Key)>,
}

/// A map being written.
pub(super) struct Entries<'v, V: Visitor, const TEXT: bool> {
    visitor: &'v mut V,
    map: V::Map,
    depth: u32,
    key: Option<(V::Key, String)>,
    /// For a struct variant: the map around it.
    outer: Option<(V::Map, V::Key)>,
}

macro_rules! signed {
    ($($name:ident: $type:ty;)*) => {$(
        #[inline(always)]
        fn $name(self, value: $type) -> Result<V::Value, Error> {
            self.visitor.int(i64::from(value))
        }
    )*};
}

impl<'v, V: Visitor, const TEXT: bool> ser::Serializer for Serializer<'v, V, TEXT> {
    type Ok = V::Value;
    type Error = Error;
    type SerializeSeq = Sequence<'v, V, TEXT>;
    type SerializeTuple = Sequence<'v, V, TEXT>;
    type SerializeTupleStruct = Sequence<'v, V, TEXT>;
    type SerializeTupleVariant = Sequence<'v, V, TEXT>;
    type SerializeMap = Entries<'v, V, TEXT>;
    type SerializeStruct = Entries<'v, V, TEXT>;
    type SerializeStructVariant = Entries<'v, V, TEXT>;

    signed! { serialize_i8: i8; serialize_i16: i16; serialize_i32: i32; serialize_i64: i64; serialize_u8: u8; serialize_u16: u16; serialize_u32: u32; }

    #[inline(always)]
    fn serialize_u64(self, value: u64) -> Result<V::Value, Error> {
        match i64::try_from(value) {
            Ok(value) => self.visitor.int(value),
            Err(_) => self.visitor.uint(value),
        }
    }

    fn serialize_i128(self, value: i128) -> Result<V::Value, Error> {
        if let Ok(value) = i64::try_from(value) {
            return self.visitor.int(value);
        }
        match u64::try_from(value) {
            Ok(value) => self.visitor.uint(value),
            Err(_) => self.visitor.bigint(&value.to_string()),
        }
    }

    fn serialize_u128(self, value: u128) -> Result<V::Value, Error> {
        match u64::try_from(value) {
            Ok(value) => self.serialize_u64(value),
            Err(_) => self.visitor.bigint(&value.to_string()),
        }
    }

    #[inline(always)]
    fn serialize_bool(self, value: bool) -> Result<V::Value, Error> {
        self.visitor.constant(Constant::from_bool(value))
    }

    /// An `f32` is the number it is, in the width that every other float has.
    #[inline(always)]
    fn serialize_f32(self, value: f32) -> Result<V::Value, Error> {
        self.visitor.float(f64::from(value))
    }

    #[inline(always)]
    fn serialize_f64(self, value: f64) -> Result<V::Value, Error> {
        self.visitor.float(value)
    }

    fn serialize_char(self, value: char) -> Result<V::Value, Error> {
        self.visitor.str(Text::new(value.encode_utf8(&mut [0; 4])))
    }

    #[inline(always)]
    fn serialize_str(self, value: &str) -> Result<V::Value, Error> {
        self.visitor.str(Text::new(value))
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<V::Value, Error> {
        self.visitor.bin(value)
    }

    #[inline(always)]
    fn serialize_none(self) -> Result<V::Value, Error> {
        self.visitor.constant(Constant::Null)
    }

    #[inline(always)]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<V::Value, Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<V::Value, Error> {
        self.visitor.constant(Constant::Null)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<V::Value, Error> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<V::Value, Error> {
        self.serialize_str(variant)
    }

    #[inline(always)]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<V::Value, Error> {
        if name.starts_with('$') {
            return special(self, name, value);
        }
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<V::Value, Error> {
        let depth = self.down()?;
        let visitor = self.visitor;
        let mut map = visitor.begin_map(Some(1))?;
        let key = visitor.key(&mut map, Text::new(variant))?;
        value
            .serialize(Serializer::<V, TEXT> { visitor: &mut *visitor, depth })
            .and_then(|v| visitor.entry(&mut map, key, v))
            .map_err(|e| e.in_entry(variant))?;
        visitor.end_map(map)
    }

    #[inline(always)]
    fn serialize_seq(self, len: Option<usize>) -> Result<Sequence<'v, V, TEXT>, Error> {
        let depth = self.down()?;
        let array = self.visitor.begin_array(len)?;
        Ok(Sequence { visitor: self.visitor, array, index: 0, depth, outer: None })
    }

    fn serialize_tuple(self, len: usize) -> Result<Sequence<'v, V, TEXT>, Error> {
        self.serialize_seq(Some(len))
    }

    fn serialize_tuple_struct(self, _: &'static str, len: usize) -> Result<Sequence<'v, V, TEXT>, Error> {
        self.serialize_seq(Some(len))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Sequence<'v, V, TEXT>, Error> {
        let depth = self.down()?.checked_sub(1).ok_or_else(too_deep)?;
        let mut map = self.visitor.begin_map(Some(1))?;
        let key = self.visitor.key(&mut map, Text::new(variant))?;
        let array = self.visitor.begin_array(Some(len))?;
        Ok(Sequence { visitor: self.visitor, array, index: 0, depth, outer: Some((map, key)) })
    }

    #[inline(always)]
    fn serialize_map(self, len: Option<usize>) -> Result<Entries<'v, V, TEXT>, Error> {
        let depth = self.down()?;
        let map = self.visitor.begin_map(len)?;
        Ok(Entries { visitor: self.visitor, map, depth, key: None, outer: None })
    }

    #[inline(always)]
    fn serialize_struct(self, _: &'static str, len: usize) -> Result<Entries<'v, V, TEXT>, Error> {
        self.serialize_map(Some(len))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Entries<'v, V, TEXT>, Error> {
        let depth = self.down()?.checked_sub(1).ok_or_else(too_deep)?;
        let mut outer = self.visitor.begin_map(Some(1))?;
        let key = self.visitor.key(&mut outer, Text::new(variant))?;
        let map = self.visitor.begin_map(Some(len))?;
        Ok(Entries { visitor: self.visitor, map, depth, key: None, outer: Some((outer, key)) })
    }

    fn collect_str<T: core::fmt::Display + ?Sized>(self, value: &T) -> Result<V::Value, Error> {
        self.serialize_str(&value.to_string())
    }

    fn is_human_readable(&self) -> bool {
        TEXT
    }
}

impl<V: Visitor, const TEXT: bool> Sequence<'_, V, TEXT> {
    #[inline(always)]
    fn push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        let value = value.serialize(Serializer::<V, TEXT> { visitor: &mut *self.visitor, depth: self.depth });
        let added = match value {
            Ok(value) => self.visitor.element(&mut self.array, value),
            Err(e) => Err(e),
        };
        if let Err(e) = added {
            return Err(e.in_element(self.index));
        }
        self.index += 1;
        Ok(())
    }

    #[inline(always)]
    fn close(self) -> Result<V::Value, Error> {
        let value = self.visitor.end_array(self.array)?;
        match self.outer {
            None => Ok(value),
            Some((mut map, key)) => {
                self.visitor.entry(&mut map, key, value)?;
                self.visitor.end_map(map)
            }
        }
    }
}

impl<V: Visitor, const TEXT: bool> ser::SerializeSeq for Sequence<'_, V, TEXT> {
    type Ok = V::Value;
    type Error = Error;
    #[inline(always)]
    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.push(value)
    }
    #[inline(always)]
    fn end(self) -> Result<V::Value, Error> {
        self.close()
    }
}

impl<V: Visitor, const TEXT: bool> ser::SerializeTuple for Sequence<'_, V, TEXT> {
    type Ok = V::Value;
    type Error = Error;
    #[inline(always)]
    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.push(value)
    }
    fn end(self) -> Result<V::Value, Error> {
        self.close()
    }
}

macro_rules! sequence_of_fields {
    ($($name:ident)*) => {$(
        impl<V: Visitor, const TEXT: bool> ser::$name for Sequence<'_, V, TEXT> {
            type Ok = V::Value;
            type Error = Error;
            fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                self.push(value)
            }
            fn end(self) -> Result<V::Value, Error> {
                self.close()
            }
        }
    )*};
}
sequence_of_fields! { SerializeTupleStruct SerializeTupleVariant }

impl<V: Visitor, const TEXT: bool> Entries<'_, V, TEXT> {
    #[inline(always)]
    fn field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
        let slot = self.visitor.key(&mut self.map, Text::new(key))?;
        self.value(slot, value).map_err(|e| e.in_entry(key))
    }

    /// Most keys are strings; what one is is known only when it is serialized.
    #[inline(always)]
    fn open_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<V::Key, Error> {
        match key.serialize(TextTo::<V, TEXT> { visitor: &mut *self.visitor, map: &mut self.map }) {
            Ok(slot) => Ok(slot),
            Err(NoKey::OtherKind) => self.value_key(key),
            Err(NoKey::Failed(e)) => Err(e),
        }
    }

    #[inline(never)]
    fn value_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<V::Key, Error> {
        self.visitor.begin_value_key(&mut self.map)?;
        let value = key.serialize(Serializer::<V, TEXT> { visitor: &mut *self.visitor, depth: self.depth })?;
        self.visitor.value_key(&mut self.map, value)
    }

    #[inline(always)]
    fn value<T: Serialize + ?Sized>(&mut self, slot: V::Key, value: &T) -> Result<(), Error> {
        let value = value.serialize(Serializer::<V, TEXT> { visitor: &mut *self.visitor, depth: self.depth })?;
        self.visitor.entry(&mut self.map, slot, value)
    }

    #[inline(always)]
    fn close(self) -> Result<V::Value, Error> {
        let value = self.visitor.end_map(self.map)?;
        match self.outer {
            None => Ok(value),
            Some((mut map, key)) => {
                self.visitor.entry(&mut map, key, value)?;
                self.visitor.end_map(map)
            }
        }
    }
}

impl<V: Visitor, const TEXT: bool> ser::SerializeMap for Entries<'_, V, TEXT> {
    type Ok = V::Value;
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        let slot = self.open_key(key)?;
        self.key = Some((slot, name_of::<T, TEXT>(key)));
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        let Some((slot, name)) = self.key.take() else {
            return Err(Error::new(Code::InvalidState, "a map's value was serialized before its key"));
        };
        self.value(slot, value).map_err(|e| e.in_entry(&name))
    }

    /// What `serialize_key` and `serialize_value` do, but the key's text is made only for an error's path.
    #[inline(always)]
    fn serialize_entry<K: Serialize + ?Sized, T: Serialize + ?Sized>(
        &mut self,
        key: &K,
        value: &T,
    ) -> Result<(), Error> {
        let slot = self.open_key(key)?;
        self.value(slot, value).map_err(|e| e.in_entry(&name_of::<K, TEXT>(key)))
    }

    fn end(self) -> Result<V::Value, Error> {
        self.close()
    }
}

macro_rules! map_of_fields {
    ($($name:ident)*) => {$(
        impl<V: Visitor, const TEXT: bool> ser::$name for Entries<'_, V, TEXT> {
            type Ok = V::Value;
            type Error = Error;
            #[inline(always)]
            fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
                self.field(key, value)
            }
            #[inline(always)]
            fn end(self) -> Result<V::Value, Error> {
                self.close()
            }
        }
    )*};
}
map_of_fields! { SerializeStruct SerializeStructVariant }

/// A newtype that keeps a kind which serde has not.
#[cold]
#[inline(never)]
fn special<V: Visitor, T: Serialize + ?Sized, const TEXT: bool>(
    serializer: Serializer<'_, V, TEXT>,
    name: &'static str,
    value: &T,
) -> Result<V::Value, Error> {
    let malformed = || Error::new(Code::UnsupportedType, format!("the content of {name} is malformed"));
    match name {
        name::TIMESTAMP => {
            let payload = value.serialize(BytesOnly)?;
            let payload: [u8; 12] = payload.as_slice().try_into().map_err(|_| malformed())?;
            serializer.visitor.timestamp(Timestamp::from_ext(&payload)?)
        }
        name::EXT => {
            let payload = value.serialize(BytesOnly)?;
            let (&kind, data) = payload.split_first().ok_or_else(malformed)?;
            serializer.visitor.ext(kind.cast_signed(), data)
        }
        name::BIGINT => {
            let digits = value.serialize(TextOnly::<false>)?;
            serializer.visitor.bigint(&digits)
        }
        _ => value.serialize(serializer),
    }
}

/// A key's text for a path; empty for one that is not text.
#[cold]
#[inline(never)]
fn name_of<T: Serialize + ?Sized, const TEXT: bool>(key: &T) -> String {
    key.serialize(TextOnly::<TEXT>).unwrap_or_default()
}

/// Writes a key that is text.
struct TextTo<'a, V: Visitor, const TEXT: bool> {
    visitor: &'a mut V,
    map: &'a mut V::Map,
}

impl<V: Visitor, const TEXT: bool> TextTo<'_, V, TEXT> {
    #[inline(always)]
    fn text(self, text: &str) -> Result<V::Key, NoKey> {
        self.visitor.key(self.map, Text::new(text)).map_err(NoKey::Failed)
    }
}

/// Why [`TextTo`] wrote no key. Keys of other kinds are common, so that saying so costs no allocation.
#[derive(Debug)]
enum NoKey {
    OtherKind,
    Failed(Error),
}

impl core::fmt::Display for NoKey {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            NoKey::OtherKind => f.write_str("a key that is not text"),
            NoKey::Failed(e) => e.fmt(f),
        }
    }
}

impl core::error::Error for NoKey {}

impl ser::Error for NoKey {
    fn custom<T: core::fmt::Display>(message: T) -> Self {
        NoKey::Failed(ser::Error::custom(message))
    }
}

/// The text of a string.
struct TextOnly<const TEXT: bool>;

impl<const TEXT: bool> TextOnly<TEXT> {
    fn text(self, text: &str) -> Result<String, Error> {
        Ok(text.into())
    }
}

/// The bytes of binary.
struct BytesOnly;

/// A serializer for `$name` that takes the kinds listed with what they give, and fails with `$other` for the rest.
macro_rules! only {
    (
        [$($generics:tt)*] $name:ty => $ok:ty, $error:ty; human readable $text:expr;
        $($taken:ident($self:ident, $value:ident: $type:ty) => $make:expr;)*
        _ => $other:expr; $($refused:ident($($arg:ty),*))*
    ) => {
        impl $($generics)* ser::Serializer for $name {
            type Ok = $ok;
            type Error = $error;
            type SerializeSeq = Impossible<$ok, $error>;
            type SerializeTuple = Impossible<$ok, $error>;
            type SerializeTupleStruct = Impossible<$ok, $error>;
            type SerializeTupleVariant = Impossible<$ok, $error>;
            type SerializeMap = Impossible<$ok, $error>;
            type SerializeStruct = Impossible<$ok, $error>;
            type SerializeStructVariant = Impossible<$ok, $error>;
            $(
                #[inline(always)]
                fn $taken($self, $value: $type) -> Result<$ok, $error> { $make }
            )*
            $(fn $refused(self $(, _: $arg)*) -> Result<$ok, $error> { Err($other) })*
            #[inline(always)]
            fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<$ok, $error> {
                value.serialize(self)
            }
            #[inline(always)]
            fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<$ok, $error> {
                if name.starts_with('$') { Err($other) } else { value.serialize(self) }
            }
            fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<$ok, $error> {
                self.serialize_str(variant)
            }
            fn serialize_newtype_variant<T: Serialize + ?Sized>(
                self, _: &'static str, _: u32, _: &'static str, _: &T,
            ) -> Result<$ok, $error> {
                Err($other)
            }
            fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, $error> { Err($other) }
            fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, $error> { Err($other) }
            fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeTupleStruct, $error> { Err($other) }
            fn serialize_tuple_variant(
                self, _: &'static str, _: u32, _: &'static str, _: usize,
            ) -> Result<Self::SerializeTupleVariant, $error> {
                Err($other)
            }
            fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, $error> { Err($other) }
            fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeStruct, $error> { Err($other) }
            fn serialize_struct_variant(
                self, _: &'static str, _: u32, _: &'static str, _: usize,
            ) -> Result<Self::SerializeStructVariant, $error> {
                Err($other)
            }
            fn is_human_readable(&self) -> bool {
                $text
            }
        }
    };
}

#[cold]
fn refused() -> Error {
    Error::new(Code::MapKeyType, "a value of another kind was expected here")
}

only! { [<V: Visitor, const TEXT: bool>] TextTo<'_, V, TEXT> => V::Key, NoKey; human readable TEXT;
    serialize_str(self, value: &str) => self.text(value);
    serialize_char(self, value: char) => self.text(value.encode_utf8(&mut [0; 4]));
    _ => NoKey::OtherKind;
    serialize_bool(bool) serialize_i8(i8) serialize_i16(i16) serialize_i32(i32) serialize_i64(i64)
    serialize_u8(u8) serialize_u16(u16) serialize_u32(u32) serialize_u64(u64) serialize_f32(f32) serialize_f64(f64)
    serialize_bytes(&[u8]) serialize_none() serialize_unit() serialize_unit_struct(&'static str)
}
only! { [<const TEXT: bool>] TextOnly<TEXT> => String, Error; human readable TEXT;
    serialize_str(self, value: &str) => self.text(value);
    serialize_char(self, value: char) => self.text(value.encode_utf8(&mut [0; 4]));
    _ => refused();
    serialize_bool(bool) serialize_i8(i8) serialize_i16(i16) serialize_i32(i32) serialize_i64(i64)
    serialize_u8(u8) serialize_u16(u16) serialize_u32(u32) serialize_u64(u64) serialize_f32(f32) serialize_f64(f64)
    serialize_bytes(&[u8]) serialize_none() serialize_unit() serialize_unit_struct(&'static str)
}
only! { [] BytesOnly => alloc::vec::Vec<u8>, Error; human readable false;
    serialize_bytes(self, value: &[u8]) => Ok(value.to_vec());
    _ => refused();
    serialize_bool(bool) serialize_i8(i8) serialize_i16(i16) serialize_i32(i32) serialize_i64(i64)
    serialize_u8(u8) serialize_u16(u16) serialize_u32(u32) serialize_u64(u64) serialize_f32(f32) serialize_f64(f64)
    serialize_char(char) serialize_str(&str) serialize_none() serialize_unit() serialize_unit_struct(&'static str)
}
