//! Which notation some bytes are in.
//!
//! Text that begins as JSON does and has no byte that text has not is JSON; everything else is MessagePack.
//! A MessagePack file of nothing but small integers can look like text: then `--from msgpack` tells.

use crate::notation::Notation;

/// The notation of a file that begins with `head`. `whole` says that it is all of it.
pub fn notation(head: &[u8], whole: bool) -> Notation {
    let blank = |b: &u8| matches!(b, b' ' | b'\t' | b'\r' | b'\n' | 0x1e);
    // A byte order mark is for the JSON reader to refuse, with a word that helps.
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let Some(first) = text.iter().find(|b| !blank(b)) else {
        return if head.is_empty() { Notation::Msgpack } else { Notation::Json };
    };
    if !b"{[\"-0123456789tfn".contains(first) || !is_text(text, whole) {
        return Notation::Msgpack;
    }
    if has_second_line(text) { Notation::Jsonl } else { Notation::Json }
}

fn is_text(bytes: &[u8], whole: bool) -> bool {
    if bytes.iter().any(|b| *b < 0x20 && !matches!(b, b' ' | b'\t' | b'\r' | b'\n' | 0x1e)) {
        return false;
    }
    match std::str::from_utf8(bytes) {
        Ok(_) => true,
        // A character that is cut at the end of what was looked at; or a bad byte in what begins as only JSON does.
        Err(e) => {
            (e.error_len().is_none() && !whole) || bytes.trim_ascii_start().first().is_some_and(|b| b"{[\"".contains(b))
        }
    }
}

/// True if the first line is a text of its own and something follows it.
fn has_second_line(text: &[u8]) -> bool {
    let Some(end) = text.iter().position(|b| *b == b'\n') else { return false };
    let (line, rest) = text.split_at(end);
    let complete = samewire::json::read(line, &samewire::Options::default(), &mut samewire::visit::Nothing).is_ok();
    complete && rest.iter().any(|b| !b.is_ascii_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_tells() {
        for (bytes, expected) in [
            (&b"{\"a\":1}"[..], Notation::Json),
            (b"  [1,\n2]\n", Notation::Json),
            (b"{\"a\":1}\n{\"a\":2}\n", Notation::Jsonl),
            (b"1\n2\n", Notation::Jsonl),
            (b"{\"a\":1}\n", Notation::Json),
            (b"\"text\"", Notation::Json),
            (b"\xef\xbb\xbf{}", Notation::Json),
            (b"\x81\xa1a\x01", Notation::Msgpack),
            (b"\xc0", Notation::Msgpack),
            (b"\x93\x01\x02\x03", Notation::Msgpack),
            (b"\x00", Notation::Msgpack),
            (b"", Notation::Msgpack),
            (b"{\x00\x01", Notation::Msgpack),
            (b"{\"a\": \"\xff\"} and some more text", Notation::Json),
            (b"\xa5hello", Notation::Msgpack),
        ] {
            assert_eq!(notation(bytes, true), expected, "{bytes:?}");
        }
    }

    #[test]
    fn a_character_cut_at_the_end_is_still_text() {
        assert_eq!(notation(b"[\"\xc3", false), Notation::Json);
    }
}
