//! MessagePack against the public test suite and another implementation.

mod common;

use common::{hex, shared, value};
use proptest::prelude::*;
use samewire::Value;
use samewire::buffer::Buffer;
use samewire::ext::Ext;
use samewire::msgpack::{self, Writer};
use samewire::options::Options;
use samewire::time::Timestamp;
use samewire::value::Builder;
use samewire::visit::Nothing;

fn encode(value: &Value) -> Vec<u8> {
    let mut w = Writer::new(Buffer::with_capacity(0), &Options::default());
    value.visit(&mut w).unwrap();
    w.into_buffer().into_vec()
}

fn decode(bytes: &[u8]) -> Value {
    msgpack::read(bytes, &Options::default(), &mut Builder).unwrap()
}

/// Numbers of the suite are equal across kinds: it lists 1.0 among the encodings of 1.
fn same(a: &Value, b: &Value) -> bool {
    let number = |v: &Value| match v {
        Value::Int(v) => Some(*v as f64),
        Value::Uint(v) => Some(*v as f64),
        Value::Float(v) => Some(*v),
        _ => None,
    };
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Map(a), Value::Map(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|((ka, a), (kb, b))| ka == kb && same(a, b))
        }
        _ => a == b || number(a).is_some_and(|x| number(b) == Some(x)),
    }
}

fn from_json(v: &serde_json::Value) -> Value {
    match v {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(b) => Value::Bool(*b),
        serde_json::Value::Number(n) => n
            .as_i64()
            .map(Value::Int)
            .or_else(|| n.as_u64().map(Value::from_u64))
            .unwrap_or_else(|| Value::Float(n.as_f64().unwrap())),
        serde_json::Value::String(s) => Value::Str(s.clone()),
        serde_json::Value::Array(a) => Value::Array(a.iter().map(from_json).collect()),
        serde_json::Value::Object(o) => {
            Value::Map(o.iter().map(|(k, v)| (Value::Str(k.clone()), from_json(v))).collect())
        }
    }
}

#[test]
fn msgpack_test_suite() {
    let Some(folder) = shared("msgpack-test-suite") else { return };
    let text = std::fs::read(folder.join("dist/msgpack-test-suite.json")).unwrap();
    let groups: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(&text).unwrap();
    let mut cases = 0;
    for case in groups.values().flat_map(|g| g.as_array().unwrap()) {
        let expected = if let Some(t) = case.get("timestamp") {
            Value::Timestamp(Timestamp::new(t[0].as_i64().unwrap(), t[1].as_u64().unwrap() as u32).unwrap())
        } else if let Some(e) = case.get("ext") {
            Value::Ext(Ext { kind: e[0].as_i64().unwrap() as i8, data: hex(e[1].as_str().unwrap()) })
        } else if let Some(b) = case.get("binary") {
            Value::Bin(hex(b.as_str().unwrap()))
        } else if let Some(n) = case.get("bignum") {
            let n: i128 = n.as_str().unwrap().parse().unwrap();
            i64::try_from(n).map_or_else(|_| Value::Uint(n as u64), Value::Int)
        } else {
            let (_, v) = case.as_object().unwrap().iter().find(|(k, _)| *k != "msgpack").unwrap();
            from_json(v)
        };
        let encodings: Vec<Vec<u8>> =
            case["msgpack"].as_array().unwrap().iter().map(|h| hex(h.as_str().unwrap())).collect();
        for bytes in &encodings {
            assert!(same(&decode(bytes), &expected), "{case}");
        }
        assert!(encodings.contains(&encode(&expected)), "{case}");
        cases += 1;
    }
    assert_eq!(cases, 85);
}

proptest! {
    #[test]
    fn what_is_written_is_read(v in value()) {
        let bytes = encode(&v);
        prop_assert_eq!(&decode(&bytes), &v);
        msgpack::read(&bytes, &Options::default(), &mut Nothing).unwrap();
    }

    #[test]
    fn rmpv_reads_ours_and_writes_what_we_read(v in value()) {
        let bytes = encode(&v);
        let theirs = rmpv::decode::read_value(&mut &bytes[..]).unwrap();
        let mut again = Vec::new();
        rmpv::encode::write_value(&mut again, &theirs).unwrap();
        prop_assert_eq!(decode(&again), v);
    }

    #[test]
    fn any_bytes_give_a_value_or_a_located_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let built = msgpack::read(&bytes, &Options::default(), &mut Builder);
        let checked = msgpack::read(&bytes, &Options::default(), &mut Nothing);
        match (built, checked) {
            (Ok(_), Ok(())) => {}
            (Err(a), Err(b)) => {
                prop_assert!(a.offset().unwrap() <= bytes.len());
                prop_assert_eq!((a.code(), a.offset(), a.path()), (b.code(), b.offset(), b.path()));
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_broken_byte_gives_a_value_or_a_located_error(v in value(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = encode(&v);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let built = msgpack::read(&bytes, &Options::default(), &mut Builder);
        let checked = msgpack::read(&bytes, &Options::default(), &mut Nothing);
        prop_assert_eq!(built.is_ok(), checked.is_ok());
        if let (Err(a), Err(b)) = (built, checked) {
            prop_assert_eq!((a.code(), a.offset(), a.path()), (b.code(), b.offset(), b.path()));
        }
    }
}
