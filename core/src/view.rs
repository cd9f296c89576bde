//! Lazy reading: a message is checked once, and then only what is asked for is read.
//!
//! A [`View`] is a place in checked bytes. Going to a field steps over what stands before it, token by token,
//! without looking at text or numbers; nothing is allocated and nothing is built but what is read.

use alloc::string::String;
use alloc::vec::Vec;

use crate::error::{Code, Error};
use crate::format::Format;
use crate::key_text::key_text;
use crate::msgpack::marker::*;
use crate::options::{DuplicateKeys, Options};
#[cfg(samewire_shared)]
use crate::tape::target::{Made, Target, shared};
use crate::text::Quoted;
#[cfg(not(samewire_shared))]
use crate::value::Builder;
use crate::value::Value;
use crate::visit::{Reader, Visitor};
use crate::{json, msgpack, transcode};

/// What a place holds, as far as its first byte says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// null, a bool, a number, a string, binary, a timestamp or an extension
    Scalar,
    /// array
    Array,
    /// map
    Map,
}

/// A place in a checked message.
///
/// ```
/// use samewire::{Format, Options, view::View, value::Builder};
/// let message = br#"{"user":{"name":"Ada"},"items":[{"id":1},{"id":2}]}"#;
/// let view = View::new(message, Format::Json, &Options::default())?;
/// let id = view.pointer("/items/1/id")?.expect("it is there");
/// assert_eq!(id.raw(), b"2");
/// assert_eq!(view.get("user")?.and_then(|u| u.get("age").transpose()).transpose()?.is_none(), true);
/// # Ok::<(), samewire::Error>(())
/// ```
#[derive(Clone)]
pub struct View<'de> {
    input: &'de [u8],
    format: Format,
    at: usize,
    last_wins: bool,
}

/// One entry of a map.
#[derive(Clone)]
pub struct Entry<'de> {
    /// The key: `Value::Str` but under `map_keys="any"`.
    pub key: Value,
    /// The place of the value.
    pub value: View<'de>,
}

impl<'de> View<'de> {
    /// Checks the message and gives the place of its value.
    ///
    /// # Errors
    /// As reading it would give.
    pub fn new(input: &'de [u8], format: Format, options: &Options) -> Result<Self, Error> {
        transcode::check(format, input, options)?;
        Ok(Self::checked(input, format, 0, options))
    }

    /// The place at an offset of a message that was checked before.
    ///
    /// At an offset where no value begins, or in bytes that were not checked, results are wrong or errors;
    /// never undefined.
    pub fn checked(input: &'de [u8], format: Format, at: usize, options: &Options) -> Self {
        let mut view = View { input, format, at, last_wins: options.duplicate_keys == DuplicateKeys::Last };
        view.at = view.skip_blanks(at);
        view
    }

    /// The offset of the value in the message.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// Array, map, or neither.
    pub fn kind(&self) -> Kind {
        let first = self.input.get(self.at).copied().unwrap_or(NIL);
        match self.format {
            Format::Json => match first {
                b'[' => Kind::Array,
                b'{' => Kind::Map,
                _ => Kind::Scalar,
            },
            Format::MessagePack => match first {
                0x90..=0x9f | ARRAY16 | ARRAY32 => Kind::Array,
                0x80..=0x8f | MAP16 | MAP32 => Kind::Map,
                _ => Kind::Scalar,
            },
        }
    }

    /// How many elements or entries; `None` for a scalar. JSON has to count them.
    ///
    /// # Errors
    /// None in checked bytes.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> Result<Option<usize>, Error> {
        if self.kind() == Kind::Scalar {
            return Ok(None);
        }
        let mut walk = self.walk()?;
        if let Some(n) = walk.left {
            return Ok(Some(n));
        }
        let mut n = 0;
        while walk.next_place()?.is_some() {
            n += 1;
        }
        Ok(Some(n))
    }

    /// The value under a string key; `None` if the map lacks it, or this is no map.
    ///
    /// # Errors
    /// None in checked bytes.
    pub fn get(&self, key: &str) -> Result<Option<View<'de>>, Error> {
        if self.kind() != Kind::Map {
            return Ok(None);
        }
        let mut walk = self.walk()?;
        let mut found = None;
        while let Some(place) = walk.next_place()? {
            if walk.key_is(place.key, key)? {
                found = Some(self.at_offset(place.value));
                if !self.last_wins {
                    break;
                }
            }
        }
        Ok(found)
    }

    /// The element of an index; `None` if the array is shorter, or this is no array.
    ///
    /// # Errors
    /// None in checked bytes.
    pub fn index(&self, index: usize) -> Result<Option<View<'de>>, Error> {
        if self.kind() != Kind::Array {
            return Ok(None);
        }
        let mut walk = self.walk()?;
        if walk.left.is_some_and(|n| index >= n) {
            return Ok(None);
        }
        for _ in 0..index {
            if walk.next_place()?.is_none() {
                return Ok(None);
            }
        }
        Ok(walk.next_place()?.map(|place| self.at_offset(place.value)))
    }

    /// The value at a JSON Pointer (RFC 6901); the empty one is this place.
    ///
    /// # Errors
    /// `invalid-syntax` for a text that is no JSON Pointer.
    pub fn pointer(&self, pointer: &str) -> Result<Option<View<'de>>, Error> {
        let mut view = self.clone();
        if pointer.is_empty() {
            return Ok(Some(view));
        }
        let Some(steps) = pointer.strip_prefix('/') else { return Err(not_a_pointer(pointer)) };
        for step in steps.split('/') {
            let next = match view.kind() {
                Kind::Array => match array_index(step) {
                    Some(index) => view.index(index)?,
                    None => None,
                },
                _ => view.get(&unescape(step).ok_or_else(|| not_a_pointer(pointer))?)?,
            };
            match next {
                Some(next) => view = next,
                None => return Ok(None),
            }
        }
        Ok(Some(view))
    }

    /// The elements of an array.
    ///
    /// # Errors
    /// None in checked bytes.
    pub fn elements(&self) -> Result<Vec<View<'de>>, Error> {
        let mut views = Vec::new();
        if self.kind() == Kind::Array {
            let mut walk = self.walk()?;
            while let Some(place) = walk.next_place()? {
                views.push(self.at_offset(place.value));
            }
        }
        Ok(views)
    }

    /// The entries of a map, in the order of the data.
    ///
    /// # Errors
    /// None in checked bytes.
    pub fn entries(&self) -> Result<Vec<Entry<'de>>, Error> {
        let mut entries = Vec::new();
        if self.kind() == Kind::Map {
            let mut walk = self.walk()?;
            while let Some(place) = walk.next_place()? {
                entries.push(Entry { key: walk.key_value(place.key)?, value: self.at_offset(place.value) });
            }
        }
        Ok(entries)
    }

    /// The bytes of the value, as they are in the message.
    pub fn raw(&self) -> &'de [u8] {
        match self.skip(self.at) {
            Ok(end) => &self.input[self.at..end],
            Err(_) => &self.input[self.at.min(self.input.len())..],
        }
    }

    /// Reads the value into a visitor. Errors have offsets in the message and paths from this place.
    ///
    /// # Errors
    /// The visitor's.
    pub fn read<V: Visitor>(&self, options: &Options, visitor: &mut V) -> Result<V::Value, Error> {
        match self.format {
            Format::MessagePack => {
                let mut reader = msgpack::Reader::new(self.input, options)?;
                reader.seek(self.at.min(self.input.len()));
                reader.read(visitor)
            }
            Format::Json => {
                let mut reader = json::Reader::new(self.input, options)?;
                reader.seek(self.at.min(self.input.len()));
                reader.read(visitor)
            }
        }
    }

    /// The value as a tree.
    ///
    /// # Errors
    /// None in checked bytes.
    pub fn value(&self, options: &Options) -> Result<Value, Error> {
        #[cfg(not(samewire_shared))]
        return self.read(options, &mut Builder);
        #[cfg(samewire_shared)]
        self.read(options, &mut shared(&mut Target::Tree)).map(Made::into_tree)
    }

    fn at_offset(&self, at: usize) -> View<'de> {
        View { at, ..self.clone() }
    }

    fn skip_blanks(&self, at: usize) -> usize {
        if self.format == Format::MessagePack {
            return at;
        }
        let rest = self.input.get(at..).unwrap_or(&[]);
        at + rest.iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n')).count()
    }

    /// The offset behind the value at `at`.
    fn skip(&self, at: usize) -> Result<usize, Error> {
        match self.format {
            Format::MessagePack => skip_msgpack(self.input, at),
            Format::Json => skip_json(self.input, at),
        }
    }

    fn walk(&self) -> Result<Walk<'_, 'de>, Error> {
        let (at, left) = match self.format {
            Format::Json => (self.skip_blanks(self.at + 1), None),
            Format::MessagePack => {
                let token = token(self.input, self.at)?;
                let n = if self.kind() == Kind::Map { token.values / 2 } else { token.values };
                (token.end, Some(n))
            }
        };
        Ok(Walk { view: self, at, left, map: self.kind() == Kind::Map })
    }
}

/// A step through a container.
struct Walk<'v, 'de> {
    view: &'v View<'de>,
    at: usize,
    left: Option<usize>,
    map: bool,
}

/// Where an entry's key (equal to the value's for an element) and value begin.
struct Place {
    key: usize,
    value: usize,
}

impl Walk<'_, '_> {
    fn next_place(&mut self) -> Result<Option<Place>, Error> {
        let view = self.view;
        match &mut self.left {
            Some(0) => return Ok(None),
            Some(n) => *n -= 1,
            None => {
                if matches!(view.input.get(self.at), Some(b',')) {
                    self.at = view.skip_blanks(self.at + 1);
                }
                if matches!(view.input.get(self.at), Some(b']' | b'}') | None) {
                    return Ok(None);
                }
            }
        }
        let key = self.at;
        if self.map {
            self.at = view.skip(self.at)?;
            if view.format == Format::Json {
                let colon = view.skip_blanks(self.at);
                self.at = view.skip_blanks(colon + 1);
            }
        }
        let value = self.at;
        self.at = view.skip_blanks(view.skip(self.at)?);
        Ok(Some(Place { key, value }))
    }

    fn key_is(&self, at: usize, key: &str) -> Result<bool, Error> {
        let input = self.view.input;
        match self.view.format {
            Format::MessagePack => {
                let token = token(input, at)?;
                Ok(token.is_str && &input[token.end - token.payload..token.end] == key.as_bytes())
            }
            Format::Json => {
                let end = skip_json(input, at)?;
                let text = &input[at + 1..end - 1];
                if !text.contains(&b'\\') {
                    return Ok(text == key.as_bytes());
                }
                Ok(self.key_value(at)? == Value::Str(key.into()))
            }
        }
    }

    fn key_value(&self, at: usize) -> Result<Value, Error> {
        self.view.at_offset(at).value(&Options::default())
    }
}

struct Token {
    /// Behind header and payload.
    end: usize,
    payload: usize,
    /// Values inside, which follow.
    values: usize,
    is_str: bool,
}

fn token(input: &[u8], at: usize) -> Result<Token, Error> {
    let mut cursor = msgpack::Cursor::new(input);
    cursor.seek(at.min(input.len()));
    let marker = cursor.marker()?;
    let (mut payload, mut values) = (0, 0);
    let mut is_str = false;
    if let Some(n) = cursor.str_len(marker)? {
        (payload, is_str) = (n, true);
    } else if let Some(n) = cursor.array_len(marker)? {
        values = n;
    } else if let Some(n) = cursor.map_len(marker)? {
        values = n.saturating_mul(2);
    } else if let Some(n) = cursor.bin_len(marker)? {
        payload = n;
    } else if let Some(n) = cursor.ext_len(marker)? {
        payload = n.saturating_add(1);
    } else {
        payload = match marker {
            FLOAT32 => 4,
            FLOAT64 => 8,
            UINT8..=INT64 => 1 << (marker & 3),
            _ => 0,
        };
    }
    if payload > cursor.remaining() {
        return Err(cursor.truncated());
    }
    Ok(Token { end: cursor.offset() + payload, payload, values, is_str })
}

/// Steps over a value of checked MessagePack without a stack: only the number of values still to come counts.
fn skip_msgpack(input: &[u8], mut at: usize) -> Result<usize, Error> {
    let mut left = 1usize;
    while left > 0 {
        left -= 1;
        match input.get(at) {
            Some(0..=POSITIVE_FIXINT_MAX | NEGATIVE_FIXINT..=0xff) => at += 1,
            Some(&marker @ FIXSTR..=0xbf) => at += 1 + usize::from(marker & 31),
            Some(&FLOAT64) => at += 9,
            _ => {
                let token = token(input, at)?;
                at = token.end;
                left = left.saturating_add(token.values);
            }
        }
    }
    if at > input.len() {
        return Err(msgpack::Cursor::new(input).truncated());
    }
    Ok(at)
}

/// Steps over a value of checked JSON: only brackets and strings are looked at.
fn skip_json(input: &[u8], mut at: usize) -> Result<usize, Error> {
    let ends = || Error::new(Code::Truncated, "the input ends inside a value").at(input.len());
    let mut depth = 0usize;
    loop {
        match *input.get(at).ok_or_else(ends)? {
            b'"' => at = skip_string(input, at + 1).ok_or_else(ends)?,
            b'[' | b'{' => {
                depth += 1;
                at += 1;
            }
            b']' | b'}' => {
                depth = depth.saturating_sub(1);
                at += 1;
            }
            _ => {
                let rest = &input[at..];
                let token = |b: &u8| matches!(b, b'"' | b'[' | b'{' | b']' | b'}');
                let scalar_end = |b: &u8| matches!(b, b',' | b']' | b'}' | b' ' | b'\t' | b'\r' | b'\n');
                let n = if depth > 0 { rest.iter().position(token) } else { rest.iter().position(scalar_end) };
                at += n.unwrap_or(rest.len());
                if depth == 0 {
                    return Ok(at);
                }
                continue;
            }
        }
        if depth == 0 {
            return Ok(at);
        }
    }
}

/// The offset behind a string whose first character is at `at`.
fn skip_string(input: &[u8], mut at: usize) -> Option<usize> {
    loop {
        let n = input.get(at..)?.iter().position(|&b| b == b'"' || b == b'\\')?;
        at += n + 1;
        if input[at - 1] == b'"' {
            return Some(at);
        }
        at += 1;
    }
}

/// An array index by RFC 6901 §4: digits without leading zeros.
fn array_index(step: &str) -> Option<usize> {
    let digits = !step.is_empty() && step.bytes().all(|b| b.is_ascii_digit());
    (digits && (step == "0" || !step.starts_with('0'))).then(|| step.parse().ok()).flatten()
}

/// A key of a JSON Pointer without its escapes; `None` for a `~` before anything but 0 and 1.
fn unescape(step: &str) -> Option<String> {
    let mut key = String::with_capacity(step.len());
    let mut chars = step.chars();
    while let Some(c) = chars.next() {
        key.push(match c {
            '~' => match chars.next()? {
                '0' => '~',
                '1' => '/',
                _ => return None,
            },
            c => c,
        });
    }
    Some(key)
}

fn not_a_pointer(pointer: &str) -> Error {
    Error::new(Code::InvalidSyntax, message![Quoted(pointer), " is not a JSON Pointer (RFC 6901)"])
}

impl Entry<'_> {
    /// The key as text: itself for a string, its JSON text for another scalar.
    ///
    /// # Errors
    /// `map-key-type` for containers and extensions.
    pub fn key_text(&self) -> Result<String, Error> {
        key_text(&self.key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        r#" { "a" : [ 1 , -2.5e3, "x\"]}" , [ ] , { "b" : null } ] , "caf\u00e9" : {"~/": true}, "": 7, "z":"end" } "#;

    fn both(check: impl Fn(&View<'_>)) {
        let o = Options::default();
        let packed = transcode::transcode(TEXT.as_bytes(), Format::Json, Format::MessagePack, &o).unwrap();
        check(&View::new(TEXT.as_bytes(), Format::Json, &o).unwrap());
        check(&View::new(&packed, Format::MessagePack, &o).unwrap());
    }

    #[test]
    fn fields_are_found_in_both_formats() {
        both(|view| {
            let o = Options::default();
            let at = |p: &str| view.pointer(p).unwrap().map(|v| v.value(&o).unwrap());
            assert_eq!(at("/a/0"), Some(Value::Int(1)));
            assert_eq!(at("/a/1"), Some(Value::Float(-2500.0)));
            assert_eq!(at("/a/2"), Some(Value::Str("x\"]}".into())));
            assert_eq!(at("/a/3"), Some(Value::Array(alloc::vec![])));
            assert_eq!(at("/a/4/b"), Some(Value::Null));
            assert_eq!(at("/café/~0~1"), Some(Value::Bool(true)));
            assert_eq!(at("/"), Some(Value::Int(7)));
            assert_eq!(at("/z"), Some(Value::Str("end".into())));
            for absent in ["/b", "/a/5", "/a/00", "/a/-", "/a/b", "/z/0", "/a/4/b/c"] {
                assert_eq!(at(absent), None, "{absent}");
            }
            for bad in ["a", "/a~2", "/~"] {
                assert_eq!(view.pointer(bad).err().unwrap().code(), Code::InvalidSyntax, "{bad}");
            }
            assert_eq!(view.len().unwrap(), Some(4));
            assert_eq!(view.get("a").unwrap().unwrap().len().unwrap(), Some(5));
            assert_eq!(view.get("z").unwrap().unwrap().len().unwrap(), None);
            let keys: Vec<String> = view.entries().unwrap().iter().map(|e| e.key_text().unwrap()).collect();
            assert_eq!(keys, ["a", "café", "", "z"]);
            let whole = view.value(&o).unwrap();
            assert_eq!(view.elements().unwrap().len(), 0);
            let Value::Map(entries) = whole else { panic!() };
            for (entry, (key, value)) in view.entries().unwrap().iter().zip(&entries) {
                assert_eq!((&entry.key, &entry.value.value(&o).unwrap()), (key, value));
                let raw = transcode::from_slice(view.format, entry.value.raw(), &o).unwrap();
                assert_eq!(&raw, value);
            }
        });
    }

    #[test]
    fn what_is_broken_is_refused_at_once() {
        let o = Options::default();
        assert_eq!(View::new(b"[1,{\"a\":tru}]", Format::Json, &o).err().unwrap().path(), "/1/a");
        assert_eq!(View::new(b"[-]", Format::Json, &o).err().unwrap().code(), Code::InvalidSyntax);
        assert_eq!(View::new(&[0x92, 1], Format::MessagePack, &o).err().unwrap().code(), Code::LengthExceedsInput);
    }

    #[test]
    fn unchecked_places_are_errors_and_no_more() {
        let o = Options::default();
        for at in 0..TEXT.len() + 2 {
            for format in Format::ALL {
                let view = View::checked(TEXT.as_bytes(), format, at, &o);
                let _ = (
                    view.raw(),
                    view.len(),
                    view.get("a"),
                    view.index(1),
                    view.pointer("/a/0"),
                    view.entries().map(|e| e.len()),
                );
            }
        }
    }
}
