//! What one thread of a host holds for its calls: input memory, a tape, output memory, the last error.
//!
//! A host calls one function at a time on a session. Where its own code runs while it reads a tape and calls
//! back, that call needs another session.

use alloc::vec::Vec;

use super::relay::{Raw, Relay};
use super::{Area, Host, Tape};
use crate::buffer::Buffer;
use crate::error::{Code, Error};
use crate::format::Format;
use crate::limits::Limits;
use crate::options::{DuplicateKeys, Options, Setting};
use crate::value::{Builder, Value};
use crate::visit::{Nothing, Reader, Visitor};
use crate::{canonical, json, msgpack, transcode};

/// Memory that input and output may keep from one call to the next.
const KEEP: usize = 1 << 22;

/// See the module's documentation.
pub struct Session {
    tape: Tape,
    output: Vec<u8>,
    error: Option<Error>,
    end: usize,
}

impl Session {
    /// A session whose tape's areas come from `area`, which is asked for a capacity in bytes.
    pub fn new(host: Host, area: impl FnMut(usize) -> Area) -> Self {
        Session { tape: Tape::new(host, area), output: Vec::new(), error: None, end: 0 }
    }

    /// The tape.
    pub fn tape(&self) -> &Tape {
        &self.tape
    }

    /// See [`Tape::forget_strings`].
    pub fn forget_strings(&mut self) {
        self.tape.forget_strings();
    }

    /// What the last call wrote.
    pub fn output(&self) -> &[u8] {
        &self.output
    }

    /// The last call's error.
    pub fn error(&self) -> Option<&Error> {
        self.error.as_ref()
    }

    /// Where the value ends that was read last, for [`decode_from`](Self::decode_from).
    pub fn end(&self) -> usize {
        self.end
    }

    fn done(&mut self, result: Result<(), Error>) -> bool {
        self.error = result.err();
        self.error.is_none()
    }

    /// Reads the one value that `input` is, onto the tape.
    pub fn decode(&mut self, format: Format, input: &[u8], options: &Options) -> bool {
        self.tape.begin(input, options);
        let result = transcode::read(format, input, options, &mut self.tape).map(drop);
        self.decoded(result)
    }

    /// Reads one value that begins at `start`, onto the tape; its end is [`end`](Self::end).
    pub fn decode_from(&mut self, format: Format, input: &[u8], start: usize, options: &Options) -> bool {
        self.tape.begin(input, options);
        let result = read_one(format, input, start, options, &mut self.tape).map(|(_, end)| self.end = end);
        self.decoded(result)
    }

    fn decoded(&mut self, result: Result<(), Error>) -> bool {
        if result.is_err() {
            self.tape.forget_strings();
        }
        self.tape.finish();
        self.done(result)
    }

    /// Checks the one value that `input` is.
    pub fn validate(&mut self, format: Format, input: &[u8], options: &Options) -> bool {
        let result = transcode::read(format, input, options, &mut Nothing);
        self.done(result)
    }

    /// Writes the value of `input` in another format, or in the same by other options.
    pub fn transcode(&mut self, from: Format, to: Format, input: &[u8], options: &Options) -> bool {
        let result = match from {
            Format::MessagePack => msgpack::Reader::new(input, options).and_then(|mut reader| {
                self.write(Walked { reader: &mut reader, raw: None }, to, options)?;
                reader.finish()
            }),
            Format::Json => json::Reader::new(input, options).and_then(|mut reader| {
                self.write(&mut reader, to, options)?;
                reader.finish()
            }),
        };
        self.done(result)
    }

    /// Writes what a walker wrote as MessagePack with [`relay`](super::relay) extensions, at most 4 GiB.
    pub fn encode(&mut self, to: Format, walked: &[u8], options: &Options) -> bool {
        let reading = relayed(options);
        let result = msgpack::Reader::new(walked, &reading).and_then(|mut reader| {
            // Where the core puts entries in order, it must know what it puts there.
            let ordered = options.canonical || options.sort_keys;
            let raw = Some(if ordered { Raw::Read(to, options) } else { Raw::Splice });
            self.write(Walked { reader: &mut reader, raw }, to, options)
        });
        // Offsets in what the walker wrote mean nothing to anybody.
        let result = result.map_err(|e| e.with_offset(None));
        self.done(result)
    }

    /// The digest of what a walker wrote, as output.
    pub fn digest(&mut self, walked: &[u8], options: &Options) -> bool {
        let reading = relayed(options);
        let raw = Some(Raw::Read(Format::MessagePack, options));
        let result = msgpack::Reader::new(walked, &reading)
            .and_then(|mut reader| Walked { reader: &mut reader, raw }.read(&mut Builder))
            .and_then(|value| canonical::digest(&value))
            .map(|digest| self.output = digest.to_vec())
            .map_err(|e| e.with_offset(None));
        self.done(result)
    }

    fn write(&mut self, reader: impl Reader, to: Format, options: &Options) -> Result<(), Error> {
        let mut vec = core::mem::take(&mut self.output);
        vec.clear();
        vec.shrink_to(KEEP);
        self.output = transcode::write(reader, to, options, Buffer::from_vec(vec))?.into_vec();
        Ok(())
    }
}

/// Limits and duplicates are the input's business; what a walker wrote is none.
fn relayed(options: &Options) -> Options {
    Options {
        limits: Limits { max_bytes: usize::MAX, max_items: usize::MAX, ..options.limits },
        duplicate_keys: DuplicateKeys::Error,
        ..options.clone()
    }
}

/// MessagePack that may have [`relay`](super::relay) extensions: then `raw` says what becomes of raw values.
struct Walked<'r, 'de, 'o> {
    reader: &'r mut msgpack::Reader<'de>,
    raw: Option<Raw<'o>>,
}

impl Reader for Walked<'_, '_, '_> {
    #[inline]
    fn read<V: Visitor>(&mut self, visitor: &mut V) -> Result<V::Value, Error> {
        self.reader.read(&mut Relay { visitor, raw: self.raw })
    }
}

/// Reads one value from `start`; returns what the visitor made of it and where it ends.
///
/// # Errors
/// The reader's; `truncated` at the input's end where `start` is beyond it.
pub fn read_one<V: Visitor>(
    format: Format,
    input: &[u8],
    start: usize,
    options: &Options,
    visitor: &mut V,
) -> Result<(V::Value, usize), Error> {
    if start > input.len() {
        return Err(Error::new(Code::Truncated, "the offset is beyond the end of the input")
            .at(input.len())
            .with_path(""));
    }
    match format {
        Format::MessagePack => {
            let mut reader = msgpack::Reader::new(input, options)?;
            reader.seek(start);
            let value = reader.read(visitor)?;
            Ok((value, reader.position()))
        }
        Format::Json => {
            let mut reader = json::Reader::new(input, options)?;
            reader.seek(start);
            let value = reader.read(visitor)?;
            Ok((value, reader.position()))
        }
    }
}

/// Options from a MessagePack map of names in camelCase to bool, int or str; an ext is a value of some other
/// type, by its name.
///
/// # Errors
/// `invalid-option`
pub fn options(map: &[u8]) -> Result<Options, Error> {
    let mut options = Options::default();
    let Value::Map(entries) = msgpack::read(map, &Options::default(), &mut Builder)? else { return Ok(options) };
    for (name, value) in &entries {
        let Value::Str(name) = name else { continue };
        let other;
        let setting = match value {
            Value::Null => Setting::None,
            Value::Bool(b) => Setting::Bool(*b),
            Value::Int(n) => Setting::Int(*n),
            Value::Str(s) => Setting::Str(s),
            Value::Ext(e) => {
                other = alloc::string::String::from_utf8_lossy(&e.data).into_owned();
                Setting::Other(&other)
            }
            other => Setting::Other(other.kind()),
        };
        let mut snake = alloc::string::String::new();
        for c in name.chars() {
            if c.is_ascii_uppercase() {
                snake.push('_');
            }
            snake.push(c.to_ascii_lowercase());
        }
        // A name in another style than the host's is unknown, in the words that the host's user wrote.
        if name.contains('_') {
            return Err(Error::new(Code::InvalidOption, alloc::format!("there is no option {name:?}")));
        }
        options.set(&snake, setting).map_err(|e| Error::new(Code::InvalidOption, e.message().replace(&snake, name)))?;
    }
    Ok(options)
}
