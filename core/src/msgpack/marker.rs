//! The first bytes of MessagePack values, by the specification's names.

/// 0x00–0x7f: the integer itself.
pub const POSITIVE_FIXINT_MAX: u8 = 0x7f;
/// 0x80–0x8f: a map of up to 15 entries.
pub const FIXMAP: u8 = 0x80;
/// 0x90–0x9f: an array of up to 15 elements.
pub const FIXARRAY: u8 = 0x90;
/// 0xa0–0xbf: a string of up to 31 bytes.
pub const FIXSTR: u8 = 0xa0;
/// null
pub const NIL: u8 = 0xc0;
/// The one byte that begins nothing.
pub const NEVER_USED: u8 = 0xc1;
/// false
pub const FALSE: u8 = 0xc2;
/// true
pub const TRUE: u8 = 0xc3;
/// Binary, its length in 1 byte (then 2, then 4).
pub const BIN8: u8 = 0xc4;
/// Binary, 2 bytes of length.
pub const BIN16: u8 = 0xc5;
/// Binary, 4 bytes of length.
pub const BIN32: u8 = 0xc6;
/// Extension, its length in 1 byte (then 2, then 4), then its type.
pub const EXT8: u8 = 0xc7;
/// Extension, 2 bytes of length.
pub const EXT16: u8 = 0xc8;
/// Extension, 4 bytes of length.
pub const EXT32: u8 = 0xc9;
/// binary32
pub const FLOAT32: u8 = 0xca;
/// binary64
pub const FLOAT64: u8 = 0xcb;
/// Unsigned integers of 1, 2, 4, 8 bytes: 0xcc–0xcf.
pub const UINT8: u8 = 0xcc;
/// The widest unsigned integer.
pub const UINT64: u8 = 0xcf;
/// Signed integers of 1, 2, 4, 8 bytes: 0xd0–0xd3.
pub const INT8: u8 = 0xd0;
/// The widest signed integer.
pub const INT64: u8 = 0xd3;
/// Extensions of 1, 2, 4, 8, 16 bytes: 0xd4–0xd8.
pub const FIXEXT1: u8 = 0xd4;
/// The longest fixed extension.
pub const FIXEXT16: u8 = 0xd8;
/// String, its length in 1 byte (then 2, then 4).
pub const STR8: u8 = 0xd9;
/// String, 2 bytes of length.
pub const STR16: u8 = 0xda;
/// String, 4 bytes of length.
pub const STR32: u8 = 0xdb;
/// Array, 2 bytes of count (then 4).
pub const ARRAY16: u8 = 0xdc;
/// Array, 4 bytes of count.
pub const ARRAY32: u8 = 0xdd;
/// Map, 2 bytes of count (then 4).
pub const MAP16: u8 = 0xde;
/// Map, 4 bytes of count.
pub const MAP32: u8 = 0xdf;
/// 0xe0–0xff: −32 … −1.
pub const NEGATIVE_FIXINT: u8 = 0xe0;

/// The extension type of timestamps.
pub const TIMESTAMP: i8 = -1;
