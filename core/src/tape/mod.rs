//! The tape: decoded values as flat words, floats and string pools, for hosts whose own code builds objects
//! faster than calls from outside do.
//!
//! A reader drives a [`Tape`]; the host then reads the areas front to back and makes its values. The tape
//! knows no host. What a host must do is written in this page and done by the reference materializer in
//! `core/tests/tape.rs`.
//!
//! # Words
//!
//! A word is a `u32`. With the lowest bit clear it is an integer of 31 bits, shifted left by one. Otherwise the
//! next three bits are a tag and the upper 28 the payload:
//!
//! | tag | payload | value |
//! |---|---|---|
//! | 0 `CONST` | 0, 1, 2 | null, false, true |
//! | 1 `FLOAT` | | the next float |
//! | 2 `ASCII` | bytes | that much more of the ASCII pool |
//! | 3 `WIDE` | units | that much more of the UTF-16 pool |
//! | 4 `KNOWN` | id | an interned string |
//! | 5 `ARRAY` | count | as many values follow |
//! | 6 `SHAPE` | id | the values of that shape's keys follow |
//! | 7 `MORE` | kind in 4 bits, then 24 | see [`more`] |
//!
//! Integers that need more than 31 bits and no more than 53 are floats on the tape: they are exact there, and
//! whether a number is an integer is its value.
//!
//! # Segments
//!
//! Hosts decode a pool in one go and cut strings from it; such a cut may keep the whole alive. So pools are cut
//! into segments of [`ASCII_SEGMENT`] bytes and [`WIDE_SEGMENT`] units: a string lies in one segment, and a
//! `SEGMENT` word says that the next one begins. Strings over [`LONG`] bytes are in no pool.
//!
//! # Definitions
//!
//! Keys, shapes and interned strings are state that both sides keep from one message to the next.
//! [`Tape::definitions`] lists what a message added, and the host must take it in *also when the message
//! failed*. Interned strings are defined by the words themselves: a host that has not read all words of a
//! message, for whatever reason, calls [`Tape::forget_strings`].

mod apart;
mod area;
mod intern;
mod packed;
pub mod relay;
pub mod session;
pub(crate) mod target;
mod text;
mod trie;
mod writer;

pub use area::Area;
pub use relay::Relay;
pub use session::Session;
pub use writer::{Host, Item, OpenArray, OpenMap, Tape};

/// Tags of odd words, with the lowest bit set.
pub mod tag {
    /// null, false, true
    pub const CONST: u32 = 1;
    /// the next float
    pub const FLOAT: u32 = 3;
    /// ASCII pool
    pub const ASCII: u32 = 5;
    /// UTF-16 pool
    pub const WIDE: u32 = 7;
    /// interned string
    pub const KNOWN: u32 = 9;
    /// array
    pub const ARRAY: u32 = 11;
    /// map of a known shape
    pub const SHAPE: u32 = 13;
    /// everything else: [`more`](super::more)
    pub const MORE: u32 = 15;
}

/// Kinds of `MORE` words: bits 4–7 of the word; the payload is bits 8–31.
pub mod more {
    /// The next float's 64 bits are an `i64`.
    pub const INT: u32 = 0;
    /// The next float's 64 bits are a `u64`.
    pub const UINT: u32 = 1;
    /// Decimal digits of an integer: place, offset, length.
    pub const BIGINT: u32 = 2;
    /// Binary: place, offset, length.
    pub const BIN: u32 = 3;
    /// Extension: payload is the place in bit 8 and the type in bits 16–23; offset, length.
    pub const EXT: u32 = 4;
    /// A point in time: the next word is its nanoseconds, the next float its seconds.
    pub const TIME: u32 = 5;
    /// An ASCII string, to be remembered under the id in the payload; the next word is its length.
    pub const REMEMBER: u32 = 6;
    /// An ASCII string outside the pools: place, offset, length.
    pub const LONG_ASCII: u32 = 7;
    /// A UTF-8 string outside the pools: place, offset, length in bytes.
    pub const LONG_UTF8: u32 = 8;
    /// An array of floats: the next word is the count.
    pub const FLOATS: u32 = 9;
    /// A map whose keys are not all in a shape: the payload is the shape of its first keys, whose values
    /// follow, then keys and values in turn up to an `END`.
    pub const MAP: u32 = 10;
    /// A map with keys of any kind: keys and values in turn up to an `END`.
    pub const PAIRS: u32 = 11;
    /// The end of a `MAP` or `PAIRS`.
    pub const END: u32 = 12;
    /// The next segment of the ASCII pool (payload 0) or the UTF-16 pool (payload 1) begins.
    pub const SEGMENT: u32 = 13;
    /// An array of 2^28 values or more: the next word is the count.
    pub const LONG_ARRAY: u32 = 14;
}

/// Kinds of definitions.
pub mod define {
    /// Key: id, length in bytes, its UTF-8 padded with zeros to whole words.
    pub const KEY: u32 = 0;
    /// Shape: id, number of keys, their ids.
    pub const SHAPE: u32 = 1;
    /// All keys and shapes defined before are void.
    pub const RESET: u32 = 2;
}

/// Bytes in a segment of the ASCII pool.
pub const ASCII_SEGMENT: usize = 8192;
/// Units in a segment of the UTF-16 pool.
pub const WIDE_SEGMENT: usize = 4096;
/// The longest string, in bytes, that goes into a pool.
pub const LONG: usize = 512;
/// The longest string, in bytes, that is interned.
pub const INTERN_LONGEST: usize = 15;
/// Interned strings have ids below this.
pub const INTERN_SLOTS: usize = 2048;
