//! What a reader may refuse of what a writer may write, place by place, in one format.

use alloc::collections::BTreeSet;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::Schema;
use super::compat::{Finding, Severity};
use super::model::*;
use super::witness;
use crate::error::{Code, push_pointer_key};
use crate::format::Format;
use crate::options::Options;
use crate::value::Value;
use crate::visit::Nothing;

/// The comparison of two schemas in one format and direction.
pub(crate) struct Compare<'a> {
    writer: &'a Schema,
    reader: &'a Schema,
    pub(super) w: &'a Program,
    pub(super) r: &'a Program,
    pub(super) format: Format,
    backward: bool,
    /// How the place is reached, to build a whole message around a value.
    trail: Vec<Step>,
    seen: BTreeSet<(NodeId, NodeId)>,
    found: Vec<Finding>,
}

/// One step into the writer's data.
pub(super) enum Step {
    Element { node: NodeId, index: usize, shown: String },
    Entry { node: NodeId, arm: Option<usize>, key: Value, shown: String },
}

impl<'a> Compare<'a> {
    pub(crate) fn run(writer: &'a Schema, reader: &'a Schema, format: Format, backward: bool) -> Vec<Finding> {
        let (w, r) = (&writer.0.program, &reader.0.program);
        let mut compare = Compare {
            writer,
            reader,
            w,
            r,
            format,
            backward,
            trail: Vec::new(),
            seen: BTreeSet::new(),
            found: Vec::new(),
        };
        compare.nodes(w.root, r.root);
        compare.found
    }

    /// The rule's name, which tells the change from old to new.
    pub(super) fn rule(&self, backward: &'static str, forward: &'static str) -> &'static str {
        if self.backward { backward } else { forward }
    }

    fn path(&self) -> String {
        let mut path = String::new();
        for step in &self.trail {
            let (Step::Element { shown, .. } | Step::Entry { shown, .. }) = step;
            push_pointer_key(&mut path, shown);
        }
        path
    }

    pub(super) fn step(&mut self, step: Step, go: impl FnOnce(&mut Self)) {
        self.trail.push(step);
        go(self);
        self.trail.pop();
    }

    /// A whole message with `value` in the present place.
    fn wrap(&self, value: Value) -> Option<Value> {
        self.trail.iter().rev().try_fold(value, |inner, step| match step {
            Step::Element { node, index, .. } => {
                let node = &self.w.nodes[*node as usize];
                let least = node.array.as_ref().map_or(0, |a| a.min).max(index + 1);
                let items = (0..least).map(|i| {
                    if i == *index { Some(inner.clone()) } else { witness::sample(self.w, witness::element(node, i)) }
                });
                items.collect::<Option<Vec<_>>>().map(Value::Array)
            }
            Step::Entry { node, arm, key, .. } => {
                let mut entries = self.entries(*node, *arm)?;
                entries.retain(|(k, _)| k != key);
                entries.push((key.clone(), inner));
                Some(Value::Map(entries))
            }
        })
    }

    /// The entries of a small map of the writer.
    pub(super) fn entries(&self, node: NodeId, arm: Option<usize>) -> Option<Vec<(Value, Value)>> {
        match (&self.w.nodes[node as usize].map, arm) {
            (MapRules::Union(union), Some(arm)) => {
                let (tag, id) = &union.arms[arm];
                witness::arm(self.w, union, tag, *id, 0)
            }
            (rules, _) => witness::smallest_map(self.w, rules, 0),
        }
    }

    /// What the reader says of a value in this place, if it refuses what the writer writes.
    pub(super) fn refusal(&self, w: NodeId, r: NodeId, value: &Value) -> Option<Code> {
        let options = Options::default();
        let bytes = super::write_node(self.w, w, self.format, value, &options).ok()?;
        super::read_node(self.r, r, self.format, &bytes, &options, &mut Nothing, usize::MAX).err().map(|e| e.code())
    }

    /// The whole message and the reader's word, if a value of this place makes it fail.
    fn prove(&self, value: Value) -> Option<(Value, Code)> {
        let message = self.wrap(value)?;
        let options = Options::default();
        let bytes = self.writer.write(self.format, &message, &options).ok()?;
        let code = self.reader.validate(self.format, &bytes, &options).err()?.code();
        Some((message, code))
    }

    /// An error, proven by the first of the values that fails.
    pub(super) fn claim(&mut self, rule: &'static str, candidates: Vec<Value>, advice: impl Into<String>) {
        let proof = candidates.into_iter().take(400).find_map(|v| self.prove(v));
        let (witness, code) = proof.unzip();
        self.add(Finding {
            path: self.path(),
            rule,
            severity: Severity::Error,
            mode: self.rule("BACKWARD", "FORWARD"),
            format: self.format.as_str(),
            advice: advice.into(),
            witness,
            code,
            against: None,
        });
    }

    /// Runs with a path one step longer, for a field that is not there.
    pub(super) fn at_field(&mut self, name: &str, go: impl FnOnce(&mut Self)) {
        let step = Step::Entry { node: ANY, arm: None, key: Value::Null, shown: name.into() };
        self.step(step, go);
    }

    /// A claim about a field, whose proofs are values of the record.
    pub(super) fn claim_at_parent(&mut self, rule: &'static str, candidates: Vec<Value>, advice: &str) {
        let path = self.path();
        let last = self.trail.pop();
        let proof = candidates.into_iter().find_map(|v| self.prove(v));
        self.trail.extend(last);
        let (witness, code) = proof.unzip();
        self.add(Finding {
            path,
            rule,
            severity: Severity::Error,
            mode: self.rule("BACKWARD", "FORWARD"),
            format: self.format.as_str(),
            advice: advice.into(),
            witness,
            code,
            against: None,
        });
    }

    /// Lets a pair be compared again, because it is reached under a name of its own.
    pub(super) fn seen_again(&mut self, w: NodeId, r: NodeId) {
        self.seen.remove(&(w, r));
    }

    pub(super) fn backward_only(&self) -> bool {
        self.backward
    }

    pub(super) fn note(&mut self, rule: &'static str, severity: Severity, advice: impl Into<String>) {
        self.add(Finding {
            path: self.path(),
            rule,
            severity,
            mode: self.rule("BACKWARD", "FORWARD"),
            format: if rule == "id-reused" { "packed" } else { self.format.as_str() },
            advice: advice.into(),
            witness: None,
            code: None,
            against: None,
        });
    }

    fn add(&mut self, finding: Finding) {
        let twin = self
            .found
            .iter_mut()
            .find(|f| f.path == finding.path && f.rule == finding.rule && f.severity == finding.severity);
        match twin {
            None => self.found.push(finding),
            Some(twin) if twin.witness.is_none() => *twin = finding,
            Some(_) => {}
        }
    }

    /// Compares two places.
    pub(super) fn nodes(&mut self, w: NodeId, r: NodeId) {
        let (wn, rn) = (&self.w.nodes[w as usize], &self.r.nodes[r as usize]);
        if rn.plain == kind::ALL && !self.w.int_keys {
            return;
        }
        if !self.seen.insert((w, r)) {
            return;
        }
        self.constants(w, r);
        self.numbers(w, r);
        self.texts(w, r);
        if wn.kinds & kind::EXT & !rn.kinds != 0 {
            self.claim("type-changed", self.of_kind(w, &["ext"]), TYPE_ADVICE);
        }
        self.arrays(w, r);
        self.maps(w, r);
        if let (Some(a), Some(b)) = (list_of(wn), list_of(rn))
            && a != b
            && a.len() == b.len()
            && a.iter().all(|m| b.contains(m))
        {
            self.note("enum-reordered", Severity::Info, "the order of an enum's members has no meaning on the wire");
        }
    }

    fn constants(&mut self, w: NodeId, r: NodeId) {
        let (wn, rn) = (&self.w.nodes[w as usize], &self.r.nodes[r as usize]);
        for (bit, value) in
            [(kind::NULL, Value::Null), (kind::FALSE, Value::Bool(false)), (kind::TRUE, Value::Bool(true))]
        {
            if wn.kinds & bit == 0 || rn.kinds & bit != 0 {
                continue;
            }
            if bit == kind::NULL && wn.kinds != kind::NULL {
                let rule = self.rule("nullable-removed", "nullable-added");
                self.claim(
                    rule,
                    alloc::vec![value],
                    "keep the field nullable until nobody writes null, or give it another name",
                );
            } else if bit != kind::NULL && rn.kinds & kind::BOOL != 0 {
                self.claim(self.member_rule(), alloc::vec![value], MEMBER_ADVICE);
            } else {
                self.claim("type-changed", alloc::vec![value], TYPE_ADVICE);
            }
        }
    }

    pub(super) fn member_rule(&self) -> &'static str {
        self.rule("enum-member-removed", "enum-member-added")
    }

    pub(super) fn constraint_rule(&self) -> &'static str {
        self.rule("constraint-tightened", "constraint-loosened")
    }

    /// Scalars of the writer's node that are of the kinds.
    pub(super) fn of_kind(&self, w: NodeId, kinds: &[&str]) -> Vec<Value> {
        let mut values = witness::scalars(&self.w.nodes[w as usize]);
        values.retain(|v| kinds.contains(&v.kind()));
        values
    }

    fn texts(&mut self, w: NodeId, r: NodeId) {
        let (wn, rn) = (&self.w.nodes[w as usize], &self.r.nodes[r as usize]);
        if wn.kinds & kind::STR != 0 {
            self.strings(w, r);
        }
        let json = self.format == Format::Json;
        for (bit, name) in [(kind::TIME, "timestamp"), (kind::BIN, "bin")] {
            if wn.kinds & bit == 0 {
                continue;
            }
            let fine = if !json {
                rn.kinds & bit != 0
            } else if rn.kinds & kind::STR != 0 {
                rn.text.is_none()
            } else {
                rn.kinds & kind::TEXTS == bit
            };
            if !fine {
                self.claim("type-changed", self.of_kind(w, &[name]), TYPE_ADVICE);
            }
        }
    }

    fn strings(&mut self, w: NodeId, r: NodeId) {
        let (wn, rn) = (&self.w.nodes[w as usize], &self.r.nodes[r as usize]);
        if let Some(list) = list_of(wn) {
            let refused: Vec<Value> =
                list.iter().map(|m| Value::Str((**m).into())).filter(|v| self.refusal(w, r, v).is_some()).collect();
            if !refused.is_empty() {
                let rule = if rn.kinds & kind::STR == 0 {
                    "type-changed"
                } else if list_of(rn).is_some() {
                    self.member_rule()
                } else {
                    self.constraint_rule()
                };
                self.claim(rule, refused, MEMBER_ADVICE);
            }
            return;
        }
        if rn.kinds & kind::STR == 0 {
            self.claim("type-changed", self.of_kind(w, &["str"]), TYPE_ADVICE);
            return;
        }
        let Some(rules) = &rn.text else { return };
        if rules.one_of.is_some() && rn.fallback.is_none() {
            self.claim("enum-narrowed", self.of_kind(w, &["str"]), MEMBER_ADVICE);
            return;
        }
        if !text_fits(wn.text.as_deref(), rules) {
            let mut candidates = self.of_kind(w, &["str"]);
            let lengths = [rules.min.saturating_sub(1), rules.max.unwrap_or(0) + 1];
            for n in lengths.into_iter().filter(|n| *n < 1_000_000) {
                candidates.extend(["a", "0", "A", "x"].map(|c| Value::Str(c.repeat(n))));
            }
            self.claim(self.constraint_rule(), candidates, CONSTRAINT_ADVICE);
        }
    }

    fn arrays(&mut self, w: NodeId, r: NodeId) {
        let (wn, rn) = (&self.w.nodes[w as usize], &self.r.nodes[r as usize]);
        if wn.kinds & kind::ARRAY == 0 {
            return;
        }
        let any = ArrayRules { prefix: Vec::new(), items: ANY, min: 0, max: None };
        let (a, b) = (wn.array.as_deref().unwrap_or(&any), rn.array.as_deref().unwrap_or(&any));
        let of_len = |n: usize| -> Option<Value> {
            if n > 100_000 {
                return None;
            }
            (0..n).map(|i| witness::sample(self.w, witness::element(wn, i))).collect::<Option<_>>().map(Value::Array)
        };
        if rn.kinds & kind::ARRAY == 0 {
            let candidates = of_len(a.min).into_iter().collect();
            return self.claim("type-changed", candidates, TYPE_ADVICE);
        }
        if a.min < b.min || b.max.is_some_and(|max| a.max.is_none_or(|m| m > max)) {
            let lengths = [Some(a.min), b.min.checked_sub(1), b.max.map(|m| m + 1), a.max];
            let candidates = lengths.into_iter().flatten().filter_map(of_len).collect();
            self.claim(self.constraint_rule(), candidates, CONSTRAINT_ADVICE);
        }
        let fixed = a.prefix.len().max(b.prefix.len());
        let node_at = |rules: &ArrayRules, i: usize| rules.prefix.get(i).copied().unwrap_or(rules.items);
        let (a, b) = (a.clone(), b.clone());
        for i in (0..fixed).filter(|i| a.max.is_none_or(|m| *i < m)) {
            let step = Step::Element { node: w, index: i, shown: i.to_string() };
            self.step(step, |me| me.nodes(node_at(&a, i), node_at(&b, i)));
        }
        if a.max.is_none_or(|m| m > fixed) {
            let step = Step::Element { node: w, index: fixed, shown: "*".into() };
            self.step(step, |me| me.nodes(a.items, b.items));
        }
    }
}

pub(super) const TYPE_ADVICE: &str = "keep the type and add a field of the new type beside it, under another name";
pub(super) const MEMBER_ADVICE: &str =
    "give the enum a fallback and ship that to every reader first, then change its members";
pub(super) const CONSTRAINT_ADVICE: &str =
    "let readers accept both ranges first, and narrow what is written before what is read";

/// The strings of an enum.
pub(super) fn list_of(node: &Node) -> Option<&[alloc::boxed::Box<str>]> {
    node.text.as_ref().and_then(|t| t.one_of.as_ref()).map(|m| m.list.as_slice())
}

/// True if every string of the writer's rules keeps to the reader's (but for its enum).
pub(super) fn text_fits(writer: Option<&super::text::TextRules>, reader: &super::text::TextRules) -> bool {
    let none = super::text::TextRules::default();
    let writer = writer.unwrap_or(&none);
    let length = writer.format.and_then(super::text::TextFormat::length);
    let min = writer.min.max(length.unwrap_or(0));
    let max = writer.max.into_iter().chain(length).min();
    let lengths = min >= reader.min && reader.max.is_none_or(|r| max.is_some_and(|w| w <= r));
    let pattern = reader.pattern.is_none() || reader.pattern == writer.pattern;
    let format = reader.format.is_none() || reader.format == writer.format;
    let list = reader.one_of.as_ref().is_none_or(|list| {
        // With a fallback: the members themselves must pass the other rules.
        list.list.iter().all(|m| reader.check(m).is_ok())
    });
    lengths && pattern && format && list
}
