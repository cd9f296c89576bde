//! The serde bridge: any type that implements `Serialize` or `Deserialize`, in both formats.
//!
//! Writing goes through the same visitors as everything else. Reading is pull-driven in serde, so it stands on
//! the cursors; what it steps over is checked by the push readers, and errors are located by them.
//!
//! Structs and maps are maps, with fields by name; enums are externally tagged (as in serde_json); `bytes` are
//! bin; `Option` is null or the value; `i128`/`u128` are integers of any size (JSON) or an error (MessagePack).
//! [`Timestamp`](crate::time::Timestamp), [`Ext`](crate::ext::Ext) and [`Value`](crate::Value) keep their kinds.

mod de_json;
mod de_msgpack;
mod error;
mod ser;
mod types;

use alloc::vec::Vec;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::buffer::Buffer;
use crate::error::Error;
use crate::format::Format;
use crate::options::Options;
use crate::visit::{Reader, Visitor};
use crate::{json, msgpack, transcode};

/// Names of newtypes that our serializers and deserializers know, and other formats pass through.
mod name {
    pub(super) const TIMESTAMP: &str = "$samewire::Timestamp";
    pub(super) const EXT: &str = "$samewire::Ext";
    pub(super) const BIGINT: &str = "$samewire::BigInt";
}

/// The bytes of a value in a format.
///
/// # Errors
/// What the format cannot hold, with the path.
///
/// ```
/// #[derive(serde::Serialize, serde::Deserialize, PartialEq, Debug)]
/// struct Point { x: i32, y: f64 }
///
/// let bytes = samewire::to_vec(samewire::Format::MessagePack, &Point { x: 1, y: 0.5 })?;
/// assert_eq!(bytes, b"\x82\xa1x\x01\xa1y\xcb\x3f\xe0\0\0\0\0\0\0");
/// let point: Point = samewire::from_slice(samewire::Format::MessagePack, &bytes)?;
/// assert_eq!(point, Point { x: 1, y: 0.5 });
/// # Ok::<(), samewire::Error>(())
/// ```
pub fn to_vec<T: Serialize + ?Sized>(format: Format, value: &T) -> Result<Vec<u8>, Error> {
    to_vec_with(format, value, &Options::default())
}

/// [`to_vec`] with options.
///
/// # Errors
/// As [`to_vec`].
pub fn to_vec_with<T: Serialize + ?Sized>(format: Format, value: &T, options: &Options) -> Result<Vec<u8>, Error> {
    Ok(to_buffer(format, value, options, Buffer::with_capacity(128))?.into_vec())
}

/// Writes a value after what `buffer` holds, and returns the buffer: for reusing memory.
///
/// # Errors
/// As [`to_vec`].
pub fn to_buffer<T: Serialize + ?Sized>(
    format: Format,
    value: &T,
    options: &Options,
    buffer: Buffer,
) -> Result<Buffer, Error> {
    let max_depth = options.limits.max_depth;
    match format {
        Format::MessagePack => transcode::write(Source::<T, false> { value, max_depth }, format, options, buffer),
        Format::Json => transcode::write(Source::<T, true> { value, max_depth }, format, options, buffer),
    }
}

/// A value of a type read from bytes, which it may borrow from.
///
/// # Errors
/// The first fault in data order, of the bytes or of what the type wants, with offset and path.
pub fn from_slice<'de, T: Deserialize<'de>>(format: Format, input: &'de [u8]) -> Result<T, Error> {
    from_slice_with(format, input, &Options::default())
}

/// [`from_slice`] with options.
///
/// # Errors
/// As [`from_slice`].
pub fn from_slice_with<'de, T: Deserialize<'de>>(
    format: Format,
    input: &'de [u8],
    options: &Options,
) -> Result<T, Error> {
    match format {
        Format::MessagePack => {
            let mut reader = msgpack::Reader::new(input, options)?;
            let value = de_msgpack::read(&mut reader)?;
            reader.finish()?;
            Ok(value)
        }
        Format::Json => {
            let mut reader = json::Reader::new(input, options)?;
            let value = de_json::read(&mut reader)?;
            reader.finish()?;
            Ok(value)
        }
    }
}

/// A value read from a stream's bytes or a file's, kept by nobody.
///
/// # Errors
/// As [`from_slice`].
pub fn from_bytes<T: DeserializeOwned>(format: Format, input: &[u8]) -> Result<T, Error> {
    from_slice(format, input)
}

/// `Serialize` as a reader: drives any visitor that writes.
struct Source<'a, T: ?Sized, const TEXT: bool> {
    value: &'a T,
    max_depth: u32,
}

impl<T: Serialize + ?Sized, const TEXT: bool> Reader for Source<'_, T, TEXT> {
    #[inline]
    fn read<V: Visitor>(&mut self, visitor: &mut V) -> Result<V::Value, Error> {
        self.value.serialize(ser::Serializer::<V, TEXT>::new(visitor, self.max_depth))
    }
}
