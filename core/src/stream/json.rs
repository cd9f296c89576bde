//! Where a JSON text ends: brackets, strings and what stands bare. Not whether it is valid: the reader says.

use super::{Found, Splitter};
use crate::error::{Code, Error};

/// Where in a text the scan is, beside the open brackets.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Place {
    /// Before a value, or between tokens.
    #[default]
    Between,
    /// In a string.
    String,
    /// In a string, after a backslash.
    Escape,
    /// In a number or name at the top: it ends where something else begins.
    Bare,
}

impl Splitter {
    pub(super) fn scan_line(&mut self) -> Result<Found, Error> {
        let rest = &self.buffer[self.scanned..];
        match rest.iter().position(|&b| b == b'\n') {
            Some(n) => Ok(Found::End(self.scanned + n + 1)),
            None if self.ended && self.start < self.buffer.len() => Ok(Found::End(self.buffer.len())),
            None => Ok(Found::More(self.buffer.len())),
        }
    }

    pub(super) fn scan_json(&mut self) -> Result<Found, Error> {
        let mut at = self.scanned;
        let mut place = self.state.text;
        while at < self.buffer.len() {
            let byte = self.buffer[at];
            match place {
                Place::String => {
                    let rest = &self.buffer[at..];
                    let n = rest.iter().position(|&b| b == b'"' || b == b'\\').unwrap_or(rest.len());
                    at += n;
                    match rest.get(n) {
                        Some(b'"') => {
                            place = Place::Between;
                            at += 1;
                            if self.state.open.is_empty() {
                                return Ok(Found::End(at));
                            }
                        }
                        Some(_) => {
                            place = Place::Escape;
                            at += 1;
                        }
                        None => {}
                    }
                    continue;
                }
                Place::Escape => place = Place::String,
                Place::Bare => {
                    if matches!(
                        byte,
                        b' ' | b'\t' | b'\r' | b'\n' | 0x1e | b'"' | b'[' | b'{' | b']' | b'}' | b',' | b':'
                    ) {
                        return Ok(Found::End(at));
                    }
                }
                Place::Between => match byte {
                    b'"' => place = Place::String,
                    b'[' | b'{' => {
                        if self.state.open.len() >= self.max_depth {
                            return Err(self.error(Code::DepthExceeded, "containers nest deeper than max_depth", at));
                        }
                        self.state.open.push(0);
                    }
                    b']' | b'}' => {
                        self.state.open.pop();
                        if self.state.open.is_empty() {
                            return Ok(Found::End(at + 1));
                        }
                    }
                    b',' | b':' if self.state.open.is_empty() => return Ok(Found::End(at + 1)),
                    _ if self.state.open.is_empty() => place = Place::Bare,
                    _ => {}
                },
            }
            at += 1;
        }
        self.state.text = place;
        if self.ended && place == Place::Bare && at > self.start {
            return Ok(Found::End(at));
        }
        Ok(Found::More(at))
    }
}
