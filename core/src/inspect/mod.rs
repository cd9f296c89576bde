//! The inspector: an annotated dump of encoded bytes. Each token is a line with its offset, its bytes, what they
//! mean, how deep it lies and the path of its value. Broken input is shown up to the fault, and the fault is marked.
//!
//! The reader judges the input, with the caller's options; the walkers here only show what it accepted. They
//! never decide whether something is valid. Lines are made one at a time, so that memory does not grow with the
//! input; texts and paths are cut to what a person reads.

mod json;
mod msgpack;
mod render;

use alloc::collections::VecDeque;
use alloc::string::String;
use core::fmt;

use crate::error::Error;
use crate::format::Format;
use crate::options::Options;
use crate::transcode;
use crate::visit::Nothing;

pub use render::{Style, write_footer, write_header, write_line};

/// Characters of a text or a path that a line shows.
const SHOWN: usize = 60;

/// What a token is, for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A map's or array's header, or a bracket.
    Container,
    /// The key of an entry.
    Key,
    /// Text.
    Text,
    /// A number.
    Number,
    /// null, false or true.
    Constant,
    /// Binary, extensions and timestamps.
    Binary,
    /// What is wrong, and the bytes where it was found.
    Fault,
    /// Something that the bytes do not say: how much follows, where the next message begins.
    Note,
}

/// One token of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its first byte.
    pub offset: usize,
    /// Its bytes: a header with its payload, but for containers only the header.
    pub len: usize,
    /// Containers around it.
    pub depth: usize,
    /// What it is.
    pub kind: Kind,
    /// What it means, in words.
    pub meaning: String,
    /// JSON Pointer to the value, cut in front if it is long; empty on keys and closing brackets.
    pub path: String,
}

/// Walks over `input` and hands each token to `line`. With `many`, any number of values may follow each other;
/// offsets go on counting.
///
/// Returns the fault, if there is one; it was also the last line but for a note.
///
/// # Errors
/// What `line` returns.
pub fn walk<E>(
    input: &[u8],
    format: Format,
    options: &Options,
    many: bool,
    line: &mut dyn FnMut(Line) -> Result<(), E>,
) -> Result<Option<Error>, E> {
    let mut start = 0;
    let mut count = 0;
    loop {
        let (end, fault) = check(input, start, format, options, many);
        if many && count > 0 {
            line(note(start, alloc::format!("value {}", count + 1)))?;
        }
        let limit = match &fault {
            Some(e) => e.offset().unwrap_or(start),
            None => input.len(),
        };
        let stopped = match format {
            Format::MessagePack => msgpack::walk(input, start, limit, fault.is_some(), line)?,
            Format::Json => json::walk(input, start, limit, line)?,
        };
        if let Some(error) = fault {
            show_fault(input, stopped, &error, line)?;
            return Ok(Some(error));
        }
        count += 1;
        start = end;
        if !many || start >= input.len() {
            return Ok(None);
        }
    }
}

/// Where the value at `start` ends, and what is wrong with it.
fn check(input: &[u8], start: usize, format: Format, options: &Options, many: bool) -> (usize, Option<Error>) {
    if !many {
        return (input.len(), transcode::read(format, input, options, &mut Nothing).err());
    }
    let (end, read) = match format {
        Format::MessagePack => match crate::msgpack::Reader::new(input, options) {
            Ok(mut reader) => {
                reader.seek(start);
                let read = crate::visit::Reader::read(&mut reader, &mut Nothing);
                (reader.position(), read)
            }
            Err(e) => (start, Err(e)),
        },
        Format::Json => match crate::json::Reader::new(input, options) {
            Ok(mut reader) => {
                reader.seek(start);
                let read = crate::visit::Reader::read(&mut reader, &mut Nothing);
                let blanks =
                    input[reader.position()..].iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r'));
                (reader.position() + blanks.count(), read)
            }
            Err(e) => (start, Err(e)),
        },
    };
    (end, read.err())
}

fn show_fault<E>(
    input: &[u8],
    stopped: Stopped,
    error: &Error,
    line: &mut dyn FnMut(Line) -> Result<(), E>,
) -> Result<(), E> {
    let at = error.offset().unwrap_or(stopped.offset);
    // A value that is cut short is shown from where it begins.
    let offset = if at >= input.len() { stopped.offset.min(at) } else { at };
    let len = input.len().saturating_sub(offset).min(8);
    let where_ = if at == offset { String::new() } else { alloc::format!(" at byte {at}") };
    let meaning = alloc::format!("{}{where_}: {}", error.code(), error.message());
    line(Line { offset, len, depth: stopped.depth, kind: Kind::Fault, meaning, path: cut_front(error.path()) })?;
    let rest = input.len().saturating_sub(offset + len);
    if rest > 0 {
        line(note(offset + len, alloc::format!("{rest} more {}", if rest == 1 { "byte" } else { "bytes" })))?;
    }
    Ok(())
}

fn note(offset: usize, meaning: String) -> Line {
    Line { offset, len: 0, depth: 0, kind: Kind::Note, meaning, path: String::new() }
}

/// Where a walker ended, and how deep it was.
struct Stopped {
    offset: usize,
    depth: usize,
}

/// Writes the whole dump of `input` in `style`. Returns the fault that it shows, if there is one.
///
/// # Errors
/// `out`'s.
pub fn write(
    input: &[u8],
    format: Format,
    options: &Options,
    many: bool,
    style: Style,
    out: &mut dyn fmt::Write,
) -> Result<Option<Error>, fmt::Error> {
    write_header(style, input.len(), out)?;
    let fault = walk(input, format, options, many, &mut |line| write_line(style, input, 0, &line, out))?;
    write_footer(style, out)?;
    Ok(fault)
}

/// The annotated dump of one MessagePack message, faults included.
///
/// ```
/// let text = samewire::inspect::inspect(b"\x81\xa2id\xcc\xc8", &Default::default(), samewire::inspect::Style::Plain);
/// assert!(text.contains("map of 1 entry"));
/// assert!(text.contains("200") && text.contains("/id"));
/// ```
pub fn inspect(input: &[u8], options: &Options, style: Style) -> String {
    let mut out = String::new();
    // Writing to a String does not fail.
    let _ = write(input, Format::MessagePack, options, false, style, &mut out);
    out
}

/// The last `context` tokens before the fault in `input`, and the fault: what an error message shows. Empty if
/// there is none. `base` is added to the offsets, where `input` is a part of something larger.
pub fn excerpt(input: &[u8], base: u64, format: Format, options: &Options, context: usize, style: Style) -> String {
    let mut last = VecDeque::new();
    let mut shown = 0;
    let walked = walk::<fmt::Error>(input, format, options, false, &mut |line| {
        // The fault itself, and the note that may follow it, come on top.
        shown += usize::from(shown > 0 || line.kind == Kind::Fault);
        last.push_back(line);
        if last.len() > context + shown {
            last.pop_front();
        }
        Ok(())
    });
    let mut out = String::new();
    if let Ok(Some(_)) = walked {
        for line in &last {
            // Writing to a String does not fail.
            let _ = write_line(style, input, base, line, &mut out);
        }
    }
    out
}

/// Text in quotes with everything escaped that could move a terminal's cursor, cut to what a line shows.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    let mut left = SHOWN;
    for c in text.chars() {
        if left == 0 {
            out.push('…');
            break;
        }
        left -= 1;
        out.extend(c.escape_debug());
    }
    out.push('"');
    out
}

/// The end of a pointer, if it is long.
fn cut_front(path: &str) -> String {
    let count = path.chars().count();
    let mut out = String::new();
    if count > SHOWN {
        out.push('…');
    }
    for c in path.chars().skip(count.saturating_sub(SHOWN)) {
        match c {
            '"' | '\'' | '\\' => out.push(c),
            c => out.extend(c.escape_debug()),
        }
    }
    out
}

/// The containers around a walker, and where it is in each.
#[derive(Default)]
struct Trail {
    frames: alloc::vec::Vec<Frame>,
}

struct Frame {
    map: bool,
    /// Elements, or keys and values together, that are still to come; `None` where only a bracket tells.
    left: Option<usize>,
    index: usize,
    /// The key of the value that comes next; `None` while a key is due.
    key: Option<String>,
}

impl Trail {
    fn depth(&self) -> usize {
        self.frames.len()
    }

    fn open(&mut self, map: bool, left: Option<usize>) {
        self.frames.push(Frame { map, left, index: 0, key: None });
    }

    fn at_key(&self) -> bool {
        matches!(self.frames.last(), Some(Frame { map: true, key: None, .. }))
    }

    /// A scalar or a closed container ended; `text` is what it would be as a key.
    fn ended(&mut self, text: &str) {
        if let Some(top) = self.frames.last_mut() {
            if let Some(left) = &mut top.left {
                *left -= 1;
            }
            if !top.map {
                top.index += 1;
            } else if top.key.is_none() {
                top.key = Some(text.chars().take(SHOWN).collect());
            } else {
                top.key = None;
            }
        }
    }

    /// The end of the pointer to the value that comes next.
    fn path(&self) -> String {
        let mut parts = alloc::vec::Vec::new();
        let mut length = 0;
        for frame in self.frames.iter().rev() {
            if length > SHOWN {
                break;
            }
            let mut part = String::new();
            match (&frame.key, frame.map) {
                (Some(key), _) => crate::error::push_pointer_key(&mut part, key),
                (None, true) => continue,
                (None, false) => part = alloc::format!("/{}", frame.index),
            }
            length += part.chars().count();
            parts.push(part);
        }
        parts.reverse();
        cut_front(&parts.concat())
    }
}
