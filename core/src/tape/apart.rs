//! A visitor's calls as functions of their own. The visitors say that they are to be inlined, and in the loops where
//! they are hot that is right; where another visitor hands on to them, the copies would cost more than the calls.

use crate::error::Error;
use crate::time::Timestamp;
use crate::visit::{Constant, Text, Visitor};

macro_rules! calls {
    ($($name:ident($($arg:ident: $kind:ty),*) -> $result:ty;)*) => {$(
        #[cfg_attr(samewire_compact, inline(never))]
        #[cfg_attr(not(samewire_compact), inline(always))]
        pub fn $name<V: Visitor>(visitor: &mut V, $($arg: $kind),*) -> Result<$result, Error> {
            visitor.$name($($arg),*)
        }
    )*};
}

calls! {
    constant(value: Constant) -> V::Value;
    int(value: i64) -> V::Value;
    uint(value: u64) -> V::Value;
    bigint(digits: &str) -> V::Value;
    float(value: f64) -> V::Value;
    float32(value: f32) -> V::Value;
    str(text: Text<'_>) -> V::Value;
    bin(bytes: &[u8]) -> V::Value;
    timestamp(value: Timestamp) -> V::Value;
    ext(kind: i8, bytes: &[u8]) -> V::Value;
    raw(bytes: &[u8]) -> V::Value;
    begin_array(len: Option<usize>) -> V::Array;
    element(array: &mut V::Array, value: V::Value) -> ();
    end_array(array: V::Array) -> V::Value;
    begin_map(len: Option<usize>) -> V::Map;
    key(map: &mut V::Map, text: Text<'_>) -> V::Key;
    begin_value_key(map: &mut V::Map) -> ();
    value_key(map: &mut V::Map, value: V::Value) -> V::Key;
    entry(map: &mut V::Map, key: V::Key, value: V::Value) -> ();
    end_map(map: V::Map) -> V::Value;
}
