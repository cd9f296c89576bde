//! A schema from samples: what all values that were seen have in common.
//!
//! The document accepts every sample, in the format that it came in. What a schema cannot tell apart (text and
//! binary in one place, say) becomes a place for any value.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use crate::format::Format;
use crate::time::Timestamp;
use crate::value::Value;

/// Levels of arrays and maps that are described; what is deeper is any value.
const MAX_LEVELS: usize = 32;
/// A map with more keys than this, few of which are there at a time, has no fields but entries.
const MANY_KEYS: usize = 20;

/// What the values of one place have been.
///
/// ```
/// use samewire::schema::{Inference, Schema};
/// use samewire::{Format, Options, transcode};
/// let mut seen = Inference::default();
/// for text in [r#"{"id": 1, "tags": ["a"]}"#, r#"{"id": 2, "tags": [], "note": null}"#] {
///     seen.add(&transcode::from_slice(Format::Json, text.as_bytes(), &Options::default())?, Format::Json);
/// }
/// let schema = Schema::from_value(&seen.document())?;
/// assert!(schema.validate(Format::Json, br#"{"id": 3, "tags": ["b"]}"#, &Options::default()).is_ok());
/// let error = schema.validate(Format::Json, br#"{"id": "3", "tags": []}"#, &Options::default()).unwrap_err();
/// assert_eq!((error.code().as_str(), error.path()), ("type-mismatch", "/id"));
/// # Ok::<(), samewire::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Inference {
    null: bool,
    bool: bool,
    int: bool,
    /// Some integer may not be exact as a binary64.
    large_int: bool,
    float: bool,
    /// Text that is no time, or that is text in MessagePack, where a time is not.
    text: bool,
    /// RFC 3339 in JSON.
    time_text: bool,
    time: bool,
    bin: bool,
    ext: bool,
    array: Option<Box<Inference>>,
    map: Option<Box<Maps>>,
}

/// What the maps of one place have been.
#[derive(Debug, Default)]
struct Maps {
    count: u64,
    fields: Vec<Field>,
    /// Places in `fields`.
    by_name: BTreeMap<String, usize>,
    int_keys: bool,
    /// Keys that are neither text nor integers.
    other_keys: bool,
    /// The values of keys that are not text.
    values: Inference,
}

#[derive(Debug)]
struct Field {
    name: String,
    count: u64,
    values: Inference,
}

impl Inference {
    /// Takes a sample into account; `format` is the one that it was read from.
    pub fn add(&mut self, value: &Value, format: Format) {
        match value {
            Value::Null => self.null = true,
            Value::Bool(_) => self.bool = true,
            Value::Int(v) => {
                self.int = true;
                self.large_int |= v.unsigned_abs() > 1 << 53;
            }
            Value::Uint(_) | Value::BigInt(_) => (self.int, self.large_int) = (true, true),
            Value::Float(_) => self.float = true,
            Value::Str(text) if format == Format::Json && Timestamp::parse(text).is_ok() => self.time_text = true,
            Value::Str(_) => self.text = true,
            Value::Bin(_) => self.bin = true,
            Value::Timestamp(_) => self.time = true,
            Value::Ext(_) => self.ext = true,
            Value::Array(items) => {
                let seen = self.array.get_or_insert_default();
                items.iter().for_each(|item| seen.add(item, format));
            }
            Value::Map(entries) => {
                let maps = self.map.get_or_insert_default();
                maps.count += 1;
                for (key, value) in entries {
                    match key {
                        Value::Str(name) => maps.field(name).add(value, format),
                        Value::Int(_) | Value::Uint(_) => {
                            maps.int_keys = true;
                            maps.values.add(value, format);
                        }
                        _ => maps.other_keys = true,
                    }
                }
            }
        }
    }

    /// The document: JSON Schema 2020-12 in the part that samewire reads.
    pub fn document(&self) -> Value {
        let Value::Map(body) = self.schema(0) else { return any() };
        let mut document =
            Vec::from([(Value::from("$schema"), Value::from("https://json-schema.org/draft/2020-12/schema"))]);
        document.extend(body);
        Value::Map(document)
    }

    fn schema(&self, level: usize) -> Value {
        if self.ext || level > MAX_LEVELS {
            return any();
        }
        let mut arms: Vec<Value> = Vec::new();
        match (self.int, self.float) {
            (true, true) if self.large_int => arms.extend([typed("integer"), typed("number")]),
            (_, true) => arms.push(typed("number")),
            (true, false) => arms.push(typed("integer")),
            (false, false) => {}
        }
        match (self.text, self.time || self.time_text, self.bin) {
            (false, false, false) => {}
            (true, false, false) => arms.push(typed("string")),
            // Text that happens to be a time, among other text.
            (true, true, false) if !self.time => arms.push(typed("string")),
            (false, true, false) => arms.push(object([("type", "string".into()), ("format", "date-time".into())])),
            (false, false, true) => {
                arms.push(object([("type", "string".into()), ("contentEncoding", "base64".into())]));
            }
            _ => return any(),
        }
        if self.bool {
            arms.push(typed("boolean"));
        }
        if let Some(items) = &self.array {
            let items = items.schema(level + 1);
            let known = !matches!(&items, Value::Map(m) if m.is_empty());
            let mut array = Vec::from([("type", "array".into())]);
            array.extend(known.then_some(("items", items)));
            arms.push(object(array));
        }
        if let Some(maps) = &self.map {
            match maps.schema(level + 1) {
                Some(map) => arms.push(map),
                None => return any(),
            }
        }
        if self.null {
            arms.push(typed("null"));
        }
        match arms.len() {
            0 => any(),
            1 => arms.remove(0),
            _ => union(arms),
        }
    }

    fn merge(&mut self, other: &Inference) {
        self.null |= other.null;
        self.bool |= other.bool;
        self.int |= other.int;
        self.large_int |= other.large_int;
        self.float |= other.float;
        self.text |= other.text;
        self.time_text |= other.time_text;
        self.time |= other.time;
        self.bin |= other.bin;
        self.ext |= other.ext;
        if let Some(items) = &other.array {
            self.array.get_or_insert_default().merge(items);
        }
        if let Some(maps) = &other.map {
            let mine = self.map.get_or_insert_default();
            mine.count += maps.count;
            mine.int_keys |= maps.int_keys;
            mine.other_keys |= maps.other_keys;
            mine.values.merge(&maps.values);
            for field in &maps.fields {
                let at = mine.place(&field.name);
                mine.fields[at].count += field.count;
                mine.fields[at].values.merge(&field.values);
            }
        }
    }
}

impl Maps {
    fn place(&mut self, name: &str) -> usize {
        if let Some(&at) = self.by_name.get(name) {
            return at;
        }
        let at = self.fields.len();
        self.by_name.insert(name.into(), at);
        self.fields.push(Field { name: name.into(), count: 0, values: Inference::default() });
        at
    }

    fn field(&mut self, name: &str) -> &mut Inference {
        let at = self.place(name);
        let field = &mut self.fields[at];
        field.count += 1;
        &mut field.values
    }

    /// `None` if no schema has keys like these.
    fn schema(&self, level: usize) -> Option<Value> {
        if self.other_keys || (self.int_keys && !self.fields.is_empty()) {
            return None;
        }
        let kind = ("type", Value::from("object"));
        if self.int_keys {
            let keys = typed("integer");
            return Some(object([kind, ("propertyNames", keys), ("additionalProperties", self.values.schema(level))]));
        }
        if self.fields.is_empty() {
            return Some(object([kind]));
        }
        let given: u64 = self.fields.iter().map(|f| f.count).sum();
        if self.fields.len() > MANY_KEYS && given * 3 < self.count * self.fields.len() as u64 {
            let mut values = Inference::default();
            self.fields.iter().for_each(|field| values.merge(&field.values));
            return Some(object([kind, ("additionalProperties", values.schema(level))]));
        }
        let properties = self.fields.iter().map(|f| (Value::from(f.name.as_str()), f.values.schema(level))).collect();
        let required: Vec<Value> =
            self.fields.iter().filter(|f| f.count == self.count).map(|f| f.name.as_str().into()).collect();
        let mut record = Vec::from([kind, ("properties", Value::Map(properties))]);
        if !required.is_empty() {
            record.push(("required", Value::Array(required)));
        }
        Some(object(record))
    }
}

fn any() -> Value {
    Value::Map(Vec::new())
}

fn typed(name: &str) -> Value {
    object([("type", name.into())])
}

fn object<'k>(entries: impl IntoIterator<Item = (&'k str, Value)>) -> Value {
    Value::Map(entries.into_iter().map(|(k, v)| (k.into(), v)).collect())
}

/// One `type` with several names where that says all, else `anyOf`.
fn union(arms: Vec<Value>) -> Value {
    let names: Option<Vec<Value>> = arms
        .iter()
        .map(|arm| match arm {
            Value::Map(entries) if entries.len() == 1 && entries[0].0 == Value::from("type") => {
                Some(entries[0].1.clone())
            }
            _ => None,
        })
        .collect();
    match names {
        Some(names) => object([("type", Value::Array(names))]),
        None => object([("anyOf", Value::Array(arms))]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use crate::schema::Schema;

    /// The document as JSON, after each sample was read by it.
    fn of(samples: &[&str]) -> String {
        let read =
            |text: &str| crate::transcode::from_slice(Format::Json, text.as_bytes(), &Options::default()).unwrap();
        let mut seen = Inference::default();
        samples.iter().for_each(|text| seen.add(&read(text), Format::Json));
        let schema = Schema::from_value(&seen.document()).unwrap();
        for text in samples {
            schema.validate(Format::Json, text.as_bytes(), &Options::default()).unwrap();
        }
        let body = seen.schema(0);
        String::from_utf8(crate::transcode::to_vec(Format::Json, &body, &Options::default()).unwrap()).unwrap()
    }

    #[test]
    fn says_what_samples_share() {
        for (samples, document) in [
            (&["1", "2"][..], r#"{"type":"integer"}"#),
            (&["1", "2.5"], r#"{"type":"number"}"#),
            (&["9007199254740993", "2.5"], r#"{"type":["integer","number"]}"#),
            (&["123456789012345678901234567890", "-1"], r#"{"type":"integer"}"#),
            (&["\"a\"", "null"], r#"{"type":["string","null"]}"#),
            (&["\"2024-02-29T00:00:00Z\""], r#"{"type":"string","format":"date-time"}"#),
            (&["\"2024-02-29T00:00:00Z\"", "\"soon\""], r#"{"type":"string"}"#),
            (&["[]", "[[1],[]]"], r#"{"type":"array","items":{"type":"array","items":{"type":"integer"}}}"#),
            (&["{}", "{}"], r#"{"type":"object"}"#),
            (
                &[r#"{"a":1,"b":"x"}"#, r#"{"a":null}"#],
                r#"{"type":"object","properties":{"a":{"type":["integer","null"]},"b":{"type":"string"}},"required":["a"]}"#,
            ),
            (
                &["\"one\"", "[\"a\",\"b\"]"],
                r#"{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}"#,
            ),
        ] {
            assert_eq!(of(samples), document, "{samples:?}");
        }
    }

    #[test]
    fn keys_that_are_data_are_no_fields() {
        let samples: Vec<String> = (0..60).map(|i| alloc::format!(r#"{{"user-{i}":{i}}}"#)).collect();
        let samples: Vec<&str> = samples.iter().map(String::as_str).collect();
        assert_eq!(of(&samples), r#"{"type":"object","additionalProperties":{"type":"integer"}}"#);
    }

    #[test]
    fn what_only_messagepack_has() {
        let time = Value::Timestamp(Timestamp::new(1, 2).unwrap());
        for (samples, document) in [
            (&[Value::Bin([1].into()), Value::Null][..], "anyOf"),
            (core::slice::from_ref(&time), "date-time"),
            (&[time.clone(), Value::from("x")], "{}"),
            (&[Value::from("2024-02-29T00:00:00Z")], r#"{"type":"string"}"#),
            (&[Value::Map(Vec::from([(Value::Int(1), Value::Bool(true))]))], "propertyNames"),
            (&[Value::Map(Vec::from([(Value::Bool(true), Value::Bool(true))]))], "{}"),
        ] {
            let mut seen = Inference::default();
            let schema = {
                samples.iter().for_each(|value| seen.add(value, Format::MessagePack));
                Schema::from_value(&seen.document()).unwrap()
            };
            let options = Options { map_keys: crate::options::MapKeys::Any, ..Options::default() };
            for value in samples {
                let bytes = crate::transcode::to_vec(Format::MessagePack, value, &options).unwrap();
                schema.validate(Format::MessagePack, &bytes, &options).unwrap();
            }
            let shown = crate::transcode::to_vec(Format::Json, &seen.schema(0), &Options::default()).unwrap();
            assert!(String::from_utf8(shown).unwrap().contains(document), "{samples:?}");
        }
    }

    #[test]
    fn deep_samples_end_in_any_value() {
        let deep = "[".repeat(300) + &"]".repeat(300);
        assert!(of(&[&deep]).len() < 3000);
    }
}
