//! The Rust core as a conformance testee: one array of requests a line, one array of answers a line
//! (docs/conformance-protocol.md). Tagged JSON is read and written here by serde_json, so that a fault in the
//! core's own tagged form cannot hide one elsewhere.

mod schema;
mod tagged;

use std::io::{BufRead, Write};

use samewire::options::Setting;
use samewire::stream::{Framing, Splitter};
use samewire::{Error, Format, Options, canonical, transcode};
use serde_json::{Value as Json, json};

fn main() {
    let work = std::thread::Builder::new().stack_size(64 << 20).spawn(serve).expect("a thread can be started");
    work.join().expect("it does not panic");
}

fn serve() {
    let stdin = std::io::stdin().lock();
    let mut stdout = std::io::stdout().lock();
    for line in stdin.lines() {
        let line = line.expect("the runner writes UTF-8");
        let mut de = serde_json::Deserializer::from_str(&line);
        de.disable_recursion_limit();
        let requests: Vec<Json> =
            serde::Deserialize::deserialize(&mut de).expect("the runner writes arrays of requests");
        let answers: Json = requests.iter().map(|r| answer(r).unwrap_or_else(|e| error(&e))).collect();
        writeln!(stdout, "{answers}").expect("the runner reads");
    }
}

fn error(e: &Error) -> Json {
    json!({"error": {"code": e.code().as_str(), "offset": e.offset(), "path": e.path(), "message": e.message()}})
}

fn answer(request: &Json) -> Result<Json, Error> {
    let text = |key: &str| request[key].as_str().unwrap_or_default();
    if text("op") == "hello" {
        return Ok(json!({"ok": {
            "name": "samewire", "version": env!("CARGO_PKG_VERSION"), "runtime": "Rust", "host": "rust",
            "formats": ["msgpack", "json", "tagged"], "ops": [
                "encode", "decode", "transcode", "validate", "digest", "stream",
                "schema-compile", "schema-encode", "schema-decode", "schema-resolve", "schema-transcode", "schema-check",
            ],
            "options": ["*"], "strict": true,
        }}));
    }
    let mut options = Options::default();
    for (name, setting) in request["options"].as_object().into_iter().flatten() {
        options.set(name, self::setting(setting))?;
    }
    let value = || tagged::read(&request["value"]);
    let input = hex(text("input"));
    Ok(match text("op") {
        "encode" => json!({"ok": unhex(&transcode::to_vec(format(text("format")), &value(), &options)?)}),
        "decode" if text("format") == "tagged" => {
            json!({"ok": tagged::write(&samewire::tagged::from_slice(&input, &options)?)})
        }
        "decode" => json!({"ok": tagged::write(&transcode::from_slice(format(text("format")), &input, &options)?)}),
        "transcode" => {
            json!({"ok": unhex(&transcode::transcode(&input, format(text("from")), format(text("to")), &options)?)})
        }
        "validate" => {
            transcode::read(format(text("format")), &input, &options, &mut samewire::visit::Nothing)?;
            json!({"ok": null})
        }
        "stream" => stream(request, &options),
        "digest" => json!({"ok": unhex(&canonical::digest(&value())?)}),
        op if op.starts_with("schema-") => schema::answer(request, &options)?,
        other => json!({"skipped": format!("no op {other}")}),
    })
}

/// The values of a stream that comes in chunks, up to its end or its first fault.
fn stream(request: &Json, options: &Options) -> Json {
    let format = format(request["format"].as_str().unwrap_or_default());
    let framing = if format == Format::Json { Framing::JsonLines } else { Framing::MessagePack };
    let mut splitter = Splitter::new(framing, options);
    let mut values = Vec::new();
    let mut drain = |splitter: &mut Splitter| -> Result<(), Error> {
        while let Some((at, bytes)) = splitter.next_value_at()? {
            let value = transcode::from_slice(format, bytes, options).map_err(|e| {
                let offset = e.offset().map(|o| o + at as usize);
                e.with_offset(offset)
            })?;
            values.push(tagged::write(&value));
        }
        Ok(())
    };
    let mut work = || -> Result<(), Error> {
        for chunk in request["chunks"].as_array().into_iter().flatten() {
            splitter.feed(&hex(chunk.as_str().unwrap_or_default()));
            drain(&mut splitter)?;
        }
        splitter.finish()?;
        drain(&mut splitter)
    };
    let failed = work().err().map(|e| error(&e)["error"].take());
    json!({"values": values, "error": failed})
}

fn format(name: &str) -> Format {
    if name == "json" { Format::Json } else { Format::MessagePack }
}

fn setting(json: &Json) -> Setting<'_> {
    match json {
        Json::Null => Setting::None,
        Json::Bool(b) => Setting::Bool(*b),
        Json::String(s) => Setting::Str(s),
        Json::Number(n) => n.as_i64().map_or(Setting::Other("number"), Setting::Int),
        Json::Array(_) => Setting::Other("array"),
        Json::Object(_) => Setting::Other("object"),
    }
}

fn hex(text: &str) -> Vec<u8> {
    (0..text.len() / 2).map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).expect("hex")).collect()
}

fn unhex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
