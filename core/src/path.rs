//! Where a reader is, as a JSON Pointer: kept only by the pass that looks for the place of an error.

use alloc::string::String;
use alloc::vec::Vec;

use crate::error::{Code, Error, push_pointer_key};

/// The path of the value being read, and the place that is looked for.
pub(crate) struct Track {
    steps: Vec<Step>,
    /// The error whose place is looked for: its value's offset, and how far the reader was when it came.
    target: usize,
    stop: usize,
    found: Option<String>,
    with_key: bool,
}

enum Step {
    Index(usize),
    Key(String),
}

impl Track {
    /// Looks for `error`, which was raised when the reader had come to offset `stop`.
    pub(crate) fn new(error: &Error, stop: usize) -> Self {
        // The format's own faults are found again by themselves, wherever they are.
        let stop = if is_formats_own(error.code()) { usize::MAX } else { stop };
        Track {
            steps: Vec::new(),
            target: error.offset().unwrap_or(usize::MAX),
            stop,
            found: None,
            with_key: error.code() != Code::MapKeyType,
        }
    }

    pub(crate) fn enter_element(&mut self, index: usize) {
        self.steps.push(Step::Index(index));
    }

    pub(crate) fn enter_entry(&mut self, key: &str, key_at: usize) {
        self.steps.push(Step::Key(key.into()));
        if key_at == self.target && self.with_key {
            self.found = Some(self.pointer());
        }
    }

    pub(crate) fn leave(&mut self) {
        self.steps.pop();
    }

    /// Called where a value or a key begins.
    pub(crate) fn begin(&mut self, at: usize) -> Result<(), Error> {
        self.reached(at)?;
        if at == self.target {
            self.found = Some(self.pointer());
        }
        Ok(())
    }

    /// Called where a token ends: stops the pass if the other one came no further.
    pub(crate) fn reached(&self, at: usize) -> Result<(), Error> {
        if at >= self.stop {
            return Err(Error::reached());
        }
        Ok(())
    }

    pub(crate) fn pointer(&self) -> String {
        let mut text = String::new();
        for step in &self.steps {
            match step {
                Step::Index(i) => {
                    text.push('/');
                    text.push_str(&text![i]);
                }
                Step::Key(k) => push_pointer_key(&mut text, k),
            }
        }
        text
    }

    /// The error to report: the fault that this pass found first, or the one it looked for, with its path.
    pub(crate) fn settle(self, fault: Option<Error>, error: Error) -> Error {
        match fault {
            Some(fault) if !fault.is_reached() => {
                if fault.has_path() {
                    return fault;
                }
                let path = self.pointer();
                fault.with_path(path)
            }
            _ => {
                let path = self.found.unwrap_or_default();
                error.with_path(path)
            }
        }
    }
}

/// Codes that a pass with nothing but the format's rules raises again at the right place.
fn is_formats_own(code: Code) -> bool {
    matches!(
        code,
        Code::Truncated
            | Code::InvalidMarker
            | Code::InvalidSyntax
            | Code::InvalidUtf8
            | Code::LoneSurrogate
            | Code::DuplicateKey
            | Code::DepthExceeded
            | Code::LengthExceedsInput
            | Code::TooManyItems
    )
}
