//! Findings about a schema in the forms that continuous integration shows: SARIF 2.1.0 and JUnit's XML.

use std::fmt::Write as _;

use samewire::Value;
use samewire::schema::{Mode, Severity};

use crate::output;
use crate::schema::Judged;

/// Static Analysis Results Interchange Format (OASIS, 2.1.0): one result a finding, placed at the new schema.
pub fn sarif(findings: &[Judged<'_>], new: &str) -> String {
    let mut rules: Vec<&str> = findings.iter().map(|f| f.finding.rule).collect();
    rules.sort_unstable();
    rules.dedup();
    let rules = rules.into_iter().map(|rule| output::object([("id", rule.into())])).collect();
    let results = findings
        .iter()
        .map(|one| {
            let f = one.finding;
            let level = match f.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Info => "note",
            };
            let text = format!("{} ({}, against {}): {}", place(&f.path), f.mode, one.old, f.advice);
            let artifact = output::object([("uri", new.into())]);
            let physical = output::object([("artifactLocation", artifact)]);
            let logical = output::object([("fullyQualifiedName", f.path.as_str().into())]);
            let location =
                output::object([("physicalLocation", physical), ("logicalLocations", Value::Array(vec![logical]))]);
            output::object([
                ("ruleId", f.rule.into()),
                ("level", level.into()),
                ("message", output::object([("text", text.as_str().into())])),
                ("locations", Value::Array(vec![location])),
            ])
        })
        .collect();
    let driver = output::object([
        ("name", "samewire".into()),
        ("version", env!("CARGO_PKG_VERSION").into()),
        ("rules", Value::Array(rules)),
    ]);
    let run = output::object([("tool", output::object([("driver", driver)])), ("results", Value::Array(results))]);
    output::json_line(&output::object([
        ("$schema", "https://json.schemastore.org/sarif-2.1.0.json".into()),
        ("version", "2.1.0".into()),
        ("runs", Value::Array(vec![run])),
    ]))
}

/// JUnit's XML: one case for each old schema, failed by the errors that stand against it.
pub fn junit(findings: &[Judged<'_>], old: &[String], new: &str, mode: Mode) -> String {
    let errors_of = |name: &str| -> Vec<&Judged<'_>> {
        findings.iter().filter(|f| f.finding.severity == Severity::Error && f.old == name).collect()
    };
    let failures = old.iter().filter(|name| !errors_of(name).is_empty()).count();
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        text,
        "<testsuite name=\"samewire schema check {} {}\" tests=\"{}\" failures=\"{failures}\">",
        mode.as_str(),
        escaped(new),
        old.len(),
    );
    for name in old {
        let _ = write!(text, "  <testcase classname=\"{}\" name=\"{}\"", escaped(new), escaped(name));
        let errors = errors_of(name);
        if errors.is_empty() {
            text += "/>\n";
            continue;
        }
        text += ">\n";
        for one in errors {
            let f = one.finding;
            let _ = writeln!(
                text,
                "    <failure type=\"{}\" message=\"{} ({})\">{}</failure>",
                f.rule,
                escaped(&place(&f.path)),
                f.mode,
                escaped(&f.advice),
            );
        }
        text += "  </testcase>\n";
    }
    text += "</testsuite>\n";
    text
}

fn place(path: &str) -> String {
    if path.is_empty() { "the whole value".into() } else { path.into() }
}

/// Text for XML 1.0, which has no place for most control characters.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '&' => out += "&amp;",
            '"' => out += "&quot;",
            c if c < ' ' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
