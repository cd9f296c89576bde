//! The text of a map key that is not a string, for `map_keys="stringify"`.

use alloc::format;
use alloc::string::{String, ToString};

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
        Value::Bool(b) => b.to_string(),
        Value::Int(v) => v.to_string(),
        Value::Uint(v) => v.to_string(),
        Value::Float(v) if v.is_finite() => zmij::Buffer::new().format_finite(*v).into(),
        Value::Float(_) => return Err(Error::new(Code::NonFiniteNumber, "a map key is not a finite number")),
        Value::Timestamp(t) => t.format()?.as_str().into(),
        Value::Bin(bytes) => {
            let mut out = Buffer::with_capacity(0);
            crate::base64::encode(bytes, &mut out);
            String::from_utf8(out.into_vec()).expect("base64 is ASCII")
        }
        Value::Array(_) | Value::Map(_) | Value::Ext(_) => {
            return Err(Error::new(Code::MapKeyType, format!("a map key of kind {} has no text", value.kind())));
        }
    })
}
