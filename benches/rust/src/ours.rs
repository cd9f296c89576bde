//! The calls of samewire that race, in one place: what a user of the crate would write.

use samewire::buffer::Buffer;
use samewire::visit::Nothing;
use samewire::{Options, Value, json, msgpack, value};

pub use samewire::Format;

fn text(error: samewire::Error) -> String {
    format!("{}: {}", error.code(), error.message())
}

pub fn decode<'a, T: serde::Deserialize<'a>>(format: Format, data: &'a [u8]) -> Result<T, String> {
    samewire::from_slice(format, data).map_err(text)
}

pub fn encode<T: serde::Serialize>(format: Format, value: &T) -> Result<Vec<u8>, String> {
    samewire::to_vec(format, value).map_err(text)
}

pub fn value(format: Format, data: &[u8]) -> Result<Value, String> {
    let options = Options::default();
    match format {
        Format::MessagePack => msgpack::read(data, &options, &mut value::Builder),
        Format::Json => json::read(data, &options, &mut value::Builder),
    }
    .map_err(text)
}

pub fn validate(format: Format, data: &[u8]) -> Result<(), String> {
    let options = Options::default();
    match format {
        Format::MessagePack => msgpack::read(data, &options, &mut Nothing),
        Format::Json => json::read(data, &options, &mut Nothing),
    }
    .map_err(text)
}

/// From the format given to the other one.
pub fn transcode(from: Format, data: &[u8]) -> Result<Vec<u8>, String> {
    let to = if from == Format::Json { Format::MessagePack } else { Format::Json };
    samewire::transcode::transcode(data, from, to, &Options::default()).map_err(text)
}

/// The tree as serde_json's, by way of JSON text, for comparison.
pub fn tree(value: &Value) -> Option<serde_json::Value> {
    let mut writer = json::Writer::new(Buffer::with_capacity(1024), &Options::default());
    value.visit(&mut writer).ok()?;
    serde_json::from_slice(&writer.into_buffer().into_vec()).ok()
}
