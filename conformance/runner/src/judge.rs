//! Whether an answer is the wanted one.

use serde_json::Value as Json;

use crate::case::{Check, Fault, Want, parse};
use crate::schema::wrong_findings;
use crate::testee::{Answer, Hello};
use crate::value::{Value, unhex};

/// What came of one check.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    Pass,
    /// What was said instead.
    Fail(String),
    Skip(String),
}

/// Why a check is not put to a testee at all.
pub fn not_asked(check: &Check, hello: &Hello) -> Option<String> {
    if let Some(reason) = &check.skip {
        return Some(reason.clone());
    }
    let request = &check.request;
    let text = |key: &str| request[key].as_str().unwrap_or_default();
    if !hello.ops.iter().any(|o| o == text("op")) {
        return Some(format!("has no {}", text("op")));
    }
    for format in [text("format"), text("from"), text("to")] {
        if !format.is_empty() && !hello.formats.iter().any(|f| f == format) {
            return Some(format!("has no {format}"));
        }
    }
    if !hello.options.iter().any(|o| o == "*") {
        for name in request["options"].as_object().into_iter().flat_map(|o| o.keys()) {
            if !hello.options.contains(name) {
                return Some(format!("has no option {name}"));
            }
        }
    }
    let mut found = Value::from_tagged(&request["value"]).ok().and_then(|v| lacking(&v, &hello.lacks));
    match &check.want {
        Want::Value(value) => found = found.or_else(|| lacking(value, &hello.lacks)),
        Want::Stream(values, _) => found = found.or_else(|| values.iter().find_map(|v| lacking(v, &hello.lacks))),
        _ => {}
    }
    if let Some(kind) = found {
        return Some(format!("has no {kind}"));
    }
    if hello.unordered_maps && text("op") == "encode" && text("format") == "msgpack" {
        let many = |v: &Value| matches!(v, Value::Map(pairs) if pairs.len() > 1);
        if Value::from_tagged(&request["value"]).is_ok_and(|v| v.any(&mut |v| many(v))) {
            return Some("its maps have no order".into());
        }
    }
    None
}

/// The first kind inside a value that is among those named.
pub fn lacking(value: &Value, kinds: &[String]) -> Option<&'static str> {
    let mut found = None;
    if !kinds.is_empty() {
        value.any(&mut |v| {
            found = Some(kind_of(v)).filter(|kind| kinds.iter().any(|k| k == kind));
            found.is_some()
        });
    }
    found
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Int(digits) if digits.parse::<i64>().is_err() && digits.parse::<u64>().is_err() => "bigint",
        Value::Int(_) => "int",
        Value::Float(bits) if !f64::from_bits(*bits).is_finite() => "non-finite",
        Value::Float(_) => "float",
        Value::Str(_) => "str",
        Value::Bin(_) => "bin",
        Value::Array(_) => "array",
        Value::Map(pairs) if pairs.iter().any(|(k, _)| !matches!(k, Value::Str(_))) => "map-key",
        Value::Map(_) => "map",
        Value::Time(..) => "timestamp",
        Value::Ext(..) => "ext",
    }
}

/// Judges one answer.
pub fn judge(check: &Check, answer: &Answer, hello: &Hello) -> Verdict {
    let said = |what: String| Verdict::Fail(what);
    match (&check.want, answer) {
        (_, Answer::Skipped(reason)) => Verdict::Skip(reason.clone()),
        (_, Answer::Crash(why)) => said(format!("crashed: {why}")),
        (_, Answer::TimeOut) => said("no answer in time".into()),
        (_, Answer::Nonsense(text)) => said(format!("not in the protocol: {text}")),
        (Want::Fault(fault), Answer::Error { .. }) => match wrong_fault(fault, answer, hello) {
            None => Verdict::Pass,
            Some(why) => said(why),
        },
        (Want::Fault(fault), Answer::Ok(json)) => said(format!("accepted, as {}; wanted {}", short(json), fault.code)),
        (Want::Bytes(..) | Want::Value(_) | Want::Findings(_) | Want::Compatible(_), Answer::Error { .. }) => {
            said(shown(answer))
        }
        (want @ (Want::Findings(_) | Want::Compatible(_)), Answer::Ok(json)) => {
            wrong_findings(want, json).map_or(Verdict::Pass, Verdict::Fail)
        }
        (Want::Bytes(exact, others), Answer::Ok(json)) => bytes(check, exact, others, json, hello),
        (Want::Value(want), Answer::Ok(json)) => match Value::from_tagged(json) {
            Ok(got) if same(want, &got, hello) => Verdict::Pass,
            Ok(_) => said(short(json)),
            Err(why) => said(why),
        },
        (Want::Stream(values, fault), Answer::Stream(got, error)) => {
            stream(values, fault.as_ref(), got, error.as_deref(), hello)
        }
        (Want::Stream(..), other) => said(format!("not an answer to a stream: {}", shown(other))),
        (_, Answer::Stream(..)) => said("a stream's answer".into()),
    }
}

fn same(want: &Value, got: &Value, hello: &Hello) -> bool {
    if hello.unordered_maps { want.unordered() == got.unordered() } else { want == got }
}

fn bytes(check: &Check, exact: &[u8], others: &[Vec<u8>], json: &Json, hello: &Hello) -> Verdict {
    let Some(text) = json.as_str() else {
        return Verdict::Fail(format!("bytes are a string of hex, not {}", short(json)));
    };
    let got = match unhex(text) {
        Ok(got) => got,
        Err(why) => return Verdict::Fail(why),
    };
    if got == exact || !hello.strict && others.contains(&got) {
        return Verdict::Pass;
    }
    let is_json = check.request["format"] == "json" || check.request["to"] == "json";
    // JSON says the same in many layouts. Who does not promise ours is held to the meaning.
    let meaning =
        |bytes: &[u8]| std::str::from_utf8(bytes).ok().and_then(|t| parse(t).ok()).and_then(|j| literally(&j));
    if is_json
        && !hello.strict
        && let (Some(a), Some(b)) = (meaning(exact), meaning(&got))
        && same(&a, &b, hello)
    {
        return Verdict::Pass;
    }
    Verdict::Fail(if is_json { String::from_utf8_lossy(&got).into_owned() } else { text.to_owned() })
}

/// JSON as itself, objects with `$` keys too.
fn literally(json: &Json) -> Option<Value> {
    Some(match json {
        Json::Array(items) => Value::Array(items.iter().map(literally).collect::<Option<_>>()?),
        Json::Object(object) => {
            Value::Map(object.iter().map(|(k, v)| Some((Value::text(k), literally(v)?))).collect::<Option<_>>()?)
        }
        scalar => Value::from_tagged(scalar).ok()?,
    })
}

fn wrong_fault(want: &Fault, got: &Answer, hello: &Hello) -> Option<String> {
    let Answer::Error { code, offset, path, .. } = got else { return Some(shown(got)) };
    if !hello.strict {
        return None;
    }
    let wrong = *code != want.code
        || want.offset.is_some() && *offset != want.offset
        || want.path.is_some() && path.as_deref().unwrap_or("") != want.path.as_deref().unwrap_or("");
    wrong.then(|| shown(got))
}

fn stream(values: &[Value], fault: Option<&Fault>, got: &[Json], error: Option<&Answer>, hello: &Hello) -> Verdict {
    let read: Vec<_> = got.iter().map(Value::from_tagged).collect();
    let equal = read.len() == values.len()
        && values.iter().zip(&read).all(|(w, g)| g.as_ref().is_ok_and(|g| same(w, g, hello)));
    if !equal {
        return Verdict::Fail(format!("values {}", short(&Json::Array(got.to_vec()))));
    }
    match (fault, error) {
        (None, None) => Verdict::Pass,
        (Some(want), Some(got)) => wrong_fault(want, got, hello).map_or(Verdict::Pass, Verdict::Fail),
        (Some(want), None) => Verdict::Fail(format!("no error; wanted {}", want.code)),
        (None, Some(got)) => Verdict::Fail(shown(got)),
    }
}

/// An answer in one line.
pub fn shown(answer: &Answer) -> String {
    match answer {
        Answer::Ok(json) => short(json),
        Answer::Error { code, offset, path, message } => {
            let offset = offset.map_or(String::new(), |o| format!(" at byte {o}"));
            let path = path.as_deref().filter(|p| !p.is_empty()).map_or(String::new(), |p| format!(" in {p}"));
            let message: String = message.chars().take(200).collect();
            format!("error {code}{offset}{path}: {message}")
        }
        Answer::Stream(values, error) => {
            let error = error.as_deref().map_or(String::new(), |e| format!(", then {}", shown(e)));
            format!("{} values{error}", values.len())
        }
        Answer::Skipped(reason) => format!("skipped: {reason}"),
        Answer::Crash(why) => format!("crashed: {why}"),
        Answer::TimeOut => "no answer in time".into(),
        Answer::Nonsense(text) => format!("not in the protocol: {text}"),
    }
}

pub fn short(json: &Json) -> String {
    let text = json.to_string();
    if text.chars().count() <= 300 { text } else { text.chars().take(300).chain(['…']).collect() }
}
