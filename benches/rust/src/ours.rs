//! The calls of samewire that race, in one place: what a user of the crate would write.

use samewire::{Format, Value};
use serde::{Deserialize, Serialize};

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

pub fn decode<'a, T: Deserialize<'a>>(format: Format, data: &'a [u8]) -> Result<T, String> {
    samewire::from_slice(format, data).map_err(text)
}

pub fn encode<T: Serialize>(format: Format, value: &T) -> Result<Vec<u8>, String> {
    samewire::to_vec(format, value).map_err(text)
}
