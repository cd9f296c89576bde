//! The serde bridge: round trips, what other implementations read and write, and errors with their place.

mod common;

use std::collections::BTreeMap;

use proptest::prelude::*;
use samewire::ext::Ext;
use samewire::options::{Options, Setting};
use samewire::time::Timestamp;
use samewire::{Code, Format, Value, from_slice, to_vec};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone)]
enum Shape {
    Empty,
    Circle(f64),
    Line(i32, i32),
    Box { w: u16, h: u16 },
}

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone)]
struct Record {
    id: u64,
    delta: i32,
    ratio: f32,
    name: String,
    tags: Vec<String>,
    shapes: Vec<Shape>,
    maybe: Option<Box<Record>>,
    unit: (),
    pair: (bool, char),
    by_number: BTreeMap<u32, String>,
    #[serde(default)]
    extra: BTreeMap<String, i64>,
    #[serde(rename = "quoted \"key\"")]
    quoted: bool,
}

fn record() -> Record {
    let inner = Record {
        id: u64::MAX,
        delta: i32::MIN,
        ratio: 0.1,
        name: "naïve \u{1f600} \"q\" \n".into(),
        tags: vec!["a".into(), String::new()],
        shapes: vec![Shape::Empty, Shape::Circle(1.0), Shape::Line(-1, 2), Shape::Box { w: 1, h: 65535 }],
        maybe: None,
        unit: (),
        pair: (true, 'é'),
        by_number: [(1, "one".into()), (70000, "many".into())].into(),
        extra: [("x".into(), i64::MIN)].into(),
        quoted: true,
    };
    Record { maybe: Some(Box::new(inner.clone())), ..inner }
}

fn round_trip<T: Serialize + DeserializeOwned + PartialEq + core::fmt::Debug>(value: &T) {
    let keys = options(&[("map_keys", Setting::Str("stringify"))]);
    for format in Format::ALL {
        let bytes = samewire::to_vec_with(format, value, &keys).unwrap();
        assert_eq!(&from_slice::<T>(format, &bytes).unwrap(), value, "{format:?}");
    }
}

fn options(set: &[(&str, Setting<'_>)]) -> Options {
    let mut o = Options::default();
    for (name, value) in set {
        o.set(name, *value).unwrap();
    }
    o
}

#[test]
fn everything_comes_back() {
    round_trip(&record());
    round_trip(&vec![Some(1u8), None]);
    round_trip(&(1i8, -1i16, u32::MAX, "text".to_string()));
    assert_eq!(from_slice::<i128>(Format::Json, b"-170141183460469231731687303715884105728").unwrap(), i128::MIN);
    assert_eq!(to_vec(Format::Json, &u128::MAX).unwrap(), u128::MAX.to_string().as_bytes());
    assert_eq!(to_vec(Format::MessagePack, &u128::MAX).unwrap_err().code(), Code::IntegerOutOfRange);
}

#[test]
fn json_is_serde_jsons() {
    let keys = options(&[("map_keys", Setting::Str("stringify"))]);
    let ours = samewire::to_vec_with(Format::Json, &Record { ratio: 0.5, ..record() }, &keys).unwrap();
    let theirs = serde_json::to_vec(&Record {
        ratio: 0.5,
        maybe: Some(Box::new(Record { ratio: 0.1, ..*record().maybe.unwrap() })),
        ..record()
    })
    .unwrap();
    let text = |b: &[u8]| String::from_utf8(b.to_vec()).unwrap();
    // An f32 is the number it is, not the shortest text that an f32 reads back.
    assert_eq!(text(&ours), text(&theirs).replace("\"ratio\":0.1,", "\"ratio\":0.10000000149011612,"));
    assert_eq!(from_slice::<Record>(Format::Json, &theirs).unwrap().id, u64::MAX);
    assert_eq!(serde_json::from_slice::<Record>(&ours).unwrap(), Record { ratio: 0.5, ..record() });
}

#[test]
fn kinds_that_serde_has_not() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Special {
        at: Timestamp,
        ext: Ext,
        #[serde(with = "bytes")]
        bin: Vec<u8>,
    }
    mod bytes {
        use serde::{Deserializer, Serializer, de::Visitor};
        pub fn serialize<S: Serializer>(v: &[u8], s: S) -> Result<S::Ok, S::Error> {
            s.serialize_bytes(v)
        }
        pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<u8>, D::Error> {
            struct V;
            impl Visitor<'_> for V {
                type Value = Vec<u8>;
                fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.write_str("bytes")
                }
                fn visit_bytes<E>(self, v: &[u8]) -> Result<Vec<u8>, E> {
                    Ok(v.into())
                }
            }
            d.deserialize_byte_buf(V)
        }
    }
    let v = Special {
        at: Timestamp::new(-1, 500_000_000).unwrap(),
        ext: Ext { kind: -128, data: vec![1] },
        bin: vec![0, 255],
    };
    let bytes = to_vec(Format::MessagePack, &v).unwrap();
    assert_eq!(bytes, common::hex("83a26174c70cff1dcd6500ffffffffffffffffa3657874d48001a362696ec40200ff"));
    assert_eq!(from_slice::<Special>(Format::MessagePack, &bytes).unwrap(), v);
    assert_eq!(to_vec(Format::Json, &v).unwrap_err().code(), Code::UnsupportedType);
    assert_eq!(to_vec(Format::Json, &v).unwrap_err().path(), "/ext");
    assert_eq!(to_vec(Format::Json, &v.at).unwrap(), br#""1969-12-31T23:59:59.500Z""#);
    assert_eq!(from_slice::<Timestamp>(Format::Json, br#""1969-12-31T23:59:59.500Z""#).unwrap(), v.at);
    assert_eq!(serde_json::to_string(&v.at).unwrap(), r#""1969-12-31T23:59:59.500Z""#);
    assert_eq!(serde_json::from_str::<Timestamp>(r#""1969-12-31T23:59:59.500Z""#).unwrap(), v.at);
}

#[test]
fn errors_have_code_offset_and_path() {
    #[derive(Deserialize, Debug)]
    #[allow(dead_code)]
    struct T {
        a: u8,
        b: Vec<Option<String>>,
        #[serde(default)]
        e: Option<Shape>,
    }
    let fails = |json: &str, code: Code, offset: usize, path: &str| {
        let e = from_slice::<T>(Format::Json, json.as_bytes()).unwrap_err();
        assert_eq!((e.code(), e.offset(), e.path()), (code, Some(offset), path), "{json}: {e}");
    };
    fails(r#"{"a":1,"b":["x",2]}"#, Code::TypeMismatch, 16, "/b/1");
    fails(r#"{"a":256,"b":[]}"#, Code::IntegerOutOfRange, 5, "/a");
    fails(r#"{"a":-1,"b":[]}"#, Code::IntegerOutOfRange, 5, "/a");
    fails(r#"{"a":1.5,"b":[]}"#, Code::TypeMismatch, 5, "/a");
    fails(r#" {"a":1}"#, Code::MissingField, 1, "");
    fails(r#"{"a":1,"b":[],"a":2}"#, Code::DuplicateKey, 14, "/a");
    fails(r#"{"a":1,"b":[],"z":{"k":1,"k":2}}"#, Code::DuplicateKey, 25, "/z/k");
    fails(r#"{"a":1,"b":[],"z":[tru]}"#, Code::InvalidSyntax, 22, "/z/0");
    fails(r#"{"a":1,"b":[]} x"#, Code::TrailingData, 15, "");
    fails(r#"{"a":1,"b":["\ud800"]}"#, Code::LoneSurrogate, 13, "/b/0");
    fails(r#"{"a":1,"b":[],"e":"Round"}"#, Code::UnknownVariant, 18, "/e");
    fails(r#"{"a":1,"b":[],"e":{"Circle":"x"}}"#, Code::TypeMismatch, 28, "/e/Circle");
    fails(r#"{"a":1,"b":[],"#, Code::Truncated, 14, "");
    fails(r#"[1]"#, Code::TypeMismatch, 0, "");
    let fails = |hex: &str, code: Code, offset: usize, path: &str| {
        let e = from_slice::<T>(Format::MessagePack, &common::hex(hex)).unwrap_err();
        assert_eq!((e.code(), e.offset(), e.path()), (code, Some(offset), path), "{hex}: {e}");
    };
    fails("82a16101a16292a17802", Code::TypeMismatch, 9, "/b/1");
    fails("82a161cd0100a16290", Code::IntegerOutOfRange, 3, "/a");
    fails("82a161ffa16290", Code::IntegerOutOfRange, 3, "/a");
    fails("81a16101", Code::MissingField, 0, "");
    fails("83a16101a16290a16102", Code::DuplicateKey, 7, "/a");
    fails("83a16101a16290a17a91c1", Code::InvalidMarker, 10, "/z/0");
    fails("82a16101a16291a1ff", Code::InvalidUtf8, 8, "/b/0");
    fails("8201a16190", Code::MapKeyType, 1, "");
    fails("82a16101a162ddffffffff", Code::LengthExceedsInput, 6, "/b");
    // A map type keeps no key twice either.
    let e = from_slice::<BTreeMap<String, i32>>(Format::Json, br#"{"k":1,"\u006b":2}"#).unwrap_err();
    assert_eq!((e.code(), e.offset(), e.path()), (Code::DuplicateKey, Some(7), "/k"));
    #[derive(Serialize)]
    struct Outer {
        list: Vec<BTreeMap<String, f64>>,
    }
    let e = to_vec(Format::Json, &Outer { list: vec![[("x/y".to_string(), f64::NAN)].into()] }).unwrap_err();
    assert_eq!((e.code(), e.path()), (Code::NonFiniteNumber, "/list/0/x~1y"));
}

#[test]
fn keys_that_stand_twice_follow_the_option() {
    #[derive(Deserialize, PartialEq, Debug)]
    struct T<'a> {
        a: &'a str,
        b: BTreeMap<String, u8>,
    }
    let json = r#"{"a":"first","b":{"k":1,"\u006b":2,"l":3},"z":{"q":1,"q":[]},"z":0,"a":"last"}"#;
    // The same entries, with the escape resolved, as MessagePack.
    let packed = common::hex("85a161a56669727374a16283a16b01a16b02a16c03a17a82a17101a17190a17a00a161a46c617374");
    for (format, bytes) in [(Format::Json, json.as_bytes()), (Format::MessagePack, &packed[..])] {
        for (policy, a, k) in [("last", "last", 2), ("first", "first", 1)] {
            let o = options(&[("duplicate_keys", Setting::Str(policy))]);
            let t: T<'_> = samewire::from_slice_with(format, bytes, &o).unwrap();
            assert_eq!(t, T { a, b: [("k".into(), k), ("l".into(), 3)].into() }, "{format:?} {policy}");
            let value: Value = samewire::from_slice_with(format, bytes, &o).unwrap();
            assert_eq!(value, samewire::transcode::from_slice(format, bytes, &o).unwrap());
        }
        assert_eq!(from_slice::<T<'_>>(format, bytes).unwrap_err().code(), Code::DuplicateKey);
    }
    // A fault of the type before a fault of the format wins, and has its place.
    let o = options(&[("duplicate_keys", Setting::Str("last"))]);
    let e = samewire::from_slice_with::<T<'_>>(Format::Json, br#"{"b":1,"a":"x","b":{"k":true},"c":tru}"#, &o);
    let e = e.unwrap_err();
    assert_eq!((e.code(), e.offset()), (Code::TypeMismatch, Some(24)), "{e}");
    let e = samewire::from_slice_with::<T<'_>>(Format::MessagePack, &common::hex("82a16105a162c1"), &o).unwrap_err();
    assert_eq!((e.code(), e.offset(), e.path()), (Code::TypeMismatch, Some(3), "/a"), "{e}");
}

#[test]
fn text_is_borrowed_where_it_can_be() {
    #[derive(Deserialize)]
    struct B<'a> {
        #[serde(borrow)]
        s: &'a str,
    }
    let json = br#"{"s":"plain"}"#;
    let b: B<'_> = from_slice(Format::Json, json).unwrap();
    assert!(json.as_ptr_range().contains(&b.s.as_ptr()));
    assert_eq!(from_slice::<B<'_>>(Format::Json, br#"{"s":"\n"}"#).err().unwrap().code(), Code::TypeMismatch);
}

#[test]
fn depth_is_bounded_both_ways() {
    #[derive(Serialize, Deserialize, Debug)]
    struct Nest(Vec<Nest>);
    let mut deep = Nest(vec![]);
    for _ in 0..511 {
        deep = Nest(vec![deep]);
    }
    for format in Format::ALL {
        let bytes = to_vec(format, &deep).unwrap();
        from_slice::<Nest>(format, &bytes).unwrap();
    }
    let deeper = Nest(vec![deep]);
    for format in Format::ALL {
        assert_eq!(to_vec(format, &deeper).unwrap_err().code(), Code::DepthExceeded);
    }
    assert_eq!(
        from_slice::<Nest>(Format::Json, "[".repeat(100_000).as_bytes()).unwrap_err().code(),
        Code::DepthExceeded
    );
    assert_eq!(from_slice::<Nest>(Format::MessagePack, &[0x91; 100_000]).unwrap_err().code(), Code::DepthExceeded);
}

proptest! {
    #[test]
    fn any_value_goes_through_serde(v in common::value()) {
        let bytes = to_vec(Format::MessagePack, &v).unwrap();
        prop_assert_eq!(&from_slice::<Value>(Format::MessagePack, &bytes).unwrap(), &v);
        let plain = samewire::transcode::to_vec(Format::MessagePack, &v, &Options::default()).unwrap();
        prop_assert_eq!(bytes, plain);
        if let Ok(text) = samewire::transcode::to_vec(Format::Json, &v, &Options::default()) {
            prop_assert_eq!(&to_vec(Format::Json, &v).unwrap(), &text);
            let theirs: serde_json::Value = serde_json::from_slice(&text).unwrap();
            let through: serde_json::Value = from_slice(Format::Json, &text).unwrap();
            prop_assert_eq!(through, theirs);
        }
    }

    #[test]
    fn broken_bytes_fail_as_in_the_readers(v in common::value(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = to_vec(Format::MessagePack, &v).unwrap();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let ours = samewire::transcode::from_slice(Format::MessagePack, &bytes, &Options::default());
        let serde = from_slice::<Value>(Format::MessagePack, &bytes);
        match (ours, serde) {
            (Ok(_), Ok(_)) => {}
            (Err(a), Err(b)) => prop_assert_eq!((a.code(), a.offset(), a.path()), (b.code(), b.offset(), b.path())),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn keys_that_serde_makes_text_of_are_text() {
    use std::net::{IpAddr, Ipv4Addr};
    #[derive(Serialize, Deserialize, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
    enum Unit {
        Ms,
    }
    let letters: BTreeMap<char, u8> = [('é', 1)].into();
    let units: BTreeMap<Unit, u8> = [(Unit::Ms, 2)].into();
    let hosts: BTreeMap<IpAddr, u8> = [(IpAddr::V4(Ipv4Addr::LOCALHOST), 3)].into();
    assert_eq!(to_vec(Format::Json, &letters).unwrap(), "{\"é\":1}".as_bytes());
    assert_eq!(to_vec(Format::Json, &units).unwrap(), br#"{"Ms":2}"#);
    assert_eq!(to_vec(Format::Json, &hosts).unwrap(), br#"{"127.0.0.1":3}"#);
    assert_eq!(to_vec(Format::MessagePack, &letters).unwrap(), common::hex("81a2c3a901"));
    assert_eq!(from_slice::<BTreeMap<char, u8>>(Format::Json, "{\"é\":1}".as_bytes()).unwrap(), letters);
    assert_eq!(from_slice::<BTreeMap<Unit, u8>>(Format::Json, br#"{"Ms":2}"#).unwrap(), units);
    assert_eq!(from_slice::<BTreeMap<IpAddr, u8>>(Format::Json, br#"{"127.0.0.1":3}"#).unwrap(), hosts);
    // Others are what map_keys says, and an array as a key is no different.
    let pairs: BTreeMap<(u8, bool), u8> = [((1, true), 4)].into();
    assert_eq!(to_vec(Format::MessagePack, &pairs).unwrap_err().code(), Code::MapKeyType);
    let o = options(&[("map_keys", Setting::Str("any"))]);
    let bytes = samewire::to_vec_with(Format::MessagePack, &pairs, &o).unwrap();
    assert_eq!(bytes, common::hex("819201c304"));
    // The path names the key, also of one that came by itself.
    let bad: BTreeMap<char, f64> = [('x', f64::NAN)].into();
    let e = to_vec(Format::Json, &bad).unwrap_err();
    assert_eq!((e.code(), e.path()), (Code::NonFiniteNumber, "/x"));
}
