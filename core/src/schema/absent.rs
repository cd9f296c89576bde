//! What the adapter returns in place of a value that its visitor did not get.

/// A visitor's value that may be missing, because the schema took it or nobody wants it.
///
/// The key or the array that it belongs to says so, too. So a type with a value to spare needs no mark, and `()`
/// stays a type without any bytes: with a mark of one byte each result of a call would be written by bytes and
/// read back by the word, which stalls (measured: a fifth of writing records).
pub trait Absent: Sized {
    /// The value or none.
    type OrAbsent;
    /// A value.
    fn present(self) -> Self::OrAbsent;
    /// None.
    fn absent() -> Self::OrAbsent;
    /// The value, if it can be told that there is one.
    fn get(value: Self::OrAbsent) -> Option<Self>;
}

/// For types with a value to spare.
#[macro_export]
#[doc(hidden)]
macro_rules! absent_is {
    ($type:ty, $value:expr) => {
        impl $crate::schema::Absent for $type {
            type OrAbsent = $type;
            #[inline(always)]
            fn present(self) -> $type {
                self
            }
            #[inline(always)]
            fn absent() -> $type {
                $value
            }
            #[inline(always)]
            fn get(value: $type) -> Option<$type> {
                Some(value)
            }
        }
    };
}

/// For all others.
#[macro_export]
#[doc(hidden)]
macro_rules! absent_is_none {
    ($type:ty) => {
        impl $crate::schema::Absent for $type {
            type OrAbsent = Option<$type>;
            #[inline(always)]
            fn present(self) -> Option<$type> {
                Some(self)
            }
            #[inline(always)]
            fn absent() -> Option<$type> {
                None
            }
            #[inline(always)]
            fn get(value: Option<$type>) -> Option<$type> {
                value
            }
        }
    };
}

absent_is!((), ());
absent_is_none!(crate::value::Value);
