//! Values as the runner compares them, and their tagged JSON. Not a codec: it knows no MessagePack, and JSON only
//! as the notation of the protocol and of the vectors.

use std::fmt::Write;

use serde_json::{Map as Object, Value as Json};

/// The largest integer that every language's JSON parser reads exactly.
const SAFE: u64 = (1 << 53) - 1;

/// One value of the data model. Equality is that of the suite: kind, order and bits; all NaNs are one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    Null,
    Bool(bool),
    /// Decimal digits, with `-` in front if negative, no leading zeros: of any size.
    Int(String),
    /// The bits; every NaN is stored as the one quiet NaN.
    Float(u64),
    /// UTF-8, except where a testee answers with other text.
    Str(Vec<u8>),
    Bin(Vec<u8>),
    Array(Vec<Value>),
    Map(Vec<(Value, Value)>),
    Time(i64, u32),
    Ext(i64, Vec<u8>),
}

impl Value {
    pub fn float(value: f64) -> Value {
        Value::Float(if value.is_nan() { f64::NAN.to_bits() & (u64::MAX >> 1) } else { value.to_bits() })
    }

    pub fn text(text: &str) -> Value {
        Value::Str(text.as_bytes().to_vec())
    }

    /// Reads tagged JSON.
    pub fn from_tagged(json: &Json) -> Result<Value, String> {
        Ok(match json {
            Json::Null => Value::Null,
            Json::Bool(b) => Value::Bool(*b),
            // `-0` is the float −0.0 to serde_json, as it is to the data model.
            Json::Number(n) if n.is_f64() => Value::float(n.as_f64().expect("is one")),
            Json::Number(n) => Value::Int(n.to_string()),
            Json::String(s) => Value::text(s),
            Json::Array(items) => Value::Array(items.iter().map(Value::from_tagged).collect::<Result<_, _>>()?),
            Json::Object(object) => {
                if object.len() == 1 {
                    let (key, inner) = object.iter().next().expect("one");
                    if key.starts_with('$') {
                        return tag(key, inner);
                    }
                }
                entries(object)?
            }
        })
    }

    /// Writes tagged JSON in the form of the protocol: every float by its bits, integers beyond ±(2^53−1) as
    /// text, times as seconds and nanoseconds. Any language reads it exactly with its own JSON parser.
    pub fn to_tagged(&self) -> Json {
        let tag = |name: &str, inner: Json| Json::Object(Object::from_iter([(name.to_owned(), inner)]));
        match self {
            Value::Null => Json::Null,
            Value::Bool(b) => Json::Bool(*b),
            Value::Int(digits) => match digits.parse::<i64>() {
                Ok(n) if n.unsigned_abs() <= SAFE => Json::Number(n.into()),
                _ => tag("$int", Json::String(digits.clone())),
            },
            Value::Float(bits) => tag("$float", Json::String(format!("0x{bits:016x}"))),
            Value::Str(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => Json::String(text.to_owned()),
                Err(_) => tag("$str", Json::String(base64(bytes))),
            },
            Value::Bin(bytes) => tag("$bin", Json::String(base64(bytes))),
            Value::Array(items) => Json::Array(items.iter().map(Value::to_tagged).collect()),
            Value::Time(seconds, nanos) => {
                tag("$time", Json::Array(vec![Json::Number((*seconds).into()), Json::Number((*nanos).into())]))
            }
            Value::Ext(kind, data) => {
                tag("$ext", Json::Array(vec![Json::Number((*kind).into()), Json::String(base64(data))]))
            }
            Value::Map(pairs) => {
                let mut object = Object::new();
                for (key, value) in pairs {
                    let Some(key) = key.as_text() else { return tagged_pairs(pairs) };
                    if object.insert(key.to_owned(), value.to_tagged()).is_some() {
                        return tagged_pairs(pairs);
                    }
                }
                let looks_tagged = object.len() == 1 && object.keys().all(|k| k.starts_with('$'));
                if looks_tagged { tag("$obj", Json::Object(object)) } else { Json::Object(object) }
            }
        }
    }

    pub fn as_text(&self) -> Option<&str> {
        match self {
            Value::Str(bytes) => std::str::from_utf8(bytes).ok(),
            _ => None,
        }
    }

    /// Whether `test` holds for this value or one inside it, keys included.
    pub fn any(&self, test: &mut dyn FnMut(&Value) -> bool) -> bool {
        test(self)
            || match self {
                Value::Array(items) => items.iter().any(|v| v.any(test)),
                Value::Map(pairs) => pairs.iter().any(|(k, v)| k.any(test) || v.any(test)),
                _ => false,
            }
    }

    /// The value as a host holds it: JavaScript has no whole floats, and puts keys like `"7"` first.
    pub fn on_host(&self, host: &str) -> Value {
        if host != "javascript" {
            return self.clone();
        }
        match self {
            Value::Float(bits) => {
                let value = f64::from_bits(*bits);
                let whole = value.fract() == 0.0 && value.abs() <= SAFE as f64 && *bits != 1 << 63;
                if whole { Value::Int(format!("{}", value as i64)) } else { self.clone() }
            }
            Value::Array(items) => Value::Array(items.iter().map(|v| v.on_host(host)).collect()),
            Value::Map(pairs) => {
                let all_text = pairs.iter().all(|(k, _)| matches!(k, Value::Str(_)));
                let mut pairs: Vec<_> = pairs.iter().map(|(k, v)| (k.on_host(host), v.on_host(host))).collect();
                if all_text {
                    pairs.sort_by_key(|(k, _)| k.as_text().and_then(array_index).map_or(u64::MAX, u64::from));
                }
                Value::Map(pairs)
            }
            _ => self.clone(),
        }
    }

    /// Whether the host has a native time for each one inside.
    pub fn times_fit(&self, host: &str) -> bool {
        let (first, end) = match host {
            "python" => (-62_135_596_800, 253_402_300_800),
            "javascript" => (-8_640_000_000_000, 8_640_000_000_000),
            _ => return true,
        };
        !self.any(&mut |v| matches!(v, Value::Time(s, _) if !(first..end).contains(s)))
    }

    /// Entries of all maps in one order, for testees whose maps have none.
    pub fn unordered(&self) -> Value {
        match self {
            Value::Array(items) => Value::Array(items.iter().map(Value::unordered).collect()),
            Value::Map(pairs) => {
                let mut pairs: Vec<_> = pairs.iter().map(|(k, v)| (k.unordered(), v.unordered())).collect();
                pairs.sort_by_cached_key(|(k, _)| format!("{k:?}"));
                Value::Map(pairs)
            }
            _ => self.clone(),
        }
    }
}

fn array_index(key: &str) -> Option<u32> {
    key.parse().ok().filter(|n: &u32| *n != u32::MAX && n.to_string() == key)
}

fn tagged_pairs(pairs: &[(Value, Value)]) -> Json {
    let list = pairs.iter().map(|(k, v)| Json::Array(vec![k.to_tagged(), v.to_tagged()])).collect();
    Json::Object(Object::from_iter([("$map".to_owned(), Json::Array(list))]))
}

fn entries(object: &Object<String, Json>) -> Result<Value, String> {
    let pairs = object.iter().map(|(k, v)| Ok((Value::text(k), Value::from_tagged(v)?)));
    Ok(Value::Map(pairs.collect::<Result<_, String>>()?))
}

fn int(text: &str) -> Result<Value, String> {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |d| ("-", d));
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(format!("{text:?} is not an integer"));
    }
    let digits = digits.trim_start_matches('0');
    Ok(Value::Int(if digits.is_empty() { "0".into() } else { format!("{sign}{digits}") }))
}

fn tag(key: &str, inner: &Json) -> Result<Value, String> {
    let text = || inner.as_str().ok_or_else(|| format!("{key} takes a string"));
    let pair = || match inner.as_array().map(Vec::as_slice) {
        Some([a, b]) => Ok((a, b)),
        _ => Err(format!("{key} takes two elements")),
    };
    let integer = |j: &Json| match Value::from_tagged(j)? {
        Value::Int(digits) => digits.parse::<i64>().map_err(|e| format!("{digits}: {e}")),
        other => Err(format!("{key} takes integers, not {other:?}")),
    };
    Ok(match key {
        "$int" => int(text()?)?,
        "$float" => match text()? {
            "NaN" => Value::float(f64::NAN),
            "Infinity" => Value::float(f64::INFINITY),
            "-Infinity" => Value::float(f64::NEG_INFINITY),
            hex if hex.starts_with("0x") => {
                Value::float(f64::from_bits(u64::from_str_radix(&hex[2..], 16).map_err(|e| format!("{hex}: {e}"))?))
            }
            decimal => decimal.parse().map(Value::float).map_err(|e| format!("{decimal}: {e}"))?,
        },
        "$str" => Value::Str(unbase64(text()?)?),
        "$bin" => Value::Bin(unbase64(text()?)?),
        "$time" if inner.is_string() => {
            let (seconds, nanos) = rfc3339(text()?).ok_or_else(|| format!("{inner} is not an RFC 3339 time"))?;
            Value::Time(seconds, nanos)
        }
        "$time" => {
            let (seconds, nanos) = pair()?;
            Value::Time(integer(seconds)?, u32::try_from(integer(nanos)?).map_err(|e| e.to_string())?)
        }
        "$ext" => {
            let (kind, data) = pair()?;
            Value::Ext(integer(kind)?, unbase64(data.as_str().ok_or("$ext takes base64")?)?)
        }
        "$map" => {
            let list = inner.as_array().ok_or("$map takes an array")?;
            let pairs = list.iter().map(|entry| match entry.as_array().map(Vec::as_slice) {
                Some([k, v]) => Ok((Value::from_tagged(k)?, Value::from_tagged(v)?)),
                _ => Err("an entry of $map is [key,value]".to_owned()),
            });
            Value::Map(pairs.collect::<Result<_, _>>()?)
        }
        "$obj" => entries(inner.as_object().ok_or("$obj takes an object")?)?,
        _ => return Err(format!("there is no tag {key}")),
    })
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// RFC 4648 §4.
pub fn base64(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0u32, |n, b| n << 8 | u32::from(*b)) << (8 * (3 - chunk.len()));
        for i in 0..4 {
            out.push(if i <= chunk.len() { char::from(ALPHABET[(group >> (18 - 6 * i)) as usize & 63]) } else { '=' });
        }
    }
    out
}

pub fn unbase64(text: &str) -> Result<Vec<u8>, String> {
    let bad = || format!("{text:?} is not base64");
    let mut out = Vec::new();
    if !text.len().is_multiple_of(4) {
        return Err(bad());
    }
    for chunk in text.as_bytes().chunks(4) {
        let padding = chunk.iter().rev().take_while(|c| **c == b'=').count();
        let mut group = 0u32;
        for c in &chunk[..4 - padding.min(2)] {
            group = group << 6 | ALPHABET.iter().position(|a| a == c).ok_or_else(bad)? as u32;
        }
        group <<= 6 * padding.min(2);
        out.extend_from_slice(&group.to_be_bytes()[1..4 - padding.min(2)]);
    }
    Ok(out)
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut out, b| {
        let _ = write!(out, "{b:02x}");
        out
    })
}

pub fn unhex(text: &str) -> Result<Vec<u8>, String> {
    if !text.is_ascii() || !text.len().is_multiple_of(2) {
        return Err(format!("{text:?} is not hex"));
    }
    (0..text.len())
        .step_by(2)
        .map(|i| u8::from_str_radix(&text[i..i + 2], 16).map_err(|e| format!("{text:?}: {e}")))
        .collect()
}

/// Seconds and nanoseconds of a time in UTC, written with `Z`.
fn rfc3339(text: &str) -> Option<(i64, u32)> {
    let (date, rest) = text.split_once('T')?;
    let clock = rest.strip_suffix('Z')?;
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, ""));
    let numbers = |text: &str, by: char| text.split(by).map(|n| n.parse::<i64>().ok()).collect::<Option<Vec<_>>>();
    let (date, clock) = (numbers(date, '-')?, numbers(clock, ':')?);
    let ([year, month, day], [hour, minute, second]) =
        (<[i64; 3]>::try_from(date).ok()?, <[i64; 3]>::try_from(clock).ok()?);
    if fraction.len() > 9 {
        return None;
    }
    let nanos = format!("{fraction:0<9}").parse().ok()?;
    // Days since 1970 with years that begin in March.
    let y = if month <= 2 { year - 1 } else { year };
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = y.div_euclid(400) * 146_097 + y.rem_euclid(400) * 365 + y.rem_euclid(400) / 4 - y.rem_euclid(400) / 100
        + of_year
        - 719_468;
    Some((days * 86_400 + hour * 3600 + minute * 60 + second, nanos))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tagged(text: &str) -> Value {
        Value::from_tagged(&serde_json::from_str(text).unwrap()).unwrap()
    }

    #[test]
    fn kinds_and_bits_differ() {
        assert_ne!(tagged("1"), tagged("1.0"));
        assert_ne!(tagged("0.0"), tagged("-0.0"));
        assert_ne!(tagged("0"), tagged("-0"));
        assert_eq!(tagged("-0"), tagged("-0.0"));
        assert_eq!(tagged(r#"{"$float":"NaN"}"#), tagged(r#"{"$float":"0xfff8000000000001"}"#));
        assert_ne!(tagged(r#"{"a":1,"b":2}"#), tagged(r#"{"b":2,"a":1}"#));
        assert_eq!(tagged("18446744073709551615"), tagged(r#"{"$int":"18446744073709551615"}"#));
        assert_eq!(tagged(r#"{"$obj":{"$int":"1"}}"#), tagged(r#"{"$map":[["$int","1"]]}"#));
        assert_eq!(tagged(r#"{"$time":"2023-11-14T22:13:20.123456789Z"}"#), Value::Time(1_700_000_000, 123_456_789));
        assert_eq!(tagged(r#"{"$time":"0000-01-01T00:00:00Z"}"#), Value::Time(-62_167_219_200, 0));
    }

    #[test]
    fn writing_reads_back() {
        for text in [
            "null",
            "[true,1,-5]",
            "1.5",
            r#"{"$float":"Infinity"}"#,
            r#"{"$bin":"AQID+w=="}"#,
            r#"{"$str":"/w=="}"#,
            r#"{"$ext":[-5,"AQ=="]}"#,
            r#"{"$map":[[1,2],["a",{"$time":[-1,5]}]]}"#,
            r#"{"$obj":{"$x":1}}"#,
            r#"{"a":{"b":[]}}"#,
            r#"{"$int":"-99999999999999999999"}"#,
            "9007199254740993",
        ] {
            let value = tagged(text);
            assert_eq!(Value::from_tagged(&value.to_tagged()).unwrap(), value, "{text}");
        }
    }

    #[test]
    fn javascript_has_no_whole_floats() {
        assert_eq!(tagged("1.0").on_host("javascript"), tagged("1"));
        assert_eq!(tagged("-0.0").on_host("javascript"), tagged("-0.0"));
        assert_eq!(tagged("1e300").on_host("javascript"), tagged("1e300"));
        assert_eq!(
            tagged(r#"{"b":1,"10":2,"2":3,"01":4}"#).on_host("javascript"),
            tagged(r#"{"2":3,"10":2,"b":1,"01":4}"#)
        );
    }
}
