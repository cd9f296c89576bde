//! The inspector shows every byte once, in order, and stops where the reader stops.

use proptest::prelude::*;
use samewire::inspect::{Kind, Line, Style, excerpt, inspect, walk, write};
use samewire::options::MapKeys;
use samewire::visit::Nothing;
use samewire::{Code, Format, Options, transcode};

fn lines(input: &[u8], format: Format, options: &Options, many: bool) -> (Vec<Line>, Option<samewire::Error>) {
    let mut all = Vec::new();
    let fault = walk::<()>(input, format, options, many, &mut |line| {
        all.push(line);
        Ok(())
    });
    (all, fault.unwrap())
}

fn msgpack(input: &[u8]) -> (Vec<Line>, Option<samewire::Error>) {
    lines(input, Format::MessagePack, &Options::default(), false)
}

fn any_keys() -> Options {
    Options { map_keys: MapKeys::Any, ..Options::default() }
}

#[test]
fn a_message_line_by_line() {
    let (all, fault) = msgpack(b"\x82\xa4name\xa3ada\xa5tags/\x92\xcd\x00\x07\xcb\x3f\xf8\0\0\0\0\0\0");
    assert!(fault.is_none());
    let shown: Vec<_> = all.iter().map(|l| (l.offset, l.len, l.depth, l.meaning.as_str(), l.path.as_str())).collect();
    assert_eq!(
        shown,
        [
            (0, 1, 0, "map of 2 entries", ""),
            (1, 5, 1, "key \"name\"", ""),
            (6, 4, 1, "str \"ada\"", "/name"),
            (10, 6, 1, "key \"tags/\"", ""),
            (16, 1, 1, "array of 2 elements", "/tags~1"),
            (17, 3, 2, "int 7 (2 bytes longer than needed)", "/tags~1/0"),
            (20, 9, 2, "float 1.5", "/tags~1/1"),
        ]
    );
}

#[test]
fn every_kind_has_its_words() {
    for (bytes, meaning) in [
        (&b"\xc0"[..], "null"),
        (b"\xc3", "true"),
        (b"\xff", "int -1"),
        (b"\xd0\xff", "int -1 (1 byte longer than needed)"),
        (b"\xcf\xff\xff\xff\xff\xff\xff\xff\xff", "int 18446744073709551615"),
        (b"\xd3\x80\0\0\0\0\0\0\0", "int -9223372036854775808"),
        (b"\xca\x3d\xcc\xcc\xcd", "float 0.1 (float32)"),
        (b"\xcb\x7f\xf8\0\0\0\0\0\0", "float NaN"),
        (b"\xcb\xff\xf0\0\0\0\0\0\0", "float -Infinity"),
        (b"\xd9\x01a", "str \"a\" (1 byte longer than needed)"),
        (b"\xa2\x1b\n", "str \"\\u{1b}\\n\""),
        (b"\xc4\x01a", "bin of 1 byte"),
        (b"\xc5\x00\x01a", "bin of 1 byte (1 byte longer than needed)"),
        (b"\xd4\x05a", "ext of type 5, 1 byte"),
        (b"\xd6\xff\0\0\0\0", "timestamp 1970-01-01T00:00:00Z (32 bits)"),
        (b"\x90", "array of 0 elements"),
        (b"\xde\0\0", "map of 0 entries (2 bytes longer than needed)"),
    ] {
        let (all, fault) = msgpack(bytes);
        assert!(fault.is_none(), "{bytes:02x?}");
        assert_eq!((all.len(), all[0].meaning.as_str()), (1, meaning));
    }
}

#[test]
fn faults_are_marked_where_the_reader_finds_them() {
    for (bytes, code, before, offset) in [
        (&b"\x92\x01\xc1"[..], Code::InvalidMarker, 2, 2),
        (b"\x92\x01", Code::LengthExceedsInput, 0, 0),
        (b"\x91\xa5ab", Code::LengthExceedsInput, 1, 1),
        (b"\x91\xcd\x01", Code::Truncated, 1, 1),
        (b"\x91\xa3a\xffb", Code::InvalidUtf8, 2, 3),
        (b"\x82\xa1a\x01\xa1a\x02", Code::DuplicateKey, 3, 4),
        (b"\x81\x01\x02", Code::MapKeyType, 1, 1),
        (b"\x01\x02\x03", Code::TrailingData, 1, 1),
        (b"\x91\xd6\xff\0\0\0", Code::LengthExceedsInput, 1, 1),
        (b"", Code::Truncated, 0, 0),
    ] {
        let (all, fault) = msgpack(bytes);
        assert_eq!(fault.unwrap().code(), code, "{bytes:02x?}");
        let at = all.iter().position(|l| l.kind == Kind::Fault).unwrap();
        assert_eq!((at, all[at].offset), (before, offset), "{bytes:02x?}: {all:#?}");
        assert!(all[at].meaning.starts_with(code.as_str()));
    }
}

#[test]
fn json_is_shown_too() {
    let (all, fault) = lines(br#"{"a": [1, 2.5, "x\"y", null]}"#, Format::Json, &Options::default(), false);
    assert!(fault.is_none());
    let shown: Vec<_> = all.iter().map(|l| (l.offset, l.len, l.meaning.as_str(), l.path.as_str())).collect();
    assert_eq!(
        shown,
        [
            (0, 1, "object", ""),
            (1, 3, "key \"a\"", ""),
            (6, 1, "array", "/a"),
            (7, 1, "int 1", "/a/0"),
            (10, 3, "float 2.5", "/a/1"),
            (15, 6, "str \"x\\\\\\\"y\"", "/a/2"),
            (23, 4, "null", "/a/3"),
            (27, 1, "end of array", ""),
            (28, 1, "end of object", ""),
        ]
    );
    let (all, fault) = lines(br#"{"a": [1, 2,]}"#, Format::Json, &Options::default(), false);
    let fault = fault.unwrap();
    assert_eq!((fault.code(), fault.offset()), (Code::InvalidSyntax, Some(12)));
    assert_eq!(all.iter().find(|l| l.kind == Kind::Fault).unwrap().offset, 12);
}

#[test]
fn values_that_follow_each_other_are_told_apart() {
    let (all, fault) = lines(b"\x01\x91\x02\xa1", Format::MessagePack, &Options::default(), true);
    assert_eq!(fault.unwrap().offset(), Some(3));
    let notes: Vec<_> = all.iter().filter(|l| l.kind == Kind::Note).map(|l| (l.offset, l.meaning.as_str())).collect();
    assert_eq!(notes, [(1, "value 2"), (3, "value 3")]);
    let (all, fault) = lines(b"{}\n[1]\n", Format::Json, &Options::default(), true);
    assert!(fault.is_none());
    assert_eq!(all.len(), 6);
}

#[test]
fn the_excerpt_is_the_end_and_the_fault() {
    let mut input = b"\xdc\x03\xea".to_vec();
    input.extend([7; 1000]);
    input.extend(b"\xc1");
    input.extend([0; 20]);
    let text = excerpt(&input, 0, Format::MessagePack, &Options::default(), 2, Style::Plain);
    let rows: Vec<_> = text.lines().collect();
    assert_eq!(rows.len(), 4, "{text}");
    assert!(rows[1].contains("/999"), "{text}");
    assert!(rows[2].starts_with("> ") && rows[2].contains("1003") && rows[2].contains("/1000"), "{text}");
    assert!(rows[3].contains("more"), "{text}");
    assert_eq!(excerpt(b"\xc0", 0, Format::MessagePack, &Options::default(), 2, Style::Plain), "");
}

#[test]
fn nothing_in_the_input_reaches_the_terminal_or_the_page_raw() {
    let text = "<script>\x1b[31m\u{9b}\u{202e}&\"";
    let mut input = vec![0x81, 0xa0 | text.len() as u8];
    input.extend(text.as_bytes());
    input.push(0xa0 | text.len() as u8);
    input.extend(text.as_bytes());
    for style in [Style::Plain, Style::Html] {
        let shown = inspect(&input, &Options::default(), style);
        assert!(!shown.contains("<script>\\") || style == Style::Plain);
        assert!(!shown.contains('\x1b') && !shown.contains('\u{9b}') && !shown.contains('\u{202e}'), "{shown:?}");
    }
    let coloured = inspect(&input, &Options::default(), Style::Ansi);
    assert!(coloured.contains("\x1b[2m") && !coloured.contains("\x1b[31m"));
}

#[test]
fn long_bytes_are_cut_and_counted() {
    let mut input = vec![0xc5, 0x10, 0x00];
    input.resize(3 + 4096, 0xab);
    let text = inspect(&input, &Options::default(), Style::Plain);
    assert!(text.contains("bin of 4096 bytes") && text.contains("4083 more"), "{text}");
    assert!(text.len() < 400);
}

proptest! {
    /// Each byte of a valid message is in one line, and nothing is shown twice.
    #[test]
    fn lines_tile_what_is_valid(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let options = any_keys();
        let (all, fault) = lines(&bytes, Format::MessagePack, &options, true);
        let mut at = 0;
        for line in all.iter().filter(|l| !matches!(l.kind, Kind::Note | Kind::Fault)) {
            prop_assert_eq!(line.offset, at);
            at += line.len;
        }
        if fault.is_none() {
            prop_assert_eq!(at, bytes.len());
        }
    }

    /// The fault is the reader's, and no bytes make the inspector fail in any style.
    #[test]
    fn the_fault_is_the_readers(bytes in prop::collection::vec(any::<u8>(), 0..64), json in any::<bool>()) {
        let format = if json { Format::Json } else { Format::MessagePack };
        let expected = transcode::read(format, &bytes, &Options::default(), &mut Nothing).err();
        for style in [Style::Plain, Style::Ansi, Style::Html] {
            let mut out = String::new();
            let fault = write(&bytes, format, &Options::default(), false, style, &mut out).unwrap();
            prop_assert_eq!(
                fault.map(|e| (e.code(), e.offset())),
                expected.as_ref().map(|e| (e.code(), e.offset()))
            );
        }
    }

    /// JSON-like text, broken anywhere.
    #[test]
    fn broken_json_is_shown(text in r#"[\[\]{}:," a-c0-9\\.etrufalsn-]{0,40}"#) {
        let (all, fault) = lines(text.as_bytes(), Format::Json, &Options::default(), false);
        prop_assert_eq!(fault.is_some(), all.iter().any(|l| l.kind == Kind::Fault));
    }
}
