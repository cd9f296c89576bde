//! The requests about schemas.

use samewire::schema::{Mode, Schema, check};
use samewire::value::Builder;
use samewire::{Error, Options};
use serde_json::{Value as Json, json};

use crate::{format, hex, tagged, unhex};

pub fn answer(request: &Json, options: &Options) -> Result<Json, Error> {
    let text = |key: &str| request[key].as_str().unwrap_or_default();
    let schema = |key: &str| Schema::from_json(text(key).as_bytes());
    let format = |key: &str| format(text(key));
    let read = |schema: Schema, input: &[u8]| schema.read(format("format"), input, options, &mut Builder);
    Ok(match text("op") {
        "schema-compile" => schema("schema").map(|_| json!({"ok": null}))?,
        "schema-encode" => {
            let value = tagged::read(&request["value"]);
            json!({"ok": unhex(&schema("schema")?.write(format("format"), &value, options)?)})
        }
        "schema-decode" => json!({"ok": tagged::write(&read(schema("schema")?, &hex(text("input")))?)}),
        "schema-resolve" => {
            let value = tagged::read(&request["value"]);
            let written = schema("writer")?.write(format("format"), &value, options)?;
            json!({"ok": tagged::write(&read(schema("reader")?, &written)?)})
        }
        "schema-transcode" => {
            let input = hex(text("input"));
            json!({"ok": unhex(&schema("schema")?.transcode(&input, format("from"), format("to"), options)?)})
        }
        "schema-check" => {
            let found = check(&schema("old")?, &schema("new")?, Mode::parse(text("mode"))?);
            let shown = found.iter().map(|f| {
                json!({
                    "mode": f.mode, "rule": f.rule, "path": f.path, "severity": f.severity.as_str(), "format": f.format,
                })
            });
            json!({"ok": shown.collect::<Json>()})
        }
        other => json!({"skipped": format!("no op {other}")}),
    })
}
