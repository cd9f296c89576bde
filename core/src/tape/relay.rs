//! What MessagePack cannot carry, carried in MessagePack: a host whose walker writes MessagePack, for the core to
//! make something else of, wraps it in extensions of one type, and this adapter unwraps them.
//!
//! Such bytes never leave the process: they are made by a walker and read here.

use crate::error::{Code, Error};
use crate::format::Format;
use crate::options::Options;
use crate::time::Timestamp;
use crate::transcode;
use crate::visit::{Constant, Demand, Kept, Text, Visitor};

/// The extension type that wraps.
pub const RELAY: i8 = i8::MIN;

/// First byte of a payload: an extension of the type [`RELAY`] itself; its payload follows.
pub const EXT: u8 = 0;
/// First byte of a payload: an integer beyond 64 bits; its decimal digits follow.
pub const BIGINT: u8 = 1;
/// First byte of a payload: an encoded value of the target's format, to be put in place as it is.
pub const RAW: u8 = 2;

/// What becomes of a relayed raw value.
#[derive(Clone, Copy)]
pub enum Raw<'o> {
    /// It is put in place as it is.
    Splice,
    /// It is read, in this format: the visitor must know what it is given.
    Read(Format, &'o Options),
}

/// Hands everything on to another visitor, and unwraps what is wrapped if `raw` is set.
pub struct Relay<'v, 'o, V> {
    /// The other visitor.
    pub visitor: &'v mut V,
    /// What becomes of raw values; `None` where nothing is wrapped.
    pub raw: Option<Raw<'o>>,
}

impl<V: Visitor> Relay<'_, '_, V> {
    #[cold]
    #[inline(never)]
    fn unwrap(&mut self, bytes: &[u8]) -> Result<V::Value, Error> {
        match bytes.split_first() {
            Some((&EXT, payload)) => self.visitor.ext(RELAY, payload),
            Some((&BIGINT, digits)) => {
                let digits = core::str::from_utf8(digits)
                    .map_err(|_| Error::new(Code::InvalidState, "a relayed integer is not made of digits"))?;
                self.visitor.bigint(digits)
            }
            Some((&RAW, value)) => match self.raw {
                // Through a tree: a reader of its own for each visitor would cost more than it is worth.
                Some(Raw::Read(format, options)) => transcode::from_slice(format, value, options)?.visit(self.visitor),
                _ => self.visitor.raw(value),
            },
            _ => Err(Error::new(Code::InvalidState, "a relayed value is of no known kind")),
        }
    }
}

impl<V: Visitor> Visitor for Relay<'_, '_, V> {
    const VALUES: bool = V::VALUES;
    const FINDS_DUPLICATES: bool = V::FINDS_DUPLICATES;
    const JUDGES_KEYS: bool = V::JUDGES_KEYS;
    const DEMANDS: bool = V::DEMANDS;
    const DECIMALS: bool = V::DECIMALS;
    type Value = V::Value;
    type Array = V::Array;
    type Map = V::Map;
    type Key = V::Key;

    #[inline(always)]
    fn constant(&mut self, value: Constant) -> Result<V::Value, Error> {
        self.visitor.constant(value)
    }
    #[inline(always)]
    fn int(&mut self, value: i64) -> Result<V::Value, Error> {
        self.visitor.int(value)
    }
    #[inline(always)]
    fn uint(&mut self, value: u64) -> Result<V::Value, Error> {
        self.visitor.uint(value)
    }
    fn bigint(&mut self, digits: &str) -> Result<V::Value, Error> {
        self.visitor.bigint(digits)
    }
    #[inline(always)]
    fn float(&mut self, value: f64) -> Result<V::Value, Error> {
        self.visitor.float(value)
    }
    #[inline(always)]
    fn float32(&mut self, value: f32) -> Result<V::Value, Error> {
        self.visitor.float32(value)
    }
    fn decimal(&mut self, text: &str, value: f64) -> Result<V::Value, Error> {
        self.visitor.decimal(text, value)
    }
    #[inline(always)]
    fn str(&mut self, text: Text<'_>) -> Result<V::Value, Error> {
        self.visitor.str(text)
    }
    #[inline(always)]
    fn bin(&mut self, bytes: &[u8]) -> Result<V::Value, Error> {
        self.visitor.bin(bytes)
    }
    #[inline(always)]
    fn timestamp(&mut self, value: Timestamp) -> Result<V::Value, Error> {
        self.visitor.timestamp(value)
    }
    #[inline(always)]
    fn ext(&mut self, kind: i8, bytes: &[u8]) -> Result<V::Value, Error> {
        if kind == RELAY && self.raw.is_some() {
            return self.unwrap(bytes);
        }
        self.visitor.ext(kind, bytes)
    }
    #[inline(always)]
    fn begin_array(&mut self, len: Option<usize>) -> Result<V::Array, Error> {
        self.visitor.begin_array(len)
    }
    #[inline(always)]
    fn element(&mut self, array: &mut V::Array, value: V::Value) -> Result<(), Error> {
        self.visitor.element(array, value)
    }
    #[inline(always)]
    fn end_array(&mut self, array: V::Array) -> Result<V::Value, Error> {
        self.visitor.end_array(array)
    }
    #[inline(always)]
    fn begin_map(&mut self, len: Option<usize>) -> Result<V::Map, Error> {
        self.visitor.begin_map(len)
    }
    #[inline(always)]
    fn key(&mut self, map: &mut V::Map, text: Text<'_>) -> Result<V::Key, Error> {
        self.visitor.key(map, text)
    }
    #[inline(always)]
    fn judged(&self) -> bool {
        self.visitor.judged()
    }
    fn begin_value_key(&mut self, map: &mut V::Map) -> Result<(), Error> {
        self.visitor.begin_value_key(map)
    }
    fn value_key(&mut self, map: &mut V::Map, value: V::Value) -> Result<V::Key, Error> {
        self.visitor.value_key(map, value)
    }
    #[inline(always)]
    fn entry(&mut self, map: &mut V::Map, key: V::Key, value: V::Value) -> Result<(), Error> {
        self.visitor.entry(map, key, value)
    }
    #[inline(always)]
    fn end_map(&mut self, map: V::Map) -> Result<V::Value, Error> {
        self.visitor.end_map(map)
    }
    #[inline(always)]
    fn demand(&mut self) -> Demand {
        self.visitor.demand()
    }
    fn skipped(&mut self) -> Result<V::Value, Error> {
        self.visitor.skipped()
    }
    fn raw(&mut self, bytes: &[u8]) -> Result<V::Value, Error> {
        self.visitor.raw(bytes)
    }
    fn kept(&mut self, map: &mut V::Map, field: Kept<'_>) -> Result<(), Error> {
        self.visitor.kept(map, field)
    }
    fn place(&self) -> Option<usize> {
        self.visitor.place()
    }
    fn reorder(&mut self, places: &[usize], order: &[usize]) {
        self.visitor.reorder(places, order);
    }
}
