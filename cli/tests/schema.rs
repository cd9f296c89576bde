//! `samewire schema`, and what other commands do by a schema.

use std::path::Path;
use std::process::{Command, Output};

use samewire::{Format, Options, Value, transcode};

const V1: &str =
    r#"{"type":"object","properties":{"id":{"type":"integer"},"price":{"type":"number"}},"required":["id"]}"#;
const V2: &str = r#"{"type":"object","properties":{"id":{"type":"integer"},"price":{"type":"number"},"note":{"type":"string","default":""}},"required":["id"]}"#;
const V10: &str =
    r#"{"type":"object","properties":{"id":{"type":"string"},"price":{"type":"number"}},"required":["id","price"]}"#;

fn run(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_samewire")).args(args).current_dir(folder).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn json(line: &str) -> Value {
    transcode::from_slice(Format::Json, line.as_bytes(), &Options::default()).unwrap()
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("history")).unwrap();
    for (name, schema) in [
        ("history/v1.json", V1),
        ("history/v2.json", V2),
        ("history/v10.json", V2),
        ("old.json", V1),
        ("good.json", V2),
        ("bad.json", V10),
    ] {
        std::fs::write(folder.path().join(name), schema).unwrap();
    }
    folder
}

#[test]
fn a_change_is_judged() {
    let folder = folder();
    let good = run(folder.path(), &["schema", "check", "old.json", "good.json", "--mode", "FULL"]);
    assert_eq!(good.status.code(), Some(0), "{}", text(&good.stdout));
    assert!(
        text(&good.stdout).ends_with("good.json: compatible (FULL: 0 errors, 0 warnings)\n"),
        "{}",
        text(&good.stdout)
    );

    let bad = run(folder.path(), &["schema", "check", "old.json", "bad.json"]);
    assert_eq!(bad.status.code(), Some(1));
    let shown = text(&bad.stdout);
    assert!(shown.contains("/id  type-changed (BACKWARD)"), "{shown}");
    assert!(shown.contains("the new one says type-mismatch"), "{shown}");
    assert!(shown.contains("not compatible"), "{shown}");

    let quiet = run(folder.path(), &["schema", "check", "old.json", "bad.json", "--quiet"]);
    assert_eq!((quiet.status.code(), quiet.stdout.len()), (Some(1), 0));

    // For scripts: one object a finding; its witness is a message that the old schema writes and the new one refuses.
    let lines = run(folder.path(), &["schema", "check", "old.json", "bad.json", "--json"]);
    let first = json(text(&lines.stdout).lines().next().unwrap());
    for key in ["path", "rule", "severity", "mode", "format", "advice", "against", "witness", "code"] {
        assert!(first.get(key).is_some(), "{key}: {first:?}");
    }
    let refused = run(folder.path(), &["schema", "check", "old.json", "bad.json", "--mode", "SIDEWAYS"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("BACKWARD_TRANSITIVE"), "{}", text(&refused.stderr));
}

#[test]
fn a_history_is_held_against_by_number() {
    let folder = folder();
    let args = ["schema", "check", "history", "bad.json", "--mode", "backward-transitive", "--json"];
    let all = run(folder.path(), &args);
    assert_eq!(all.status.code(), Some(1));
    let against = |done: &Output| -> Vec<String> {
        let mut names: Vec<String> = text(&done.stdout)
            .lines()
            .map(|l| match json(l).get("against") {
                Some(Value::Str(name)) => name.clone(),
                other => panic!("{other:?}"),
            })
            .collect();
        names.dedup();
        names
    };
    assert_eq!(against(&all), ["history/v1.json", "history/v2.json", "history/v10.json"]);
    let last = run(folder.path(), &["schema", "check", "history", "bad.json", "--json"]);
    assert_eq!(against(&last), ["history/v10.json"]);
}

#[test]
fn reports_are_files_for_other_tools() {
    let folder = folder();
    let args = [
        "schema",
        "check",
        "history",
        "bad.json",
        "--mode",
        "FULL_TRANSITIVE",
        "--sarif",
        "a.sarif",
        "--junit",
        "a.xml",
        "-q",
    ];
    assert_eq!(run(folder.path(), &args).status.code(), Some(1));
    let sarif = json(&std::fs::read_to_string(folder.path().join("a.sarif")).unwrap());
    assert_eq!(sarif.get("version"), Some(&"2.1.0".into()));
    let Some(Value::Array(runs)) = sarif.get("runs") else { panic!("{sarif:?}") };
    let Some(Value::Array(results)) = runs[0].get("results") else { panic!("{sarif:?}") };
    assert!(
        results
            .iter()
            .any(|r| r.get("ruleId") == Some(&"type-changed".into()) && r.get("level") == Some(&"error".into()))
    );
    let junit = std::fs::read_to_string(folder.path().join("a.xml")).unwrap();
    assert!(junit.contains("tests=\"3\" failures=\"3\""), "{junit}");
    assert!(junit.contains("<failure type=\"type-changed\" message=\"/id (BACKWARD)\">"), "{junit}");
}

#[test]
fn differences_say_what_they_mean() {
    let folder = folder();
    let same = run(folder.path(), &["schema", "diff", "old.json", "old.json"]);
    assert_eq!((same.status.code(), same.stdout.len()), (Some(0), 0));
    let changed = run(folder.path(), &["schema", "diff", "old.json", "bad.json"]);
    assert_eq!(changed.status.code(), Some(1));
    let shown = text(&changed.stdout);
    assert!(shown.contains("/id  type-changed: new reads old breaks, old reads new breaks\n"), "{shown}");
}

#[test]
fn samples_have_a_schema() {
    let folder = folder();
    let samples = "{\"id\":1,\"at\":\"2024-02-29T00:00:00Z\"}\n{\"id\":2,\"tags\":[\"a\"]}\n";
    std::fs::write(folder.path().join("a.jsonl"), samples).unwrap();
    std::fs::write(folder.path().join("b.msgpack"), b"\x81\xa2id\xcb\x3f\xf8\x00\x00\x00\x00\x00\x00").unwrap();
    let made = run(folder.path(), &["schema", "of", "a.jsonl", "b.msgpack"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let document = json(text(&made.stdout));
    let id = document.get("properties").and_then(|p| p.get("id"));
    assert_eq!(id.and_then(|id| id.get("type")), Some(&"number".into()));
    assert_eq!(document.get("required"), Some(&Value::Array(vec!["id".into()])));
    std::fs::write(folder.path().join("s.json"), &made.stdout).unwrap();
    let valid = run(folder.path(), &["validate", "--schema", "s.json", "a.jsonl", "b.msgpack"]);
    assert_eq!(valid.status.code(), Some(0), "{}", text(&valid.stderr));
}

#[test]
fn values_are_checked_and_converted_by_a_schema() {
    let folder = folder();
    std::fs::write(
        folder.path().join("a.jsonl"),
        "{\"id\":1}\n{\"id\":\"x\"}\n{\"price\":1}\n{\"id\":2,\"price\":3}\n",
    )
    .unwrap();
    let checked = run(folder.path(), &["validate", "--schema", "old.json", "a.jsonl"]);
    assert_eq!(checked.status.code(), Some(1));
    let errors = text(&checked.stderr);
    assert!(errors.contains("a.jsonl: line 2: byte 15: in /id: expected int, found str (type-mismatch)"), "{errors}");
    assert!(errors.contains("line 3") && errors.contains("missing-field"), "{errors}");
    assert_eq!(text(&checked.stdout), "a.jsonl: 2 values invalid\n");

    // A MessagePack file goes on behind a value that only the schema refuses.
    std::fs::write(folder.path().join("a.msgpack"), b"\x81\xa2id\xa1x\x81\xa2id\x01\x80").unwrap();
    let checked = run(folder.path(), &["validate", "--schema", "old.json", "a.msgpack", "--json"]);
    assert_eq!(checked.status.code(), Some(1));
    let report = json(text(&checked.stdout));
    assert_eq!((report.get("values"), report.get("invalid")), (Some(&Value::Int(3)), Some(&Value::Int(2))));

    // An integer where the schema has a number is a float in MessagePack; a default is filled in.
    std::fs::write(folder.path().join("one.json"), "{\"price\":3,\"id\":1}").unwrap();
    let packed = run(folder.path(), &["convert", "--schema", "good.json", "one.json", "--to", "msgpack"]);
    assert!(packed.status.success(), "{}", text(&packed.stderr));
    assert_eq!(packed.stdout, b"\x83\xa2id\x01\xa5price\xcb\x40\x08\x00\x00\x00\x00\x00\x00\xa4note\xa0");

    let broken = run(folder.path(), &["validate", "--schema", "a.jsonl", "one.json"]);
    assert_eq!(broken.status.code(), Some(1));
    std::fs::write(folder.path().join("not.json"), r#"{"properties":{"a":{"if":{}}}}"#).unwrap();
    let refused = run(folder.path(), &["schema", "check", "not.json", "old.json"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        text(&refused.stderr).contains("invalid-schema") && text(&refused.stderr).contains("/properties/a/if"),
        "{}",
        text(&refused.stderr)
    );
}
