//! The owned tree: one variant for each kind of the data model. A visitor like any other.

use alloc::string::String;
use alloc::vec::Vec;

use crate::error::{Code, Error};
use crate::ext::Ext;
use crate::key_text::key_text;
use crate::limits::MAX_DEPTH;
use crate::time::Timestamp;
use crate::visit::{Constant, Reader, Text, Visitor};

/// Any value that the data model has.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// null
    Null,
    /// bool
    Bool(bool),
    /// An integer of −2^63 … 2^63−1.
    Int(i64),
    /// An integer of 2^63 … 2^64−1; smaller ones are `Int`.
    Uint(u64),
    /// An integer beyond both: decimal digits, with `-` in front if negative.
    BigInt(String),
    /// binary64
    Float(f64),
    /// text
    Str(String),
    /// binary
    Bin(Vec<u8>),
    /// array
    Array(Vec<Value>),
    /// Entries in the order of the data; keys may be of any kind.
    Map(Vec<(Value, Value)>),
    /// point in time
    Timestamp(Timestamp),
    /// extension of a type other than −1
    Ext(Ext),
}

impl Value {
    /// The value of an unsigned integer, in the variant that the model gives it.
    pub fn from_u64(value: u64) -> Self {
        i64::try_from(value).map_or(Value::Uint(value), Value::Int)
    }

    /// The kind's name in the data model.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Bool(_) => "bool",
            Value::Int(_) | Value::Uint(_) => "int",
            Value::BigInt(_) => "bigint",
            Value::Float(_) => "float",
            Value::Str(_) => "str",
            Value::Bin(_) => "bin",
            Value::Array(_) => "array",
            Value::Map(_) => "map",
            Value::Timestamp(_) => "timestamp",
            Value::Ext(_) => "ext",
        }
    }

    /// The value under a string key of a map.
    pub fn get(&self, key: &str) -> Option<&Value> {
        match self {
            Value::Map(entries) => entries.iter().find(|(k, _)| matches!(k, Value::Str(k) if k == key)).map(|(_, v)| v),
            _ => None,
        }
    }

    /// Drives a visitor through this value.
    ///
    /// # Errors
    /// The visitor's, with the path of the value; `depth-exceeded` for more containers inside one another than
    /// any reader takes ([`MAX_DEPTH`]).
    pub fn visit<V: Visitor>(&self, visitor: &mut V) -> Result<V::Value, Error> {
        self.visit_within(visitor, MAX_DEPTH)
    }

    fn visit_within<V: Visitor>(&self, visitor: &mut V, depth: u32) -> Result<V::Value, Error> {
        let deeper = || {
            let message = || message!["containers nest deeper than ", MAX_DEPTH];
            depth.checked_sub(1).ok_or_else(|| Error::new(Code::DepthExceeded, message()))
        };
        match self {
            Value::Null => visitor.constant(Constant::Null),
            Value::Bool(b) => visitor.constant(Constant::from_bool(*b)),
            Value::Int(v) => visitor.int(*v),
            Value::Uint(v) => match i64::try_from(*v) {
                Ok(v) => visitor.int(v),
                Err(_) => visitor.uint(*v),
            },
            Value::BigInt(digits) => visitor.bigint(digits),
            Value::Float(v) => visitor.float(*v),
            Value::Str(s) => visitor.str(Text::new(s)),
            Value::Bin(b) => visitor.bin(b),
            Value::Timestamp(t) => visitor.timestamp(*t),
            Value::Ext(e) => visitor.ext(e.kind, &e.data),
            Value::Array(items) => {
                let depth = deeper()?;
                let mut array = visitor.begin_array(Some(items.len()))?;
                for (i, item) in items.iter().enumerate() {
                    item.visit_within(visitor, depth)
                        .and_then(|v| visitor.element(&mut array, v))
                        .map_err(|e| e.in_element(i))?;
                }
                visitor.end_array(array)
            }
            Value::Map(entries) => {
                let depth = deeper()?;
                let mut map = visitor.begin_map(Some(entries.len()))?;
                for (key, value) in entries {
                    let k = match key {
                        Value::Str(s) => visitor.key(&mut map, Text::new(s))?,
                        other => {
                            visitor.begin_value_key(&mut map)?;
                            let v = other.visit_within(visitor, depth)?;
                            visitor.value_key(&mut map, v)?
                        }
                    };
                    value.visit_within(visitor, depth).and_then(|v| visitor.entry(&mut map, k, v)).map_err(|e| {
                        match key {
                            Value::Str(s) => e.in_entry(s),
                            other => e.in_entry(&key_text(other).unwrap_or_default()),
                        }
                    })?;
                }
                visitor.end_map(map)
            }
        }
    }
}

macro_rules! from {
    ($($host:ty => $make:expr;)*) => {$(
        impl From<$host> for Value {
            fn from(value: $host) -> Self {
                let make: fn($host) -> Value = $make;
                make(value)
            }
        }
    )*};
}

from! {
    bool => Value::Bool;
    i32 => |v| Value::Int(v.into());
    i64 => Value::Int;
    u32 => |v| Value::Int(v.into());
    u64 => Value::from_u64;
    f64 => Value::Float;
    &str => |v| Value::Str(v.into());
    String => Value::Str;
    Vec<Value> => Value::Array;
    Timestamp => Value::Timestamp;
    Ext => Value::Ext;
}

impl Reader for &Value {
    fn read<V: Visitor>(&mut self, visitor: &mut V) -> Result<V::Value, Error> {
        self.visit(visitor)
    }
}

/// The visitor that builds a [`Value`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Builder;

impl Visitor for Builder {
    const HINTS: bool = true;
    type Value = Value;
    type Array = Vec<Value>;
    type Map = Vec<(Value, Value)>;
    type Key = Value;

    #[inline]
    fn constant(&mut self, value: Constant) -> Result<Value, Error> {
        Ok(match value {
            Constant::Null => Value::Null,
            Constant::False => Value::Bool(false),
            Constant::True => Value::Bool(true),
        })
    }
    #[inline]
    fn int(&mut self, value: i64) -> Result<Value, Error> {
        Ok(Value::Int(value))
    }
    #[inline]
    fn uint(&mut self, value: u64) -> Result<Value, Error> {
        Ok(Value::Uint(value))
    }
    fn bigint(&mut self, digits: &str) -> Result<Value, Error> {
        Ok(Value::BigInt(digits.into()))
    }
    #[inline]
    fn float(&mut self, value: f64) -> Result<Value, Error> {
        Ok(Value::Float(value))
    }
    #[inline]
    fn str(&mut self, text: Text<'_>) -> Result<Value, Error> {
        Ok(Value::Str(text.to_str()?.into()))
    }
    fn bin(&mut self, bytes: &[u8]) -> Result<Value, Error> {
        Ok(Value::Bin(bytes.into()))
    }
    fn timestamp(&mut self, value: Timestamp) -> Result<Value, Error> {
        Ok(Value::Timestamp(value))
    }
    fn ext(&mut self, kind: i8, bytes: &[u8]) -> Result<Value, Error> {
        Ok(Value::Ext(Ext { kind, data: bytes.into() }))
    }
    #[inline]
    fn begin_array(&mut self, len: Option<usize>) -> Result<Vec<Value>, Error> {
        // A value takes more memory than its byte in the input: a large claim is grown into, not allocated.
        Ok(Vec::with_capacity(len.unwrap_or(0).min(4096)))
    }
    #[inline]
    fn element(&mut self, array: &mut Vec<Value>, value: Value) -> Result<(), Error> {
        array.push(value);
        Ok(())
    }
    #[inline]
    fn end_array(&mut self, array: Vec<Value>) -> Result<Value, Error> {
        Ok(Value::Array(array))
    }
    #[inline]
    fn begin_map(&mut self, len: Option<usize>) -> Result<Vec<(Value, Value)>, Error> {
        Ok(Vec::with_capacity(len.unwrap_or(0).min(4096)))
    }
    #[inline]
    fn key(&mut self, _: &mut Vec<(Value, Value)>, text: Text<'_>) -> Result<Value, Error> {
        Ok(Value::Str(text.to_str()?.into()))
    }
    fn value_key(&mut self, _: &mut Vec<(Value, Value)>, value: Value) -> Result<Value, Error> {
        Ok(value)
    }
    #[inline]
    fn entry(&mut self, map: &mut Vec<(Value, Value)>, key: Value, value: Value) -> Result<(), Error> {
        map.push((key, value));
        Ok(())
    }
    #[inline]
    fn end_map(&mut self, map: Vec<(Value, Value)>) -> Result<Value, Error> {
        Ok(Value::Map(map))
    }
}
