//! MessagePack through the public API: every header, every error with offset and path, every policy.

use samewire::buffer::Buffer;
use samewire::msgpack::{self, Writer};
use samewire::options::{Options, Setting};
use samewire::value::Builder;
use samewire::visit::Nothing;
use samewire::{Code, Error, Value};

fn hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
}

fn options(set: &[(&str, Setting<'_>)]) -> Options {
    let mut o = Options::default();
    for (name, value) in set {
        o.set(name, *value).unwrap();
    }
    o
}

fn decode(bytes: &[u8], o: &Options) -> Result<Value, Error> {
    let built = msgpack::read(bytes, o, &mut Builder);
    // Validation must find the same errors as building.
    let checked = msgpack::read(bytes, o, &mut Nothing);
    match (&built, &checked) {
        (Ok(_), Ok(())) => {}
        (Err(a), Err(b)) => assert_eq!((a.code(), a.offset(), a.path()), (b.code(), b.offset(), b.path())),
        other => panic!("{other:?}"),
    }
    built
}

fn encode(value: &Value, o: &Options) -> Result<Vec<u8>, Error> {
    let mut w = Writer::new(Buffer::with_capacity(0), o);
    value.visit(&mut w)?;
    Ok(w.into_buffer().into_vec())
}

fn fails(input: &str, set: &[(&str, Setting<'_>)], code: Code, offset: usize, path: &str) {
    let e = decode(&hex(input), &options(set)).unwrap_err();
    assert_eq!((e.code(), e.offset(), e.path()), (code, Some(offset), path), "{input}: {e}");
}

#[test]
fn headers_are_shortest_and_longer_ones_are_read() {
    for (n, header) in
        [(0, "a0"), (31, "bf"), (32, "d920"), (255, "d9ff"), (256, "da0100"), (65535, "daffff"), (65536, "db00010000")]
    {
        let v = Value::Str("x".repeat(n));
        let bytes = encode(&v, &Options::default()).unwrap();
        assert!(bytes.starts_with(&hex(header)), "{n}");
        assert_eq!(decode(&bytes, &Options::default()).unwrap(), v);
        let long = [&hex("db")[..], &(n as u32).to_be_bytes(), "x".repeat(n).as_bytes()].concat();
        assert_eq!(decode(&long, &Options::default()).unwrap(), v);
    }
    for (n, header) in [(0, "90"), (15, "9f"), (16, "dc0010"), (65535, "dcffff"), (65536, "dd00010000")] {
        let v = Value::Array(vec![Value::Null; n]);
        let bytes = encode(&v, &Options::default()).unwrap();
        assert!(bytes.starts_with(&hex(header)), "{n}");
        assert_eq!(decode(&bytes, &Options::default()).unwrap(), v);
    }
    for (n, header) in [(0, "80"), (15, "8f"), (16, "de0010"), (65536, "df00010000")] {
        let v = Value::Map((0..n).map(|i| (Value::Str(i.to_string()), Value::Null)).collect());
        for o in [Options::default(), options(&[("omit_null", Setting::Bool(false))])] {
            let bytes = encode(&v, &o).unwrap();
            assert!(bytes.starts_with(&hex(header)), "{n}");
            assert_eq!(decode(&bytes, &Options::default()).unwrap(), v);
        }
    }
}

#[test]
fn integers_at_every_boundary() {
    for (v, bytes) in [
        (0i128, "00"),
        (127, "7f"),
        (128, "cc80"),
        (255, "ccff"),
        (256, "cd0100"),
        (65535, "cdffff"),
        (65536, "ce00010000"),
        (4294967295, "ceffffffff"),
        (4294967296, "cf0000000100000000"),
        (i64::MAX.into(), "cf7fffffffffffffff"),
        (1 << 63, "cf8000000000000000"),
        (u64::MAX.into(), "cfffffffffffffffff"),
        (-1, "ff"),
        (-32, "e0"),
        (-33, "d0df"),
        (-128, "d080"),
        (-129, "d1ff7f"),
        (-32768, "d18000"),
        (-32769, "d2ffff7fff"),
        (i32::MIN.into(), "d280000000"),
        (i128::from(i32::MIN) - 1, "d3ffffffff7fffffff"),
        (i64::MIN.into(), "d38000000000000000"),
    ] {
        let value = i64::try_from(v).map_or_else(|_| Value::Uint(v as u64), Value::Int);
        assert_eq!(encode(&value, &Options::default()).unwrap(), hex(bytes), "{v}");
        assert_eq!(decode(&hex(bytes), &Options::default()).unwrap(), value);
        // With bytes after it, the branch-free path is taken.
        let padded = [&hex("92")[..], &hex(bytes), &hex("aa30303030303030303030")].concat();
        let Value::Array(items) = decode(&padded, &Options::default()).unwrap() else { panic!() };
        assert_eq!(items[0], value);
    }
}

#[test]
fn errors_have_code_offset_and_path() {
    use Code::*;
    let none: &[(&str, Setting<'_>)] = &[];
    fails("", none, Truncated, 0, "");
    fails("92cd01", none, Truncated, 3, "/0");
    fails("92cc05", none, Truncated, 3, "/1");
    fails("81a161", none, Truncated, 3, "/a");
    fails("0102", none, TrailingData, 1, "");
    fails("92c101", none, InvalidMarker, 1, "/0");
    fails("92dd00000005c0", none, LengthExceedsInput, 1, "/0");
    fails("ddffffffff", none, LengthExceedsInput, 0, "");
    fails("dfffffffff", none, LengthExceedsInput, 0, "");
    fails("82a16101", none, LengthExceedsInput, 0, "");
    fails("81a1", none, LengthExceedsInput, 0, "");
    fails("dbffffffff61", none, LengthExceedsInput, 0, "");
    fails("c6ffffffff", none, LengthExceedsInput, 0, "");
    fails("c9ffffffff01", none, LengthExceedsInput, 0, "");
    fails("a2e280", none, InvalidUtf8, 1, "");
    fails("81a16b92a3c3a9ffa0", none, InvalidUtf8, 7, "/k/0");
    fails("81a1ff01", none, InvalidUtf8, 2, "");
    fails("82a16101a16102", none, DuplicateKey, 4, "/a");
    fails("81a16282a16101a16102", none, DuplicateKey, 7, "/b/a");
    fails("83a16101a16102a163c1", none, DuplicateKey, 4, "/a");
    fails("82a161c1a16102", none, InvalidMarker, 3, "/a");
    fails("8101a161", none, MapKeyType, 1, "");
    fails("81a1788101c0", none, MapKeyType, 4, "/x");
    fails("c705ff0102030405", none, InvalidTimestamp, 0, "");
    fails("91c700ff", none, InvalidTimestamp, 1, "/0");
    fails("c70cff773593ff000000005868467f", none, InvalidTimestamp, 0, "");
    fails("d7ffee6b280000000000", none, InvalidTimestamp, 0, "");
    fails("919190", &[("max_depth", Setting::Int(2))], DepthExceeded, 2, "/0/0");
    fails("93010203", &[("max_items", Setting::Int(3))], TooManyItems, 0, "");
    fails("0102", &[("max_bytes", Setting::Int(1))], InputTooLarge, 1, "");
    decode(&hex("9190"), &options(&[("max_depth", Setting::Int(2))])).unwrap();
    decode(&hex("93010203"), &options(&[("max_items", Setting::Int(4))])).unwrap();
}

#[test]
fn duplicate_policies() {
    let input = hex("83a16101a16202a16103");
    let shown = |o: &str| format!("{:?}", decode(&input, &options(&[("duplicate_keys", Setting::Str(o))])).unwrap());
    let map = |entries: &[(&str, i64)]| {
        format!("{:?}", Value::Map(entries.iter().map(|(k, v)| (Value::Str((*k).into()), Value::Int(*v))).collect()))
    };
    assert_eq!(shown("last"), map(&[("a", 3), ("b", 2)]));
    assert_eq!(shown("first"), map(&[("a", 1), ("b", 2)]));
    // A later fault is found whatever the policy.
    fails("83a16101a16202a161c1", &[("duplicate_keys", Setting::Str("last"))], Code::InvalidMarker, 9, "/a");
}

#[test]
fn key_policies() {
    let any = options(&[("map_keys", Setting::Str("any"))]);
    let v = decode(&hex("84c001c202cb3ff000000000000003cb7ff800000000000004"), &any).unwrap();
    let Value::Map(entries) = &v else { panic!() };
    assert_eq!(entries.len(), 4);
    assert_eq!(encode(&v, &any).unwrap(), hex("84c001c202cb3ff000000000000003cb7ff800000000000004"));
    fails("8201a1610102", &[("map_keys", Setting::Str("any"))], Code::DuplicateKey, 4, "/1");
    fails("8201a161cc0102", &[("map_keys", Setting::Str("any"))], Code::DuplicateKey, 4, "/1");
    decode(&hex("8201a161a131a162"), &any).unwrap();
    fails("8201a161a131a162", &[("map_keys", Setting::Str("stringify"))], Code::DuplicateKey, 4, "/1");
    let text = options(&[("map_keys", Setting::Str("stringify"))]);
    assert_eq!(
        decode(&hex("82c20109a162"), &text).unwrap(),
        Value::Map(vec![(Value::Str("false".into()), Value::Int(1)), (Value::Str("9".into()), Value::Str("b".into()))])
    );
    let host = Value::Map(vec![(Value::Int(1), Value::Null), (Value::Str("1".into()), Value::Null)]);
    assert_eq!(encode(&host, &text).unwrap_err().code(), Code::DuplicateKey);
    assert_eq!(encode(&host, &Options::default()).unwrap_err().code(), Code::MapKeyType);
}

#[test]
fn utf8_policies() {
    let o = |p| options(&[("invalid_utf8", Setting::Str(p))]);
    assert_eq!(decode(&hex("a3f09f98"), &o("replace")).unwrap(), Value::Str("\u{fffd}".into()));
    assert_eq!(decode(&hex("a2e280"), &o("bytes")).unwrap(), Value::Bin(hex("e280")));
    assert_eq!(decode(&hex("a2c3a9"), &o("bytes")).unwrap(), Value::Str("é".into()));
    fails("81a1ff01", &[("invalid_utf8", Setting::Str("bytes"))], Code::MapKeyType, 1, "");
}

#[test]
fn sorted_and_null_free_maps() {
    let o = options(&[("sort_keys", Setting::Bool(true)), ("omit_null", Setting::Bool(true))]);
    let entry = |k: &str, v| (Value::Str(k.into()), v);
    let inner = Value::Map(vec![entry("z", Value::Null), entry("y", Value::Array(vec![Value::Null]))]);
    let v = Value::Map(vec![
        entry("b", Value::Int(1)),
        entry("n", Value::Null),
        entry("aa", inner),
        entry("a", Value::Bool(true)),
    ]);
    assert_eq!(encode(&v, &o).unwrap(), hex("83a161c3a2616181a17991c0a16201"));
}

#[test]
fn nan_is_one_and_floats_keep_their_bits() {
    assert_eq!(encode(&Value::Float(-f64::NAN), &Options::default()).unwrap(), hex("cb7ff8000000000000"));
    assert_eq!(encode(&Value::Float(1.0), &Options::default()).unwrap(), hex("cb3ff0000000000000"));
    assert_eq!(decode(&hex("ca3fa66666"), &Options::default()).unwrap(), Value::Float(1.2999999523162842));
}

#[test]
fn hostile_claims_cost_nothing() {
    let o = Options::default();
    for marker in ["dd", "df", "db", "c6"] {
        let e = decode(&hex(&format!("{marker}ffffffff")), &o).unwrap_err();
        assert_eq!(e.code(), Code::LengthExceedsInput);
    }
    let nested = hex(&"dcffff".repeat(24_000));
    assert_eq!(decode(&nested, &o).unwrap_err().code(), Code::DepthExceeded);
    let multiplying = hex(&"dd000f4240".repeat(100));
    assert_eq!(decode(&multiplying, &o).unwrap_err().code(), Code::LengthExceedsInput);
}

#[test]
fn full_depth_fits_a_small_stack() {
    std::thread::Builder::new()
        .stack_size(256 << 10)
        .spawn(|| {
            for unit in ["91", "81a161"] {
                let deep = hex(&(unit.repeat(511) + "90"));
                let v = decode(&deep, &Options::default()).unwrap();
                assert_eq!(encode(&v, &Options::default()).unwrap(), deep);
                let deeper = hex(&(unit.repeat(512) + "90"));
                assert_eq!(decode(&deeper, &Options::default()).unwrap_err().code(), Code::DepthExceeded);
            }
            let e = decode(&vec![0x91; 1_000_000], &Options::default()).unwrap_err();
            assert_eq!((e.code(), e.offset(), e.path().len()), (Code::DepthExceeded, Some(512), 1024));
        })
        .unwrap()
        .join()
        .unwrap();
}

#[test]
fn leaving_out_a_null_spares_the_entry_after_it() {
    // A value of one byte that is written where a left-out null stood was taken for that null.
    let map = Value::Map(vec![(Value::Str("a".into()), Value::Null), (Value::Str("b".into()), Value::Int(1))]);
    let options = Options { omit_null: true, ..Options::default() };
    assert_eq!(encode(&map, &options).unwrap(), hex("81a16201"));
}
