//! One error type with a stable code. The message is for people and not part of the API; code, offset and
//! path are.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;

use crate::visit::SMALLEST;

/// See [`Error::reached`].
const REACHED: &str = "reached";

macro_rules! codes {
    ($($name:ident = $text:literal, $doc:literal;)*) => {
        /// Why an operation failed. [`as_str`](Code::as_str) is the name in every language, stable for ever.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Code { $(#[doc = $doc] $name,)* }

        impl Code {
            /// Every code, in the order of the data model.
            pub const ALL: &'static [Code] = &[$(Code::$name,)*];

            /// The code's name, such as `length-exceeds-input`.
            pub const fn as_str(self) -> &'static str {
                match self { $(Code::$name => $text,)* }
            }
        }
    };
}

codes! {
    Truncated = "truncated", "The input ends inside a value; the offset is the input's end.";
    TrailingData = "trailing-data", "Data follows the value; the offset is its first byte.";
    InvalidMarker = "invalid-marker", "The MessagePack byte 0xc1.";
    InvalidSyntax = "invalid-syntax", "Not JSON (RFC 8259); the offset is the byte that does not fit.";
    InvalidUtf8 = "invalid-utf8", "Text that is not UTF-8; the offset is the first byte of the bad sequence.";
    LoneSurrogate = "lone-surrogate", "Half of a UTF-16 surrogate pair; the offset is the escape's backslash.";
    DuplicateKey = "duplicate-key", "A key stands twice in a map; the offset is the second one's.";
    MapKeyType = "map-key-type", "A map key of a kind that the options do not allow.";
    DepthExceeded = "depth-exceeded", "Containers nest deeper than `max_depth`, or an object contains itself.";
    LengthExceedsInput = "length-exceeds-input", "A header claims more than the rest of the input can hold.";
    InputTooLarge = "input-too-large", "The input is longer than `max_bytes`.";
    TooManyItems = "too-many-items", "The input has more values than `max_items`.";
    TooManyUnknownFields = "too-many-unknown-fields", "A message has more unknown fields than `max_unknown_fields`.";
    IntegerOutOfRange = "integer-out-of-range", "An integer does not fit where it is to go.";
    NumberOutOfRange = "number-out-of-range", "A number is beyond the range of its float type.";
    NonFiniteNumber = "non-finite-number", "NaN or an infinity where the format has none.";
    InvalidTimestamp = "invalid-timestamp", "A timestamp extension or RFC 3339 text that is malformed.";
    TimestampOutOfRange = "timestamp-out-of-range", "A timestamp beyond the range of where it is to go.";
    NaiveDatetime = "naive-datetime", "A date and time without a zone.";
    UnsupportedType = "unsupported-type", "A value that the format cannot hold.";
    TypeMismatch = "type-mismatch", "A value of another kind than the schema or type wants.";
    MissingField = "missing-field", "A required field is absent.";
    UnknownField = "unknown-field", "A field that the schema lacks.";
    UnknownVariant = "unknown-variant", "An enum value or union arm that the schema lacks.";
    InvalidBase64 = "invalid-base64", "Text that is not RFC 4648 §4 base64 with padding.";
    ConstraintViolated = "constraint-violated", "A value outside a constraint of the schema.";
    InvalidSchema = "invalid-schema", "A schema document outside the supported subset; the path is the keyword's.";
    IncompatibleSchema = "incompatible-schema", "Two schemas that cannot be resolved.";
    InvalidOption = "invalid-option", "An unknown option, or a value outside its list.";
    HookFailed = "hook-failed", "A hook's result cannot be used.";
    InvalidState = "invalid-state", "A call on an object that is busy or closed.";
    BufferTooSmall = "buffer-too-small", "The output does not fit the buffer given.";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl core::str::FromStr for Code {
    type Err = ();
    fn from_str(name: &str) -> Result<Self, ()> {
        Code::ALL.iter().copied().find(|c| c.as_str() == name).ok_or(())
    }
}

/// An error with a code, a byte offset where input was read, and a JSON Pointer (RFC 6901) to the value.
///
/// One pointer wide, so that results stay in registers.
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    code: Code,
    offset: Option<usize>,
    path: Option<String>,
    message: Cow<'static, str>,
    /// See [`Error::beside`].
    beside: bool,
}

impl Error {
    /// An error without offset and path.
    #[cold]
    #[inline(never)]
    pub fn new(code: Code, message: impl Into<Cow<'static, str>>) -> Self {
        if SMALLEST {
            return Self::make(code, Cow::Borrowed(""));
        }
        Self::make(code, message.into())
    }

    /// The error that says where a pass has come to, and is never seen.
    pub(crate) fn reached() -> Self {
        Self::make(Code::InvalidState, Cow::Borrowed(REACHED))
    }

    pub(crate) fn is_reached(&self) -> bool {
        self.code() == Code::InvalidState && self.message() == REACHED
    }

    #[cold]
    #[inline(never)]
    fn make(code: Code, message: Cow<'static, str>) -> Self {
        Error(Box::new(Inner { code, offset: None, path: None, message, beside: false }))
    }

    /// The stable code.
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// Byte offset in the input, when reading.
    pub fn offset(&self) -> Option<usize> {
        self.0.offset
    }

    /// JSON Pointer to the value; empty for the whole message.
    pub fn path(&self) -> &str {
        self.0.path.as_deref().unwrap_or("")
    }

    /// What was expected and what was found, without code, offset and path.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Sets the offset if none is set.
    #[cold]
    #[inline(never)]
    pub fn at(mut self, offset: usize) -> Self {
        self.0.offset.get_or_insert(offset);
        self
    }

    /// Sets the offset, whatever it was.
    pub fn with_offset(mut self, offset: Option<usize>) -> Self {
        self.0.offset = offset;
        self
    }

    /// Sets the path, whatever it was.
    pub fn with_path(mut self, path: impl Into<String>) -> Self {
        self.0.path = Some(path.into());
        self
    }

    /// Forgets the path, so that it is found anew by the offset: for a value that was read by itself.
    pub fn without_path(mut self) -> Self {
        self.0.path = None;
        self
    }

    /// Says that the error belongs to an earlier entry than the one in which it came up: the next
    /// [`in_entry`](Self::in_entry) or [`in_element`](Self::in_element) adds nothing.
    pub fn beside(mut self) -> Self {
        self.0.beside = true;
        self
    }

    /// True once a path was set, also the empty one.
    pub fn has_path(&self) -> bool {
        self.0.path.is_some()
    }

    /// Puts an index in front of the path: for walkers, which learn the path on the way out.
    #[cold]
    #[inline(never)]
    pub fn in_element(mut self, index: usize) -> Self {
        if core::mem::take(&mut self.0.beside) {
            return self;
        }
        let rest = self.0.path.take().unwrap_or_default();
        self.0.path = Some(text!["/", index, rest]);
        self
    }

    /// Puts a key in front of the path, escaped by RFC 6901 §3.
    #[cold]
    #[inline(never)]
    pub fn in_entry(mut self, key: &str) -> Self {
        if core::mem::take(&mut self.0.beside) {
            return self;
        }
        let rest = self.0.path.take().unwrap_or_default();
        let mut path = String::with_capacity(key.len() + rest.len() + 1);
        push_pointer_key(&mut path, key);
        path.push_str(&rest);
        self.0.path = Some(path);
        self
    }
}

/// Appends `/key` to a JSON Pointer, escaping `~` and `/` by RFC 6901 §3.
pub fn push_pointer_key(pointer: &mut String, key: &str) {
    pointer.push('/');
    for c in key.chars() {
        match c {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            c => pointer.push(c),
        }
    }
}

impl Clone for Error {
    fn clone(&self) -> Self {
        Error(self.0.clone())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("code", &self.0.code)
            .field("offset", &self.0.offset)
            .field("path", &self.path())
            .field("message", &self.0.message)
            .finish()
    }
}

/// `message (code, at byte 12, in /items/3)`
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}", self.0.message, self.0.code)?;
        if let Some(offset) = self.0.offset {
            write!(f, ", at byte {offset}")?;
        }
        if !self.path().is_empty() {
            write!(f, ", in {}", self.path())?;
        }
        f.write_str(")")
    }
}

impl core::error::Error for Error {}
