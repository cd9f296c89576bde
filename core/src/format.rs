//! The formats, by name: for everything that is asked for one at run time.

use crate::error::{Code, Error};
use crate::text::Quoted;

/// A wire format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Format {
    /// MessagePack.
    MessagePack,
    /// JSON text (RFC 8259).
    Json,
}

impl Format {
    /// Both, in the order of their names in the documentation.
    pub const ALL: [Format; 2] = [Format::MessagePack, Format::Json];

    /// `"msgpack"` or `"json"`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Format::MessagePack => "msgpack",
            Format::Json => "json",
        }
    }

    /// The format of that name.
    ///
    /// # Errors
    /// `invalid-option`
    pub fn parse(name: &str) -> Result<Self, Error> {
        Format::ALL.into_iter().find(|f| f.as_str() == name).ok_or_else(|| {
            Error::new(Code::InvalidOption, message!["a format is \"msgpack\" or \"json\", not ", Quoted(name)])
        })
    }
}
