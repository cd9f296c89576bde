//! Tagged JSON: a lossless notation of any value as JSON, for fixtures, logs and the command line.
//!
//! An object with a single key that starts with `$` is a tag; everything else stands for itself:
//!
//! | tag | stands for |
//! |---|---|
//! | `{"$int": "18446744073709551615"}` | an integer where other JSON readers would round the number |
//! | `{"$float": "NaN"}`, `{"$float": "0x7ff8000000000001"}` | a float that JSON has not, or by its exact bits |
//! | `{"$bin": "AQID"}` | binary, in base64 |
//! | `{"$time": "2024-02-29T12:00:00Z"}`, `{"$time": [seconds, nanoseconds]}` | a timestamp |
//! | `{"$ext": [5, "AQID"]}` | an extension |
//! | `{"$map": [[key, value], …]}` | a map with keys that are not strings, or stand twice |
//! | `{"$str": "/w=="}` | text that is not UTF-8, in base64: read as bin |
//! | `{"$obj": {…}}` | a map whose only key starts with `$` |

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use crate::base64;
use crate::buffer::Buffer;
use crate::error::{Code, Error};
use crate::ext::Ext;
use crate::format::Format;
use crate::options::Options;
use crate::time::Timestamp;
use crate::transcode;
use crate::value::Value;

/// Integers up to here are read exactly by every JSON reader (2^53 − 1).
const SAFE: i64 = (1 << 53) - 1;

/// The tagged JSON text of a value. Only options on layout are followed (`indent`, `sort_keys`, …).
///
/// # Errors
/// None but for `depth-exceeded` of the written form.
pub fn to_vec(value: &Value, options: &Options) -> Result<Vec<u8>, Error> {
    transcode::to_vec(Format::Json, &to_json(value), options)
}

/// The value that tagged JSON text stands for.
///
/// # Errors
/// The JSON reader's, and `invalid-syntax` for a tag that is unknown or malformed, with its path.
pub fn from_slice(text: &[u8], options: &Options) -> Result<Value, Error> {
    from_json(transcode::from_slice(Format::Json, text, options)?)
}

/// The value that has the tagged JSON of `value`.
pub fn to_json(value: &Value) -> Value {
    match value {
        Value::Null | Value::Bool(_) | Value::Str(_) => value.clone(),
        Value::Int(v) if (-SAFE..=SAFE).contains(v) => value.clone(),
        Value::Int(v) => tag("$int", Value::Str(v.to_string())),
        Value::Uint(v) => tag("$int", Value::Str(v.to_string())),
        Value::BigInt(digits) => tag("$int", Value::Str(digits.clone())),
        Value::Float(v) if v.is_finite() => value.clone(),
        Value::Float(v) => {
            let text = match v.to_bits() {
                0x7ff8_0000_0000_0000 => "NaN".into(),
                0x7ff0_0000_0000_0000 => "Infinity".into(),
                0xfff0_0000_0000_0000 => "-Infinity".into(),
                bits => format!("0x{bits:016x}"),
            };
            tag("$float", Value::Str(text))
        }
        Value::Bin(bytes) => tag("$bin", Value::Str(base64_text(bytes))),
        Value::Timestamp(t) => tag(
            "$time",
            match t.format() {
                Ok(text) => Value::Str(text.to_string()),
                Err(_) => Value::Array(vec![Value::Int(t.seconds()), Value::Int(t.nanoseconds().into())]),
            },
        ),
        Value::Ext(e) => tag("$ext", Value::Array(vec![Value::Int(e.kind.into()), Value::Str(base64_text(&e.data))])),
        Value::Array(items) => Value::Array(items.iter().map(to_json).collect()),
        Value::Map(entries) if is_plain(entries) => {
            let object = Value::Map(entries.iter().map(|(k, v)| (k.clone(), to_json(v))).collect());
            match &entries[..] {
                [(Value::Str(k), _)] if k.starts_with('$') => tag("$obj", object),
                _ => object,
            }
        }
        Value::Map(entries) => {
            let pair = |(k, v): &(Value, Value)| Value::Array(vec![to_json(k), to_json(v)]);
            tag("$map", Value::Array(entries.iter().map(pair).collect()))
        }
    }
}

/// The value that a tagged JSON value stands for.
///
/// # Errors
/// `invalid-syntax` for a tag that is unknown or malformed, with its path.
pub fn from_json(value: Value) -> Result<Value, Error> {
    match value {
        Value::Array(items) => {
            let items = items.into_iter().enumerate().map(|(i, v)| from_json(v).map_err(|e| e.in_element(i)));
            Ok(Value::Array(items.collect::<Result<_, _>>()?))
        }
        Value::Map(mut entries) => {
            if let [(Value::Str(key), content)] = &mut entries[..]
                && key.starts_with('$')
            {
                let content = core::mem::replace(content, Value::Null);
                return untag(key, content).map_err(|e| e.in_entry(key));
            }
            object(entries)
        }
        other => Ok(other),
    }
}

fn object(entries: Vec<(Value, Value)>) -> Result<Value, Error> {
    let mut out = Vec::with_capacity(entries.len());
    for (k, v) in entries {
        let v = from_json(v).map_err(|e| match &k {
            Value::Str(k) => e.in_entry(k),
            _ => e,
        })?;
        out.push((k, v));
    }
    Ok(Value::Map(out))
}

fn untag(key: &str, content: Value) -> Result<Value, Error> {
    match (key, content) {
        ("$int", Value::Str(text)) => int(&text).ok_or_else(|| malformed("$int holds decimal digits")),
        ("$int", v @ (Value::Int(_) | Value::Uint(_) | Value::BigInt(_))) => Ok(v),
        ("$float", Value::Str(text)) => {
            float(&text).ok_or_else(|| malformed("$float holds a number or 0x and 16 hex digits"))
        }
        ("$float", Value::Float(v)) => Ok(Value::Float(v)),
        ("$float", Value::Int(v)) => Ok(Value::Float(v as f64)),
        ("$bin" | "$str", Value::Str(text)) => Ok(Value::Bin(base64::decode(text.as_bytes())?)),
        ("$time", Value::Str(text)) => Ok(Value::Timestamp(Timestamp::parse(&text)?)),
        ("$time", Value::Array(parts)) => match parts[..] {
            [Value::Int(s), Value::Int(n)] => {
                let n = u32::try_from(n).map_err(|_| malformed("$time holds [seconds, nanoseconds]"))?;
                Ok(Value::Timestamp(Timestamp::new(s, n)?))
            }
            _ => Err(malformed("$time holds [seconds, nanoseconds]")),
        },
        ("$ext", Value::Array(parts)) => match &parts[..] {
            [Value::Int(kind), Value::Str(text)] => {
                let kind = i8::try_from(*kind).map_err(|_| malformed("an extension's type is -128 to 127"))?;
                Ok(Value::Ext(Ext { kind, data: base64::decode(text.as_bytes())? }))
            }
            _ => Err(malformed("$ext holds [type, base64]")),
        },
        ("$map", Value::Array(pairs)) => {
            let mut entries = Vec::with_capacity(pairs.len());
            for (i, pair) in pairs.into_iter().enumerate() {
                let Value::Array(pair) = pair else {
                    return Err(malformed("$map holds [[key, value], …]").in_element(i));
                };
                let [k, v]: [Value; 2] =
                    pair.try_into().map_err(|_| malformed("$map holds [[key, value], …]").in_element(i))?;
                entries.push((
                    from_json(k).map_err(|e| e.in_element(0).in_element(i))?,
                    from_json(v).map_err(|e| e.in_element(1).in_element(i))?,
                ));
            }
            Ok(Value::Map(entries))
        }
        ("$obj", Value::Map(entries)) => object(entries),
        _ => Err(malformed("not a tag of tagged JSON, or not what it holds")),
    }
}

fn int(text: &str) -> Option<Value> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) || (digits.len() > 1 && digits.starts_with('0'))
    {
        return None;
    }
    Some(match text.parse::<i64>() {
        Ok(v) => Value::Int(v),
        Err(_) => text.parse::<u64>().map_or_else(|_| Value::BigInt(text.into()), Value::Uint),
    })
}

fn float(text: &str) -> Option<Value> {
    Some(Value::Float(match text {
        "NaN" => f64::from_bits(0x7ff8_0000_0000_0000),
        "Infinity" => f64::INFINITY,
        "-Infinity" => f64::NEG_INFINITY,
        _ => match text.strip_prefix("0x") {
            Some(bits) if bits.len() == 16 => f64::from_bits(u64::from_str_radix(bits, 16).ok()?),
            Some(_) => return None,
            None => text.parse().ok().filter(|v: &f64| v.is_finite())?,
        },
    }))
}

/// True if all keys are strings that differ.
fn is_plain(entries: &[(Value, Value)]) -> bool {
    let mut keys = alloc::collections::BTreeSet::new();
    entries.iter().all(|(k, _)| matches!(k, Value::Str(k) if keys.insert(k.as_str())))
}

fn tag(key: &str, content: Value) -> Value {
    Value::Map(vec![(Value::Str(key.into()), content)])
}

fn base64_text(bytes: &[u8]) -> String {
    let mut out = Buffer::with_capacity(0);
    base64::encode(bytes, &mut out);
    String::from_utf8(out.into_vec()).expect("base64 is ASCII")
}

fn malformed(message: &'static str) -> Error {
    Error::new(Code::InvalidSyntax, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: &Value) -> String {
        String::from_utf8(to_vec(value, &Options::default()).unwrap()).unwrap()
    }

    #[test]
    fn every_kind_has_its_notation_and_comes_back() {
        let s = |s: &str| Value::Str(s.into());
        for (value, expected) in [
            (Value::Null, "null"),
            (Value::Int(9_007_199_254_740_991), "9007199254740991"),
            (Value::Int(-9_007_199_254_740_992), r#"{"$int":"-9007199254740992"}"#),
            (Value::Uint(u64::MAX), r#"{"$int":"18446744073709551615"}"#),
            (Value::BigInt("-99999999999999999999".into()), r#"{"$int":"-99999999999999999999"}"#),
            (Value::Float(1.0), "1.0"),
            (Value::Float(f64::NEG_INFINITY), r#"{"$float":"-Infinity"}"#),
            (Value::Bin(vec![1, 2, 3]), r#"{"$bin":"AQID"}"#),
            (Value::Timestamp(Timestamp::new(0, 1).unwrap()), r#"{"$time":"1970-01-01T00:00:00.000000001Z"}"#),
            (Value::Timestamp(Timestamp::new(i64::MIN, 0).unwrap()), r#"{"$time":[-9223372036854775808,0]}"#),
            (Value::Ext(Ext { kind: 5, data: vec![1, 2, 3] }), r#"{"$ext":[5,"AQID"]}"#),
            (
                Value::Map(vec![(Value::Int(1), Value::Null), (s("1"), Value::Null)]),
                r#"{"$map":[[1,null],["1",null]]}"#,
            ),
            (Value::Map(vec![(s("a"), Value::Null), (s("a"), Value::Null)]), r#"{"$map":[["a",null],["a",null]]}"#),
            (Value::Map(vec![(s("$int"), s("1"))]), r#"{"$obj":{"$int":"1"}}"#),
            (Value::Map(vec![(s("$a"), Value::Null), (s("b"), Value::Bin(vec![]))]), r#"{"$a":null,"b":{"$bin":""}}"#),
        ] {
            assert_eq!(text(&value), expected);
            assert_eq!(from_slice(expected.as_bytes(), &Options::default()).unwrap(), value, "{expected}");
        }
        let nan = Value::Float(f64::from_bits(0x7ff8_0000_0000_0001));
        assert_eq!(text(&nan), r#"{"$float":"0x7ff8000000000001"}"#);
        let Value::Float(back) = from_slice(text(&nan).as_bytes(), &Options::default()).unwrap() else { panic!() };
        assert_eq!(back.to_bits(), 0x7ff8_0000_0000_0001);
    }

    #[test]
    fn malformed_tags_are_refused_with_their_path() {
        for (text, path) in [
            (r#"{"$int":"1.5"}"#, "/$int"),
            (r#"[{"$nothing":1}]"#, "/0/$nothing"),
            (r#"{"a":{"$time":"yesterday"}}"#, "/a/$time"),
            (r#"{"$map":[[1]]}"#, "/$map/0"),
            (r#"{"$ext":[200,""]}"#, "/$ext"),
        ] {
            assert_eq!(from_slice(text.as_bytes(), &Options::default()).unwrap_err().path(), path, "{text}");
        }
    }
}
