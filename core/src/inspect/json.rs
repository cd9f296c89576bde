//! JSON tokens, as lines. Walks only over what the reader accepted.

use alloc::format;
use alloc::string::String;

use super::{Kind, Line, Stopped, Trail, quoted};

/// Shows the value at `start` up to `limit`, where the reader found a fault (or the input's end).
pub(super) fn walk<E>(
    input: &[u8],
    start: usize,
    limit: usize,
    line: &mut dyn FnMut(Line) -> Result<(), E>,
) -> Result<Stopped, E> {
    let mut trail = Trail::default();
    let mut at = start;
    loop {
        while at < limit && matches!(input[at], b' ' | b'\t' | b'\n' | b'\r' | b',' | b':') {
            at += 1;
        }
        let stopped = Stopped { offset: at, depth: trail.depth() };
        let Some(&first) = input[..limit].get(at) else { return Ok(stopped) };
        let len = token_len(&input[at..]);
        // A token that the fault lies in is the fault's to show.
        if at + len > limit {
            return Ok(stopped);
        }
        let text = String::from_utf8_lossy(&input[at..at + len]);
        let is_key = trail.at_key();
        let path = if is_key { String::new() } else { trail.path() };
        let mut token = Line { offset: at, len, depth: trail.depth(), kind: Kind::Text, meaning: String::new(), path };
        match first {
            b'{' | b'[' => {
                token.kind = Kind::Container;
                token.meaning = if first == b'{' { "object".into() } else { "array".into() };
                line(token)?;
                trail.open(first == b'{', None);
            }
            b'}' | b']' => {
                trail.frames.pop();
                token.depth = trail.depth();
                token.kind = Kind::Container;
                token.meaning = if first == b'}' { "end of object".into() } else { "end of array".into() };
                token.path = String::new();
                line(token)?;
                trail.ended("");
            }
            b'"' => {
                let inner = text.trim_matches('"');
                if is_key {
                    token.kind = Kind::Key;
                    token.meaning = format!("key {}", quoted(inner));
                } else {
                    token.meaning = format!("str {}", quoted(inner));
                }
                line(token)?;
                trail.ended(inner);
            }
            b't' | b'f' | b'n' => {
                if !matches!(&*text, "true" | "false" | "null") {
                    return Ok(stopped);
                }
                token.kind = Kind::Constant;
                token.meaning = text.into_owned();
                line(token)?;
                trail.ended("");
            }
            _ => {
                token.kind = Kind::Number;
                let what = if text.bytes().any(|b| matches!(b, b'.' | b'e' | b'E')) { "float" } else { "int" };
                token.meaning = format!("{what} {}", text.chars().take(super::SHOWN).collect::<String>());
                line(token)?;
                trail.ended("");
            }
        }
        at += len;
        if trail.frames.is_empty() {
            return Ok(Stopped { offset: at, depth: 0 });
        }
    }
}

/// Bytes of the token that `rest` begins with.
fn token_len(rest: &[u8]) -> usize {
    match rest[0] {
        b'{' | b'}' | b'[' | b']' => 1,
        b'"' => {
            let mut at = 1;
            while at < rest.len() {
                match rest[at] {
                    b'\\' => at += 2,
                    b'"' => return at + 1,
                    _ => at += 1,
                }
            }
            // Not closed: longer than any limit.
            usize::MAX / 2
        }
        _ => rest.iter().position(|b| b" \t\r\n,:]}[{\"".contains(b)).unwrap_or(rest.len()).max(1),
    }
}
