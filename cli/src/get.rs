//! `samewire get`

use samewire::buffer::Buffer;
use samewire::view::View;
use samewire::{Code, Error, Value};

use crate::args::{Get, Settings};
use crate::failure::Failure;
use crate::files;
use crate::notation::Notation;
use crate::output::Output;
use crate::source::{Item, Source};

pub fn run(args: &Get, settings: &Settings) -> Result<i32, Failure> {
    if !args.pointer.is_empty() && !args.pointer.starts_with('/') {
        return Err(Failure::usage(format!(
            "a JSON Pointer is empty or begins with /: {:?} (perhaps {:?})",
            args.pointer,
            format!("/{}", args.pointer.replace('.', "/"))
        )));
    }
    let mut output = Output::stdout();
    let mut missing = None;
    for name in files::expand(&args.files)? {
        let source = Source::open(&name, settings, None)?;
        let origin = source.origin();
        source.for_each(|item| {
            match one(args, settings, origin.notation, &item) {
                Ok(Some(found)) => output.write(found.as_slice())?,
                Ok(None) => {
                    let error = Error::new(Code::MissingField, "there is nothing under this pointer");
                    missing.get_or_insert(origin.failure(&item, error.with_path(args.pointer.as_str())));
                }
                Err(error) => return Err(origin.failure(&item, error)),
            }
            Ok(())
        })?;
    }
    output.finish()?;
    // What is there is printed; that something was not is said once.
    missing.map_or(Ok(0), Err)
}

fn one(args: &Get, settings: &Settings, from: Notation, item: &Item<'_>) -> Result<Option<Buffer>, Error> {
    let buffer = Buffer::with_capacity(256);
    let options = &settings.options;
    if from == Notation::Tagged {
        let bytes =
            samewire::transcode::to_vec(samewire::Format::MessagePack, &from.read(item.bytes, options)?, options)?;
        let item = Item { bytes: &bytes, at: item.at.clone() };
        return one(args, settings, Notation::Msgpack, &item);
    }
    let view = View::new(item.bytes, from.format(), options)?;
    let Some(found) = view.pointer(&args.pointer)? else { return Ok(None) };
    let mut buffer = if args.raw {
        match found.value(options)? {
            Value::Str(text) => Buffer::from_vec(text.into_bytes()),
            // Binary is written as it is, without a line feed.
            Value::Bin(bytes) => return Ok(Some(Buffer::from_vec(bytes))),
            other => args.to.write(&other, options, buffer)?,
        }
    } else {
        from.convert(found.raw(), args.to, options, buffer)?
    };
    if args.to != Notation::Msgpack {
        buffer.extend(b"\n");
    }
    Ok(Some(buffer))
}
