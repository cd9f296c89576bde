//! The adapter's entries that are not plain: kept fields, fields before their union's tag, fields that did not
//! come, and the schema's order of what a host wrote.

use alloc::vec::Vec;

use super::absent::Absent;
use super::containers::{Held, Key, Map, Pending, Shape, is_seen};
use super::model::*;
use super::number::Num;
use super::refusal::*;
use super::resolve::{Adapter, HOST, JSON};
use super::starts::Start;
use crate::error::{Code, Error};
use crate::format::Format;
use crate::options::{MapKeys, Options};
use crate::value::Value;
use crate::visit::{Kept, Reader, Text, Visitor};

impl<'s, V: Visitor<Value: Absent>, const FROM: u8> Adapter<'s, '_, V, FROM> {
    #[inline(never)]
    pub(super) fn special_entry(&mut self, map: &mut Map<'s, V>, key: Key<V::Key>) -> Result<(), Error> {
        match key {
            Key::Plain(_) | Key::Skip => Ok(()),
            Key::Tag => self.settle(map),
            Key::Default(index) => self.unless_default(map, index),
            Key::Pending => self.pending_entry(map),
        }
    }

    fn pending_entry(&mut self, map: &mut Map<'s, V>) -> Result<(), Error> {
        match map.rare.as_mut().and_then(|rare| rare.pending.take()) {
            None => Ok(()),
            Some(Pending::Kept(name, place)) => {
                let (start, len) = self.raw;
                let format = if FROM == JSON { Format::Json } else { Format::MessagePack };
                let field = Kept { place, name: &name, format, bytes: &self.input[start..start + len] };
                match &mut map.inner {
                    Some(inner) => self.inner.kept(inner, field),
                    None => Ok(()),
                }
            }
            Some(Pending::Held(name)) => {
                let held =
                    if FROM == HOST { Held::Value(self.recorder.pop()) } else { Held::Raw(self.raw.0, self.raw.1) };
                map.rare.get_or_insert_default().held.push((name, held));
                Ok(())
            }
        }
    }

    /// The tag has come: what was held goes where it belongs.
    fn settle(&mut self, map: &mut Map<'s, V>) -> Result<(), Error> {
        let Shape::Union(union) = map.shape else { return Ok(()) };
        let (tag, node) = &union.arms[self.arm];
        let MapRules::Record(record) = &self.node(*node).map else { return Ok(()) };
        map.shape = Shape::Record(record);
        map.count = 0;
        let held = map.rare.as_mut().map_or_else(Vec::new, |r| core::mem::take(&mut r.held));
        if !held.is_empty() {
            if self.replays == 0 {
                let message = "unions nest too deep whose tags come after other fields";
                return Err(Error::new(Code::DepthExceeded, message));
            }
            self.replays -= 1;
            for (name, value) in held {
                self.replay(map, &name, value).map_err(|e| if FROM == HOST { e.beside() } else { e })?;
            }
            self.replays += 1;
        }
        let key = match record.find(tag_name(union)) {
            Some(_) => self.take_key(map, Text::new(&union.tag))?,
            None => {
                // The arm does not name the property that tells it apart.
                map.count += 1;
                if FROM == HOST {
                    self.note(map, 0);
                }
                self.next = self.node(ANY);
                match &mut map.inner {
                    Some(inner) => Key::Plain(self.inner.key(inner, Text::new(&union.tag))?),
                    None => Key::Skip,
                }
            }
        };
        let value = self.str(Text::new(tag))?;
        self.add_entry(map, key, value)
    }

    fn replay(&mut self, map: &mut Map<'s, V>, name: &str, held: Held) -> Result<(), Error> {
        let (start, len) = match held {
            Held::Value(value) => {
                let key = self.take_key(map, Text::new(name))?;
                let value = value.visit(self);
                return value.and_then(|v| self.add_entry(map, key, v)).map_err(|e| e.in_entry(name));
            }
            Held::Raw(start, len) => (start, len),
        };
        let key = self.take_key(map, Text::new(name)).map_err(|e| e.at(start))?;
        self.raw = (start, len);
        let value = match self.next.demand {
            crate::visit::Demand::Value => {
                let upto = &self.input[..start + len];
                let options = Options { map_keys: super::resolve::reader_keys(self.options), ..self.options.clone() };
                let result = if FROM == JSON {
                    crate::json::Reader::new(upto, &options).and_then(|mut r| {
                        r.seek(start);
                        r.read(self)
                    })
                } else {
                    crate::msgpack::Reader::new(upto, &options).and_then(|mut r| {
                        r.seek(start);
                        r.read(self)
                    })
                };
                result.map_err(Error::without_path)?
            }
            _ => V::Value::absent(),
        };
        self.add_entry(map, key, value).map_err(|e| e.at(start))
    }

    /// Writes a host's field unless it has its default.
    fn unless_default(&mut self, map: &mut Map<'s, V>, index: usize) -> Result<(), Error> {
        let Shape::Record(record) = map.shape else { return Ok(()) };
        let field = &record.fields[index];
        let value = self.recorder.pop();
        if field.default.as_ref().is_some_and(|d| same(d, &value)) {
            return Ok(());
        }
        self.note(map, index);
        self.next = self.node(field.node);
        let Some(inner) = &mut map.inner else { return Ok(()) };
        let key = self.inner.key(inner, Text::new(&field.name))?;
        let value = value.visit(self)?;
        self.add_entry(map, Key::Plain(key), value)
    }

    /// Fields that did not come: an error, a default, or nothing.
    #[inline(never)]
    pub(super) fn absent(&mut self, map: &mut Map<'s, V>, record: &'s Record) -> Result<(), Error> {
        for (i, field) in record.fields.iter().enumerate() {
            let seen =
                if i < 64 { map.seen >> i & 1 != 0 } else { map.rare.as_ref().is_some_and(|r| is_seen(&r.more, i)) };
            if seen {
                continue;
            }
            match &field.default {
                Some(default) if FROM != HOST => {
                    self.fill = self.fill.checked_sub(1).ok_or_else(|| {
                        Error::new(Code::InvalidSchema, "defaults contain themselves, or are too many")
                    })?;
                    if let Some(inner) = &mut map.inner {
                        let key = self.inner.key(inner, Text::new(&field.name))?;
                        let value = default.visit(self.inner)?;
                        self.inner.entry(inner, key, value)?;
                    }
                }
                None if field.required => return Err(missing_field(&field.name)),
                _ => {}
            }
        }
        Ok(())
    }

    /// Puts the entries of a host's record into the schema's order, and kept ones into their places.
    #[inline(always)]
    pub(super) fn put_in_order(&mut self, map: &Map<'s, V>) {
        if map.disordered {
            self.reorder(map.first);
        }
        self.starts.truncate(map.first);
    }

    #[inline(never)]
    fn reorder(&mut self, first: usize) {
        let starts = self.starts.from(first);
        let mut order: Vec<usize> = (0..starts.len()).filter(|&i| !starts[i].kept).collect();
        order.sort_by_key(|&i| starts[i].rank);
        for (i, start) in starts.iter().enumerate().filter(|(_, s)| s.kept) {
            order.insert((start.rank as usize).min(order.len()), i);
        }
        let places: Vec<usize> = starts.iter().map(|s| s.at).collect();
        self.inner.reorder(&places, &order);
    }

    /// A kept field on its way to a writer.
    pub(crate) fn write_kept(&mut self, map: &mut Map<'s, V>, field: Kept<'_>) -> Result<(), Error> {
        if FROM != HOST {
            return Err(Error::new(Code::InvalidState, "kept fields are for writing"));
        }
        if let Shape::Record(record) = map.shape
            && record.find(field.name.as_bytes()).is_some()
        {
            // This schema knows the field by now: the host's own value counts.
            return Ok(());
        }
        let Some(inner) = &mut map.inner else { return Ok(()) };
        if let Some(at) = self.inner.place() {
            map.disordered = true;
            self.starts.push(Start { rank: u32::try_from(field.place).unwrap_or(u32::MAX), kept: true, at });
        }
        let key = self.inner.key(inner, Text::new(field.name))?;
        let options = Options { map_keys: MapKeys::Any, ..self.options.clone() };
        let value = match (field.format, self.to) {
            (from, to) if from == to => self.inner.raw(field.bytes)?,
            (Format::MessagePack, _) => crate::msgpack::read(field.bytes, &options, self.inner)?,
            (Format::Json, _) => crate::json::read(field.bytes, &options, self.inner)?,
        };
        self.inner.entry(inner, key, value)
    }
}

fn tag_name(union: &Union) -> &[u8] {
    union.tag.as_bytes()
}

/// Equal as data: an integer and a float of the same value are.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Map(a), Value::Map(b)) => {
            a.len() == b.len() && a.iter().all(|(k, v)| b.iter().any(|(l, w)| k == l && same(v, w)))
        }
        _ => match (Num::of(a).and_then(Num::decimal), Num::of(b).and_then(Num::decimal)) {
            (Some(x), Some(y)) => x == y,
            (None, None) => a == b,
            _ => false,
        },
    }
}
