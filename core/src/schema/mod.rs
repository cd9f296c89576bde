//! Schemas: JSON Schema documents that say what data is, for typed reading and writing in both formats.
//!
//! A [`Schema`] is parsed (`document`), merged and linked (`compile`) into a flat program (`model`). Reading and
//! writing go through one adapter (`resolve`, `containers`) between a reader and a visitor; it knows no format
//! beyond the fact that JSON's timestamps and bin are strings. [`check`] judges a change of a schema before it
//! ships (`compat`).
//!
//! ```
//! use samewire::{Format, Options, schema::Schema, value::Builder};
//! let schema = Schema::from_json(br#"{
//!     "type": "object",
//!     "properties": {"name": {"type": "string"}, "price": {"type": "number"}},
//!     "required": ["name"]
//! }"#)?;
//! let value = schema.read(Format::Json, br#"{"name": "tea", "price": 3}"#, &Options::default(), &mut Builder)?;
//! assert_eq!(value.get("price"), Some(&samewire::Value::Float(3.0)));
//! let error = schema.validate(Format::Json, br#"{"price": 3}"#, &Options::default()).unwrap_err();
//! assert_eq!(error.code().as_str(), "missing-field");
//! # Ok::<(), samewire::Error>(())
//! ```

mod absent;
mod compare;
mod compare_maps;
mod compare_numbers;
mod compat;
mod compile;
mod containers;
mod document;
mod entries;
mod infer;
mod keywords;
mod model;
mod number;
mod pattern;
mod recorder;
mod refusal;
mod resolve;
mod starts;
mod text;
mod witness;

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::buffer::Buffer;
use crate::error::{Code, Error};
use crate::format::Format;
use crate::options::Options;
use crate::value::{Builder, Value};
use crate::visit::{Nothing, Reader, Visitor};

pub use absent::Absent;
pub use compat::{Finding, Mode, Severity, check, check_history, is_compatible};
pub use infer::Inference;
use model::{MapRules, Program};
pub use resolve::{Adapter, Writing};

/// A compiled schema. Cheap to clone.
#[derive(Clone)]
pub struct Schema(Arc<Inner>);

struct Inner {
    document: Value,
    program: Program,
}

/// The longest document in bytes of JSON.
pub const MAX_DOCUMENT: usize = 8 << 20;

impl core::fmt::Debug for Schema {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Schema({} nodes)", self.0.program.nodes.len())
    }
}

impl Schema {
    /// The schema of a JSON Schema document.
    ///
    /// # Errors
    /// `invalid-schema`, whose path is the JSON Pointer of the keyword; the JSON reader's for what is not JSON.
    pub fn from_json(json: &[u8]) -> Result<Schema, Error> {
        if json.len() > MAX_DOCUMENT {
            return Err(Error::new(
                Code::InvalidSchema,
                alloc::format!("a schema document has at most {MAX_DOCUMENT} bytes"),
            ));
        }
        let document = crate::json::read(json, &Options::default(), &mut Builder)?;
        Schema::compile(document)
    }

    /// The schema of a document that is parsed already.
    ///
    /// # Errors
    /// `invalid-schema`
    pub fn from_value(document: &Value) -> Result<Schema, Error> {
        Schema::compile(document.clone())
    }

    fn compile(document: Value) -> Result<Schema, Error> {
        let syntax = document::parse(&document)?;
        let mut program = compile::compile(syntax, &document)?;
        settle_defaults(&mut program)?;
        Ok(Schema(Arc::new(Inner { document, program })))
    }

    /// The document, as it was given.
    pub fn document(&self) -> &Value {
        &self.0.document
    }

    /// The document's `version`.
    pub fn version(&self) -> Option<&str> {
        self.0.program.version.as_deref()
    }

    /// Reads the one value that `input` is, keeping to the schema.
    ///
    /// # Errors
    /// The first fault in data order, the format's or the schema's, with offset and path.
    pub fn read<V: Visitor<Value: Absent>>(
        &self,
        format: Format,
        input: &[u8],
        options: &Options,
        visitor: &mut V,
    ) -> Result<V::Value, Error> {
        read_node(&self.0.program, self.0.program.root, format, input, options, visitor, usize::MAX)
    }

    /// A visitor that checks a host's values, puts them into the schema's form and order and hands them to
    /// `writer`, which writes `format` with [`writer_options`](Self::writer_options).
    pub fn writing<'s, 'v, V: Visitor<Value: Absent>>(
        &'s self,
        format: Format,
        options: &'s Options,
        writer: &'v mut V,
    ) -> Writing<'s, 'v, V> {
        Adapter::new(&self.0.program, self.0.program.root, writer, &[], options, format)
    }

    /// The options for a writer under this schema: keys that are integers are the schema's business.
    pub fn writer_options(&self, options: &Options) -> Options {
        Options { map_keys: resolve::writer_keys(&self.0.program, options), ..options.clone() }
    }

    /// Writes a value.
    ///
    /// # Errors
    /// The first fault in the order of the value, with its path.
    pub fn write(&self, format: Format, value: &Value, options: &Options) -> Result<Vec<u8>, Error> {
        write_node(&self.0.program, self.0.program.root, format, value, options)
    }

    /// Checks that `input` keeps to the schema.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn validate(&self, format: Format, input: &[u8], options: &Options) -> Result<(), Error> {
        self.read(format, input, options, &mut Nothing)
    }

    /// Reads by the schema from one format and writes by it in another.
    ///
    /// # Errors
    /// As [`read`](Self::read), and the writer's.
    pub fn transcode(&self, input: &[u8], from: Format, to: Format, options: &Options) -> Result<Vec<u8>, Error> {
        let out = Buffer::with_capacity(input.len());
        let own = self.writer_options(options);
        match to {
            Format::MessagePack => {
                let mut writer = crate::msgpack::Writer::new(out, &own);
                self.read(from, input, options, &mut self.writing(to, options, &mut writer))?;
                Ok(writer.into_buffer().into_vec())
            }
            Format::Json => {
                let mut writer = crate::json::Writer::new(out, &own);
                self.read(from, input, options, &mut self.writing(to, options, &mut writer))?;
                writer.finish();
                Ok(writer.into_buffer().into_vec())
            }
        }
    }
}

/// Writes one value of a node.
fn write_node(
    program: &Program,
    node: model::NodeId,
    format: Format,
    value: &Value,
    options: &Options,
) -> Result<Vec<u8>, Error> {
    let out = Buffer::with_capacity(64);
    let own = Options { map_keys: resolve::writer_keys(program, options), ..options.clone() };
    match format {
        Format::MessagePack => {
            let mut writer = crate::msgpack::Writer::new(out, &own);
            value.visit(&mut Writing::new(program, node, &mut writer, &[], options, format))?;
            Ok(writer.into_buffer().into_vec())
        }
        Format::Json => {
            let mut writer = crate::json::Writer::new(out, &own);
            value.visit(&mut Writing::new(program, node, &mut writer, &[], options, format))?;
            writer.finish();
            Ok(writer.into_buffer().into_vec())
        }
    }
}

/// Reads one value of a node.
fn read_node<V: Visitor<Value: Absent>>(
    program: &Program,
    node: model::NodeId,
    format: Format,
    input: &[u8],
    options: &Options,
    visitor: &mut V,
    fill: usize,
) -> Result<V::Value, Error> {
    let keys = resolve::reader_keys(options);
    let changed;
    let own = if keys == options.map_keys {
        options
    } else {
        changed = Options { map_keys: keys, ..options.clone() };
        &changed
    };
    let value = match format {
        Format::MessagePack => {
            let mut adapter = Adapter::<V, { resolve::MSGPACK }>::new(program, node, visitor, input, options, format);
            adapter.fill = fill;
            let mut reader = crate::msgpack::Reader::new(input, own)?;
            let value = reader.read(&mut adapter)?;
            reader.finish()?;
            value
        }
        Format::Json => {
            let mut adapter = Adapter::<V, { resolve::JSON }>::new(program, node, visitor, input, options, format);
            adapter.fill = fill;
            let mut reader = crate::json::Reader::new(input, own)?;
            let value = reader.read(&mut adapter)?;
            reader.finish()?;
            value
        }
    };
    V::Value::get(value).ok_or_else(|| Error::new(Code::InvalidState, "the whole value was skipped"))
}

/// Reads each default by the type of its field, so that what is filled in needs no look. Defaults inside
/// defaults are filled in, too: rounds are taken until nothing changes.
fn settle_defaults(program: &mut Program) -> Result<(), Error> {
    /// Defaults in one round, and how deep they may stand in each other.
    const MAX_FILL: usize = 20_000;
    const MAX_ROUNDS: usize = 16;
    let mut texts: Vec<(usize, usize, Vec<u8>)> = Vec::new();
    for (n, node) in program.nodes.iter().enumerate() {
        let MapRules::Record(record) = &node.map else { continue };
        for (f, field) in record.fields.iter().enumerate() {
            if let Some(default) = &field.default {
                let mut writer = crate::json::Writer::new(Buffer::with_capacity(32), &Options::default());
                let at = |e: Error| refuse_default(&node.at, &field.name, &e);
                default.visit(&mut writer).map_err(at)?;
                texts.push((n, f, writer.into_buffer().into_vec()));
            }
        }
    }
    for round in 0..MAX_ROUNDS {
        let mut changed = false;
        let mut read = Vec::with_capacity(texts.len());
        let mut fill = MAX_FILL;
        for (n, f, text) in &texts {
            let MapRules::Record(record) = &program.nodes[*n].map else { continue };
            let field = &record.fields[*f];
            let value = read_node(program, field.node, Format::Json, text, &Options::default(), &mut Builder, fill)
                .map_err(|e| refuse_default(&program.nodes[*n].at, &field.name, &e))?;
            fill = fill.saturating_sub(1 + weight(&value));
            changed |= field.default.as_deref() != Some(&value);
            read.push(value);
        }
        for ((n, f, _), value) in texts.iter().zip(read) {
            if let MapRules::Record(record) = &mut program.nodes[*n].map {
                record.fields[*f].default = Some(Box::new(value));
            }
        }
        if !changed {
            return Ok(());
        }
        if round == MAX_ROUNDS - 1 {
            break;
        }
    }
    Err(document::refuse("", "", "defaults contain themselves"))
}

/// How many values a value is.
fn weight(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(weight).sum::<usize>(),
        Value::Map(entries) => 1 + entries.iter().map(|(_, v)| weight(v)).sum::<usize>(),
        _ => 1,
    }
}

fn refuse_default(at: &str, field: &str, error: &Error) -> Error {
    let mut place = alloc::format!("{at}/properties");
    crate::error::push_pointer_key(&mut place, field);
    document::refuse(&place, "default", alloc::format!("the default is not of the field's type: {}", error.message()))
}
