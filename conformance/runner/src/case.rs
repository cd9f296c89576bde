//! The vectors: reading the files, refusing what the format does not have, and what each case asks of a testee.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Map as Object, Value as Json, json};

use crate::schema;
use crate::value::{Value, hex, unhex};

/// Every key that a case may have (vectors/README.md and vectors/schema/README.md).
const KEYS: &[&str] = &[
    "name",
    "source",
    "note",
    "options",
    "only",
    "hosts",
    "value",
    "msgpack",
    "msgpack_accepted",
    "msgpack_error",
    "json",
    "json_accepted",
    "json_value",
    "json_error",
    "write_only",
    "read_error",
    "digest",
    "format",
    "input",
    "input_hex",
    "error",
    "stream",
    "values",
    "skip",
    "writer",
    "reader",
    "reads",
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

/// A case as its file has it.
#[derive(Clone, Debug)]
pub struct Case {
    pub name: String,
    pub body: Object<String, Json>,
}

/// What a check asks for.
#[derive(Clone, Debug)]
pub enum Want {
    /// These bytes, or one of these for a testee that need not write ours.
    Bytes(Vec<u8>, Vec<Vec<u8>>),
    /// This value.
    Value(Value),
    /// This error.
    Fault(Fault),
    /// These values, then perhaps an error.
    Stream(Vec<Value>, Option<Fault>),
    /// These findings about a change of a schema, in this order.
    Findings(Vec<Json>),
    /// Findings with no error among them, or with one.
    Compatible(bool),
}

/// An expected error: what is given is compared.
#[derive(Clone, Debug)]
pub struct Fault {
    pub code: String,
    pub offset: Option<u64>,
    pub path: Option<String>,
}

/// One request and what must be answered.
#[derive(Clone, Debug)]
pub struct Check {
    /// `group/name#what`
    pub name: String,
    pub case: usize,
    pub request: Json,
    pub want: Want,
    /// Why it is not asked of this testee.
    pub skip: Option<String>,
}

impl Case {
    /// What stands before the first slash of its name; of a case about schemas, before the second.
    pub fn group(&self) -> &str {
        let within = if self.is_schema() { "schema/".len() } else { 0 };
        self.name[within..].find('/').map_or(&self.name, |at| &self.name[..within + at])
    }

    /// Whether the case is about schemas: its value is then written by one.
    pub fn is_schema(&self) -> bool {
        self.name.starts_with("schema/")
    }

    /// The case as a host sees it.
    fn on_host(&self, host: &str) -> Object<String, Json> {
        let mut body = self.body.clone();
        let Some(own) = self.body.get("hosts").and_then(|h| h.get(host)).and_then(Json::as_object) else { return body };
        // What the case says of reading stays: the host must read it, as its own value.
        let mut accepted: Vec<Json> = Vec::new();
        for (format, list) in [("msgpack", "msgpack_accepted"), ("json", "json_accepted")] {
            if own.contains_key(format) && body.contains_key(format) {
                accepted.push(body[format].clone());
                accepted.extend(body.get(list).and_then(Json::as_array).cloned().unwrap_or_default());
                body.insert(list.to_owned(), Json::Array(std::mem::take(&mut accepted)));
            }
        }
        if own.contains_key("error") {
            body.remove("value");
        }
        if own.contains_key("value") {
            body.remove("error");
        }
        for (key, value) in own {
            body.insert(key.clone(), value.clone());
        }
        body
    }
}

/// Reads every `.json` file below `folder`.
pub fn load(folder: &Path) -> Result<Vec<Case>, String> {
    let mut files = Vec::new();
    walk(folder, &mut files)?;
    files.sort();
    let (mut cases, mut names) = (Vec::new(), BTreeSet::new());
    for path in files {
        let shown = path.display();
        let text = std::fs::read_to_string(&path).map_err(|e| format!("{shown}: {e}"))?;
        let json = parse(&text).map_err(|e| format!("{shown}: {e}"))?;
        let list = json.as_array().ok_or_else(|| format!("{shown}: a vector file is an array of cases"))?;
        for case in list {
            let body = case.as_object().ok_or_else(|| format!("{shown}: a case is an object"))?;
            let name =
                body.get("name").and_then(Json::as_str).ok_or_else(|| format!("{shown}: a case without a name"))?;
            check_keys(body).map_err(|e| format!("{shown}: {name}: {e}"))?;
            if !names.insert(name.to_owned()) {
                return Err(format!("{shown}: {name} stands twice"));
            }
            cases.push(Case { name: name.to_owned(), body: body.clone() });
        }
    }
    Ok(cases)
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for entry in entries {
        let path = entry.map_err(|e| e.to_string())?.path();
        if path.is_dir() {
            walk(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "json") {
            files.push(path);
        }
    }
    Ok(())
}

fn check_keys(body: &Object<String, Json>) -> Result<(), String> {
    for (key, value) in body {
        if !KEYS.contains(&key.as_str()) {
            return Err(format!("unknown key {key:?}"));
        }
        if key == "hosts" {
            for (host, own) in value.as_object().ok_or("hosts is an object")? {
                if !["rust", "python", "javascript"].contains(&host.as_str()) {
                    return Err(format!("there is no host {host:?}"));
                }
                check_keys(own.as_object().ok_or("a host's notes are an object")?)?;
            }
        }
    }
    Ok(())
}

/// JSON text of any depth.
pub fn parse(text: &str) -> Result<Json, String> {
    let mut de = serde_json::Deserializer::from_str(text);
    de.disable_recursion_limit();
    let json = serde::Deserialize::deserialize(&mut de).map_err(|e| e.to_string())?;
    de.end().map_err(|e| e.to_string())?;
    Ok(json)
}

pub(crate) fn fault(json: &Json) -> Result<Fault, String> {
    Ok(Fault {
        code: json["code"].as_str().ok_or("an error has a code")?.to_owned(),
        offset: json.get("offset").and_then(Json::as_u64),
        path: json.get("path").and_then(Json::as_str).map(str::to_owned),
    })
}

fn format_bytes(format: &str, body: &Object<String, Json>) -> Result<Vec<u8>, String> {
    if let Some(text) = body.get("input_hex").and_then(Json::as_str) {
        return unhex(text);
    }
    let input = body.get("input").and_then(Json::as_str).ok_or("no input")?;
    bytes_of(format, input)
}

/// The bytes that a vector means: hex for MessagePack, text otherwise.
pub(crate) fn bytes_of(format: &str, text: &str) -> Result<Vec<u8>, String> {
    if format == "msgpack" { unhex(text) } else { Ok(text.as_bytes().to_vec()) }
}

/// What a case asks of a testee on `host`.
pub fn checks(index: usize, case: &Case, host: &str) -> Result<Vec<Check>, String> {
    let body = case.on_host(host);
    let options = body.get("options").cloned().unwrap_or_else(|| json!({}));
    let mut out = Builder { index, name: &case.name, options, out: Vec::new() };
    if let Some(only) = body.get("only").and_then(Json::as_array)
        && !only.iter().any(|h| h.as_str() == Some(host))
    {
        return Ok(Vec::new());
    }
    if case.is_schema() {
        schema::checks(&mut out, &body)?;
    } else if body.get("stream").is_some() {
        stream(&mut out, &body)?;
    } else if body.contains_key("format") {
        let format = body["format"].as_str().ok_or("format is a string")?;
        let input = format_bytes(format, &body)?;
        let want = match body.get("error") {
            Some(error) => Want::Fault(fault(error)?),
            None => Want::Value(Value::from_tagged(body.get("value").ok_or("neither value nor error")?)?),
        };
        out.push("read", json!({"op": "decode", "format": format, "input": hex(&input)}), want.clone());
        if let (Want::Fault(_), true) = (&want, format != "tagged") {
            out.push("validate", json!({"op": "validate", "format": format, "input": hex(&input)}), want);
        }
    } else {
        both_ways(&mut out, &body, host)?;
    }
    if let Some(reason) = body.get("skip").and_then(Json::as_str) {
        for check in &mut out.out {
            check.skip = Some(reason.to_owned());
        }
    }
    Ok(out.out)
}

pub(crate) struct Builder<'a> {
    index: usize,
    name: &'a str,
    options: Json,
    out: Vec<Check>,
}

impl Builder<'_> {
    pub(crate) fn push(&mut self, what: &str, mut request: Json, want: Want) {
        request["options"] = self.options.clone();
        let name = format!("{}#{what}", self.name);
        self.out.push(Check { name, case: self.index, request, want, skip: None });
    }
}

/// A value case: written, read in each form, transcoded.
fn both_ways(out: &mut Builder<'_>, body: &Object<String, Json>, host: &str) -> Result<(), String> {
    let value = Value::from_tagged(body.get("value").ok_or("no value")?)?;
    let read_error = body.get("read_error").map(fault).transpose()?;
    let list = |key: &str| body.get(key).and_then(Json::as_array).cloned().unwrap_or_default();
    let mut written = Vec::new();
    for format in ["msgpack", "json"] {
        let write = json!({"op": "encode", "format": format, "value": value.to_tagged()});
        if read_error.is_none()
            && let Some(error) = body.get(&format!("{format}_error"))
        {
            out.push(&format!("write-{format}"), write.clone(), Want::Fault(fault(error)?));
        }
        let Some(text) = body.get(format).and_then(Json::as_str) else { continue };
        let bytes = bytes_of(format, text)?;
        let mut accepted = Vec::new();
        for other in list(&format!("{format}_accepted")) {
            accepted.push(bytes_of(format, other.as_str().ok_or("an accepted form is a string")?)?);
        }
        if read_error.is_none() {
            out.push(&format!("write-{format}"), write, Want::Bytes(bytes.clone(), accepted.clone()));
        }
        if body.get("write_only") == Some(&Json::Bool(true)) {
            continue;
        }
        let reads = match body.get("json_value") {
            Some(other) if format == "json" => Value::from_tagged(other)?,
            _ => value.clone(),
        };
        let want = match &read_error {
            Some(fault) if format == "msgpack" => Want::Fault(fault.clone()),
            _ => Want::Value(reads),
        };
        for (i, input) in std::iter::once(&bytes).chain(&accepted).enumerate() {
            let what = if i == 0 { format!("read-{format}") } else { format!("read-{format}-{}", i + 1) };
            out.push(&what, json!({"op": "decode", "format": format, "input": hex(input)}), want.clone());
        }
        written.push((format, bytes));
    }
    // Transcoding builds no values, so a host's own data model plays no part in it.
    if let [(from, a), (to, b)] = &written[..] {
        let plain = body.get("hosts").and_then(|h| h.get(host)).is_none();
        if plain && body.get("options").is_none() {
            out.push(
                "transcode-to-json",
                json!({"op": "transcode", "from": from, "to": to, "input": hex(a)}),
                Want::Bytes(b.clone(), vec![]),
            );
            if !body.contains_key("json_value") {
                out.push(
                    "transcode-to-msgpack",
                    json!({"op": "transcode", "from": to, "to": from, "input": hex(b)}),
                    Want::Bytes(a.clone(), vec![]),
                );
            }
        }
    }
    if let Some(digest) = body.get("digest").and_then(Json::as_str) {
        out.options = json!({});
        out.push("digest", json!({"op": "digest", "value": value.to_tagged()}), Want::Bytes(unhex(digest)?, vec![]));
    }
    Ok(())
}

/// A stream case: whole, in single bytes, and cut at every place.
fn stream(out: &mut Builder<'_>, body: &Object<String, Json>) -> Result<(), String> {
    let format = body["format"].as_str().ok_or("format is a string")?;
    let input = format_bytes(format, body)?;
    let values = body.get("values").and_then(Json::as_array).ok_or("a stream has values")?;
    let values = values.iter().map(Value::from_tagged).collect::<Result<Vec<_>, _>>()?;
    let want = Want::Stream(values, body.get("error").map(fault).transpose()?);
    let mut cut = |what: String, chunks: Vec<&[u8]>| {
        let chunks: Vec<String> = chunks.into_iter().map(hex).collect();
        out.push(&what, json!({"op": "stream", "format": format, "chunks": chunks}), want.clone());
    };
    cut("whole".into(), vec![&input]);
    cut("bytes".into(), input.chunks(1).collect());
    for at in 1..input.len() {
        cut(format!("cut-{at}"), vec![&input[..at], &input[at..]]);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vectors() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors")
    }

    #[test]
    fn every_vector_is_well_formed_on_every_host() {
        let cases = load(&vectors()).unwrap();
        assert!(cases.len() >= 1500, "{}", cases.len());
        for host in ["rust", "python", "javascript"] {
            for (i, case) in cases.iter().enumerate() {
                let checks = checks(i, case, host).unwrap_or_else(|e| panic!("{}: {e}", case.name));
                assert!(!checks.is_empty() || case.body.contains_key("only"), "{} asks nothing on {host}", case.name);
            }
        }
    }

    #[test]
    fn an_unknown_key_is_an_error() {
        let body = json!({"name": "a/b", "valeu": 1});
        assert!(check_keys(body.as_object().unwrap()).unwrap_err().contains("valeu"));
        let body = json!({"name": "a/b", "hosts": {"javascript": {"jsn": 1}}});
        assert!(check_keys(body.as_object().unwrap()).is_err());
        let body = json!({"name": "a/b", "hosts": {"cobol": {}}});
        assert!(check_keys(body.as_object().unwrap()).is_err());
    }

    #[test]
    fn a_host_reads_what_others_write() {
        let body = json!({"name": "a/b", "value": 1.0, "msgpack": "cb3ff0000000000000", "hosts": {"javascript": {"value": 1, "msgpack": "01"}}});
        let case = Case { name: "a/b".into(), body: body.as_object().unwrap().clone() };
        let names: Vec<_> = checks(0, &case, "javascript").unwrap().into_iter().map(|c| c.name).collect();
        assert_eq!(names, ["a/b#write-msgpack", "a/b#read-msgpack", "a/b#read-msgpack-2"]);
    }
}
