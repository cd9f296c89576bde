//! samewire: MessagePack and JSON with the same bytes, the same values and the same errors in every runtime.
//!
//! Start at [`visit`]: the trait pair that every operation is built from.
#![no_std]
// A compact build leaves code behind that others use.
#![cfg_attr(samewire_compact, allow(dead_code))]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

#[macro_use]
mod text;
pub mod base64;
pub mod buffer;
#[cfg(feature = "canonical")]
pub mod canonical;
pub mod error;
pub mod ext;
mod float;
pub mod format;
pub mod inspect;
pub mod json;
mod key_text;
mod keys;
pub mod limits;
pub mod msgpack;
mod number;
pub mod options;
mod order;
mod path;
mod pow5;
#[cfg(feature = "schema")]
pub mod schema;
#[cfg(feature = "serde")]
mod serde;
#[cfg(feature = "schema")]
mod short;
pub mod stream;
pub mod tagged;
pub mod tape;
pub mod time;
pub mod transcode;
pub mod utf8;
pub mod value;
pub mod view;
pub mod visit;
pub mod wide;

#[cfg(feature = "serde")]
pub use self::serde::{from_bytes, from_slice, from_slice_with, to_buffer, to_vec, to_vec_with};
pub use error::{Code, Error};
pub use format::Format;
pub use options::Options;
pub use value::Value;

/// The README's example.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
mod readme {}
