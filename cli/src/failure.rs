//! What went wrong, for people on standard error or as JSON for scripts.

use std::fmt::Write as _;
use std::io::{self, Write as _};

use samewire::inspect::{self, Style};
use samewire::{Code, Error, Options, Value};

use crate::notation::Notation;
use crate::output;

/// Why a command ends early.
pub enum Failure {
    /// The data is not what it should be.
    Data(Box<DataFailure>),
    /// A file cannot be read or written.
    File {
        /// Its name, as given.
        name: String,
        /// What the system says.
        error: io::Error,
    },
    /// The command line asks for something that cannot be done.
    Usage(String),
    /// Whoever read the output has gone; nothing to say.
    Closed,
}

/// An error in a file's data.
pub struct DataFailure {
    /// The file's name, as given.
    pub file: String,
    /// Which of the file's values, from 1.
    pub value: u64,
    /// True if the file has, or may have, more than one.
    pub many: bool,
    /// The line that the value begins in, in JSON Lines.
    pub line: Option<u64>,
    /// Offset of the value in the file.
    pub base: u64,
    /// The error, its offset that in the value.
    pub error: Error,
    /// The tokens around the fault.
    pub excerpt: String,
}

/// Tokens before the fault in an excerpt.
const CONTEXT: usize = 3;
/// Values longer than this are not walked once more to show where they broke.
const EXCERPT_LIMIT: usize = 64 << 20;

impl Failure {
    pub fn usage(text: impl Into<String>) -> Self {
        Failure::Usage(text.into())
    }

    /// An option that core refused.
    pub fn of_option(error: Error) -> Self {
        Failure::Usage(error.message().into())
    }

    pub fn file(name: &str, error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Failure::Closed;
        }
        Failure::File { name: name.into(), error }
    }

    /// The process's exit code.
    pub fn status(&self) -> i32 {
        match self {
            Failure::Data(_) => 1,
            Failure::Usage(_) => 2,
            Failure::File { .. } => 3,
            Failure::Closed => 0,
        }
    }

    /// Prints it to standard error and returns the exit code.
    pub fn report(&self, json: bool) -> i32 {
        let text = if json { self.json() } else { self.text() };
        if !text.is_empty() {
            let _ = io::stderr().lock().write_all(text.as_bytes());
        }
        self.status()
    }

    fn text(&self) -> String {
        match self {
            Failure::Closed => String::new(),
            Failure::Usage(text) => format!("samewire: {text}\n"),
            Failure::File { name, error } => format!("samewire: {name}: {}\n", io_text(error)),
            Failure::Data(f) => f.text(),
        }
    }

    fn json(&self) -> String {
        let object = match self {
            Failure::Closed => return String::new(),
            Failure::Usage(text) => output::object([("error", "usage".into()), ("message", text.as_str().into())]),
            Failure::File { name, error } => output::object([
                ("error", "file".into()),
                ("file", name.as_str().into()),
                ("message", io_text(error).as_str().into()),
            ]),
            Failure::Data(f) => f.object(),
        };
        output::json_line(&object)
    }
}

impl DataFailure {
    /// The failure with the tokens around its fault, if it has a place in `bytes`.
    pub fn with_excerpt(mut self, bytes: &[u8], notation: Notation, options: &Options, colour: bool) -> Self {
        if self.error.offset().is_some() && bytes.len() <= EXCERPT_LIMIT {
            let style = if colour { Style::Ansi } else { Style::Plain };
            self.excerpt = inspect::excerpt(bytes, self.base, notation.format(), options, CONTEXT, style);
        }
        self
    }

    /// Offset of the fault in the file.
    pub fn offset(&self) -> Option<u64> {
        self.error.offset().map(|o| self.base + o as u64)
    }

    fn text(&self) -> String {
        let mut text = format!("samewire: {}", self.file);
        if let Some(line) = self.line {
            let _ = write!(text, ": line {line}");
        } else if self.many {
            let _ = write!(text, ": value {}", self.value);
        }
        if let Some(offset) = self.offset() {
            let _ = write!(text, ": byte {offset}");
        }
        if !self.error.path().is_empty() {
            let _ = write!(text, ": in {}", output::printable(self.error.path()));
        }
        let _ = writeln!(text, ": {} ({})", output::printable(self.error.message()), self.error.code());
        for row in self.excerpt.lines() {
            let _ = writeln!(text, "  {row}");
        }
        if let Some(hint) = hint(self.error.code()) {
            let _ = writeln!(text, "  hint: {hint}");
        }
        text
    }

    /// As an object for scripts.
    pub fn object(&self) -> Value {
        let mut entries = vec![("error", self.error.code().as_str().into()), ("file", self.file.as_str().into())];
        entries.push(("value", Value::from_u64(self.value)));
        entries.extend(self.line.map(|l| ("line", Value::from_u64(l))));
        entries.extend(self.offset().map(|o| ("offset", Value::from_u64(o))));
        entries.push(("path", self.error.path().into()));
        entries.push(("message", self.error.message().into()));
        output::object(entries)
    }
}

/// Which option allows what was refused, or what else to try.
fn hint(code: Code) -> Option<&'static str> {
    Some(match code {
        Code::DuplicateKey => "-O duplicate_keys=last (or first) takes one of them",
        Code::MapKeyType => {
            "JSON has only text as keys: -O map_keys=stringify writes others as text, --to tagged keeps them"
        }
        Code::NonFiniteNumber => {
            "JSON has no NaN and no infinities: -O non_finite=null, -O non_finite=string, or --to tagged"
        }
        Code::UnsupportedType => "JSON has no extensions: --to tagged keeps them",
        Code::InvalidUtf8 => "-O invalid_utf8=replace or bytes reads it nevertheless (MessagePack)",
        Code::LoneSurrogate => "-O lone_surrogates=replace writes U+FFFD instead",
        Code::InputTooLarge => "-O max_bytes=N allows larger values",
        _ => return None,
    })
}

fn io_text(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].into(),
        None => text,
    }
}
