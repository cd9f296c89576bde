//! The options of the data model, once for every language: names, values, defaults and their checking.
//!
//! A binding turns its host's keyword arguments or option object into [`Options::set`] calls and nothing else.

use alloc::borrow::Cow;
use alloc::string::String;

use crate::error::{Code, Error};
use crate::limits::{Limits, MAX_DEPTH};
use crate::text::{Piece, Quoted};

macro_rules! choice {
    ($(#[$doc:meta])* $name:ident { $(#[$first:meta])* $default:ident = $dtext:literal, $($(#[$vdoc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
        pub enum $name { $(#[$first])* #[default] $default, $($(#[$vdoc])* $variant,)* }
        impl $name {
            /// The values by name, the default first.
            pub const NAMES: &'static [&'static str] = &[$dtext, $($text,)*];
            /// The same in order.
            const ALL: &'static [$name] = &[$name::$default, $($name::$variant,)*];
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
    /// The defaults.
    pub const DEFAULT: Options = Options {
        non_finite: NonFinite::Error,
        duplicate_keys: DuplicateKeys::Error,
        map_keys: MapKeys::Str,
        floats: Floats::Float,
        invalid_utf8: InvalidUtf8::Error,
        lone_surrogates: LoneSurrogates::Error,
        int64: Int64::Auto,
        bin_json: BinJson::Base64,
        timestamp: TimestampAs::Native,
        naive: Naive::Error,
        float32: Float32::Error,
        unknown_fields: UnknownFields::Ignore,
        sort_keys: false,
        canonical: false,
        indent: None,
        append_newline: false,
        escape_html: false,
        omit_null: false,
        omit_defaults: false,
        limits: Limits::DEFAULT,
    };

    /// Sets one option by its `snake_case` name. [`Setting::None`] sets the default.
    ///
    /// # Errors
    /// `invalid-option`, naming the option and what it takes.
    pub fn set(&mut self, name: &str, value: Setting<'_>) -> Result<(), Error> {
        self.set_as(name, name, value)
    }

    /// [`set`](Self::set), with the name that the host's user wrote for the error's text.
    ///
    /// # Errors
    /// `invalid-option`
    pub fn set_as(&mut self, name: &str, shown: &str, value: Setting<'_>) -> Result<(), Error> {
        let Some(index) = NAMES.iter().position(|&known| known == name) else { return Err(unknown(shown)) };
        // One place parses and 23 store: each with a parser of its own would be seven kilobytes of machine code.
        match TAKES[index] {
            Takes::OneOf(names) => {
                let i = choose(shown, names, value)?;
                match index {
                    0 => self.non_finite = NonFinite::ALL[i],
                    1 => self.duplicate_keys = DuplicateKeys::ALL[i],
                    2 => self.map_keys = MapKeys::ALL[i],
                    3 => self.floats = Floats::ALL[i],
                    4 => self.invalid_utf8 = InvalidUtf8::ALL[i],
                    5 => self.lone_surrogates = LoneSurrogates::ALL[i],
                    6 => self.int64 = Int64::ALL[i],
                    7 => self.bin_json = BinJson::ALL[i],
                    8 => self.timestamp = TimestampAs::ALL[i],
                    9 => self.naive = Naive::ALL[i],
                    10 => self.float32 = Float32::ALL[i],
                    _ => self.unknown_fields = UnknownFields::ALL[i],
                }
            }
            Takes::Flag => {
                let on = flag(shown, value)?;
                match index {
                    12 => self.sort_keys = on,
                    13 => self.canonical = on,
                    15 => self.append_newline = on,
                    16 => self.escape_html = on,
                    17 => self.omit_null = on,
                    _ => self.omit_defaults = on,
                }
            }
            Takes::UpTo(max) => {
                let number = number(shown, value, 0, max)?;
                let size = |default: usize| number.map_or(default, |n| usize::try_from(n).unwrap_or(usize::MAX));
                match index {
                    14 => self.indent = number.map(|n| n as u8),
                    19 => self.limits.max_depth = number.map_or(Limits::DEFAULT.max_depth, |n| n as u32),
                    20 => self.limits.max_bytes = size(Limits::DEFAULT.max_bytes),
                    21 => self.limits.max_items = size(Limits::DEFAULT.max_items),
                    _ => self.limits.max_unknown_fields = size(Limits::DEFAULT.max_unknown_fields),
                }
            }
        }
        Ok(())
    }
}

/// What an option takes.
enum Takes {
    OneOf(&'static [&'static str]),
    Flag,
    UpTo(i64),
}

/// The same, in the order of [`NAMES`].
static TAKES: [Takes; 23] = [
    Takes::OneOf(NonFinite::NAMES),
    Takes::OneOf(DuplicateKeys::NAMES),
    Takes::OneOf(MapKeys::NAMES),
    Takes::OneOf(Floats::NAMES),
    Takes::OneOf(InvalidUtf8::NAMES),
    Takes::OneOf(LoneSurrogates::NAMES),
    Takes::OneOf(Int64::NAMES),
    Takes::OneOf(BinJson::NAMES),
    Takes::OneOf(TimestampAs::NAMES),
    Takes::OneOf(Naive::NAMES),
    Takes::OneOf(Float32::NAMES),
    Takes::OneOf(UnknownFields::NAMES),
    Takes::Flag,
    Takes::Flag,
    Takes::UpTo(8),
    Takes::Flag,
    Takes::Flag,
    Takes::Flag,
    Takes::Flag,
    Takes::UpTo(MAX_DEPTH as i64),
    Takes::UpTo(i64::MAX),
    Takes::UpTo(i64::MAX),
    Takes::UpTo(i64::MAX),
];

fn flag(name: &str, value: Setting<'_>) -> Result<bool, Error> {
    match value {
        Setting::None => Ok(false),
        Setting::Bool(b) => Ok(b),
        other => Err(invalid(message!["option ", name, " takes true or false, not ", shown(other)])),
    }
}

fn number(name: &str, value: Setting<'_>, min: i64, max: i64) -> Result<Option<i64>, Error> {
    match value {
        Setting::None => Ok(None),
        Setting::Int(n) if (min..=max).contains(&n) => Ok(Some(n)),
        other => {
            Err(invalid(message!["option ", name, " takes an integer of ", min, " to ", max, ", not ", shown(other)]))
        }
    }
}

fn unknown(name: &str) -> Error {
    invalid(message!["there is no option ", Quoted(name)])
}

/// The index of a value in the names of an option's values; of nothing, the default's.
fn choose(option: &str, names: &[&str], value: Setting<'_>) -> Result<usize, Error> {
    let found = match value {
        Setting::None => Some(0),
        Setting::Str(text) => names.iter().position(|&name| name == text),
        _ => None,
    };
    found.ok_or_else(|| not_in_list(option, names, value))
}

fn not_in_list(option: &str, names: &[&str], value: Setting<'_>) -> Error {
    let mut list = String::new();
    for name in names {
        Piece::add(if list.is_empty() { "" } else { ", " }, &mut list);
        Quoted(name).add(&mut list);
    }
    invalid(message!["option ", option, " takes one of ", list, ", not ", shown(value)])
}

fn shown(value: Setting<'_>) -> String {
    match value {
        Setting::None => "nothing".into(),
        Setting::Bool(b) => (if b { "true" } else { "false" }).into(),
        Setting::Int(n) => text![n],
        Setting::Str(s) => text![Quoted(s)],
        Setting::Other(kind) => text!["a value of type ", kind],
    }
}

fn invalid(message: impl Into<Cow<'static, str>>) -> Error {
    Error::new(Code::InvalidOption, message)
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn every_name_can_be_reset_and_is_checked() {
        for name in NAMES {
            let mut o = Options::default();
            o.set(name, Setting::None).unwrap();
            assert_eq!(o, Options::default());
            assert_eq!(o, Options::DEFAULT);
            let e = o.set(name, Setting::Other("list")).unwrap_err();
            assert_eq!(e.code(), Code::InvalidOption);
            assert!(e.message().contains(name), "{e}");
        }
        assert_eq!(Options::default().set("max_dept", Setting::Int(1)).unwrap_err().code(), Code::InvalidOption);
    }

    #[test]
    fn each_name_sets_its_own_option() {
        for name in NAMES {
            let mut o = Options::default();
            let values = [Setting::Bool(true), Setting::Int(7)].into_iter();
            let names = [NonFinite::NAMES, DuplicateKeys::NAMES, MapKeys::NAMES, Floats::NAMES, InvalidUtf8::NAMES];
            let more = [LoneSurrogates::NAMES, Int64::NAMES, BinJson::NAMES, TimestampAs::NAMES, Naive::NAMES];
            let last = [Float32::NAMES, UnknownFields::NAMES];
            let texts = names.iter().chain(&more).chain(&last).map(|names| Setting::Str(names[1]));
            values.chain(texts).find(|&value| o.set(name, value).is_ok() && o != Options::DEFAULT).unwrap();
            let shown = format!("{o:?}");
            let default = format!("{:?}", Options::default());
            let changed: Vec<_> = shown.split(", ").zip(default.split(", ")).filter(|(a, b)| a != b).collect();
            assert_eq!(changed.len(), 1, "{name}: {changed:?}");
            assert!(changed[0].0.contains(&format!("{name}:")), "{name}: {changed:?}");
        }
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
