//! What one thread of a host holds for its calls: input memory, a tape, output memory, the last error.
//!
//! A host calls one function at a time on a session. Where its own code runs while it reads a tape and calls
//! back, that call needs another session.

use alloc::vec::Vec;

use super::relay::{Raw, Relay};
use super::target::{Made, Target};
use super::{Area, Host, Tape};
use crate::buffer::Buffer;
#[cfg(feature = "canonical")]
use crate::canonical;
use crate::error::{Code, Error};
use crate::format::Format;
use crate::limits::Limits;
use crate::msgpack::cursor::Rare;
use crate::msgpack::marker::{FALSE, FIXSTR, NIL, POSITIVE_FIXINT_MAX, TRUE};
use crate::options::{DuplicateKeys, InvalidUtf8, MapKeys, Options, Setting};
#[cfg(feature = "schema")]
use crate::schema::Schema;
use crate::text::Quoted;
use crate::value::Value;
use crate::view::{self, View};
use crate::visit::{COMPACT, Reader, SMALLEST, Visitor};
use crate::{inspect, json, msgpack, transcode};

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
    #[cfg_attr(samewire_compact, inline)]
    pub fn decode(&mut self, format: Format, input: &[u8], options: &Options) -> bool {
        self.tape.begin(input, options);
        let result = if plain(options) {
            transcode::read(format, input, options, &mut self.tape).map(drop)
        } else {
            let target = &mut Target::Tape(&mut self.tape);
            transcode::read(format, input, options, &mut Relay { visitor: target, raw: None }).map(drop)
        };
        self.decoded(result)
    }

    /// Reads one value that begins at `start`, onto the tape; its end is [`end`](Self::end).
    #[cfg_attr(samewire_compact, inline)]
    pub fn decode_from(&mut self, format: Format, input: &[u8], start: usize, options: &Options) -> bool {
        self.tape.begin(input, options);
        let result = if plain(options) {
            read_one(format, input, start, options, &mut self.tape).map(|(_, end)| self.end = end)
        } else {
            let target = &mut Target::Tape(&mut self.tape);
            let relay = &mut Relay { visitor: target, raw: None };
            read_one(format, input, start, options, relay).map(|(_, end)| self.end = end)
        };
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
        let result = transcode::check(format, input, options);
        self.done(result)
    }

    /// Writes the value of `input` in another format, or in the same by other options.
    pub fn transcode(&mut self, from: Format, to: Format, input: &[u8], options: &Options) -> bool {
        let result = self.write(to, options, |target| match from {
            // The relay unwraps nothing here: these are the pairs that are compiled already.
            Format::MessagePack => msgpack::read(input, options, &mut Relay { visitor: target, raw: None }),
            Format::Json => json::read(input, options, &mut Relay { visitor: target, raw: None }),
        });
        self.done(result)
    }

    /// Writes what a walker wrote as MessagePack with [`relay`](super::relay) extensions, at most 4 GiB.
    #[cfg_attr(samewire_compact, inline)]
    pub fn encode(&mut self, to: Format, walked: &[u8], options: &Options) -> bool {
        let reading = relayed(options);
        // Where the core puts entries in order, it must know what it puts there.
        let ordered = !SMALLEST && (options.canonical || options.sort_keys);
        let raw = Some(if ordered { Raw::Read(to, options) } else { Raw::Splice });
        let alone = SMALLEST || (!options.canonical && plain(&reading) && !(COMPACT && ordered));
        let result = if to == Format::Json && alone {
            // The one pair that is in everybody's way.
            let mut writer = json::Writer::new(self.room(), options);
            let result = msgpack::read(walked, &reading, &mut Relay { visitor: &mut writer, raw });
            writer.finish();
            self.output = writer.into_buffer().into_vec();
            result
        } else if SMALLEST {
            // The walker's own bytes are the result where no option asks for more, and none that does is taken.
            Err(Error::new(Code::InvalidOption, ""))
        } else {
            self.write(to, options, |target| msgpack::read(walked, &reading, &mut Relay { visitor: target, raw }))
        };
        // Offsets in what the walker wrote mean nothing to anybody.
        let result = result.map_err(|e| e.with_offset(None));
        self.done(result)
    }

    /// The digest of what a walker wrote, as output.
    #[cfg(feature = "canonical")]
    pub fn digest(&mut self, walked: &[u8], options: &Options) -> bool {
        let reading = relayed(options);
        let raw = Some(Raw::Read(Format::MessagePack, options));
        let result = msgpack::read(walked, &reading, &mut Relay { visitor: &mut Target::Tree, raw })
            .and_then(|made| canonical::digest(&made.into_tree()))
            .map(|digest| self.output = digest.to_vec())
            .map_err(|e| e.with_offset(None));
        self.done(result)
    }

    /// The output's memory, empty.
    fn room(&mut self) -> Buffer {
        let mut vec = core::mem::take(&mut self.output);
        vec.clear();
        vec.shrink_to(KEEP);
        Buffer::from_vec(vec)
    }

    /// Writes what `read` reads.
    fn write(
        &mut self,
        to: Format,
        options: &Options,
        read: impl FnOnce(&mut Target<'_>) -> Result<Made, Error>,
    ) -> Result<(), Error> {
        if options.canonical {
            // The order of the keys is known only at the end of each map: through a tree.
            #[cfg(not(feature = "canonical"))]
            return Err(Error::new(Code::InvalidOption, "option canonical: this build has no canonical form"));
            #[cfg(feature = "canonical")]
            {
                let value = read(&mut Target::Tree)?.into_tree();
                self.output = canonical::to_vec(to, &value, options)?;
                return Ok(());
            }
        }
        let mut target = Target::writer(to, options, self.room());
        let result = read(&mut target).map(drop);
        self.output = target.into_buffer().into_vec();
        result
    }

    /// The annotated dump of `input`, as output. Broken input is shown up to the fault.
    pub fn inspect(&mut self, format: Format, input: &[u8], options: &Options) -> bool {
        let mut text = alloc::string::String::new();
        // Writing to a String does not fail.
        let _ = inspect::write(input, format, options, false, inspect::Style::Plain, &mut text);
        self.output = text.into_bytes();
        self.done(Ok(()))
    }

    /// Goes along a JSON Pointer from the value at `at` in a message that [`validate`](Self::validate) has checked.
    /// The place is [`end`](Self::end); `usize::MAX` if there is none.
    pub fn view_go(&mut self, format: Format, input: &[u8], at: usize, pointer: &[u8], options: &Options) -> bool {
        let result = core::str::from_utf8(pointer)
            .map_err(|_| Error::new(Code::InvalidUtf8, "a JSON Pointer is UTF-8"))
            .and_then(|pointer| View::checked(input, format, at, options).pointer(pointer))
            .map(|found| self.end = found.map_or(usize::MAX, |v| v.offset()));
        self.done(result)
    }

    /// What the value at `at` is, as output: kind (0 scalar, 1 array, 2 map), length and end, four bytes each.
    pub fn view_about(&mut self, format: Format, input: &[u8], at: usize, options: &Options) -> bool {
        let view = View::checked(input, format, at, options);
        let kind: u32 = match view.kind() {
            view::Kind::Scalar => 0,
            view::Kind::Array => 1,
            view::Kind::Map => 2,
        };
        let end = view.offset() + view.raw().len();
        let result = view.len().map(|len| {
            let numbers = [kind, len.unwrap_or(0) as u32, end as u32];
            self.output = numbers.iter().flat_map(|n| n.to_ne_bytes()).collect();
        });
        self.done(result)
    }

    /// The keys and places of the container at `at`, as output: a MessagePack array of key, offset, key, offset …
    /// (of an array: index, offset …).
    pub fn view_entries(&mut self, format: Format, input: &[u8], at: usize, options: &Options) -> bool {
        let view = View::checked(input, format, at, options);
        let list = |entries: Vec<(Value, View<'_>)>| {
            let flat = entries.into_iter().flat_map(|(key, v)| [key, Value::Int(v.offset() as i64)]);
            let any = Options { map_keys: MapKeys::Any, ..Options::default() };
            transcode::to_vec(Format::MessagePack, &Value::Array(flat.collect()), &any)
        };
        let result = match view.kind() {
            view::Kind::Array => view.elements().and_then(|all| list((0..).map(Value::Int).zip(all).collect())),
            _ => view.entries().and_then(|all| list(all.into_iter().map(|e| (e.key, e.value)).collect())),
        };
        let result = result.map(|bytes| self.output = bytes);
        self.done(result)
    }

    /// [`decode`](Self::decode) by a schema.
    #[cfg(feature = "schema")]
    pub fn decode_by(&mut self, schema: &Schema, format: Format, input: &[u8], options: &Options) -> bool {
        self.tape.begin(input, options);
        let result = schema.read(format, input, options, &mut Target::Tape(&mut self.tape)).map(drop);
        self.decoded(result)
    }

    /// [`validate`](Self::validate) by a schema.
    #[cfg(feature = "schema")]
    pub fn validate_by(&mut self, schema: &Schema, format: Format, input: &[u8], options: &Options) -> bool {
        let result = schema.read(format, input, options, &mut Target::Nothing).map(drop);
        self.done(result)
    }

    /// [`transcode`](Self::transcode) by a schema.
    #[cfg(feature = "schema")]
    pub fn transcode_by(&mut self, schema: &Schema, from: Format, to: Format, input: &[u8], options: &Options) -> bool {
        let result = self.write_by(schema, to, options, |target| schema.read(from, input, options, target));
        self.done(result)
    }

    /// [`encode`](Self::encode) by a schema.
    #[cfg(feature = "schema")]
    pub fn encode_by(&mut self, schema: &Schema, to: Format, walked: &[u8], options: &Options) -> bool {
        let reading = relayed(&schema.writer_options(options));
        let raw = Some(Raw::Read(to, options));
        let result = msgpack::read(walked, &reading, &mut Relay { visitor: &mut Target::Tree, raw })
            .and_then(|made| self.write_by(schema, to, options, |target| made.into_tree().visit(target)));
        let result = result.map_err(|e| e.with_offset(None));
        self.done(result)
    }

    /// Judges the change of a schema. The request is a MessagePack array of the old documents (oldest first), the
    /// new one, each as JSON text, and the mode; the output a MessagePack array of findings.
    #[cfg(feature = "schema")]
    pub fn check(&mut self, request: &[u8]) -> bool {
        let result = transcode::from_slice(Format::MessagePack, request, &Options::default())
            .and_then(|request| judge(&request))
            .map(|bytes| self.output = bytes);
        self.done(result)
    }

    #[cfg(feature = "schema")]
    fn write_by<T>(
        &mut self,
        schema: &Schema,
        to: Format,
        options: &Options,
        read: impl FnOnce(&mut crate::schema::Writing<'_, '_, Target<'_>>) -> Result<T, Error>,
    ) -> Result<(), Error> {
        let own = schema.writer_options(options);
        let mut target = Target::writer(to, &own, self.room());
        let result = read(&mut schema.writing(to, options, &mut target)).map(drop);
        self.output = target.into_buffer().into_vec();
        result
    }
}

/// See [`Session::check`].
#[cfg(feature = "schema")]
fn judge(request: &Value) -> Result<Vec<u8>, Error> {
    use crate::schema::{self, Mode};
    let text = |value: Option<&Value>| match value {
        Some(Value::Str(text)) => Ok(text.clone()),
        _ => Err(Error::new(Code::InvalidState, "a request to check schemas has another form")),
    };
    let Value::Array(parts) = request else { return Err(text(None).unwrap_err()) };
    let [Value::Array(old), new, mode] = &parts[..] else { return Err(text(None).unwrap_err()) };
    let history =
        old.iter().map(|one| Schema::from_json(text(Some(one))?.as_bytes())).collect::<Result<Vec<_>, _>>()?;
    let new = Schema::from_json(text(Some(new))?.as_bytes())?;
    let findings = schema::check_history(&history, &new, Mode::parse(&text(Some(mode))?)?);
    let entry = |key: &str, value: Value| (Value::Str(key.into()), value);
    let list = findings.into_iter().map(|f| {
        let mut entries = alloc::vec![
            entry("path", Value::Str(f.path)),
            entry("rule", Value::Str(f.rule.into())),
            entry("severity", Value::Str(f.severity.as_str().into())),
            entry("mode", Value::Str(f.mode.into())),
            entry("format", Value::Str(f.format.into())),
            entry("advice", Value::Str(f.advice)),
        ];
        if let Some(witness) = f.witness {
            // A witness that MessagePack cannot hold is left out.
            let any = Options { map_keys: MapKeys::Any, ..Options::default() };
            if transcode::to_vec(Format::MessagePack, &witness, &any).is_ok() {
                entries.push(entry("witness", witness));
            }
        }
        if let Some(code) = f.code {
            entries.push(entry("code", Value::Str(code.as_str().into())));
        }
        if let Some(against) = f.against {
            entries.push(entry("against", Value::Int(against as i64)));
        }
        Value::Map(entries)
    });
    let any = Options { map_keys: MapKeys::Any, ..Options::default() };
    transcode::to_vec(Format::MessagePack, &Value::Array(list.collect()), &any)
}

/// True where the code for one visitor alone will do: in a compact build it knows the default policies only.
#[inline]
fn plain(options: &Options) -> bool {
    SMALLEST
        || !COMPACT
        || (options.duplicate_keys == DuplicateKeys::Error
            && options.map_keys == MapKeys::Str
            && options.invalid_utf8 == InvalidUtf8::Error)
}

/// Limits and duplicates are the input's business; what a walker wrote is none.
fn relayed(options: &Options) -> Options {
    Options {
        limits: Limits { max_bytes: usize::MAX, max_items: usize::MAX, ..options.limits },
        duplicate_keys: DuplicateKeys::Error,
        ..options.clone()
    }
}

/// Reads one value from `start`; returns what the visitor made of it and where it ends.
///
/// # Errors
/// The reader's; `truncated` at the input's end where `start` is beyond it.
#[inline]
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
    let mut cursor = msgpack::Cursor::new(map);
    let marker = cursor.marker()?;
    for _ in 0..cursor.map_len(marker)?.unwrap_or(0) {
        let marker = cursor.marker()?;
        let len = cursor.str_len(marker)?.unwrap_or(0);
        let name = text_of(cursor.payload(len, 0)?);
        let marker = cursor.peek().unwrap_or(NIL);
        if marker == TRUE || marker == FALSE || marker == NIL {
            cursor.marker()?;
        }
        let setting = match marker {
            NIL => Setting::None,
            FALSE | TRUE => Setting::Bool(marker == TRUE),
            FIXSTR..NIL => {
                cursor.marker()?;
                Setting::Str(text_of(cursor.payload(usize::from(marker & 31), 0)?))
            }
            0..=POSITIVE_FIXINT_MAX => {
                cursor.marker()?;
                Setting::Int(i64::from(marker))
            }
            _ => match cursor.rare(0)? {
                Rare::Int(n) => Setting::Int(n),
                Rare::Text(bytes) => Setting::Str(text_of(bytes)),
                Rare::Ext(_, name) => Setting::Other(text_of(name)),
                _ => Setting::Other("number"),
            },
        };
        let mut snake = alloc::string::String::new();
        for &c in name.as_bytes() {
            if c.is_ascii_uppercase() {
                snake.push('_');
            }
            snake.push(char::from(c.to_ascii_lowercase()));
        }
        // A name in another style than the host's is unknown, in the words that the host's user wrote.
        if name.contains('_') {
            return Err(Error::new(Code::InvalidOption, message!["there is no option ", Quoted(name)]));
        }
        options.set_as(&snake, name, setting)?;
    }
    let policies = [
        options.duplicate_keys != DuplicateKeys::Error,
        options.map_keys != MapKeys::Str,
        options.invalid_utf8 != InvalidUtf8::Error,
        options.sort_keys,
        options.canonical,
        options.omit_null,
    ];
    if SMALLEST && policies.contains(&true) {
        return Err(Error::new(Code::InvalidOption, ""));
    }
    Ok(options)
}

/// What the host's walker wrote is text.
fn text_of(bytes: &[u8]) -> &str {
    core::str::from_utf8(bytes).unwrap_or_default()
}
