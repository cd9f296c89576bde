//! Tagged JSON ↔ [`Value`], in the protocol's form: floats by their bits, large integers as text.

use samewire::Value;
use samewire::base64;
use samewire::buffer::Buffer;
use samewire::ext::Ext;
use samewire::time::Timestamp;
use serde_json::{Value as Json, json};

pub fn read(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(b) => Value::Bool(*b),
        Json::String(s) => Value::Str(s.clone()),
        Json::Number(n) => match (n.as_i64(), n.as_u64()) {
            (Some(n), _) => Value::Int(n),
            (_, Some(n)) => Value::from_u64(n),
            _ => Value::Float(n.as_f64().expect("a number")),
        },
        Json::Array(items) => Value::Array(items.iter().map(read).collect()),
        Json::Object(object) => {
            if let (1, Some((key, inner))) = (object.len(), object.iter().next())
                && key.starts_with('$')
            {
                return tag(key, inner);
            }
            Value::Map(object.iter().map(|(k, v)| (Value::Str(k.clone()), read(v))).collect())
        }
    }
}

fn tag(key: &str, inner: &Json) -> Value {
    let text = inner.as_str().unwrap_or_default();
    match key {
        "$int" => match (text.parse::<i64>(), text.parse::<u64>()) {
            (Ok(n), _) => Value::Int(n),
            (_, Ok(n)) => Value::from_u64(n),
            _ => Value::BigInt(text.to_owned()),
        },
        "$float" => Value::Float(f64::from_bits(u64::from_str_radix(&text[2..], 16).expect("0x and 16 digits"))),
        "$bin" => Value::Bin(bytes(text)),
        "$time" => Value::Timestamp(
            Timestamp::new(inner[0].as_i64().expect("seconds"), inner[1].as_u64().expect("nanoseconds") as u32)
                .expect("in range"),
        ),
        "$ext" => Value::Ext(Ext {
            kind: inner[0].as_i64().expect("a type") as i8,
            data: bytes(inner[1].as_str().expect("base64")),
        }),
        "$map" => {
            let entries = inner.as_array().expect("entries");
            Value::Map(entries.iter().map(|e| (read(&e[0]), read(&e[1]))).collect())
        }
        "$obj" => {
            let object = inner.as_object().expect("an object");
            Value::Map(object.iter().map(|(k, v)| (Value::Str(k.clone()), read(v))).collect())
        }
        other => panic!("the runner sends no {other}"),
    }
}

pub fn write(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(b) => json!(b),
        Value::Int(n) => json!(n),
        Value::Uint(n) => json!(n),
        Value::BigInt(digits) => json!({"$int": digits}),
        Value::Float(v) => json!({"$float": format!("0x{:016x}", v.to_bits())}),
        Value::Str(s) => json!(s),
        Value::Bin(b) => json!({"$bin": base64_text(b)}),
        Value::Timestamp(t) => json!({"$time": [t.seconds(), t.nanoseconds()]}),
        Value::Ext(e) => json!({"$ext": [e.kind, base64_text(&e.data)]}),
        Value::Array(items) => items.iter().map(write).collect(),
        Value::Map(entries) => {
            json!({"$map": entries.iter().map(|(k, v)| json!([write(k), write(v)])).collect::<Vec<_>>()})
        }
    }
}

fn bytes(text: &str) -> Vec<u8> {
    base64::decode(text.as_bytes()).expect("base64")
}

fn base64_text(bytes: &[u8]) -> String {
    let mut out = Buffer::with_capacity(bytes.len() * 2);
    base64::encode(bytes, &mut out);
    String::from_utf8(out.into_vec()).expect("ASCII")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writing_reads_back() {
        for value in [
            Value::Uint(u64::MAX),
            Value::Int(i64::MIN),
            Value::BigInt("99999999999999999999".into()),
            Value::Float(-0.0),
            Value::Bin(vec![0, 255]),
            Value::Timestamp(Timestamp::new(-1, 5).unwrap()),
            Value::Map(vec![(Value::Str("$int".into()), Value::Ext(Ext { kind: -5, data: vec![1] }))]),
        ] {
            assert_eq!(read(&write(&value)), value);
        }
    }
}
