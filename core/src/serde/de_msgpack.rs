//! `Deserialize` from MessagePack, on the cursor.

use alloc::borrow::ToOwned;
use alloc::format;

use serde::de::{self, Deserialize, DeserializeSeed, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::error::mismatch;
use super::name;
use crate::error::{Code, Error};
use crate::keys::{Action, KeyBytes, Open};
use crate::msgpack::marker::*;
use crate::msgpack::reader::{Reader, wrong_key_type};
use crate::options::MapKeys;
use crate::time::Timestamp;
use crate::utf8;
use crate::visit::invalid_utf8;

/// Reads one value of a type.
pub(super) fn read<'de, T: Deserialize<'de>>(reader: &mut Reader<'de>) -> Result<T, Error> {
    let start = reader.cursor.offset();
    let depth = reader.max_depth;
    reader.plan_ahead();
    match T::deserialize(Deserializer { reader, depth }) {
        Ok(value) => Ok(value),
        Err(e) => Err(reader.locate(start, e)),
    }
}

struct Deserializer<'r, 'de> {
    reader: &'r mut Reader<'de>,
    depth: u32,
}

/// What a marker begins, for messages.
#[cold]
fn kind(marker: u8) -> &'static str {
    match marker {
        NIL => "null",
        FALSE | TRUE => "a bool",
        BIN8..=BIN32 => "binary",
        FLOAT32 | FLOAT64 => "a float",
        0..=POSITIVE_FIXINT_MAX | UINT8..=INT64 | NEGATIVE_FIXINT..=0xff => "an integer",
        0x90..=0x9f | ARRAY16 | ARRAY32 => "an array",
        0x80..=0x8f | MAP16 | MAP32 => "a map",
        0xa0..=0xbf | STR8..=STR32 => "a string",
        NEVER_USED => "the byte 0xc1",
        _ => "an extension",
    }
}

impl<'r, 'de> Deserializer<'r, 'de> {
    /// The error for a value of another kind: the format's own fault if it has one.
    #[cold]
    #[inline(never)]
    fn other<T>(&mut self, expected: &str, at: usize) -> Result<T, Error> {
        self.reader.cursor.seek(at);
        let Some(marker) = self.reader.cursor.peek() else { return Err(self.reader.cursor.truncated()) };
        self.reader.skip::<false>(self.depth)?;
        Err(mismatch(expected, kind(marker)).at(at))
    }

    #[inline(always)]
    fn integer<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let at = self.reader.cursor.offset();
        match self.reader.cursor.int()? {
            Some((value, false)) => visitor.visit_i64(value.cast_signed()),
            Some((value, true)) => visitor.visit_u64(value),
            None => return self.float_as_int(visitor, at),
        }
        .map_err(|e: Error| e.at(at))
    }

    #[inline(always)]
    fn unsigned<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let at = self.reader.cursor.offset();
        match self.reader.cursor.int()? {
            Some((value, large)) if large || value.cast_signed() >= 0 => visitor.visit_u64(value),
            Some((value, _)) => visitor.visit_i64(value.cast_signed()),
            None => return self.float_as_int(visitor, at),
        }
        .map_err(|e: Error| e.at(at))
    }

    #[cold]
    #[inline(never)]
    fn float_as_int<V: Visitor<'de>>(mut self, _: V, at: usize) -> Result<V::Value, Error> {
        self.other("an integer", at)
    }

    #[inline(always)]
    fn float<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        let cursor = &mut self.reader.cursor;
        let at = cursor.offset();
        let value = if cursor.remaining() >= 9 && cursor.peek() == Some(FLOAT64) {
            // SAFETY: nine bytes remain.
            unsafe {
                cursor.advance(1);
                f64::from_bits(cursor.be::<8>().unwrap_unchecked())
            }
        } else {
            self.float_slow(at)?
        };
        visitor.visit_f64(value).map_err(|e: Error| e.at(at))
    }

    #[inline(never)]
    fn float_slow(&mut self, at: usize) -> Result<f64, Error> {
        let cursor = &mut self.reader.cursor;
        match cursor.peek() {
            Some(FLOAT64) => {
                cursor.marker()?;
                Ok(f64::from_bits(cursor.be::<8>()?))
            }
            Some(FLOAT32) => {
                cursor.marker()?;
                Ok(f64::from(f32::from_bits(cursor.be::<4>()? as u32)))
            }
            // Where it is exact, an integer is the float: writers of other languages do not tell 1 from 1.0.
            _ => match cursor.int()? {
                Some((value, large)) => exact_float(value, large)
                    .ok_or_else(|| Error::new(Code::NumberOutOfRange, "the integer is not exactly a binary64").at(at)),
                None => self.other("a number", at),
            },
        }
    }

    /// The bytes of a string, not validated.
    #[inline(always)]
    fn str_bytes(&mut self) -> Result<(&'de [u8], usize), Error> {
        let cursor = &mut self.reader.cursor;
        let at = cursor.offset();
        let marker = cursor.marker()?;
        match cursor.str_len(marker)? {
            Some(n) => Ok((cursor.payload(n, at)?, at)),
            None => self.other("a string", at),
        }
    }

    #[inline(always)]
    fn string<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        let (bytes, at) = self.str_bytes()?;
        visitor.visit_borrowed_str(text(bytes, at)?).map_err(|e: Error| e.at(at))
    }

    #[inline(always)]
    fn sequence<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        let cursor = &mut self.reader.cursor;
        let at = cursor.offset();
        let marker = cursor.marker()?;
        let Some(n) = cursor.array_len(marker)? else { return self.other("an array", at) };
        self.sequence_of(n, at, visitor)
    }

    #[inline(always)]
    fn sequence_of<V: Visitor<'de>>(self, n: usize, at: usize, visitor: V) -> Result<V::Value, Error> {
        self.reader.open(n, 1, at, self.depth)?;
        let mut elements = Elements { reader: self.reader, left: n, depth: self.depth - 1 };
        let value = visitor.visit_seq(&mut elements).map_err(|e: Error| e.at(at))?;
        if elements.left > 0 {
            return Err(
                mismatch(&format!("an array of {} elements", n - elements.left), &format!("{n} elements")).at(at)
            );
        }
        Ok(value)
    }

    #[inline(always)]
    fn map<V: Visitor<'de>, const UNIQUE: bool>(mut self, visitor: V) -> Result<V::Value, Error> {
        let cursor = &mut self.reader.cursor;
        let at = cursor.offset();
        let marker = cursor.marker()?;
        let Some(n) = cursor.map_len(marker)? else { return self.other("a map", at) };
        self.reader.open(n, 2, at, self.depth)?;
        let open = self.reader.keys.open();
        let mut entries =
            Entries::<'_, 'de, UNIQUE> { reader: self.reader, left: n, depth: self.depth - 1, open, instead: None };
        let value = visitor.visit_map(&mut entries).map_err(|e: Error| e.at(at))?;
        if entries.left > 0 {
            return Err(mismatch("fewer entries", &format!("{n} entries")).at(at));
        }
        let Entries { reader, open, .. } = entries;
        reader.keys.close(&open);
        Ok(value)
    }

    fn binary<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        let cursor = &mut self.reader.cursor;
        let at = cursor.offset();
        let marker = cursor.marker()?;
        if let Some(n) = cursor.bin_len(marker)? {
            let bytes = cursor.payload(n, at)?;
            return visitor.visit_borrowed_bytes(bytes).map_err(|e: Error| e.at(at));
        }
        self.other("binary", at)
    }

    fn extension(&mut self) -> Result<(i8, &'de [u8], usize), Error> {
        let cursor = &mut self.reader.cursor;
        let at = cursor.offset();
        let marker = cursor.marker()?;
        match cursor.ext_len(marker)? {
            Some(n) => {
                let kind = (cursor.be::<1>()? as u8).cast_signed();
                Ok((kind, cursor.payload(n, at)?, at))
            }
            None => self.other("an extension", at),
        }
    }
}

/// An integer as a float, if that is exact.
fn exact_float(value: u64, large: bool) -> Option<f64> {
    if large {
        let float = value as f64;
        return (float as u128 == u128::from(value)).then_some(float);
    }
    let value = value.cast_signed();
    let float = value as f64;
    (float as i128 == i128::from(value)).then_some(float)
}

#[inline(always)]
fn text(bytes: &[u8], at: usize) -> Result<&str, Error> {
    if utf8::is_valid(bytes) {
        // SAFETY: just checked.
        return Ok(unsafe { core::str::from_utf8_unchecked(bytes) });
    }
    Err(invalid_utf8().at(at))
}

macro_rules! numbers {
    ($($name:ident)*, $($unsigned:ident)*) => {
        $(#[inline(always)]
        fn $name<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            self.integer(visitor)
        })*
        $(#[inline(always)]
        fn $unsigned<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            self.unsigned(visitor)
        })*
    };
}

impl<'de> de::Deserializer<'de> for Deserializer<'_, 'de> {
    type Error = Error;

    numbers! { deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128,
    deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 }

    #[inline(always)]
    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.float(visitor)
    }
    #[inline(always)]
    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.float(visitor)
    }
    #[inline(always)]
    fn deserialize_bool<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        let cursor = &mut self.reader.cursor;
        let at = cursor.offset();
        let value = match cursor.marker()? {
            FALSE => false,
            TRUE => true,
            _ => return self.other("a bool", at),
        };
        visitor.visit_bool(value).map_err(|e: Error| e.at(at))
    }
    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.string(visitor)
    }
    #[inline(always)]
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.string(visitor)
    }
    #[inline(always)]
    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.string(visitor)
    }
    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.binary(visitor)
    }
    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.binary(visitor)
    }
    #[inline(always)]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.reader.cursor.peek() == Some(NIL) {
            // SAFETY: there is a byte.
            unsafe { self.reader.cursor.advance(1) };
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }
    fn deserialize_unit<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        let at = self.reader.cursor.offset();
        if self.reader.cursor.marker()? != NIL {
            return self.other("null", at);
        }
        visitor.visit_unit()
    }
    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_unit(visitor)
    }
    #[inline(always)]
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        mut self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        match name {
            name::TIMESTAMP => {
                let (kind, payload, at) = self.extension()?;
                if kind != TIMESTAMP {
                    return Err(mismatch("a timestamp", &format!("an extension of type {kind}")).at(at));
                }
                Timestamp::from_ext(payload).map_err(|e| e.at(at))?;
                visitor.visit_bytes(payload).map_err(|e: Error| e.at(at))
            }
            name::EXT => {
                let (kind, payload, at) = self.extension()?;
                let mut content = alloc::vec![kind.cast_unsigned()];
                content.extend_from_slice(payload);
                visitor.visit_bytes(&content).map_err(|e: Error| e.at(at))
            }
            _ => visitor.visit_newtype_struct(self),
        }
    }
    #[inline(always)]
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.sequence(visitor)
    }
    #[inline(always)]
    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.sequence(visitor)
    }
    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.sequence(visitor)
    }
    #[inline(always)]
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.map::<V, true>(visitor)
    }
    /// A derived visitor finds fields that stand twice by itself; unknown ones may.
    #[inline(always)]
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.map::<V, false>(visitor)
    }
    fn deserialize_enum<V: Visitor<'de>>(
        mut self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let cursor = &mut self.reader.cursor;
        let at = cursor.offset();
        let marker = cursor.marker()?;
        if let Some(n) = cursor.str_len(marker)? {
            let variant = text(cursor.payload(n, at)?, at)?;
            return visitor.visit_enum(variant.into_deserializer()).map_err(|e: Error| e.at(at));
        }
        match cursor.map_len(marker)? {
            Some(1) => {
                self.reader.open(1, 2, at, self.depth)?;
                let depth = self.depth - 1;
                visitor.visit_enum(Variant { reader: self.reader, depth }).map_err(|e: Error| e.at(at))
            }
            Some(n) => {
                Err(mismatch("a variant's name, or a map of one entry", &format!("a map of {n} entries")).at(at))
            }
            None => self.other("a variant's name, or a map of one entry", at),
        }
    }
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.string(visitor)
    }
    #[inline(never)]
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.reader.skip::<false>(self.depth)?;
        visitor.visit_unit()
    }
    fn deserialize_any<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        let at = self.reader.cursor.offset();
        let Some(marker) = self.reader.cursor.peek() else { return Err(self.reader.cursor.truncated()) };
        match marker {
            0..=POSITIVE_FIXINT_MAX | NEGATIVE_FIXINT..=0xff | UINT8..=INT64 => self.unsigned(visitor),
            FLOAT32 | FLOAT64 => self.float(visitor),
            NIL => self.deserialize_unit(visitor),
            FALSE | TRUE => self.deserialize_bool(visitor),
            0xa0..=0xbf | STR8..=STR32 => self.string(visitor),
            0x90..=0x9f | ARRAY16 | ARRAY32 => self.sequence(visitor),
            0x80..=0x8f | MAP16 | MAP32 => self.map::<V, true>(visitor),
            BIN8..=BIN32 => self.binary(visitor),
            FIXEXT1..=FIXEXT16 | EXT8..=EXT32 => {
                let (kind, _, at) = self.extension()?;
                self.reader.cursor.seek(at);
                let name = if kind == TIMESTAMP { name::TIMESTAMP } else { name::EXT };
                visitor.visit_enum(Extension { de: self, name }).map_err(|e: Error| e.at(at))
            }
            NEVER_USED => self.other("a value", at),
        }
    }
    fn is_human_readable(&self) -> bool {
        false
    }
}

struct Elements<'r, 'de> {
    reader: &'r mut Reader<'de>,
    left: usize,
    depth: u32,
}

impl<'de> de::SeqAccess<'de> for Elements<'_, 'de> {
    type Error = Error;
    #[inline(always)]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        seed.deserialize(Deserializer { reader: self.reader, depth: self.depth }).map(Some)
    }
    #[inline(always)]
    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

struct Entries<'r, 'de, const UNIQUE: bool> {
    reader: &'r mut Reader<'de>,
    left: usize,
    depth: u32,
    open: Open,
    /// Where the value is that takes the place of the entry's own.
    instead: Option<usize>,
}

impl<'de, const UNIQUE: bool> Entries<'_, 'de, UNIQUE> {
    /// What the plan says of the entry here: steps over it and returns true if it is left out.
    #[cold]
    #[inline(never)]
    fn planned(&mut self) -> Result<bool, Error> {
        let at = self.reader.cursor.offset();
        match self.reader.plan.as_ref().and_then(|plan| plan.at(at)) {
            None => Ok(false),
            Some(Action::ValueAt(offset)) => {
                self.instead = Some(offset);
                Ok(false)
            }
            Some(Action::Skip) => {
                self.reader.skip_any_key(self.depth)?;
                self.reader.skip::<false>(self.depth)?;
                Ok(true)
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn value_at<V: DeserializeSeed<'de>>(&mut self, offset: usize, seed: V) -> Result<V::Value, Error> {
        self.reader.skip::<false>(self.depth)?;
        let end = self.reader.cursor.offset();
        self.reader.cursor.seek(offset);
        let value = seed.deserialize(Deserializer { reader: self.reader, depth: self.depth })?;
        self.reader.cursor.seek(end);
        Ok(value)
    }
}

impl<'de, const UNIQUE: bool> de::MapAccess<'de> for Entries<'_, 'de, UNIQUE> {
    type Error = Error;
    #[inline(always)]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        loop {
            if self.left == 0 {
                return Ok(None);
            }
            self.left -= 1;
            if self.reader.plan.is_none() || !self.planned()? {
                break;
            }
        }
        let cursor = &mut self.reader.cursor;
        let at = cursor.offset();
        let marker = cursor.marker()?;
        let Some(n) = cursor.str_len(marker)? else {
            if self.reader.policy.map_keys == MapKeys::Str {
                return Err(wrong_key_type(marker, at));
            }
            cursor.seek(at);
            return seed.deserialize(Deserializer { reader: self.reader, depth: self.depth }).map(Some);
        };
        let bytes = cursor.payload(n, at)?;
        if UNIQUE && self.reader.plan.is_none() {
            let input = self.reader.cursor.input();
            if self.reader.keys.insert(&mut self.open, input, KeyBytes::Input(bytes), at).is_some() {
                return Err(Error::new(Code::DuplicateKey, "a key stands twice in a map").at(at));
            }
        }
        seed.deserialize(Key { bytes, at }).map(Some).map_err(|e| e.at(at))
    }
    #[inline(always)]
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        if let Some(offset) = self.instead.take() {
            return self.value_at(offset, seed);
        }
        seed.deserialize(Deserializer { reader: self.reader, depth: self.depth })
    }
    #[inline(always)]
    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

/// A string key, also for types that are written as text: integers and bools (as serde_json has them).
struct Key<'de> {
    bytes: &'de [u8],
    at: usize,
}

macro_rules! parsed {
    ($($name:ident: $type:ty, $visit:ident;)*) => {$(
        fn $name<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            let text = text(self.bytes, self.at)?;
            match text.parse::<$type>() {
                Ok(value) => visitor.$visit(value),
                Err(_) => visitor.visit_borrowed_str(text),
            }
        }
    )*};
}

impl<'de> de::Deserializer<'de> for Key<'de> {
    type Error = Error;
    #[inline(always)]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_str(text(self.bytes, self.at)?)
    }
    /// A field's name is compared, not kept: bytes that are equal to a name are UTF-8.
    #[inline(always)]
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_str(text(self.bytes, self.at)?)
    }
    parsed! {
        deserialize_i8: i8, visit_i8; deserialize_i16: i16, visit_i16; deserialize_i32: i32, visit_i32;
        deserialize_i64: i64, visit_i64; deserialize_i128: i128, visit_i128;
        deserialize_u8: u8, visit_u8; deserialize_u16: u16, visit_u16; deserialize_u32: u32, visit_u32;
        deserialize_u64: u64, visit_u64; deserialize_u128: u128, visit_u128; deserialize_bool: bool, visit_bool;
    }
    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_enum(text(self.bytes, self.at)?.to_owned().into_deserializer())
    }
    forward_to_deserialize_any! {
        f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct ignored_any
    }
    fn is_human_readable(&self) -> bool {
        false
    }
}

/// A map of one entry that stands for an enum's variant.
struct Variant<'r, 'de> {
    reader: &'r mut Reader<'de>,
    depth: u32,
}

impl<'r, 'de> de::EnumAccess<'de> for Variant<'r, 'de> {
    type Error = Error;
    type Variant = Deserializer<'r, 'de>;
    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Deserializer<'r, 'de>), Error> {
        let variant = seed.deserialize(Deserializer { reader: &mut *self.reader, depth: self.depth })?;
        Ok((variant, Deserializer { reader: self.reader, depth: self.depth }))
    }
}

impl<'de> de::VariantAccess<'de> for Deserializer<'_, 'de> {
    type Error = Error;
    fn unit_variant(self) -> Result<(), Error> {
        Deserialize::deserialize(self)
    }
    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(self)
    }
    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.sequence(visitor)
    }
    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        self.map::<V, false>(visitor)
    }
}

/// An extension for [`Value`](crate::Value), which asks for its kind by name.
struct Extension<'r, 'de> {
    de: Deserializer<'r, 'de>,
    name: &'static str,
}

impl<'r, 'de> de::EnumAccess<'de> for Extension<'r, 'de> {
    type Error = Error;
    type Variant = Deserializer<'r, 'de>;
    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Deserializer<'r, 'de>), Error> {
        Ok((seed.deserialize(self.name.into_deserializer())?, self.de))
    }
}
