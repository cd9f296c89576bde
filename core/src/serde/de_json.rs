//! `Deserialize` from JSON text, on the cursor.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;

use serde::de::{self, Deserialize, DeserializeSeed, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::error::mismatch;
use super::name;
use crate::base64;
use crate::error::{Code, Error};
use crate::json::cursor::depth_exceeded;
use crate::json::number::{Number, out_of_range};
use crate::json::reader::Reader;
use crate::json::string::Chars;
use crate::keys::{Action, KeyBytes, Open};
use crate::time::Timestamp;

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

#[cold]
fn kind(first: u8) -> &'static str {
    match first {
        b'"' => "a string",
        b'[' => "an array",
        b'{' => "a map",
        b't' | b'f' => "a bool",
        b'n' => "null",
        _ => "a number",
    }
}

impl<'r, 'de> Deserializer<'r, 'de> {
    /// The byte that the next value begins with, and its offset.
    #[inline(always)]
    fn first(&mut self) -> (u8, usize) {
        let first = self.reader.cursor.skip_whitespace();
        (first, self.reader.cursor.offset())
    }

    /// The error for a value of another kind: the text's own fault if it has one.
    #[cold]
    #[inline(never)]
    fn other<T>(&mut self, expected: &str) -> Result<T, Error> {
        let (first, at) = self.first();
        self.reader.skip::<false>(first, self.depth)?;
        Err(mismatch(expected, kind(first)).at(at))
    }

    #[inline(always)]
    fn number_of(&mut self, expected: &str) -> Result<(Number<'de>, usize), Error> {
        let (first, at) = self.first();
        if first != b'-' && !first.is_ascii_digit() {
            return self.other(expected);
        }
        match self.reader.cursor.number(first)? {
            Number::Float(value) if value.is_infinite() => Err(out_of_range(self.reader.cursor.since(at)).at(at)),
            number => Ok((number, at)),
        }
    }

    #[inline(always)]
    fn integer<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        let (number, at) = self.number_of("an integer")?;
        match number {
            Number::Int(value) if value >= 0 => visitor.visit_u64(value.cast_unsigned()),
            Number::Int(value) => visitor.visit_i64(value),
            Number::Uint(value) => visitor.visit_u64(value),
            Number::Big(digits) => big(digits, visitor),
            Number::Float(value) if value == 0.0 && value.is_sign_negative() => visitor.visit_u64(0),
            Number::Float(_) => Err(mismatch("an integer", "a float")),
        }
        .map_err(|e: Error| e.at(at))
    }

    #[inline(always)]
    fn float<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        let (number, at) = self.number_of("a number")?;
        let value = match number {
            Number::Float(value) => value,
            Number::Int(value) => value as f64,
            Number::Uint(value) => value as f64,
            Number::Big(digits) => {
                let value = crate::float::parse(digits.as_bytes());
                if value.is_infinite() {
                    return Err(out_of_range(digits.as_bytes()).at(at));
                }
                value
            }
        };
        visitor.visit_f64(value).map_err(|e: Error| e.at(at))
    }

    #[inline(always)]
    fn string<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        let (first, at) = self.first();
        if first != b'"' {
            return self.other("a string");
        }
        visit_string(self.reader, visitor, at)
    }

    fn binary<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        let (first, at) = self.first();
        if first != b'"' {
            return self.other("a string of base64");
        }
        let bytes = base64::decode(self.reader.cursor.string()?.text().bytes()).map_err(|e| e.at(at))?;
        visitor.visit_byte_buf(bytes).map_err(|e: Error| e.at(at))
    }

    #[inline(always)]
    fn sequence<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        let (first, at) = self.first();
        if first != b'[' {
            return self.other("an array");
        }
        let depth = self.down(at)?;
        let mut elements = Elements { reader: self.reader, depth, begun: false, ended: false };
        let value = visitor.visit_seq(&mut elements).map_err(|e: Error| e.at(at))?;
        if !elements.ended && elements.next()? {
            return Err(mismatch("a shorter array", "more elements").at(at));
        }
        Ok(value)
    }

    #[inline(always)]
    fn map<V: Visitor<'de>, const UNIQUE: bool>(mut self, visitor: V) -> Result<V::Value, Error> {
        let (first, at) = self.first();
        if first != b'{' {
            return self.other("a map");
        }
        let depth = self.down(at)?;
        let open = self.reader.keys.open();
        let mut entries =
            Entries::<'_, 'de, UNIQUE> { reader: self.reader, depth, open, begun: false, ended: false, instead: None };
        let value = visitor.visit_map(&mut entries).map_err(|e: Error| e.at(at))?;
        if !entries.ended && entries.next()? {
            return Err(mismatch("fewer entries", "more").at(at));
        }
        let Entries { reader, open, .. } = entries;
        reader.keys.close(&open);
        Ok(value)
    }

    /// Steps over an opening bracket.
    #[inline(always)]
    fn down(&mut self, at: usize) -> Result<u32, Error> {
        let Some(depth) = self.depth.checked_sub(1) else {
            return Err(depth_exceeded(self.reader.max_depth).at(at));
        };
        // SAFETY: the bracket is there.
        unsafe { self.reader.cursor.advance(1) };
        Ok(depth)
    }
}

#[inline(always)]
fn visit_string<'de, V: Visitor<'de>>(reader: &mut Reader<'de>, visitor: V, at: usize) -> Result<V::Value, Error> {
    match reader.cursor.string()? {
        Chars::Input(text) => visitor.visit_borrowed_str(text.to_str().map_err(|e| e.at(at))?),
        Chars::Scratch(text) => visitor.visit_str(text.to_str().map_err(|e| e.at(at))?),
    }
    .map_err(|e: Error| e.at(at))
}

/// An integer beyond 64 bits.
#[cold]
fn big<'de, V: Visitor<'de>>(digits: &str, visitor: V) -> Result<V::Value, Error> {
    if let Ok(value) = digits.parse::<i128>() {
        return visitor.visit_i128(value);
    }
    if let Ok(value) = digits.parse::<u128>() {
        return visitor.visit_u128(value);
    }
    Err(Error::new(Code::IntegerOutOfRange, format!("an integer of {} digits does not fit", digits.len())))
}

macro_rules! integers {
    ($($name:ident)*) => {$(
        #[inline(always)]
        fn $name<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            self.integer(visitor)
        }
    )*};
}

impl<'de> de::Deserializer<'de> for Deserializer<'_, 'de> {
    type Error = Error;

    integers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
    }

    #[inline(always)]
    fn deserialize_f32<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        // Rounded once, from the text: through a binary64 it could be rounded twice.
        let (number, at) = self.number_of("a number")?;
        if !matches!(number, Number::Float(_)) {
            self.reader.cursor.seek(at);
            return self.float(visitor);
        }
        let text = core::str::from_utf8(self.reader.cursor.since(at)).unwrap_or("");
        let value: f32 = text.parse().map_err(|_| mismatch("a number", "something else").at(at))?;
        if value.is_infinite() {
            return Err(Error::new(Code::NumberOutOfRange, format!("{text} is beyond the range of binary32")).at(at));
        }
        visitor.visit_f32(value).map_err(|e: Error| e.at(at))
    }
    #[inline(always)]
    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.float(visitor)
    }
    #[inline(always)]
    fn deserialize_bool<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        let (first, at) = self.first();
        if first != b't' && first != b'f' {
            return self.other("a bool");
        }
        self.reader.cursor.literal(first)?;
        visitor.visit_bool(first == b't').map_err(|e: Error| e.at(at))
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
    fn deserialize_option<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        let (first, _) = self.first();
        if first == b'n' {
            self.reader.cursor.literal(first)?;
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }
    fn deserialize_unit<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        let (first, _) = self.first();
        if first != b'n' {
            return self.other("null");
        }
        self.reader.cursor.literal(first)?;
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
                let (first, at) = self.first();
                if first != b'"' {
                    return self.other("RFC 3339 text");
                }
                let chars = self.reader.cursor.string()?;
                let text = chars.text().to_str().map_err(|e| e.at(at))?;
                Timestamp::parse(text).map_err(|e| e.at(at))?;
                visitor.visit_str(text).map_err(|e: Error| e.at(at))
            }
            name::EXT => self.other("an extension, which JSON has not"),
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
        let (first, at) = self.first();
        if first == b'"' {
            let chars = self.reader.cursor.string()?;
            let variant: String = chars.text().to_str().map_err(|e| e.at(at))?.to_owned();
            return visitor.visit_enum(variant.into_deserializer()).map_err(|e: Error| e.at(at));
        }
        if first != b'{' {
            return self.other("a variant's name, or a map of one entry");
        }
        let depth = self.down(at)?;
        if self.first().0 != b'"' {
            return Err(self.reader.cursor.fault("a variant's name"));
        }
        let value = visitor.visit_enum(Variant { reader: &mut *self.reader, depth }).map_err(|e: Error| e.at(at))?;
        if self.first().0 != b'}' {
            return Err(self.reader.cursor.fault("'}' after a variant"));
        }
        // SAFETY: the bracket is there.
        unsafe { self.reader.cursor.advance(1) };
        Ok(value)
    }
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.string(visitor)
    }
    #[inline(never)]
    fn deserialize_ignored_any<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        let (first, _) = self.first();
        self.reader.skip::<false>(first, self.depth)?;
        visitor.visit_unit()
    }
    fn deserialize_any<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        let (first, at) = self.first();
        match first {
            b'"' => self.string(visitor),
            b'[' => self.sequence(visitor),
            b'{' => self.map::<V, true>(visitor),
            b'-' | b'0'..=b'9' => {
                let (number, _) = self.number_of("a number")?;
                match number {
                    Number::Float(value) => visitor.visit_f64(value),
                    Number::Int(value) if value < 0 => visitor.visit_i64(value),
                    Number::Int(value) => visitor.visit_u64(value.cast_unsigned()),
                    Number::Uint(value) => visitor.visit_u64(value),
                    Number::Big(digits) if digits.len() <= 38 => big(digits, visitor),
                    Number::Big(digits) => visitor.visit_enum(BigInt(digits)),
                }
                .map_err(|e: Error| e.at(at))
            }
            b'n' => self.deserialize_unit(visitor),
            _ => {
                self.reader.cursor.literal(first)?;
                visitor.visit_bool(first == b't').map_err(|e: Error| e.at(at))
            }
        }
    }
}

struct Elements<'r, 'de> {
    reader: &'r mut Reader<'de>,
    depth: u32,
    begun: bool,
    ended: bool,
}

impl Elements<'_, '_> {
    /// True if an element follows; else the bracket is taken.
    #[inline(always)]
    fn next(&mut self) -> Result<bool, Error> {
        let mut next = self.reader.cursor.skip_whitespace();
        if next == b']' {
            // SAFETY: the bracket is there.
            unsafe { self.reader.cursor.advance(1) };
            self.ended = true;
            return Ok(false);
        }
        if self.begun {
            if next != b',' {
                return Err(self.reader.cursor.fault("',' or ']'"));
            }
            // SAFETY: the comma is there.
            unsafe { self.reader.cursor.advance(1) };
            next = self.reader.cursor.skip_whitespace();
            if next == b']' {
                return Err(self.reader.cursor.fault("a value"));
            }
        }
        self.begun = true;
        Ok(true)
    }
}

impl<'de> de::SeqAccess<'de> for Elements<'_, 'de> {
    type Error = Error;
    #[inline(always)]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        if self.ended || !self.next()? {
            return Ok(None);
        }
        seed.deserialize(Deserializer { reader: self.reader, depth: self.depth }).map(Some)
    }
}

struct Entries<'r, 'de, const UNIQUE: bool> {
    reader: &'r mut Reader<'de>,
    depth: u32,
    open: Open,
    begun: bool,
    ended: bool,
    /// Where the value (with its colon) is that takes the place of the entry's own.
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
                self.reader.cursor.skip_string()?;
                self.reader.skip_entry_value(self.depth)?;
                Ok(true)
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn value_at<V: DeserializeSeed<'de>>(&mut self, offset: usize, seed: V) -> Result<V::Value, Error> {
        self.reader.skip_entry_value(self.depth)?;
        let end = self.reader.cursor.offset();
        self.reader.cursor.seek(offset);
        self.reader.cursor.colon()?;
        let value = seed.deserialize(Deserializer { reader: self.reader, depth: self.depth })?;
        self.reader.cursor.seek(end);
        Ok(value)
    }

    /// True if a key follows; else the bracket is taken.
    #[inline(always)]
    fn next(&mut self) -> Result<bool, Error> {
        let mut next = self.reader.cursor.skip_whitespace();
        if next == b'}' {
            // SAFETY: the bracket is there.
            unsafe { self.reader.cursor.advance(1) };
            self.ended = true;
            return Ok(false);
        }
        if self.begun {
            if next != b',' {
                return Err(self.reader.cursor.fault("',' or '}'"));
            }
            // SAFETY: the comma is there.
            unsafe { self.reader.cursor.advance(1) };
            next = self.reader.cursor.skip_whitespace();
        }
        self.begun = true;
        if next != b'"' {
            return Err(self.reader.cursor.fault("a string as key"));
        }
        Ok(true)
    }
}

impl<'de, const UNIQUE: bool> de::MapAccess<'de> for Entries<'_, 'de, UNIQUE> {
    type Error = Error;
    #[inline(always)]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        loop {
            if self.ended || !self.next()? {
                return Ok(None);
            }
            if self.reader.plan.is_none() || !self.planned()? {
                break;
            }
        }
        let at = self.reader.cursor.offset();
        let input = self.reader.cursor.input();
        let chars = self.reader.cursor.string()?;
        if UNIQUE && self.reader.plan.is_none() {
            let key = match chars {
                Chars::Input(text) => KeyBytes::Input(text.bytes()),
                Chars::Scratch(text) => KeyBytes::Transient(text.bytes()),
            };
            if self.reader.keys.insert(&mut self.open, input, key, at).is_some() {
                return Err(Error::new(Code::DuplicateKey, "a key stands twice in a map").at(at));
            }
        }
        let key = match chars {
            Chars::Input(text) => seed.deserialize(Key::Input(text.to_str().map_err(|e| e.at(at))?)),
            Chars::Scratch(text) => seed.deserialize(Key::Scratch(text.to_str().map_err(|e| e.at(at))?)),
        };
        key.map(Some).map_err(|e| e.at(at))
    }
    #[inline(always)]
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        if let Some(offset) = self.instead.take() {
            return self.value_at(offset, seed);
        }
        self.reader.cursor.colon()?;
        seed.deserialize(Deserializer { reader: self.reader, depth: self.depth })
    }
}

/// A key, also for types that are written as text: integers and bools.
enum Key<'de, 'c> {
    Input(&'de str),
    Scratch(&'c str),
}

macro_rules! parsed {
    ($($name:ident: $type:ty, $visit:ident;)*) => {$(
        fn $name<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            let (Key::Input(text) | Key::Scratch(text)) = self;
            match text.parse::<$type>() {
                Ok(value) => visitor.$visit(value),
                Err(_) => visitor.visit_str(text),
            }
        }
    )*};
}

impl<'de> de::Deserializer<'de> for Key<'de, '_> {
    type Error = Error;
    #[inline(always)]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Key::Input(text) => visitor.visit_borrowed_str(text),
            Key::Scratch(text) => visitor.visit_str(text),
        }
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
        let (Key::Input(text) | Key::Scratch(text)) = self;
        visitor.visit_enum(text.to_owned().into_deserializer())
    }
    forward_to_deserialize_any! {
        f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
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
        self.reader.cursor.colon()?;
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

/// A very long integer for [`Value`](crate::Value), which asks for its kind by name.
struct BigInt<'de>(&'de str);

impl<'de> de::EnumAccess<'de> for BigInt<'de> {
    type Error = Error;
    type Variant = Self;
    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), Error> {
        Ok((seed.deserialize(name::BIGINT.into_deserializer())?, self))
    }
}

impl<'de> de::VariantAccess<'de> for BigInt<'de> {
    type Error = Error;
    fn unit_variant(self) -> Result<(), Error> {
        Err(mismatch("a variant", "an integer"))
    }
    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(Key::Input(self.0))
    }
    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, Error> {
        Err(mismatch("a variant", "an integer"))
    }
    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], _: V) -> Result<V::Value, Error> {
        Err(mismatch("a variant", "an integer"))
    }
}
