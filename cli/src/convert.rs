//! `samewire convert`

use std::ffi::OsStr;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use samewire::buffer::Buffer;
use samewire::schema::Schema;
use samewire::{Error, Options, view::View};

use crate::args::{Convert, Settings};
use crate::failure::Failure;
use crate::files;
use crate::notation::Notation;
use crate::output::Output;
use crate::progress::Progress;
use crate::schema;
use crate::source::{self, Item, Source};

/// Buffered output is passed on at this size; a buffer that grew beyond is not kept.
const KEPT: usize = 1 << 20;

pub fn run(args: &Convert, settings: &Settings) -> Result<i32, Failure> {
    if args.to == Some(Notation::Jsonl) && args.indent.is_some() {
        return Err(Failure::usage("JSON Lines has one text a line: --indent goes with --to json"));
    }
    let names = files::expand(&args.files)?;
    let schema = args.schema.as_deref().map(|name| schema::open(name, settings)).transpose()?;
    let schema = schema.as_ref();
    let progress = Progress::new(names.iter().map(|n| source::size(n)).sum(), settings.json);
    if let Some(folder) = &args.out_dir {
        return to_folder(args, settings, schema, &names, folder, &progress);
    }
    let said = args.to.or_else(|| args.output.as_deref().and_then(Notation::of_path));
    let mut output = None;
    for name in &names {
        let source = Source::open(name, settings, Some(&progress))?;
        let to = said.unwrap_or_else(|| other(source.origin().notation));
        if output.is_none() {
            if args.output.is_none() && to == Notation::Msgpack && io::stdout().is_terminal() {
                return Err(Failure::usage(
                    "MessagePack is not for a terminal: -o FILE writes it, `samewire inspect` shows it, --to tagged is text",
                ));
            }
            output = Some(match &args.output {
                Some(path) => Output::create(path)?,
                None => Output::stdout(),
            });
        }
        let Some(output) = &mut output else { unreachable!("made above") };
        let mut job = Job { to, options: options(settings, to), schema, split: args.split, output, first: true };
        job.run(source)?;
    }
    if let Some(output) = output {
        output.finish()?;
    }
    Ok(0)
}

/// One output file for each input, several at once.
fn to_folder(
    args: &Convert,
    settings: &Settings,
    schema: Option<&Schema>,
    names: &[String],
    folder: &Path,
    progress: &Progress,
) -> Result<i32, Failure> {
    std::fs::create_dir_all(folder).map_err(|e| Failure::file(&folder.display().to_string(), e))?;
    let work = |name: &String| -> Result<(), Failure> {
        let source = Source::open(name, settings, Some(progress))?;
        let to = args.to.unwrap_or_else(|| other(source.origin().notation));
        let mut output = Output::create(&target(folder, name, to)?)?;
        let options = options(settings, to);
        Job { to, options, schema, split: args.split, output: &mut output, first: true }.run(source)?;
        output.finish()
    };
    check_targets(args, names, folder)?;
    let mut status = 0;
    files::in_order(names, settings.jobs, work, |_, result: Result<(), Failure>| {
        if let Err(failure) = result {
            status = status.max(failure.report(settings.json));
        }
    });
    Ok(status)
}

/// Two inputs of the same name would write one file.
fn check_targets(args: &Convert, names: &[String], folder: &Path) -> Result<(), Failure> {
    let mut stems = std::collections::HashMap::new();
    for name in names {
        let stem = target(folder, name, args.to.unwrap_or(Notation::Json))?;
        if let Some(first) = stems.insert(stem, name) {
            return Err(Failure::usage(format!("{first} and {name} would both be written to the same file")));
        }
    }
    Ok(())
}

fn target(folder: &Path, name: &str, to: Notation) -> Result<PathBuf, Failure> {
    let stem = if name == "-" { Some(OsStr::new("stdin")) } else { Path::new(name).file_stem() };
    let Some(stem) = stem else { return Err(Failure::usage(format!("{name} has no name to write under"))) };
    let extension = match to {
        Notation::Tagged => "tagged.json",
        to => to.name(),
    };
    let mut file = stem.to_owned();
    file.push(".");
    file.push(extension);
    Ok(folder.join(file))
}

/// What a notation is converted to when nobody says.
fn other(from: Notation) -> Notation {
    if from == Notation::Msgpack { Notation::Json } else { Notation::Msgpack }
}

fn options(settings: &Settings, to: Notation) -> Options {
    let mut options = settings.options.clone();
    // Lines are ended here, where it is known whether another one follows.
    options.append_newline = false;
    if to == Notation::Jsonl {
        options.indent = None;
    }
    options
}

/// The conversion of one file.
struct Job<'o> {
    to: Notation,
    options: Options,
    schema: Option<&'o Schema>,
    split: bool,
    output: &'o mut Output,
    first: bool,
}

impl Job<'_> {
    fn run(&mut self, source: Source<'_>) -> Result<(), Failure> {
        let origin = source.origin();
        let mut buffer = Buffer::with_capacity(1 << 16);
        source.for_each(|item| {
            let mut done = std::mem::take(&mut buffer);
            done = match self.item(&item, origin.notation, done) {
                Ok(done) => done,
                Err(error) => return Err(origin.failure(&item, error)),
            };
            self.output.write(done.as_slice())?;
            if done.len() <= KEPT {
                done.truncate(0);
                buffer = done;
            }
            Ok(())
        })?;
        Ok(())
    }

    fn item(&mut self, item: &Item<'_>, from: Notation, mut buffer: Buffer) -> Result<Buffer, Error> {
        if !self.split {
            return self.value(item.bytes, from, buffer);
        }
        if from == Notation::Tagged {
            let samewire::Value::Array(items) = from.read(item.bytes, &self.options)? else {
                return self.value(item.bytes, from, buffer);
            };
            for (i, value) in items.iter().enumerate() {
                self.separate(&mut buffer);
                buffer = self.to.write(value, &self.options, buffer).map_err(|e| e.in_element(i))?;
                self.end(&mut buffer);
            }
            return Ok(buffer);
        }
        let view = View::new(item.bytes, from.format(), &self.options)?;
        if view.kind() != samewire::view::Kind::Array {
            return self.value(item.bytes, from, buffer);
        }
        for (i, element) in view.elements()?.into_iter().enumerate() {
            let at = element.offset();
            buffer = self.value(element.raw(), from, buffer).map_err(|e| {
                let offset = e.offset().map(|o| o + at);
                e.with_offset(offset).in_element(i)
            })?;
        }
        Ok(buffer)
    }

    fn value(&mut self, bytes: &[u8], from: Notation, mut buffer: Buffer) -> Result<Buffer, Error> {
        self.separate(&mut buffer);
        match self.schema {
            Some(schema) => buffer.extend(&schema::convert(schema, from, bytes, self.to, &self.options)?),
            None => buffer = from.convert(bytes, self.to, &self.options, buffer)?,
        }
        self.end(&mut buffer);
        Ok(buffer)
    }

    /// Canonical text has no line feed at its end, so that one value's output can be hashed: they stand between.
    fn separate(&mut self, buffer: &mut Buffer) {
        if self.options.canonical && !self.first && self.to != Notation::Msgpack {
            buffer.extend(b"\n");
        }
        self.first = false;
    }

    fn end(&self, buffer: &mut Buffer) {
        if !self.options.canonical && self.to != Notation::Msgpack {
            buffer.extend(b"\n");
        }
    }
}
