//! The compatibility check, rule by rule. The random counterpart is the example `compat-soundness`.

use samewire::schema::{Finding, Mode, Schema, Severity, check, check_history, is_compatible};
use samewire::{Format, Options};

fn schema(text: &str) -> Schema {
    Schema::from_json(text.as_bytes()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// `MODE rule path severity` of each finding; every error's witness is tried.
fn findings(old: &str, new: &str) -> Vec<String> {
    let (old, new) = (schema(old), schema(new));
    let all = check(&old, &new, Mode::Full);
    for f in all.iter().filter(|f| f.severity == Severity::Error && f.format != "packed") {
        let (writer, reader) = if f.mode == "BACKWARD" { (&old, &new) } else { (&new, &old) };
        let witness = f.witness.as_ref().unwrap_or_else(|| panic!("{f:?}"));
        let o = Options::default();
        let fails = |format| writer.write(format, witness, &o).is_ok_and(|b| reader.validate(format, &b, &o).is_err());
        let formats: Vec<Format> =
            Format::ALL.into_iter().filter(|x| f.format == "both" || f.format == x.as_str()).collect();
        assert!(formats.into_iter().any(fails), "{f:?}");
    }
    all.iter().map(shown).collect()
}

fn shown(f: &Finding) -> String {
    format!("{} {} {} {}", f.mode, f.rule, f.path, f.severity.as_str())
}

fn record(properties: &str, rest: &str) -> String {
    format!(r#"{{"type":"object","properties":{{{properties}}}{rest}}}"#)
}

#[test]
fn fields() {
    let a = record(r#""a":{"type":"string"}"#, r#","required":["a"]"#);
    let ab = record(r#""a":{"type":"string"},"b":{"type":"integer"}"#, r#","required":["a"]"#);
    let ab_required = record(r#""a":{"type":"string"},"b":{"type":"integer"}"#, r#","required":["a","b"]"#);
    let ab_default = record(r#""a":{"type":"string"},"b":{"type":"integer","default":1}"#, r#","required":["a","b"]"#);
    assert_eq!(findings(&a, &a), [""; 0]);
    assert_eq!(findings(&a, &ab), ["BACKWARD field-added /b info", "FORWARD field-added /b info"]);
    assert_eq!(findings(&a, &ab_default), ["BACKWARD field-added /b info", "FORWARD field-added /b info"]);
    assert_eq!(findings(&a, &ab_required), ["BACKWARD field-added /b error", "FORWARD field-added /b info"]);
    assert_eq!(findings(&ab_required, &a), ["BACKWARD field-removed /b warning", "FORWARD field-removed /b error"]);
    let reserved = record(r#""a":{"type":"string"}"#, r#","required":["a"],"reserved":["b"]"#);
    assert_eq!(findings(&ab, &reserved), ["BACKWARD field-removed /b info"]);
    assert_eq!(findings(&ab, &ab_required), ["BACKWARD field-made-required /b error"]);
    assert_eq!(findings(&ab_required, &ab), ["FORWARD field-made-optional /b error"]);
    assert_eq!(findings(&ab, &ab_default), ["BACKWARD default-changed /b warning"]);
}

#[test]
fn renames_and_ids() {
    let old = record(r#""a":{"type":"string","id":1}"#, r#","required":["a"]"#);
    let alias = record(r#""b":{"type":"string","aliases":["a"],"id":1}"#, r#","required":["b"]"#);
    assert_eq!(
        findings(&old, &alias),
        ["BACKWARD field-renamed /a info", "FORWARD field-added /b info", "FORWARD field-renamed /a error"]
    );
    let plain = record(r#""b":{"type":"string","id":1}"#, r#","required":["b"]"#);
    let found = findings(&old, &plain);
    assert!(found.contains(&"BACKWARD field-added /b error".to_string()), "{found:?}");
    assert!(found.contains(&"BACKWARD id-reused /a error".to_string()), "{found:?}");
    let both = record(r#""a":{"type":"string"},"b":{"type":"string"}"#, "");
    let clash = record(r#""b":{"type":"string","aliases":["a"]}"#, "");
    assert!(findings(&both, &clash).contains(&"BACKWARD field-renamed  error".to_string()));
}

#[test]
fn types() {
    let of = |t: &str| record(&format!(r#""a":{t}"#), r#","required":["a"]"#);
    let cases = [
        (r#"{"type":"integer","format":"int32"}"#, r#"{"type":"integer","format":"int64"}"#, vec!["FORWARD"]),
        (r#"{"type":"integer","format":"int32"}"#, r#"{"type":"number"}"#, vec!["FORWARD"]),
        (r#"{"type":"integer","format":"int64"}"#, r#"{"type":"number"}"#, vec!["BACKWARD", "FORWARD"]),
        (
            r#"{"type":"integer","format":"int32"}"#,
            r#"{"type":"integer","format":"uint32"}"#,
            vec!["BACKWARD", "FORWARD"],
        ),
        (r#"{"type":"number","format":"float"}"#, r#"{"type":"number"}"#, vec!["FORWARD"]),
        (r#"{"type":"string"}"#, r#"{"type":"integer"}"#, vec!["BACKWARD", "FORWARD"]),
        (r#"{"type":"string"}"#, r#"{"type":"array","items":{"type":"string"}}"#, vec!["BACKWARD", "FORWARD"]),
        (
            r#"{"type":"string"}"#,
            r#"{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}"#,
            vec!["FORWARD"],
        ),
        (
            r#"{"type":"object","additionalProperties":{"type":"integer"}}"#,
            r#"{"type":"array","items":{}}"#,
            vec!["BACKWARD", "FORWARD"],
        ),
        (r#"{"type":"boolean"}"#, r#"{"type":"integer"}"#, vec!["BACKWARD", "FORWARD"]),
    ];
    for (old, new, modes) in cases {
        let expected: Vec<String> = modes.iter().map(|m| format!("{m} type-changed /a error")).collect();
        assert_eq!(findings(&of(old), &of(new)), expected, "{old} {new}");
    }
    // In JSON a timestamp is a string already; in MessagePack it is not.
    let found = check(
        &schema(&of(r#"{"type":"string","format":"date-time"}"#)),
        &schema(&of(r#"{"type":"string"}"#)),
        Mode::Backward,
    );
    assert_eq!((shown(&found[0]), found[0].format), ("BACKWARD type-changed /a error".into(), "msgpack"));
    assert_eq!(
        findings(&of(r#"{"type":"string"}"#), &of(r#"{"type":["string","null"]}"#)),
        ["FORWARD nullable-added /a error"]
    );
    assert_eq!(
        findings(&of(r#"{"type":["string","null"]}"#), &of(r#"{"type":"string"}"#)),
        ["BACKWARD nullable-removed /a error"]
    );
}

#[test]
fn enums_and_unions() {
    let ab = r#"{"enum":["a","b"]}"#;
    assert_eq!(findings(ab, r#"{"enum":["a","b","c"]}"#), ["FORWARD enum-member-added  error"]);
    assert_eq!(findings(ab, r#"{"enum":["a"]}"#), ["BACKWARD enum-member-removed  error"]);
    assert_eq!(
        findings(ab, r#"{"enum":["b","a"]}"#),
        ["BACKWARD enum-reordered  info", "FORWARD enum-reordered  info"]
    );
    assert_eq!(findings(r#"{"enum":["a","b"],"fallback":"a"}"#, r#"{"enum":["a","b","c"],"fallback":"a"}"#), [""; 0]);
    let arm = |t: &str| format!(r#"{{"type":"object","properties":{{"t":{{"const":"{t}"}}}},"required":["t"]}}"#);
    let union = |arms: &[&str], rest: &str| {
        let arms: Vec<String> = arms.iter().map(|t| arm(t)).collect();
        format!(r#"{{"oneOf":[{}],"discriminator":{{"propertyName":"t"}}{rest}}}"#, arms.join(","))
    };
    assert_eq!(findings(&union(&["a"], ""), &union(&["a", "b"], "")), ["FORWARD union-arm-added  error"]);
    assert_eq!(findings(&union(&["a", "b"], ""), &union(&["a"], "")), ["BACKWARD union-arm-removed  error"]);
    assert_eq!(findings(&union(&["a"], r#","fallback":"a""#), &union(&["a", "b"], r#","fallback":"a""#)), [""; 0]);
}

#[test]
fn constraints_and_closing() {
    for (loose, tight) in [
        (r#"{"type":"integer","minimum":0}"#, r#"{"type":"integer","minimum":1}"#),
        (r#"{"type":"number"}"#, r#"{"type":"number","multipleOf":0.5}"#),
        (r#"{"type":"string"}"#, r#"{"type":"string","maxLength":3}"#),
        (r#"{"type":"string"}"#, r#"{"type":"string","pattern":"^[a-z]+$"}"#),
        (r#"{"type":"array","items":{}}"#, r#"{"type":"array","items":{},"minItems":1}"#),
        (r#"{"type":"object"}"#, r#"{"type":"object","maxProperties":2}"#),
    ] {
        assert_eq!(findings(loose, tight), ["BACKWARD constraint-tightened  error"], "{tight}");
        assert_eq!(findings(tight, loose), ["FORWARD constraint-loosened  error"], "{tight}");
    }
    let open = record(r#""a":{"type":"string"}"#, r#","additionalProperties":{"type":"string"}"#);
    let closed = record(r#""a":{"type":"string"}"#, r#","additionalProperties":false"#);
    assert_eq!(findings(&open, &closed), ["BACKWARD record-closed  error"]);
    assert_eq!(findings(&closed, &open), ["FORWARD record-opened  error"]);
    let more = record(r#""a":{"type":"string"},"b":{"type":"string"}"#, r#","additionalProperties":false"#);
    assert_eq!(findings(&closed, &more), ["BACKWARD field-added /b info", "FORWARD field-added /b error"]);
}

#[test]
fn recursion_ends() {
    let tree = |leaf: &str| {
        format!(
            r##"{{"type":"object","properties":{{"v":{{"type":"{leaf}"}},"kids":{{"type":"array","items":{{"$ref":"#"}}}}}}}}"##
        )
    };
    assert_eq!(
        findings(&tree("string"), &tree("integer")),
        ["BACKWARD type-changed /v error", "FORWARD type-changed /v error"]
    );
}

#[test]
fn histories() {
    let v1 = schema(&record(r#""a":{"type":"string"}"#, r#","required":["a"]"#));
    let v2 = schema(&record(r#""a":{"type":"string"},"b":{"type":"string"}"#, r#","required":["a"]"#));
    let v3 =
        schema(&record(r#""a":{"type":"string"},"b":{"type":"string","default":"x"}"#, r#","required":["a","b"]"#));
    let v4 = schema(&record(r#""b":{"type":"string"}"#, r#","required":["b"]"#));
    let history = [v1, v2, v3];
    assert!(is_compatible(&check_history(&history, &history[2], Mode::FullTransitive)));
    assert!(check_history(&history, &v4, Mode::None).is_empty());
    // The last one has a default for b but writes it not always.
    let found = check_history(&history, &v4, Mode::BackwardTransitive);
    let against: Vec<_> = found.iter().filter(|f| f.severity == Severity::Error).map(|f| (f.against, f.rule)).collect();
    assert_eq!(against, [(Some(0), "field-added"), (Some(1), "field-made-required"), (Some(2), "field-made-required")]);
    assert!(Mode::parse("backward").is_err());
    assert_eq!(Mode::ALL.map(|m| Mode::parse(m.as_str()).unwrap()), Mode::ALL);
}
