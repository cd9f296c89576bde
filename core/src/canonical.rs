//! The canonical form: one spelling for each value, for hashing, signing and caching. JSON by RFC 8785 (JCS),
//! MessagePack by the rules of the data model.
//!
//! Works on a [`Value`], because entries must be seen before they can be put in order.

use alloc::string::String;
use alloc::vec::Vec;

use sha2::{Digest, Sha256};

use crate::buffer::Buffer;
use crate::error::{Code, Error};
use crate::format::Format;
use crate::key_text::key_text;
use crate::number;
use crate::options::{Int64, MapKeys, Options};
use crate::order;
use crate::tape::relay::Relay;
use crate::tape::target::{Made, OpenKey, OpenMap, Target};
use crate::value::Value;
use crate::visit::{Text, Visitor};
use crate::{float, limits};

/// The canonical bytes of a value. Of the options, those that decide what may be written are followed
/// (`non_finite`, `map_keys`, `int64`, `bin_json`, `omit_null`, `max_depth`), and those on layout are not.
///
/// # Errors
/// `duplicate-key`; `integer-out-of-range` for integers that JSON has not exactly (beyond ±(2^53−1), unless
/// `int64` is `string`) or MessagePack has not at all; and what the writers refuse. All with the path.
pub fn to_vec(format: Format, value: &Value, options: &Options) -> Result<Vec<u8>, Error> {
    let depth = options.limits.max_depth.min(limits::MAX_DEPTH);
    let own = match format {
        Format::Json => Options {
            non_finite: options.non_finite,
            bin_json: options.bin_json,
            int64: options.int64,
            ..Options::default()
        },
        Format::MessagePack => Options { map_keys: MapKeys::Any, ..Options::default() },
    };
    let mut form = Form { target: Target::writer(format, &own, Buffer::with_capacity(128)), format, options };
    form.write(value, depth)?;
    Ok(form.target.into_buffer().into_vec())
}

/// SHA-256 of the canonical MessagePack, keys of any kind included.
///
/// # Errors
/// As [`to_vec`].
pub fn digest(value: &Value) -> Result<[u8; 32], Error> {
    let options = Options { map_keys: MapKeys::Any, ..Options::default() };
    Ok(Sha256::digest(to_vec(Format::MessagePack, value, &options)?).into())
}

/// A writer, and what the formats do differently around it.
struct Form<'o> {
    target: Target<'static>,
    format: Format,
    options: &'o Options,
}

fn deeper(depth: u32) -> Result<u32, Error> {
    depth.checked_sub(1).ok_or_else(|| Error::new(Code::DepthExceeded, "containers nest too deep"))
}

fn shown(key: &Value) -> String {
    key_text(key).unwrap_or_default()
}

#[cold]
fn key_type(key: &Value) -> Error {
    Error::new(Code::MapKeyType, message!["a map key is of kind ", key.kind(), " (option map_keys allows others)"])
}

/// The text of a key: its own, or under `map_keys="stringify"` what it is made to.
fn text_of_key(key: &Value, options: &Options) -> Result<String, Error> {
    match key {
        Value::Str(s) => Ok(s.clone()),
        other if options.map_keys == MapKeys::Stringify => key_text(other),
        other => Err(key_type(other)),
    }
}

impl Form<'_> {
    fn write(&mut self, value: &Value, depth: u32) -> Result<(), Error> {
        match value {
            Value::Array(items) => {
                let inner = deeper(depth)?;
                let mut array = self.target.begin_array(Some(items.len()))?;
                for (i, item) in items.iter().enumerate() {
                    self.write(item, inner).map_err(|e| e.in_element(i))?;
                    self.target.element(&mut array, Made::Done)?;
                }
                self.target.end_array(array).map(drop)
            }
            Value::Map(entries) => self.write_map(entries, deeper(depth)?),
            scalar => self.scalar(scalar),
        }
    }

    fn write_map(&mut self, entries: &[(Value, Value)], depth: u32) -> Result<(), Error> {
        let mut ranked = Vec::with_capacity(entries.len());
        for (key, value) in entries {
            if !(self.options.omit_null && *value == Value::Null) {
                ranked.push((self.rank(key, depth)?, key, value));
            }
        }
        let order = order::sorted(ranked.len(), &mut |a, b| ranked[a].0.cmp(&ranked[b].0));
        if let Some(twins) = order.windows(2).find(|w| ranked[w[0]].0 == ranked[w[1]].0) {
            let error = Error::new(Code::DuplicateKey, "a key stands twice in a map");
            return Err(error.in_entry(&shown(ranked[twins[1]].1)));
        }
        let mut map = self.target.begin_map(Some(ranked.len()))?;
        for i in order {
            let (rank, key, value) = &ranked[i];
            let open = self.key(&mut map, key, rank)?;
            self.write(value, depth).map_err(|e| e.in_entry(&shown(key)))?;
            self.target.entry(&mut map, open, Made::Done)?;
        }
        self.target.end_map(map).map(drop)
    }

    fn scalar(&mut self, value: &Value) -> Result<(), Error> {
        if let Target::Json(writer) = &mut self.target {
            let safe = match value {
                Value::Int(v) => number::is_safe(*v),
                Value::Uint(v) => *v <= number::MAX_SAFE as u64,
                Value::BigInt(_) => false,
                Value::Float(v) if v.is_finite() => {
                    float::write_ecmascript(*v, writer.buffer_mut());
                    return Ok(());
                }
                _ => true,
            };
            if !safe && self.options.int64 != Int64::String {
                return Err(unsafe_integer(value));
            }
        }
        value.visit(&mut Relay { visitor: &mut self.target, raw: None }).map(drop)
    }

    /// A key's rank, by which keys are put in order and which is equal for equal keys: the UTF-16 units of its text,
    /// or the bytes of its encoding.
    fn rank(&self, key: &Value, depth: u32) -> Result<Vec<u16>, Error> {
        if self.format == Format::Json {
            return Ok(text_of_key(key, self.options)?.encode_utf16().collect());
        }
        let encoded = match (key, self.options.map_keys) {
            (Value::Str(_), _) | (_, MapKeys::Any) => self.encoded(key, depth)?,
            _ => self.encoded(&Value::Str(text_of_key(key, self.options)?), depth)?,
        };
        Ok(encoded.into_iter().map(u16::from).collect())
    }

    fn encoded(&self, key: &Value, depth: u32) -> Result<Vec<u8>, Error> {
        let limits = limits::Limits { max_depth: depth, ..self.options.limits };
        to_vec(Format::MessagePack, key, &Options { limits, ..self.options.clone() })
    }

    fn key(&mut self, map: &mut OpenMap, key: &Value, rank: &[u16]) -> Result<OpenKey, Error> {
        if !matches!(key, Value::Str(_)) && self.options.map_keys == MapKeys::Any && self.format == Format::MessagePack
        {
            self.target.begin_value_key(map)?;
            if let Target::Msgpack(writer) = &mut self.target {
                writer.raw_value(&rank.iter().map(|&unit| unit as u8).collect::<Vec<u8>>());
            }
            return self.target.value_key(map, Made::Done);
        }
        let text = text_of_key(key, self.options)?;
        self.target.key(map, Text::new(&text))
    }
}

#[cold]
fn unsafe_integer(value: &Value) -> Error {
    let shown = key_text(value).unwrap_or_default();
    let shown = if shown.len() > 40 { text!["of ", shown.len(), " digits"] } else { shown };
    Error::new(
        Code::IntegerOutOfRange,
        message!["the integer ", shown, " is beyond ±(2^53-1), which is all that canonical JSON has exactly"],
    )
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;
    use alloc::vec;

    fn json(value: &Value) -> Result<String, Error> {
        to_vec(Format::Json, value, &Options::default()).map(|b| String::from_utf8(b).unwrap())
    }

    fn map(entries: &[(&str, Value)]) -> Value {
        Value::Map(entries.iter().map(|(k, v)| (Value::Str((*k).into()), v.clone())).collect())
    }

    #[test]
    fn json_keys_are_in_utf16_order() {
        let v = map(&[
            ("\u{fb33}", Value::Int(1)),
            ("\u{1f600}", Value::Int(2)),
            ("b", Value::Float(-0.0)),
            ("a", Value::Float(1e21)),
        ]);
        assert_eq!(json(&v).unwrap(), "{\"a\":1e+21,\"b\":0,\"\u{1f600}\":2,\"\u{fb33}\":1}");
    }

    #[test]
    fn json_integers_stay_exact_or_are_refused() {
        let max = number::MAX_SAFE;
        assert_eq!(json(&Value::Array(vec![Value::Int(max), Value::Int(-max)])).unwrap(), format!("[{max},-{max}]"));
        for v in [Value::Int(max + 1), Value::Int(-max - 1), Value::Uint(1 << 63), Value::BigInt("9".repeat(30))] {
            let e = json(&map(&[("x", Value::Array(vec![v.clone()]))])).unwrap_err();
            assert_eq!((e.code(), e.path()), (Code::IntegerOutOfRange, "/x/0"));
            let text = Options { int64: Int64::String, ..Options::default() };
            assert!(to_vec(Format::Json, &v, &text).unwrap().starts_with(b"\""));
        }
    }

    #[test]
    fn msgpack_keys_are_in_the_order_of_their_bytes() {
        let any = Options { map_keys: MapKeys::Any, ..Options::default() };
        let v = Value::Map(vec![
            (Value::Str("aa".into()), Value::Null),
            (Value::Str("b".into()), Value::Float(-f64::NAN)),
            (Value::Map(vec![(Value::Int(2), Value::Null), (Value::Int(1), Value::Null)]), Value::Null),
            (Value::Int(-1), Value::Null),
        ]);
        let bytes = to_vec(Format::MessagePack, &v, &any).unwrap();
        assert_eq!(bytes, b"\x84\x82\x01\xc0\x02\xc0\xc0\xa1b\xcb\x7f\xf8\0\0\0\0\0\0\xa2aa\xc0\xff\xc0");
        assert_eq!(to_vec(Format::MessagePack, &v, &Options::default()).unwrap_err().code(), Code::MapKeyType);
    }

    #[test]
    fn keys_that_stand_twice_are_refused() {
        let v = map(&[("m", map(&[("k", Value::Int(1)), ("j", Value::Null), ("k", Value::Int(2))]))]);
        for format in [Format::Json, Format::MessagePack] {
            let e = to_vec(format, &v, &Options::default()).unwrap_err();
            assert_eq!((e.code(), e.path()), (Code::DuplicateKey, "/m/k"));
        }
    }

    #[test]
    fn depth_has_its_limit() {
        let mut v = Value::Null;
        for _ in 0..513 {
            v = Value::Array(vec![v]);
        }
        for format in [Format::Json, Format::MessagePack] {
            assert_eq!(to_vec(format, &v, &Options::default()).unwrap_err().code(), Code::DepthExceeded);
        }
        let Value::Array(mut inner) = v else { panic!() };
        json(&inner.pop().unwrap()).unwrap();
    }

    #[test]
    fn digests_do_not_depend_on_the_order() {
        let a = map(&[("a", Value::Int(1)), ("b", Value::Int(2))]);
        let b = map(&[("b", Value::Int(2)), ("a", Value::Int(1))]);
        assert_eq!(digest(&a).unwrap(), digest(&b).unwrap());
        // SHA-256 of the byte 0xc0.
        let hex: String = digest(&Value::Null).unwrap().iter().map(|b| format!("{b:02x}")).collect();
        assert_eq!(hex, "e4ff5e7d7a7f08e9800a3e25cb774533cb20040df30b6ba10f956f9acd0eb3f7");
    }
}
