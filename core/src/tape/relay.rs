//! What MessagePack cannot carry, carried in MessagePack: a host whose walker writes MessagePack, for the core to
//! make something else of, wraps it in extensions of one type, and this adapter unwraps them.
//!
//! Such bytes never leave the process: they are made by a walker and read here.

use super::apart;
use crate::error::{Code, Error};
use crate::format::Format;
use crate::options::Options;
use crate::time::Timestamp;
use crate::transcode;
use crate::visit::{COMPACT, Constant, Demand, Kept, Text, Visitor};

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
                Some(Raw::Read(format, options)) if !(COMPACT && V::PLAIN) => {
                    let value = transcode::from_slice(format, value, options)?;
                    value.visit(&mut Relay { visitor: self.visitor, raw: None })
                }
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
    const PLAIN: bool = V::PLAIN;
    const DECIMALS: bool = V::DECIMALS;
    type Value = V::Value;
    type Array = V::Array;
    type Map = V::Map;
    type Key = V::Key;

    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn constant(&mut self, value: Constant) -> Result<V::Value, Error> {
        apart::constant(self.visitor, value)
    }
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn int(&mut self, value: i64) -> Result<V::Value, Error> {
        apart::int(self.visitor, value)
    }
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn uint(&mut self, value: u64) -> Result<V::Value, Error> {
        apart::uint(self.visitor, value)
    }
    fn bigint(&mut self, digits: &str) -> Result<V::Value, Error> {
        apart::bigint(self.visitor, digits)
    }
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn float(&mut self, value: f64) -> Result<V::Value, Error> {
        apart::float(self.visitor, value)
    }
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn float32(&mut self, value: f32) -> Result<V::Value, Error> {
        apart::float32(self.visitor, value)
    }
    fn decimal(&mut self, text: &str, value: f64) -> Result<V::Value, Error> {
        self.visitor.decimal(text, value)
    }
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn str(&mut self, text: Text<'_>) -> Result<V::Value, Error> {
        apart::str(self.visitor, text)
    }
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn bin(&mut self, bytes: &[u8]) -> Result<V::Value, Error> {
        apart::bin(self.visitor, bytes)
    }
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn timestamp(&mut self, value: Timestamp) -> Result<V::Value, Error> {
        apart::timestamp(self.visitor, value)
    }
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn ext(&mut self, kind: i8, bytes: &[u8]) -> Result<V::Value, Error> {
        if kind == RELAY && self.raw.is_some() {
            return self.unwrap(bytes);
        }
        apart::ext(self.visitor, kind, bytes)
    }
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn begin_array(&mut self, len: Option<usize>) -> Result<V::Array, Error> {
        apart::begin_array(self.visitor, len)
    }
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn element(&mut self, array: &mut V::Array, value: V::Value) -> Result<(), Error> {
        apart::element(self.visitor, array, value)
    }
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn end_array(&mut self, array: V::Array) -> Result<V::Value, Error> {
        apart::end_array(self.visitor, array)
    }
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn begin_map(&mut self, len: Option<usize>) -> Result<V::Map, Error> {
        apart::begin_map(self.visitor, len)
    }
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn key(&mut self, map: &mut V::Map, text: Text<'_>) -> Result<V::Key, Error> {
        apart::key(self.visitor, map, text)
    }
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn judged(&self) -> bool {
        self.visitor.judged()
    }
    fn begin_value_key(&mut self, map: &mut V::Map) -> Result<(), Error> {
        apart::begin_value_key(self.visitor, map)
    }
    fn value_key(&mut self, map: &mut V::Map, value: V::Value) -> Result<V::Key, Error> {
        apart::value_key(self.visitor, map, value)
    }
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn entry(&mut self, map: &mut V::Map, key: V::Key, value: V::Value) -> Result<(), Error> {
        apart::entry(self.visitor, map, key, value)
    }
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn end_map(&mut self, map: V::Map) -> Result<V::Value, Error> {
        apart::end_map(self.visitor, map)
    }
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn demand(&mut self) -> Demand {
        self.visitor.demand()
    }
    fn skipped(&mut self) -> Result<V::Value, Error> {
        self.visitor.skipped()
    }
    fn raw(&mut self, bytes: &[u8]) -> Result<V::Value, Error> {
        apart::raw(self.visitor, bytes)
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
