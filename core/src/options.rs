//! The options of the data model, once for every language: names, values, defaults and their checking.
//!
//! A binding turns its host's keyword arguments or option object into [`Options::set`] calls and nothing else.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::error::{Code, Error};
use crate::limits::{Limits, MAX_DEPTH};

macro_rules! choice {
    ($(#[$doc:meta])* $name:ident { $(#[$first:meta])* $default:ident = $dtext:literal, $($(#[$vdoc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
        pub enum $name { $(#[$first])* #[default] $default, $($(#[$vdoc])* $variant,)* }
        impl $name {
            /// The values by name, the default first.
            pub const NAMES: &'static [&'static str] = &[$dtext, $($text,)*];
            fn parse(option: &str, value: Setting<'_>) -> Result<Self, Error> {
                match value {
                    Setting::Str($dtext) => Ok($name::$default),
                    $(Setting::Str($text) => Ok($name::$variant),)*
                    other => Err(not_in_list(option, Self::NAMES, other)),
                }
            }
        }
    };
}

choice! {
    /// NaN and ±Infinity in JSON. MessagePack always carries them.
    NonFinite {
        /// `non-finite-number`
        Error = "error",
        /// `null`
        Null = "null",
        /// `"NaN"`, `"Infinity"`, `"-Infinity"`
        String = "string",
    }
}
choice! {
    /// A key that stands twice in a map, on reading.
    DuplicateKeys {
        /// `duplicate-key`
        Error = "error",
        /// The last value, in the first one's place.
        Last = "last",
        /// The first value.
        First = "first",
    }
}
choice! {
    /// Keys that are not strings, on reading and writing.
    MapKeys {
        /// `map-key-type`
        Str = "str",
        /// Kept, where the format and the host can (MessagePack; Python's dict, JavaScript's `Map`).
        Any = "any",
        /// Turned into their JSON text.
        Stringify = "stringify",
    }
}
choice! {
    /// JSON numbers with fraction or exponent.
    Floats {
        /// The nearest binary64.
        Float = "float",
        /// Exact decimals, where the host has them.
        Decimal = "decimal",
    }
}
choice! {
    /// A MessagePack str that is not UTF-8.
    InvalidUtf8 {
        /// `invalid-utf8`
        Error = "error",
        /// One U+FFFD for each maximal bad sequence (Unicode 16, §3.9).
        Replace = "replace",
        /// Read as bin.
        Bytes = "bytes",
    }
}
choice! {
    /// Half a surrogate pair in a JSON escape on reading, or in a host's string on writing.
    LoneSurrogates {
        /// `lone-surrogate`
        Error = "error",
        /// One U+FFFD each.
        Replace = "replace",
    }
}
choice! {
    /// 64-bit integers where the host's number is a binary64.
    Int64 {
        /// Number up to ±(2^53−1), big integer beyond.
        Auto = "auto",
        /// Always a big integer.
        Bigint = "bigint",
        /// Always a number; an error where it would lose precision.
        Number = "number",
        /// Text beyond ±(2^53−1).
        String = "string",
    }
}
choice! {
    /// bin in JSON without a schema.
    BinJson {
        /// RFC 4648 §4 text with padding.
        Base64 = "base64",
        /// `unsupported-type`
        Error = "error",
    }
}
choice! {
    /// What a timestamp becomes in the host.
    TimestampAs {
        /// The host's own type where that is exact, else a subclass that is.
        Native = "native",
        /// Nanoseconds since 1970 as an integer.
        Int = "int",
        /// `Temporal.Instant`, where the host has it.
        Temporal = "temporal",
    }
}
choice! {
    /// A date and time without a zone, on writing.
    Naive {
        /// `naive-datetime`
        Error = "error",
        /// Taken as UTC.
        Utc = "utc",
    }
}
choice! {
    /// A float64 where a schema says float32.
    Float32 {
        /// `number-out-of-range` unless exact (MessagePack).
        Error = "error",
        /// Rounded to nearest.
        Round = "round",
    }
}
choice! {
    /// Fields that the schema lacks, on reading.
    UnknownFields {
        /// Left out and counted.
        Ignore = "ignore",
        /// Kept as raw bytes and written back.
        Keep = "keep",
        /// `unknown-field`
        Error = "error",
    }
}

/// The value of one option as a host gives it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Setting<'a> {
    /// Nothing: the option keeps its default.
    None,
    /// A bool.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// Text.
    Str(&'a str),
    /// Anything else, by the name of its type, for the error's text.
    Other(&'a str),
}

/// All options, at their defaults unless set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// See [`NonFinite`].
    pub non_finite: NonFinite,
    /// See [`DuplicateKeys`].
    pub duplicate_keys: DuplicateKeys,
    /// See [`MapKeys`].
    pub map_keys: MapKeys,
    /// See [`Floats`].
    pub floats: Floats,
    /// See [`InvalidUtf8`].
    pub invalid_utf8: InvalidUtf8,
    /// See [`LoneSurrogates`].
    pub lone_surrogates: LoneSurrogates,
    /// See [`Int64`].
    pub int64: Int64,
    /// See [`BinJson`].
    pub bin_json: BinJson,
    /// See [`TimestampAs`].
    pub timestamp: TimestampAs,
    /// See [`Naive`].
    pub naive: Naive,
    /// See [`Float32`].
    pub float32: Float32,
    /// See [`UnknownFields`].
    pub unknown_fields: UnknownFields,
    /// Writes map entries in the order of their keys' UTF-8 bytes.
    pub sort_keys: bool,
    /// Writes the canonical form.
    pub canonical: bool,
    /// JSON indentation, 0…8 blanks a level; `None` is compact.
    pub indent: Option<u8>,
    /// Ends JSON with a line feed.
    pub append_newline: bool,
    /// Writes `<`, `>`, `&`, U+2028 and U+2029 as `\u` escapes in JSON.
    pub escape_html: bool,
    /// Leaves out map entries whose value is null, on writing.
    pub omit_null: bool,
    /// With a schema: leaves out fields that have their default value, on writing.
    pub omit_defaults: bool,
    /// See [`Limits`].
    pub limits: Limits,
}

/// Every option's name, in the order of the data model.
pub const NAMES: &[&str] = &[
    "non_finite",
    "duplicate_keys",
    "map_keys",
    "floats",
    "invalid_utf8",
    "lone_surrogates",
    "int64",
    "bin_json",
    "timestamp",
    "naive",
    "float32",
    "unknown_fields",
    "sort_keys",
    "canonical",
    "indent",
    "append_newline",
    "escape_html",
    "omit_null",
    "omit_defaults",
    "max_depth",
    "max_bytes",
    "max_items",
    "max_unknown_fields",
];

impl Options {
    /// Sets one option by its `snake_case` name. [`Setting::None`] sets the default.
    ///
    /// # Errors
    /// `invalid-option`, naming the option and what it takes.
    pub fn set(&mut self, name: &str, value: Setting<'_>) -> Result<(), Error> {
        if value == Setting::None {
            return self.copy_from(&Options::default(), name);
        }
        match name {
            "non_finite" => self.non_finite = NonFinite::parse(name, value)?,
            "duplicate_keys" => self.duplicate_keys = DuplicateKeys::parse(name, value)?,
            "map_keys" => self.map_keys = MapKeys::parse(name, value)?,
            "floats" => self.floats = Floats::parse(name, value)?,
            "invalid_utf8" => self.invalid_utf8 = InvalidUtf8::parse(name, value)?,
            "lone_surrogates" => self.lone_surrogates = LoneSurrogates::parse(name, value)?,
            "int64" => self.int64 = Int64::parse(name, value)?,
            "bin_json" => self.bin_json = BinJson::parse(name, value)?,
            "timestamp" => self.timestamp = TimestampAs::parse(name, value)?,
            "naive" => self.naive = Naive::parse(name, value)?,
            "float32" => self.float32 = Float32::parse(name, value)?,
            "unknown_fields" => self.unknown_fields = UnknownFields::parse(name, value)?,
            "sort_keys" => self.sort_keys = flag(name, value)?,
            "canonical" => self.canonical = flag(name, value)?,
            "indent" => self.indent = Some(number(name, value, 0, 8)? as u8),
            "append_newline" => self.append_newline = flag(name, value)?,
            "escape_html" => self.escape_html = flag(name, value)?,
            "omit_null" => self.omit_null = flag(name, value)?,
            "omit_defaults" => self.omit_defaults = flag(name, value)?,
            "max_depth" => self.limits.max_depth = number(name, value, 0, i64::from(MAX_DEPTH))? as u32,
            "max_bytes" => self.limits.max_bytes = size(name, value)?,
            "max_items" => self.limits.max_items = size(name, value)?,
            "max_unknown_fields" => self.limits.max_unknown_fields = size(name, value)?,
            _ => return Err(unknown(name)),
        }
        Ok(())
    }

    fn copy_from(&mut self, other: &Options, name: &str) -> Result<(), Error> {
        match name {
            "non_finite" => self.non_finite = other.non_finite,
            "duplicate_keys" => self.duplicate_keys = other.duplicate_keys,
            "map_keys" => self.map_keys = other.map_keys,
            "floats" => self.floats = other.floats,
            "invalid_utf8" => self.invalid_utf8 = other.invalid_utf8,
            "lone_surrogates" => self.lone_surrogates = other.lone_surrogates,
            "int64" => self.int64 = other.int64,
            "bin_json" => self.bin_json = other.bin_json,
            "timestamp" => self.timestamp = other.timestamp,
            "naive" => self.naive = other.naive,
            "float32" => self.float32 = other.float32,
            "unknown_fields" => self.unknown_fields = other.unknown_fields,
            "sort_keys" => self.sort_keys = other.sort_keys,
            "canonical" => self.canonical = other.canonical,
            "indent" => self.indent = other.indent,
            "append_newline" => self.append_newline = other.append_newline,
            "escape_html" => self.escape_html = other.escape_html,
            "omit_null" => self.omit_null = other.omit_null,
            "omit_defaults" => self.omit_defaults = other.omit_defaults,
            "max_depth" => self.limits.max_depth = other.limits.max_depth,
            "max_bytes" => self.limits.max_bytes = other.limits.max_bytes,
            "max_items" => self.limits.max_items = other.limits.max_items,
            "max_unknown_fields" => self.limits.max_unknown_fields = other.limits.max_unknown_fields,
            _ => return Err(unknown(name)),
        }
        Ok(())
    }
}

fn flag(name: &str, value: Setting<'_>) -> Result<bool, Error> {
    match value {
        Setting::Bool(b) => Ok(b),
        other => Err(invalid(format!("option {name} takes true or false, not {}", shown(other)))),
    }
}

fn number(name: &str, value: Setting<'_>, min: i64, max: i64) -> Result<i64, Error> {
    match value {
        Setting::Int(n) if (min..=max).contains(&n) => Ok(n),
        other => Err(invalid(format!("option {name} takes an integer of {min} to {max}, not {}", shown(other)))),
    }
}

fn size(name: &str, value: Setting<'_>) -> Result<usize, Error> {
    Ok(usize::try_from(number(name, value, 0, i64::MAX)?).unwrap_or(usize::MAX))
}

fn unknown(name: &str) -> Error {
    invalid(format!("there is no option {name:?}"))
}

fn not_in_list(option: &str, names: &[&str], value: Setting<'_>) -> Error {
    let list = names.iter().map(|n| format!("{n:?}")).collect::<Vec<_>>().join(", ");
    invalid(format!("option {option} takes one of {list}, not {}", shown(value)))
}

fn shown(value: Setting<'_>) -> String {
    match value {
        Setting::None => "nothing".into(),
        Setting::Bool(b) => format!("{b}"),
        Setting::Int(n) => format!("{n}"),
        Setting::Str(s) => format!("{s:?}"),
        Setting::Other(kind) => format!("a value of type {kind}"),
    }
}

fn invalid(message: String) -> Error {
    Error::new(Code::InvalidOption, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_can_be_reset_and_is_checked() {
        for name in NAMES {
            let mut o = Options::default();
            o.set(name, Setting::None).unwrap();
            assert_eq!(o, Options::default());
            let e = o.set(name, Setting::Other("list")).unwrap_err();
            assert_eq!(e.code(), Code::InvalidOption);
            assert!(e.message().contains(name), "{e}");
        }
        assert_eq!(Options::default().set("max_dept", Setting::Int(1)).unwrap_err().code(), Code::InvalidOption);
    }

    #[test]
    fn ranges_hold_on_both_sides() {
        let mut o = Options::default();
        for (name, good, bad) in [("indent", 8, 9), ("indent", 0, -1), ("max_depth", 512, 513), ("max_items", 0, -1)] {
            o.set(name, Setting::Int(good)).unwrap();
            o.set(name, Setting::Int(bad)).unwrap_err();
        }
    }
}
