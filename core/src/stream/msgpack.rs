//! Where a MessagePack value ends: markers and lengths, nothing of what they mean.

use super::{Found, Splitter};
use crate::error::{Code, Error};
use crate::msgpack::marker::*;

/// What a header announces: its own bytes, the payload after it, and the values after that.
struct Header {
    len: usize,
    payload: u64,
    values: u64,
}

/// The header at the front of `bytes`, if all of it is there.
fn header(bytes: &[u8]) -> Option<Header> {
    let marker = *bytes.first()?;
    let number =
        |n: usize| -> Option<u64> { Some(bytes.get(1..=n)?.iter().fold(0, |all, &b| all << 8 | u64::from(b))) };
    let (len, payload, values) = match marker {
        0..=POSITIVE_FIXINT_MAX | NEGATIVE_FIXINT..=0xff | NIL | NEVER_USED | FALSE | TRUE => (1, 0, 0),
        0x80..=0x8f => (1, 0, 2 * u64::from(marker & 15)),
        0x90..=0x9f => (1, 0, u64::from(marker & 15)),
        0xa0..=0xbf => (1, u64::from(marker & 31), 0),
        BIN8 | STR8 => (2, number(1)?, 0),
        BIN16 | STR16 => (3, number(2)?, 0),
        BIN32 | STR32 => (5, number(4)?, 0),
        EXT8 => (2, number(1)? + 1, 0),
        EXT16 => (3, number(2)? + 1, 0),
        EXT32 => (5, number(4)? + 1, 0),
        FLOAT32 => (1, 4, 0),
        FLOAT64 => (1, 8, 0),
        UINT8..=INT64 => (1, 1 << (marker & 3), 0),
        FIXEXT1..=FIXEXT16 => (1, 1 + (1 << (marker - FIXEXT1)), 0),
        ARRAY16 => (3, 0, number(2)?),
        ARRAY32 => (5, 0, number(4)?),
        MAP16 => (3, 0, 2 * number(2)?),
        MAP32 => (5, 0, 2 * number(4)?),
    };
    Some(Header { len, payload, values })
}

impl Splitter {
    pub(super) fn scan_msgpack(&mut self) -> Result<Found, Error> {
        let mut at = self.scanned;
        loop {
            if at >= self.buffer.len() {
                // Also where a payload is announced that has not come.
                if at > self.start && self.state.open.is_empty() && at == self.buffer.len() {
                    return Ok(Found::End(at));
                }
                return Ok(Found::More(at));
            }
            if at > self.start && self.state.open.is_empty() {
                return Ok(Found::End(at));
            }
            let Some(header) = header(&self.buffer[at..]) else { return Ok(Found::More(at)) };
            if self.buffer[at] == NEVER_USED {
                return Err(self.error(Code::InvalidMarker, "the byte 0xc1 begins no value", at));
            }
            // Everything announced takes at least its own bytes: more than is allowed fails before it comes.
            let after = (at - self.start + header.len) as u64;
            if after.saturating_add(header.payload).saturating_add(header.values) > self.max_bytes as u64 {
                return Err(self.too_large(at));
            }
            if header.values > 0 || is_container(self.buffer[at]) {
                if self.state.open.len() >= self.max_depth {
                    return Err(self.error(Code::DepthExceeded, "containers nest deeper than max_depth", at));
                }
                self.state.open.push(header.values + 1);
            }
            at += header.len + header.payload as usize;
            // One value is complete, and with it perhaps the containers around it.
            while let Some(left) = self.state.open.last_mut() {
                *left -= 1;
                if *left > 0 {
                    break;
                }
                self.state.open.pop();
            }
        }
    }
}

fn is_container(marker: u8) -> bool {
    matches!(marker, 0x80..=0x9f | ARRAY16..=MAP32)
}
