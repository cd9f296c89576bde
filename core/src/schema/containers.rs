//! The adapter's arrays and maps: fields by name, unknown ones, defaults, unions, the schema's order.

use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::vec::Vec;

use super::absent::Absent;
use super::model::*;
use super::number::Num;
use super::refusal::*;
use super::resolve::{Adapter, HOST, Passed, keeps};
use super::starts::Start;
use crate::error::{Code, Error};
use crate::format::Format;
use crate::options::{MapKeys, UnknownFields};
use crate::short;
use crate::value::Value;
use crate::visit::{Encoding, Text, Visitor};

/// An open array.
pub struct Array<'s, V: Visitor> {
    /// `None` while the array is recorded.
    inner: Option<V::Array>,
    rules: Option<&'s ArrayRules>,
    items: &'s Node,
    count: usize,
    mark: usize,
}

/// An open map.
pub struct Map<'s, V: Visitor> {
    pub(super) inner: Option<V::Map>,
    pub(super) shape: Shape<'s>,
    /// The field that is expected next.
    predicted: u32,
    pub(super) disordered: bool,
    last_rank: u32,
    /// The fields that came, the first 64 as bits.
    pub(super) seen: u64,
    /// Entries in the data.
    pub(super) count: usize,
    /// Where this map's entries begin in `starts`, or the recorder's mark.
    pub(super) first: usize,
    pub(super) rare: Option<Box<Rare>>,
}

/// What most maps do without, so that their state stays small.
#[derive(Default)]
pub(super) struct Rare {
    /// The fields that came after the first 64, as bits.
    pub(super) more: Vec<u64>,
    pub(super) held: HeldFields,
    pub(super) pending: Option<Pending>,
}

pub(super) enum Shape<'s> {
    Any,
    Of(&'s MapOf),
    Record(&'s Record),
    Union(&'s Union),
    Recorded,
}

/// Fields that came before the tag of their union.
pub(super) type HeldFields = Vec<(Box<str>, Held)>;

/// One of them.
pub(super) enum Held {
    /// A range of the input.
    Raw(usize, usize),
    Value(Value),
}

/// A key that waits for its value. Small, and without anything to drop: it goes from call to call.
pub enum Key<K> {
    /// The inner visitor's.
    Plain(K),
    /// Of a value that is dropped.
    Skip,
    /// Of a union's tag.
    Tag,
    /// Of a field that is left out if it has its default.
    Default(usize),
    /// What [`Rare::pending`] says.
    Pending,
}

/// A key whose name is needed when its value is there.
pub(super) enum Pending {
    /// Of an unknown field that is kept, and its place among the data's entries.
    Kept(Box<str>, usize),
    /// Of a field before the tag.
    Held(Box<str>),
}

/// How to go on with a key: the index of a field, or one of the numbers below. A number comes back from a call in
/// a register; a [`Key`] comes back in memory, and stalls where it is read in other pieces than it was written
/// (measured: a tenth of reading records).
type Step = usize;
/// The key is the inner visitor's as it is.
const PASS: Step = usize::MAX;
const SKIP_VALUE: Step = usize::MAX - 1;
const IS_TAG: Step = usize::MAX - 2;
const IS_PENDING: Step = usize::MAX - 3;
/// The inner visitor's key is in [`Adapter::parked`].
const IS_PARKED: Step = usize::MAX - 4;

impl<'s, V: Visitor<Value: Absent>, const FROM: u8> Adapter<'s, '_, V, FROM> {
    #[inline(always)]
    pub(crate) fn open_array(&mut self, len: Option<usize>) -> Result<Array<'s, V>, Error> {
        let node = self.next;
        let any = self.node(ANY);
        if node.plain & kind::ARRAY != 0 {
            self.next = any;
            return Ok(Array { inner: Some(self.inner.begin_array(len)?), rules: None, items: any, count: 0, mark: 0 });
        }
        if node.kinds & kind::ARRAY != 0
            && let Some(rules) = node.array.as_deref()
        {
            let inner = Some(self.inner.begin_array(len)?);
            let items = self.node(rules.items);
            self.next = match rules.prefix.first() {
                None => items,
                Some(&id) => self.node(id),
            };
            return Ok(Array { inner, rules: Some(rules), items, count: 0, mark: 0 });
        }
        if self.is(RECORD) {
            let mark = self.recorder.mark();
            return Ok(Array { inner: None, rules: None, items: node, count: 0, mark });
        }
        Err(mismatch(node, "array"))
    }

    #[inline(always)]
    pub(crate) fn add_element(&mut self, array: &mut Array<'s, V>, value: Passed<V>) -> Result<(), Error> {
        array.count += 1;
        self.next = array.items;
        if let Some(rules) = array.rules
            && array.count < rules.prefix.len()
        {
            self.next = self.node(rules.prefix[array.count]);
        }
        match (&mut array.inner, V::Value::get(value)) {
            (Some(inner), Some(value)) => self.inner.element(inner, value),
            _ => Ok(()),
        }
    }

    #[inline(always)]
    pub(crate) fn close_array(&mut self, array: Array<'s, V>) -> Result<Passed<V>, Error> {
        let Some(inner) = array.inner else {
            self.recorder.close_array(array.mark);
            return Ok(V::Value::absent());
        };
        if let Some(rules) = array.rules {
            if array.count < rules.min {
                return Err(count(array.count, "minItems", rules.min));
            }
            if let Some(max) = rules.max
                && array.count > max
            {
                return Err(count(array.count, "maxItems", max));
            }
        }
        self.inner.end_array(inner).map(Absent::present)
    }

    #[inline(always)]
    pub(crate) fn open_map(&mut self, len: Option<usize>) -> Result<Map<'s, V>, Error> {
        let node = self.next;
        let mut map = Map {
            inner: None,
            shape: Shape::Any,
            predicted: 0,
            seen: 0,
            count: 0,
            first: self.starts.len(),
            last_rank: 0,
            disordered: false,
            rare: None,
        };
        if node.kinds & kind::MAP == 0 {
            if !self.is(RECORD) {
                return Err(mismatch(node, "map"));
            }
            map.shape = Shape::Recorded;
            map.first = self.recorder.mark();
            return Ok(map);
        }
        // A host's record loses no entry and gets none; a reader's may do both.
        let exact = V::HINTS || (FROM == HOST && !self.options.omit_defaults);
        let hint = match &node.map {
            MapRules::Any => {
                self.next = self.node(ANY);
                len
            }
            MapRules::Of(of) => {
                map.shape = Shape::Of(of);
                len
            }
            MapRules::Record(record) => {
                map.shape = Shape::Record(record);
                if exact { len } else { None }
            }
            MapRules::Union(union) => {
                map.shape = Shape::Union(union);
                if exact { len } else { None }
            }
        };
        map.inner = Some(self.inner.begin_map(hint)?);
        Ok(map)
    }

    #[inline(always)]
    pub(crate) fn take_key(&mut self, map: &mut Map<'s, V>, text: Text<'_>) -> Result<Key<V::Key>, Error> {
        let predicted = map.predicted as usize;
        let step = match map.shape {
            Shape::Record(record) => match record.fields.get(predicted) {
                Some(field) if short::equal(field.name.as_bytes(), text.bytes()) => predicted,
                _ => self.out_of_turn(map, record, text)?,
            },
            _ => self.other_key(map, text)?,
        };
        let name = match step {
            PASS => text,
            SKIP_VALUE => return Ok(Key::Skip),
            IS_TAG => return Ok(Key::Tag),
            IS_PENDING => return Ok(Key::Pending),
            IS_PARKED => return Ok(self.parked.take().map_or(Key::Skip, Key::Plain)),
            index => {
                let Shape::Record(record) = map.shape else { return Ok(Key::Skip) };
                let field = &record.fields[index];
                let fresh = if index < 64 {
                    let bit = 1 << index;
                    let fresh = map.seen & bit == 0;
                    map.seen |= bit;
                    fresh
                } else {
                    mark_seen(&mut map.rare.get_or_insert_default().more, index)
                };
                if !fresh {
                    return Err(duplicate(&field.name));
                }
                map.predicted = index as u32 + 1;
                map.count += 1;
                self.judged = true;
                if FROM == HOST {
                    if self.options.omit_defaults && field.default.is_some() {
                        self.next = self.node(RECORD);
                        return Ok(Key::Default(index));
                    }
                    self.note(map, index);
                }
                self.next = self.node(field.node);
                let encoding = if field.ascii { Encoding::Ascii } else { Encoding::Utf8 };
                // SAFETY: the name is a string, and ASCII if the field says so.
                unsafe { Text::with_encoding(field.name.as_bytes(), encoding) }
            }
        };
        match &mut map.inner {
            Some(inner) => self.inner.key(inner, name).map(Key::Plain),
            None => Ok(Key::Skip),
        }
    }

    /// Notes where the next entry of a host's record is written.
    #[inline(always)]
    pub(super) fn note(&mut self, map: &mut Map<'s, V>, rank: usize) {
        if let Some(at) = self.inner.place() {
            let rank = rank as u32;
            map.disordered |= rank < map.last_rank;
            map.last_rank = rank;
            self.starts.push(Start { rank, kept: false, at });
        }
    }

    /// A key that is not the field that was expected.
    #[inline(never)]
    fn out_of_turn(&mut self, map: &mut Map<'s, V>, record: &'s Record, text: Text<'_>) -> Result<Step, Error> {
        // Most often an optional field in between is absent.
        let ahead = record.fields.iter().enumerate().skip(map.predicted as usize + 1).take(4);
        for (index, field) in ahead {
            if short::equal(field.name.as_bytes(), text.bytes()) {
                return Ok(index);
            }
        }
        let found = record.find(text.bytes());
        if let Some(index) = found
            && (FROM != HOST || short::equal(record.fields[index].name.as_bytes(), text.bytes()))
        {
            return Ok(index);
        }
        let name = text.to_str()?;
        // A host's alias is read as another field: it cannot be written as an entry of its own.
        if let Extra::Typed(id) = record.extra
            && found.is_none()
        {
            map.count += 1;
            self.judged = V::FINDS_DUPLICATES;
            if FROM == HOST {
                self.note(map, record.fields.len());
            }
            self.next = self.node(id);
            return Ok(PASS);
        }
        self.unknown_field(map, record, name)
    }

    #[inline(never)]
    fn unknown_field(&mut self, map: &mut Map<'s, V>, record: &Record, name: &str) -> Result<Step, Error> {
        if FROM == HOST {
            return Err(unknown_field(name).in_entry(name));
        }
        let refuse = self.options.unknown_fields == UnknownFields::Error || record.extra == Extra::Closed;
        if refuse && !record.is_reserved(name.as_bytes()) {
            return Err(unknown_field(name));
        }
        self.judged = false;
        self.unknown += 1;
        let max = self.options.limits.max_unknown_fields;
        if self.unknown > max {
            let message = alloc::format!("the message has more than {max} fields that the schema lacks");
            return Err(Error::new(Code::TooManyUnknownFields, message));
        }
        let place = map.count;
        map.count += 1;
        if keeps(self.options) {
            self.next = self.node(RAW);
            map.rare.get_or_insert_default().pending = Some(Pending::Kept(name.into(), place));
            return Ok(IS_PENDING);
        }
        self.next = self.node(SKIP);
        Ok(SKIP_VALUE)
    }

    /// A string key of anything but a record.
    #[inline(never)]
    fn other_key(&mut self, map: &mut Map<'s, V>, text: Text<'_>) -> Result<Step, Error> {
        map.count += 1;
        self.judged = V::FINDS_DUPLICATES && matches!(map.shape, Shape::Any | Shape::Of(_));
        match map.shape {
            Shape::Recorded => {
                self.recorder.push(Value::Str(text.to_str()?.into()));
                self.next = self.node(RECORD);
                return Ok(SKIP_VALUE);
            }
            Shape::Of(of) => {
                match &of.keys {
                    Keys::Any => {}
                    Keys::Str(id) => {
                        let key = text.to_str()?;
                        if let Some(rules) = &self.node(*id).text {
                            rules.check(key).map_err(|r| {
                                let error = refused(r, &alloc::format!("the key {key:?}"));
                                if FROM == HOST { error.in_entry(key) } else { error }
                            })?;
                        }
                    }
                    Keys::Int(id) => {
                        let key = text.to_str()?;
                        let strings = FROM != super::resolve::MSGPACK || self.options.map_keys == MapKeys::Stringify;
                        let int = digits(key).filter(|_| strings);
                        let int = int.ok_or_else(|| key_type("a string without the digits of an integer"))?;
                        self.next = self.node(of.value);
                        return Ok(match self.int_key(map, *id, int)? {
                            Key::Plain(key) => {
                                self.parked = Some(key);
                                IS_PARKED
                            }
                            _ => SKIP_VALUE,
                        });
                    }
                }
                self.next = self.node(of.value);
            }
            Shape::Union(union) => {
                if *union.tag.as_bytes() == *text.bytes() {
                    if map.rare.as_ref().is_some_and(|r| r.held.iter().any(|(n, _)| *n == union.tag)) {
                        return Err(duplicate(&union.tag));
                    }
                    self.union = Some(union);
                    self.next = self.node(TAG);
                    return Ok(IS_TAG);
                }
                self.next = self.node(if FROM == HOST { RECORD } else { RAW });
                let name = text.to_str()?.into();
                map.rare.get_or_insert_default().pending = Some(Pending::Held(name));
                return Ok(IS_PENDING);
            }
            Shape::Any | Shape::Record(_) => {}
        }
        if !V::VALUES {
            text.to_str()?;
        }
        Ok(PASS)
    }

    /// Hands over a key that is an integer, in the form that the destination has for it.
    fn int_key(&mut self, map: &mut Map<'s, V>, id: NodeId, key: i128) -> Result<Key<V::Key>, Error> {
        let node = self.node(id);
        if let Some(format) = node.int_format
            && !(format.min..=format.max).contains(&key)
        {
            return Err(int_out_of_range(&key, format.name));
        }
        let signed = i64::try_from(key);
        if let Some(rules) = &node.numbers {
            let number = signed.map_or(Num::Uint(key as u64), Num::Int);
            rules.check(number).map_err(|r| refused(r, &key))?;
        }
        let Some(inner) = &mut map.inner else { return Ok(Key::Skip) };
        if FROM == HOST && self.to == Format::Json {
            return self.inner.key(inner, Text::new(&key.to_string())).map(Key::Plain);
        }
        self.inner.begin_value_key(inner)?;
        let value = match signed {
            Ok(v) => self.inner.int(v)?,
            Err(_) => self.inner.uint(key as u64)?,
        };
        self.inner.value_key(inner, value).map(Key::Plain)
    }

    /// Before a key that is not a string.
    pub(crate) fn begin_other_key(&mut self, map: &mut Map<'s, V>) -> Result<(), Error> {
        match map.shape {
            Shape::Recorded => {
                self.next = self.node(RECORD);
                Ok(())
            }
            Shape::Of(MapOf { keys: Keys::Int(_), .. }) => {
                self.next = self.node(RECORD);
                Ok(())
            }
            Shape::Any if self.options.map_keys != MapKeys::Str => {
                self.next = self.node(ANY);
                match &mut map.inner {
                    Some(inner) => self.inner.begin_value_key(inner),
                    None => Ok(()),
                }
            }
            _ => Err(key_type("not a string")),
        }
    }

    /// After the calls that made such a key.
    pub(crate) fn take_other_key(&mut self, map: &mut Map<'s, V>, value: Passed<V>) -> Result<Key<V::Key>, Error> {
        map.count += 1;
        match map.shape {
            Shape::Of(of) => {
                let key = self.recorder.pop();
                let (Keys::Int(id), Some(int)) = (&of.keys, as_int(&key)) else {
                    return Err(key_type("not an integer"));
                };
                self.next = self.node(of.value);
                self.int_key(map, *id, int)
            }
            Shape::Recorded => {
                self.next = self.node(RECORD);
                Ok(Key::Skip)
            }
            _ => {
                self.next = self.node(ANY);
                match (&mut map.inner, V::Value::get(value)) {
                    (Some(inner), Some(value)) => self.inner.value_key(inner, value).map(Key::Plain),
                    _ => Ok(Key::Skip),
                }
            }
        }
    }

    #[inline(always)]
    pub(crate) fn add_entry(&mut self, map: &mut Map<'s, V>, key: Key<V::Key>, value: Passed<V>) -> Result<(), Error> {
        match (key, V::Value::get(value), &mut map.inner) {
            (Key::Plain(key), Some(value), Some(inner)) => self.inner.entry(inner, key, value),
            (key, _, _) => self.special_entry(map, key),
        }
    }

    #[inline(always)]
    pub(crate) fn close_map(&mut self, mut map: Map<'s, V>) -> Result<Passed<V>, Error> {
        match map.shape {
            Shape::Record(record) => {
                if record.must & !map.seen != 0 || record.fields.len() > 64 {
                    self.absent(&mut map, record)?;
                }
                if record.min > 0 || record.max.is_some() {
                    check_count(map.count, record.min, record.max)?;
                }
                if FROM == HOST {
                    self.put_in_order(&map);
                }
            }
            Shape::Of(of) => check_count(map.count, of.min, of.max)?,
            Shape::Any => {}
            Shape::Union(union) => return Err(missing_field(&union.tag)),
            Shape::Recorded => {
                self.recorder.close_map(map.first);
                return Ok(V::Value::absent());
            }
        }
        match map.inner {
            Some(inner) => self.inner.end_map(inner).map(Absent::present),
            None => Ok(V::Value::absent()),
        }
    }
}

#[inline(never)]
fn mark_seen(more: &mut Vec<u64>, index: usize) -> bool {
    let (word, bit) = (index / 64, 1 << (index % 64));
    if more.len() <= word {
        more.resize(word + 1, 0);
    }
    let fresh = more[word] & bit == 0;
    more[word] |= bit;
    fresh
}

pub(super) fn is_seen(more: &[u64], index: usize) -> bool {
    more.get(index / 64).is_some_and(|w| w >> (index % 64) & 1 != 0)
}

fn check_count(found: usize, min: usize, max: Option<usize>) -> Result<(), Error> {
    if found < min {
        return Err(count(found, "minProperties", min));
    }
    match max {
        Some(max) if found > max => Err(count(found, "maxProperties", max)),
        _ => Ok(()),
    }
}

/// The integer whose canonical digits `text` is.
fn digits(text: &str) -> Option<i128> {
    let value: i128 = text.parse().ok()?;
    let canonical = value.to_string() == text;
    (canonical && value >= i128::from(i64::MIN) && value <= i128::from(u64::MAX)).then_some(value)
}

fn as_int(value: &Value) -> Option<i128> {
    match value {
        Value::Int(v) => Some(i128::from(*v)),
        Value::Uint(v) => Some(i128::from(*v)),
        _ => None,
    }
}
