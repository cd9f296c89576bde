//! Any destination behind one type: what is compiled for it is compiled once. A session is a module that people
//! download; each pair of reader and visitor adds tens of kilobytes to it, and only the pairs that are measured
//! are worth that. All others meet here, at the cost of a branch and a call for each value.

use alloc::vec::Vec;

#[cfg(samewire_shared)]
use super::relay::Relay;
use super::{Tape, apart};
use crate::buffer::Buffer;
use crate::error::Error;
use crate::format::Format;
use crate::json;
use crate::msgpack;
use crate::options::Options;
use crate::time::Timestamp;
use crate::value::{Builder, Value};
use crate::visit::{Constant, Kept, Text, Visitor};

/// A destination.
pub enum Target<'t> {
    /// The tape.
    Tape(&'t mut Tape),
    /// MessagePack.
    Msgpack(msgpack::Writer),
    /// JSON.
    Json(json::Writer),
    /// A tree.
    Tree,
    /// Nowhere: a check.
    Nothing,
}

/// A finished value.
pub enum Made {
    /// Written, or checked.
    Done,
    /// On the tape.
    Item(<Tape as Visitor>::Value),
    /// A tree.
    Tree(Value),
}
#[cfg(feature = "schema")]
crate::absent_is!(Made, Made::Done);

/// An open array.
pub enum OpenArray {
    Tape(<Tape as Visitor>::Array),
    Msgpack(<msgpack::Writer as Visitor>::Array),
    Json(<json::Writer as Visitor>::Array),
    Tree(Vec<Value>),
    Nothing,
}

/// An open map.
pub enum OpenMap {
    Tape(<Tape as Visitor>::Map),
    Msgpack(<msgpack::Writer as Visitor>::Map),
    Json(<json::Writer as Visitor>::Map),
    Tree(Vec<(Value, Value)>),
    Nothing,
}

/// A key that waits for its value.
pub enum OpenKey {
    Tape,
    Msgpack(<msgpack::Writer as Visitor>::Key),
    Json(<json::Writer as Visitor>::Key),
    Tree(Value),
    Nothing,
}

/// A scalar, by the same call on whatever it is.
macro_rules! scalar {
    ($self:ident.$method:ident($($arg:expr),*)) => {
        match $self {
            Target::Tape(v) => apart::$method(*v, $($arg),*).map(Made::Item),
            Target::Msgpack(v) => apart::$method(v, $($arg),*).map(|()| Made::Done),
            Target::Json(v) => apart::$method(v, $($arg),*).map(|()| Made::Done),
            Target::Tree => apart::$method(&mut Builder, $($arg),*).map(Made::Tree),
            Target::Nothing => Ok(Made::Done),
        }
    };
}

/// Open state and destination are of the same kind: the reader hands back what it was given.
#[cold]
fn mixed() -> Error {
    Error::new(crate::error::Code::InvalidState, "the state of another destination was handed back")
}

/// The one type that a compact build reads into, but for its hot pairs.
#[cfg(samewire_shared)]
pub(crate) type Shared<'v, 't> = Relay<'v, 'v, Target<'t>>;

/// A target as what a compact build reads into.
#[cfg(samewire_shared)]
pub(crate) fn shared<'v, 't>(visitor: &'v mut Target<'t>) -> Shared<'v, 't> {
    Relay { visitor, raw: None }
}

impl<'t> Target<'t> {
    /// A writer of `format`, after what the buffer holds.
    pub fn writer(format: Format, options: &Options, buffer: Buffer) -> Target<'t> {
        match format {
            Format::MessagePack => Target::Msgpack(msgpack::Writer::new(buffer, options)),
            Format::Json => Target::Json(json::Writer::new(buffer, options)),
        }
    }

    /// What a writer wrote.
    pub fn into_buffer(self) -> Buffer {
        match self {
            Target::Msgpack(writer) => writer.into_buffer(),
            Target::Json(mut writer) => {
                writer.finish();
                writer.into_buffer()
            }
            _ => Buffer::default(),
        }
    }
}

impl Made {
    /// The tree that [`Target::Tree`] makes.
    pub fn into_tree(self) -> Value {
        match self {
            Made::Tree(value) => value,
            _ => Value::Null,
        }
    }
}

impl Visitor for Target<'_> {
    type Value = Made;
    type Array = OpenArray;
    type Map = OpenMap;
    type Key = OpenKey;

    #[inline(never)]
    fn constant(&mut self, value: Constant) -> Result<Made, Error> {
        scalar!(self.constant(value))
    }
    #[inline(never)]
    fn int(&mut self, value: i64) -> Result<Made, Error> {
        scalar!(self.int(value))
    }
    #[inline(never)]
    fn uint(&mut self, value: u64) -> Result<Made, Error> {
        scalar!(self.uint(value))
    }
    #[inline(never)]
    fn bigint(&mut self, digits: &str) -> Result<Made, Error> {
        scalar!(self.bigint(digits))
    }
    #[inline(never)]
    fn float(&mut self, value: f64) -> Result<Made, Error> {
        scalar!(self.float(value))
    }
    #[inline(never)]
    fn float32(&mut self, value: f32) -> Result<Made, Error> {
        scalar!(self.float32(value))
    }
    #[inline(never)]
    fn str(&mut self, text: Text<'_>) -> Result<Made, Error> {
        if matches!(self, Target::Nothing) {
            text.to_str()?;
        }
        scalar!(self.str(text))
    }
    #[inline(never)]
    fn bin(&mut self, bytes: &[u8]) -> Result<Made, Error> {
        scalar!(self.bin(bytes))
    }
    #[inline(never)]
    fn timestamp(&mut self, value: Timestamp) -> Result<Made, Error> {
        scalar!(self.timestamp(value))
    }
    #[inline(never)]
    fn ext(&mut self, kind: i8, bytes: &[u8]) -> Result<Made, Error> {
        scalar!(self.ext(kind, bytes))
    }
    #[inline(never)]
    fn begin_array(&mut self, len: Option<usize>) -> Result<OpenArray, Error> {
        Ok(match self {
            Target::Tape(v) => OpenArray::Tape(apart::begin_array(*v, len)?),
            Target::Msgpack(v) => OpenArray::Msgpack(apart::begin_array(v, len)?),
            Target::Json(v) => OpenArray::Json(apart::begin_array(v, len)?),
            Target::Tree => OpenArray::Tree(Builder.begin_array(len)?),
            Target::Nothing => OpenArray::Nothing,
        })
    }
    #[inline(never)]
    fn element(&mut self, array: &mut OpenArray, value: Made) -> Result<(), Error> {
        match (self, array, value) {
            (Target::Tape(v), OpenArray::Tape(a), Made::Item(x)) => apart::element(*v, a, x),
            (Target::Msgpack(v), OpenArray::Msgpack(a), Made::Done) => apart::element(v, a, ()),
            (Target::Json(v), OpenArray::Json(a), Made::Done) => apart::element(v, a, ()),
            (Target::Tree, OpenArray::Tree(a), Made::Tree(x)) => Builder.element(a, x),
            (Target::Nothing, ..) => Ok(()),
            _ => Err(mixed()),
        }
    }
    #[inline(never)]
    fn end_array(&mut self, array: OpenArray) -> Result<Made, Error> {
        match (self, array) {
            (Target::Tape(v), OpenArray::Tape(a)) => apart::end_array(*v, a).map(Made::Item),
            (Target::Msgpack(v), OpenArray::Msgpack(a)) => apart::end_array(v, a).map(|()| Made::Done),
            (Target::Json(v), OpenArray::Json(a)) => apart::end_array(v, a).map(|()| Made::Done),
            (Target::Tree, OpenArray::Tree(a)) => Builder.end_array(a).map(Made::Tree),
            (Target::Nothing, _) => Ok(Made::Done),
            _ => Err(mixed()),
        }
    }
    #[inline(never)]
    fn begin_map(&mut self, len: Option<usize>) -> Result<OpenMap, Error> {
        Ok(match self {
            Target::Tape(v) => OpenMap::Tape(apart::begin_map(*v, len)?),
            Target::Msgpack(v) => OpenMap::Msgpack(apart::begin_map(v, len)?),
            Target::Json(v) => OpenMap::Json(apart::begin_map(v, len)?),
            Target::Tree => OpenMap::Tree(Builder.begin_map(len)?),
            Target::Nothing => OpenMap::Nothing,
        })
    }
    #[inline(never)]
    fn key(&mut self, map: &mut OpenMap, text: Text<'_>) -> Result<OpenKey, Error> {
        match (self, map) {
            (Target::Tape(v), OpenMap::Tape(m)) => apart::key(*v, m, text).map(|()| OpenKey::Tape),
            (Target::Msgpack(v), OpenMap::Msgpack(m)) => apart::key(v, m, text).map(OpenKey::Msgpack),
            (Target::Json(v), OpenMap::Json(m)) => apart::key(v, m, text).map(OpenKey::Json),
            (Target::Tree, OpenMap::Tree(m)) => Builder.key(m, text).map(OpenKey::Tree),
            (Target::Nothing, _) => text.to_str().map(|_| OpenKey::Nothing),
            _ => Err(mixed()),
        }
    }
    #[inline(never)]
    fn begin_value_key(&mut self, map: &mut OpenMap) -> Result<(), Error> {
        match (self, map) {
            (Target::Tape(v), OpenMap::Tape(m)) => apart::begin_value_key(*v, m),
            (Target::Msgpack(v), OpenMap::Msgpack(m)) => apart::begin_value_key(v, m),
            (Target::Json(v), OpenMap::Json(m)) => apart::begin_value_key(v, m),
            (Target::Tree, OpenMap::Tree(m)) => Builder.begin_value_key(m),
            (Target::Nothing, _) => Ok(()),
            _ => Err(mixed()),
        }
    }
    #[inline(never)]
    fn value_key(&mut self, map: &mut OpenMap, value: Made) -> Result<OpenKey, Error> {
        match (self, map, value) {
            (Target::Tape(v), OpenMap::Tape(m), Made::Item(x)) => apart::value_key(*v, m, x).map(|()| OpenKey::Tape),
            (Target::Msgpack(v), OpenMap::Msgpack(m), Made::Done) => apart::value_key(v, m, ()).map(OpenKey::Msgpack),
            (Target::Json(v), OpenMap::Json(m), Made::Done) => apart::value_key(v, m, ()).map(OpenKey::Json),
            (Target::Tree, OpenMap::Tree(m), Made::Tree(x)) => Builder.value_key(m, x).map(OpenKey::Tree),
            (Target::Nothing, ..) => Ok(OpenKey::Nothing),
            _ => Err(mixed()),
        }
    }
    #[inline(never)]
    fn entry(&mut self, map: &mut OpenMap, key: OpenKey, value: Made) -> Result<(), Error> {
        match (self, map, key, value) {
            (Target::Tape(v), OpenMap::Tape(m), OpenKey::Tape, Made::Item(x)) => apart::entry(*v, m, (), x),
            (Target::Msgpack(v), OpenMap::Msgpack(m), OpenKey::Msgpack(k), Made::Done) => apart::entry(v, m, k, ()),
            (Target::Json(v), OpenMap::Json(m), OpenKey::Json(k), Made::Done) => apart::entry(v, m, k, ()),
            (Target::Tree, OpenMap::Tree(m), OpenKey::Tree(k), Made::Tree(x)) => Builder.entry(m, k, x),
            (Target::Nothing, ..) => Ok(()),
            _ => Err(mixed()),
        }
    }
    #[inline(never)]
    fn end_map(&mut self, map: OpenMap) -> Result<Made, Error> {
        match (self, map) {
            (Target::Tape(v), OpenMap::Tape(m)) => apart::end_map(*v, m).map(Made::Item),
            (Target::Msgpack(v), OpenMap::Msgpack(m)) => apart::end_map(v, m).map(|()| Made::Done),
            (Target::Json(v), OpenMap::Json(m)) => apart::end_map(v, m).map(|()| Made::Done),
            (Target::Tree, OpenMap::Tree(m)) => Builder.end_map(m).map(Made::Tree),
            (Target::Nothing, _) => Ok(Made::Done),
            _ => Err(mixed()),
        }
    }
    fn raw(&mut self, bytes: &[u8]) -> Result<Made, Error> {
        scalar!(self.raw(bytes))
    }
    fn kept(&mut self, map: &mut OpenMap, field: Kept<'_>) -> Result<(), Error> {
        match (self, map) {
            (Target::Tape(v), OpenMap::Tape(m)) => v.kept(m, field),
            (Target::Msgpack(v), OpenMap::Msgpack(m)) => v.kept(m, field),
            (Target::Json(v), OpenMap::Json(m)) => v.kept(m, field),
            (Target::Tree, OpenMap::Tree(m)) => Builder.kept(m, field),
            _ => Ok(()),
        }
    }
    fn place(&self) -> Option<usize> {
        match self {
            Target::Tape(v) => v.place(),
            Target::Msgpack(v) => v.place(),
            Target::Json(v) => v.place(),
            Target::Tree => Builder.place(),
            Target::Nothing => None,
        }
    }
    fn reorder(&mut self, places: &[usize], order: &[usize]) {
        match self {
            Target::Tape(v) => v.reorder(places, order),
            Target::Msgpack(v) => v.reorder(places, order),
            Target::Json(v) => v.reorder(places, order),
            Target::Tree => Builder.reorder(places, order),
            Target::Nothing => {}
        }
    }
}
