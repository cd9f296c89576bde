//! The schema vectors of the conformance corpus (`conformance/vectors/schema`), run against core.

use std::path::{Path, PathBuf};

use samewire::options::Setting;
use samewire::schema::{Mode, Schema, Severity, check, is_compatible};
use samewire::{Error, Format, Options, Value, json, tagged, value::Builder};

const KEYS: &[&str] = &[
    "name",
    "source",
    "note",
    "options",
    "hosts",
    "writer",
    "reader",
    "value",
    "reads",
    "error",
    "format",
    "input",
    "json",
    "msgpack",
    "from",
    "to",
    "gives",
    "document",
    "old",
    "new",
    "mode",
    "findings",
    "compatible",
];

fn files(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|e| e == "json") {
            found.push(path);
        }
    }
}

fn text<'v>(case: &'v Value, key: &str) -> Option<&'v str> {
    match case.get(key) {
        Some(Value::Str(s)) => Some(s),
        _ => None,
    }
}

fn untagged(value: &Value) -> Value {
    tagged::from_json(value.clone()).unwrap()
}

fn bytes(format: Format, input: &str) -> Vec<u8> {
    match format {
        Format::Json => input.into(),
        Format::MessagePack => {
            (0..input.len()).step_by(2).map(|i| u8::from_str_radix(&input[i..i + 2], 16).unwrap()).collect()
        }
    }
}

fn agrees(name: &str, case: &Value, result: Result<Value, Error>, wanted: &str) {
    match (result, case.get("error")) {
        (Ok(value), None) => assert_eq!(value, untagged(case.get(wanted).unwrap()), "{name}"),
        (Err(e), Some(error)) => {
            assert_eq!(Some(e.code().as_str()), text(error, "code"), "{name}: {e}");
            if let Some(path) = text(error, "path") {
                assert_eq!(e.path(), path, "{name}: {e}");
            }
            if let Some(Value::Int(offset)) = error.get("offset") {
                assert_eq!(e.offset(), Some(*offset as usize), "{name}: {e}");
            }
        }
        (result, _) => panic!("{name}: {result:?}"),
    }
}

fn run(case: &Value) {
    let Value::Map(entries) = case else { panic!("a case is an object") };
    let name = text(case, "name").expect("a name");
    for (key, _) in entries {
        assert!(matches!(key, Value::Str(k) if KEYS.contains(&k.as_str())), "{name}: unknown key {key:?}");
    }
    let mut options = Options::default();
    if let Some(Value::Map(set)) = case.get("options") {
        for (key, value) in set {
            let Value::Str(key) = key else { panic!("{name}") };
            let setting = match value {
                Value::Str(s) => Setting::Str(s),
                Value::Bool(b) => Setting::Bool(*b),
                Value::Int(n) => Setting::Int(*n),
                other => panic!("{name}: {other:?}"),
            };
            options.set(key, setting).unwrap();
        }
    }
    let schema = |key: &str| case.get(key).map(|d| Schema::from_value(d).unwrap_or_else(|e| panic!("{name}: {e}")));
    if let Some(document) = case.get("document") {
        return agrees(name, case, Schema::from_value(document).map(|_| Value::Null), "");
    }
    if let (Some(old), Some(new)) = (schema("old"), schema("new")) {
        return compat(name, case, &old, &new);
    }
    let format = |key: &str| text(case, key).map(|f| Format::parse(f).unwrap());
    match (schema("writer"), schema("reader")) {
        (Some(writer), Some(reader)) => {
            for format in Format::ALL {
                let encoded = writer.write(format, &untagged(case.get("value").unwrap()), &options).unwrap();
                agrees(name, case, reader.read(format, &encoded, &options, &mut Builder), "reads");
            }
        }
        (Some(writer), None) => {
            for format in Format::ALL {
                let written = writer.write(format, &untagged(case.get("value").unwrap()), &options);
                match text(case, format.as_str()) {
                    Some(wanted) => assert_eq!(written.unwrap(), bytes(format, wanted), "{name}"),
                    None => agrees(name, case, written.map(|_| Value::Null), ""),
                }
            }
        }
        (None, Some(reader)) => {
            let input = text(case, "input").unwrap();
            if let (Some(from), Some(to)) = (format("from"), format("to")) {
                let given = reader.transcode(&bytes(from, input), from, to, &options).unwrap();
                return assert_eq!(given, bytes(to, text(case, "gives").unwrap()), "{name}");
            }
            let format = format("format").unwrap();
            agrees(name, case, reader.read(format, &bytes(format, input), &options, &mut Builder), "reads");
        }
        (None, None) => panic!("{name}: nothing to do"),
    }
}

fn compat(name: &str, case: &Value, old: &Schema, new: &Schema) {
    let found = check(old, new, Mode::parse(text(case, "mode").unwrap()).unwrap());
    if let Some(compatible) = case.get("compatible") {
        return assert_eq!(Value::Bool(is_compatible(&found)), *compatible, "{name}: {found:?}");
    }
    let shown: Vec<String> = found
        .iter()
        .map(|f| format!("{} {} {} {} {}", f.mode, f.rule, f.path, f.severity.as_str(), f.format))
        .collect();
    let Some(Value::Array(wanted)) = case.get("findings") else { panic!("{name}") };
    let wanted: Vec<String> = wanted
        .iter()
        .map(|f| {
            let key = |k| text(f, k).unwrap();
            format!(
                "{} {} {} {} {}",
                key("mode"),
                key("rule"),
                key("path"),
                key("severity"),
                text(f, "format").unwrap_or("both")
            )
        })
        .collect();
    assert_eq!(shown, wanted, "{name}");
    for f in found.iter().filter(|f| f.severity == Severity::Error && f.format != "packed") {
        let (writer, reader) = if f.mode == "BACKWARD" { (old, new) } else { (new, old) };
        let witness = f.witness.as_ref().unwrap_or_else(|| panic!("{name}: no witness"));
        let options = Options::default();
        let fails = |x| writer.write(x, witness, &options).is_ok_and(|b| reader.validate(x, &b, &options).is_err());
        assert!(Format::ALL.into_iter().any(fails), "{name}: {f:?}");
    }
}

#[test]
fn every_case() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance/vectors/schema");
    let mut paths = Vec::new();
    files(&root, &mut paths);
    let mut names = std::collections::BTreeSet::new();
    for path in paths {
        let cases = json::read(&std::fs::read(&path).unwrap(), &Options::default(), &mut Builder)
            .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let Value::Array(cases) = cases else { panic!("{}", path.display()) };
        for case in &cases {
            assert!(names.insert(text(case, "name").unwrap().to_string()), "a name stands twice");
            run(case);
        }
    }
    assert!(names.len() > 60, "{} cases", names.len());
}

/// Each row of the evolution guide has both its columns among the vectors, in the mode that it names.
#[test]
fn the_evolution_guide_holds() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = std::fs::read_to_string(root.join("docs/evolution.md")).unwrap();
    let cases = std::fs::read(root.join("conformance/vectors/schema/compat/evolution.json")).unwrap();
    let Value::Array(cases) = json::read(&cases, &Options::default(), &mut Builder).unwrap() else { panic!() };
    let mut rows = 0;
    for line in page.lines() {
        let Some((_, rest)) = line.split_once("<a id=\"") else { continue };
        let id = rest.split('"').next().unwrap();
        rows += 1;
        for (name, compatible) in
            [(format!("schema/evolution/{id}"), true), (format!("schema/evolution/{id}/not"), false)]
        {
            let case =
                cases.iter().find(|c| text(c, "name") == Some(&name)).unwrap_or_else(|| panic!("no case {name}"));
            assert_eq!(case.get("compatible"), Some(&Value::Bool(compatible)), "{name}");
            let mode = text(case, "mode").unwrap();
            assert!(!compatible || line.ends_with(&format!("`{mode}` |")), "{name} is of mode {mode}");
        }
    }
    assert_eq!(2 * rows, cases.len(), "a case without a row");
}
