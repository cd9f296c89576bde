//! The notations that files are in: the two formats, and tagged JSON.

use std::path::Path;

use samewire::buffer::Buffer;
use samewire::stream::Framing;
use samewire::value::Builder;
use samewire::visit::{Reader, Visitor};
use samewire::{Error, Format, Options, Value, json, msgpack, tagged, transcode};

/// How values are written in a file. A file of each may hold any number of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Notation {
    /// JSON texts, one or many.
    Json,
    /// JSON Lines: one text a line.
    #[value(alias = "ndjson")]
    Jsonl,
    /// MessagePack, one value after another.
    #[value(alias = "messagepack", alias = "mp")]
    Msgpack,
    /// Tagged JSON: any value without loss, one a line.
    Tagged,
}

impl Notation {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Notation::Json => "json",
            Notation::Jsonl => "jsonl",
            Notation::Msgpack => "msgpack",
            Notation::Tagged => "tagged",
        }
    }

    /// What a file's name says.
    pub fn of_path(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "json" => Some(Notation::Json),
            "jsonl" | "ndjson" => Some(Notation::Jsonl),
            "msgpack" | "mpk" | "mp" => Some(Notation::Msgpack),
            _ => None,
        }
    }

    /// The format whose bytes these are.
    pub fn format(self) -> Format {
        if self == Notation::Msgpack { Format::MessagePack } else { Format::Json }
    }

    /// How values follow each other when they are read.
    pub fn framing(self) -> Framing {
        match self {
            Notation::Msgpack => Framing::MessagePack,
            Notation::Jsonl => Framing::JsonLines,
            Notation::Json | Notation::Tagged => Framing::Json,
        }
    }

    /// The value that `bytes` are.
    pub fn read(self, bytes: &[u8], options: &Options) -> Result<Value, Error> {
        match self {
            Notation::Tagged => tagged::from_slice(bytes, options),
            _ => transcode::read(self.format(), bytes, options, &mut Builder),
        }
    }

    /// Appends a value.
    pub fn write(self, value: &Value, options: &Options, mut buffer: Buffer) -> Result<Buffer, Error> {
        match self {
            Notation::Tagged => {
                buffer.extend(&tagged::to_vec(value, options)?);
                Ok(buffer)
            }
            _ => transcode::write(value, self.format(), options, buffer),
        }
    }

    /// Appends the value that `bytes` are, in the notation `to`; without a tree where neither is tagged.
    pub fn convert(self, bytes: &[u8], to: Notation, options: &Options, buffer: Buffer) -> Result<Buffer, Error> {
        if self == Notation::Tagged || to == Notation::Tagged {
            return to.write(&self.read(bytes, options)?, options, buffer);
        }
        match self.format() {
            Format::MessagePack => {
                let mut reader = msgpack::Reader::new(bytes, options)?;
                let buffer = transcode::write(&mut reader, to.format(), options, buffer)?;
                reader.finish()?;
                Ok(buffer)
            }
            Format::Json => {
                let mut reader = json::Reader::new(bytes, options)?;
                let buffer = transcode::write(&mut reader, to.format(), options, buffer)?;
                reader.finish()?;
                Ok(buffer)
            }
        }
    }

    /// Hands the value that `bytes` are to a visitor.
    pub fn visit<V: Visitor>(self, bytes: &[u8], options: &Options, visitor: &mut V) -> Result<V::Value, Error> {
        match self {
            Notation::Tagged => (&self.read(bytes, options)?).read(visitor),
            _ => transcode::read(self.format(), bytes, options, visitor),
        }
    }
}
