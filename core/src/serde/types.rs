//! Our own types in serde: they keep their kinds in our formats and are sensible in others.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use serde::de::{self, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::name;
use crate::ext::Ext;
use crate::time::Timestamp;
use crate::value::Value;

/// Bytes as serde's bytes, not as a sequence.
struct Bytes<'b>(&'b [u8]);

impl Serialize for Bytes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

/// RFC 3339 text where the format is text, else twelve bytes: nanoseconds (u32), then seconds (i64).
struct TimestampContent(Timestamp);

impl Serialize for TimestampContent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return serializer.serialize_str(self.0.format().map_err(S::Error::custom)?.as_str());
        }
        let mut payload = [0; 12];
        payload[..4].copy_from_slice(&self.0.nanoseconds().to_be_bytes());
        payload[4..].copy_from_slice(&self.0.seconds().to_be_bytes());
        serializer.serialize_bytes(&payload)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(name::TIMESTAMP, &TimestampContent(*self))
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(name::TIMESTAMP, TimestampVisitor)
    }
}

struct TimestampVisitor;

impl<'de> Visitor<'de> for TimestampVisitor {
    type Value = Timestamp;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a timestamp")
    }
    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Timestamp, D::Error> {
        if deserializer.is_human_readable() {
            deserializer.deserialize_str(self)
        } else {
            deserializer.deserialize_bytes(self)
        }
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<Timestamp, E> {
        Timestamp::parse(text).map_err(E::custom)
    }
    fn visit_bytes<E: de::Error>(self, payload: &[u8]) -> Result<Timestamp, E> {
        Timestamp::from_ext(payload).map_err(E::custom)
    }
}

impl Serialize for Ext {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut payload = Vec::with_capacity(self.data.len() + 1);
        payload.push(self.kind.cast_unsigned());
        payload.extend_from_slice(&self.data);
        serializer.serialize_newtype_struct(name::EXT, &Bytes(&payload))
    }
}

impl<'de> Deserialize<'de> for Ext {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(name::EXT, ExtVisitor)
    }
}

struct ExtVisitor;

impl<'de> Visitor<'de> for ExtVisitor {
    type Value = Ext;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an extension")
    }
    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Ext, D::Error> {
        deserializer.deserialize_bytes(self)
    }
    fn visit_bytes<E: de::Error>(self, payload: &[u8]) -> Result<Ext, E> {
        let (&kind, data) = payload.split_first().ok_or_else(|| E::invalid_length(0, &self))?;
        Ok(Ext { kind: kind.cast_signed(), data: data.into() })
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(v) => serializer.serialize_bool(*v),
            Value::Int(v) => serializer.serialize_i64(*v),
            Value::Uint(v) => serializer.serialize_u64(*v),
            Value::BigInt(digits) => serializer.serialize_newtype_struct(name::BIGINT, digits),
            Value::Float(v) => serializer.serialize_f64(*v),
            Value::Str(v) => serializer.serialize_str(v),
            Value::Bin(v) => serializer.serialize_bytes(v),
            Value::Array(items) => serializer.collect_seq(items),
            Value::Map(entries) => serializer.collect_map(entries.iter().map(|(k, v)| (k, v))),
            Value::Timestamp(v) => v.serialize(serializer),
            Value::Ext(v) => v.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }
    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Int(value))
    }
    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from_u64(value))
    }
    fn visit_i128<E>(self, value: i128) -> Result<Value, E> {
        Ok(i64::try_from(value).map_or_else(
            |_| u64::try_from(value).map_or_else(|_| Value::BigInt(value.to_string()), Value::from_u64),
            Value::Int,
        ))
    }
    fn visit_u128<E>(self, value: u128) -> Result<Value, E> {
        Ok(u64::try_from(value).map_or_else(|_| Value::BigInt(value.to_string()), Value::from_u64))
    }
    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Float(value))
    }
    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Str(value.into()))
    }
    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::Str(value))
    }
    fn visit_bytes<E>(self, value: &[u8]) -> Result<Value, E> {
        Ok(Value::Bin(value.into()))
    }
    fn visit_byte_buf<E>(self, value: Vec<u8>) -> Result<Value, E> {
        Ok(Value::Bin(value))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::with_capacity(seq.size_hint().unwrap_or(0).min(4096));
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut entries = Vec::with_capacity(map.size_hint().unwrap_or(0).min(4096));
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Value::Map(entries))
    }
    /// Kinds that serde has not come as variants of these names, from our deserializers only.
    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<Value, A::Error> {
        let (variant, content) = data.variant::<Cow<'de, str>>()?;
        match &*variant {
            name::TIMESTAMP => Ok(Value::Timestamp(content.newtype_variant()?)),
            name::EXT => Ok(Value::Ext(content.newtype_variant()?)),
            name::BIGINT => Ok(Value::BigInt(content.newtype_variant()?)),
            other => Err(de::Error::custom(format!("the variant {other:?} is no value"))),
        }
    }
}
