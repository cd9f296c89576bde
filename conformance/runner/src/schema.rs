//! What a case about schemas asks (vectors/schema/README.md). Documents go to a testee as JSON text, so that it
//! compiles what a user would give it.

use serde_json::{Map as Object, Value as Json, json};

use crate::case::{Builder, Want, bytes_of, fault};
use crate::value::{Value, hex};

const FORMATS: [&str; 2] = ["msgpack", "json"];

pub fn checks(out: &mut Builder<'_>, body: &Object<String, Json>) -> Result<(), String> {
    let text = |key: &str| body.get(key).and_then(Json::as_str);
    let schema = |key: &str| body.get(key).map(Json::to_string);
    let value = || Ok::<_, String>(Value::from_tagged(body.get("value").ok_or("no value")?)?.to_tagged());
    if let Some(document) = schema("document") {
        let want = Want::Fault(fault(body.get("error").ok_or("a document that is taken asks nothing")?)?);
        out.push("compile", json!({"op": "schema-compile", "schema": document}), want);
    } else if let (Some(old), Some(new)) = (schema("old"), schema("new")) {
        let mode = text("mode").ok_or("no mode")?;
        out.push("check", json!({"op": "schema-check", "old": old, "new": new, "mode": mode}), findings(body)?);
    } else if let (Some(writer), Some(reader)) = (schema("writer"), schema("reader")) {
        for format in FORMATS {
            let request = json!({"op": "schema-resolve", "format": format, "writer": writer, "reader": reader, "value": value()?});
            out.push(&format!("resolve-{format}"), request, reading(body)?);
        }
    } else if let Some(writer) = schema("writer") {
        for format in FORMATS {
            let want = match text(format) {
                Some(wanted) => Want::Bytes(bytes_of(format, wanted)?, vec![]),
                None => Want::Fault(fault(body.get("error").ok_or("neither encodings nor an error")?)?),
            };
            let request = json!({"op": "schema-encode", "format": format, "schema": writer, "value": value()?});
            out.push(&format!("write-{format}"), request, want);
        }
    } else {
        let reader = schema("reader").ok_or("neither a writer nor a reader")?;
        let input = |format: &str| Ok::<_, String>(hex(&bytes_of(format, text("input").ok_or("no input")?)?));
        if let (Some(from), Some(to)) = (text("from"), text("to")) {
            let gives = bytes_of(to, text("gives").ok_or("what does it give?")?)?;
            let request =
                json!({"op": "schema-transcode", "schema": reader, "from": from, "to": to, "input": input(from)?});
            out.push("transcode", request, Want::Bytes(gives, vec![]));
        } else {
            let format = text("format").ok_or("no format")?;
            let request = json!({"op": "schema-decode", "format": format, "schema": reader, "input": input(format)?});
            out.push("read", request, reading(body)?);
        }
    }
    Ok(())
}

fn reading(body: &Object<String, Json>) -> Result<Want, String> {
    Ok(match body.get("reads") {
        Some(value) => Want::Value(Value::from_tagged(value)?),
        None => Want::Fault(fault(body.get("error").ok_or("neither reads nor an error")?)?),
    })
}

fn findings(body: &Object<String, Json>) -> Result<Want, String> {
    if let Some(compatible) = body.get("compatible") {
        return Ok(Want::Compatible(compatible.as_bool().ok_or("compatible is a bool")?));
    }
    let list = body.get("findings").and_then(Json::as_array).ok_or("neither findings nor compatible")?;
    Ok(Want::Findings(list.iter().map(finding).collect()))
}

/// What is compared of a finding; the advice may be worded better any day.
fn finding(given: &Json) -> Json {
    let text = |key: &str| given[key].as_str().unwrap_or_default();
    let format = given["format"].as_str().unwrap_or("both");
    json!([text("mode"), text("rule"), text("path"), text("severity"), format])
}

/// What an answer to `schema-check` has wrong.
pub fn wrong_findings(want: &Want, got: &Json) -> Option<String> {
    let Some(list) = got.as_array() else { return Some("findings are an array".into()) };
    let right = match want {
        Want::Compatible(wanted) => list.iter().all(|f| f["severity"] != "error") == *wanted,
        Want::Findings(wanted) => list.iter().map(finding).eq(wanted.iter().cloned()),
        _ => false,
    };
    (!right).then(|| Json::from_iter(list.iter().map(finding)).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_too_many_or_of_another_kind_is_wrong() {
        let f = |severity: &str| json!({"mode": "BACKWARD", "rule": "r", "path": "/a", "severity": severity});
        let want = Want::Findings(vec![finding(&f("error"))]);
        assert_eq!(wrong_findings(&want, &json!([f("error")])), None);
        assert!(wrong_findings(&want, &json!([f("warning")])).is_some());
        assert!(wrong_findings(&want, &json!([])).is_some());
        assert!(wrong_findings(&want, &json!([f("error"), f("error")])).is_some());
        assert!(wrong_findings(&Want::Compatible(true), &json!([f("error")])).is_some());
        assert!(wrong_findings(&Want::Compatible(false), &json!([f("warning")])).is_some());
        assert_eq!(wrong_findings(&Want::Compatible(true), &json!([f("warning")])), None);
    }
}
