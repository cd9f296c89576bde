//! Streams: any split gives what the whole gives, memory and time stay in bounds, faults are loud.

mod common;

use common::{hex, value};
use proptest::prelude::*;
use samewire::options::{Options, Setting};
use samewire::stream::{Framing, Splitter};
use samewire::{Code, Error, Format, Value, transcode};

fn options(set: &[(&str, i64)]) -> Options {
    let mut o = Options::default();
    for (name, n) in set {
        o.set(name, Setting::Int(*n)).unwrap();
    }
    o
}

/// All values of a stream that arrives in these chunks, and what ended it.
fn split(framing: Framing, chunks: &[&[u8]], o: &Options) -> (Vec<Vec<u8>>, Result<(), Error>) {
    let mut splitter = Splitter::new(framing, o);
    let mut values = Vec::new();
    let mut run = || {
        for chunk in chunks {
            splitter.feed(chunk);
            while let Some(v) = splitter.next_value()? {
                assert!(!v.is_empty());
                values.push(v.to_vec());
            }
        }
        splitter.finish()?;
        while let Some(v) = splitter.next_value()? {
            values.push(v.to_vec());
        }
        Ok(())
    };
    let end = run();
    (values, end)
}

fn every_split(framing: Framing, stream: &[u8]) {
    let o = Options::default();
    let (whole, end) = split(framing, &[stream], &o);
    for at in 0..=stream.len() {
        let (values, end_here) = split(framing, &[&stream[..at], &stream[at..]], &o);
        assert_eq!(values, whole, "split at {at}");
        assert_eq!(
            end_here.as_ref().map_err(|e| (e.code(), e.offset())),
            end.as_ref().map_err(|e| (e.code(), e.offset()))
        );
    }
    let bytes: Vec<&[u8]> = stream.chunks(1).collect();
    assert_eq!(split(framing, &bytes, &o).0, whole);
}

#[test]
fn every_split_of_a_handful() {
    for stream in [
        "93010203c0a3616263",
        "82a16101a16293c0c2c3cb3ff0000000000000",
        "c403010203d6ff00000000c70c0500112233445566778899aabb",
        "dc0001dd00000001de0001a161db00000001619080",
        "92c1",
    ] {
        every_split(Framing::MessagePack, &hex(stream));
    }
    for stream in [
        "1 2",
        "[1,2]{\"a\":\"}\\\"]\"}",
        " \"a\\\\\" \"b\" true\nfalse null-1.5e3",
        "[[[]],{}]",
        "\u{1e}{\"é\":\"東京\"}\n\u{1e}[]\n",
        ",:]",
        "[1",
    ] {
        every_split(Framing::Json, stream.as_bytes());
    }
    for stream in ["{\"a\":1}\n[2]\r\n\n \n3", "\n\n", "\"a\\n\"\n"] {
        every_split(Framing::JsonLines, stream.as_bytes());
    }
}

#[test]
fn json_values_one_after_another() {
    let (values, end) = split(Framing::Json, &[b" 1 2[3]\"x\"{\"a\":[]}true false\n-1.5"], &Options::default());
    end.unwrap();
    let texts: Vec<&str> = values.iter().map(|v| core::str::from_utf8(v).unwrap()).collect();
    assert_eq!(texts, ["1", "2", "[3]", "\"x\"", "{\"a\":[]}", "true", "false", "-1.5"]);
}

#[test]
fn lines_keep_no_blank_ones() {
    let (values, end) = split(Framing::JsonLines, &[b"1\n\n  \n[2]\n3"], &Options::default());
    end.unwrap();
    assert_eq!(values, [&b"1\n"[..], b"[2]\n", b"3"]);
}

#[test]
fn faults_have_their_place_in_the_stream() {
    let fails = |framing, chunks: &[&[u8]], set: &[(&str, i64)]| {
        let e = split(framing, chunks, &options(set)).1.unwrap_err();
        (e.code(), e.offset().unwrap())
    };
    assert_eq!(fails(Framing::MessagePack, &[&hex("01c1")], &[]), (Code::InvalidMarker, 1));
    assert_eq!(fails(Framing::MessagePack, &[&hex("0192"), &hex("02")], &[]), (Code::Truncated, 3));
    assert_eq!(fails(Framing::MessagePack, &[&hex("01dbffffffff")], &[]), (Code::InputTooLarge, 1));
    assert_eq!(fails(Framing::MessagePack, &[&hex("01ddffffffff")], &[]), (Code::InputTooLarge, 1));
    assert_eq!(fails(Framing::MessagePack, &[&hex("91919190")], &[("max_depth", 3)]), (Code::DepthExceeded, 3));
    assert_eq!(fails(Framing::Json, &[b"[[", b"[]]]"], &[("max_depth", 2)]), (Code::DepthExceeded, 2));
    assert_eq!(fails(Framing::Json, &[b"1 [2"], &[]), (Code::Truncated, 4));
    assert_eq!(fails(Framing::Json, &[b"1 \"2"], &[]), (Code::Truncated, 4));
    assert_eq!(fails(Framing::Json, &[b"1 12345"], &[("max_bytes", 4)]), (Code::InputTooLarge, 6));
    // The first value is there before the second fails.
    let (values, end) =
        split(Framing::MessagePack, &[&hex("c40101c405"), &[7; 5], &hex("c40101")], &options(&[("max_bytes", 4)]));
    assert_eq!((values.len(), end.unwrap_err().code()), (1, Code::InputTooLarge));
}

#[test]
fn values_left_when_the_stream_ends_are_still_there() {
    for (framing, stream, values, cut_at) in [
        (Framing::MessagePack, &hex("0192010203")[..], 3, None),
        (Framing::MessagePack, &hex("01920102c403aa"), 2, Some(7)),
        (Framing::Json, b"[1] \"a\"{} 12 ", 4, None),
        (Framing::Json, b"1 2 3", 3, None),
        (Framing::Json, b"1 [2", 1, Some(4)),
        (Framing::JsonLines, b"[1]\n\n[2]\n3", 3, None),
        (Framing::JsonLines, b" \n ", 0, None),
    ] {
        let mut splitter = Splitter::new(framing, &Options::default());
        splitter.feed(stream);
        splitter.finish().unwrap();
        let mut n = 0;
        let end = loop {
            match splitter.next_value() {
                Ok(Some(_)) => n += 1,
                Ok(None) => break None,
                Err(e) => break Some((e.code(), e.offset().unwrap())),
            }
        };
        assert_eq!((n, end), (values, cut_at.map(|at| (Code::Truncated, at))), "{stream:?}");
    }
}

#[test]
fn a_large_value_in_small_chunks_is_scanned_once() {
    let mut stream = hex("dd00100000");
    stream.extend((0..1 << 20).flat_map(|_| hex("cd0102")));
    let mut splitter = Splitter::new(Framing::MessagePack, &Options::default());
    let started = std::time::Instant::now();
    for chunk in stream.chunks(512) {
        splitter.feed(chunk);
        if let Some(v) = splitter.next_value().unwrap() {
            assert_eq!(v.len(), stream.len());
        }
    }
    splitter.finish().unwrap();
    // Scanning again for each chunk would be 6,000 times 3 MB: many seconds in any build.
    assert!(started.elapsed().as_secs() < 5);
}

proptest! {
    #[test]
    fn any_split_of_any_values(values in prop::collection::vec(value(), 0..6), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8)) {
        let o = Options::default();
        for (framing, format) in [(Framing::MessagePack, Format::MessagePack), (Framing::Json, Format::Json)] {
            let encoded: Vec<Vec<u8>> = values.iter().filter_map(|v| transcode::to_vec(format, v, &o).ok()).collect();
            let stream = if format == Format::Json { encoded.join(&b' ') } else { encoded.concat() };
            let mut at: Vec<usize> = cuts.iter().map(|c| c.index(stream.len() + 1)).collect();
            at.extend([0, stream.len()]);
            at.sort_unstable();
            let chunks: Vec<&[u8]> = at.windows(2).map(|w| &stream[w[0]..w[1]]).collect();
            let (got, end) = split(framing, &chunks, &o);
            prop_assert!(end.is_ok());
            prop_assert_eq!(&got, &encoded);
            for (bytes, value) in got.iter().zip(encoded.iter()) {
                let a: Value = transcode::from_slice(format, bytes, &o).unwrap();
                prop_assert_eq!(a, transcode::from_slice(format, value, &o).unwrap());
            }
        }
    }
}

#[test]
fn a_fault_is_the_same_in_every_split_and_as_when_read_at_once() {
    let framing = |format| if format == Format::Json { Framing::Json } else { Framing::MessagePack };
    for (format, stream, code, offset, path) in [
        (Format::MessagePack, hex("92c1"), Code::InvalidMarker, 1, "/0"),
        (Format::MessagePack, hex("82a16193c0c0c1"), Code::InvalidMarker, 6, "/a/2"),
        (Format::MessagePack, hex("dd00000100c1"), Code::InvalidMarker, 5, "/0"),
        // What comes before the byte that structure forbids.
        (Format::MessagePack, hex("82a16101a161c1"), Code::DuplicateKey, 4, "/a"),
        (Format::MessagePack, hex("92a1ffc1"), Code::InvalidUtf8, 2, "/0"),
        (Format::MessagePack, hex("8201c0c1"), Code::MapKeyType, 1, ""),
        (Format::MessagePack, hex("92a1ff"), Code::InvalidUtf8, 2, "/0"),
        (Format::MessagePack, hex("9392c0"), Code::Truncated, 3, "/0/1"),
        (Format::Json, b"[1,,2".to_vec(), Code::InvalidSyntax, 3, "/1"),
        (Format::Json, b"{\"a\":[1".to_vec(), Code::Truncated, 7, "/a"),
    ] {
        for at in 0..=stream.len() {
            let error = split(framing(format), &[&stream[..at], &stream[at..]], &Options::default()).1.unwrap_err();
            assert_eq!(
                (error.code(), error.offset(), error.path()),
                (code, Some(offset), path),
                "{stream:02x?} at {at}"
            );
        }
        let once = transcode::read(format, &stream, &Options::default(), &mut samewire::visit::Nothing).unwrap_err();
        if !matches!(once.code(), Code::LengthExceedsInput | Code::Truncated) {
            assert_eq!((once.code(), once.offset(), once.path()), (code, Some(offset), path));
        }
    }
}
