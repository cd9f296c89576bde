//! Syntax → program: follows references, merges unions, finds what tells their arms apart.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::document::{Document, MAX_ARMS, Syntax, UnionSyntax, refuse};
use super::keywords::resolve_reference;
use super::model::*;
use super::number::NumberRules;
use super::text::{Members, TextRules};
use crate::error::Error;
use crate::value::Value;

/// References in a row, and the work that merging unions may take altogether.
const MAX_CHAIN: usize = 100;
const MAX_WORK: usize = 2_000_000;

/// Compiles a parsed document; defaults are left as the document has them.
///
/// # Errors
/// `invalid-schema`
pub(crate) fn compile(document: Document, root: &Value) -> Result<Program, Error> {
    let n = document.syntax.len();
    let mut compiler =
        Compiler { document, root, state: alloc::vec![State::New; n], nodes: alloc::vec![None; n], work: 0 };
    for id in 0..n {
        compiler.resolve(id as NodeId, 0)?;
    }
    let target: Vec<NodeId> =
        compiler.state.iter().enumerate().map(|(i, s)| if let State::Done(t) = s { *t } else { i as NodeId }).collect();
    let mut nodes: Vec<Node> = compiler.nodes.into_iter().map(Option::unwrap_or_default).collect();
    let mut int_keys = false;
    for (i, node) in nodes.iter_mut().enumerate() {
        if i < SPECIAL {
            continue;
        }
        if let Some(array) = &mut node.array {
            array.items = target[array.items as usize];
            for id in &mut array.prefix {
                *id = target[*id as usize];
            }
        }
        match &mut node.map {
            MapRules::Any => {}
            MapRules::Of(of) => {
                of.value = target[of.value as usize];
                int_keys |= matches!(of.keys, Keys::Int(_));
            }
            MapRules::Record(record) => {
                for field in &mut record.fields {
                    field.node = target[field.node as usize];
                }
                if let Extra::Typed(id) = &mut record.extra {
                    *id = target[*id as usize];
                }
            }
            MapRules::Union(union) => {
                for (_, id) in &mut union.arms {
                    *id = target[*id as usize];
                }
            }
        }
        node.finish();
    }
    let root = target[compiler.document.root as usize];
    Ok(Program { nodes, root, int_keys, version: compiler.document.version })
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    New,
    Open,
    /// The node that it is.
    Done(NodeId),
}

/// An arm that is a record: its place, its node, the name it is referred to by, the tag that it came with.
type RecordArm = (String, NodeId, Option<String>, Option<Box<str>>);

struct Compiler<'d> {
    document: Document,
    root: &'d Value,
    state: Vec<State>,
    nodes: Vec<Option<Node>>,
    work: usize,
}

impl Compiler<'_> {
    fn spend(&mut self, cost: usize, at: &str) -> Result<(), Error> {
        self.work += cost;
        if self.work > MAX_WORK {
            return Err(refuse(at, "", "the unions of this document are too large together"));
        }
        Ok(())
    }

    fn node(&self, id: NodeId) -> &Node {
        self.nodes[id as usize].as_ref().expect("resolved")
    }

    fn resolve(&mut self, id: NodeId, depth: usize) -> Result<NodeId, Error> {
        match self.state[id as usize] {
            State::Done(target) => return Ok(target),
            State::Open => {
                return Err(refuse(&self.place(id), "", "the schema refers to itself without any data in between"));
            }
            State::New => self.state[id as usize] = State::Open,
        }
        if depth > MAX_CHAIN {
            return Err(refuse(&self.place(id), "", format!("more than {MAX_CHAIN} references follow each other")));
        }
        let syntax = core::mem::replace(&mut self.document.syntax[id as usize], Syntax::Pending);
        let target = match syntax {
            Syntax::Pending => return Err(refuse("", "", "the schema refers to itself without any data in between")),
            Syntax::Node(node) => {
                self.nodes[id as usize] = Some(*node);
                id
            }
            Syntax::Same { target, nullable, at } => {
                let target = self.resolve(target, depth + 1)?;
                if nullable && self.node(target).kinds & kind::NULL == 0 {
                    let mut node = self.node(target).clone();
                    self.spend(size(&node), &at)?;
                    node.kinds |= kind::NULL;
                    self.nodes[id as usize] = Some(node);
                    id
                } else {
                    target
                }
            }
            Syntax::Union(union) => {
                let node = self.union(&union, depth)?;
                self.nodes[id as usize] = Some(node);
                id
            }
        };
        self.state[id as usize] = State::Done(target);
        Ok(target)
    }

    fn place(&self, id: NodeId) -> String {
        self.document.places.iter().find(|(_, i)| **i == id).map_or_else(String::new, |(p, _)| p.clone())
    }

    fn union(&mut self, syntax: &UnionSyntax, depth: usize) -> Result<Node, Error> {
        let at = &syntax.at;
        let mut result = Node { at: at.as_str().into(), ..Node::default() };
        // Arms that admit maps: their place among the arms, node, and the name they are referred to by.
        let mut maps: Vec<(String, NodeId, Option<String>)> = Vec::new();
        let mut merged: Vec<(NodeId, String)> = Vec::new();
        for (i, (arm, name)) in syntax.arms.iter().enumerate() {
            let arm = self.resolve(*arm, depth + 1)?;
            if merged.iter().any(|(id, _)| *id == arm) {
                continue;
            }
            let label = format!("{}/{i}", syntax.keyword);
            let node = self.node(arm).clone();
            self.spend(size(&node), at)?;
            if node.kinds & kind::MAP != 0 {
                maps.push((label.clone(), arm, name.clone()));
            }
            if let Err(shared) = merge(&mut result, &node, syntax.keyword) {
                let other = merged.iter().find(|(id, _)| self.node(*id).kinds & shared != 0);
                let other = other.map_or("an earlier arm", |(_, l)| l);
                return Err(refuse(
                    at,
                    syntax.keyword,
                    format!(
                        "the arms {other} and {label} cannot be told apart: both are {}",
                        Node { kinds: shared, number: NumberAs::Same, ..Node::default() }.expected()
                    ),
                ));
            }
            merged.push((arm, label));
        }
        result.kinds &= syntax.mask;
        if syntax.nullable {
            result.kinds |= kind::NULL;
        }
        let tagged = syntax.tag.is_some();
        if maps.len() > 1 || (tagged && !maps.is_empty()) {
            result.map = self.records(syntax, &maps)?;
        } else if let Some((_, id, _)) = maps.first() {
            result.map = self.node(*id).map.clone();
        }
        if let Some(fallback) = &syntax.fallback {
            let member = result.enumerated != 0 && self.is_member(&result, fallback);
            match (&mut result.map, fallback) {
                (MapRules::Union(union), Value::Str(tag)) => {
                    let arm = union.find(tag);
                    let arm = arm.ok_or_else(|| refuse(at, "fallback", format!("no arm has the tag {tag:?}")))?;
                    union.fallback = Some(arm as u32);
                }
                _ if member => {
                    result.fallback = Some(Box::new(fallback.clone()));
                }
                _ => return Err(refuse(at, "fallback", "fallback names an arm by its tag, or a member of the enum")),
            }
        }
        if result.kinds == 0 {
            return Err(refuse(at, syntax.keyword, "no value is of any arm"));
        }
        Ok(result)
    }

    fn is_member(&self, node: &Node, value: &Value) -> bool {
        match value {
            Value::Str(s) => node.text.as_ref().and_then(|t| t.one_of.as_ref()).is_some_and(|m| m.contains(s)),
            other => super::number::Num::of(other)
                .and_then(super::number::Num::decimal)
                .is_some_and(|d| node.numbers.as_ref().and_then(|n| n.one_of.as_ref()).is_some_and(|m| m.contains(&d))),
        }
    }

    /// The rules for several arms that are maps.
    fn records(&mut self, syntax: &UnionSyntax, maps: &[(String, NodeId, Option<String>)]) -> Result<MapRules, Error> {
        let at = &syntax.at;
        // Arms that are unions themselves come with their tags.
        let mut inner_tag: Option<Box<str>> = None;
        let mut arms: Vec<RecordArm> = Vec::new();
        for (label, id, name) in maps {
            match &self.node(*id).map {
                MapRules::Record(_) => arms.push((label.clone(), *id, name.clone(), None)),
                MapRules::Union(union) => {
                    if inner_tag.as_ref().is_some_and(|t| *t != union.tag) {
                        return Err(ambiguous(
                            at,
                            syntax.keyword,
                            &maps[0].0,
                            label,
                            "their unions have different tags",
                        ));
                    }
                    inner_tag = Some(union.tag.clone());
                    arms.extend(union.arms.iter().map(|(tag, id)| (label.clone(), *id, None, Some(tag.clone()))));
                }
                MapRules::Any | MapRules::Of(_) => {
                    let other = maps.iter().find(|(l, ..)| l != label).map_or("", |(l, ..)| l);
                    return Err(ambiguous(
                        at,
                        syntax.keyword,
                        other,
                        label,
                        "one of them is a map without named fields",
                    ));
                }
            }
        }
        if arms.len() > MAX_ARMS {
            return Err(refuse(at, syntax.keyword, format!("a union has at most {MAX_ARMS} arms")));
        }
        self.spend(arms.len() * arms.len() / 8, at)?;
        let tag = match (&syntax.tag, inner_tag) {
            (Some((tag, _)), Some(inner)) if **tag != *inner => {
                return Err(refuse(at, "discriminator", format!("an arm is told apart by {inner:?} already")));
            }
            (Some((tag, _)), _) => tag.as_str().into(),
            (None, Some(inner)) => inner,
            (None, None) => match self.common_tag(&arms) {
                Some(tag) => tag,
                None => return self.by_key(syntax, &arms),
            },
        };
        let mapping = syntax.tag.as_ref().map_or(&[][..], |(_, m)| m.as_slice());
        let mut named: BTreeMap<Box<str>, (NodeId, String)> = BTreeMap::new();
        for (label, id, name, known) in &arms {
            let mut tags: Vec<Box<str>> = known.iter().cloned().collect();
            if tags.is_empty() {
                tags = self.mapped_tags(mapping, *id, name.as_deref());
            }
            if tags.is_empty() {
                tags = self.tags_of(*id, &tag);
            }
            if tags.is_empty() {
                tags.extend(name.iter().map(|n| n.as_str().into()));
            }
            if tags.is_empty() {
                return Err(refuse(
                    at,
                    syntax.keyword,
                    format!("the arm {label} has no value of {tag:?} that names it"),
                ));
            }
            for t in tags {
                if let Some((_, other)) = named.insert(t.clone(), (*id, label.clone())) {
                    return Err(ambiguous(at, syntax.keyword, &other, label, &format!("both have the tag {t:?}")));
                }
            }
        }
        let arms = named.into_iter().map(|(t, (id, _))| (t, id)).collect();
        Ok(MapRules::Union(Box::new(Union { tag, arms, fallback: None })))
    }

    fn record(&self, id: NodeId) -> Option<&Record> {
        match &self.node(id).map {
            MapRules::Record(record) => Some(record),
            _ => None,
        }
    }

    /// Tags that `mapping` gives the arm.
    fn mapped_tags(&self, mapping: &[(String, String)], id: NodeId, name: Option<&str>) -> Vec<Box<str>> {
        let leads_here = |reference: &str| {
            if let Some(pointer) = resolve_reference(reference, self.root, &self.document.anchors)
                && let Some(place) = self.document.places.get(&pointer)
            {
                return match self.state[*place as usize] {
                    State::Done(target) => target == id,
                    _ => *place == id,
                };
            }
            name == Some(reference)
        };
        mapping.iter().filter(|(_, r)| leads_here(r)).map(|(t, _)| t.as_str().into()).collect()
    }

    /// Strings that the arm's own property admits, if it names them.
    fn tags_of(&self, id: NodeId, tag: &str) -> Vec<Box<str>> {
        let Some(record) = self.record(id) else { return Vec::new() };
        let Some(field) = record.fields.iter().find(|f| *f.name == *tag) else { return Vec::new() };
        let node = match self.state[field.node as usize] {
            State::Done(target) => self.nodes[target as usize].as_ref(),
            _ => match &self.document.syntax[field.node as usize] {
                Syntax::Node(node) => Some(&**node),
                _ => None,
            },
        };
        node.filter(|n| n.kinds & !kind::NULL == kind::STR)
            .and_then(|n| n.text.as_ref())
            .and_then(|t| t.one_of.as_ref())
            .map_or_else(Vec::new, |m| m.list.clone())
    }

    /// A property that every arm requires, with strings of its own in each.
    fn common_tag(&self, arms: &[RecordArm]) -> Option<Box<str>> {
        let first = self.record(arms.first()?.1)?;
        let candidates = first.fields.iter().filter(|f| f.required || f.default.is_some());
        candidates.map(|f| f.name.clone()).find(|name| {
            let mut seen: Vec<Box<str>> = Vec::new();
            arms.iter().all(|(_, id, _, _)| {
                let given = self
                    .record(*id)
                    .is_some_and(|r| r.fields.iter().any(|f| f.name == *name && (f.required || f.default.is_some())));
                let tags = self.tags_of(*id, name);
                let new = given && !tags.is_empty() && tags.iter().all(|t| !seen.contains(t));
                seen.extend(tags);
                new
            })
        })
    }

    /// Arms of one required field each: a record with exactly one of them.
    fn by_key(&self, syntax: &UnionSyntax, arms: &[RecordArm]) -> Result<MapRules, Error> {
        let mut record = Record {
            fields: Vec::new(),
            names: Vec::new(),
            extra: Extra::Closed,
            reserved: Vec::new(),
            must: 0,
            min: 1,
            max: Some(1),
        };
        for (label, id, _, _) in arms {
            let one =
                self.record(*id).filter(|r| r.extra == Extra::Closed && r.fields.len() == 1 && r.fields[0].required);
            let clash = one.is_some_and(|r| record.fields.iter().any(|f| f.name == r.fields[0].name));
            match one {
                Some(r) if !clash => {
                    let mut field = r.fields[0].clone();
                    field.required = false;
                    record.fields.push(field);
                }
                _ => {
                    let other = arms.iter().map(|(l, ..)| l).find(|l| *l != label).map_or("", |l| l);
                    return Err(ambiguous(
                        &syntax.at,
                        syntax.keyword,
                        other,
                        label,
                        "no required property has a constant of its own in each (a discriminator would name one)",
                    ));
                }
            }
        }
        record.index();
        Ok(MapRules::Record(Box::new(record)))
    }
}

fn ambiguous(at: &str, keyword: &str, a: &str, b: &str, why: &str) -> Error {
    refuse(at, keyword, format!("the arms {a} and {b} cannot be told apart: {why}"))
}

/// What a copy of the node costs.
fn size(node: &Node) -> usize {
    let text = node.text.as_ref().and_then(|t| t.one_of.as_ref()).map_or(0, |m| m.list.len());
    let map = match &node.map {
        MapRules::Record(r) => r.fields.len(),
        MapRules::Union(u) => u.arms.len(),
        _ => 0,
    };
    1 + text + map
}

/// Adds an arm to a union; maps are left to the caller. Says which kinds cannot be told apart.
fn merge(union: &mut Node, arm: &Node, keyword: &str) -> Result<(), u16> {
    use kind::*;
    let before = union.kinds;
    let mut shared = before & arm.kinds & !(NULL | BOOL | MAP);
    if before & TEXTS != 0 && arm.kinds & TEXTS != 0 {
        let lists = before & TEXTS == STR && arm.kinds & TEXTS == STR && union.enumerated & arm.enumerated & STR != 0;
        match (&mut union.text, &arm.text) {
            (Some(mine), Some(other)) if lists && alone(mine) && alone(other) => {
                let list = |rules: &TextRules| rules.one_of.as_ref().map_or_else(Vec::new, |m| m.list.clone());
                let both = list(mine).into_iter().chain(list(other));
                mine.one_of = Some(Members::new(both));
                shared &= !TEXTS;
            }
            _ => return Err(TEXTS & (before | arm.kinds)),
        }
    } else if arm.kinds & TEXTS != 0 {
        union.text.clone_from(&arm.text);
    }
    if before & NUMBERS != 0 && arm.kinds & NUMBERS != 0 {
        merge_numbers(union, arm, keyword)?;
        shared &= !NUMBERS;
    } else if arm.kinds & NUMBERS != 0 {
        union.number = arm.number;
        union.int_format = arm.int_format;
        union.numbers.clone_from(&arm.numbers);
    }
    if shared != 0 {
        return Err(shared);
    }
    if arm.kinds & ARRAY != 0 {
        union.array.clone_from(&arm.array);
    }
    if union.fallback.is_none() {
        union.fallback.clone_from(&arm.fallback);
    }
    union.kinds |= arm.kinds;
    union.enumerated |= arm.enumerated;
    if union.kinds & BOOL == BOOL {
        union.enumerated &= !BOOL;
    }
    Ok(())
}

fn alone(rules: &TextRules) -> bool {
    rules.min == 0 && rules.max.is_none() && rules.pattern.is_none() && rules.format.is_none()
}

fn merge_numbers(union: &mut Node, arm: &Node, keyword: &str) -> Result<(), u16> {
    let only_list = |n: &Node| {
        n.int_format.is_none()
            && n.numbers
                .as_ref()
                .is_some_and(|r| r.one_of.is_some() && NumberRules { one_of: None, ..(**r).clone() }.is_empty())
    };
    if only_list(union) && only_list(arm) {
        let (Some(mine), Some(other)) = (&mut union.numbers, &arm.numbers) else { return Err(kind::NUMBERS) };
        let list = mine.one_of.get_or_insert_with(Vec::new);
        for d in other.one_of.iter().flatten() {
            if !list.contains(d) && list.len() < 4096 {
                list.push(d.clone());
            }
        }
        if union.number != arm.number {
            union.number = NumberAs::Same;
        }
        return Ok(());
    }
    // `int | float`: an integer stays one, a float stays one. With oneOf an integer would be both.
    let plain = |n: &Node| n.numbers.is_none() && n.int_format.is_none();
    let pair = matches!(
        (union.number, arm.number),
        (NumberAs::Int, NumberAs::Float)
            | (NumberAs::Float, NumberAs::Int)
            | (NumberAs::Same, NumberAs::Int | NumberAs::Float)
    );
    if keyword == "anyOf" && pair && plain(union) && plain(arm) {
        union.number = NumberAs::Same;
        return Ok(());
    }
    Err(kind::NUMBERS)
}
