//! One format to the other, or a format to itself: a reader drives a writer, and nothing is built in between.

use alloc::vec::Vec;

use crate::buffer::Buffer;
#[cfg(feature = "canonical")]
use crate::canonical;
use crate::error::Error;
use crate::format::Format;
use crate::options::Options;
#[cfg(samewire_shared)]
use crate::tape::target::{Made, Target, shared};
#[cfg(not(samewire_shared))]
use crate::value::Builder;
use crate::value::Value;
#[cfg(not(samewire_shared))]
use crate::visit::Nothing;
use crate::visit::{Reader, Visitor};
use crate::{json, msgpack};

/// Reads one value of `format` into a visitor.
///
/// # Errors
/// The reader's and the visitor's; `trailing-data` where something follows the value.
pub fn read<V: Visitor>(format: Format, input: &[u8], options: &Options, visitor: &mut V) -> Result<V::Value, Error> {
    match format {
        Format::MessagePack => msgpack::read(input, options, visitor),
        Format::Json => json::read(input, options, visitor),
    }
}

/// Checks one value of `format`.
///
/// # Errors
/// As [`read`].
pub fn check(format: Format, input: &[u8], options: &Options) -> Result<(), Error> {
    #[cfg(not(samewire_shared))]
    return read(format, input, options, &mut Nothing);
    #[cfg(samewire_shared)]
    read(format, input, options, &mut shared(&mut Target::Nothing)).map(drop)
}

/// Reads a value into a tree.
fn tree<R: Reader>(mut reader: R) -> Result<Value, Error> {
    #[cfg(not(samewire_shared))]
    return reader.read(&mut Builder);
    #[cfg(samewire_shared)]
    reader.read(&mut shared(&mut Target::Tree)).map(Made::into_tree)
}

/// Writes what a reader has into a buffer, in `format` and by the options (`canonical` included).
///
/// # Errors
/// The reader's and the writer's.
pub fn write<R: Reader>(mut reader: R, format: Format, options: &Options, buffer: Buffer) -> Result<Buffer, Error> {
    #[cfg(feature = "canonical")]
    if options.canonical {
        // The order of the keys is known only at the end of each map: through a tree.
        let value = tree(reader)?;
        let mut buffer = buffer;
        buffer.extend(&canonical::to_vec(format, &value, options)?);
        return Ok(buffer);
    }
    #[cfg(samewire_shared)]
    return {
        let mut target = Target::writer(format, options, buffer);
        reader.read(&mut shared(&mut target))?;
        Ok(target.into_buffer())
    };
    #[cfg(not(samewire_shared))]
    match format {
        Format::MessagePack => {
            let mut writer = msgpack::Writer::new(buffer, options);
            reader.read(&mut writer)?;
            Ok(writer.into_buffer())
        }
        Format::Json => {
            let mut writer = json::Writer::new(buffer, options);
            reader.read(&mut writer)?;
            writer.finish();
            Ok(writer.into_buffer())
        }
    }
}

/// The bytes of `input`, a value of format `from`, in format `to`.
///
/// # Errors
/// The first fault in data order, of reading or of what `to` cannot hold, with its place in `input`.
///
/// ```
/// use samewire::{Format, Options, transcode::transcode};
/// let text = transcode(b"\x82\xa1a\x01\xa1b\xc3", Format::MessagePack, Format::Json, &Options::default())?;
/// assert_eq!(text, br#"{"a":1,"b":true}"#);
/// # Ok::<(), samewire::Error>(())
/// ```
pub fn transcode(input: &[u8], from: Format, to: Format, options: &Options) -> Result<Vec<u8>, Error> {
    let buffer = Buffer::with_capacity(input.len());
    let buffer = match from {
        Format::MessagePack => {
            let mut reader = msgpack::Reader::new(input, options)?;
            let buffer = write(&mut reader, to, options, buffer)?;
            reader.finish()?;
            buffer
        }
        Format::Json => {
            let mut reader = json::Reader::new(input, options)?;
            let buffer = write(&mut reader, to, options, buffer)?;
            reader.finish()?;
            buffer
        }
    };
    Ok(buffer.into_vec())
}

/// The bytes of a value in `format`.
///
/// # Errors
/// What the writer refuses, with the path.
pub fn to_vec(format: Format, value: &Value, options: &Options) -> Result<Vec<u8>, Error> {
    Ok(write(value, format, options, Buffer::with_capacity(128))?.into_vec())
}

/// The value that `input` is in `format`.
///
/// # Errors
/// The reader's.
pub fn from_slice(format: Format, input: &[u8], options: &Options) -> Result<Value, Error> {
    #[cfg(not(samewire_shared))]
    return read(format, input, options, &mut Builder);
    #[cfg(samewire_shared)]
    read(format, input, options, &mut shared(&mut Target::Tree)).map(Made::into_tree)
}
