//! Single keywords of a document: their values, checked. Where they stand is `document`'s business.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::document::{Entries, is_note, refuse};
use super::model::*;
use super::number::{Bound, Decimal, Num, NumberRules};
use super::text::{TextFormat, TextRules};
use crate::error::Error;
use crate::value::Value;

/// The pointer that a reference within the document leads to.
pub(crate) fn resolve_reference(text: &str, root: &Value, anchors: &BTreeMap<String, String>) -> Option<String> {
    let own = match root.get("$id") {
        Some(Value::Str(id)) => text.strip_prefix(id.trim_end_matches('#')),
        _ => None,
    };
    let local = own.unwrap_or(text);
    if local == "#" || (local.is_empty() && own.is_some()) {
        return Some(String::new());
    }
    if let Some(pointer) = local.strip_prefix("#/") {
        return Some(format!("/{}", percent_decoded(pointer)?));
    }
    anchors.get(local).or_else(|| anchors.get(text)).cloned()
}

fn percent_decoded(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.into());
    }
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&b, tail)) = rest.split_first() {
        if b == b'%' {
            let digits = core::str::from_utf8(tail.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &tail[2..];
        } else {
            bytes.push(b);
            rest = tail;
        }
    }
    String::from_utf8(bytes).ok()
}

/// Refuses keywords beside one that leaves no room for them.
pub(super) fn only(entries: &Entries, at: &str, keyword: &str, others: &[&str]) -> Result<(), Error> {
    for (key, _) in entries {
        if let Value::Str(key) = key
            && key != keyword
            && !others.contains(&key.as_str())
            && !is_note(key)
        {
            return Err(refuse(at, key, format!("the keyword {key} beside {keyword} is not supported")));
        }
    }
    Ok(())
}

pub(super) fn discriminator(value: &Value, at: &str) -> Result<(String, Vec<(String, String)>), Error> {
    let Some(Value::Str(property)) = value.get("propertyName") else {
        return Err(refuse(at, "propertyName", "a discriminator names its property"));
    };
    let mapping = match value.get("mapping") {
        None => Vec::new(),
        Some(Value::Map(entries)) => entries
            .iter()
            .map(|(k, v)| match (k, v) {
                (Value::Str(k), Value::Str(v)) => Ok((k.clone(), v.clone())),
                _ => Err(refuse(at, "mapping", "mapping maps tags to references")),
            })
            .collect::<Result<_, _>>()?,
        Some(_) => return Err(refuse(at, "mapping", "mapping is an object")),
    };
    Ok((property.clone(), mapping))
}

pub(super) fn types(value: &Value, at: &str) -> Result<(u16, NumberAs), Error> {
    let one;
    let names = match value {
        Value::Str(_) => {
            one = [value.clone()];
            one.as_slice()
        }
        Value::Array(names) if !names.is_empty() => names,
        _ => return Err(refuse(at, "type", "type is a name or an array of names")),
    };
    let (mut kinds, mut integer, mut float) = (0, false, false);
    for name in names {
        kinds |= match name {
            Value::Str(n) => match n.as_str() {
                "null" => kind::NULL,
                "boolean" => kind::BOOL,
                "integer" => {
                    integer = true;
                    kind::NUMBERS
                }
                "number" => {
                    float = true;
                    kind::NUMBERS
                }
                "string" => kind::STR,
                "array" => kind::ARRAY,
                "object" => kind::MAP,
                other => return Err(refuse(at, "type", format!("there is no type {other:?}"))),
            },
            _ => return Err(refuse(at, "type", "a type's name is a string")),
        };
    }
    let number = match (integer, float) {
        (true, false) => NumberAs::Int,
        (false, true) => NumberAs::Float,
        _ => NumberAs::Same,
    };
    Ok((kinds, number))
}

pub(super) fn format_keyword(
    node: &mut Node,
    text: &mut TextRules,
    value: &Value,
    typed: bool,
    at: &str,
) -> Result<(), Error> {
    let Value::Str(name) = value else { return Err(refuse(at, "format", "format is a string")) };
    if !typed {
        // Without a type a format is a note, as JSON Schema says.
        return Ok(());
    }
    if node.kinds & kind::NUMBERS != 0 {
        match node.number {
            NumberAs::Int => {
                // Kinds beyond the format stay admitted: such a value is out of range, not of another kind.
                if let Some(format) = IntFormat::named(name) {
                    node.int_format = Some(format);
                }
            }
            NumberAs::Float if name == "float" => node.number = NumberAs::Float32,
            _ => {}
        }
    }
    if node.kinds & kind::STR != 0 {
        let becomes = match name.as_str() {
            "date-time" => kind::TIME,
            "byte" | "binary" => kind::BIN,
            other => {
                text.format = TextFormat::named(other);
                return Ok(());
            }
        };
        node.kinds = node.kinds & !kind::STR | becomes;
    }
    Ok(())
}

pub(super) fn number(value: &Value, at: &str, keyword: &str) -> Result<Decimal, Error> {
    Num::of(value).and_then(Num::decimal).ok_or_else(|| refuse(at, keyword, format!("{keyword} is a number")))
}

pub(super) fn bound(
    rules: &mut NumberRules,
    keyword: &str,
    value: &Value,
    schema: &Value,
    at: &str,
) -> Result<(), Error> {
    let exclusive = keyword.starts_with("exclusive");
    if exclusive && let Value::Bool(_) = value {
        // OpenAPI 3.0: a flag beside `minimum` or `maximum`, read with it.
        return Ok(());
    }
    let lower = keyword.ends_with("inimum");
    let flag = if lower { "exclusiveMinimum" } else { "exclusiveMaximum" };
    let flagged = !exclusive && matches!(schema.get(flag), Some(Value::Bool(true)));
    let new = Bound { at: number(value, at, keyword)?, exclusive: exclusive || flagged };
    let slot = if lower { &mut rules.min } else { &mut rules.max };
    let tighter = match slot {
        None => true,
        Some(old) => match new.at.cmp(&old.at) {
            core::cmp::Ordering::Equal => new.exclusive,
            order => order.is_gt() == lower,
        },
    };
    if tighter {
        *slot = Some(new);
    }
    Ok(())
}

pub(super) fn count(value: &Value, at: &str, keyword: &str) -> Result<usize, Error> {
    number(value, at, keyword)?
        .to_i128()
        .and_then(|n| usize::try_from(n).ok())
        .ok_or_else(|| refuse(at, keyword, format!("{keyword} is a whole number from 0")))
}
