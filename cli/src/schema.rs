//! `samewire schema`: judges a change before it ships, shows it, and infers a schema from samples.

use std::path::Path;

use samewire::inspect::Style;
use samewire::schema::{self, Finding, Inference, Mode, Schema, Severity};
use samewire::value::Builder;
use samewire::{Format, Options, Value, tagged, transcode};

use crate::args::{SchemaCheck, SchemaCommand, SchemaDiff, SchemaOf, Settings};
use crate::failure::{DataFailure, Failure};
use crate::files;
use crate::notation::Notation;
use crate::output::{self, Output};
use crate::schema_report;
use crate::source::Source;

pub fn run(command: &SchemaCommand, settings: &Settings) -> Result<i32, Failure> {
    match command {
        SchemaCommand::Check(args) => check(args, settings),
        SchemaCommand::Diff(args) => diff(args, settings),
        SchemaCommand::Of(args) => of(args, settings),
    }
}

/// The schema that a file holds.
pub fn open(name: &str, settings: &Settings) -> Result<Schema, Failure> {
    let bytes = if name == "-" {
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut std::io::stdin(), &mut bytes).map(|_| bytes)
    } else {
        std::fs::read(name)
    };
    let bytes = bytes.map_err(|e| Failure::file(name, e))?;
    Schema::from_json(&bytes).map_err(|error| {
        let failure = DataFailure {
            file: name.into(),
            value: 1,
            many: false,
            line: None,
            base: 0,
            error,
            excerpt: String::new(),
        };
        let colour = output::colours(settings.color, &std::io::stderr());
        Failure::Data(Box::new(failure.with_excerpt(&bytes, Notation::Json, &Options::default(), colour)))
    })
}

/// The old schemas of a check, oldest first: a file, or a folder of versions in the order of their names.
fn history(name: &str) -> Result<Vec<String>, Failure> {
    let path = Path::new(name);
    if !path.is_dir() {
        return Ok(vec![name.into()]);
    }
    let mut names = Vec::new();
    for entry in std::fs::read_dir(path).map_err(|e| Failure::file(name, e))? {
        let path = entry.map_err(|e| Failure::file(name, e))?.path();
        if path.is_file() && path.extension().is_some_and(|e| e == "json") {
            names.push(path.display().to_string());
        }
    }
    if names.is_empty() {
        return Err(Failure::usage(format!("no file in {name} ends with .json")));
    }
    names.sort_by_key(|name| by_number(name));
    Ok(names)
}

/// A name in pieces, so that version 10 comes after version 9.
fn by_number(name: &str) -> Vec<(u64, String)> {
    let mut pieces: Vec<(u64, String)> = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let text = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let (head, tail) = rest.split_at(text);
        let end = tail.find(|c: char| !c.is_ascii_digit()).unwrap_or(tail.len());
        pieces.push((0, head.into()));
        if end > 0 {
            pieces.push((tail[..end].parse().unwrap_or(u64::MAX), tail[..end].into()));
        }
        rest = &tail[end..];
    }
    pieces
}

/// A finding with the names of what was compared.
pub struct Judged<'f> {
    pub finding: &'f Finding,
    /// The old schema's file.
    pub old: &'f str,
}

fn check(args: &SchemaCheck, settings: &Settings) -> Result<i32, Failure> {
    let mode = Mode::parse(&args.mode.to_uppercase().replace('-', "_")).map_err(Failure::of_option)?;
    let names = history(&args.old)?;
    let old = names.iter().map(|n| open(n, settings)).collect::<Result<Vec<_>, _>>()?;
    let new = open(&args.new, settings)?;
    let findings = schema::check_history(&old, &new, mode);
    let judged: Vec<Judged<'_>> = findings
        .iter()
        .map(|finding| Judged { finding, old: finding.against.and_then(|i| names.get(i)).map_or("", |n| n) })
        .collect();
    for (path, text) in [
        (&args.sarif, schema_report::sarif(&judged, &args.new)),
        (&args.junit, schema_report::junit(&judged, compared(&names, mode), &args.new, mode)),
    ] {
        if let Some(path) = path {
            let mut file = Output::create(path)?;
            file.write(text.as_bytes())?;
            file.finish()?;
        }
    }
    let compatible = schema::is_compatible(&findings);
    let mut output = Output::stdout();
    if settings.json {
        for one in &judged {
            output.write(output::json_line(&object(one)).as_bytes())?;
        }
    } else if !args.quiet {
        let style = output::style(settings.color);
        for one in &judged {
            output.write(shown(one, style).as_bytes())?;
        }
        let count = |s: Severity| findings.iter().filter(|f| f.severity == s).count();
        let verdict = if compatible { "compatible" } else { "not compatible" };
        let counted = |n: usize, name: &str| format!("{n} {name}{}", if n == 1 { "" } else { "s" });
        let errors = counted(count(Severity::Error), "error");
        let warnings = counted(count(Severity::Warning), "warning");
        let line = format!("{}: {verdict} ({mode}: {errors}, {warnings})\n", args.new, mode = mode.as_str());
        output.write(line.as_bytes())?;
    }
    output.finish()?;
    Ok(i32::from(!compatible))
}

/// The schemas that a mode holds the new one against.
fn compared(names: &[String], mode: Mode) -> &[String] {
    let first = if mode.is_transitive() { 0 } else { names.len().saturating_sub(1) };
    if mode == Mode::None { &[] } else { &names[first..] }
}

fn object(one: &Judged<'_>) -> Value {
    let f = one.finding;
    let mut entries = vec![
        ("path", f.path.as_str().into()),
        ("rule", f.rule.into()),
        ("severity", f.severity.as_str().into()),
        ("mode", f.mode.into()),
        ("format", f.format.into()),
        ("advice", f.advice.as_str().into()),
        ("against", one.old.into()),
    ];
    entries.extend(f.witness.as_ref().map(|w| ("witness", tagged::to_json(w))));
    entries.extend(f.code.map(|c| ("code", c.as_str().into())));
    output::object(entries)
}

fn shown(one: &Judged<'_>, style: Style) -> String {
    let f = one.finding;
    let (colour, dim, reset) = match (style, f.severity) {
        (Style::Ansi, Severity::Error) => ("\x1b[31m", "\x1b[2m", "\x1b[0m"),
        (Style::Ansi, Severity::Warning) => ("\x1b[33m", "\x1b[2m", "\x1b[0m"),
        (Style::Ansi, Severity::Info) => ("", "\x1b[2m", "\x1b[0m"),
        _ => ("", "", ""),
    };
    let place = if f.path.is_empty() { "(the whole value)".into() } else { output::printable(&f.path) };
    let format = if f.format == "both" { String::new() } else { format!(", {}", f.format) };
    let mut text = format!("{colour}{:7}{reset} {place}  {} ({}{format})\n", f.severity.as_str(), f.rule, f.mode);
    text += &format!("        {}\n", output::printable(&f.advice));
    if let Some(witness) = &f.witness {
        let (writer, reader) = if f.mode == "BACKWARD" { ("old", "new") } else { ("new", "old") };
        let refusal = f.code.map_or("refuses", |c| c.as_str());
        let message = output::printable(&brief(witness));
        text += &format!("        {dim}the {writer} schema writes {message}; the {reader} one says {refusal}{reset}\n");
    }
    text
}

fn brief(value: &Value) -> String {
    const MOST: usize = 160;
    let text = tagged::to_vec(value, &Options::default()).unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// What changed, each place once, with what it means for both directions.
fn diff(args: &SchemaDiff, settings: &Settings) -> Result<i32, Failure> {
    let (old, new) = (open(&args.old, settings)?, open(&args.new, settings)?);
    let findings = schema::check(&old, &new, Mode::Full);
    let mut changes: Vec<(&str, &str, Vec<&Finding>)> = Vec::new();
    for finding in &findings {
        match changes.iter_mut().find(|(path, rule, _)| *path == finding.path && *rule == finding.rule) {
            Some((_, _, list)) => list.push(finding),
            None => changes.push((&finding.path, finding.rule, vec![finding])),
        }
    }
    changes.sort_by_key(|(path, ..)| *path);
    let mut output = Output::stdout();
    for (path, rule, list) in &changes {
        let effect = |mode: &str| {
            let worst = list.iter().filter(|f| f.mode == mode).map(|f| f.severity).max();
            match worst {
                Some(Severity::Error) => "breaks",
                Some(Severity::Warning) => "loses",
                Some(Severity::Info) | None => "works",
            }
        };
        let (backward, forward) = (effect("BACKWARD"), effect("FORWARD"));
        if settings.json {
            let entries = [
                ("path", (*path).into()),
                ("rule", (*rule).into()),
                ("new_reads_old", backward.into()),
                ("old_reads_new", forward.into()),
            ];
            output.write(output::json_line(&output::object(entries)).as_bytes())?;
            continue;
        }
        let place = if path.is_empty() { "(the whole value)".into() } else { output::printable(path) };
        output.write(format!("{place}  {rule}: new reads old {backward}, old reads new {forward}\n").as_bytes())?;
    }
    output.finish()?;
    Ok(i32::from(!changes.is_empty()))
}

/// Infers a schema, and reads every sample by it before it is shown.
fn of(args: &SchemaOf, settings: &Settings) -> Result<i32, Failure> {
    let names = files::expand(&args.files)?;
    let mut seen = Inference::default();
    for name in &names {
        let source = Source::open(name, settings, None)?;
        let origin = source.origin();
        source.for_each(|item| {
            let value = origin.notation.read(item.bytes, &settings.options).map_err(|e| origin.failure(&item, e))?;
            // Tagged JSON says what is a time; plain JSON only has text.
            let tagged = origin.notation == Notation::Tagged;
            seen.add(&value, if tagged { Format::MessagePack } else { origin.notation.format() });
            Ok(())
        })?;
    }
    let document = seen.document();
    let written = Schema::from_value(&document)
        .and_then(|_| transcode::to_vec(Format::Json, &document, &Options { indent: Some(2), ..Options::default() }));
    let mut text = written.map_err(|e| Failure::usage(format!("the samples have no schema: {}", e.message())))?;
    text.push(b'\n');
    let mut output = Output::stdout();
    output.write(&text)?;
    output.finish()?;
    Ok(0)
}

/// Checks the value that `bytes` are by a schema.
///
/// # Errors
/// The value's or the schema's, with an offset where the notation is one of the two formats.
pub fn validate(schema: &Schema, notation: Notation, bytes: &[u8], options: &Options) -> Result<(), samewire::Error> {
    if notation != Notation::Tagged {
        return schema.validate(notation.format(), bytes, options);
    }
    // Tagged JSON has no reader of its own for a schema: the value goes through MessagePack, which has all kinds.
    let packed = transcode::to_vec(Format::MessagePack, &notation.read(bytes, options)?, options)?;
    schema.validate(Format::MessagePack, &packed, options).map_err(|e| e.with_offset(None))
}

/// The value that `bytes` are in another notation, read and written by a schema.
///
/// # Errors
/// As [`validate`].
pub fn convert(
    schema: &Schema,
    from: Notation,
    bytes: &[u8],
    to: Notation,
    options: &Options,
) -> Result<Vec<u8>, samewire::Error> {
    let packed;
    let (format, bytes) = if from == Notation::Tagged {
        packed = transcode::to_vec(Format::MessagePack, &from.read(bytes, options)?, options)?;
        (Format::MessagePack, packed.as_slice())
    } else {
        (from.format(), bytes)
    };
    if to == Notation::Tagged {
        return tagged::to_vec(&schema.read(format, bytes, options, &mut Builder)?, options);
    }
    schema.transcode(bytes, format, to.format(), options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_numbers() {
        let mut names = ["v10.json", "v9.json", "v1.json", "v1-beta.json", "v2.json"].map(String::from);
        names.sort_by_key(|n| by_number(n));
        assert_eq!(names, ["v1-beta.json", "v1.json", "v2.json", "v9.json", "v10.json"]);
    }
}
