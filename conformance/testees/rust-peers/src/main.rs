//! Other libraries of Rust as testees: `rust-peers serde_json | sonic-rs | rmp-serde`.
//!
//! serde_json is both the protocol's reader and a peer here; as a peer it gets the bytes and its `Value` is what it is.

use std::io::{BufRead, Write};

use serde_json::{Map, Value as Json, json};

fn main() {
    let name = std::env::args().nth(1).unwrap_or_default();
    let work = std::thread::Builder::new().stack_size(256 << 20).spawn(move || serve(&name)).unwrap();
    work.join().unwrap();
}

fn serve(name: &str) {
    let mut stdout = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let mut de = serde_json::Deserializer::from_str(&line);
        de.disable_recursion_limit();
        let requests: Vec<Json> = serde::Deserialize::deserialize(&mut de).unwrap();
        let answers: Json = requests.iter().map(|r| answer(name, r)).collect();
        writeln!(stdout, "{answers}").unwrap();
    }
}

fn answer(name: &str, request: &Json) -> Json {
    let input = unhex(request["input"].as_str().unwrap_or_default());
    let result = match (request["op"].as_str().unwrap_or_default(), name) {
        ("hello", _) => Ok(hello(name)),
        ("encode", "serde_json") => {
            serde_json::to_vec(&plain(&request["value"])).map(|b| json!(hex(&b))).map_err(|e| e.to_string())
        }
        ("decode", "serde_json") => {
            serde_json::from_slice::<Json>(&input).map(|v| tagged(&v)).map_err(|e| e.to_string())
        }
        ("encode", "sonic-rs") => {
            sonic_rs::to_vec(&sonic(&request["value"])).map(|b| json!(hex(&b))).map_err(|e| e.to_string())
        }
        ("decode", "sonic-rs") => {
            sonic_rs::from_slice::<sonic_rs::Value>(&input).map(|v| from_sonic(&v)).map_err(|e| e.to_string())
        }
        ("encode", _) => rmp_serde::to_vec(&rmp(&request["value"])).map(|b| json!(hex(&b))).map_err(|e| e.to_string()),
        ("decode", _) => {
            rmp_serde::from_slice::<rmpv::Value>(&input).map_err(|e| e.to_string()).and_then(|v| from_rmp(&v))
        }
        (op, _) => return json!({"skipped": format!("no op {op}")}),
    };
    match result {
        Ok(ok) => json!({"ok": ok}),
        Err(message) => json!({"error": {"message": message}}),
    }
}

fn hello(name: &str) -> Json {
    let (format, lacks) = match name {
        "rmp-serde" => ("msgpack", json!(["bigint"])),
        _ => ("json", json!(["bigint", "bin", "ext", "timestamp", "map-key", "non-finite"])),
    };
    json!({"name": name, "version": "", "runtime": "Rust", "host": "rust", "formats": [format], "ops": ["encode", "decode"], "options": [],
        "lacks": lacks, "strict": false, "unordered_maps": name == "sonic-rs"})
}

fn float(inner: &Json) -> f64 {
    f64::from_bits(u64::from_str_radix(&inner.as_str().unwrap()[2..], 16).unwrap())
}

/// A tag's name and content.
fn tag(json: &Json) -> Option<(&str, &Json)> {
    let object = json.as_object()?;
    let (key, inner) = object.iter().next()?;
    (object.len() == 1 && key.starts_with('$')).then_some((key, inner))
}

fn plain(json: &Json) -> Json {
    match (tag(json), json) {
        (Some(("$int", n)), _) => serde_json::from_str(n.as_str().unwrap()).unwrap(),
        (Some(("$float", f)), _) => json!(float(f)),
        (Some((_, inner)), _) => map(inner),
        (None, Json::Array(items)) => items.iter().map(plain).collect(),
        (None, Json::Object(_)) => map(json),
        _ => json.clone(),
    }
}

fn map(json: &Json) -> Json {
    Json::Object(json.as_object().unwrap().iter().map(|(k, v)| (k.clone(), plain(v))).collect())
}

fn pairs<'a>(entries: impl Iterator<Item = (&'a str, Json)>) -> Json {
    json!({"$map": entries.map(|(k, v)| json!([k, v])).collect::<Vec<_>>()})
}

fn tagged(json: &Json) -> Json {
    match json {
        Json::Number(n) if n.is_f64() => tagged_float(n.as_f64().unwrap()),
        Json::Array(items) => items.iter().map(tagged).collect(),
        Json::Object(object) => pairs(object.iter().map(|(k, v)| (k.as_str(), tagged(v)))),
        _ => json.clone(),
    }
}

fn tagged_float(v: f64) -> Json {
    json!({"$float": format!("0x{:016x}", v.to_bits())})
}

fn sonic(json: &Json) -> sonic_rs::Value {
    // Its own values, made without its reader.
    match plain(json) {
        Json::Null => sonic_rs::Value::new_null(),
        Json::Bool(b) => b.into(),
        Json::Number(n) => match (n.as_i64(), n.as_u64()) {
            (Some(i), _) => i.into(),
            (_, Some(u)) => u.into(),
            _ => sonic_rs::Value::new_f64(n.as_f64().unwrap()).unwrap_or_default(),
        },
        Json::String(s) => s.as_str().into(),
        Json::Array(items) => items.iter().map(plain_to_sonic).collect::<sonic_rs::Array>().into(),
        Json::Object(object) => to_sonic_object(&object),
    }
}

fn plain_to_sonic(json: &Json) -> sonic_rs::Value {
    match json {
        Json::Object(object) => to_sonic_object(object),
        Json::Array(items) => items.iter().map(plain_to_sonic).collect::<sonic_rs::Array>().into(),
        scalar => sonic(scalar),
    }
}

fn to_sonic_object(object: &Map<String, Json>) -> sonic_rs::Value {
    let mut out = sonic_rs::Object::new();
    for (k, v) in object {
        out.insert(k, plain_to_sonic(v));
    }
    out.into()
}

fn from_sonic(value: &sonic_rs::Value) -> Json {
    use sonic_rs::{JsonContainerTrait, JsonValueTrait};
    if let Some(items) = value.as_array() {
        return items.iter().map(from_sonic).collect();
    }
    if let Some(object) = value.as_object() {
        return pairs(object.iter().map(|(k, v)| (k, from_sonic(v))));
    }
    if let Some(text) = value.as_str() {
        return json!(text);
    }
    match (value.as_bool(), value.is_null(), value.as_i64(), value.as_u64(), value.as_f64()) {
        (Some(b), ..) => json!(b),
        (_, true, ..) => Json::Null,
        _ if value.is_f64() => tagged_float(value.as_f64().unwrap()),
        (_, _, Some(i), ..) => json!(i),
        (_, _, _, Some(u), _) => json!({"$int": u.to_string()}),
        (.., f) => tagged_float(f.unwrap_or(f64::NAN)),
    }
}

fn rmp(json: &Json) -> rmpv::Value {
    use rmpv::Value;
    let object =
        |json: &Json| Value::Map(json.as_object().unwrap().iter().map(|(k, v)| (k.as_str().into(), rmp(v))).collect());
    match (tag(json), json) {
        (Some(("$int", n)), _) => {
            let text = n.as_str().unwrap();
            text.parse::<i64>().map(Value::from).unwrap_or_else(|_| Value::from(text.parse::<u64>().unwrap()))
        }
        (Some(("$float", f)), _) => Value::F64(float(f)),
        (Some(("$bin", b)), _) => Value::Binary(unbase64(b.as_str().unwrap())),
        (Some(("$ext", e)), _) => Value::Ext(e[0].as_i64().unwrap() as i8, unbase64(e[1].as_str().unwrap())),
        (Some(("$time", t)), _) => Value::Ext(-1, time(t[0].as_i64().unwrap(), t[1].as_u64().unwrap())),
        (Some(("$map", m)), _) => Value::Map(m.as_array().unwrap().iter().map(|e| (rmp(&e[0]), rmp(&e[1]))).collect()),
        (Some((_, inner)), _) => object(inner),
        (None, Json::Null) => Value::Nil,
        (None, Json::Bool(b)) => (*b).into(),
        (None, Json::Number(n)) => n.as_i64().map(Value::from).unwrap_or_else(|| Value::F64(n.as_f64().unwrap())),
        (None, Json::String(s)) => s.as_str().into(),
        (None, Json::Array(items)) => Value::Array(items.iter().map(rmp).collect()),
        (None, Json::Object(_)) => object(json),
    }
}

/// rmp has no timestamps: what its user would write by the specification.
fn time(seconds: i64, nanos: u64) -> Vec<u8> {
    match (u64::try_from(seconds), nanos) {
        (Ok(s), 0) if s < 1 << 32 => (s as u32).to_be_bytes().to_vec(),
        (Ok(s), n) if s < 1 << 34 => (n << 34 | s).to_be_bytes().to_vec(),
        (_, n) => [&(n as u32).to_be_bytes()[..], &seconds.to_be_bytes()[..]].concat(),
    }
}

fn from_rmp(value: &rmpv::Value) -> Result<Json, String> {
    use rmpv::Value;
    Ok(match value {
        Value::Nil => Json::Null,
        Value::Boolean(b) => json!(b),
        Value::Integer(i) => json!({"$int": i.to_string()}),
        Value::F32(f) => tagged_float(f64::from(*f)),
        Value::F64(f) => tagged_float(*f),
        Value::String(s) => match s.as_str() {
            Some(text) => json!(text),
            None => json!({"$str": base64(s.as_bytes())}),
        },
        Value::Binary(b) => json!({"$bin": base64(b)}),
        Value::Array(items) => items.iter().map(from_rmp).collect::<Result<_, _>>()?,
        Value::Map(entries) => {
            let list = entries.iter().map(|(k, v)| Ok(json!([from_rmp(k)?, from_rmp(v)?])));
            json!({"$map": list.collect::<Result<Vec<_>, String>>()?})
        }
        Value::Ext(-1, d) => match *d.as_slice() {
            [a, b, c, d] => json!({"$time": [u32::from_be_bytes([a, b, c, d]), 0]}),
            [a, b, c, d, e, f, g, h] => {
                let n = u64::from_be_bytes([a, b, c, d, e, f, g, h]);
                json!({"$time": [n & ((1 << 34) - 1), n >> 34]})
            }
            [a, b, c, d, e, f, g, h, i, j, k, l] => {
                json!({"$time": [i64::from_be_bytes([e, f, g, h, i, j, k, l]), u32::from_be_bytes([a, b, c, d])]})
            }
            _ => json!({"$ext": [-1, base64(d)]}),
        },
        Value::Ext(kind, data) => json!({"$ext": [kind, base64(data)]}),
    })
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64(bytes: &[u8]) -> String {
    let mut out = String::new();
    for c in bytes.chunks(3) {
        let n =
            (u32::from(c[0]) << 16) | (u32::from(*c.get(1).unwrap_or(&0)) << 8) | u32::from(*c.get(2).unwrap_or(&0));
        for i in 0..4 {
            out.push(if i <= c.len() { ALPHABET[(n >> (18 - 6 * i)) as usize & 63] as char } else { '=' });
        }
    }
    out
}

fn unbase64(text: &str) -> Vec<u8> {
    let (mut out, mut bits, mut n) = (Vec::new(), 0u32, 0);
    for c in text.bytes().filter(|c| *c != b'=') {
        bits = bits << 6 | ALPHABET.iter().position(|a| *a == c).unwrap() as u32;
        n += 6;
        if n >= 8 {
            n -= 8;
            out.push((bits >> n) as u8);
        }
    }
    out
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len() / 2).map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap()).collect()
}
