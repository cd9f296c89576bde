//! Values that a node admits, as a host would give them: the smallest one, and those near its borders. Proofs
//! for the compatibility check are built from them.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::model::*;
use super::number::{Decimal, NumberRules};
use super::text::{TextFormat, TextRules};
use crate::time::Timestamp;
use crate::value::Value;

/// How deep a sample may nest before another one is looked for.
const MAX_DEPTH: usize = 24;

/// Strings that patterns of the wild tend to admit.
const STRINGS: &[&str] = &[
    "",
    "a",
    "A",
    "0",
    "1",
    "x",
    "ab",
    "aa",
    "abc",
    "z",
    "Z",
    "01",
    "12",
    "123",
    "1234",
    "a1",
    "a-b",
    "a_b",
    "a b",
    "é",
    "\u{1f4a9}",
    "a@example.org",
    "https://example.org/",
    "example.org",
    "foo",
    "bar",
    "AB",
    "ABC",
    "12345",
    "123456",
];

/// The value that `format` is shown by.
pub(crate) fn formatted(format: TextFormat) -> &'static str {
    match format {
        TextFormat::Uuid => "123e4567-e89b-12d3-a456-426614174000",
        TextFormat::Date => "2024-02-29",
        TextFormat::Time => "12:00:00Z",
        TextFormat::Ipv4 => "127.0.0.1",
        TextFormat::Ipv6 => "::1",
    }
}

/// A small value of the node; `None` if none is found.
pub(crate) fn sample(program: &Program, id: NodeId) -> Option<Value> {
    smallest(program, id, 0)
}

fn smallest(program: &Program, id: NodeId, depth: usize) -> Option<Value> {
    let node = &program.nodes[id as usize];
    if let Some(scalar) = scalars(node).into_iter().next() {
        return Some(scalar);
    }
    if depth > MAX_DEPTH {
        return None;
    }
    if node.kinds & kind::ARRAY != 0 {
        let n = node.array.as_ref().map_or(0, |a| a.min);
        if let Some(items) = elements(program, node, n, depth) {
            return Some(Value::Array(items));
        }
    }
    if node.kinds & kind::MAP != 0 {
        return smallest_map(program, &node.map, depth).map(Value::Map);
    }
    None
}

/// The first `n` elements.
fn elements(program: &Program, node: &Node, n: usize, depth: usize) -> Option<Vec<Value>> {
    if n > 100_000 {
        return None;
    }
    (0..n).map(|i| smallest(program, element(node, i), depth + 1)).collect()
}

/// The node of an element.
pub(crate) fn element(node: &Node, index: usize) -> NodeId {
    node.array.as_ref().map_or(ANY, |a| a.prefix.get(index).copied().unwrap_or(a.items))
}

/// The entries of a small map of the rules.
pub(crate) fn smallest_map(program: &Program, rules: &MapRules, depth: usize) -> Option<Vec<(Value, Value)>> {
    match rules {
        MapRules::Any => Some(Vec::new()),
        MapRules::Of(of) => {
            let mut entries = Vec::new();
            for i in 0..of.min {
                entries.push((key(program, &of.keys, i)?, smallest(program, of.value, depth + 1)?));
            }
            Some(entries)
        }
        MapRules::Record(record) => {
            let mut entries = Vec::new();
            for field in record.fields.iter().filter(|f| f.required && f.default.is_none()) {
                entries.push((Value::Str((*field.name).into()), smallest(program, field.node, depth + 1)?));
            }
            for field in record.fields.iter().filter(|f| !(f.required && f.default.is_none())) {
                if entries.len() >= record.min {
                    break;
                }
                if let Some(value) = smallest(program, field.node, depth + 1) {
                    entries.push((Value::Str((*field.name).into()), value));
                }
            }
            if let Extra::Typed(id) = record.extra {
                while entries.len() < record.min {
                    let name = alloc::format!("extra{}", entries.len());
                    entries.push((Value::Str(name), smallest(program, id, depth + 1)?));
                }
            }
            (entries.len() >= record.min).then_some(entries)
        }
        MapRules::Union(union) => union.arms.iter().find_map(|(tag, id)| arm(program, union, tag, *id, depth)),
    }
}

/// The entries of an arm, its tag included.
pub(crate) fn arm(
    program: &Program,
    union: &Union,
    tag: &str,
    id: NodeId,
    depth: usize,
) -> Option<Vec<(Value, Value)>> {
    let mut entries = smallest_map(program, &program.nodes[id as usize].map, depth)?;
    set(&mut entries, &union.tag, Value::Str(tag.into()));
    Some(entries)
}

/// Sets an entry.
pub(crate) fn set(entries: &mut Vec<(Value, Value)>, name: &str, value: Value) {
    match entries.iter_mut().find(|(k, _)| matches!(k, Value::Str(k) if k == name)) {
        Some((_, old)) => *old = value,
        None => entries.push((Value::Str(name.into()), value)),
    }
}

/// A key of a map.
pub(crate) fn key(program: &Program, keys: &Keys, index: usize) -> Option<Value> {
    match keys {
        Keys::Any => Some(Value::Str(alloc::format!("k{index}"))),
        Keys::Str(id) => {
            let rules = program.nodes[*id as usize].text.as_deref()?;
            strings(rules).into_iter().nth(index).map(Value::Str)
        }
        Keys::Int(id) => integers(&program.nodes[*id as usize]).into_iter().nth(index),
    }
}

/// Scalars that the node admits, the simplest first and those at its borders after.
pub(crate) fn scalars(node: &Node) -> Vec<Value> {
    use kind::*;
    let mut values = Vec::new();
    for (bit, value) in [(NULL, Value::Null), (FALSE, Value::Bool(false)), (TRUE, Value::Bool(true))] {
        if node.kinds & bit != 0 {
            values.push(value);
        }
    }
    if node.kinds & INTS != 0 && matches!(node.number, NumberAs::Int | NumberAs::Same) {
        values.extend(integers(node));
    }
    if node.kinds & FLOAT != 0 && node.number != NumberAs::Int {
        values.extend(floats(node));
    }
    if node.kinds & STR != 0 {
        match &node.text {
            None => values.extend(STRINGS.iter().map(|s| Value::Str((*s).into()))),
            Some(rules) => values.extend(strings(rules).into_iter().map(Value::Str)),
        }
    }
    if node.kinds & TIME != 0 {
        for (seconds, nanos) in [(1_700_000_000, 0), (1_700_000_000, 123_456_789)] {
            values.extend(Timestamp::new(seconds, nanos).map(Value::Timestamp));
        }
    }
    if node.kinds & BIN != 0 {
        values.extend([Value::Bin(Vec::new()), Value::Bin(alloc::vec![0xff, 0xef])]);
    }
    if node.kinds & EXT != 0 {
        values.push(Value::Ext(crate::ext::Ext { kind: 5, data: alloc::vec![1] }));
    }
    values
}

fn members(rules: Option<&NumberRules>) -> Option<&[Decimal]> {
    rules.and_then(|r| r.one_of.as_deref())
}

/// Integers of the node.
pub(crate) fn integers(node: &Node) -> Vec<Value> {
    let rules = node.numbers.as_deref();
    let mut found: Vec<i128> = Vec::new();
    let mut add = |v: i128| {
        let format = node.int_format.is_none_or(|f| (f.min..=f.max).contains(&v));
        if format && rules.is_none_or(|r| r.admits(&Decimal::of_i128(v))) && !found.contains(&v) {
            found.push(v);
        }
    };
    if let Some(list) = members(rules) {
        list.iter().filter_map(Decimal::to_i128).for_each(&mut add);
    } else {
        let (low, high) = rules.map_or((None, None), NumberRules::int_range);
        let step = rules.and_then(|r| r.multiple_of.as_ref()).and_then(Decimal::to_i128).unwrap_or(1);
        let mut near = alloc::vec![0, 1, -1, 2, 3, 300, -300];
        near.extend([low, high].into_iter().flatten());
        near.extend([(1 << 24) + 1, (1 << 53) + 1, -(1 << 53) - 1]);
        if let Some(format) = node.int_format {
            near.extend([format.min, format.max]);
        }
        near.extend([i128::from(i64::MIN), i128::from(i64::MAX), i128::from(i64::MAX) + 1, i128::from(u64::MAX)]);
        near.push(i128::from(u64::MAX) + 2);
        for v in near {
            let at = v.div_euclid(step).saturating_mul(step);
            for w in [v, at, at.saturating_add(step), at.saturating_sub(step)] {
                add(w);
            }
        }
    }
    found.into_iter().map(|v| Decimal::of_i128(v).to_value()).collect()
}

/// Floats of the node.
pub(crate) fn floats(node: &Node) -> Vec<Value> {
    let rules = node.numbers.as_deref();
    let mut found = Vec::new();
    let mut add = |v: f64| {
        let decimal = if node.number == NumberAs::Float32 {
            super::number::Num::Single(v as f32)
        } else {
            super::number::Num::Float(v)
        };
        if rules.is_none_or(|r| r.check(decimal).is_ok()) {
            found.push(Value::Float(v));
        }
    };
    if let Some(list) = members(rules) {
        list.iter().filter_map(|d| d.text().parse().ok()).for_each(&mut add);
        return found;
    }
    let mut near = alloc::vec![0.0, 0.5, 0.1, -0.5, 1.5, -0.0, 1.0, 2.0, 3.0, 7.0, 0.3, 300.5];
    let float = |d: &Decimal| d.text().parse::<f64>().unwrap_or(0.0);
    let step = rules.and_then(|r| r.multiple_of.as_ref()).map(float);
    for bound in rules.iter().flat_map(|r| [&r.min, &r.max]).flatten() {
        let at = float(&bound.at);
        let tiny = at.abs().max(1e-300) * f64::EPSILON;
        near.extend([at, at + tiny, at - tiny, at + 0.25, at - 0.25, at + 1.0, at - 1.0]);
    }
    if let Some(step) = step {
        let more: Vec<f64> = near.iter().flat_map(|v| [(v / step).floor() * step, (v / step).ceil() * step]).collect();
        near.extend(more);
        near.extend([step, -step, 3.0 * step]);
    }
    near.extend([1e300, -1e300, 1e39, 1e20, f64::INFINITY, f64::NAN]);
    near.into_iter().for_each(&mut add);
    found
}

/// Strings of the rules.
pub(crate) fn strings(rules: &TextRules) -> Vec<String> {
    if let Some(list) = &rules.one_of {
        return list.list.iter().map(|s| String::from(&**s)).filter(|s| rules.check(s).is_ok()).collect();
    }
    let mut near: Vec<String> = STRINGS.iter().map(|s| s.to_string()).collect();
    near.extend(rules.format.map(|f| formatted(f).to_string()));
    for n in
        [Some(rules.min), rules.max, rules.max.map(|m| m.saturating_sub(1)), Some(rules.min + 1)].into_iter().flatten()
    {
        if n <= 100_000 {
            near.extend(["a", "0", "A", "é"].map(|c| c.repeat(n)));
            near.push(STRINGS.concat().chars().cycle().take(n).collect());
        }
    }
    near.retain(|s| rules.check(s).is_ok());
    near.dedup();
    near
}
