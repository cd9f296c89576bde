//! What must hold for any bytes (see `fuzz/src/lib.rs`): on every input of the vectors, on mutations of them and on
//! random bytes. `make fuzz` looks further.

#[path = "../fuzz/src/lib.rs"]
mod fuzz;

use proptest::prelude::*;
use samewire::{Code, Format, Options, Value, transcode};

const TARGETS: [fn(&[u8]); 5] =
    [fuzz::msgpack_read, fuzz::json_read, fuzz::roundtrip, fuzz::transcode, fuzz::incremental_equals_whole];

fn all(data: &[u8]) {
    for target in TARGETS {
        target(data);
    }
}

/// Every encoded input that the vectors hold, of either format.
fn inputs() -> Vec<Vec<u8>> {
    fn collect(value: &Value, out: &mut Vec<Vec<u8>>) {
        match value {
            Value::Str(text) => {
                let hex = text.len() % 2 == 0 && text.bytes().all(|b| b.is_ascii_hexdigit());
                if hex && !text.is_empty() {
                    out.push(
                        (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect(),
                    );
                }
                out.push(text.clone().into_bytes());
            }
            Value::Array(items) => items.iter().for_each(|v| collect(v, out)),
            Value::Map(entries) => entries.iter().for_each(|(_, v)| collect(v, out)),
            _ => {}
        }
    }
    let mut out = Vec::new();
    let root = format!("{}/../conformance/vectors", env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![std::path::PathBuf::from(root)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "json") {
                let text = std::fs::read(&path).unwrap();
                match transcode::from_slice(Format::Json, &text, &Options::default()) {
                    Ok(cases) => collect(&cases, &mut out),
                    // The file about depth is itself deeper than the limit.
                    Err(error) => assert_eq!(error.code(), Code::DepthExceeded, "{}", path.display()),
                }
            }
        }
    }
    out.retain(|bytes| bytes.len() < 2000);
    out.sort();
    out.dedup();
    assert!(out.len() > 1000, "only {}", out.len());
    out
}

#[test]
fn the_vectors_and_their_mutations() {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    for input in inputs() {
        let mut data = vec![0];
        data.extend(input);
        all(&data);
        for _ in 0..4 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let mut broken = data.clone();
            let at = (state as usize >> 8) % broken.len();
            match state % 3 {
                0 => broken[at] ^= 1 << ((state >> 40) % 8),
                1 => broken.truncate(at.max(1)),
                _ => broken.insert(at, (state >> 48) as u8),
            }
            broken[0] = (state >> 32) as u8;
            all(&broken);
        }
    }
}

/// Inputs that a fuzzer once found something with.
#[test]
fn crashes_of_the_past() {
    let folder = format!("{}/fuzz/crashes", env!("CARGO_MANIFEST_DIR"));
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries {
        all(&std::fs::read(entry.unwrap().path()).unwrap());
    }
}

proptest! {
    #[test]
    fn random_bytes(data in prop::collection::vec(any::<u8>(), 0..80)) {
        all(&data);
    }

    #[test]
    fn bytes_like_json(first in any::<u8>(), text in r#"[\[\]{}:," a-c0-9\\.etrufalsn\-ud8é]{0,48}"#) {
        let mut data = vec![first];
        data.extend(text.bytes());
        all(&data);
    }
}

/// Documents are spoilt by single bytes, so that most of what is left still compiles.
#[test]
fn schemas_and_their_mutations() {
    let documents: Vec<Vec<u8>> = inputs().into_iter().filter(|i| i.len() < 300).collect();
    let schema = br#"{"type":"object","properties":{"a":{"type":["integer","null"],"minimum":1,"default":1},"u":{"oneOf":[{"type":"object","properties":{"t":{"const":"x"},"n":{"type":"number"}},"required":["t"]},{"type":"object","properties":{"t":{"const":"y"}},"required":["t"]}]},"m":{"additionalProperties":{"type":"string","maxLength":3}}},"required":["a"]}"#;
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for input in documents {
        let mut data = (schema.len() as u16).to_le_bytes().to_vec();
        data.extend_from_slice(schema);
        data.extend_from_slice(&input);
        fuzz::schema(&data);
        for _ in 0..4 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let at = 2 + state as usize % (data.len() - 2);
            data[at] = (state >> 32) as u8;
            fuzz::schema(&data);
        }
    }
}
