//! The trait pair that everything else is built from: a [`Reader`] drives a [`Visitor`].
//!
//! A reader knows a source of values (MessagePack bytes, JSON text, a [`Value`](crate::Value), a host's
//! objects) and nothing about where they go. A visitor knows a destination (a writer, a host's builder, a
//! tree, nothing at all) and nothing about where values come from. Every operation is one of each:
//!
//! | operation | reader | visitor |
//! |---|---|---|
//! | decode | bytes | a host's builder |
//! | encode | a host's walker | a writer |
//! | transcode | bytes | a writer |
//! | validate | bytes | [`Nothing`] |
//!
//! Adapters (schema resolution) are visitors that hold another visitor. Everything is monomorphised: a pipe
//! costs what the hand-written loop would.
//!
//! # Adding a format
//!
//! Write a type that implements [`Reader`] and one that implements [`Visitor`] with `type Value = ()`.
//! `msgpack` is the model to follow: `cursor.rs` has the token primitives, `reader.rs` the structure, limits
//! and policies, `writer.rs` the visitor.
//!
//! # Adding a host
//!
//! Implement [`Visitor`] with the host's object type as `Value`, and write a function that walks a host's
//! object and calls the same methods on any `V: Visitor`. Nothing else: limits, policies, error codes,
//! offsets and paths come from the reader.
//!
//! # The calls, in order
//!
//! A scalar is one call that returns the finished value. A container is opened, filled and closed, and its
//! open state is handed back at each step, so that a visitor needs no stack of its own:
//!
//! ```text
//! [1, {"a": true}]
//!     a = begin_array(Some(2))
//!     v = int(1);                element(&mut a, v)
//!         m = begin_map(Some(1))
//!         k = key(&mut m, "a");  v = constant(True);  entry(&mut m, k, v)
//!     v = end_map(m);            element(&mut a, v)
//!     end_array(a)
//! ```
//!
//! # Errors
//!
//! A visitor returns an [`Error`] with a code and a message and leaves offset and path empty; the reader
//! fills them in. After an error the visitor is not called again for that message: open `Array` and `Map`
//! states are dropped where they stand, so what they own must be released by their `Drop` or by the visitor.

use crate::error::{Code, Error};
use crate::format::Format;
use crate::time::Timestamp;
use crate::utf8;

/// null, false or true, in one call: a host answers from a table. Three calls would be a branch that random
/// data makes every predictor miss (measured at five times the cost in Python).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Constant {
    /// null (MessagePack nil)
    Null = 0,
    /// false
    False = 1,
    /// true
    True = 2,
}

impl Constant {
    /// The constant for a bool.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub const fn from_bool(value: bool) -> Self {
        if value { Constant::True } else { Constant::False }
    }
}

/// A build whose size is paid for by everybody who loads it (`--cfg samewire_compact`): code that knows every policy is
/// compiled once, and a visitor that is worth a reader of its own is read into by code for the defaults.
///
/// With `--cfg samewire_shared` all other destinations are behind one visitor, at the cost of a branch at each value. With
/// `--cfg samewire_smallest` there are none, no policies but the defaults, and errors without texts: their codes must do.
pub(crate) const COMPACT: bool = cfg!(samewire_compact);

/// See [`COMPACT`].
pub(crate) const SMALLEST: bool = cfg!(samewire_smallest);

/// What a reader already knows about the bytes of a [`Text`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Every byte is below 0x80.
    Ascii,
    /// Valid UTF-8, with or without non-ASCII characters.
    Utf8,
    /// Not looked at yet: may be anything. A visitor must validate (or call [`Text::to_str`]) before use.
    Unchecked,
}

/// A string on its way from a reader to a visitor: bytes, and what is known about them.
///
/// MessagePack hands over unchecked bytes, because a host that must look at each byte anyway (to find the
/// widest code point, say) validates in the same pass. The bytes live only for the call.
#[derive(Clone, Copy, Debug)]
pub struct Text<'t> {
    bytes: &'t [u8],
    encoding: Encoding,
}

impl<'t> Text<'t> {
    /// Text that is valid already.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub const fn new(text: &'t str) -> Self {
        Text { bytes: text.as_bytes(), encoding: Encoding::Utf8 }
    }

    /// Bytes that nobody has looked at.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub const fn unchecked(bytes: &'t [u8]) -> Self {
        Text { bytes, encoding: Encoding::Unchecked }
    }

    /// Bytes with what is known about them.
    ///
    /// # Safety
    /// `encoding` must be true of `bytes`.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub const unsafe fn with_encoding(bytes: &'t [u8], encoding: Encoding) -> Self {
        Text { bytes, encoding }
    }

    /// The bytes, which are UTF-8 only if [`encoding`](Self::encoding) says so.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub const fn bytes(self) -> &'t [u8] {
        self.bytes
    }

    /// What is known about the bytes.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub const fn encoding(self) -> Encoding {
        self.encoding
    }

    /// The text, validated now if it was not before.
    ///
    /// # Errors
    /// `invalid-utf8`, without an offset (the reader knows it).
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn to_str(self) -> Result<&'t str, Error> {
        if self.encoding == Encoding::Unchecked && !utf8::is_valid(self.bytes) {
            return Err(invalid_utf8());
        }
        // SAFETY: valid by the encoding or by the check above.
        Ok(unsafe { core::str::from_utf8_unchecked(self.bytes) })
    }
}

/// The error for text that is not UTF-8; the reader adds offset and path.
#[cold]
#[inline(never)]
pub fn invalid_utf8() -> Error {
    Error::new(Code::InvalidUtf8, "the bytes of a string are not UTF-8")
}

/// What a visitor wants of the value that comes next. Asked after a key and before an element, only if
/// [`Visitor::DEMANDS`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Demand {
    /// The value, by the usual calls.
    #[default]
    Value,
    /// Nothing: the value is validated and [`Visitor::skipped`] is called instead of a value.
    Skip,
    /// Its encoded bytes: the value is validated and [`Visitor::raw`] is called with its slice of the input.
    Raw,
}

/// A field that a schema does not know, kept as it came under `unknown_fields="keep"`.
#[derive(Clone, Copy, Debug)]
pub struct Kept<'k> {
    /// How many entries of the record came before it.
    pub place: usize,
    /// Its name.
    pub name: &'k str,
    /// The format of `bytes`.
    pub format: Format,
    /// Its value, encoded.
    pub bytes: &'k [u8],
}

/// A destination of values. See the module's documentation for the order of the calls.
///
/// Every method may fail; a reader stops at the first error and adds the offset and path of the value.
pub trait Visitor {
    /// False if the visitor ignores what scalars are: a reader then checks them without computing them, and
    /// may pass any value of the kind.
    const VALUES: bool = true;
    /// True if the visitor finds duplicate keys by itself, at the latest in [`end_map`](Self::end_map). The
    /// reader then keeps no set of keys. The exact position of the fault is the reader's business either way.
    const FINDS_DUPLICATES: bool = false;
    /// True if the visitor finds some of the duplicate keys by itself: [`judged`](Self::judged) is to be asked.
    const JUDGES_KEYS: bool = false;
    /// True if [`demand`](Self::demand) is to be asked.
    const DEMANDS: bool = false;
    /// True if the length of a map is but a hint to this visitor, so that an adapter which drops and adds
    /// entries may pass it on.
    const HINTS: bool = false;
    /// True if a compact build (`cfg(samewire_compact)`) reads into this visitor only where every policy has its
    /// default: its code then knows no other.
    const PLAIN: bool = false;
    /// True if JSON numbers with a fraction or exponent are to arrive by [`decimal`](Self::decimal).
    const DECIMALS: bool = false;

    /// A finished value: `()` for a writer, an object for a host's builder.
    type Value;
    /// An open array.
    type Array;
    /// An open map.
    type Map;
    /// A key that waits for its value.
    type Key;

    /// null, false or true.
    fn constant(&mut self, value: Constant) -> Result<Self::Value, Error>;
    /// An integer of −2^63 … 2^63−1.
    fn int(&mut self, value: i64) -> Result<Self::Value, Error>;
    /// An integer of 2^63 … 2^64−1; smaller ones come by [`int`](Self::int).
    fn uint(&mut self, value: u64) -> Result<Self::Value, Error>;
    /// An integer beyond `i64` and `u64`: decimal digits, with `-` in front if negative, no leading zero.
    fn bigint(&mut self, digits: &str) -> Result<Self::Value, Error>;
    /// A binary64, NaN and infinities included.
    fn float(&mut self, value: f64) -> Result<Self::Value, Error>;
    /// A binary32 that is to stay one where the format has it. Only a schema asks for this; readers widen.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn float32(&mut self, value: f32) -> Result<Self::Value, Error> {
        self.float(f64::from(value))
    }
    /// A JSON number with a fraction or exponent: its text, and its nearest binary64 (±infinity if it is
    /// beyond the range). Called only if [`DECIMALS`](Self::DECIMALS).
    ///
    /// # Errors
    /// By default `number-out-of-range` where `value` is infinite.
    fn decimal(&mut self, text: &str, value: f64) -> Result<Self::Value, Error> {
        if value.is_infinite() {
            return Err(Error::new(Code::NumberOutOfRange, alloc::format!("{text} is beyond the range of binary64")));
        }
        self.float(value)
    }
    /// A string. Its bytes may be unchecked: see [`Text`].
    fn str(&mut self, text: Text<'_>) -> Result<Self::Value, Error>;
    /// Binary.
    fn bin(&mut self, bytes: &[u8]) -> Result<Self::Value, Error>;
    /// A point in time.
    fn timestamp(&mut self, value: Timestamp) -> Result<Self::Value, Error>;
    /// An extension of any type but −1 (which is [`timestamp`](Self::timestamp)).
    fn ext(&mut self, kind: i8, bytes: &[u8]) -> Result<Self::Value, Error>;

    /// Opens an array. `len` is its exact length where the reader knows it *and* the memory for it is covered
    /// by the input's size, so a visitor may allocate for it.
    fn begin_array(&mut self, len: Option<usize>) -> Result<Self::Array, Error>;
    /// Adds the next element.
    fn element(&mut self, array: &mut Self::Array, value: Self::Value) -> Result<(), Error>;
    /// Closes an array.
    fn end_array(&mut self, array: Self::Array) -> Result<Self::Value, Error>;

    /// Opens a map; `len` as for [`begin_array`](Self::begin_array).
    fn begin_map(&mut self, len: Option<usize>) -> Result<Self::Map, Error>;
    /// The next key, a string. Its bytes may be unchecked: see [`Text`].
    fn key(&mut self, map: &mut Self::Map, text: Text<'_>) -> Result<Self::Key, Error>;
    /// True if the key that was just taken stands in its map for the first time, or the visitor will find that it
    /// does not. The reader keeps the key otherwise. Asked only if [`JUDGES_KEYS`](Self::JUDGES_KEYS).
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn judged(&self) -> bool {
        false
    }
    /// Told before the calls that make a key which is not a string, so that a writer can put it in place.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn begin_value_key(&mut self, _map: &mut Self::Map) -> Result<(), Error> {
        Ok(())
    }
    /// The next key, any value (option `map_keys="any"`), made by the calls since
    /// [`begin_value_key`](Self::begin_value_key).
    ///
    /// # Errors
    /// By default `map-key-type`.
    fn value_key(&mut self, _map: &mut Self::Map, _value: Self::Value) -> Result<Self::Key, Error> {
        Err(Error::new(Code::MapKeyType, "a key that is not a string has no place here"))
    }
    /// Adds an entry.
    fn entry(&mut self, map: &mut Self::Map, key: Self::Key, value: Self::Value) -> Result<(), Error>;
    /// Closes a map.
    fn end_map(&mut self, map: Self::Map) -> Result<Self::Value, Error>;

    /// What is wanted of the next value; asked only if [`DEMANDS`](Self::DEMANDS).
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn demand(&mut self) -> Demand {
        Demand::Value
    }
    /// Stands for a value that was not wanted.
    ///
    /// # Errors
    /// By default `invalid-state`: only visitors that answer [`Demand::Skip`] get here.
    fn skipped(&mut self) -> Result<Self::Value, Error> {
        Err(Error::new(Code::InvalidState, "a value was skipped that nobody skipped"))
    }
    /// A validated value as the bytes it has in the input.
    ///
    /// # Errors
    /// By default `invalid-state`: only visitors that answer [`Demand::Raw`] get here.
    fn raw(&mut self, _bytes: &[u8]) -> Result<Self::Value, Error> {
        Err(Error::new(Code::InvalidState, "raw bytes arrived that nobody asked for"))
    }

    /// A field that the schema does not know, kept. From a reader it comes between the entries; a host's walker
    /// calls this for each kept field right after [`begin_map`](Self::begin_map), whose length counts them.
    ///
    /// # Errors
    /// By default `invalid-state`, so that nothing is lost in silence.
    fn kept(&mut self, _map: &mut Self::Map, _field: Kept<'_>) -> Result<(), Error> {
        Err(Error::new(Code::InvalidState, "a field was kept that this destination has no place for"))
    }
    /// Where the next entry of the open map will be written; `None` for a visitor that cannot
    /// [`reorder`](Self::reorder) or is to sort by itself.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn place(&self) -> Option<usize> {
        None
    }
    /// Puts the entries of the innermost open map, written since their `places`, into another order: first
    /// the entry of index `order[0]`.
    fn reorder(&mut self, _places: &[usize], _order: &[usize]) {}
}

/// A source of values: drives a visitor through one value and returns what the visitor made of it.
pub trait Reader {
    /// Reads the next value.
    ///
    /// # Errors
    /// The first fault in data order, the reader's own or the visitor's, with offset and path.
    fn read<V: Visitor>(&mut self, visitor: &mut V) -> Result<V::Value, Error>;
}

/// A reader that is needed afterwards.
impl<R: Reader> Reader for &mut R {
    #[inline]
    fn read<V: Visitor>(&mut self, visitor: &mut V) -> Result<V::Value, Error> {
        (**self).read(visitor)
    }
}

/// The visitor that takes everything and keeps nothing: validation is reading into it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nothing;

impl Visitor for Nothing {
    const VALUES: bool = false;
    type Value = ();
    type Array = ();
    type Map = ();
    type Key = ();

    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn constant(&mut self, _: Constant) -> Result<(), Error> {
        Ok(())
    }
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn int(&mut self, _: i64) -> Result<(), Error> {
        Ok(())
    }
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn uint(&mut self, _: u64) -> Result<(), Error> {
        Ok(())
    }
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn bigint(&mut self, _: &str) -> Result<(), Error> {
        Ok(())
    }
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn float(&mut self, _: f64) -> Result<(), Error> {
        Ok(())
    }
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn str(&mut self, _: Text<'_>) -> Result<(), Error> {
        Ok(())
    }
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn bin(&mut self, _: &[u8]) -> Result<(), Error> {
        Ok(())
    }
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn timestamp(&mut self, _: Timestamp) -> Result<(), Error> {
        Ok(())
    }
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn ext(&mut self, _: i8, _: &[u8]) -> Result<(), Error> {
        Ok(())
    }
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn begin_array(&mut self, _: Option<usize>) -> Result<(), Error> {
        Ok(())
    }
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn element(&mut self, _: &mut (), _: ()) -> Result<(), Error> {
        Ok(())
    }
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn end_array(&mut self, _: ()) -> Result<(), Error> {
        Ok(())
    }
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn begin_map(&mut self, _: Option<usize>) -> Result<(), Error> {
        Ok(())
    }
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn key(&mut self, _: &mut (), _: Text<'_>) -> Result<(), Error> {
        Ok(())
    }
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn value_key(&mut self, _: &mut (), _: ()) -> Result<(), Error> {
        Ok(())
    }
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn entry(&mut self, _: &mut (), _: (), _: ()) -> Result<(), Error> {
        Ok(())
    }
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn end_map(&mut self, _: ()) -> Result<(), Error> {
        Ok(())
    }
}
