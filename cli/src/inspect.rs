//! `samewire inspect`

use std::io;

use samewire::inspect::{self, Style};

use crate::args::{Inspect, Settings};
use crate::failure::Failure;
use crate::files;
use crate::output::{self, Output, TextOutput};
use crate::source;

pub fn run(args: &Inspect, settings: &Settings) -> Result<i32, Failure> {
    let names = files::expand(&args.files)?;
    let style = if args.html { Style::Html } else { output::style(settings.color) };
    let mut output = Output::stdout();
    let mut status = 0;
    for name in &names {
        let (bytes, notation) = source::read_all(name, settings)?;
        if names.len() > 1 && style != Style::Html {
            output.write(format!("{}:\n", source::shown(name)).as_bytes())?;
        }
        let fault = if settings.json {
            lines_as_json(&bytes, notation, settings, &mut output)?
        } else {
            let mut text = TextOutput { output: &mut output, failure: None };
            // Values may follow each other in a file; where they may not, the reader of the dump sees it.
            let many = !bytes.is_empty();
            match inspect::write(&bytes, notation.format(), &settings.options, many, style, &mut text) {
                Ok(fault) => fault.is_some(),
                Err(_) => {
                    let lost = || Failure::file("standard output", io::Error::other("cannot be written"));
                    return Err(text.failure.unwrap_or_else(lost));
                }
            }
        };
        status = status.max(i32::from(fault));
    }
    output.finish()?;
    Ok(status)
}

fn lines_as_json(
    bytes: &[u8],
    notation: crate::notation::Notation,
    settings: &Settings,
    output: &mut Output,
) -> Result<bool, Failure> {
    let many = !bytes.is_empty();
    let fault = inspect::walk(bytes, notation.format(), &settings.options, many, &mut |line| {
        let hex: String = bytes[line.offset..line.offset + line.len].iter().map(|b| format!("{b:02x}")).collect();
        let object = output::object([
            ("offset", samewire::Value::from_u64(line.offset as u64)),
            ("bytes", hex.into()),
            ("depth", samewire::Value::from_u64(line.depth as u64)),
            ("kind", format!("{:?}", line.kind).to_lowercase().into()),
            ("meaning", line.meaning.into()),
            ("path", line.path.into()),
        ]);
        output.write(output::json_line(&object).as_bytes())
    })?;
    Ok(fault.is_some())
}
