//! JSON through the public API: every error with offset and path, every policy and option.

use samewire::buffer::Buffer;
use samewire::json::{self, Writer};
use samewire::options::{Options, Setting};
use samewire::time::Timestamp;
use samewire::value::Builder;
use samewire::visit::{Demand, Nothing, Reader as _, Visitor};
use samewire::{Code, Error, Value};

fn options(set: &[(&str, Setting<'_>)]) -> Options {
    let mut o = Options::default();
    for (name, value) in set {
        o.set(name, *value).unwrap();
    }
    o
}

fn decode(text: &[u8], o: &Options) -> Result<Value, Error> {
    // In memory of exactly its size, so that sanitizers see a read past the end.
    let text: &[u8] = &Box::<[u8]>::from(text);
    let built = json::read(text, o, &mut Builder);
    // Validation must find the same errors as building.
    let checked = json::read(text, o, &mut Nothing);
    match (&built, &checked) {
        (Ok(_), Ok(())) => {}
        (Err(a), Err(b)) => assert_eq!((a.code(), a.offset(), a.path()), (b.code(), b.offset(), b.path())),
        other => panic!("{other:?}"),
    }
    built
}

fn encode(value: &Value, o: &Options) -> Result<String, Error> {
    let mut w = Writer::new(Buffer::with_capacity(0), o);
    value.visit(&mut w)?;
    w.finish();
    Ok(String::from_utf8(w.into_buffer().into_vec()).unwrap())
}

#[track_caller]
fn fails_with(text: &[u8], set: &[(&str, Setting<'_>)], code: Code, offset: usize, path: &str) {
    let e = decode(text, &options(set)).unwrap_err();
    assert_eq!((e.code(), e.offset(), e.path()), (code, Some(offset), path), "{}: {e}", text.escape_ascii());
}

#[track_caller]
fn fails(text: &str, code: Code, offset: usize, path: &str) {
    fails_with(text.as_bytes(), &[], code, offset, path);
}

#[test]
fn cut_short() {
    use Code::Truncated;
    for (text, path) in [
        ("", ""),
        ("  ", ""),
        ("[", ""),
        ("[ ", ""),
        ("[1", ""),
        ("[1,", "/1"),
        ("[1, ", "/1"),
        ("[[", "/0"),
        ("[[],[", "/1"),
        ("{", ""),
        ("{\"", ""),
        ("{\"a", ""),
        ("{\"a\"", "/a"),
        ("{\"a\":", "/a"),
        ("{\"a\":1", ""),
        ("{\"a\":1,", ""),
        ("{\"a\":[{\"b~/\":", "/a/0/b~0~1"),
        ("\"abc", ""),
        ("[\"abc", "/0"),
        ("[\"abc\\", "/0"),
        ("[\"\\u12", "/0"),
        ("[\"\\ud800", "/0"),
        ("[\"\\ud800\\", "/0"),
        ("[\"\\ud800\\u", "/0"),
        ("[\"\\ud800\\udc0", "/0"),
        ("[true,fal", "/1"),
        ("[nul", "/0"),
        ("t", ""),
        ("[-", "/0"),
        ("[10.", "/0"),
        ("[1e", "/0"),
        ("[1e-", "/0"),
    ] {
        fails(text, Truncated, text.len(), path);
    }
    fails_with(b"[\"ab\xe2\x82", &[], Truncated, 6, "/0");
}

#[test]
fn wrong_bytes() {
    use Code::InvalidSyntax;
    for (text, offset, path) in [
        ("x", 0, ""),
        ("[x", 1, "/0"),
        ("[,", 1, "/0"),
        ("[1,]", 3, "/1"),
        ("[1 2]", 3, ""),
        ("[1}", 2, ""),
        ("[1:2]", 2, ""),
        ("{,", 1, ""),
        ("{1:1}", 1, ""),
        ("{\"a\" 1}", 5, ""),
        ("{\"a\":}", 5, "/a"),
        ("{\"a\":1 \"b\"", 7, ""),
        ("{\"a\":1,}", 7, ""),
        ("{\"a\":1]", 6, ""),
        ("{'a':1}", 1, ""),
        ("[trux", 4, "/0"),
        ("[nulL", 4, "/0"),
        ("[True]", 1, "/0"),
        ("[NaN]", 1, "/0"),
        ("[01]", 2, "/0"),
        ("[1.]", 3, "/0"),
        ("[.5]", 1, "/0"),
        ("[+1]", 1, "/0"),
        ("[1.e3]", 3, "/0"),
        ("[-x]", 2, "/0"),
        ("[1e+]", 4, "/0"),
        ("[\"\\x\"]", 3, "/0"),
        ("[\"\\u12g4\"]", 6, "/0"),
        ("[\"a\nb\"]", 3, "/0"),
        ("{\"a\tb\":1}", 3, ""),
        ("[1,\u{a0}2]", 3, "/1"),
        ("\u{feff}[1]", 0, ""),
        ("[1]\u{feff}", 3, ""),
        ("[\u{feff}]", 1, "/0"),
        ("\0", 0, ""),
        ("[\0]", 1, "/0"),
        ("[1\0]", 2, ""),
        ("/*c*/1", 0, ""),
    ] {
        let code = if text.starts_with("[1]") { Code::TrailingData } else { InvalidSyntax };
        fails(text, code, offset, path);
    }
    let e = decode("\u{feff}[1]".as_bytes(), &Options::default()).unwrap_err();
    assert!(e.message().contains("byte order mark"), "{e}");
    let e = decode(b"[1, 2 x]", &Options::default()).unwrap_err();
    assert_eq!(e.message(), "expected ',' or ']', found 'x'");
}

#[test]
fn trailing_data() {
    for (text, offset) in [("1 2", 2), ("[] ]", 3), ("null\n{}", 5), ("1,", 1)] {
        fails(text, Code::TrailingData, offset, "");
    }
    decode(b" \t\r\n[ ] \n", &Options::default()).unwrap();
}

#[test]
fn text_that_is_not_utf8() {
    for (text, offset, path) in [
        (&b"[\"a\xffb\"]"[..], 3, "/0"),
        (b"[\"\xc3\"]", 2, "/0"),
        (b"[\"ok\", \"0123456789abcdef0123\xed\xa0\x80\"]", 28, "/1"),
        (b"{\"a\":\"\xc0\x80\"}", 6, "/a"),
        (b"{\"\xff\":1}", 2, ""),
        // Before another fault of the same string.
        (b"[\"\xff\n\"]", 2, "/0"),
        (b"[\"\xe2\x82\\n\"]", 2, "/0"),
        (b"[\"\xff", 2, "/0"),
        (b"[\"\\n\xf8\\x\"]", 4, "/0"),
        (b"[\"\xc3\n\"]", 2, "/0"),
    ] {
        fails_with(text, &[], Code::InvalidUtf8, offset, path);
    }
    // After another fault.
    fails_with(b"[\"\n\xff\"]", &[], Code::InvalidSyntax, 2, "/0");
    // Not in a string it is no character at all.
    fails_with(b"[\xff]", &[], Code::InvalidSyntax, 1, "/0");
}

#[test]
fn lone_surrogates() {
    for (text, offset, path) in [
        (r#"["\ud800"]"#, 2, "/0"),
        (r#"["a\udc00"]"#, 3, "/0"),
        (r#"["\ud800\n"]"#, 2, "/0"),
        (r#"["\ud800\u0041"]"#, 2, "/0"),
        (r#"["\uD83D\uD83D\uDE00"]"#, 2, "/0"),
        (r#"{"k":"\ud800x"}"#, 6, "/k"),
        (r#"{"\udfff":1}"#, 2, ""),
        (r#"["\ud800\uzzzz"]"#, 2, "/0"),
    ] {
        fails(text, Code::LoneSurrogate, offset, path);
    }
    let replace = options(&[("lone_surrogates", Setting::Str("replace"))]);
    for (text, expected) in [
        (r#""\ud800""#, "\u{fffd}"),
        (r#""\udc00\ud800x""#, "\u{fffd}\u{fffd}x"),
        (r#""\ud800\u0041""#, "\u{fffd}A"),
        (r#""\ud83d\ud83d\ude00""#, "\u{fffd}\u{1f600}"),
        (r#""\ud800\n""#, "\u{fffd}\n"),
        (r#""\uD83D\uDE00""#, "\u{1f600}"),
    ] {
        assert_eq!(decode(text.as_bytes(), &replace).unwrap(), Value::Str(expected.into()), "{text}");
    }
    fails_with(br#"["\ud800\u12x4"]"#, &[("lone_surrogates", Setting::Str("replace"))], Code::InvalidSyntax, 12, "/0");
}

#[test]
fn duplicate_keys() {
    use Code::DuplicateKey;
    fails(r#"{"a":1,"a":2}"#, DuplicateKey, 7, "/a");
    fails(r#"{"a":1,"\u0061":2}"#, DuplicateKey, 7, "/a");
    fails(r#"{"\n":1,"b":2,"\u000a":3}"#, DuplicateKey, 14, "/\n");
    fails(r#"[{"b":{"x":1,"a":1,"a":2}}]"#, DuplicateKey, 19, "/0/b/a");
    fails(r#"{"":1,"":2}"#, DuplicateKey, 6, "/");
    // The first fault in data order.
    fails(r#"{"a":1,"a":x}"#, DuplicateKey, 7, "/a");
    fails(r#"{"a":x,"a":1}"#, Code::InvalidSyntax, 5, "/a");
    fails(r#"{"a":1,"a"#, Code::Truncated, 9, "");
    decode(br#"{"a":{"a":1},"b":[{"a":1},{"a":1}]}"#, &Options::default()).unwrap();
    let many: String = (0..3000).map(|i| format!("\"k{i}\":{i},")).collect();
    fails(&format!("{{{many}\"k7\":0}}"), DuplicateKey, many.len() + 1, "/k7");
}

#[test]
fn duplicate_policies() {
    let text = br#"{"a":{"x":1,"x":2}, "b" : 2 , "\u0061":[3,{"y":1,"y":2}],"a" : {"z":4,"z":5} ,"c":6}"#;
    let with = |p| {
        encode(&decode(text, &options(&[("duplicate_keys", Setting::Str(p))])).unwrap(), &Options::default()).unwrap()
    };
    assert_eq!(with("last"), r#"{"a":{"z":5},"b":2,"c":6}"#);
    assert_eq!(with("first"), r#"{"a":{"x":1},"b":2,"c":6}"#);
    for p in ["last", "first"] {
        // A fault is found wherever it is, also in what loses.
        fails_with(br#"{"a":1,"a":tru}"#, &[("duplicate_keys", Setting::Str(p))], Code::InvalidSyntax, 14, "/a");
        fails_with(br#"{"a":[1,x],"a":2}"#, &[("duplicate_keys", Setting::Str(p))], Code::InvalidSyntax, 8, "/a/1");
        fails_with(br#"{"a":[1],"a":2} 3"#, &[("duplicate_keys", Setting::Str(p))], Code::TrailingData, 16, "");
        fails_with(b"{\"a\":[1],\"a\":\"\xff\"}", &[("duplicate_keys", Setting::Str(p))], Code::InvalidUtf8, 14, "/a");
    }
}

#[test]
fn limits_on_both_sides() {
    fails_with(b"[[[]]]", &[("max_depth", Setting::Int(2))], Code::DepthExceeded, 2, "/0/0");
    decode(b"[[1]]", &options(&[("max_depth", Setting::Int(2))])).unwrap();
    fails_with(b"{\"a\":{}}", &[("max_depth", Setting::Int(1))], Code::DepthExceeded, 5, "/a");
    fails_with(b"[1,2,3]", &[("max_items", Setting::Int(3))], Code::TooManyItems, 5, "/2");
    fails_with(b"[1,2,]", &[("max_items", Setting::Int(3))], Code::InvalidSyntax, 5, "/2");
    decode(b"[1,2,3]", &options(&[("max_items", Setting::Int(4))])).unwrap();
    fails_with(b"1", &[("max_items", Setting::Int(0))], Code::TooManyItems, 0, "");
    fails_with(b" 10 ", &[("max_bytes", Setting::Int(3))], Code::InputTooLarge, 3, "");
    decode(b" 10 ", &options(&[("max_bytes", Setting::Int(4))])).unwrap();
    fails("[1e400]", Code::NumberOutOfRange, 1, "/0");
    fails("{\"a\":-1e309}", Code::NumberOutOfRange, 5, "/a");
    assert_eq!(decode(b"1e-400", &Options::default()).unwrap(), Value::Float(0.0));
}

/// A visitor that refuses negative integers, and sees decimals as text.
#[derive(Default)]
struct Refusing(Vec<String>);

impl Visitor for Refusing {
    const DECIMALS: bool = true;
    type Value = ();
    type Array = ();
    type Map = ();
    type Key = ();
    fn constant(&mut self, _: samewire::visit::Constant) -> Result<(), Error> {
        Ok(())
    }
    fn int(&mut self, v: i64) -> Result<(), Error> {
        if v < 0 { Err(Error::new(Code::IntegerOutOfRange, "negative")) } else { Ok(()) }
    }
    fn uint(&mut self, _: u64) -> Result<(), Error> {
        Ok(())
    }
    fn bigint(&mut self, _: &str) -> Result<(), Error> {
        Err(Error::new(Code::IntegerOutOfRange, "big"))
    }
    fn float(&mut self, _: f64) -> Result<(), Error> {
        Ok(())
    }
    fn decimal(&mut self, text: &str, value: f64) -> Result<(), Error> {
        self.0.push(format!("{text}={value}"));
        Ok(())
    }
    fn str(&mut self, text: samewire::visit::Text<'_>) -> Result<(), Error> {
        text.to_str().map(drop)
    }
    fn bin(&mut self, _: &[u8]) -> Result<(), Error> {
        Ok(())
    }
    fn timestamp(&mut self, _: Timestamp) -> Result<(), Error> {
        Ok(())
    }
    fn ext(&mut self, _: i8, _: &[u8]) -> Result<(), Error> {
        Ok(())
    }
    fn begin_array(&mut self, _: Option<usize>) -> Result<(), Error> {
        Ok(())
    }
    fn element(&mut self, (): &mut (), (): ()) -> Result<(), Error> {
        Ok(())
    }
    fn end_array(&mut self, (): ()) -> Result<(), Error> {
        Ok(())
    }
    fn begin_map(&mut self, _: Option<usize>) -> Result<(), Error> {
        Ok(())
    }
    fn key(&mut self, (): &mut (), text: samewire::visit::Text<'_>) -> Result<(), Error> {
        if text.to_str()? == "bad" { Err(Error::new(Code::UnknownField, "bad")) } else { Ok(()) }
    }
    fn entry(&mut self, (): &mut (), (): (), (): ()) -> Result<(), Error> {
        Ok(())
    }
    fn end_map(&mut self, (): ()) -> Result<(), Error> {
        Ok(())
    }
}

#[test]
fn a_visitors_errors_get_the_place_of_the_value() {
    for (text, code, offset, path) in [
        (r#"[1,{"a":[0, -5]}]"#, Code::IntegerOutOfRange, 12, "/1/a/1"),
        // Not the faults that come after it, nor those of the same token's neighbours.
        (r#"[-5 x"#, Code::IntegerOutOfRange, 1, "/0"),
        (r#"[-5"#, Code::IntegerOutOfRange, 1, "/0"),
        (r#"{"a":{"bad" 1}}"#, Code::UnknownField, 6, "/a/bad"),
        (r#"{"bad":1,"bad":2}"#, Code::UnknownField, 1, "/bad"),
        (r#"{"x":1,"x":-2}"#, Code::DuplicateKey, 7, "/x"),
        ("[1e400, 99999999999999999999]", Code::IntegerOutOfRange, 8, "/1"),
    ] {
        let e = json::read(text.as_bytes(), &Options::default(), &mut Refusing::default()).unwrap_err();
        assert_eq!((e.code(), e.offset(), e.path()), (code, Some(offset), path), "{text}: {e}");
    }
    // Under a plan, the place is where the value stands.
    let last = options(&[("duplicate_keys", Setting::Str("last"))]);
    let e = json::read(br#"{"x":1,"y":2,"x":[-2]}"#, &last, &mut Refusing::default()).unwrap_err();
    assert_eq!((e.offset(), e.path()), (Some(18), "/x/0"));
    // The visitor's error comes before a fault that the plan's pass has seen.
    let e = json::read(br#"{"y":-1,"x":2,"x":x}"#, &last, &mut Refusing::default()).unwrap_err();
    assert_eq!((e.code(), e.offset(), e.path()), (Code::IntegerOutOfRange, Some(5), "/y"));
}

#[test]
fn decimals_arrive_as_text() {
    let mut v = Refusing::default();
    json::read(b"[1.50, 1e400, -0.1E+2, 3, -0]", &Options::default(), &mut v).unwrap();
    assert_eq!(v.0, ["1.50=1.5", "1e400=inf", "-0.1E+2=-10"]);
}

#[test]
fn several_values_one_after_the_other() {
    let o = Options::default();
    let mut reader = json::Reader::new(b" [1] {\"a\":2}\n3 4x", &o).unwrap();
    for (expected, end) in [("[1]", 4), ("{\"a\":2}", 12), ("3", 14), ("4", 16)] {
        let value = reader.read(&mut Builder).unwrap();
        assert_eq!((encode(&value, &o).unwrap(), reader.position()), (expected.into(), end));
    }
    let e = reader.finish().unwrap_err();
    assert_eq!((e.code(), e.offset()), (Code::TrailingData, Some(16)));
}

/// Builds down to a depth, then asks for raw bytes or for nothing.
struct Asking(usize);

impl Visitor for Asking {
    const DEMANDS: bool = true;
    type Value = Value;
    type Array = Vec<Value>;
    type Map = Vec<(Value, Value)>;
    type Key = Value;
    fn constant(&mut self, v: samewire::visit::Constant) -> Result<Value, Error> {
        Builder.constant(v)
    }
    fn int(&mut self, v: i64) -> Result<Value, Error> {
        Ok(Value::Int(v))
    }
    fn uint(&mut self, v: u64) -> Result<Value, Error> {
        Ok(Value::Uint(v))
    }
    fn bigint(&mut self, v: &str) -> Result<Value, Error> {
        Ok(Value::BigInt(v.into()))
    }
    fn float(&mut self, v: f64) -> Result<Value, Error> {
        Ok(Value::Float(v))
    }
    fn str(&mut self, text: samewire::visit::Text<'_>) -> Result<Value, Error> {
        Builder.str(text)
    }
    fn bin(&mut self, _: &[u8]) -> Result<Value, Error> {
        unreachable!()
    }
    fn timestamp(&mut self, _: Timestamp) -> Result<Value, Error> {
        unreachable!()
    }
    fn ext(&mut self, _: i8, _: &[u8]) -> Result<Value, Error> {
        unreachable!()
    }
    fn begin_array(&mut self, _: Option<usize>) -> Result<Vec<Value>, Error> {
        Ok(vec![])
    }
    fn element(&mut self, array: &mut Vec<Value>, v: Value) -> Result<(), Error> {
        array.push(v);
        Ok(())
    }
    fn end_array(&mut self, array: Vec<Value>) -> Result<Value, Error> {
        Ok(Value::Array(array))
    }
    fn begin_map(&mut self, _: Option<usize>) -> Result<Vec<(Value, Value)>, Error> {
        Ok(vec![])
    }
    fn key(&mut self, _: &mut Vec<(Value, Value)>, text: samewire::visit::Text<'_>) -> Result<Value, Error> {
        Builder.str(text)
    }
    fn entry(&mut self, map: &mut Vec<(Value, Value)>, key: Value, v: Value) -> Result<(), Error> {
        map.push((key, v));
        Ok(())
    }
    fn end_map(&mut self, map: Vec<(Value, Value)>) -> Result<Value, Error> {
        Ok(Value::Map(map))
    }
    fn demand(&mut self) -> Demand {
        self.0 += 1;
        match self.0 % 3 {
            1 => Demand::Value,
            2 => Demand::Skip,
            _ => Demand::Raw,
        }
    }
    fn skipped(&mut self) -> Result<Value, Error> {
        Ok(Value::Null)
    }
    fn raw(&mut self, bytes: &[u8]) -> Result<Value, Error> {
        Ok(Value::Bin(bytes.into()))
    }
}

#[test]
fn demands_are_met_and_checked() {
    let o = Options::default();
    let text = r#"[1, {"a":[2]} , "\u0041" ,{"k":{"b" : 1},"l": [3 ], "m":-0.50} ]"#;
    let v = json::read(text.as_bytes(), &o, &mut Asking(0)).unwrap();
    let raw = |s: &str| Value::Bin(s.as_bytes().to_vec());
    let last = map(&[("k", Value::Null), ("l", raw("[3 ]")), ("m", Value::Float(-0.5))]);
    assert_eq!(v, Value::Array(vec![Value::Int(1), Value::Null, raw(r#""\u0041""#), last]));
    for (text, code, offset, path) in [
        (r#"[1,[x]]"#, Code::InvalidSyntax, 4, "/1/0"),
        (r#"[1,2,{"a":1,"a":2}]"#, Code::DuplicateKey, 12, "/2/a"),
        (r#"[1,2,"\ud800"]"#, Code::LoneSurrogate, 6, "/2"),
        ("[1,1e999]", Code::NumberOutOfRange, 3, "/1"),
    ] {
        let e = json::read(text.as_bytes(), &o, &mut Asking(0)).unwrap_err();
        assert_eq!((e.code(), e.offset(), e.path()), (code, Some(offset), path), "{text}: {e}");
    }
}

#[test]
fn full_depth_fits_a_small_stack() {
    std::thread::Builder::new()
        .stack_size(256 << 10)
        .spawn(|| {
            for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
                let deep = format!("{}1{}", open.repeat(512), close.repeat(512));
                let v = decode(deep.as_bytes(), &Options::default()).unwrap();
                assert_eq!(encode(&v, &Options::default()).unwrap(), deep);
                let last = options(&[("duplicate_keys", Setting::Str("last"))]);
                decode(deep.as_bytes(), &last).unwrap();
                let twice = format!("{{\"x\":0,\"x\":{}1{}}}", open.repeat(511), close.repeat(511));
                decode(twice.as_bytes(), &last).unwrap();
                json::read(deep.as_bytes(), &last, &mut Asking(0)).unwrap();
                let deeper = format!("{}1{}", open.repeat(513), close.repeat(513));
                fails(
                    &deeper,
                    Code::DepthExceeded,
                    open.len() * 512,
                    &if open == "[" { "/0" } else { "/a" }.repeat(512),
                );
            }
            let e = decode(&vec![b'['; 1_000_000], &Options::default()).unwrap_err();
            assert_eq!((e.code(), e.offset()), (Code::DepthExceeded, Some(512)));
        })
        .unwrap()
        .join()
        .unwrap();
}

#[test]
fn strings_of_every_length_and_alignment() {
    let o = Options::default();
    for n in 0..150 {
        for insert in ["", "\u{e9}", "\"", "\n", "\u{1f600}", "\u{1}", "\u{7f}"] {
            for at in [0, n / 2, n] {
                let mut text = "abcdefghij".repeat(16)[..n].to_string();
                text.insert_str(at, insert);
                let value =
                    Value::Array(vec![Value::Str(text.clone()), Value::Map(vec![(Value::Str(text), Value::Int(1))])]);
                let out = encode(&value, &o).unwrap();
                assert_eq!(
                    out,
                    serde_json::to_string(&serde_json::from_str::<serde_json::Value>(&out).unwrap()).unwrap()
                );
                assert_eq!(decode(out.as_bytes(), &o).unwrap(), value);
                assert_eq!(decode(format!("{out}{}", " ".repeat(40)).as_bytes(), &o).unwrap(), value);
            }
        }
    }
}

fn map(entries: &[(&str, Value)]) -> Value {
    Value::Map(entries.iter().map(|(k, v)| (Value::Str((*k).into()), v.clone())).collect())
}

#[test]
fn escapes_are_the_shortest() {
    let text: String = (0u8..0x80).map(char::from).collect();
    assert_eq!(encode(&Value::Str(text.clone()), &Options::default()).unwrap(), serde_json::to_string(&text).unwrap());
    let html = options(&[("escape_html", Setting::Bool(true))]);
    let v = map(&[("<a&b>", Value::Str("é\u{2028}\u{2029}\"\n</script>".into()))]);
    let out = encode(&v, &html).unwrap();
    assert_eq!(out, r#"{"\u003ca\u0026b\u003e":"é\u2028\u2029\"\n\u003c/script\u003e"}"#);
    assert_eq!(decode(out.as_bytes(), &html).unwrap(), v);
}

#[test]
fn indentation() {
    let v = map(&[
        ("a", Value::Array(vec![Value::Int(1), Value::Array(vec![]), map(&[]), map(&[("b", Value::Null)])])),
        ("c", Value::Str(",".into())),
    ]);
    for (n, blank) in [(0, ""), (1, " "), (2, "  "), (8, "        ")] {
        let out = encode(&v, &options(&[("indent", Setting::Int(n))])).unwrap();
        let lines = ["{", "1\"a\": [", "21,", "2[],", "2{},", "2{", "3\"b\": null", "2}", "1],", "1\"c\": \",\"", "}"];
        let expected: Vec<String> = lines
            .iter()
            .map(|l| match l.chars().next().unwrap().to_digit(10) {
                Some(level) => blank.repeat(level as usize) + &l[1..],
                None => (*l).to_string(),
            })
            .collect();
        assert_eq!(out, expected.join("\n"));
    }
    let both = options(&[
        ("indent", Setting::Int(2)),
        ("append_newline", Setting::Bool(true)),
        ("omit_null", Setting::Bool(true)),
    ]);
    assert_eq!(encode(&map(&[("a", Value::Null)]), &both).unwrap(), "{}\n");
    assert_eq!(
        encode(&map(&[("a", Value::Null), ("b", map(&[("n", Value::Null)])), ("c", Value::Null)]), &both).unwrap(),
        "{\n  \"b\": {}\n}\n"
    );
}

#[test]
fn null_entries_are_left_out() {
    let o = options(&[("omit_null", Setting::Bool(true))]);
    let v = map(&[
        ("a", Value::Null),
        ("b", Value::Bool(true)),
        ("c", Value::Array(vec![Value::Null])),
        ("d", Value::Str("null".into())),
        ("e", map(&[("f", Value::Null), ("g", Value::Bool(true)), ("h", Value::Null)])),
        ("i", Value::Null),
    ]);
    assert_eq!(encode(&v, &o).unwrap(), r#"{"b":true,"c":[null],"d":"null","e":{"g":true}}"#);
    assert_eq!(encode(&Value::Null, &o).unwrap(), "null");
    // NaN that is written as null is not a null.
    let o = options(&[("omit_null", Setting::Bool(true)), ("non_finite", Setting::Str("null"))]);
    assert_eq!(encode(&map(&[("x", Value::Float(f64::NAN))]), &o).unwrap(), r#"{"x":null}"#);
}

#[test]
fn keys_are_sorted_by_code_points() {
    let o = options(&[("sort_keys", Setting::Bool(true))]);
    let v = map(&[
        ("b\"", Value::Int(1)),
        ("b!", Value::Int(2)),
        ("\u{1f600}", Value::Int(3)),
        (
            "\u{fb33}",
            map(&[("z", Value::Null), ("a\n", Value::Array(vec![map(&[("2", Value::Null), ("1", Value::Null)])]))]),
        ),
        ("", Value::Int(5)),
    ]);
    let sorted =
        "{\"\":5,\"b!\":2,\"b\\\"\":1,\"\u{fb33}\":{\"a\\n\":[{\"1\":null,\"2\":null}],\"z\":null},\"\u{1f600}\":3}";
    assert_eq!(encode(&v, &o).unwrap(), sorted);
    let pretty =
        options(&[("sort_keys", Setting::Bool(true)), ("indent", Setting::Int(1)), ("omit_null", Setting::Bool(true))]);
    assert_eq!(
        encode(&v, &pretty).unwrap(),
        "{\n \"\": 5,\n \"b!\": 2,\n \"b\\\"\": 1,\n \"\u{fb33}\": {\n  \"a\\n\": [\n   {}\n  ]\n },\n \"\u{1f600}\": 3\n}"
    );
    let twice = map(&[("a", Value::Int(1)), ("b", Value::Int(1)), ("a", Value::Int(2))]);
    assert_eq!(encode(&twice, &o).unwrap_err().code(), Code::DuplicateKey);
}

#[test]
fn keys_that_are_not_strings() {
    let keys = [
        Value::Int(-1),
        Value::Uint(u64::MAX),
        Value::Null,
        Value::Bool(true),
        Value::Float(1.5),
        Value::Bin(vec![1, 2, 3]),
        Value::Timestamp(Timestamp::new(0, 0).unwrap()),
        Value::BigInt("9".repeat(21)),
        Value::Str("s\"".into()),
    ];
    let v = Value::Map(keys.iter().map(|k| (k.clone(), Value::Int(0))).collect());
    for o in [Options::default(), options(&[("map_keys", Setting::Str("any"))])] {
        assert_eq!(encode(&v, &o).unwrap_err().code(), Code::MapKeyType);
    }
    let o = options(&[("map_keys", Setting::Str("stringify"))]);
    let expected = r#"{"-1":0,"18446744073709551615":0,"null":0,"true":0,"1.5":0,"AQID":0,"1970-01-01T00:00:00Z":0,"999999999999999999999":0,"s\"":0}"#;
    assert_eq!(encode(&v, &o).unwrap(), expected);
    let sorted = options(&[
        ("map_keys", Setting::Str("stringify")),
        ("sort_keys", Setting::Bool(true)),
        ("indent", Setting::Int(1)),
    ]);
    let v = Value::Map(vec![
        (Value::Int(2), Value::Null),
        (Value::Int(10), Value::Null),
        (Value::Str("1".into()), Value::Null),
    ]);
    assert_eq!(encode(&v, &sorted).unwrap(), "{\n \"1\": null,\n \"10\": null,\n \"2\": null\n}");
    let clash = Value::Map(vec![(Value::Str("1".into()), Value::Null), (Value::Int(1), Value::Null)]);
    assert_eq!(encode(&clash, &o).unwrap_err().code(), Code::DuplicateKey);
    for bad in [Value::Array(vec![]), map(&[])] {
        assert_eq!(encode(&Value::Map(vec![(bad, Value::Null)]), &o).unwrap_err().code(), Code::MapKeyType);
    }
    let nan = Value::Map(vec![(Value::Float(f64::NAN), Value::Null)]);
    assert_eq!(encode(&nan, &o).unwrap_err().code(), Code::NonFiniteNumber);
}

#[test]
fn kinds_that_json_lacks() {
    let o = Options::default();
    let v = Value::Array(vec![Value::Bin(vec![0xff, 0]), Value::Timestamp(Timestamp::new(1, 500_000_000).unwrap())]);
    assert_eq!(encode(&v, &o).unwrap(), r#"["/wA=","1970-01-01T00:00:01.500Z"]"#);
    assert_eq!(encode(&v, &options(&[("bin_json", Setting::Str("error"))])).unwrap_err().code(), Code::UnsupportedType);
    let ext = Value::Ext(samewire::ext::Ext { kind: 5, data: vec![1] });
    let e = encode(&Value::Array(vec![Value::Null, ext]), &o).unwrap_err();
    assert_eq!((e.code(), e.path()), (Code::UnsupportedType, "/1"));
    let late = Value::Timestamp(Timestamp::new(253_402_300_800, 0).unwrap());
    assert_eq!(encode(&late, &o).unwrap_err().code(), Code::TimestampOutOfRange);
    let odd = Value::Array(vec![Value::Float(f64::NAN), Value::Float(f64::INFINITY), Value::Float(f64::NEG_INFINITY)]);
    let e = encode(&odd, &o).unwrap_err();
    assert_eq!((e.code(), e.path()), (Code::NonFiniteNumber, "/0"));
    assert_eq!(encode(&odd, &options(&[("non_finite", Setting::Str("null"))])).unwrap(), "[null,null,null]");
    assert_eq!(
        encode(&odd, &options(&[("non_finite", Setting::Str("string"))])).unwrap(),
        r#"["NaN","Infinity","-Infinity"]"#
    );
}

#[test]
fn integers_as_strings() {
    let max = (1i64 << 53) - 1;
    let v = Value::Array(vec![
        Value::Int(max),
        Value::Int(max + 1),
        Value::Int(-max),
        Value::Int(-max - 1),
        Value::Uint(u64::MAX),
        Value::BigInt("-123456789012345678901".into()),
    ]);
    let o = options(&[("int64", Setting::Str("string"))]);
    assert_eq!(
        encode(&v, &o).unwrap(),
        r#"[9007199254740991,"9007199254740992",-9007199254740991,"-9007199254740992","18446744073709551615","-123456789012345678901"]"#
    );
    assert!(!encode(&v, &Options::default()).unwrap().contains('"'));
}

#[test]
fn float32_has_its_own_shortest_digits() {
    let mut w = Writer::new(Buffer::with_capacity(0), &Options::default());
    w.begin_array(None).unwrap();
    for v in [0.1f32, 16_777_216.0, f32::MIN_POSITIVE, -0.0] {
        w.float32(v).unwrap();
        w.element(&mut (), ()).unwrap();
    }
    w.end_array(()).unwrap();
    assert_eq!(w.into_buffer().as_slice(), b"[0.1,16777216.0,1.1754944e-38,-0.0]");
}

/// Cases from the trackers of other libraries.
#[test]
fn cases_from_the_wild() {
    let o = Options::default();
    let one = |text: &str| decode(text.as_bytes(), &o).unwrap();
    // serde-rs/json#536, json-iterator/go#22, bytedance/sonic#63, msgspec/msgspec#701
    assert_eq!(one("6.0328868632295236"), Value::Float(f64::from_bits(0x4018_21ad_1808_27c3)));
    assert_eq!(encode(&Value::Float(1.25e-7), &o).unwrap(), "1.25e-7");
    assert_eq!(one("-9223372036854775808"), Value::Int(i64::MIN));
    assert_eq!(one("19500000000000000001"), Value::BigInt("19500000000000000001".into()));
    // serde_json's private name is an ordinary key
    assert_eq!(
        one(r#"{"$serde_json::private::Number":"1e3"}"#),
        map(&[("$serde_json::private::Number", Value::Str("1e3".into()))])
    );
    for bad in
        [r#""\udc49"#, r#""\ud83d"#, r#""\ud83d\"#, r#""\ud83d\u"#, r#""\ud83d\u0041""#, "[-]", "[[]", r#"["str\"#]
    {
        decode(bad.as_bytes(), &o).unwrap_err();
    }
    for control in 0..0x20u8 {
        let text = [b"\"a".as_slice(), &[control], b"\""].concat();
        assert_eq!(decode(&text, &o).unwrap_err().offset(), Some(2));
    }
    assert_eq!(one("\"\u{7f}\""), Value::Str("\u{7f}".into()));
    // A million digits in linear time.
    let digits = "9".repeat(1_000_000);
    let start = std::time::Instant::now();
    assert_eq!(one(&digits), Value::BigInt(digits.clone()));
    assert!(matches!(one(&format!("0.{digits}e-3")), Value::Float(v) if v == 0.001));
    assert_eq!(decode(format!("{digits}.5").as_bytes(), &o).unwrap_err().code(), Code::NumberOutOfRange);
    assert!(start.elapsed().as_secs() < 2, "{:?}", start.elapsed());
}

#[test]
fn a_row_of_closing_brackets_stays_inside_the_buffer() {
    // Each close took the comma's place and each comma was put without room: a heap overflow at any depth that
    // began near the buffer's end.
    for depth in 1..=512usize {
        let mut value = Value::Null;
        for _ in 0..depth {
            value = Value::Array(vec![value]);
        }
        let text = samewire::transcode::to_vec(samewire::Format::Json, &value, &Options::default()).unwrap();
        assert_eq!(text.len(), 2 * depth + 4);
        assert!(text.capacity() >= text.len());
    }
}
