//! Numbers that a reader may refuse.

use alloc::vec::Vec;

use super::compare::{CONSTRAINT_ADVICE, Compare, MEMBER_ADVICE, TYPE_ADVICE};
use super::model::*;
use super::number::{Decimal, Num, NumberRules};
use super::witness;
use crate::format::Format;
use crate::value::Value;

/// Integers up to here are exact as binary64 and binary32.
const EXACT64: i128 = 1 << 53;
const EXACT32: i128 = 1 << 24;

impl Compare<'_> {
    pub(super) fn numbers(&mut self, w: NodeId, r: NodeId) {
        let (wn, rn) = (&self.w.nodes[w as usize], &self.r.nodes[r as usize]);
        if wn.kinds & kind::NUMBERS == 0 {
            return;
        }
        if rn.kinds & kind::NUMBERS == 0 {
            return self.claim("type-changed", self.of_kind(w, &["int", "bigint", "float"]), TYPE_ADVICE);
        }
        let rules = wn.numbers.as_deref();
        if rules.is_some_and(|r| r.one_of.is_some()) {
            let mut refused = self.of_kind(w, &["int", "bigint", "float"]);
            refused.retain(|v| self.refusal(w, r, v).is_some());
            if !refused.is_empty() {
                let listed = rn.numbers.as_ref().is_some_and(|r| r.one_of.is_some());
                let rule = if listed { self.member_rule() } else { self.constraint_rule() };
                self.claim(rule, refused, MEMBER_ADVICE);
            }
            return;
        }
        if matches!(wn.number, NumberAs::Int | NumberAs::Same) {
            self.integers(w, r);
        }
        if wn.number != NumberAs::Int {
            self.floats(w, r);
        }
    }

    fn integers(&mut self, w: NodeId, r: NodeId) {
        let (wn, rn) = (&self.w.nodes[w as usize], &self.r.nodes[r as usize]);
        let (low, high) = self.int_range(wn);
        let inside = |min: i128, max: i128| low.is_some_and(|v| v >= min) && high.is_some_and(|v| v <= max);
        let none = NumberRules::default();
        let (mine, theirs) = (wn.numbers.as_deref().unwrap_or(&none), rn.numbers.as_deref().unwrap_or(&none));
        let mut candidates = witness::integers(wn);
        let (rl, rh) = theirs.int_range();
        let beyond = [
            rl.map(|v| v.saturating_sub(1)),
            rh.map(|v| v.saturating_add(1)),
            rn.int_format.map(|f| f.min - 1),
            rn.int_format.map(|f| f.max + 1),
        ];
        for v in beyond.into_iter().flatten().chain([EXACT64 + 1, EXACT32 + 1, -EXACT32 - 1]) {
            candidates.push(Decimal::of_i128(v).to_value());
        }
        let type_fits = rn.int_format.is_none_or(|f| inside(f.min, f.max))
            && match (rn.number, self.format) {
                (NumberAs::Int | NumberAs::Same, _) => true,
                (NumberAs::Float, _) => inside(-EXACT64, EXACT64),
                (NumberAs::Float32, Format::MessagePack) => inside(-EXACT32, EXACT32),
                (NumberAs::Float32, Format::Json) => low.is_some() && high.is_some(),
            };
        if !type_fits {
            return self.claim("type-changed", candidates, TYPE_ADVICE);
        }
        if theirs.one_of.is_some() {
            if rn.fallback.is_none() {
                self.claim("enum-narrowed", candidates, MEMBER_ADVICE);
            }
            return;
        }
        let end = |v: Option<i128>, bound: bool| match v {
            None => !bound,
            Some(v) => {
                let exact = theirs_without_multiple(theirs).admits(&Decimal::of_i128(v));
                let rounded = rn.number != NumberAs::Float32
                    || theirs_without_multiple(theirs).check(Num::Single(v as f32)).is_ok();
                exact && rounded
            }
        };
        let bounds = end(low, theirs.min.is_some()) && end(high, theirs.max.is_some());
        let steps = steps_fit(mine, theirs, true) && (theirs.multiple_of.is_none() || rn.number != NumberAs::Float32);
        if !(bounds && steps) {
            self.claim(self.constraint_rule(), candidates, CONSTRAINT_ADVICE);
        }
    }

    /// The integers that a writer may write.
    fn int_range(&self, node: &Node) -> (Option<i128>, Option<i128>) {
        let (mut low, mut high) = node.numbers.as_ref().map_or((None, None), |r| r.int_range());
        let mut within = |min: i128, max: i128| {
            low = Some(low.map_or(min, |v| v.max(min)));
            high = Some(high.map_or(max, |v| v.min(max)));
        };
        if let Some(format) = node.int_format {
            within(format.min, format.max);
        }
        if self.format == Format::MessagePack {
            within(i128::from(i64::MIN), i128::from(u64::MAX));
        }
        if let Some(step) = node.numbers.as_ref().and_then(|r| r.multiple_of.as_ref()).and_then(Decimal::to_i128) {
            low = low
                .map(|v| v.div_euclid(step).saturating_add(i128::from(v.rem_euclid(step) != 0)).saturating_mul(step));
            high = high.map(|v| v.div_euclid(step).saturating_mul(step));
        }
        (low, high)
    }

    fn floats(&mut self, w: NodeId, r: NodeId) {
        let (wn, rn) = (&self.w.nodes[w as usize], &self.r.nodes[r as usize]);
        let none = NumberRules::default();
        let (mine, theirs) = (wn.numbers.as_deref().unwrap_or(&none), rn.numbers.as_deref().unwrap_or(&none));
        let mut candidates = witness::floats(wn);
        for bound in [&theirs.min, &theirs.max].into_iter().flatten() {
            let at: f64 = bound.at.text().parse().unwrap_or(0.0);
            let tiny = at.abs().max(1e-300) * f64::EPSILON;
            candidates.extend([at, at - 1.0, at + 1.0, at + tiny, at - tiny, at + 0.25, at - 0.25].map(Value::Float));
        }
        let single = |n: &Node| n.number == NumberAs::Float32;
        let type_fits = match rn.number {
            NumberAs::Int => false,
            NumberAs::Float | NumberAs::Same => true,
            NumberAs::Float32 if single(wn) => true,
            NumberAs::Float32 if self.format == Format::MessagePack => false,
            NumberAs::Float32 => [&mine.min, &mine.max]
                .into_iter()
                .all(|b| b.as_ref().is_some_and(|b| b.at.text().parse::<f32>().is_ok_and(f32::is_finite))),
        };
        if !type_fits {
            return self.claim("type-changed", candidates, TYPE_ADVICE);
        }
        if theirs.one_of.is_some() {
            if rn.fallback.is_none() {
                self.claim("enum-narrowed", candidates, MEMBER_ADVICE);
            }
            return;
        }
        let converted = single(wn) != single(rn);
        let lower = fits(mine.min.as_ref(), theirs.min.as_ref(), true) && ends_fit(wn, theirs, converted);
        let upper = fits(mine.max.as_ref(), theirs.max.as_ref(), false);
        let steps = steps_fit(mine, theirs, false) && (theirs.multiple_of.is_none() || !converted);
        if !(lower && upper && steps) {
            self.claim(self.constraint_rule(), candidates, CONSTRAINT_ADVICE);
        }
    }
}

fn theirs_without_multiple(rules: &NumberRules) -> NumberRules {
    NumberRules { multiple_of: None, ..rules.clone() }
}

/// True if the writer's bound is as tight as the reader's.
fn fits(mine: Option<&super::number::Bound>, theirs: Option<&super::number::Bound>, lower: bool) -> bool {
    let Some(theirs) = theirs else { return true };
    let Some(mine) = mine else { return false };
    let order = if lower { mine.at.cmp(&theirs.at) } else { theirs.at.cmp(&mine.at) };
    order.is_gt() || (order.is_eq() && (mine.exclusive || !theirs.exclusive))
}

/// Where a binary32 is read as binary64 or the other way round, its ends may move by the rounding.
fn ends_fit(writer: &Node, theirs: &NumberRules, converted: bool) -> bool {
    if !converted || (theirs.min.is_none() && theirs.max.is_none()) {
        return true;
    }
    let bare = theirs_without_multiple(theirs);
    let rules = writer.numbers.as_deref();
    let ends: Vec<f32> = rules
        .iter()
        .flat_map(|r| [&r.min, &r.max])
        .flatten()
        .filter_map(|b| b.at.text().parse().ok())
        // An end that the writer itself leaves out is not written.
        .filter(|v| {
            writer.number != NumberAs::Float32
                || rules.is_none_or(|r| theirs_without_multiple(r).check(Num::Single(*v)).is_ok())
        })
        .collect();
    ends.iter().all(|v| bare.check(Num::Single(*v)).is_ok() && bare.check(Num::Float(f64::from(*v))).is_ok())
}

/// True if the writer's numbers are multiples of what the reader wants.
fn steps_fit(mine: &NumberRules, theirs: &NumberRules, integers: bool) -> bool {
    let Some(wanted) = &theirs.multiple_of else { return true };
    let by_own = mine.multiple_of.as_ref().is_some_and(|m| m.is_multiple_of(wanted));
    by_own || (integers && Decimal::of_i128(1).is_multiple_of(wanted))
}
