//! The text of a map key that is not a string, for `map_keys="stringify"`.

use alloc::string::String;

use crate::buffer::Buffer;
use crate::error::{Code, Error};
use crate::value::Value;

/// The JSON text of a scalar, without quotes.
///
/// # Errors
/// `map-key-type` for containers and extensions, `non-finite-number` for NaN and infinities.
pub(crate) fn key_text(value: &Value) -> Result<String, Error> {
    Ok(match value {
        Value::Str(s) | Value::BigInt(s) => s.clone(),
        Value::Null => "null".into(),
        Value::Bool(b) => (if *b { "true" } else { "false" }).into(),
        Value::Int(v) => text![v],
        Value::Uint(v) => text![v],
        Value::Float(v) if v.is_finite() => zmij::Buffer::new().format_finite(*v).into(),
        Value::Float(_) => return Err(Error::new(Code::NonFiniteNumber, "a map key is not a finite number")),
        Value::Timestamp(t) => t.format()?.as_str().into(),
        Value::Bin(bytes) => {
            let mut out = Buffer::with_capacity(0);
            crate::base64::encode(bytes, &mut out);
            String::from_utf8(out.into_vec()).unwrap_or_default()
        }
        Value::Array(_) | Value::Map(_) | Value::Ext(_) => {
            return Err(Error::new(Code::MapKeyType, message!["a map key of kind ", value.kind(), " has no text"]));
        }
    })
}
