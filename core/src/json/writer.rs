//! The visitor that writes JSON text, compact or indented.
//!
//! A comma is written after each element and entry; the last one becomes the closing bracket. So nothing
//! needs to know whether it is the first.

use alloc::vec::Vec;

use super::cursor::Cursor;
use super::escape;
use crate::base64;
use crate::buffer::Buffer;
use crate::error::{Code, Error};
use crate::float;
use crate::number;
use crate::options::{BinJson, Int64, MapKeys, NonFinite, Options};
use crate::order;
use crate::time::Timestamp;
use crate::visit::{Constant, SMALLEST, Text, Visitor};

/// Writes values into a [`Buffer`].
pub struct Writer {
    out: Buffer,
    non_finite: NonFinite,
    map_keys: MapKeys,
    bin_json: BinJson,
    int64: Int64,
    sort_keys: bool,
    omit_null: bool,
    escape_html: bool,
    append_newline: bool,
    /// Blanks a level; `None` is compact.
    indent: Option<u8>,
    /// Open containers, for the indentation.
    level: usize,
    /// Keys that are not strings, being written: they stay on one line.
    in_keys: u32,
    /// The entries' places and keys are needed: to sort, or to find keys that became equal as text.
    notes_keys: bool,
    /// Entries of the open maps, and their keys' text without quotes and escapes.
    entries: Vec<Entry>,
    names: Vec<u8>,
    /// Where the last null ends, for `omit_null`.
    null_end: usize,
}

/// An open map.
#[derive(Debug)]
pub struct Map {
    entries_from: usize,
    names_from: usize,
    /// Where a key that is not a string begins.
    key_at: usize,
    /// Some key was not a string, so that it may have become equal to another.
    stringified: bool,
}

#[derive(Clone, Copy)]
struct Entry {
    at: usize,
    name: (usize, usize),
}

/// No place in the output.
const NOWHERE: usize = usize::MAX;

impl Writer {
    /// A writer after what `buffer` holds already.
    pub fn new(buffer: Buffer, options: &Options) -> Self {
        Writer {
            out: buffer,
            non_finite: options.non_finite,
            map_keys: options.map_keys,
            bin_json: options.bin_json,
            int64: options.int64,
            sort_keys: options.sort_keys,
            omit_null: options.omit_null,
            escape_html: options.escape_html,
            append_newline: options.append_newline,
            indent: options.indent,
            level: 0,
            in_keys: 0,
            notes_keys: options.sort_keys || options.map_keys == MapKeys::Stringify,
            entries: Vec::new(),
            names: Vec::new(),
            null_end: NOWHERE,
        }
    }

    /// Ends a text: the line feed of `append_newline`.
    pub fn finish(&mut self) {
        if self.append_newline {
            self.out.extend(b"\n");
        }
    }

    /// The buffer, with all that was written.
    pub fn into_buffer(self) -> Buffer {
        self.out
    }

    /// The buffer.
    #[cfg_attr(not(samewire_compact), inline(always))]
    pub fn buffer_mut(&mut self) -> &mut Buffer {
        &mut self.out
    }

    /// Splices in a value that is JSON text already. The caller vouches for it.
    pub fn raw_value(&mut self, text: &[u8]) {
        self.out.extend(text);
    }

    #[cfg_attr(not(samewire_compact), inline(always))]
    fn put(&mut self, byte: u8) {
        self.out.reserve(1);
        // SAFETY: reserved.
        unsafe { self.out.put(byte) };
    }

    /// Opens a container.
    #[cfg_attr(not(samewire_compact), inline(always))]
    fn open(&mut self, bracket: u8) {
        self.put(bracket);
        if self.indent.is_some() {
            self.level += 1;
            self.line();
        }
    }

    /// What stands between elements and between entries, and after the last one until the bracket comes.
    #[cfg_attr(not(samewire_compact), inline(always))]
    fn separate(&mut self) {
        // SAFETY: comes after a write that reserved, which leaves SLACK.
        unsafe { self.out.put(b',') };
        if self.indent.is_some() {
            self.line();
        }
    }

    /// Closes a container.
    #[cfg_attr(not(samewire_compact), inline(always))]
    fn close(&mut self, bracket: u8) {
        if self.indent.is_some() {
            return self.close_line(bracket);
        }
        if self.out.as_slice().last() == Some(&b',') {
            let last = self.out.len() - 1;
            self.out.as_mut_slice()[last] = bracket;
            // Nothing was appended, but what follows relies on the room that an append leaves: without this a
            // row of closing brackets, each with a comma after it, runs past the buffer's end.
            self.out.reserve(1);
        } else {
            self.put(bracket);
        }
    }

    /// A line feed and the indentation, unless a key is being written.
    #[cold]
    #[inline(never)]
    fn line(&mut self) {
        let n = self.line_len();
        if n > 0 {
            self.out.extend(b"\n");
            for _ in 1..n {
                self.out.extend(b" ");
            }
        }
    }

    fn line_len(&self) -> usize {
        match self.indent {
            Some(n) if self.in_keys == 0 => 1 + usize::from(n) * self.level,
            _ => 0,
        }
    }

    #[cold]
    #[inline(never)]
    fn close_line(&mut self, bracket: u8) {
        let before = self.out.len() - self.line_len();
        self.out.truncate(before);
        self.level -= 1;
        if self.out.as_slice().last() == Some(&b',') {
            self.out.truncate(before - 1);
            self.line();
        }
        self.put(bracket);
    }

    #[cfg_attr(not(samewire_compact), inline(always))]
    fn colon(&mut self) {
        // SAFETY: comes after a write that reserved, which leaves SLACK.
        unsafe { self.out.put(b':') };
        if self.indent.is_some() && self.in_keys == 0 {
            self.put(b' ');
        }
    }

    /// A string that needs no escapes.
    fn quoted(&mut self, text: &[u8]) {
        self.out.reserve(text.len() + 2);
        let mut pen = self.out.pen();
        // SAFETY: reserved.
        unsafe {
            pen.put(b'"');
            pen.put_slice(text);
            pen.put(b'"');
            self.out.lay(pen);
        }
    }

    #[cfg_attr(not(samewire_compact), inline(always))]
    fn text(&mut self, text: &str) {
        if self.escape_html { escape::write_for_html(text, &mut self.out) } else { escape::write(text, &mut self.out) }
    }

    #[cold]
    #[inline(never)]
    fn not_finite(&mut self, value: f64) -> Result<(), Error> {
        let name: &[u8] = match value {
            f64::INFINITY => b"Infinity",
            f64::NEG_INFINITY => b"-Infinity",
            _ => b"NaN",
        };
        match self.non_finite {
            NonFinite::String => self.quoted(name),
            NonFinite::Null if self.in_keys == 0 => self.out.extend(b"null"),
            _ => {
                // By name: the library's formatting of floats is ten kilobytes.
                let name = if value.is_nan() { "NaN" } else { "an infinity" };
                let message = message![name, " has no place in JSON (option non_finite allows others)"];
                return Err(Error::new(Code::NonFiniteNumber, message));
            }
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn integer_text(&mut self, digits: &str) {
        self.quoted(digits.as_bytes());
    }

    /// Notes an entry and the text of its key.
    #[cold]
    #[inline(never)]
    fn note_key(&mut self, at: usize, name: &[u8]) {
        let from = self.names.len();
        self.names.extend_from_slice(name);
        self.entries.push(Entry { at, name: (from, self.names.len()) });
    }

    /// Takes back an entry whose value was null.
    #[cold]
    #[inline(never)]
    fn drop_entry(&mut self, at: usize) {
        self.out.truncate(at);
        self.null_end = NOWHERE;
        if self.notes_keys
            && let Some(entry) = self.entries.pop()
        {
            self.names.truncate(entry.name.0);
        }
    }

    /// Puts the map's entries into the order of their keys; keys that are equal are an error.
    #[inline(never)]
    fn sort(&mut self, map: &Map) -> Result<(), Error> {
        let entries: Vec<Entry> = self.entries.drain(map.entries_from..).collect();
        if let Some(first) = entries.first()
            && (self.sort_keys || map.stringified)
        {
            let name = |i: usize| &self.names[entries[i].name.0..entries[i].name.1];
            let order = order::sorted(entries.len(), &mut |a, b| name(a).cmp(name(b)));
            if order.windows(2).any(|w| name(w[0]) == name(w[1])) {
                return Err(Error::new(Code::DuplicateKey, "a key stands twice in a map"));
            }
            if self.sort_keys && !order.is_sorted() {
                let bytes = self.out.as_slice();
                let mut sorted = Vec::with_capacity(bytes.len() - first.at);
                for &i in &order {
                    let end = entries.get(i + 1).map_or(bytes.len(), |next| next.at);
                    sorted.extend_from_slice(&bytes[entries[i].at..end]);
                }
                self.out.as_mut_slice()[first.at..].copy_from_slice(&sorted);
            }
        }
        self.names.truncate(map.names_from);
        Ok(())
    }
}

impl Visitor for Writer {
    const PLAIN: bool = true;
    type Value = ();
    type Array = ();
    type Map = Map;
    /// Where the entry begins.
    type Key = usize;

    #[cfg_attr(not(samewire_compact), inline(always))]
    fn constant(&mut self, value: Constant) -> Result<(), Error> {
        self.out.reserve(8);
        const TEXTS: [([u8; 8], usize); 3] = [(*b"null    ", 4), (*b"false   ", 5), (*b"true    ", 4)];
        let (text, len) = TEXTS[value as usize];
        // SAFETY: eight bytes are reserved.
        unsafe {
            self.out.position().cast::<[u8; 8]>().write(text);
            self.out.advance(len);
        }
        // The option first: which constant it is, no predictor knows.
        if !SMALLEST && self.omit_null && value == Constant::Null {
            self.null_end = self.out.len();
        }
        Ok(())
    }

    #[cfg_attr(not(samewire_compact), inline(always))]
    fn int(&mut self, value: i64) -> Result<(), Error> {
        if self.int64 == Int64::String && !number::is_safe(value) {
            self.integer_text(&text![value]);
            return Ok(());
        }
        self.out.reserve(number::TEXT_ROOM);
        // SAFETY: reserved.
        unsafe { number::put_int(value, &mut self.out) };
        Ok(())
    }

    #[cfg_attr(not(samewire_compact), inline(always))]
    fn uint(&mut self, value: u64) -> Result<(), Error> {
        if self.int64 == Int64::String && value > number::MAX_SAFE as u64 {
            self.integer_text(&text![value]);
            return Ok(());
        }
        self.out.reserve(number::TEXT_ROOM);
        // SAFETY: reserved.
        unsafe { number::put_uint(value, &mut self.out) };
        Ok(())
    }

    fn bigint(&mut self, digits: &str) -> Result<(), Error> {
        if self.int64 == Int64::String {
            self.integer_text(digits);
        } else {
            self.out.extend(digits.as_bytes());
        }
        Ok(())
    }

    #[cfg_attr(not(samewire_compact), inline(always))]
    fn float(&mut self, value: f64) -> Result<(), Error> {
        if !value.is_finite() {
            return self.not_finite(value);
        }
        self.out.reserve(float::TEXT_ROOM);
        // SAFETY: reserved.
        unsafe { float::put(value, &mut self.out) };
        Ok(())
    }

    #[inline]
    fn float32(&mut self, value: f32) -> Result<(), Error> {
        if !value.is_finite() {
            return self.not_finite(f64::from(value));
        }
        self.out.reserve(float::TEXT_ROOM);
        // SAFETY: reserved.
        unsafe { float::put32(value, &mut self.out) };
        Ok(())
    }

    #[cfg_attr(not(samewire_compact), inline(always))]
    fn str(&mut self, text: Text<'_>) -> Result<(), Error> {
        let text = text.to_str()?;
        self.text(text);
        Ok(())
    }

    fn bin(&mut self, bytes: &[u8]) -> Result<(), Error> {
        if self.bin_json == BinJson::Error {
            return Err(Error::new(Code::UnsupportedType, "JSON has no binary (option bin_json allows base64)"));
        }
        self.put(b'"');
        base64::encode(bytes, &mut self.out);
        self.put(b'"');
        Ok(())
    }

    fn timestamp(&mut self, value: Timestamp) -> Result<(), Error> {
        self.quoted(value.format()?.as_str().as_bytes());
        Ok(())
    }

    fn ext(&mut self, kind: i8, bytes: &[u8]) -> Result<(), Error> {
        if kind == crate::msgpack::marker::TIMESTAMP {
            return self.timestamp(Timestamp::from_ext(bytes)?);
        }
        Err(Error::new(Code::UnsupportedType, message!["JSON has no extensions: one of type ", kind]))
    }

    fn raw(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.raw_value(bytes);
        Ok(())
    }

    #[cfg_attr(not(samewire_compact), inline(always))]
    fn begin_array(&mut self, _: Option<usize>) -> Result<(), Error> {
        self.open(b'[');
        Ok(())
    }

    #[cfg_attr(not(samewire_compact), inline(always))]
    fn element(&mut self, (): &mut (), (): ()) -> Result<(), Error> {
        self.separate();
        Ok(())
    }

    #[cfg_attr(not(samewire_compact), inline(always))]
    fn end_array(&mut self, (): ()) -> Result<(), Error> {
        self.close(b']');
        Ok(())
    }

    #[cfg_attr(not(samewire_compact), inline(always))]
    fn begin_map(&mut self, _: Option<usize>) -> Result<Map, Error> {
        self.open(b'{');
        Ok(Map { entries_from: self.entries.len(), names_from: self.names.len(), key_at: NOWHERE, stringified: false })
    }

    #[cfg_attr(not(samewire_compact), inline(always))]
    fn key(&mut self, _: &mut Map, text: Text<'_>) -> Result<usize, Error> {
        let at = self.out.len();
        let text = text.to_str()?;
        self.text(text);
        self.colon();
        if !SMALLEST && self.notes_keys {
            self.note_key(at, text.as_bytes());
        }
        Ok(at)
    }

    fn begin_value_key(&mut self, map: &mut Map) -> Result<(), Error> {
        if self.map_keys != MapKeys::Stringify {
            let message =
                "a map key is not a string, which JSON has not (option map_keys: \"stringify\" makes text of it)";
            return Err(Error::new(Code::MapKeyType, message));
        }
        map.key_at = self.out.len();
        self.in_keys += 1;
        Ok(())
    }

    /// A scalar's text becomes a string; what is a string already (times, binary) stays one.
    fn value_key(&mut self, map: &mut Map, (): ()) -> Result<usize, Error> {
        let at = map.key_at;
        map.stringified = true;
        self.in_keys -= 1;
        let name = match self.out.as_slice().get(at) {
            Some(b'"') => {
                let mut cursor = Cursor::new(&self.out.as_slice()[at..], &Options::default());
                cursor.string()?.text().bytes().to_vec()
            }
            Some(b'[' | b'{') | None => {
                return Err(Error::new(Code::MapKeyType, "a map key that is an array or a map has no text"));
            }
            Some(_) => {
                let name = self.out.as_slice()[at..].to_vec();
                self.out.truncate(at);
                self.quoted(&name);
                name
            }
        };
        self.colon();
        self.note_key(at, &name);
        Ok(at)
    }

    #[cfg_attr(not(samewire_compact), inline(always))]
    fn entry(&mut self, _: &mut Map, key: usize, (): ()) -> Result<(), Error> {
        if !SMALLEST && self.omit_null && self.null_end == self.out.len() {
            self.drop_entry(key);
            return Ok(());
        }
        self.separate();
        Ok(())
    }

    #[cfg_attr(not(samewire_compact), inline(always))]
    fn end_map(&mut self, map: Map) -> Result<(), Error> {
        if !SMALLEST && self.notes_keys {
            self.sort(&map)?;
        }
        self.close(b'}');
        Ok(())
    }

    #[cfg_attr(not(samewire_compact), inline(always))]
    fn place(&self) -> Option<usize> {
        if self.sort_keys || self.map_keys == MapKeys::Stringify { None } else { Some(self.out.len()) }
    }

    fn reorder(&mut self, places: &[usize], order: &[usize]) {
        self.out.permute(places, order);
    }
}
