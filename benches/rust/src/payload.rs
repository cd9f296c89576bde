//! Reads the payload files and derives the variants that only the Rust race has.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

/// One payload; its inputs live as long as the process, so that borrowed types need no lifetime of their own.
pub struct Payload {
    pub name: String,
    pub key: bool,
    pub json: &'static [&'static [u8]],
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../payloads")
}

/// All payloads of the manifest, large ones included (`generate.py --large` makes them).
pub fn load() -> Vec<Payload> {
    let manifest = std::fs::read(directory().join("manifest.json")).expect("benches/payloads/manifest.json");
    let manifest: Map<String, Value> = serde_json::from_slice(&manifest).expect("the manifest is JSON");
    let mut payloads = Vec::new();
    for (name, entry) in manifest {
        let path = directory().join(entry["file"].as_str().expect("file"));
        let body = std::fs::read_to_string(&path)
            .unwrap_or_else(|e| panic!("{}: {e}; run benches/payloads/generate.py --large", path.display()));
        let mut lines: Vec<&str> = body.lines().collect();
        // The brackets stand on lines of their own.
        lines.remove(0);
        lines.pop();
        let json = lines.iter().map(|l| leak(l.trim_end_matches(',').as_bytes().to_vec())).collect();
        payloads.push(Payload { name, key: entry["key"] == true, json: leak_all(json) });
    }
    payloads
}

pub fn leak(bytes: Vec<u8>) -> &'static [u8] {
    Vec::leak(bytes)
}

pub fn leak_all<T>(values: Vec<T>) -> &'static [T] {
    Vec::leak(values)
}

/// The same messages with the keys of every object sorted, so that none comes in the order of its type.
pub fn reordered(json: &[&[u8]]) -> Vec<Value> {
    fn sort(v: Value) -> Value {
        match v {
            Value::Array(a) => Value::Array(a.into_iter().map(sort).collect()),
            Value::Object(o) => {
                let mut entries: Vec<_> = o.into_iter().map(|(k, v)| (k, sort(v))).collect();
                entries.sort_by(|a, b| b.0.cmp(&a.0));
                Value::Object(entries.into_iter().collect())
            }
            other => other,
        }
    }
    json.iter().map(|d| sort(serde_json::from_slice(d).expect("payload"))).collect()
}

/// The same messages with two fields more in every object, one first and one last.
pub fn with_unknown_fields(json: &[&[u8]]) -> Vec<Value> {
    fn add(v: Value) -> Value {
        match v {
            Value::Array(a) => Value::Array(a.into_iter().map(add).collect()),
            Value::Object(o) => {
                let mut out = Map::new();
                out.insert("trace_id".into(), "4bf92f3577b34da6a3ce929d0e0e4736".into());
                out.extend(o.into_iter().map(|(k, v)| (k, add(v))));
                out.insert("extra".into(), serde_json::json!({"weights": [1, 2.5, null], "note": "not in the type"}));
                Value::Object(out)
            }
            other => other,
        }
    }
    json.iter().map(|d| add(serde_json::from_slice(d).expect("payload"))).collect()
}
