//! What several test files share.
#![allow(dead_code, missing_docs)]

use std::path::PathBuf;

use proptest::prelude::*;
use samewire::Value;
use samewire::ext::Ext;
use samewire::time::Timestamp;

/// The folder of a public suite beside the repository, if it is there; says so if not.
pub fn shared(suite: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/vectors").join(suite);
    if path.is_dir() {
        return Some(path);
    }
    eprintln!("skipped: {suite} is not beside this checkout");
    None
}

pub fn hex(text: &str) -> Vec<u8> {
    let digits: String = text.chars().filter(|c| c.is_ascii_hexdigit()).collect();
    (0..digits.len()).step_by(2).map(|i| u8::from_str_radix(&digits[i..i + 2], 16).unwrap()).collect()
}

/// Any value that MessagePack can hold, with string keys that differ.
pub fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        (-70000i64..70000).prop_map(Value::Int),
        any::<u64>().prop_map(Value::from_u64),
        any::<f64>().prop_filter("NaN is not equal to itself", |f| !f.is_nan()).prop_map(Value::Float),
        ".{0,40}".prop_map(Value::Str),
        prop::collection::vec(any::<u8>(), 0..40).prop_map(Value::Bin),
        (any::<i64>(), 0u32..1_000_000_000).prop_map(|(s, n)| Value::Timestamp(Timestamp::new(s, n).unwrap())),
        (any::<i8>(), prop::collection::vec(any::<u8>(), 0..20))
            .prop_filter("-1 is a timestamp", |(k, _)| *k != -1)
            .prop_map(|(kind, data)| Value::Ext(Ext { kind, data })),
    ];
    leaf.prop_recursive(5, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..20).prop_map(Value::Array),
            prop::collection::btree_map(".{0,12}", inner, 0..20)
                .prop_map(|m| Value::Map(m.into_iter().map(|(k, v)| (Value::Str(k), v)).collect())),
        ]
    })
}
