//! JSON against serde_json, on random values, random numbers and broken text.

mod common;

use proptest::prelude::*;
use samewire::buffer::Buffer;
use samewire::json::{self, Cursor, Writer};
use samewire::options::{Options, Setting};
use samewire::value::Builder;
use samewire::visit::Nothing;
use samewire::{Code, Value};
use serde_json::Value as Peer;

fn text(value: &Value) -> String {
    let mut w = Writer::new(Buffer::with_capacity(0), &Options::default());
    value.visit(&mut w).unwrap();
    String::from_utf8(w.into_buffer().into_vec()).unwrap()
}

fn peer(value: &Value) -> Peer {
    match value {
        Value::Null => Peer::Null,
        Value::Bool(b) => (*b).into(),
        Value::Int(v) => (*v).into(),
        Value::Uint(v) => (*v).into(),
        Value::Float(v) => (*v).into(),
        Value::Str(s) => s.clone().into(),
        Value::Array(items) => items.iter().map(peer).collect(),
        Value::Map(entries) => Peer::Object(
            entries
                .iter()
                .map(|(k, v)| (if let Value::Str(k) = k { k.clone() } else { unreachable!() }, peer(v)))
                .collect(),
        ),
        other => unreachable!("{other:?}"),
    }
}

/// Values that both have, with text that needs escapes often.
fn value() -> impl Strategy<Value = Value> {
    let string = prop_oneof![".{0,40}", "[a-z\"\\\\\n\u{1}é😀]{0,60}", "[ -~]{0,200}"];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        (-1000i64..1000).prop_map(Value::Int),
        any::<u64>().prop_map(Value::from_u64),
        any::<f64>().prop_filter("JSON has none", |f| f.is_finite()).prop_map(Value::Float),
        (any::<i32>(), 0i32..9).prop_map(|(n, e)| Value::Float(f64::from(n) / 10f64.powi(e))),
        string.prop_map(Value::Str),
    ];
    leaf.prop_recursive(5, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..20).prop_map(Value::Array),
            prop::collection::btree_map("[ -~é\n]{0,12}", inner, 0..20)
                .prop_map(|m| Value::Map(m.into_iter().map(|(k, v)| (Value::Str(k), v)).collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn text_is_equal_and_reads_back(v in value(), tail in " {0,20}") {
        let theirs = peer(&v);
        let ours = text(&v);
        prop_assert_eq!(&ours, &serde_json::to_string(&theirs).unwrap());
        let o = Options::default();
        for layout in [ours.clone(), serde_json::to_string_pretty(&theirs).unwrap() + &tail] {
            let back = json::read(layout.as_bytes(), &o, &mut Builder).unwrap();
            prop_assert_eq!(&back, &v);
            json::read(layout.as_bytes(), &o, &mut Nothing).unwrap();
            let mut cursor = Cursor::new(layout.as_bytes(), &o);
            cursor.skip_value(512).unwrap();
            prop_assert_eq!(cursor.offset(), layout.len() - if layout.ends_with(' ') { tail.len() } else { 0 });
        }
        let mut pretty = Options::default();
        pretty.set("indent", Setting::Int(2)).unwrap();
        let mut w = Writer::new(Buffer::with_capacity(0), &pretty);
        v.visit(&mut w).unwrap();
        let ours = String::from_utf8(w.into_buffer().into_vec()).unwrap();
        prop_assert_eq!(ours, serde_json::to_string_pretty(&theirs).unwrap());
    }

    #[test]
    fn float_text_is_equal(bits in any::<u64>()) {
        let v = f64::from_bits(bits);
        prop_assume!(v.is_finite());
        let ours = text(&Value::Float(v));
        prop_assert_eq!(&ours, &serde_json::to_string(&v).unwrap());
        prop_assert_eq!(json::read(ours.as_bytes(), &Options::default(), &mut Builder).unwrap(), Value::Float(v));
    }

    #[test]
    fn numbers_read_as_theirs(number in "-?(0|[1-9][0-9]{0,25})(\\.[0-9]{1,25})?([eE][-+]?[0-9]{1,3})?") {
        let ours = json::read(number.as_bytes(), &Options::default(), &mut Builder);
        let std: f64 = number.parse().unwrap();
        match ours {
            Ok(Value::Float(v)) => prop_assert_eq!(v.to_bits(), std.to_bits()),
            Ok(Value::Int(v)) => prop_assert_eq!(v.to_string(), number),
            Ok(Value::Uint(v)) => prop_assert_eq!(v.to_string(), number),
            Ok(Value::BigInt(v)) => prop_assert_eq!(v, number),
            Err(e) => prop_assert!(e.code() == Code::NumberOutOfRange && std.is_infinite(), "{}: {}", number, e),
            other => prop_assert!(false, "{:?}", other),
        }
    }

    /// Broken text is refused by both or by none, building and validating agree, and nothing panics.
    #[test]
    fn broken_text(v in value(), at in any::<prop::sample::Index>(), byte in any::<u8>(), kind in 0..4) {
        let mut bytes = text(&v).into_bytes();
        let i = at.index(bytes.len());
        match kind {
            0 => bytes[i] = byte,
            1 => { bytes.remove(i); }
            2 => bytes.insert(i, byte),
            _ => bytes.truncate(i),
        }
        let o = Options::default();
        let bytes = bytes.into_boxed_slice();
        let ours = json::read(&bytes, &o, &mut Builder);
        let checked = json::read(&bytes, &o, &mut Nothing);
        match (&ours, &checked) {
            (Ok(_), Ok(())) => {}
            (Err(a), Err(b)) => prop_assert_eq!((a.code(), a.offset(), a.path()), (b.code(), b.offset(), b.path())),
            other => prop_assert!(false, "{:?}", other),
        }
        if let Err(e) = &ours {
            prop_assert!(e.offset().unwrap() <= bytes.len());
        }
        // What only one of the two minds.
        let differs = matches!(&ours, Err(e) if e.code() == Code::DuplicateKey)
            || matches!(&ours, Ok(v) if format!("{v:?}").contains("BigInt"));
        if !differs {
            prop_assert_eq!(ours.is_ok(), serde_json::from_slice::<Peer>(&bytes).is_ok());
        }
        if ours.is_ok() {
            let mut cursor = Cursor::new(&bytes, &o);
            cursor.skip_value(512).unwrap();
        } else if checked.as_ref().is_err_and(|e| !matches!(e.code(), Code::DuplicateKey | Code::TrailingData)) {
            let mut cursor = Cursor::new(&bytes, &o);
            let skipped = cursor.skip_value(512).unwrap_err();
            prop_assert_eq!((skipped.code(), skipped.offset()), (ours.as_ref().unwrap_err().code(), ours.unwrap_err().offset()));
        }
    }
}
