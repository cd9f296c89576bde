//! JSON against the public suites: JSONTestSuite, parse-number-fxx, the RFC 8785 vectors, nativejson.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use common::{hex, shared};
use samewire::Format;
use samewire::buffer::Buffer;
use samewire::canonical;
use samewire::json::{self, Writer};
use samewire::options::{Options, Setting};
use samewire::value::Builder;
use samewire::visit::Nothing;
use samewire::{Error, Value};

fn read(bytes: &[u8]) -> Result<Value, Error> {
    let o = Options::default();
    let value = json::read(bytes, &o, &mut Builder);
    let checked = json::read(bytes, &o, &mut Nothing);
    match (&value, &checked) {
        (Ok(_), Ok(())) => {}
        (Err(a), Err(b)) => assert_eq!((a.code(), a.offset(), a.path()), (b.code(), b.offset(), b.path())),
        other => panic!("{other:?}"),
    }
    value
}

fn text(value: &Value) -> String {
    let mut w = Writer::new(Buffer::with_capacity(0), &Options::default());
    value.visit(&mut w).unwrap();
    String::from_utf8(w.into_buffer().into_vec()).unwrap()
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        files.insert(path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(&path).unwrap());
    }
    files
}

/// What samewire says of a file, in one cell of the table.
fn verdict(bytes: &[u8]) -> String {
    match read(bytes) {
        Ok(value) => {
            let text = text(&value);
            let shown =
                if text.len() > 60 { format!("{}…", text.chars().take(60).collect::<String>()) } else { text };
            format!("accepted: `{shown}`")
        }
        Err(e) => format!("`{}` at byte {}", e.code(), e.offset().unwrap()),
    }
}

#[test]
fn json_test_suite() {
    let Some(folder) = shared("json-test-suite") else { return };
    let parsing = files(&folder.join("test_parsing"));
    assert_eq!(parsing.len(), 318);
    let last = {
        let mut o = Options::default();
        o.set("duplicate_keys", Setting::Str("last")).unwrap();
        o
    };
    let mut rows = Vec::new();
    for (name, bytes) in &parsing {
        let result = read(bytes);
        match &name[..2] {
            "y_" if name.contains("duplicated_key") => {
                assert_eq!(result.unwrap_err().code(), samewire::Code::DuplicateKey, "{name}");
                json::read(bytes, &last, &mut Nothing).unwrap();
            }
            "y_" => {
                let value = result.unwrap_or_else(|e| panic!("{name}: {e}"));
                assert_eq!(read(text(&value).as_bytes()).unwrap(), value, "{name}");
            }
            "n_" => {
                let e = result.expect_err(name);
                assert!(
                    matches!(
                        e.code().as_str(),
                        "invalid-syntax"
                            | "truncated"
                            | "trailing-data"
                            | "invalid-utf8"
                            | "lone-surrogate"
                            | "depth-exceeded"
                    ),
                    "{name}: {e}"
                );
            }
            "i_" => rows.push(format!("| `{name}` | {} |", verdict(bytes))),
            _ => panic!("{name}"),
        }
    }
    let mut transforms = Vec::new();
    for (name, bytes) in &files(&folder.join("test_transform")) {
        transforms.push(format!("| `{name}` | {} |", verdict(bytes)));
    }
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/json-test-suite.md");
    let page = fs::read_to_string(page).unwrap();
    let documented: Vec<&str> = page.lines().filter(|l| l.starts_with("| `")).collect();
    let actual: Vec<&str> = rows.iter().chain(&transforms).map(String::as_str).collect();
    assert!(documented == actual, "docs/json-test-suite.md should have these rows:\n{}", actual.join("\n"));
}

/// A number of the suite in JSON's grammar, as a float: with a point, without leading zeros and `+`.
fn as_json_float(number: &str) -> String {
    let (sign, rest) = match number.as_bytes()[0] {
        b'-' => ("-", &number[1..]),
        b'+' => ("", &number[1..]),
        _ => ("", number),
    };
    let (digits, exponent) = rest.split_at(rest.find(['e', 'E']).unwrap_or(rest.len()));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let whole = whole.trim_start_matches('0');
    let or_zero = |s: &str| if s.is_empty() { "0".to_owned() } else { s.to_owned() };
    format!("{sign}{}.{}{exponent}", or_zero(whole), or_zero(fraction))
}

#[test]
fn parse_number_fxx() {
    let Some(folder) = shared("parse-number-fxx") else { return };
    let mut count = 0;
    for (name, bytes) in files(&folder.join("data")) {
        for line in String::from_utf8(bytes).unwrap().lines() {
            let fields: Vec<&str> = line.split(' ').collect();
            let bits = u64::from_str_radix(fields[2], 16).unwrap();
            let number = as_json_float(fields[3]);
            let result = read(number.as_bytes());
            if f64::from_bits(bits).is_infinite() {
                assert_eq!(result.unwrap_err().code(), samewire::Code::NumberOutOfRange, "{name}: {line}");
            } else {
                let Ok(Value::Float(value)) = result else { panic!("{name}: {line}: {result:?}") };
                assert_eq!(value.to_bits(), bits, "{name}: {line}");
            }
            count += 1;
        }
    }
    assert_eq!(count, 52_977);
}

#[test]
fn rfc_8785() {
    let Some(folder) = shared("rfc8785-jcs") else { return };
    let expected = files(&folder.join("outhex"));
    for (name, input) in files(&folder.join("input")) {
        let value = read(&input).unwrap_or_else(|e| panic!("{name}: {e}"));
        let bytes = canonical::to_vec(Format::Json, &value, &Options::default()).unwrap();
        let expected = String::from_utf8(expected[&name.replace(".json", ".txt")].clone()).unwrap();
        assert_eq!(String::from_utf8(bytes), String::from_utf8(hex(&expected)), "{name}");
    }
    let numbers = fs::read_to_string(folder.join("es6numbers-10000.txt")).unwrap();
    let mut count = 0;
    for line in numbers.lines() {
        let (bits, expected) = line.split_once(',').unwrap();
        let value = f64::from_bits(u64::from_str_radix(bits, 16).unwrap());
        let bytes = canonical::to_vec(Format::Json, &Value::Float(value), &Options::default()).unwrap();
        assert_eq!(String::from_utf8(bytes).unwrap(), expected, "{bits}");
        count += 1;
    }
    assert_eq!(count, 10_000);
}

#[test]
fn nativejson() {
    let Some(folder) = shared("nativejson") else { return };
    for (name, bytes) in files(&folder.join("jsonchecker")) {
        // The excluded ones break rules that RFC 8259 has not: a container at the top, a depth of 20.
        let good = name.starts_with("pass") || name.contains("EXCLUDE");
        assert_eq!(read(&bytes).is_ok(), good, "{name}");
    }
    for (name, bytes) in files(&folder.join("roundtrip")) {
        let value = read(&bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        let expected = String::from_utf8(bytes).unwrap();
        // Our exponents show their sign also where it is plus.
        assert_eq!(text(&value).replace("e+", "e"), expected.trim().replace("e+", "e"), "{name}");
    }
}
