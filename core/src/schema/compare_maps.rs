//! Maps, records and unions that a reader may refuse.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use super::compare::{CONSTRAINT_ADVICE, Compare, Step, TYPE_ADVICE, list_of, text_fits};
use super::compat::Severity;
use super::model::*;
use super::witness;
use crate::format::Format;
use crate::value::Value;

/// A writer's map: a record, a map, or one arm of a union.
struct Side<'p> {
    node: NodeId,
    arm: Option<usize>,
    rules: &'p MapRules,
    /// The tag's name and value.
    tag: Option<(&'p str, &'p str)>,
}

const NO_FIELDS: &[Field] = &[];

impl<'p> Side<'p> {
    fn fields(&self) -> &'p [Field] {
        match self.rules {
            MapRules::Record(r) => &r.fields,
            _ => NO_FIELDS,
        }
    }

    /// The type of entries that no field names.
    fn extra(&self) -> Option<NodeId> {
        match self.rules {
            MapRules::Any => Some(ANY),
            MapRules::Of(of) => Some(of.value),
            MapRules::Record(r) => match r.extra {
                Extra::Typed(id) => Some(id),
                _ => None,
            },
            MapRules::Union(_) => None,
        }
    }

    fn keys(&self) -> &'p Keys {
        match self.rules {
            MapRules::Of(of) => &of.keys,
            _ => &Keys::Any,
        }
    }

    fn counts(&self) -> (usize, Option<usize>) {
        let tag = usize::from(self.tag.is_some_and(|(t, _)| self.fields().iter().all(|f| *f.name != *t)));
        let always = self.fields().iter().filter(|f| self.always(f)).count() + tag;
        let most = if self.extra().is_some() { None } else { Some(self.fields().len() + tag) };
        let (min, max) = match self.rules {
            MapRules::Of(of) => (of.min, of.max),
            MapRules::Record(r) => (r.min, r.max),
            _ => (0, None),
        };
        (always.max(min), most.into_iter().chain(max).min())
    }

    fn always(&self, field: &Field) -> bool {
        (field.required && field.default.is_none()) || self.tag.is_some_and(|(t, _)| *t == *field.name)
    }
}

impl<'a> Compare<'a> {
    pub(super) fn maps(&mut self, w: NodeId, r: NodeId) {
        let (program, wn, rn) = (self.w, &self.w.nodes[w as usize], &self.r.nodes[r as usize]);
        if wn.kinds & kind::MAP == 0 {
            return;
        }
        let sides: Vec<Side<'a>> = match &wn.map {
            MapRules::Union(union) => union
                .arms
                .iter()
                .enumerate()
                .map(|(i, (tag, id))| Side {
                    node: w,
                    arm: Some(i),
                    rules: &program.nodes[*id as usize].map,
                    tag: Some((&*union.tag, &**tag)),
                })
                .collect(),
            rules => alloc::vec![Side { node: w, arm: None, rules, tag: None }],
        };
        for side in &sides {
            if rn.kinds & kind::MAP == 0 {
                self.claim("type-changed", self.small(side), TYPE_ADVICE);
                continue;
            }
            match &rn.map {
                MapRules::Union(union) => self.against_union(side, union),
                MapRules::Any => self.against_map(side, &Keys::Any, ANY, 0, None),
                MapRules::Of(of) => self.against_map(side, &of.keys, of.value, of.min, of.max),
                MapRules::Record(record) => self.against_record(side, record, None),
            }
        }
    }

    fn small(&self, side: &Side<'_>) -> Vec<Value> {
        self.entries(side.node, side.arm).map(Value::Map).into_iter().collect()
    }

    /// The small map with more entries.
    fn with(&self, side: &Side<'_>, more: &[(Value, NodeId)]) -> Vec<Value> {
        let Some(mut entries) = self.entries(side.node, side.arm) else { return Vec::new() };
        for (key, id) in more {
            let Some(value) = witness::sample(self.w, *id) else { return Vec::new() };
            entries.retain(|(k, _)| k != key);
            entries.push((key.clone(), value));
        }
        alloc::vec![Value::Map(entries)]
    }

    fn enter(&mut self, side: &Side<'_>, key: Value, shown: &str, go: impl FnOnce(&mut Self)) {
        let step = Step::Entry { node: side.node, arm: side.arm, key, shown: shown.into() };
        self.step(step, go);
    }

    fn against_union(&mut self, side: &Side<'a>, union: &'a Union) {
        let own = side.fields().iter().find(|f| *f.name == *union.tag && side.always(f));
        let tags: Vec<Box<str>> = match (side.tag, own) {
            (Some((name, tag)), _) if *name == *union.tag => alloc::vec![tag.into()],
            (_, Some(field)) => {
                let node = &self.w.nodes[field.node as usize];
                match list_of(node) {
                    Some(list) if node.kinds == kind::STR => list.to_vec(),
                    _ => return self.claim("type-changed", self.small(side), TYPE_ADVICE),
                }
            }
            _ => return self.claim("type-changed", self.small(side), TYPE_ADVICE),
        };
        for tag in tags {
            let arm = union.find(&tag).or(union.fallback.map(|f| f as usize));
            let known = union.find(&tag).is_some();
            let Some(arm) = arm else {
                let mut candidates = self.small(side);
                for c in &mut candidates {
                    if let Value::Map(entries) = c {
                        witness::set(entries, &union.tag, Value::Str((*tag).into()));
                    }
                }
                let rule = self.rule("union-arm-removed", "union-arm-added");
                self.claim(
                    rule,
                    candidates,
                    format!("give the union a fallback and ship that to every reader before the arm {tag:?} changes"),
                );
                continue;
            };
            if let MapRules::Record(record) = &self.r.nodes[union.arms[arm].1 as usize].map {
                self.against_record(side, record, Some((&union.tag, known)));
            }
        }
    }

    fn against_map(&mut self, side: &Side<'a>, keys: &'a Keys, value: NodeId, min: usize, max: Option<usize>) {
        for field in side.fields() {
            let key = Value::Str((*field.name).into());
            if !self.key_fits(keys, &field.name) {
                self.claim(self.constraint_rule(), self.with(side, &[(key.clone(), field.node)]), CONSTRAINT_ADVICE);
            }
            self.enter(side, key, &field.name, |me| me.nodes(field.node, value));
        }
        if let Some((name, tag)) = side.tag
            && side.fields().iter().all(|f| *f.name != *name)
        {
            let node = &self.r.nodes[value as usize];
            let text = node.text.as_ref().is_none_or(|t| t.check(tag).is_ok());
            if !self.key_fits(keys, name) || node.kinds & kind::STR == 0 || !text {
                self.claim("type-changed", self.small(side), TYPE_ADVICE);
            }
        }
        if let Some(extra) = side.extra() {
            self.keys(side, keys, extra);
            if let Some(key) = self.some_key(side) {
                self.enter(side, key, "*", |me| me.nodes(extra, value));
            }
        }
        self.counts(side, min, max);
    }

    fn key_fits(&self, keys: &Keys, name: &str) -> bool {
        match keys {
            Keys::Any => true,
            Keys::Str(id) => self.r.nodes[*id as usize].text.as_ref().is_none_or(|t| t.check(name).is_ok()),
            Keys::Int(_) => false,
        }
    }

    /// A key of the writer that no field names.
    fn some_key(&self, side: &Side<'_>) -> Option<Value> {
        let free = |k: &Value| match k {
            Value::Str(name) => {
                side.fields().iter().all(|f| *f.name != **name && f.aliases.iter().all(|a| **a != **name))
            }
            _ => true,
        };
        (0..64).filter_map(|i| witness::key(self.w, side.keys(), i)).find(free)
    }

    fn keys(&mut self, side: &Side<'a>, keys: &'a Keys, extra: NodeId) {
        let json = self.format == Format::Json;
        let fine = match (side.keys(), keys) {
            (Keys::Any | Keys::Str(_), Keys::Any) => true,
            (Keys::Int(_), Keys::Any) => json,
            (Keys::Any, Keys::Str(id)) => self.r.nodes[*id as usize].text.is_none(),
            (Keys::Str(a), Keys::Str(b)) => {
                let (a, b) = (self.w.nodes[*a as usize].text.as_deref(), self.r.nodes[*b as usize].text.as_deref());
                match (a, b) {
                    (_, None) => true,
                    (Some(a), Some(b)) if a.one_of.is_some() => {
                        a.one_of.iter().flat_map(|m| &m.list).all(|m| a.check(m).is_err() || b.check(m).is_ok())
                    }
                    (a, Some(b)) => b.one_of.is_none() && text_fits(a, b),
                }
            }
            (Keys::Int(a), Keys::Int(b)) => {
                let (a, b) = (&self.w.nodes[*a as usize], &self.r.nodes[*b as usize]);
                (b.int_format.is_none() || a.int_format == b.int_format)
                    && (b.numbers.is_none() || a.numbers == b.numbers)
            }
            (Keys::Any | Keys::Str(_), Keys::Int(_)) | (Keys::Int(_), Keys::Str(_)) => false,
        };
        if fine {
            return;
        }
        let mut names: Vec<Value> = (0..40).filter_map(|i| witness::key(self.w, side.keys(), i)).collect();
        names.extend(
            ["", "a", "A", "aB", "0", "x-y", "é", "k0k0k0k0k0k0k0k0k0k0k0k0k0k0k0k0k0k0"].map(|s| Value::Str(s.into())),
        );
        if let (Keys::Int(_), Keys::Int(b)) = (side.keys(), keys) {
            let b = &self.r.nodes[*b as usize];
            let (low, high) = b.numbers.as_ref().map_or((None, None), |r| r.int_range());
            let ends = [
                low.map(|v| v - 1),
                high.map(|v| v + 1),
                b.int_format.map(|f| f.min - 1),
                b.int_format.map(|f| f.max + 1),
            ];
            names.extend(ends.into_iter().flatten().map(|v| super::number::Decimal::of_i128(v).to_value()));
        }
        let candidates = names.into_iter().flat_map(|k| self.with(side, &[(k, extra)])).collect();
        self.claim(
            "keys-changed",
            candidates,
            "keep the kind of the keys, and loosen what readers accept before writers use it",
        );
    }

    fn counts(&mut self, side: &Side<'a>, min: usize, max: Option<usize>) {
        let (least, most) = side.counts();
        if least >= min && max.is_none_or(|m| most.is_some_and(|v| v <= m)) {
            return;
        }
        let mut candidates = self.small(side);
        let optional: Vec<(Value, NodeId)> =
            side.fields().iter().map(|f| (Value::Str((*f.name).into()), f.node)).collect();
        for n in 1..=optional.len() {
            candidates.extend(self.with(side, &optional[..n]));
        }
        if let Some(extra) = side.extra() {
            let wanted = max.map_or(1, |m| (m + 1).min(1000));
            let more: Vec<(Value, NodeId)> =
                (0..wanted).filter_map(|i| Some((witness::key(self.w, side.keys(), i)?, extra))).collect();
            candidates.extend(self.with(side, &more));
        }
        self.claim(self.constraint_rule(), candidates, CONSTRAINT_ADVICE);
    }

    /// `tag`: the reader's tag, if the record is an arm, and whether the arm is the one that the tag names.
    fn against_record(&mut self, side: &Side<'a>, record: &'a Record, tag: Option<(&str, bool)>) {
        let json = self.format == Format::Json;
        if let Keys::Int(_) = side.keys()
            && !json
        {
            return self.claim("keys-changed", self.with_extra(side), TYPE_ADVICE);
        }
        self.ids(side, record);
        let mut taken: Vec<Option<&str>> = alloc::vec![None; record.fields.len()];
        for field in side.fields() {
            self.field(side, field, record, tag, &mut taken);
        }
        if let Some((name, value)) = side.tag
            && side.fields().iter().all(|f| *f.name != *name)
        {
            self.bare_tag(side, name, value, record, tag, &mut taken);
        }
        for (i, field) in record.fields.iter().enumerate() {
            let is_tag = tag.is_some_and(|(t, _)| *t == *field.name);
            if taken[i].is_none() && !is_tag {
                self.lacking(side, field);
            }
            if let Some(extra) = side.extra() {
                self.extras_under_names(side, field, extra, taken[i].is_some());
            }
        }
        if let Some(extra) = side.extra() {
            match record.extra {
                Extra::Unknown => {}
                Extra::Closed => self.claim(
                    self.rule("record-closed", "record-opened"),
                    self.with_extra(side),
                    "leave additionalProperties open on readers as long as writers may add names",
                ),
                Extra::Typed(id) => {
                    if let Some(key) = self.some_key(side) {
                        self.enter(side, key, "*", |me| me.nodes(extra, id));
                    }
                }
            }
        }
        self.counts(side, record.min, record.max);
    }

    /// A number of the packed form that names another field than before.
    fn ids(&mut self, side: &Side<'a>, record: &'a Record) {
        for mine in side.fields().iter().filter(|f| f.id.is_some()) {
            let Some(theirs) = record.fields.iter().find(|f| f.id == mine.id) else { continue };
            let same =
                mine.name == theirs.name || mine.aliases.contains(&theirs.name) || theirs.aliases.contains(&mine.name);
            if !same {
                self.at_field(&mine.name, |me| {
                    me.note(
                        "id-reused",
                        Severity::Error,
                        "an id is never given to another field: take the next free number",
                    );
                });
            }
        }
    }

    fn with_extra(&self, side: &Side<'_>) -> Vec<Value> {
        match (side.extra(), self.some_key(side)) {
            (Some(extra), Some(key)) => self.with(side, &[(key, extra)]),
            _ => self.small(side),
        }
    }

    fn field(
        &mut self,
        side: &Side<'a>,
        field: &'a Field,
        record: &'a Record,
        tag: Option<(&str, bool)>,
        taken: &mut [Option<&'a str>],
    ) {
        let key = Value::Str((*field.name).into());
        // Of an unknown arm's tag the reader's fallback makes another; a known one is what it says.
        if tag.is_some_and(|(t, known)| *t == *field.name && !known) {
            return;
        }
        let Some(i) = record.find(field.name.as_bytes()) else {
            return self.unknown(side, field, record);
        };
        let theirs = &record.fields[i];
        if let Some(other) = taken[i].replace(&field.name) {
            let other_node = side.fields().iter().find(|f| *f.name == *other).map_or(field.node, |f| f.node);
            let both = [(Value::Str(other.into()), other_node), (key, field.node)];
            return self.claim(
                "field-renamed",
                self.with(side, &both),
                "an alias must be a name that no writer uses beside the new one",
            );
        }
        if theirs.name != field.name {
            self.enter(side, key.clone(), &field.name, |me| {
                me.note(
                    "field-renamed",
                    Severity::Info,
                    format!("the alias makes {:?} readable as {:?}", field.name, theirs.name),
                );
            });
        }
        if !side.always(field) && theirs.required && theirs.default.is_none() {
            let rule = self.rule("field-made-required", "field-made-optional");
            let candidates = self.small(side);
            self.at_field(&field.name, |me| {
                me.claim_at_parent(rule, candidates, "keep the field optional on readers, or give it a default");
            });
        }
        if self.backward_only() && field.default != theirs.default {
            self.enter(side, key.clone(), &field.name, |me| {
                me.note(
                    "default-changed",
                    Severity::Warning,
                    "a message without the field now means another value: write the value where it matters",
                );
            });
        }
        if let (Some((_, value)), true) = (side.tag, side.tag.is_some_and(|(t, _)| *t == *field.name)) {
            // Only one of the strings that the field may have is written here.
            let tag = Value::Str(value.into());
            if self.refusal(field.node, theirs.node, &tag).is_some() {
                self.enter(side, key, &field.name, |me| {
                    me.claim(me.member_rule(), alloc::vec![tag], super::compare::MEMBER_ADVICE)
                });
            }
            return;
        }
        self.enter(side, key, &field.name, |me| me.nodes(field.node, theirs.node));
    }

    /// A tag that the writer's arm does not name as a field.
    fn bare_tag(
        &mut self,
        side: &Side<'a>,
        name: &'a str,
        value: &str,
        record: &'a Record,
        tag: Option<(&str, bool)>,
        taken: &mut [Option<&'a str>],
    ) {
        if tag.is_some_and(|(t, _)| *t == *name) {
            return;
        }
        match record.find(name.as_bytes()) {
            Some(i) => {
                if taken[i].replace(name).is_some() {
                    return self.claim("field-renamed", self.small(side), TYPE_ADVICE);
                }
                let node = &self.r.nodes[record.fields[i].node as usize];
                let text = node.text.as_ref().is_none_or(|t| t.check(value).is_ok() || node.fallback.is_some());
                if node.kinds & kind::STR == 0 || !text {
                    self.claim("type-changed", self.small(side), TYPE_ADVICE);
                }
            }
            None => match record.extra {
                Extra::Closed if !record.is_reserved(name.as_bytes()) => {
                    self.claim(self.rule("field-removed", "field-added"), self.small(side), TYPE_ADVICE);
                }
                Extra::Typed(id) if self.r.nodes[id as usize].plain & kind::STR == 0 => {
                    self.claim("type-changed", self.small(side), TYPE_ADVICE);
                }
                _ => {}
            },
        }
    }

    /// A field of the writer that the reader does not name.
    fn unknown(&mut self, side: &Side<'a>, field: &'a Field, record: &'a Record) {
        let key = Value::Str((*field.name).into());
        let rule = self.rule("field-removed", "field-added");
        let reserved = record.is_reserved(field.name.as_bytes());
        self.enter(side, key, &field.name, |me| match record.extra {
            Extra::Typed(id) => me.nodes(field.node, id),
            Extra::Closed if !reserved => {
                let candidates = witness::sample(me.w, field.node)
                    .into_iter()
                    .chain(witness::scalars(&me.w.nodes[field.node as usize]));
                let candidates = candidates.collect();
                me.claim(
                    rule,
                    candidates,
                    "open the record on readers, or name the field in reserved, before writers differ",
                );
            }
            _ if reserved => me.note(
                rule,
                Severity::Info,
                "the name is reserved: it is read as unknown and cannot come back with another meaning",
            ),
            _ if rule == "field-removed" => me.note(
                rule,
                Severity::Warning,
                "name the field in reserved, so that it does not come back with another meaning",
            ),
            _ => {
                me.note(rule, Severity::Info, "older readers ignore the field, or keep it with unknown_fields=\"keep\"")
            }
        });
    }

    /// A field of the reader that the writer does not write.
    fn lacking(&mut self, side: &Side<'a>, field: &'a Field) {
        let renamed = side.fields().iter().any(|f| f.aliases.contains(&field.name));
        let rule = match (self.rule("B", "F"), renamed) {
            ("B", _) => "field-added",
            (_, true) => "field-renamed",
            _ => "field-removed",
        };
        if field.required && field.default.is_none() {
            let candidates = self.small(side);
            let advice = match rule {
                "field-added" => "give the new field a default, or leave it outside required",
                "field-renamed" => "ship the alias to every reader first, and write the new name when all have it",
                _ => "make the field optional or give it a default on every reader before writers leave it out",
            };
            self.at_field(&field.name, |me| me.claim_at_parent(rule, candidates, advice));
        } else if rule == "field-added" {
            self.at_field(&field.name, |me| {
                me.note(rule, Severity::Info, "older messages have no value for it: it is absent or has its default")
            });
        }
    }

    /// Names that the writer does not declare and may write all the same.
    fn extras_under_names(&mut self, side: &Side<'a>, field: &'a Field, extra: NodeId, taken: bool) {
        let admitted = |name: &str| {
            let key = match side.keys() {
                Keys::Any => true,
                Keys::Str(id) => self.w.nodes[*id as usize].text.as_ref().is_none_or(|t| t.check(name).is_ok()),
                Keys::Int(_) => name.parse::<i64>().is_ok_and(|v| v.to_string() == name),
            };
            let free = |f: &Field| *f.name != *name && f.aliases.iter().all(|a| **a != *name);
            key && side.fields().iter().all(free) && side.tag.is_none_or(|(t, _)| *t != *name)
        };
        let names: Vec<&str> =
            core::iter::once(&*field.name).chain(field.aliases.iter().map(|a| &**a)).filter(|n| admitted(n)).collect();
        for name in &names {
            let key = match side.keys() {
                Keys::Int(_) => name.parse().map_or(Value::Null, Value::Int),
                _ => Value::Str((*name).into()),
            };
            self.seen_again(extra, field.node);
            self.enter(side, key, name, |me| me.nodes(extra, field.node));
        }
        if names.len() + usize::from(taken) > 1 {
            let mut both: Vec<(Value, NodeId)> = names.iter().map(|n| (Value::Str((*n).into()), extra)).collect();
            if taken {
                let own = side.fields().iter().find(|f| f.name == field.name || field.aliases.contains(&f.name));
                both.extend(own.map(|f| (Value::Str((*f.name).into()), f.node)));
            }
            self.claim(
                "field-renamed",
                self.with(side, &both),
                "an alias must be a name that no writer uses beside the new one",
            );
        }
    }
}
