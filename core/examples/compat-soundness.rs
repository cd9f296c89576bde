//! Is the compatibility check sound against the reader? Random schemas, random changes, random values.
//!
//! `cargo run --release -p samewire --example compat-soundness -- 100000 [seed]`
//!
//! For each triple (old, new, value of old) and each format: where `check` finds no error, what old writes new
//! must read; and each error's witness must fail. Prints the figures; exit code 1 if anything does not hold.

use std::collections::BTreeMap;
use std::process::ExitCode;

use samewire::schema::{Mode, Schema, Severity, check};
use samewire::{Format, Options, Value, time::Timestamp};

/// xorshift64*: the same triples for the same seed on every machine.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }
    fn below(&mut self, n: usize) -> usize {
        ((self.next() >> 33) as usize) % n
    }
    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
    fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
    fn name(&mut self, list: &[&'static str]) -> &'static str {
        list[self.below(list.len())]
    }
}

#[derive(Clone, Debug)]
enum Type {
    Any,
    Null,
    Bool,
    True,
    Int { format: Option<&'static str>, min: Option<i64>, max: Option<i64>, step: Option<i64> },
    Number { single: bool, min: Option<f64>, max: Option<f64>, step: Option<f64> },
    IntOrNumber,
    Str { min: usize, max: Option<usize>, pattern: Option<&'static str>, format: Option<&'static str> },
    Time,
    Bin,
    Enum { members: Vec<&'static str>, fallback: bool },
    IntEnum { members: Vec<i64>, fallback: bool },
    Array { items: Box<Type>, min: usize, max: Option<usize> },
    Tuple { prefix: Vec<Type>, closed: bool },
    Map { keys: &'static str, value: Box<Type>, min: usize, max: Option<usize> },
    Record(Record),
    Union { tag: &'static str, arms: Vec<(&'static str, Record)>, fallback: bool },
    Nullable(Box<Type>),
    StrOrList(Box<Type>),
    Root,
}

#[derive(Clone, Debug, Default)]
struct Record {
    fields: Vec<Field>,
    /// 0 open, 1 closed, 2 typed
    extra: u8,
    extra_type: Option<Box<Type>>,
    reserved: Vec<&'static str>,
}

#[derive(Clone, Debug)]
struct Field {
    name: &'static str,
    of: Type,
    required: bool,
    default: bool,
    aliases: Vec<&'static str>,
    id: Option<u32>,
}

const NAMES: &[&str] = &["a", "b", "c", "d", "name", "id", "é"];
const MEMBERS: &[&str] = &["red", "green", "blue", "other", ""];
const TAGS: &[&str] = &["circle", "square", "star"];
const PATTERNS: &[(&str, &[&str])] =
    &[("^[a-z]+$", &["a", "abc", "zz"]), ("^\\d*$", &["", "1", "12345"]), ("x", &["x", "axb"])];
const INT_FORMATS: &[&str] = &["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"];
const TEXT_FORMATS: &[(&str, &str)] =
    &[("uuid", "123e4567-e89b-12d3-a456-426614174000"), ("date", "2024-02-29"), ("email", "x")];

fn maybe<T>(rng: &mut Rng, n: usize, value: impl FnOnce(&mut Rng) -> T) -> Option<T> {
    if rng.one_in(n) { Some(value(rng)) } else { None }
}

fn random(rng: &mut Rng, depth: usize) -> Type {
    let leaf = depth == 0;
    match rng.below(if leaf { 13 } else { 24 }) {
        0 => Type::Any,
        1 => Type::Bool,
        2 | 3 => Type::Int {
            format: maybe(rng, 2, |r| *r.pick(INT_FORMATS)),
            min: maybe(rng, 3, |r| *r.pick(&[-10, 0, 1, 5])),
            max: maybe(rng, 3, |r| *r.pick(&[9, 100, 300, 1 << 54])),
            step: maybe(rng, 5, |r| *r.pick(&[1, 2, 3, 4, 6])),
        },
        4 | 5 => Type::Number {
            single: rng.one_in(3),
            min: maybe(rng, 3, |r| *r.pick(&[-1.5, 0.0, 0.1])),
            max: maybe(rng, 3, |r| *r.pick(&[0.3, 10.0, 1e40])),
            step: maybe(rng, 6, |r| *r.pick(&[0.5, 0.1, 1.0])),
        },
        6 | 7 => Type::Str {
            min: if rng.one_in(3) { rng.below(3) } else { 0 },
            max: maybe(rng, 3, |r| 2 + r.below(40)),
            pattern: maybe(rng, 5, |r| r.pick(PATTERNS).0),
            format: maybe(rng, 5, |r| r.pick(TEXT_FORMATS).0),
        },
        8 => Type::Time,
        9 => Type::Bin,
        10 => Type::Enum { members: members(rng), fallback: rng.one_in(3) },
        11 => {
            let members = (0..1 + rng.below(3) as i64).map(|i| i * 7 - 1).collect();
            Type::IntEnum { members, fallback: rng.one_in(3) }
        }
        12 => rng.pick(&[Type::Null, Type::True, Type::IntOrNumber, Type::Root]).clone(),
        13 | 14 => Type::Array {
            items: Box::new(random(rng, depth - 1)),
            min: rng.below(2),
            max: maybe(rng, 3, |r| 1 + r.below(3)),
        },
        15 => Type::Tuple {
            prefix: (0..1 + rng.below(2)).map(|_| random(rng, depth - 1)).collect(),
            closed: rng.one_in(2),
        },
        16 => Type::Map {
            keys: rng.name(&["any", "any", "int", "int8", "lower"]),
            value: Box::new(random(rng, depth - 1)),
            min: usize::from(rng.one_in(5)),
            max: maybe(rng, 5, |r| 1 + r.below(2)),
        },
        17..=20 => Type::Record(record(rng, depth - 1)),
        21 => {
            let mut arms: Vec<_> = TAGS[..1 + rng.below(3)].iter().map(|t| (*t, record(rng, depth - 1))).collect();
            for (_, arm) in &mut arms {
                arm.fields.retain(|f| f.name != "name" && !f.aliases.contains(&"name"));
                arm.reserved.retain(|r| *r != "name");
            }
            Type::Union { tag: "name", arms, fallback: rng.one_in(3) }
        }
        22 => Type::Nullable(Box::new(random(rng, depth - 1))),
        _ => Type::StrOrList(Box::new(random(rng, depth - 1))),
    }
}

fn members(rng: &mut Rng) -> Vec<&'static str> {
    let mut list: Vec<_> = MEMBERS.iter().copied().filter(|_| !rng.one_in(3)).collect();
    if list.is_empty() {
        list.push("red");
    }
    list
}

fn field(rng: &mut Rng, name: &'static str, depth: usize) -> Field {
    let default = rng.one_in(4);
    Field {
        name,
        of: random(rng, depth),
        required: rng.one_in(2),
        default,
        aliases: Vec::new(),
        id: maybe(rng, 4, |r| r.below(5) as u32),
    }
}

fn record(rng: &mut Rng, depth: usize) -> Record {
    let mut record = Record::default();
    for name in NAMES {
        if rng.one_in(3) {
            record.fields.push(field(rng, name, depth));
        }
    }
    record.extra = *rng.pick(&[0, 0, 0, 1, 2]);
    record.extra_type = Some(Box::new(random(rng, depth.saturating_sub(1))));
    tidy(record)
}

/// No name twice, no id twice.
fn tidy(mut record: Record) -> Record {
    let mut names: Vec<&str> = Vec::new();
    let mut ids = Vec::new();
    for f in &mut record.fields {
        f.aliases.retain(|a| *a != f.name);
    }
    record.fields.retain(|f| {
        !names.contains(&f.name) && {
            names.push(f.name);
            true
        }
    });
    for f in &mut record.fields {
        f.aliases.retain(|a| {
            !names.contains(a) && {
                names.push(a);
                true
            }
        });
        f.id = f.id.filter(|id| {
            !ids.contains(id) && {
                ids.push(*id);
                true
            }
        });
    }
    record.reserved.retain(|r| !names.contains(r));
    record
}

/// A change as people make them.
fn mutate(rng: &mut Rng, t: &Type) -> Type {
    if rng.one_in(8) {
        return random(rng, 2);
    }
    match t {
        Type::Record(r) => Type::Record(mutate_record(rng, r)),
        Type::Union { tag, arms, fallback } => {
            let mut arms = arms.clone();
            match rng.below(4) {
                0 if arms.len() > 1 => drop(arms.pop()),
                1 if arms.len() < 3 => {
                    let mut r = record(rng, 1);
                    r.fields.retain(|f| f.name != "name" && !f.aliases.contains(&"name"));
                    arms.push((TAGS[arms.len()], r));
                }
                _ => {
                    let i = rng.below(arms.len());
                    let mut r = mutate_record(rng, &arms[i].1);
                    r.fields.retain(|f| f.name != "name" && !f.aliases.contains(&"name"));
                    r.reserved.retain(|n| *n != "name");
                    arms[i].1 = r;
                }
            }
            Type::Union { tag, arms, fallback: if rng.one_in(4) { !fallback } else { *fallback } }
        }
        Type::Array { items, min, max } => match rng.below(3) {
            0 => Type::Array { items: items.clone(), min: rng.below(3), max: *max },
            1 => Type::Array { items: items.clone(), min: *min, max: maybe(rng, 2, |r| 2 + r.below(3)) },
            _ => Type::Array { items: Box::new(mutate(rng, items)), min: *min, max: *max },
        },
        Type::Tuple { prefix, closed } => {
            let mut prefix = prefix.clone();
            let i = rng.below(prefix.len());
            prefix[i] = mutate(rng, &prefix[i]);
            Type::Tuple { prefix, closed: if rng.one_in(3) { !closed } else { *closed } }
        }
        Type::Map { keys, value, min, max } => Type::Map {
            keys: if rng.one_in(4) { rng.name(&["any", "int", "int8", "lower"]) } else { keys },
            value: Box::new(mutate(rng, value)),
            min: *min,
            max: *max,
        },
        Type::Nullable(inner) if rng.one_in(2) => (**inner).clone(),
        Type::Nullable(inner) => Type::Nullable(Box::new(mutate(rng, inner))),
        Type::StrOrList(inner) => Type::StrOrList(Box::new(mutate(rng, inner))),
        Type::Int { format, min, max, step } => match rng.below(4) {
            0 => Type::Int { format: maybe(rng, 2, |r| *r.pick(INT_FORMATS)), min: *min, max: *max, step: *step },
            1 => {
                Type::Int { format: *format, min: maybe(rng, 2, |r| *r.pick(&[-10, 0, 1, 5])), max: *max, step: *step }
            }
            2 => Type::Int { format: *format, min: *min, max: *max, step: maybe(rng, 2, |r| *r.pick(&[1, 2, 3])) },
            _ => Type::Number { single: rng.one_in(3), min: None, max: max.map(|m| m as f64), step: None },
        },
        Type::Number { single, min, max, step } => match rng.below(4) {
            0 => Type::Number { single: !single, min: *min, max: *max, step: *step },
            1 => Type::Number {
                single: *single,
                min: maybe(rng, 2, |r| *r.pick(&[-1.5, 0.0, 0.1])),
                max: *max,
                step: *step,
            },
            2 => Type::IntOrNumber,
            _ => Type::Int { format: None, min: None, max: None, step: None },
        },
        Type::Str { min, max, pattern, format } => match rng.below(5) {
            0 => Type::Str { min: rng.below(3), max: *max, pattern: *pattern, format: *format },
            1 => Type::Str { min: *min, max: maybe(rng, 2, |r| r.below(40)), pattern: *pattern, format: *format },
            2 => Type::Str { min: *min, max: *max, pattern: maybe(rng, 2, |r| r.pick(PATTERNS).0), format: *format },
            3 => {
                Type::Str { min: *min, max: *max, pattern: *pattern, format: maybe(rng, 2, |r| r.pick(TEXT_FORMATS).0) }
            }
            _ => rng.pick(&[Type::Time, Type::Bin, Type::Enum { members: vec!["red"], fallback: true }]).clone(),
        },
        Type::Enum { members: old, fallback } => match rng.below(4) {
            0 => Type::Str { min: 0, max: None, pattern: None, format: None },
            1 => {
                let mut m = old.clone();
                m.reverse();
                Type::Enum { members: m, fallback: *fallback }
            }
            _ => Type::Enum { members: members(rng), fallback: rng.one_in(3) },
        },
        Type::IntEnum { members, .. } => {
            let mut m = members.clone();
            m.push(100);
            rng.pick(&[
                Type::IntEnum { members: m, fallback: true },
                Type::IntEnum { members: vec![-1], fallback: false },
                Type::Int { format: None, min: None, max: None, step: None },
            ])
            .clone()
        }
        Type::Time | Type::Bin => rng
            .pick(&[
                t.clone(),
                Type::Str { min: 0, max: Some(25), pattern: None, format: None },
                Type::Str { min: 0, max: None, pattern: None, format: None },
            ])
            .clone(),
        other if rng.one_in(2) => Type::Nullable(Box::new(other.clone())),
        other => other.clone(),
    }
}

fn mutate_record(rng: &mut Rng, r: &Record) -> Record {
    let mut r = r.clone();
    let n = r.fields.len();
    match rng.below(10) {
        0 => {
            let name = *rng.pick(NAMES);
            r.fields.push(field(rng, name, 1));
        }
        1 if n > 0 => {
            let gone = r.fields.remove(rng.below(n));
            if rng.one_in(2) {
                r.reserved.push(gone.name);
            }
        }
        2 if n > 0 => {
            let i = rng.below(n);
            let old = r.fields[i].name;
            r.fields[i].name = *rng.pick(NAMES);
            if rng.one_in(2) {
                r.fields[i].aliases.push(old);
            }
        }
        3 if n > 0 => {
            let i = rng.below(n);
            r.fields[i].required = !r.fields[i].required;
        }
        4 if n > 0 => {
            let i = rng.below(n);
            r.fields[i].default = !r.fields[i].default;
        }
        5 => r.extra = *rng.pick(&[0, 1, 2]),
        6 if n > 0 => {
            let i = rng.below(n);
            let alias = *rng.pick(NAMES);
            r.fields[i].aliases.push(alias);
        }
        7 if n > 1 => r.fields.swap(0, n - 1),
        8 if n > 0 => {
            let i = rng.below(n);
            r.fields[i].id = Some(rng.below(5) as u32);
        }
        _ if n > 0 => {
            let i = rng.below(n);
            r.fields[i].of = mutate(rng, &r.fields[i].of);
        }
        _ => {}
    }
    tidy(r)
}

fn text(s: &str) -> Value {
    Value::Str(s.into())
}

fn map(entries: Vec<(&str, Value)>) -> Value {
    Value::Map(entries.into_iter().map(|(k, v)| (text(k), v)).collect())
}

fn document(t: &Type, tagged: Option<(&str, &str)>) -> Value {
    let of = |name: &str| vec![("type", text(name))];
    match t {
        Type::Any => map(vec![]),
        Type::Null => map(of("null")),
        Type::Bool => map(of("boolean")),
        Type::True => map(vec![("const", Value::Bool(true))]),
        Type::Root => map(vec![("anyOf", Value::Array(vec![map(vec![("$ref", text("#"))]), map(of("null"))]))]),
        Type::IntOrNumber => map(vec![("anyOf", Value::Array(vec![map(of("integer")), map(of("number"))]))]),
        Type::Int { format, min, max, step } => {
            let mut d = of("integer");
            d.extend(format.map(|f| ("format", text(f))));
            d.extend(min.map(|v| ("minimum", Value::Int(v))));
            d.extend(max.map(|v| ("maximum", Value::Int(v))));
            d.extend(step.map(|v| ("multipleOf", Value::Int(v))));
            map(d)
        }
        Type::Number { single, min, max, step } => {
            let mut d = of("number");
            d.extend(single.then(|| ("format", text("float"))));
            d.extend(min.map(|v| ("minimum", Value::Float(v))));
            d.extend(max.map(|v| ("exclusiveMaximum", Value::Float(v))));
            d.extend(step.map(|v| ("multipleOf", Value::Float(v))));
            map(d)
        }
        Type::Str { min, max, pattern, format } => {
            let mut d = of("string");
            d.push(("minLength", Value::Int(*min as i64)));
            d.extend(max.map(|v| ("maxLength", Value::Int(v as i64))));
            d.extend(pattern.map(|v| ("pattern", text(v))));
            d.extend(format.map(|v| ("format", text(v))));
            map(d)
        }
        Type::Time => map(vec![("type", text("string")), ("format", text("date-time"))]),
        Type::Bin => map(vec![("type", text("string")), ("contentEncoding", text("base64"))]),
        Type::Enum { members, fallback } => {
            let mut d = of("string");
            d.push(("enum", Value::Array(members.iter().map(|m| text(m)).collect())));
            d.extend(fallback.then(|| ("fallback", text(members[0]))));
            map(d)
        }
        Type::IntEnum { members, fallback } => {
            let mut d = of("integer");
            d.push(("enum", Value::Array(members.iter().map(|m| Value::Int(*m)).collect())));
            d.extend(fallback.then(|| ("fallback", Value::Int(members[0]))));
            map(d)
        }
        Type::Array { items, min, max } => {
            let mut d = of("array");
            d.push(("items", document(items, None)));
            d.push(("minItems", Value::Int(*min as i64)));
            d.extend(max.map(|v| ("maxItems", Value::Int(v as i64))));
            map(d)
        }
        Type::Tuple { prefix, closed } => {
            let mut d = of("array");
            d.push(("prefixItems", Value::Array(prefix.iter().map(|t| document(t, None)).collect())));
            d.extend(closed.then(|| ("items", Value::Bool(false))));
            map(d)
        }
        Type::Map { keys, value, min, max } => {
            let mut d = of("object");
            d.push(("additionalProperties", document(value, None)));
            match *keys {
                "int" => d.push(("propertyNames", map(of("integer")))),
                "int8" => d.push(("propertyNames", map(vec![("type", text("integer")), ("format", text("int8"))]))),
                "lower" => {
                    d.push(("propertyNames", map(vec![("type", text("string")), ("pattern", text("^[a-z]+$"))])))
                }
                _ => {}
            }
            d.push(("minProperties", Value::Int(*min as i64)));
            d.extend(max.map(|v| ("maxProperties", Value::Int(v as i64))));
            map(d)
        }
        Type::Record(r) => {
            let mut d = of("object");
            let mut properties = Vec::new();
            let mut required = Vec::new();
            if let Some((tag, value)) = tagged {
                properties.push((text(tag), map(vec![("const", text(value))])));
                required.push(text(tag));
            }
            for f in &r.fields {
                let Value::Map(mut entries) = document(&f.of, None) else { unreachable!() };
                if f.default
                    && let Some(v) = default(&f.of)
                {
                    entries.push((text("default"), v));
                }
                if !f.aliases.is_empty() {
                    entries.push((text("aliases"), Value::Array(f.aliases.iter().map(|a| text(a)).collect())));
                }
                entries.extend(f.id.map(|id| (text("id"), Value::Int(i64::from(id)))));
                properties.push((text(f.name), Value::Map(entries)));
                if f.required {
                    required.push(text(f.name));
                }
            }
            d.push(("properties", Value::Map(properties)));
            d.push(("required", Value::Array(required)));
            match r.extra {
                1 => d.push(("additionalProperties", Value::Bool(false))),
                2 => d.push(("additionalProperties", document(r.extra_type.as_ref().unwrap(), None))),
                _ => {}
            }
            d.push(("reserved", Value::Array(r.reserved.iter().map(|n| text(n)).collect())));
            map(d)
        }
        Type::Union { tag, arms, fallback } => {
            let mut d = vec![(
                "oneOf",
                Value::Array(
                    arms.iter().map(|(value, r)| document(&Type::Record(r.clone()), Some((tag, value)))).collect(),
                ),
            )];
            d.push(("discriminator", map(vec![("propertyName", text(tag))])));
            d.extend(fallback.then(|| ("fallback", text(arms[0].0))));
            map(d)
        }
        Type::Nullable(inner) => map(vec![("anyOf", Value::Array(vec![document(inner, None), map(of("null"))]))]),
        Type::StrOrList(inner) => map(vec![(
            "anyOf",
            Value::Array(vec![map(of("string")), map(vec![("type", text("array")), ("items", document(inner, None))])]),
        )]),
    }
}

/// A default of the type, for the types where it is obvious.
fn default(t: &Type) -> Option<Value> {
    Some(match t {
        Type::Bool => Value::Bool(false),
        Type::Enum { members, .. } => text(members[0]),
        Type::IntEnum { members, .. } => Value::Int(members[0]),
        Type::Time => text("2024-01-01T00:00:00Z"),
        Type::Bin => text("AQID"),
        Type::Nullable(_) | Type::Null | Type::Any | Type::Root => Value::Null,
        Type::StrOrList(_) => Value::Array(vec![]),
        Type::Int { format: _, min, max: _, step: None } => Value::Int(min.unwrap_or(3)),
        _ => return None,
    })
}

/// A value of the type, or near enough: what the writer refuses is not counted.
fn value(rng: &mut Rng, t: &Type, root: &Type, depth: usize) -> Value {
    match t {
        Type::Any => any(rng, depth),
        Type::Null => Value::Null,
        Type::Bool => Value::Bool(rng.one_in(2)),
        Type::True => Value::Bool(true),
        Type::Root => {
            if depth > 5 || rng.one_in(2) {
                Value::Null
            } else {
                value(rng, root, root, depth + 1)
            }
        }
        Type::IntOrNumber => {
            if rng.one_in(2) {
                integer(rng, 1)
            } else {
                float(rng, 0.0)
            }
        }
        Type::Int { step, .. } => integer(rng, step.unwrap_or(1)),
        Type::Number { step, .. } => {
            if rng.one_in(4) {
                integer(rng, 1)
            } else {
                float(rng, step.unwrap_or(0.0))
            }
        }
        Type::Str { min, max, pattern, format } => {
            if let Some(f) = format
                && rng.below(4) > 0
            {
                return text(TEXT_FORMATS.iter().find(|(n, _)| n == f).unwrap().1);
            }
            if let Some(p) = pattern
                && rng.below(4) > 0
            {
                return text(rng.pick::<&str>(PATTERNS.iter().find(|(s, _)| s == p).unwrap().1));
            }
            let n = *rng.pick(&[*min, min + 1, max.unwrap_or(5), 3, 7]);
            Value::Str((0..n).map(|_| *rng.pick(&['a', 'x', '0', 'é', '\u{1f4a9}'])).collect())
        }
        Type::Time => {
            let nanos = *rng.pick(&[0, 120_000_000, 1]);
            Value::Timestamp(Timestamp::new(rng.below(1 << 31) as i64, nanos).unwrap())
        }
        Type::Bin => Value::Bin((0..rng.below(5)).map(|_| rng.next() as u8).collect()),
        Type::Enum { members, .. } => text(rng.pick::<&str>(members)),
        Type::IntEnum { members, .. } => Value::Int(*rng.pick(members)),
        Type::Array { items, min, max } => {
            let n = if depth > 6 { *min } else { (*min + rng.below(3)).min(max.unwrap_or(9)) };
            Value::Array((0..n).map(|_| value(rng, items, root, depth + 1)).collect())
        }
        Type::Tuple { prefix, closed } => {
            let mut items: Vec<Value> = prefix.iter().map(|t| value(rng, t, root, depth + 1)).collect();
            if rng.one_in(4) {
                items.pop();
            } else if !closed && rng.one_in(2) {
                items.push(any(rng, depth));
            }
            Value::Array(items)
        }
        Type::Map { keys, value: of, min, .. } => {
            let mut entries = Vec::new();
            for i in 0..*min + rng.below(3) {
                let key = match *keys {
                    "int" | "int8" => Value::Int(*rng.pick(&[0, -5, 100, 7]) + i as i64),
                    "lower" => text(&"abc"[i..i + 1]),
                    _ => text(NAMES[(rng.below(3) + 2 * i) % NAMES.len()]),
                };
                if entries.iter().all(|(k, _)| *k != key) {
                    entries.push((key, value(rng, of, root, depth + 1)));
                }
            }
            Value::Map(entries)
        }
        Type::Record(r) => Value::Map(record_entries(rng, r, root, depth)),
        Type::Union { tag, arms, .. } => {
            let (name, r) = rng.pick(arms).clone();
            let mut entries = record_entries(rng, &r, root, depth);
            entries.retain(|(k, _)| *k != text(tag));
            let at = rng.below(entries.len() + 1);
            entries.insert(at, (text(tag), text(name)));
            Value::Map(entries)
        }
        Type::Nullable(inner) => {
            if rng.one_in(3) {
                Value::Null
            } else {
                value(rng, inner, root, depth + 1)
            }
        }
        Type::StrOrList(inner) => {
            if rng.one_in(2) {
                return text("x");
            }
            Value::Array((0..rng.below(3)).map(|_| value(rng, inner, root, depth + 1)).collect())
        }
    }
}

fn record_entries(rng: &mut Rng, r: &Record, root: &Type, depth: usize) -> Vec<(Value, Value)> {
    let mut entries = Vec::new();
    for f in &r.fields {
        if (f.required && !f.default) || (rng.below(3) > 0 && depth < 6) {
            entries.push((text(f.name), value(rng, &f.of, root, depth + 1)));
        }
    }
    if r.extra == 2 && rng.one_in(2) {
        let name = *rng.pick(&["extra", "a", "b", "d", "name"]);
        if entries.iter().all(|(k, _)| *k != text(name)) {
            entries.push((text(name), value(rng, r.extra_type.as_ref().unwrap(), root, depth + 1)));
        }
    }
    if rng.one_in(2) {
        entries.reverse();
    }
    entries
}

fn integer(rng: &mut Rng, step: i64) -> Value {
    let v = *rng.pick(&[
        0,
        1,
        -1,
        5,
        7,
        100,
        127,
        128,
        255,
        300,
        -129,
        40_000,
        1 << 24 | 1,
        1 << 31,
        1 << 32,
        (1 << 53) + 1,
        i64::MAX,
        i64::MIN,
    ]);
    if rng.one_in(20) { Value::Uint(u64::MAX) } else { Value::Int(v / step * step) }
}

fn float(rng: &mut Rng, step: f64) -> Value {
    let v = *rng.pick(&[
        0.0,
        0.5,
        0.1,
        -1.5,
        0.3,
        2.0,
        9.999_999_999,
        1e39,
        1e20,
        1e300,
        f64::NAN,
        f64::INFINITY,
        -0.0,
        16_777_217.0,
    ]);
    Value::Float(if step > 0.0 { (v / step).floor() * step } else { v })
}

fn any(rng: &mut Rng, depth: usize) -> Value {
    match rng.below(if depth > 5 { 6 } else { 8 }) {
        0 => Value::Null,
        1 => Value::Bool(true),
        2 => integer(rng, 1),
        3 => float(rng, 0.0),
        4 => text(rng.pick::<&str>(MEMBERS)),
        5 => Value::Bin(vec![1]),
        6 => Value::Array(vec![any(rng, depth + 1)]),
        _ => Value::Map(vec![(text(rng.pick::<&str>(NAMES)), any(rng, depth + 1))]),
    }
}

#[derive(Default)]
struct Figures {
    pairs: usize,
    refused_documents: usize,
    compatible: usize,
    incompatible: usize,
    reads: usize,
    unwritable: usize,
    errors: usize,
    proven: usize,
    warnings: usize,
    rules: BTreeMap<(&'static str, &'static str), (usize, usize)>,
    wrong: usize,
}

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let wanted: usize = args.next().and_then(|a| a.parse().ok()).unwrap_or(10_000);
    let seed: u64 = args.next().and_then(|a| a.parse().ok()).unwrap_or(1);
    let verbose = std::env::var_os("VERBOSE").is_some();
    let mut rng = Rng(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let mut f = Figures::default();
    while f.reads < wanted {
        let old_type = random(&mut rng, 3);
        let mut new_type = old_type.clone();
        for _ in 0..rng.below(3) {
            new_type = mutate(&mut rng, &new_type);
        }
        let (old_doc, new_doc) = (document(&old_type, None), document(&new_type, None));
        let (Ok(old), Ok(new)) = (Schema::from_value(&old_doc), Schema::from_value(&new_doc)) else {
            f.refused_documents += 1;
            continue;
        };
        f.pairs += 1;
        for (writer, reader, writer_type, mode) in
            [(&old, &new, &old_type, Mode::Backward), (&new, &old, &new_type, Mode::Forward)]
        {
            let findings = check(&old, &new, mode);
            let options = Options::default();
            for finding in &findings {
                if finding.severity != Severity::Error || finding.format == "packed" {
                    f.warnings += 1;
                    continue;
                }
                f.errors += 1;
                let counts = f.rules.entry((finding.mode, finding.rule)).or_default();
                counts.0 += 1;
                let Some(witness) = &finding.witness else {
                    if verbose {
                        println!(
                            "no witness: {} {} {}\n  old {}\n  new {}",
                            finding.mode,
                            finding.rule,
                            finding.path,
                            shown(&old_doc),
                            shown(&new_doc)
                        );
                    }
                    continue;
                };
                let fails = Format::ALL.into_iter().any(|format| {
                    writer
                        .write(format, witness, &options)
                        .is_ok_and(|b| reader.validate(format, &b, &options).is_err())
                });
                if fails {
                    f.proven += 1;
                    counts.1 += 1;
                } else {
                    f.wrong += 1;
                    println!("the witness reads: {finding:?}\n  old {}\n  new {}", shown(&old_doc), shown(&new_doc));
                }
            }
            let bad = |format: Format| {
                findings
                    .iter()
                    .any(|x| x.severity == Severity::Error && (x.format == "both" || x.format == format.as_str()))
            };
            if Format::ALL.into_iter().any(bad) {
                f.incompatible += 1
            } else {
                f.compatible += 1
            }
            for _ in 0..4 {
                let v = value(&mut rng, writer_type, writer_type, 0);
                for format in Format::ALL {
                    let Ok(bytes) = writer.write(format, &v, &options) else {
                        f.unwritable += 1;
                        continue;
                    };
                    f.reads += 1;
                    if let Err(e) = writer.validate(format, &bytes, &options) {
                        f.wrong += 1;
                        println!(
                            "the writer's own schema refuses: {e}\n  schema {}\n  value {v:?}",
                            shown(writer.document())
                        );
                    }
                    if bad(format) {
                        continue;
                    }
                    if let Err(e) = reader.validate(format, &bytes, &options) {
                        f.wrong += 1;
                        println!(
                            "called compatible and fails: {} {format:?} {e}\n  old {}\n  new {}\n  value {v:?}",
                            mode.as_str(),
                            shown(&old_doc),
                            shown(&new_doc)
                        );
                    }
                }
            }
        }
        if f.wrong > 10 {
            break;
        }
    }
    println!(
        "seed {seed}: {} pairs ({} documents refused), {} directions called compatible, {} not",
        f.pairs, f.refused_documents, f.compatible, f.incompatible
    );
    println!("{} messages written and read ({} values not writable)", f.reads, f.unwritable);
    println!("{} errors found, {} with a witness that fails; {} warnings and notes", f.errors, f.proven, f.warnings);
    for ((mode, rule), (all, proven)) in &f.rules {
        println!("  {mode:8} {rule:22} {all:7} {proven:7} proven");
    }
    println!("{} contradictions", f.wrong);
    if f.wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn shown(document: &Value) -> String {
    let mut w = samewire::json::Writer::new(samewire::buffer::Buffer::with_capacity(64), &Options::default());
    let _ = document.visit(&mut w);
    String::from_utf8_lossy(&w.into_buffer().into_vec()).into_owned()
}
