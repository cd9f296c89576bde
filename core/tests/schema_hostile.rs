//! Schemas that are made to hurt are refused, or cost what they weigh. No test here has a clock: what is not bounded
//! does not come to its end.
#![cfg(feature = "schema")]

use samewire::schema::{Mode, Schema, check};
use samewire::{Code, Format, Options};

fn compile(document: &str) -> Result<Schema, samewire::Error> {
    Schema::from_json(document.as_bytes())
}

/// The refusal of a document.
fn refused(document: &str) -> Code {
    compile(document).expect_err("it should be refused").code()
}

fn validate(schema: &Schema, json: &str) -> Result<(), Code> {
    schema.validate(Format::Json, json.as_bytes(), &Options::default()).map_err(|e| e.code())
}

#[test]
fn depth_ends() {
    for n in [1_000, 1_000_000] {
        let nested = r#"{"items":"#.repeat(n) + "{}" + &"}".repeat(n);
        assert!(matches!(refused(&nested), Code::InvalidSchema | Code::DepthExceeded), "{n}");
        let unions = r#"{"anyOf":["#.repeat(n) + "{}" + &"]}".repeat(n);
        assert!(matches!(refused(&unions), Code::InvalidSchema | Code::DepthExceeded), "{n}");
    }
    // A schema that is endless with data in between is fine: the data's depth has a limit.
    let list = compile(r##"{"type":"array","items":{"$ref":"#"}}"##).unwrap();
    assert_eq!(validate(&list, &("[".repeat(100) + &"]".repeat(100))), Ok(()));
    assert_eq!(validate(&list, &"[".repeat(1_000_000)), Err(Code::DepthExceeded));
}

#[test]
fn references_end() {
    for document in [
        r##"{"$ref":"#"}"##,
        r##"{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}"##,
        r##"{"anyOf":[{"$ref":"#"},{"type":"null"}]}"##,
        r##"{"$ref":"#/$defs/a","$defs":{"a":{"oneOf":[{"$ref":"#/$defs/b"},{"type":"null"}]},"b":{"anyOf":[{"$ref":"#/$defs/a"},{"type":"string"}]}}}"##,
        r##"{"$ref":"#/$defs/nobody"}"##,
        r##"{"$ref":"https://example.com/schema.json"}"##,
    ] {
        assert_eq!(refused(document), Code::InvalidSchema, "{document}");
    }
    let chain: Vec<String> = (0..20_000).map(|i| format!(r##""d{i}":{{"$ref":"#/$defs/d{}"}}"##, i + 1)).collect();
    let document =
        format!(r##"{{"$ref":"#/$defs/d0","$defs":{{{},"d20000":{{"type":"integer"}}}}}}"##, chain.join(","));
    assert_eq!(refused(&document), Code::InvalidSchema);
}

#[test]
fn unions_cost_what_they_weigh() {
    // Each level has the one below twice: two to the power of 20 arms, if they were counted out. More levels are
    // more references in a row than a document may have.
    let levels = |n: usize| -> String {
        let level = |i: usize| {
            format!(r##""u{i}":{{"anyOf":[{{"$ref":"#/$defs/u{}"}},{{"$ref":"#/$defs/u{}"}}]}}"##, i - 1, i - 1)
        };
        let defs: Vec<String> = (1..n).map(level).collect();
        let defs = defs.join(",");
        let last = n - 1;
        format!(r##"{{"$ref":"#/$defs/u{last}","$defs":{{"u0":{{"type":["integer","string"]}},{defs}}}}}"##)
    };
    let schema = compile(&levels(20)).unwrap();
    assert_eq!((validate(&schema, "1"), validate(&schema, "[]")), (Ok(()), Err(Code::TypeMismatch)));
    assert_eq!(refused(&levels(5_000)), Code::InvalidSchema);

    // Records in unions in unions, each level with all tags of the one below and one more.
    let arm = |i: usize| format!(r#"{{"type":"object","properties":{{"t":{{"const":"t{i}"}}}},"required":["t"]}}"#);
    let arms: Vec<String> = (0..5_000).map(arm).collect();
    assert_eq!(refused(&format!(r#"{{"oneOf":[{}]}}"#, arms.join(","))), Code::InvalidSchema);
    let levels: Vec<String> =
        (1..400).map(|i| format!(r##""u{i}":{{"anyOf":[{{"$ref":"#/$defs/u{}"}},{}]}}"##, i - 1, arm(i))).collect();
    let document = format!(r##"{{"$ref":"#/$defs/u399","$defs":{{"u0":{},{}}}}}"##, arm(0), levels.join(","));
    match compile(&document) {
        Ok(schema) => assert_eq!(validate(&schema, r#"{"t":"t398"}"#), Ok(())),
        Err(error) => assert_eq!(error.code(), Code::InvalidSchema),
    }
}

#[test]
fn many_fields_and_members_are_found_at_once() {
    let fields: Vec<String> = (0..15_000).map(|i| format!(r#""field-{i}":{{"type":"integer"}}"#)).collect();
    let wide = compile(&format!(r#"{{"properties":{{{}}}}}"#, fields.join(","))).unwrap();
    let backwards: Vec<String> = (0..15_000).rev().map(|i| format!(r#""field-{i}":{i}"#)).collect();
    assert_eq!(validate(&wide, &format!("{{{}}}", backwards.join(","))), Ok(()));
    let twice = format!(r#"{{{},"field-7":7}}"#, backwards.join(","));
    assert_eq!(validate(&wide, &twice), Err(Code::DuplicateKey));
    let members: Vec<String> = (0..100_000).map(|i| format!(r#""member-{i}""#)).collect();
    let list = compile(&format!(r#"{{"items":{{"enum":[{}]}}}}"#, members.join(","))).unwrap();
    assert_eq!(validate(&list, &format!("[{}]", members.join(","))), Ok(()));
    let fields: Vec<String> = (0..100_000).map(|i| format!(r#""f{i}":{{}}"#)).collect();
    assert_eq!(refused(&format!(r#"{{"properties":{{{}}}}}"#, fields.join(","))), Code::InvalidSchema);
}

#[test]
fn patterns_are_linear_or_refused() {
    let long = format!(r#""{}!""#, "a".repeat(100_000));
    for pattern in ["^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "(a*)*b", "^([a-zA-Z]+)*$"] {
        let schema = compile(&format!(r#"{{"type":"string","pattern":"{pattern}"}}"#)).unwrap();
        assert_eq!(validate(&schema, &long), Err(Code::ConstraintViolated), "{pattern}");
    }
    for pattern in ["(((a{1000}){1000}){1000}){1000}", "(a)\\\\1", "(?<=a)b", "(", "a{2,1}"] {
        assert_eq!(refused(&format!(r#"{{"type":"string","pattern":"{pattern}"}}"#)), Code::InvalidSchema, "{pattern}");
    }
    let long = "(".repeat(10_000) + "a" + &")".repeat(10_000);
    assert_eq!(refused(&format!(r#"{{"type":"string","pattern":"{long}"}}"#)), Code::InvalidSchema);
}

#[test]
fn numbers_of_any_size_are_compared() {
    for (rule, good, bad) in [
        (r#""maximum":1e999999999"#, "5", None),
        (r#""minimum":-1e999999999"#, "-5", None),
        (r#""multipleOf":1e-300"#, "7", None),
        (r#""exclusiveMaximum":1e-300"#, "0", Some("1")),
    ] {
        // A document may refuse such a number, but never by running out of memory over its digits.
        let Ok(schema) = compile(&format!(r#"{{"type":"number",{rule}}}"#)) else { continue };
        assert_eq!(validate(&schema, good), Ok(()), "{rule}");
        if let Some(bad) = bad {
            assert_eq!(validate(&schema, bad), Err(Code::ConstraintViolated), "{rule}");
        }
    }
    let integer = compile(r#"{"type":"integer"}"#).unwrap();
    for number in ["1e999999999", "-1e99999", "1.5e400000000000"] {
        assert!(validate(&integer, number).is_err(), "{number}");
    }
    let digits = "9".repeat(1_000_000);
    let any = validate(&integer, &digits);
    assert!(any.is_ok() || any == Err(Code::IntegerOutOfRange), "{any:?}");
}

#[test]
fn defaults_do_not_multiply() {
    let levels: Vec<String> = (1..40)
        .map(|i| {
            let below = format!(r##"{{"$ref":"#/$defs/d{}","default":{{}}}}"##, i - 1);
            format!(r#""d{i}":{{"type":"object","properties":{{"a":{below},"b":{below}}}}}"#)
        })
        .collect();
    let document = format!(
        r##"{{"$ref":"#/$defs/d39","$defs":{{"d0":{{"type":"object","properties":{{"x":{{"type":"integer","default":1}}}}}},{}}}}}"##,
        levels.join(",")
    );
    assert_eq!(refused(&document), Code::InvalidSchema);
    let endless = r##"{"type":"object","properties":{"next":{"$ref":"#","default":{}}}}"##;
    assert_eq!(refused(endless), Code::InvalidSchema);
}

#[test]
fn hostile_pairs_are_judged() {
    let list = |name: &str| {
        format!(
            r##"{{"$ref":"#/$defs/n","$defs":{{"n":{{"type":"object","properties":{{"{name}":{{"anyOf":[{{"$ref":"#/$defs/n"}},{{"type":"array","items":{{"$ref":"#/$defs/n"}}}},{{"type":"null"}}]}}}}}}}}}}"##
        )
    };
    let (a, b) = (compile(&list("a")).unwrap(), compile(&list("b")).unwrap());
    assert!(check(&a, &a, Mode::Full).is_empty());
    check(&a, &b, Mode::Full);
    // Sixty records that refer to all sixty: every pair is met once, however many ways lead there.
    let web = |kind: &str| {
        let records: Vec<String> = (0..60)
            .map(|i| {
                let fields: Vec<String> = (0..60).map(|j| format!(r##""f{j}":{{"$ref":"#/$defs/r{j}"}}"##)).collect();
                format!(r#""r{i}":{{"type":"object","properties":{{"own":{{"type":"{kind}"}},{}}}}}"#, fields.join(","))
            })
            .collect();
        compile(&format!(r##"{{"$ref":"#/$defs/r0","$defs":{{{}}}}}"##, records.join(","))).unwrap()
    };
    let findings = check(&web("integer"), &web("string"), Mode::Backward);
    assert!(findings.iter().any(|f| f.rule == "type-changed"));
}
