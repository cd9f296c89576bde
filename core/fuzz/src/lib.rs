//! What must hold for any bytes. libFuzzer looks for bytes for which it does not; `core/tests/any_bytes.rs` runs
//! the same functions on the conformance vectors and on random bytes, without a nightly toolchain.
//!
//! Each function panics where something does not hold. The first byte chooses the options, the rest is the input.

use samewire::inspect::{Style, excerpt, write};
use samewire::options::{DuplicateKeys, InvalidUtf8, LoneSurrogates, MapKeys, NonFinite};
use samewire::schema::Schema;
use samewire::stream::{Framing, Splitter};
use samewire::value::Builder;
use samewire::view::View;
use samewire::visit::{Nothing, Reader};
use samewire::{Code, Error, Format, Options, Value, canonical, json, msgpack, tagged, transcode};

fn options(byte: u8) -> Options {
    let pick = |shift: u32| usize::from((byte >> shift) & 3) % 3;
    Options {
        map_keys: [MapKeys::Any, MapKeys::Str, MapKeys::Stringify][pick(0)],
        duplicate_keys: [DuplicateKeys::Error, DuplicateKeys::Last, DuplicateKeys::First][pick(2)],
        invalid_utf8: [InvalidUtf8::Error, InvalidUtf8::Replace, InvalidUtf8::Bytes][pick(4)],
        lone_surrogates: if byte & 0x40 == 0 { LoneSurrogates::Error } else { LoneSurrogates::Replace },
        non_finite: if byte & 0x80 == 0 { NonFinite::Error } else { NonFinite::String },
        ..Options::default()
    }
}

fn split(data: &[u8]) -> Option<(Options, &[u8])> {
    data.split_first().map(|(first, rest)| (options(*first), rest))
}

/// Equal as values: NaN is itself, and 0.0 is not -0.0.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Map(a), Value::Map(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(&a.0, &b.0) && same(&a.1, &b.1))
        }
        _ => a == b,
    }
}

fn assert_same(a: &Value, b: &Value) {
    assert!(same(a, b), "{a:?}\nis not\n{b:?}");
}

/// What every error has.
fn assert_located(error: &Error, input: &[u8]) {
    let offset = error.offset().expect("an error of reading has an offset");
    assert!(offset <= input.len(), "{error:?} lies outside of {} bytes", input.len());
    assert!(error.has_path(), "{error:?} has no path");
    assert!(error.path().is_empty() || error.path().starts_with('/'), "{error:?}");
}

/// Reading, validating, viewing and inspecting agree on what is valid, and on where it is not.
fn read(format: Format, options: &Options, input: &[u8]) -> Option<Value> {
    let value = transcode::read(format, input, options, &mut Builder);
    let valid = transcode::read(format, input, options, &mut Nothing);
    let view = View::new(input, format, options);
    let mut dump = String::new();
    let shown = write(input, format, options, false, Style::Plain, &mut dump).expect("a string takes everything");
    let faults = [valid.err(), view.as_ref().err().cloned(), shown];
    match value {
        Ok(value) => {
            assert!(faults.iter().all(Option::is_none), "read, and refused: {faults:?}");
            if let Ok(view) = view {
                // A view shows what is there; the option says who wins only when a map is read.
                if options.duplicate_keys == DuplicateKeys::Error {
                    assert_same(&view.value(options).expect("it was checked"), &value);
                }
            }
            Some(value)
        }
        Err(error) => {
            assert_located(&error, input);
            for fault in faults {
                let fault = fault.expect("refused by one, accepted by another");
                assert_eq!(place(&fault), place(&error));
            }
            assert!(!excerpt(input, 0, format, options, 3, Style::Ansi).is_empty());
            None
        }
    }
}

fn place(error: &Error) -> (Code, Option<usize>, &str) {
    (error.code(), error.offset(), error.path())
}

/// Any bytes as MessagePack; what is read is written, and read again as the same.
pub fn msgpack_read(data: &[u8]) {
    let Some((options, input)) = split(data) else { return };
    let Some(value) = read(Format::MessagePack, &options, input) else { return };
    let any = Options { map_keys: MapKeys::Any, ..options };
    let written = transcode::to_vec(Format::MessagePack, &value, &any).expect("what was read can be written");
    let again = transcode::from_slice(Format::MessagePack, &written, &any).expect("what was written can be read");
    assert_same(&value, &again);
}

/// Any bytes as JSON; what is read is written, and read again as the same.
pub fn json_read(data: &[u8]) {
    let Some((options, input)) = split(data) else { return };
    let Some(value) = read(Format::Json, &options, input) else { return };
    let written = transcode::to_vec(Format::Json, &value, &options).expect("what was read can be written");
    let again = transcode::from_slice(Format::Json, &written, &options).expect("what was written can be read");
    assert_same(&value, &again);
}

/// Values that come from MessagePack keep what they are through tagged JSON and the canonical forms.
pub fn roundtrip(data: &[u8]) {
    let any = Options { map_keys: MapKeys::Any, ..Options::default() };
    let Ok(value) = transcode::from_slice(Format::MessagePack, data, &any) else { return };
    // Tags nest deeper than what they stand for: a deep value may have no tagged form.
    if let Ok(text) = tagged::to_vec(&value, &any) {
        match tagged::from_slice(&text, &any) {
            Ok(again) => assert_same(&value, &again),
            Err(error) => assert_eq!(error.code(), Code::DepthExceeded, "{error:?}"),
        }
    }
    let first = canonical::to_vec(Format::MessagePack, &value, &any).expect("it came from MessagePack");
    let again = transcode::from_slice(Format::MessagePack, &first, &any).expect("canonical bytes can be read");
    assert_eq!(canonical::to_vec(Format::MessagePack, &again, &any).expect("as before"), first);
    assert_eq!(canonical::digest(&value).expect("as before"), canonical::digest(&again).expect("as before"));
    if let Ok(text) = canonical::to_vec(Format::Json, &value, &Options::default()) {
        let read = transcode::from_slice(Format::Json, &text, &any).expect("canonical JSON can be read");
        match canonical::to_vec(Format::Json, &read, &Options::default()) {
            Ok(again) => assert_eq!(again, text),
            // RFC 8785 writes floats from 2^53 to 10^21 as digits; read back they are integers, which it refuses.
            Err(error) => assert_eq!(error.code(), Code::IntegerOutOfRange, "{error:?}"),
        }
    }
}

/// Transcoding equals reading a tree and writing it, in bytes and in the error's code.
pub fn transcode(data: &[u8]) {
    let Some((options, input)) = split(data) else { return };
    for from in Format::ALL {
        for to in Format::ALL {
            let piped = transcode::transcode(input, from, to, &options);
            let tree = transcode::from_slice(from, input, &options).and_then(|v| transcode::to_vec(to, &v, &options));
            match (&piped, &tree) {
                (Ok(piped), Ok(tree)) => assert_eq!(piped, tree),
                (Err(piped), Err(_)) => assert_located(piped, input),
                _ => panic!("{from:?} to {to:?}: {piped:?}, but by a tree {tree:?}"),
            }
        }
    }
}

/// A stream that is cut anywhere gives the values that the readers find in one piece.
pub fn incremental_equals_whole(data: &[u8]) {
    let Some((&seed, input)) = data.split_first() else { return };
    for framing in [Framing::MessagePack, Framing::Json, Framing::JsonLines] {
        let whole = values(framing, &[input]);
        // Chunks of pseudo-random sizes, many of a single byte.
        let mut chunks = Vec::new();
        let (mut rest, mut state) = (input, u32::from(seed) | 1);
        while !rest.is_empty() {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let n = (1 + (state >> 28) as usize * usize::from(seed & 1)).min(rest.len());
            chunks.push(&rest[..n]);
            rest = &rest[n..];
        }
        assert_eq!(values(framing, &chunks), whole, "{framing:?}");
    }
    // The splitter takes no value for shorter or longer than the reader does.
    let any = Options { map_keys: MapKeys::Any, ..Options::default() };
    let (found, end) = values(Framing::MessagePack, &[input]);
    let mut reader = msgpack::Reader::new(input, &any).expect("it is small");
    for value in &found {
        let start = reader.position();
        match reader.read(&mut Nothing) {
            Ok(()) => assert_eq!(&input[start..reader.position()], &value[..]),
            // Valid as a shape, and something in it is not: the reader's business.
            Err(_) => return,
        }
    }
    if end.is_none() {
        assert_eq!(reader.position(), input.len());
    }
    let (found, _) = values(Framing::Json, &[input]);
    if let ([value], Ok(_)) = (&found[..], json::read(input, &any, &mut Nothing)) {
        json::read(value, &any, &mut Nothing).expect("the whole is valid");
    }
}

/// An error's code and offset.
type End = (Code, Option<usize>);

/// The encoded values of a stream, and what ended it.
fn values(framing: Framing, chunks: &[&[u8]]) -> (Vec<Vec<u8>>, Option<End>) {
    let mut splitter = Splitter::new(framing, &Options::default());
    let mut found = Vec::new();
    let mut drain = |splitter: &mut Splitter| -> Result<(), Error> {
        while let Some(value) = splitter.next_value()? {
            found.push(value.to_vec());
        }
        Ok(())
    };
    let mut run = || -> Result<(), Error> {
        for chunk in chunks {
            splitter.feed(chunk);
            drain(&mut splitter)?;
        }
        splitter.finish()?;
        drain(&mut splitter)
    };
    let end = run().err().map(|e| (e.code(), e.offset()));
    (found, end)
}

/// A document is refused or compiled, whatever it is; and what it makes of an input is the same for reading and for
/// checking. The first two bytes say how long the document is.
pub fn schema(data: &[u8]) {
    let Some((length, rest)) = data.split_first_chunk::<2>() else { return };
    let (document, input) = rest.split_at(usize::from(u16::from_le_bytes(*length)).min(rest.len()));
    let schema = match Schema::from_json(document) {
        Ok(schema) => schema,
        Err(error) => return assert!(error.has_path(), "{error:?} has no path"),
    };
    for format in Format::ALL {
        let options = Options::default();
        let read = schema.read(format, input, &options, &mut Builder);
        let valid = schema.validate(format, input, &options);
        match (&read, &valid) {
            (Ok(_), Ok(())) => {}
            (Err(a), Err(b)) => {
                assert_eq!((a.code(), a.offset(), a.path()), (b.code(), b.offset(), b.path()));
                assert_located(a, input);
            }
            _ => panic!("read {read:?}, checked {valid:?}"),
        }
    }
}
