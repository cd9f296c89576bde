//! JSON Schema 2020-12 → syntax: the keywords that describe data, one place of the document at a time.
//!
//! A keyword outside the subset is refused with its JSON Pointer, never ignored. References and unions are
//! kept as such here; `compile` resolves them.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::keywords::*;
use super::model::*;
use super::number::{Num, NumberRules};
use super::pattern::Pattern;
use super::text::{Members, TextRules};
use crate::error::{Code, Error, push_pointer_key};
use crate::value::Value;

/// Bounds on a document, so that a hostile one is refused in time.
pub(crate) const MAX_NODES: usize = 20_000;
const MAX_NESTING: usize = 100;
pub(crate) const MAX_ARMS: usize = 512;

/// One place of the document, before references and unions are resolved.
#[derive(Debug)]
pub(crate) enum Syntax {
    /// Being parsed.
    Pending,
    Node(Box<Node>),
    /// The same as another place, null admitted too if the flag says so.
    Same {
        target: NodeId,
        nullable: bool,
        at: String,
    },
    Union(Box<UnionSyntax>),
}

/// `anyOf` or `oneOf`.
#[derive(Debug)]
pub(crate) struct UnionSyntax {
    pub keyword: &'static str,
    /// Each arm, and the last segment of its `$ref` if it is one.
    pub arms: Vec<(NodeId, Option<String>)>,
    /// `discriminator`: the property, and tag → `$ref` or name.
    pub tag: Option<(String, Vec<(String, String)>)>,
    pub fallback: Option<Value>,
    pub nullable: bool,
    /// Kinds that a `type` beside it leaves.
    pub mask: u16,
    pub at: String,
}

/// The parsed document.
pub(crate) struct Document {
    pub syntax: Vec<Syntax>,
    pub root: NodeId,
    pub version: Option<Box<str>>,
    /// Pointers of the places, to resolve a discriminator's mapping.
    pub places: BTreeMap<String, NodeId>,
    /// `$id` and `$anchor` → pointer.
    pub anchors: BTreeMap<String, String>,
}

/// `invalid-schema` at a keyword.
#[cold]
pub(crate) fn refuse(at: &str, keyword: &str, why: impl core::fmt::Display) -> Error {
    let mut path = String::from(at);
    if !keyword.is_empty() {
        push_pointer_key(&mut path, keyword);
    }
    Error::new(Code::InvalidSchema, format!("{why}")).with_path(path)
}

fn child(at: &str, step: &str) -> String {
    let mut pointer = String::from(at);
    push_pointer_key(&mut pointer, step);
    pointer
}

/// Keywords that say something about a schema without saying anything about data.
const NOTES: &[&str] = &[
    "title",
    "description",
    "examples",
    "example",
    "deprecated",
    "$comment",
    "$schema",
    "$id",
    "$anchor",
    "$defs",
    "definitions",
    "components",
    "readOnly",
    "writeOnly",
    "contentMediaType",
    "contentSchema",
    "xml",
    "externalDocs",
    "default",
    "aliases",
    "id",
    "version",
];

pub(super) fn is_note(keyword: &str) -> bool {
    NOTES.contains(&keyword) || keyword.starts_with("x-")
}

/// Parses a document.
///
/// # Errors
/// `invalid-schema`
pub(crate) fn parse(root: &Value) -> Result<Document, Error> {
    let mut parser = Parser {
        root,
        syntax: Node::special().map(|n| Syntax::Node(Box::new(n))).into(),
        places: BTreeMap::new(),
        anchors: BTreeMap::new(),
        todo: Vec::new(),
    };
    parser.find_anchors(root, String::new(), 0)?;
    let version = match root.get("version") {
        None => None,
        Some(Value::Str(v)) => Some(v.as_str().into()),
        Some(Value::Int(v)) => Some(v.to_string().into()),
        Some(_) => return Err(refuse("", "version", "version is a string or an integer")),
    };
    let id = parser.schema(root, "", 0)?;
    while let Some((target, id)) = parser.todo.pop() {
        // A `$ref` to a place that no keyword has led to yet.
        let value = parser.lookup(&target).expect("looked up before");
        let place = parser.schema(value, &target, 0)?;
        parser.syntax[id as usize] = Syntax::Same { target: place, nullable: false, at: target };
    }
    Ok(Document { syntax: parser.syntax, root: id, version, places: parser.places, anchors: parser.anchors })
}

struct Parser<'d> {
    root: &'d Value,
    syntax: Vec<Syntax>,
    places: BTreeMap<String, NodeId>,
    anchors: BTreeMap<String, String>,
    todo: Vec<(String, NodeId)>,
}

pub(super) type Entries = [(Value, Value)];

impl<'d> Parser<'d> {
    fn find_anchors(&mut self, value: &Value, at: String, depth: usize) -> Result<(), Error> {
        if depth > 2 * MAX_NESTING {
            return Err(refuse(&at, "", format!("the document nests deeper than {}", 2 * MAX_NESTING)));
        }
        match value {
            Value::Map(entries) => {
                for (key, v) in entries {
                    let Value::Str(key) = key else { return Err(refuse(&at, "", "a key is not a string")) };
                    if let (Value::Str(name), "$id" | "$anchor") = (v, key.as_str()) {
                        let name = if key == "$anchor" { format!("#{name}") } else { name.clone() };
                        self.anchors.entry(name).or_insert_with(|| at.clone());
                    }
                    if !matches!(key.as_str(), "default" | "const" | "enum" | "examples") {
                        self.find_anchors(v, child(&at, key), depth + 1)?;
                    }
                }
            }
            Value::Array(items) => {
                for (i, v) in items.iter().enumerate() {
                    self.find_anchors(v, format!("{at}/{i}"), depth + 1)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn lookup(&self, pointer: &str) -> Option<&'d Value> {
        let mut value = self.root;
        for step in pointer.split('/').skip(1) {
            let step = step.replace("~1", "/").replace("~0", "~");
            value = match value {
                Value::Map(_) => value.get(&step)?,
                Value::Array(items) => items.get(step.parse::<usize>().ok()?)?,
                _ => return None,
            };
        }
        Some(value)
    }

    fn add(&mut self, at: &str) -> Result<NodeId, Error> {
        if self.syntax.len() >= MAX_NODES {
            return Err(refuse(at, "", format!("the document has more than {MAX_NODES} schemas")));
        }
        self.syntax.push(Syntax::Pending);
        Ok((self.syntax.len() - 1) as NodeId)
    }

    fn schema(&mut self, value: &Value, at: &str, depth: usize) -> Result<NodeId, Error> {
        if let Some(&id) = self.places.get(at) {
            return Ok(id);
        }
        if depth > MAX_NESTING {
            return Err(refuse(at, "", format!("schemas nest deeper than {MAX_NESTING}")));
        }
        let id = self.add(at)?;
        self.places.insert(at.into(), id);
        self.syntax[id as usize] = match value {
            Value::Bool(true) => Syntax::Node(Box::new(Node { at: at.into(), ..Node::any() })),
            Value::Bool(false) => {
                return Err(refuse(
                    at,
                    "",
                    "a schema that admits nothing has a meaning only as additionalProperties or items",
                ));
            }
            Value::Map(entries) => self.object(entries, value, at, depth)?,
            other => return Err(refuse(at, "", format!("a schema is an object or a bool, not {}", other.kind()))),
        };
        Ok(id)
    }

    fn object(&mut self, entries: &Entries, schema: &Value, at: &str, depth: usize) -> Result<Syntax, Error> {
        let nullable = match schema.get("nullable") {
            None | Some(Value::Bool(false)) => false,
            Some(Value::Bool(true)) => true,
            Some(_) => return Err(refuse(at, "nullable", "nullable is a bool")),
        };
        if let Some(reference) = schema.get("$ref") {
            only(entries, at, "$ref", &["nullable"])?;
            let target = self.reference(reference, at)?;
            return Ok(Syntax::Same { target, nullable, at: at.into() });
        }
        if let Some(all) = schema.get("allOf") {
            only(entries, at, "allOf", &["nullable"])?;
            let Value::Array(items) = all else { return Err(refuse(at, "allOf", "allOf is an array")) };
            let [one] = items.as_slice() else {
                return Err(refuse(
                    at,
                    "allOf",
                    "allOf of several schemas does not map to a type: write one object instead",
                ));
            };
            let target = self.schema(one, &child(&child(at, "allOf"), "0"), depth + 1)?;
            return Ok(Syntax::Same { target, nullable, at: at.into() });
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(arms) = schema.get(keyword) {
                only(entries, at, keyword, &["nullable", "discriminator", "fallback", "type"])?;
                return self.union(keyword, arms, schema, at, depth, nullable);
            }
        }
        self.node(entries, schema, at, depth, nullable).map(|n| Syntax::Node(Box::new(n)))
    }

    /// The place that a `$ref` names.
    fn reference(&mut self, reference: &Value, at: &str) -> Result<NodeId, Error> {
        let Value::Str(text) = reference else { return Err(refuse(at, "$ref", "$ref is a string")) };
        let pointer = resolve_reference(text, self.root, &self.anchors)
            .filter(|p| self.lookup(p).is_some())
            .ok_or_else(|| refuse(at, "$ref", format!("{text:?} is not a place in this document")))?;
        if let Some(&id) = self.places.get(&pointer) {
            return Ok(id);
        }
        // Parsed later, so that a chain of references does not nest.
        let id = self.add(at)?;
        self.todo.push((pointer, id));
        Ok(id)
    }

    fn union(
        &mut self,
        keyword: &'static str,
        arms: &Value,
        schema: &Value,
        at: &str,
        depth: usize,
        nullable: bool,
    ) -> Result<Syntax, Error> {
        let Value::Array(items) = arms else { return Err(refuse(at, keyword, format!("{keyword} is an array"))) };
        if items.is_empty() || items.len() > MAX_ARMS {
            return Err(refuse(at, keyword, format!("a union has 1 to {MAX_ARMS} arms")));
        }
        let mut parsed = Vec::new();
        for (i, arm) in items.iter().enumerate() {
            let name = match arm.get("$ref") {
                Some(Value::Str(r)) => r.rsplit('/').next().map(String::from),
                _ => None,
            };
            parsed.push((self.schema(arm, &child(&child(at, keyword), &i.to_string()), depth + 1)?, name));
        }
        let tag = match schema.get("discriminator") {
            None => None,
            Some(d) => Some(discriminator(d, &child(at, "discriminator"))?),
        };
        let mask = match schema.get("type") {
            None => kind::ALL,
            Some(t) => types(t, at)?.0,
        };
        Ok(Syntax::Union(Box::new(UnionSyntax {
            keyword,
            arms: parsed,
            tag,
            fallback: schema.get("fallback").cloned(),
            nullable,
            mask,
            at: at.into(),
        })))
    }

    /// A schema without reference and union.
    fn node(
        &mut self,
        entries: &Entries,
        schema: &Value,
        at: &str,
        depth: usize,
        nullable: bool,
    ) -> Result<Node, Error> {
        let mut node = Node { kinds: kind::ALL, at: at.into(), ..Node::default() };
        let typed = schema.get("type");
        if let Some(t) = typed {
            (node.kinds, node.number) = types(t, at)?;
        }
        let mut numbers = NumberRules::default();
        let mut text = TextRules::default();
        for (key, value) in entries {
            let Value::Str(key) = key else { return Err(refuse(at, "", "a key is not a string")) };
            match key.as_str() {
                "type"
                | "nullable"
                | "enum"
                | "const"
                | "fallback"
                | "properties"
                | "required"
                | "additionalProperties"
                | "propertyNames"
                | "minProperties"
                | "maxProperties"
                | "reserved"
                | "items"
                | "prefixItems"
                | "minItems"
                | "maxItems" => {}
                "format" => format_keyword(&mut node, &mut text, value, typed.is_some(), at)?,
                "contentEncoding" => match value {
                    Value::Str(e) if e == "base64" => {
                        if node.kinds & kind::STR != 0 && typed.is_some() {
                            node.kinds = node.kinds & !kind::STR | kind::BIN;
                        }
                    }
                    _ => return Err(refuse(at, key, "contentEncoding is \"base64\"")),
                },
                "minimum" | "exclusiveMinimum" | "maximum" | "exclusiveMaximum" => {
                    bound(&mut numbers, key, value, schema, at)?
                }
                "multipleOf" => {
                    let divisor = number(value, at, key)?;
                    if !divisor.is_positive() || !NumberRules::divisor_fits(&divisor) {
                        return Err(refuse(at, key, "multipleOf is a positive number of at most 19 digits"));
                    }
                    numbers.multiple_of = Some(divisor);
                }
                "minLength" => text.min = count(value, at, key)?,
                "maxLength" => text.max = Some(count(value, at, key)?),
                "pattern" => {
                    let Value::Str(source) = value else { return Err(refuse(at, key, "pattern is a string")) };
                    let pattern =
                        Pattern::new(source).map_err(|e| refuse(at, key, format!("the pattern is refused: {e}")))?;
                    text.pattern = Some(pattern);
                }
                "discriminator" => return Err(refuse(at, key, "discriminator stands beside anyOf or oneOf")),
                note if is_note(note) => {}
                other => return Err(refuse(at, other, format!("the keyword {other} is not supported"))),
            }
        }
        self.enumeration(&mut node, &mut numbers, &mut text, schema, at)?;
        if node.kinds & kind::BIN != 0 && node.kinds & kind::STR == 0 {
            for (name, set) in
                [("minLength", text.min > 0), ("maxLength", text.max.is_some()), ("pattern", text.pattern.is_some())]
            {
                if set {
                    return Err(refuse(at, name, "bin has no constraints on its text"));
                }
            }
        }
        if node.kinds & kind::TIME != 0 && node.kinds & kind::STR == 0 {
            // A pattern beside date-time is the emitter's spelling of RFC 3339, which the timestamp has anyway.
            text = TextRules::default();
        }
        if node.kinds & kind::NUMBERS != 0 && !numbers.is_empty() {
            node.numbers = Some(Box::new(numbers));
        }
        if node.kinds & kind::STR != 0 && !text.is_empty() {
            node.text = Some(Box::new(text));
        }
        if node.kinds & kind::ARRAY != 0 {
            node.array = self.array(schema, at, depth)?;
        }
        if node.kinds & kind::MAP != 0 {
            node.map = self.map(schema, at, depth)?;
        }
        if nullable {
            node.kinds |= kind::NULL;
        }
        if node.kinds == 0 {
            return Err(refuse(at, "enum", "no value is of the type and of the enum"));
        }
        Ok(node)
    }

    fn enumeration(
        &mut self,
        node: &mut Node,
        numbers: &mut NumberRules,
        text: &mut TextRules,
        schema: &Value,
        at: &str,
    ) -> Result<(), Error> {
        let one;
        let (keyword, members) = match (schema.get("enum"), schema.get("const")) {
            (None, None) => {
                return match schema.get("fallback") {
                    None => Ok(()),
                    Some(_) => {
                        Err(refuse(at, "fallback", "fallback stands beside enum, or on a union with a discriminator"))
                    }
                };
            }
            (Some(_), Some(_)) => return Err(refuse(at, "const", "const stands beside enum: one of them is enough")),
            (Some(Value::Array(members)), None) => ("enum", members.as_slice()),
            (Some(_), None) => return Err(refuse(at, "enum", "enum is an array")),
            (None, Some(value)) => {
                one = [value.clone()];
                ("const", one.as_slice())
            }
        };
        let admitted = node.kinds;
        let (mut kinds, mut strings, mut decimals) = (0, Vec::new(), Vec::new());
        for (i, member) in members.iter().enumerate() {
            match member {
                Value::Null => kinds |= kind::NULL,
                Value::Bool(b) => kinds |= if *b { kind::TRUE } else { kind::FALSE },
                Value::Str(s) if admitted & kind::STR != 0 => {
                    kinds |= kind::STR;
                    strings.push(s.as_str().into());
                }
                Value::Str(_) if admitted & (kind::TIME | kind::BIN) != 0 => {
                    return Err(refuse(at, keyword, "an enum of timestamps or bin is not supported"));
                }
                Value::Int(_) | Value::Uint(_) | Value::BigInt(_) | Value::Float(_) => {
                    let d = Num::of(member).and_then(Num::decimal);
                    let d = d.ok_or_else(|| refuse(at, keyword, "a member is not a finite number"))?;
                    let fits = node.number != NumberAs::Int || d.is_integer();
                    if fits && !decimals.contains(&d) && decimals.len() < 4096 {
                        kinds |= kind::NUMBERS;
                        decimals.push(d);
                    }
                }
                Value::Str(_) => {}
                other => {
                    let place = if keyword == "enum" { format!("enum/{i}") } else { keyword.into() };
                    return Err(refuse(
                        &format!("{at}/{place}"),
                        "",
                        format!("an enum member of kind {} does not map to a type", other.kind()),
                    ));
                }
            }
        }
        node.kinds &= kinds;
        if node.kinds & kind::STR != 0 {
            text.one_of = Some(Members::new(strings));
        }
        if node.kinds & kind::NUMBERS != 0 {
            numbers.one_of = Some(decimals);
        }
        node.enumerated = node.kinds & (kind::STR | kind::NUMBERS);
        if matches!(node.kinds & kind::BOOL, kind::TRUE | kind::FALSE) {
            node.enumerated |= kind::BOOL;
        }
        if let Some(fallback) = schema.get("fallback") {
            let known = match fallback {
                Value::Str(s) => text.one_of.as_ref().is_some_and(|m| m.contains(s)),
                other => Num::of(other)
                    .and_then(Num::decimal)
                    .is_some_and(|d| numbers.one_of.as_ref().is_some_and(|m| m.contains(&d))),
            };
            if !known {
                return Err(refuse(at, "fallback", "fallback is a string or number of the enum"));
            }
            node.fallback = Some(Box::new(fallback.clone()));
        }
        Ok(())
    }

    fn array(&mut self, schema: &Value, at: &str, depth: usize) -> Result<Option<Box<ArrayRules>>, Error> {
        let mut rules = ArrayRules { prefix: Vec::new(), items: ANY, min: 0, max: None };
        if let Some(prefix) = schema.get("prefixItems") {
            let Value::Array(places) = prefix else { return Err(refuse(at, "prefixItems", "prefixItems is an array")) };
            for (i, place) in places.iter().enumerate() {
                let id = self.schema(place, &child(&child(at, "prefixItems"), &i.to_string()), depth + 1)?;
                rules.prefix.push(id);
            }
        }
        match schema.get("items") {
            None => {}
            Some(Value::Bool(false)) => rules.max = Some(rules.prefix.len()),
            Some(items) => rules.items = self.schema(items, &child(at, "items"), depth + 1)?,
        }
        if let Some(v) = schema.get("minItems") {
            rules.min = count(v, at, "minItems")?;
        }
        if let Some(v) = schema.get("maxItems") {
            let max = count(v, at, "maxItems")?;
            rules.max = Some(rules.max.map_or(max, |m| m.min(max)));
        }
        let any = rules.prefix.is_empty() && rules.items == ANY && rules.min == 0 && rules.max.is_none();
        Ok((!any).then(|| Box::new(rules)))
    }

    fn map(&mut self, schema: &Value, at: &str, depth: usize) -> Result<MapRules, Error> {
        let min = schema.get("minProperties").map_or(Ok(0), |v| count(v, at, "minProperties"))?;
        let max = schema.get("maxProperties").map(|v| count(v, at, "maxProperties")).transpose()?;
        let properties = schema.get("properties");
        let required = match schema.get("required") {
            None => &[][..],
            Some(Value::Array(names)) => names.as_slice(),
            Some(_) => return Err(refuse(at, "required", "required is an array")),
        };
        let extra = match schema.get("additionalProperties") {
            None if properties.is_some() => Extra::Unknown,
            None => Extra::Typed(ANY),
            Some(Value::Bool(false)) => Extra::Closed,
            Some(s) => Extra::Typed(self.schema(s, &child(at, "additionalProperties"), depth + 1)?),
        };
        let names = schema.get("propertyNames");
        let nameless = properties.is_none() && required.is_empty() && schema.get("reserved").is_none();
        if let Extra::Typed(value) = extra
            && nameless
        {
            let keys = match names {
                None => Keys::Any,
                Some(keys) => self.keys(keys, at, depth)?,
            };
            if value == ANY && matches!(keys, Keys::Any) && min == 0 && max.is_none() {
                return Ok(MapRules::Any);
            }
            return Ok(MapRules::Of(Box::new(MapOf { keys, value, min, max })));
        }
        if names.is_some() {
            return Err(refuse(at, "propertyNames", "propertyNames stands on a map, without properties and required"));
        }
        let mut record =
            Record { fields: Vec::new(), names: Vec::new(), extra, reserved: Vec::new(), must: 0, min, max };
        match properties {
            None => {}
            Some(Value::Map(fields)) => {
                for (name, field) in fields {
                    let Value::Str(name) = name else { return Err(refuse(at, "properties", "a key is not a string")) };
                    let place = child(&child(at, "properties"), name);
                    let node = self.schema(field, &place, depth + 1)?;
                    record.fields.push(self.field(name, field, node, &place)?);
                }
            }
            Some(_) => return Err(refuse(at, "properties", "properties is an object")),
        }
        for name in required {
            let Value::Str(name) = name else { return Err(refuse(at, "required", "required names properties")) };
            match record.fields.iter_mut().find(|f| *f.name == **name) {
                Some(field) => field.required = true,
                None => {
                    let node = if let Extra::Typed(id) = extra { id } else { ANY };
                    if extra == Extra::Closed {
                        return Err(refuse(at, "required", format!("{name:?} is required and not admitted")));
                    }
                    let mut field = new_field(name, node);
                    field.required = true;
                    record.fields.push(field);
                }
            }
        }
        match schema.get("reserved") {
            None => {}
            Some(Value::Array(names)) => {
                for name in names {
                    let Value::Str(name) = name else {
                        return Err(refuse(at, "reserved", "reserved names properties"));
                    };
                    record.reserved.push(name.as_str().into());
                }
            }
            Some(_) => return Err(refuse(at, "reserved", "reserved is an array")),
        }
        record.index();
        if let Some(w) = record.names.windows(2).find(|w| w[0].0 == w[1].0) {
            return Err(refuse(at, "properties", format!("{:?} is the name or alias of two fields", w[0].0)));
        }
        if let Some(name) = record.reserved.iter().find(|r| record.find(r.as_bytes()).is_some()) {
            return Err(refuse(at, "reserved", format!("{name:?} is reserved and in use")));
        }
        let mut ids: Vec<u32> = record.fields.iter().filter_map(|f| f.id).collect();
        ids.sort_unstable();
        if let Some(w) = ids.windows(2).find(|w| w[0] == w[1]) {
            return Err(refuse(at, "properties", format!("the id {} is given twice", w[0])));
        }
        Ok(MapRules::Record(Box::new(record)))
    }

    fn keys(&mut self, keys: &Value, at: &str, depth: usize) -> Result<Keys, Error> {
        let place = child(at, "propertyNames");
        let id = self.schema(keys, &place, depth + 1)?;
        let Syntax::Node(node) = &self.syntax[id as usize] else {
            return Err(refuse(at, "propertyNames", "propertyNames says what it wants itself, without $ref and anyOf"));
        };
        if node.kinds & kind::STR != 0 {
            return Ok(if node.text.is_none() { Keys::Any } else { Keys::Str(id) });
        }
        if node.kinds & kind::INT != 0 && node.number == NumberAs::Int && node.kinds & !kind::NUMBERS == 0 {
            return Ok(Keys::Int(id));
        }
        Err(refuse(at, "propertyNames", "keys are strings or integers"))
    }

    fn field(&mut self, name: &str, schema: &Value, node: NodeId, at: &str) -> Result<Field, Error> {
        let mut field = new_field(name, node);
        field.default = schema.get("default").map(|d| Box::new(d.clone()));
        match schema.get("aliases") {
            None => {}
            Some(Value::Array(names)) => {
                for alias in names {
                    let Value::Str(alias) = alias else { return Err(refuse(at, "aliases", "an alias is a string")) };
                    field.aliases.push(alias.as_str().into());
                }
            }
            Some(_) => return Err(refuse(at, "aliases", "aliases is an array")),
        }
        match schema.get("id") {
            None => {}
            Some(Value::Int(id)) if (0..=i64::from(u32::MAX)).contains(id) => field.id = Some(*id as u32),
            Some(_) => return Err(refuse(at, "id", "id is the field's number in packed form, 0 ... 2^32-1")),
        }
        Ok(field)
    }
}

fn new_field(name: &str, node: NodeId) -> Field {
    Field {
        name: name.into(),
        ascii: name.is_ascii(),
        node,
        required: false,
        default: None,
        aliases: Vec::new(),
        id: None,
    }
}
