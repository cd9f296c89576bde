//! The canonical form: one spelling for each value, for hashing, signing and caching. JSON by RFC 8785 (JCS),
//! MessagePack by the rules of the data model.
//!
//! Works on a [`Value`], because entries must be seen before they can be put in order.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use sha2::{Digest, Sha256};

use crate::buffer::Buffer;
use crate::error::{Code, Error};
use crate::format::Format;
use crate::json;
use crate::key_text::key_text;
use crate::msgpack;
use crate::number;
use crate::options::{Int64, MapKeys, Options};
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
    let buffer = Buffer::with_capacity(128);
    let depth = options.limits.max_depth.min(limits::MAX_DEPTH);
    match format {
        Format::Json => {
            let plain = Options {
                non_finite: options.non_finite,
                bin_json: options.bin_json,
                int64: options.int64,
                ..Options::default()
            };
            let mut form = Json { writer: json::Writer::new(buffer, &plain), options };
            write(&mut form, value, options, depth)?;
            Ok(form.writer.into_buffer().into_vec())
        }
        Format::MessagePack => {
            let any = Options { map_keys: MapKeys::Any, ..Options::default() };
            let mut form = MessagePack { writer: msgpack::Writer::new(buffer, &any), options };
            write(&mut form, value, options, depth)?;
            Ok(form.writer.into_buffer().into_vec())
        }
    }
}

/// SHA-256 of the canonical MessagePack, keys of any kind included.
///
/// # Errors
/// As [`to_vec`].
pub fn digest(value: &Value) -> Result<[u8; 32], Error> {
    let options = Options { map_keys: MapKeys::Any, ..Options::default() };
    Ok(Sha256::digest(to_vec(Format::MessagePack, value, &options)?).into())
}

/// What the formats do differently.
trait Form {
    type Writer: Visitor<Value = ()>;
    /// The order of keys.
    type Rank: Ord;

    fn writer(&mut self) -> &mut Self::Writer;
    fn scalar(&mut self, value: &Value) -> Result<(), Error>;
    /// A key's rank. Keys of equal rank are equal.
    fn rank(&self, key: &Value, depth: u32) -> Result<Self::Rank, Error>;
    fn key(&mut self, map: &mut MapOf<Self>, key: &Value, depth: u32) -> Result<KeyOf<Self>, Error>;
}

type MapOf<F> = <<F as Form>::Writer as Visitor>::Map;
type KeyOf<F> = <<F as Form>::Writer as Visitor>::Key;

fn write<F: Form>(form: &mut F, value: &Value, options: &Options, depth: u32) -> Result<(), Error> {
    match value {
        Value::Array(items) => {
            let inner = deeper(depth)?;
            let mut array = form.writer().begin_array(Some(items.len()))?;
            for (i, item) in items.iter().enumerate() {
                write(form, item, options, inner).map_err(|e| e.in_element(i))?;
                form.writer().element(&mut array, ())?;
            }
            form.writer().end_array(array)
        }
        Value::Map(entries) => write_map(form, entries, options, deeper(depth)?),
        scalar => form.scalar(scalar),
    }
}

fn write_map<F: Form>(form: &mut F, entries: &[(Value, Value)], options: &Options, depth: u32) -> Result<(), Error> {
    let mut ranked = Vec::with_capacity(entries.len());
    for (key, value) in entries {
        if !(options.omit_null && *value == Value::Null) {
            ranked.push((form.rank(key, depth)?, key, value));
        }
    }
    ranked.sort_by(|a, b| a.0.cmp(&b.0));
    if let Some(twins) = ranked.windows(2).find(|w| w[0].0 == w[1].0) {
        let error = Error::new(Code::DuplicateKey, "a key stands twice in a map");
        return Err(error.in_entry(&shown(twins[1].1)));
    }
    let mut map = form.writer().begin_map(Some(ranked.len()))?;
    for (_, key, value) in ranked {
        let open = form.key(&mut map, key, depth)?;
        write(form, value, options, depth).map_err(|e| e.in_entry(&shown(key)))?;
        form.writer().entry(&mut map, open, ())?;
    }
    form.writer().end_map(map)
}

fn deeper(depth: u32) -> Result<u32, Error> {
    depth.checked_sub(1).ok_or_else(|| Error::new(Code::DepthExceeded, "containers nest too deep"))
}

fn shown(key: &Value) -> String {
    key_text(key).unwrap_or_else(|_| format!("{key:?}"))
}

#[cold]
fn key_type(key: &Value) -> Error {
    Error::new(Code::MapKeyType, format!("a map key is of kind {} (option map_keys allows others)", key.kind()))
}

/// The text of a key: its own, or under `map_keys="stringify"` what it is made to.
fn text_of_key(key: &Value, options: &Options) -> Result<String, Error> {
    match key {
        Value::Str(s) => Ok(s.clone()),
        other if options.map_keys == MapKeys::Stringify => key_text(other),
        other => Err(key_type(other)),
    }
}

struct Json<'o> {
    writer: json::Writer,
    options: &'o Options,
}

impl Json<'_> {
    fn integer(&mut self, value: &Value, safe: bool, shown: &str) -> Result<(), Error> {
        if safe || self.options.int64 == Int64::String {
            return value.visit(&mut self.writer);
        }
        let shown = if shown.len() > 40 { format!("of {} digits", shown.len()) } else { shown.into() };
        Err(Error::new(
            Code::IntegerOutOfRange,
            format!("the integer {shown} is beyond ±(2^53-1), which is all that canonical JSON has exactly"),
        ))
    }
}

impl Form for Json<'_> {
    type Writer = json::Writer;
    type Rank = Vec<u16>;

    fn writer(&mut self) -> &mut json::Writer {
        &mut self.writer
    }

    fn scalar(&mut self, value: &Value) -> Result<(), Error> {
        match value {
            Value::Int(v) => self.integer(value, number::is_safe(*v), &format!("{v}")),
            Value::Uint(v) => self.integer(value, *v <= number::MAX_SAFE as u64, &format!("{v}")),
            Value::BigInt(digits) => self.integer(value, false, digits),
            Value::Float(v) if v.is_finite() => {
                float::write_ecmascript(*v, self.writer.buffer_mut());
                Ok(())
            }
            other => other.visit(&mut self.writer),
        }
    }

    fn rank(&self, key: &Value, _: u32) -> Result<Vec<u16>, Error> {
        Ok(text_of_key(key, self.options)?.encode_utf16().collect())
    }

    fn key(&mut self, map: &mut json::writer::Map, key: &Value, _: u32) -> Result<usize, Error> {
        let text = text_of_key(key, self.options)?;
        self.writer.key(map, Text::new(&text))
    }
}

struct MessagePack<'o> {
    writer: msgpack::Writer,
    options: &'o Options,
}

impl Form for MessagePack<'_> {
    type Writer = msgpack::Writer;
    type Rank = Vec<u8>;

    fn writer(&mut self) -> &mut msgpack::Writer {
        &mut self.writer
    }

    fn scalar(&mut self, value: &Value) -> Result<(), Error> {
        value.visit(&mut self.writer)
    }

    fn rank(&self, key: &Value, depth: u32) -> Result<Vec<u8>, Error> {
        let options =
            Options { limits: limits::Limits { max_depth: depth, ..self.options.limits }, ..self.options.clone() };
        match (key, self.options.map_keys) {
            (Value::Str(_), _) | (_, MapKeys::Any) => to_vec(Format::MessagePack, key, &options),
            _ => to_vec(Format::MessagePack, &Value::Str(text_of_key(key, self.options)?), &options),
        }
    }

    fn key(
        &mut self,
        map: &mut msgpack::writer::Container,
        key: &Value,
        depth: u32,
    ) -> Result<msgpack::writer::Key, Error> {
        if !matches!(key, Value::Str(_)) && self.options.map_keys == MapKeys::Any {
            self.writer.begin_value_key(map)?;
            let encoded = self.rank(key, depth)?;
            self.writer.raw_value(&encoded);
            return self.writer.value_key(map, ());
        }
        let text = text_of_key(key, self.options)?;
        self.writer.key(map, Text::new(&text))
    }
}

#[cfg(test)]
mod tests {
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
