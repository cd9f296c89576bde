//! MessagePack tokens, as lines.

use alloc::format;
use alloc::string::{String, ToString};

use super::{Kind, Line, Stopped, Trail, quoted};
use crate::error::Error;
use crate::msgpack::cursor::Cursor;
use crate::msgpack::marker::*;
use crate::time::Timestamp;

/// A token's words, and what follows from it.
struct Token {
    kind: Kind,
    meaning: String,
    /// What it is as a key in a path.
    as_key: String,
    /// A container that is not empty: whether it is a map, and how many values stand in it.
    opens: Option<(bool, usize)>,
}

/// Shows the value at `start` up to `limit`, where the reader found a fault (or the input's end).
pub(super) fn walk<E>(
    input: &[u8],
    start: usize,
    limit: usize,
    faulty: bool,
    line: &mut dyn FnMut(Line) -> Result<(), E>,
) -> Result<Stopped, E> {
    let mut cursor = Cursor::new(input);
    cursor.seek(start);
    let mut trail = Trail::default();
    loop {
        let offset = cursor.offset();
        let stopped = Stopped { offset, depth: trail.depth() };
        if offset >= limit {
            return Ok(stopped);
        }
        // The reader's fault lies inside: the caller shows it.
        let Ok(token) = token(&mut cursor) else { return Ok(stopped) };
        let is_key = trail.at_key();
        let len = cursor.offset() - offset;
        let (kind, meaning) = if is_key && token.opens.is_none() {
            (Kind::Key, format!("key {}", token.meaning.strip_prefix("str ").unwrap_or(&token.meaning)))
        } else {
            (token.kind, token.meaning)
        };
        let path = if is_key { String::new() } else { trail.path() };
        line(Line { offset, len, depth: trail.depth(), kind, meaning, path })?;
        if let Some((map, left)) = token.opens {
            trail.open(map, Some(left));
            continue;
        }
        trail.ended(&token.as_key);
        while trail.frames.last().is_some_and(|f| f.left == Some(0)) {
            let closed = trail.frames.pop().expect("there is one");
            trail.ended(if closed.map { "{…}" } else { "[…]" });
        }
        if trail.frames.is_empty() {
            let offset = if faulty { limit } else { cursor.offset() };
            return Ok(Stopped { offset, depth: 0 });
        }
    }
}

fn token(cursor: &mut Cursor<'_>) -> Result<Token, Error> {
    let at = cursor.offset();
    let marker = cursor.marker()?;
    let scalar = |kind, meaning: String, as_key: String| Token { kind, meaning, as_key, opens: None };
    match marker {
        NIL => return Ok(scalar(Kind::Constant, "null".into(), "null".into())),
        FALSE => return Ok(scalar(Kind::Constant, "false".into(), "false".into())),
        TRUE => return Ok(scalar(Kind::Constant, "true".into(), "true".into())),
        0..=POSITIVE_FIXINT_MAX | NEGATIVE_FIXINT.. | UINT8..=INT64 => return integer(cursor, at),
        FLOAT32 => {
            let value = f32::from_bits(cursor.be::<4>()? as u32);
            let text = number(f64::from(value), Some(value));
            return Ok(scalar(Kind::Number, format!("float {text} (float32)"), text));
        }
        FLOAT64 => {
            let value = f64::from_bits(cursor.be::<8>()?);
            let text = number(value, None);
            return Ok(scalar(Kind::Number, format!("float {text}"), text));
        }
        _ => {}
    }
    if let Some(n) = cursor.str_len(marker)? {
        let header = cursor.offset() - at;
        let bytes = cursor.payload(n, at)?;
        let waste = waste(header, [31, 0xff, 0xffff, usize::MAX], n);
        return Ok(match core::str::from_utf8(bytes) {
            Ok(text) => scalar(Kind::Text, format!("str {}{}{waste}", quoted(text), long(text)), text.into()),
            Err(_) => scalar(Kind::Text, format!("str of {}, not UTF-8{waste}", count(n, "byte")), "…".into()),
        });
    }
    if let Some(n) = cursor.bin_len(marker)? {
        let header = cursor.offset() - at;
        cursor.payload(n, at)?;
        let waste = waste(header, [0, 0xff, 0xffff, usize::MAX], n);
        return Ok(scalar(Kind::Binary, format!("bin of {}{waste}", count(n, "byte")), "…".into()));
    }
    if let Some(n) = cursor.ext_len(marker)? {
        let kind = (cursor.be::<1>()? as u8).cast_signed();
        let bytes = cursor.payload(n, at)?;
        if kind == TIMESTAMP
            && let Ok(time) = Timestamp::from_ext(bytes)
        {
            let text = match time.format() {
                Ok(text) => text.as_str().to_string(),
                Err(_) => format!("{} s + {} ns", time.seconds(), time.nanoseconds()),
            };
            return Ok(scalar(Kind::Binary, format!("timestamp {text} ({} bits)", n * 8), text));
        }
        return Ok(scalar(Kind::Binary, format!("ext of type {kind}, {}", count(n, "byte")), "…".into()));
    }
    let (map, n) = match cursor.array_len(marker)? {
        Some(n) => (false, n),
        // The one byte that is left is NEVER_USED, where the reader has stopped.
        None => (true, cursor.map_len(marker)?.ok_or_else(|| cursor.truncated())?),
    };
    let waste = waste(cursor.offset() - at, [15, 0, 0xffff, usize::MAX], n);
    let what = match (map, n) {
        (true, 1) => "map of 1 entry".into(),
        (true, n) => format!("map of {n} entries"),
        (false, n) => format!("array of {}", count(n, "element")),
    };
    Ok(Token {
        kind: Kind::Container,
        meaning: format!("{what}{waste}"),
        as_key: if map { "{…}".into() } else { "[…]".into() },
        opens: (n > 0).then_some((map, if map { n.saturating_mul(2) } else { n })),
    })
}

fn integer(cursor: &mut Cursor<'_>, at: usize) -> Result<Token, Error> {
    cursor.seek(at);
    let (bits, above) = cursor.int()?.unwrap_or_default();
    let text = if above { bits.to_string() } else { bits.cast_signed().to_string() };
    let len = cursor.offset() - at;
    let shortest = shortest_int(bits, above);
    let waste = if len > shortest { over(len - shortest) } else { String::new() };
    Ok(Token { kind: Kind::Number, meaning: format!("int {text}{waste}"), as_key: text, opens: None })
}

/// Bytes of the shortest form.
fn shortest_int(bits: u64, above: bool) -> usize {
    let value = bits.cast_signed();
    if above || value >= 0 {
        return match bits {
            0..=0x7f => 1,
            0x80..=0xff => 2,
            0x100..=0xffff => 3,
            0x1_0000..=0xffff_ffff => 5,
            _ => 9,
        };
    }
    match value {
        -32.. => 1,
        -0x80.. => 2,
        -0x8000.. => 3,
        -0x8000_0000.. => 5,
        _ => 9,
    }
}

/// Says so where a header is longer than `n` needs; `most` are the largest lengths that a header of 1, 2, 3 and
/// 5 bytes can say (0 where there is none of that size).
fn waste(header: usize, most: [usize; 4], n: usize) -> String {
    let sizes = [1, 2, 3, 5];
    let exists = |i: usize| most[i] > 0;
    let shortest = (0..4).find(|&i| exists(i) && n <= most[i]).map_or(5, |i| sizes[i]);
    if header > shortest { over(header - shortest) } else { String::new() }
}

fn over(bytes: usize) -> String {
    format!(" ({} longer than needed)", count(bytes, "byte"))
}

fn long(text: &str) -> String {
    if text.chars().nth(super::SHOWN).is_some() { format!(" {} bytes", text.len()) } else { String::new() }
}

fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

fn number(value: f64, single: Option<f32>) -> String {
    if value.is_nan() {
        return "NaN".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity".into() } else { "-Infinity".into() };
    }
    let mut text = zmij::Buffer::new();
    match single {
        Some(value) => text.format_finite(value).into(),
        None => text.format_finite(value).into(),
    }
}
