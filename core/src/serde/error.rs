//! serde's errors as ours: the code says what kind of fault it was.

use alloc::format;
use alloc::string::ToString;
use core::fmt::Display;

use serde::de::{Expected, Unexpected};

use crate::error::{Code, Error};

impl serde::ser::Error for Error {
    #[cold]
    fn custom<T: Display>(message: T) -> Self {
        Error::new(Code::UnsupportedType, message.to_string())
    }
}

impl serde::de::Error for Error {
    #[cold]
    fn custom<T: Display>(message: T) -> Self {
        Error::new(Code::ConstraintViolated, message.to_string())
    }

    #[cold]
    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Error::new(Code::TypeMismatch, format!("expected {expected}, found {found}"))
    }

    #[cold]
    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let code = match found {
            Unexpected::Signed(_) | Unexpected::Unsigned(_) => Code::IntegerOutOfRange,
            Unexpected::Float(_) => Code::NumberOutOfRange,
            _ => Code::ConstraintViolated,
        };
        Error::new(code, format!("expected {expected}, found {found}"))
    }

    #[cold]
    fn invalid_length(len: usize, expected: &dyn Expected) -> Self {
        Error::new(Code::TypeMismatch, format!("expected {expected}, found {len} elements"))
    }

    #[cold]
    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Error::new(Code::UnknownVariant, format!("expected one of {expected:?}, found {variant:?}"))
    }

    #[cold]
    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        Error::new(Code::UnknownField, format!("expected one of {expected:?}, found the field {field:?}"))
    }

    #[cold]
    fn missing_field(field: &'static str) -> Self {
        Error::new(Code::MissingField, format!("the field {field:?} is absent"))
    }

    #[cold]
    fn duplicate_field(field: &'static str) -> Self {
        Error::new(Code::DuplicateKey, format!("the field {field:?} stands twice"))
    }
}

/// The error for a value of another kind than the type wants.
#[cold]
#[inline(never)]
pub(super) fn mismatch(expected: &str, found: &str) -> Error {
    Error::new(Code::TypeMismatch, format!("expected {expected}, found {found}"))
}
