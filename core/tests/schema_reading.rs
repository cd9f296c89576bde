//! Reading, writing and transcoding with a schema, row by row of the reading table.

use samewire::schema::Schema;
use samewire::value::Builder;
use samewire::{Error, Format, Options, Value, json, msgpack};

fn schema(text: &str) -> Schema {
    Schema::from_json(text.as_bytes()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn options(set: &[(&str, samewire::options::Setting<'_>)]) -> Options {
    let mut o = Options::default();
    for (name, value) in set {
        o.set(name, *value).unwrap();
    }
    o
}

fn value(text: &str) -> Value {
    json::read(text.as_bytes(), &Options::default(), &mut Builder).unwrap()
}

fn pack(v: &Value) -> Vec<u8> {
    let mut w = msgpack::Writer::new(
        samewire::buffer::Buffer::with_capacity(16),
        &Options { map_keys: samewire::options::MapKeys::Any, ..Options::default() },
    );
    v.visit(&mut w).unwrap();
    w.into_buffer().into_vec()
}

/// Reads JSON text and, as MessagePack, the same value; both must agree.
fn read(s: &Schema, text: &str, o: &Options) -> Result<Value, Error> {
    let from_json = s.read(Format::Json, text.as_bytes(), o, &mut Builder);
    let from_msgpack = s.read(Format::MessagePack, &pack(&value(text)), o, &mut Builder);
    match (&from_json, &from_msgpack) {
        (Ok(a), Ok(b)) => assert_eq!(a, b, "{text}"),
        (Err(a), Err(b)) => assert_eq!((a.code(), a.path()), (b.code(), b.path()), "{text}"),
        (a, b) => panic!("{text}: JSON {a:?}, MessagePack {b:?}"),
    }
    from_json
}

fn reads(s: &str, text: &str) -> Value {
    read(&schema(s), text, &Options::default()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// `code path`
fn fails(s: &str, text: &str) -> String {
    let e = read(&schema(s), text, &Options::default()).expect_err(text);
    format!("{} {}", e.code(), e.path())
}

const USER: &str = r#"{"type":"object","properties":{
    "id":{"type":"integer","format":"int64"},
    "name":{"type":"string","aliases":["title"]},
    "score":{"type":"number","default":1},
    "tags":{"type":"array","items":{"type":"string"}}
},"required":["id","name"],"reserved":["old"]}"#;

#[test]
fn fields_defaults_and_absence() {
    assert_eq!(reads(USER, r#"{"id":1,"name":"a"}"#), value(r#"{"id":1,"name":"a","score":1.0}"#));
    assert_eq!(
        reads(USER, r#"{"name":"a","id":1,"score":2,"tags":[]}"#),
        value(r#"{"name":"a","id":1,"score":2.0,"tags":[]}"#)
    );
    assert_eq!(fails(USER, r#"{"id":1}"#), "missing-field ");
    assert_eq!(fails(USER, r#"{"id":1,"name":7}"#), "type-mismatch /name");
    assert_eq!(fails(USER, r#"{"id":1,"name":"x","tags":["a",null]}"#), "type-mismatch /tags/1");
    // The first in data order: a bad field before a missing one.
    assert_eq!(fails(USER, r#"{"id":"x"}"#), "type-mismatch /id");
    assert_eq!(fails(USER, r#"[1]"#), "type-mismatch ");
}

#[test]
fn aliases() {
    assert_eq!(reads(USER, r#"{"id":1,"title":"a"}"#), value(r#"{"id":1,"name":"a","score":1.0}"#));
    assert_eq!(fails(USER, r#"{"id":1,"title":"a","name":"b"}"#), "duplicate-key /name");
}

#[test]
fn unknown_fields() {
    let text = r#"{"id":1,"extra":[1,{"a":2}],"name":"a","old":3}"#;
    assert_eq!(reads(USER, text), value(r#"{"id":1,"name":"a","score":1.0}"#));
    let strict = options(&[("unknown_fields", samewire::options::Setting::Str("error"))]);
    let e = read(&schema(USER), text, &strict).unwrap_err();
    assert_eq!((e.code().as_str(), e.path()), ("unknown-field", "/extra"));
    // A reserved one never is an error.
    read(&schema(USER), r#"{"id":1,"name":"a","old":3}"#, &strict).unwrap();
    let few = options(&[("max_unknown_fields", samewire::options::Setting::Int(1))]);
    let e = read(&schema(USER), text, &few).unwrap_err();
    assert_eq!((e.code().as_str(), e.path()), ("too-many-unknown-fields", "/old"));
    // Faults inside an unknown field are found all the same.
    let e = schema(USER).validate(Format::Json, br#"{"id":1,"extra":[01]}"#, &Options::default()).unwrap_err();
    assert_eq!(e.code().as_str(), "invalid-syntax");
}

#[test]
fn kept_fields_survive_a_hop() {
    let keep = options(&[("unknown_fields", samewire::options::Setting::Str("keep"))]);
    let newer = schema(
        r#"{"properties":{"id":{"type":"integer"},"new":{"type":"array"},"name":{"type":"string"},"z":{"type":"number","format":"float"}}}"#,
    );
    let older = schema(r#"{"properties":{"id":{"type":"integer"},"name":{"type":"string"}}}"#);
    let v = value(r#"{"id":1,"new":[1.5,300,"x",null],"name":"a","z":0.5}"#);
    let bytes = newer.write(Format::MessagePack, &v, &Options::default()).unwrap();
    let again = older.transcode(&bytes, Format::MessagePack, Format::MessagePack, &keep).unwrap();
    assert_eq!(again, bytes, "float32 and places included");
    let text = older.transcode(&bytes, Format::MessagePack, Format::Json, &keep).unwrap();
    assert_eq!(String::from_utf8(text.clone()).unwrap(), r#"{"id":1,"new":[1.5,300,"x",null],"name":"a","z":0.5}"#);
    let odd = br#"{"new": [ 1.50 ,{}], "name":"a","id":1}"#;
    let kept = older.transcode(odd, Format::Json, Format::Json, &keep).unwrap();
    assert_eq!(String::from_utf8(kept).unwrap(), r#"{"new":[ 1.50 ,{}],"id":1,"name":"a"}"#);
    // Where nothing has a place for them, they are not lost in silence.
    let e = older.read(Format::Json, odd, &keep, &mut Builder).unwrap_err();
    assert_eq!(e.code().as_str(), "invalid-state");
}

#[test]
fn numbers() {
    assert_eq!(reads(r#"{"type":"number"}"#, "3"), Value::Float(3.0));
    assert_eq!(reads(r#"{"type":"integer"}"#, "3.0"), Value::Int(3));
    assert_eq!(reads(r#"{"type":"integer"}"#, "1e3"), Value::Int(1000));
    assert_eq!(reads(r#"{"type":"integer"}"#, "9007199254740994.0"), Value::Int(9007199254740994));
    assert_eq!(fails(r#"{"type":"integer"}"#, "3.5"), "type-mismatch ");
    assert_eq!(fails(r#"{"type":"integer"}"#, "-0.0"), "type-mismatch ");
    assert_eq!(fails(r#"{"type":"number"}"#, "9007199254740993"), "number-out-of-range ");
    assert_eq!(fails(r#"{"type":"number"}"#, r#""3""#), "type-mismatch ");
    assert_eq!(
        reads(r#"{"anyOf":[{"type":"integer"},{"type":"number"}]}"#, "[3]".trim_matches(['[', ']'])),
        Value::Int(3)
    );
    for (format, good, bad) in [
        ("int8", "-128", "128"),
        ("uint8", "255", "-1"),
        ("int16", "32767", "32768"),
        ("uint16", "65535", "65536"),
        ("int32", "-2147483648", "2147483648"),
        ("uint32", "4294967295", "4294967296"),
        ("int64", "-9223372036854775808", "9223372036854775808"),
        ("uint64", "18446744073709551615", "-1"),
    ] {
        let s = format!(r#"{{"type":"integer","format":"{format}"}}"#);
        reads(&s, good);
        assert_eq!(fails(&s, bad), "integer-out-of-range ", "{format}");
    }
    let big = schema(r#"{"type":"integer","format":"uint64"}"#);
    let e = big.validate(Format::Json, b"18446744073709551616", &Options::default()).unwrap_err();
    assert_eq!(e.code().as_str(), "integer-out-of-range");
    // The range of the kind before the constraint, the constraint by its own code.
    assert_eq!(fails(r#"{"type":"integer","format":"int8","maximum":5}"#, "300"), "integer-out-of-range ");
    assert_eq!(fails(r#"{"type":"integer","format":"int8","maximum":5}"#, "6"), "constraint-violated ");
    assert_eq!(fails(r#"{"type":"number","multipleOf":0.01}"#, "0.005"), "constraint-violated ");
    reads(r#"{"type":"number","multipleOf":0.01}"#, "19.99");
    // JSON text beyond 2^53 counts by its digits.
    let s = schema(r#"{"type":"integer"}"#);
    let v = s.read(Format::Json, b"9007199254740993.0", &Options::default(), &mut Builder).unwrap();
    assert_eq!(v, Value::Int(9007199254740993));
}

#[test]
fn float32() {
    let s = schema(r#"{"type":"number","format":"float"}"#);
    let o = Options::default();
    let bytes = s.transcode(b"0.1", Format::Json, Format::MessagePack, &o).unwrap();
    assert_eq!(bytes, [0xca, 0x3d, 0xcc, 0xcc, 0xcd]);
    assert_eq!(s.transcode(&bytes, Format::MessagePack, Format::Json, &o).unwrap(), b"0.1");
    let double = pack(&Value::Float(0.1));
    assert_eq!(s.validate(Format::MessagePack, &double, &o).unwrap_err().code().as_str(), "number-out-of-range");
    let round = options(&[("float32", samewire::options::Setting::Str("round"))]);
    s.validate(Format::MessagePack, &double, &round).unwrap();
    assert_eq!(s.validate(Format::Json, b"1e39", &o).unwrap_err().code().as_str(), "number-out-of-range");
    // Rounded once: the nearest binary64 of this text lies half way between two binary32.
    let bytes = s.transcode(b"1.00000017881393432617187501", Format::Json, Format::MessagePack, &o).unwrap();
    assert_eq!(bytes[1..], 1.000_000_2_f32.to_bits().to_be_bytes());
}

#[test]
fn timestamps_and_bin_by_format() {
    let s = schema(
        r#"{"properties":{"at":{"type":"string","format":"date-time"},"data":{"type":"string","contentEncoding":"base64"}}}"#,
    );
    let o = Options::default();
    let text = br#"{"at":"2024-02-29T12:00:00.000000001Z","data":"AQID"}"#;
    let bytes = s.transcode(text, Format::Json, Format::MessagePack, &o).unwrap();
    let v = msgpack::read(&bytes, &o, &mut Builder).unwrap();
    assert!(matches!(v.get("at"), Some(Value::Timestamp(t)) if t.nanoseconds() == 1));
    assert_eq!(v.get("data"), Some(&Value::Bin(vec![1, 2, 3])));
    assert_eq!(s.transcode(&bytes, Format::MessagePack, Format::Json, &o).unwrap(), text);
    let e = s.validate(Format::Json, br#"{"at":"yesterday"}"#, &o).unwrap_err();
    assert_eq!((e.code().as_str(), e.path(), e.offset()), ("invalid-timestamp", "/at", Some(6)));
    let e = s.validate(Format::Json, br#"{"data":"A"}"#, &o).unwrap_err();
    assert_eq!((e.code().as_str(), e.path()), ("invalid-base64", "/data"));
    let e = s.validate(Format::MessagePack, &pack(&value(r#"{"at":"2024-02-29T12:00:00Z"}"#)), &o).unwrap_err();
    assert_eq!((e.code().as_str(), e.path()), ("type-mismatch", "/at"));
}

#[test]
fn enums_and_fallback() {
    let s = r#"{"enum":["red","green"]}"#;
    reads(s, r#""red""#);
    assert_eq!(fails(s, r#""blue""#), "unknown-variant ");
    assert_eq!(fails(s, "7"), "type-mismatch ");
    assert_eq!(reads(r#"{"enum":["red","other"],"fallback":"other"}"#, r#""blue""#), Value::Str("other".into()));
    assert_eq!(reads(r#"{"type":"integer","enum":[1,0],"fallback":0}"#, "9"), Value::Int(0));
    assert_eq!(fails(r#"{"const":true}"#, "false"), "unknown-variant ");
    // TypeBox and schemars write unions of constants.
    let s = r#"{"anyOf":[{"const":"a","type":"string"},{"const":"b","type":"string"},{"type":"null"}]}"#;
    reads(s, r#""b""#);
    reads(s, "null");
    assert_eq!(fails(s, r#""c""#), "unknown-variant ");
}

const SHAPES: &str = r##"{"oneOf":[{"$ref":"#/$defs/Circle"},{"$ref":"#/$defs/Square"}],
  "discriminator":{"propertyName":"kind","mapping":{"circle":"#/$defs/Circle","square":"#/$defs/Square"}},
  "$defs":{
    "Circle":{"type":"object","properties":{"kind":{"const":"circle"},"r":{"type":"number"}},"required":["kind","r"]},
    "Square":{"type":"object","properties":{"kind":{"const":"square"},"side":{"type":"integer"},"of":{"$ref":"#"}},"required":["kind","side"]}}}"##;

#[test]
fn unions_by_tag() {
    assert_eq!(reads(SHAPES, r#"{"kind":"circle","r":1}"#), value(r#"{"kind":"circle","r":1.0}"#));
    // The tag after other fields: they are held until it comes, and keep their order.
    assert_eq!(reads(SHAPES, r#"{"r":1,"kind":"circle"}"#), value(r#"{"r":1.0,"kind":"circle"}"#));
    assert_eq!(
        reads(SHAPES, r#"{"of":{"r":2,"x":1,"kind":"circle"},"side":1,"kind":"square"}"#),
        value(r#"{"of":{"r":2.0,"kind":"circle"},"side":1,"kind":"square"}"#)
    );
    assert_eq!(fails(SHAPES, r#"{"r":1}"#), "missing-field ");
    assert_eq!(fails(SHAPES, r#"{"kind":"star"}"#), "unknown-variant /kind");
    assert_eq!(fails(SHAPES, r#"{"kind":1}"#), "type-mismatch /kind");
    assert_eq!(fails(SHAPES, r#"{"of":{"r":"2","kind":"circle"},"side":1,"kind":"square"}"#), "type-mismatch /of/r");
    assert_eq!(fails(SHAPES, r#"{"of":{"kind":"circle"},"side":1,"kind":"square"}"#), "missing-field /of");
    // The tag found by the constants alone.
    let inferred = r#"{"anyOf":[{"type":"object","properties":{"t":{"const":"a"},"x":{"type":"integer"}},"required":["t"]},
        {"type":"object","properties":{"t":{"const":"b"},"x":{"type":"string"}},"required":["t"]},{"type":"null"}]}"#;
    reads(inferred, r#"{"x":"s","t":"b"}"#);
    reads(inferred, "null");
    assert_eq!(fails(inferred, r#"{"x":"s","t":"a"}"#), "type-mismatch /x");
    // serde's external tags.
    let external = r#"{"oneOf":[{"type":"object","properties":{"A":{"type":"integer"}},"required":["A"],"additionalProperties":false},
        {"type":"object","properties":{"B":{"type":"string"}},"required":["B"],"additionalProperties":false},{"type":"string","enum":["C"]}]}"#;
    reads(external, r#"{"B":"x"}"#);
    reads(external, r#""C""#);
    assert_eq!(fails(external, "{}"), "constraint-violated ");
    assert_eq!(fails(external, r#"{"A":1,"B":"x"}"#), "constraint-violated ");
}

#[test]
fn union_fallback() {
    let s = SHAPES.replacen("\"discriminator\"", "\"fallback\":\"circle\",\"discriminator\"", 1);
    assert_eq!(reads(&s, r#"{"kind":"star","r":3,"points":5}"#), value(r#"{"kind":"circle","r":3.0}"#));
}

#[test]
fn late_tags_cannot_nest_without_end() {
    let mut text = r#"{"kind":"circle","r":1}"#.to_string();
    for _ in 0..60 {
        text = format!(r#"{{"of":{text},"side":1,"kind":"square"}}"#);
    }
    assert_eq!(
        schema(SHAPES).validate(Format::Json, text.as_bytes(), &Options::default()).unwrap_err().code().as_str(),
        "depth-exceeded"
    );
}

#[test]
fn maps_and_their_keys() {
    let s = r#"{"type":"object","additionalProperties":{"type":"number"}}"#;
    assert_eq!(reads(s, r#"{"a":1}"#), value(r#"{"a":1.0}"#));
    assert_eq!(fails(s, r#"{"a":"x"}"#), "type-mismatch /a");
    let ints =
        schema(r#"{"type":"object","propertyNames":{"type":"integer"},"additionalProperties":{"type":"string"}}"#);
    let o = Options::default();
    let v = Value::Map(vec![(Value::Int(-7), Value::Str("x".into()))]);
    assert_eq!(ints.write(Format::Json, &v, &o).unwrap(), br#"{"-7":"x"}"#);
    assert_eq!(ints.write(Format::MessagePack, &v, &o).unwrap(), [0x81, 0xf9, 0xa1, b'x']);
    assert_eq!(ints.read(Format::Json, br#"{"-7":"x"}"#, &o, &mut Builder).unwrap(), v);
    assert_eq!(ints.read(Format::MessagePack, &[0x81, 0xf9, 0xa1, b'x'], &o, &mut Builder).unwrap(), v);
    for bad in [&br#"{"07":"x"}"#[..], br#"{"a":"x"}"#, br#"{"1.0":"x"}"#] {
        assert_eq!(ints.validate(Format::Json, bad, &o).unwrap_err().code().as_str(), "map-key-type");
    }
    let e = schema(USER).validate(Format::MessagePack, &[0x81, 0x01, 0x02], &o).unwrap_err();
    assert_eq!(e.code().as_str(), "map-key-type");
    let keyed = r#"{"type":"object","propertyNames":{"type":"string","pattern":"^[a-z]+$"}}"#;
    reads(keyed, r#"{"abc":1}"#);
    assert_eq!(fails(keyed, r#"{"aB":1}"#), "constraint-violated /aB");
}

#[test]
fn arrays_and_tuples() {
    let s = r#"{"type":"array","prefixItems":[{"type":"string"},{"type":"number"}],"items":false,"minItems":2}"#;
    assert_eq!(reads(s, r#"["a",1]"#), value(r#"["a",1.0]"#));
    assert_eq!(fails(s, r#"["a"]"#), "constraint-violated ");
    assert_eq!(fails(s, r#"["a",1,2]"#), "constraint-violated ");
    assert_eq!(fails(s, r#"[1]"#), "type-mismatch /0");
    assert_eq!(fails(r#"{"items":{"items":{"type":"integer"}}}"#, r#"[[1],["x"]]"#), "type-mismatch /1/0");
}

#[test]
fn closed_records_and_typed_extras() {
    let closed = r#"{"properties":{"a":{}},"additionalProperties":false,"reserved":["r"]}"#;
    assert_eq!(fails(closed, r#"{"b":1}"#), "unknown-field /b");
    assert_eq!(reads(closed, r#"{"r":1,"a":2}"#), value(r#"{"a":2}"#));
    let typed = r#"{"properties":{"a":{}},"additionalProperties":{"type":"number"}}"#;
    assert_eq!(reads(typed, r#"{"b":1,"a":2}"#), value(r#"{"b":1.0,"a":2}"#));
    assert_eq!(fails(typed, r#"{"b":"1"}"#), "type-mismatch /b");
}

#[test]
fn recursion_and_nullable_forms() {
    let tree = r##"{"$ref":"#/$defs/Node","$defs":{"Node":{"type":"object","properties":{"v":{"type":"integer"},
        "kids":{"type":"array","items":{"$ref":"#/$defs/Node"}},"next":{"anyOf":[{"$ref":"#/$defs/Node"},{"type":"null"}]}}}}}"##;
    reads(tree, r#"{"v":1,"kids":[{"v":2,"kids":[]}],"next":{"v":3,"next":null}}"#);
    assert_eq!(fails(tree, r#"{"kids":[{"next":{"v":"x"}}]}"#), "type-mismatch /kids/0/next/v");
    for s in [
        r#"{"type":["string","null"]}"#,
        r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#,
        r#"{"oneOf":[{"type":"null"},{"type":"string"}]}"#,
        r#"{"type":"string","nullable":true}"#,
        r##"{"allOf":[{"$ref":"#/$defs/S"}],"nullable":true,"$defs":{"S":{"type":"string"}}}"##,
        r##"{"$ref":"#/$defs/S","nullable":true,"$defs":{"S":{"type":"string"}}}"##,
        r#"{"enum":["x",null]}"#,
    ] {
        reads(s, "null");
        reads(s, r#""x""#);
        assert_eq!(fails(s, "1"), "type-mismatch ", "{s}");
    }
}

#[test]
fn many_fields() {
    let names: Vec<String> = (0..200).map(|i| format!("f{i}")).collect();
    let props: Vec<String> = names.iter().map(|n| format!(r#""{n}":{{"type":"integer"}}"#)).collect();
    let required: Vec<String> = names.iter().map(|n| format!(r#""{n}""#)).collect();
    let s = format!(r#"{{"properties":{{{}}},"required":[{}]}}"#, props.join(","), required.join(","));
    let mut entries: Vec<String> = names.iter().enumerate().map(|(i, n)| format!(r#""{n}":{i}"#)).collect();
    reads(&s, &format!("{{{}}}", entries.join(",")));
    entries.reverse();
    reads(&s, &format!("{{{}}}", entries.join(",")));
    entries.pop();
    assert_eq!(fails(&s, &format!("{{{}}}", entries.join(","))), "missing-field ");
}

#[test]
fn writing() {
    let s = schema(USER);
    let o = Options::default();
    let v = value(r#"{"tags":["x"],"score":1,"name":"a","id":5}"#);
    let ordered = r#"{"id":5,"name":"a","score":1.0,"tags":["x"]}"#;
    assert_eq!(String::from_utf8(s.write(Format::Json, &v, &o).unwrap()).unwrap(), ordered);
    assert_eq!(s.write(Format::MessagePack, &v, &o).unwrap(), pack(&value(ordered)));
    let indented = options(&[("indent", samewire::options::Setting::Int(2))]);
    assert_eq!(
        String::from_utf8(s.write(Format::Json, &value(r#"{"name":"a","id":5}"#), &indented).unwrap()).unwrap(),
        "{\n  \"id\": 5,\n  \"name\": \"a\"\n}"
    );
    let sparse = options(&[("omit_defaults", samewire::options::Setting::Bool(true))]);
    assert_eq!(
        s.write(Format::Json, &value(r#"{"score":1,"name":"a","id":5}"#), &sparse).unwrap(),
        br#"{"id":5,"name":"a"}"#
    );
    assert_eq!(
        s.write(Format::Json, &value(r#"{"score":2,"name":"a","id":5}"#), &sparse).unwrap(),
        br#"{"id":5,"name":"a","score":2.0}"#
    );
    let error = |text: &str| {
        let e = s.write(Format::MessagePack, &value(text), &o).unwrap_err();
        format!("{} {}", e.code(), e.path())
    };
    assert_eq!(error(r#"{"id":1,"name":"a","other":1}"#), "unknown-field /other");
    assert_eq!(error(r#"{"id":1,"title":"a"}"#), "unknown-field /title");
    assert_eq!(error(r#"{"id":1}"#), "missing-field ");
    assert_eq!(error(r#"{"id":1,"name":"a","tags":["x",1]}"#), "type-mismatch /tags/1");
    // A tag that comes late in the host's own order is written in the schema's.
    let shapes = schema(SHAPES);
    let v = value(r#"{"side":2,"of":{"r":1,"kind":"circle"},"kind":"square"}"#);
    assert_eq!(
        String::from_utf8(shapes.write(Format::Json, &v, &o).unwrap()).unwrap(),
        r#"{"kind":"square","side":2,"of":{"kind":"circle","r":1.0}}"#
    );
    let e = shapes
        .write(Format::Json, &value(r#"{"side":2,"of":{"r":"1","kind":"circle"},"kind":"square"}"#), &o)
        .unwrap_err();
    assert_eq!((e.code().as_str(), e.path()), ("type-mismatch", "/of/r"));
}

#[test]
fn nested_defaults_are_filled_in() {
    let s = r#"{"properties":{"a":{"type":"object","default":{},"properties":{"b":{"type":"string","format":"date-time","default":"2024-01-01T00:00:00Z"},"c":{"type":"integer","default":2.0}}}}}"#;
    let v = reads(s, "{}");
    assert!(matches!(v.get("a").unwrap().get("b"), Some(Value::Timestamp(_))));
    assert_eq!(v.get("a").unwrap().get("c"), Some(&Value::Int(2)));
    let endless = r##"{"properties":{"a":{"$ref":"#","default":{}},"b":{"$ref":"#","default":{}}}}"##;
    assert_eq!(Schema::from_json(endless.as_bytes()).unwrap_err().code().as_str(), "invalid-schema");
}
