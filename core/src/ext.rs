//! An extension value: a type and bytes (MessagePack specification, "Extension types").

use alloc::vec::Vec;

/// An application's own type; −1 is [`Timestamp`](crate::time::Timestamp), other negative types are reserved
/// by the specification and passed through.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ext {
    /// −128 … 127.
    pub kind: i8,
    /// The payload.
    pub data: Vec<u8>,
}
