//! JSON-Schema-Test-Suite, draft 2020-12: every test of a schema that compiles gives the suite's verdict, and
//! what does not compile is counted by its reason. `tools/fetch-schema-suite` gets the suite; without it the
//! test says so. `docs/schema-test-suite.md` has the counts, which are held to it here.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use samewire::schema::Schema;
use samewire::{Format, Options, Value, json, value::Builder};

fn text(value: &Value) -> Vec<u8> {
    let mut w = json::Writer::new(samewire::buffer::Buffer::with_capacity(64), &Options::default());
    value.visit(&mut w).unwrap();
    w.into_buffer().into_vec()
}

fn name(value: &Value, key: &str) -> String {
    match value.get(key) {
        Some(Value::Str(s)) => s.clone(),
        _ => String::new(),
    }
}

/// The part of a refusal that tells why: the keyword, or the message where the keyword alone would not.
fn reason(error: &samewire::Error) -> String {
    let last = error.path().rsplit('/').next().unwrap_or("");
    let message = error.message();
    for (part, why) in [
        ("is not supported", "keyword"),
        ("does not map to a type", "no type"),
        ("is not a place in this document", "reference outside the document"),
        ("cannot be told apart", "ambiguous union"),
        ("admits nothing", "false as a schema"),
        ("refused", "pattern"),
        ("without any data in between", "endless reference"),
        ("the default is not", "default of another type"),
    ] {
        if message.contains(part) {
            return if why == "keyword" { format!("keyword `{last}`") } else { why.into() };
        }
    }
    format!("other: {message}")
}

#[test]
fn every_test_of_what_compiles_agrees() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.cache/json-schema-test-suite/draft2020-12");
    let Ok(entries) = std::fs::read_dir(&root) else {
        println!("skipped: no {} (tools/fetch-schema-suite)", root.display());
        return;
    };
    let mut files: Vec<_> =
        entries.map(|e| e.unwrap().path()).filter(|p| p.extension().is_some_and(|e| e == "json")).collect();
    files.sort();
    let options = Options::default();
    let mut table = String::new();
    let mut wrong = Vec::new();
    let (mut all, mut agreeing, mut refused) = (0, 0, 0);
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for file in files {
        let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
        let groups = json::read(&std::fs::read(&file).unwrap(), &options, &mut Builder).unwrap();
        let Value::Array(groups) = groups else { panic!("{stem}") };
        let (mut good, mut skipped) = (0, 0);
        for group in &groups {
            let Some(Value::Array(tests)) = group.get("tests") else { panic!("{stem}") };
            let schema = Schema::from_value(group.get("schema").unwrap());
            all += tests.len();
            let schema = match schema {
                Ok(schema) => schema,
                Err(e) => {
                    assert_eq!(e.code(), samewire::Code::InvalidSchema, "{stem}: {e}");
                    *reasons.entry(reason(&e)).or_default() += tests.len();
                    skipped += tests.len();
                    continue;
                }
            };
            for test in tests {
                let verdict = schema.validate(Format::Json, &text(test.get("data").unwrap()), &options);
                let wanted = test.get("valid") == Some(&Value::Bool(true));
                if verdict.is_ok() == wanted {
                    good += 1;
                } else {
                    wrong.push(format!(
                        "{stem} | {} | {} | {wanted} | {verdict:?}",
                        name(group, "description"),
                        name(test, "description")
                    ));
                }
            }
        }
        agreeing += good;
        refused += skipped;
        writeln!(
            table,
            "| {stem} | {} | {good} | {skipped} |",
            groups
                .iter()
                .map(|g| match g.get("tests") {
                    Some(Value::Array(t)) => t.len(),
                    _ => 0,
                })
                .sum::<usize>()
        )
        .unwrap();
    }
    let mut found = format!(
        "| file | tests | agree | refused |\n|---|---|---|---|\n{table}| all | {all} | {agreeing} | {refused} |\n\n| reason | tests |\n|---|---|\n"
    );
    for (why, n) in &reasons {
        writeln!(found, "| {why} | {n} |").unwrap();
    }
    println!("{found}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let page =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/schema-test-suite.md")).unwrap();
    for line in found.lines().filter(|l| !l.is_empty()) {
        assert!(page.lines().any(|l| l == line), "docs/schema-test-suite.md lacks: {line}");
    }
}
