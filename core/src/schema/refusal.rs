//! The errors of reading and writing with a schema, in one place so that their texts agree.

use alloc::format;

use super::model::Node;
use super::number::Refusal;
use crate::error::{Code, Error};

#[cold]
#[inline(never)]
pub(crate) fn mismatch(node: &Node, found: &str) -> Error {
    Error::new(Code::TypeMismatch, format!("expected {}, found {found}", node.expected()))
}

#[cold]
#[inline(never)]
pub(crate) fn refused(refusal: Refusal, found: &dyn core::fmt::Display) -> Error {
    match refusal {
        Refusal::Variant => unknown_variant(found),
        Refusal::Constraint(rule) => Error::new(Code::ConstraintViolated, format!("{} violates {rule}", short(found))),
    }
}

#[cold]
pub(crate) fn unknown_variant(found: &dyn core::fmt::Display) -> Error {
    Error::new(Code::UnknownVariant, format!("{} is none of the values that the schema lists", short(found)))
}

#[cold]
pub(crate) fn int_out_of_range(found: &dyn core::fmt::Display, format: &str) -> Error {
    Error::new(Code::IntegerOutOfRange, format!("{} is outside {format}", short(found)))
}

#[cold]
pub(crate) fn number_out_of_range(found: &dyn core::fmt::Display, what: &str) -> Error {
    Error::new(Code::NumberOutOfRange, format!("{} {what}", short(found)))
}

#[cold]
pub(crate) fn unknown_field(name: &str) -> Error {
    Error::new(Code::UnknownField, format!("the schema has no field {:?}", short(&name)))
}

#[cold]
pub(crate) fn missing_field(name: &str) -> Error {
    Error::new(Code::MissingField, format!("the field {name:?} is required and absent"))
}

#[cold]
pub(crate) fn duplicate(name: &str) -> Error {
    Error::new(Code::DuplicateKey, format!("the field {name:?} stands twice, by its name or an alias"))
}

#[cold]
pub(crate) fn count(found: usize, rule: &str, limit: usize) -> Error {
    Error::new(Code::ConstraintViolated, format!("{found} violates {rule} {limit}"))
}

#[cold]
pub(crate) fn key_type(found: &str) -> Error {
    Error::new(Code::MapKeyType, format!("a map key is {found}, which is not what the schema has"))
}

/// At most 60 characters of a value.
fn short(value: &dyn core::fmt::Display) -> alloc::string::String {
    let text = format!("{value}");
    match text.char_indices().nth(60) {
        None => text,
        Some((at, _)) => format!("{}…", &text[..at]),
    }
}
