//! The push reader: structure, limits and policies over the [`Cursor`].
//!
//! The pass that builds keeps no path and, where the visitor finds duplicate keys itself, no keys. When it
//! fails, the input is read once more from the value's start by the same code with `TRACK` on, into nothing:
//! that pass keeps both and finds the first fault in data order with its offset and path.

use alloc::boxed::Box;
use alloc::string::String;

use super::cursor::{Cursor, Rare};
use super::marker::*;
use crate::error::{Code, Error};
use crate::format::Format;
use crate::keys::{Action, KeyBytes, Keys, Open, Plan};
use crate::options::{DuplicateKeys, InvalidUtf8, MapKeys, Options};
use crate::path::Track;
#[cfg(samewire_shared)]
use crate::tape::target::{Made, Shared, Target, shared};
use crate::utf8;
#[cfg(not(samewire_shared))]
use crate::value::Builder;
use crate::value::Value;
#[cfg(not(samewire_shared))]
use crate::visit::Nothing;
use crate::visit::{self, COMPACT, Constant, Demand, SMALLEST, Text, Visitor, invalid_utf8};

/// Reads MessagePack bytes: one value a call of [`read`](visit::Reader::read).
pub struct Reader<'de> {
    pub(crate) cursor: Cursor<'de>,
    pub(crate) max_depth: u32,
    max_items: usize,
    items: usize,
    /// Bytes of input not yet claimed by a header that a visitor may allocate for. All hints together stay
    /// below the input's size, however headers nest.
    budget: usize,
    pub(crate) policy: Policy,
    pub(crate) keys: Keys,
    pub(crate) plan: Option<Box<Plan>>,
    collecting: bool,
    track: Option<Box<Track>>,
    /// The input is the beginning of more: containers may claim what is not there yet.
    open_ended: bool,
}

#[derive(Clone, Copy)]
pub(crate) struct Policy {
    invalid_utf8: InvalidUtf8,
    pub(crate) map_keys: MapKeys,
    duplicate_keys: DuplicateKeys,
    /// Anything that the common path does not serve: strings are checked one by one.
    lenient: bool,
}

/// Reads the one value that `input` is.
///
/// # Errors
/// The first fault in data order; `trailing-data` where bytes follow the value.
pub fn read<V: Visitor>(input: &[u8], options: &Options, visitor: &mut V) -> Result<V::Value, Error> {
    let mut reader = Reader::new(input, options)?;
    let value = visit::Reader::read(&mut reader, visitor)?;
    reader.finish()?;
    Ok(value)
}

impl<'de> Reader<'de> {
    /// A reader of one or more values.
    ///
    /// # Errors
    /// `input-too-large`
    pub fn new(input: &'de [u8], options: &Options) -> Result<Self, Error> {
        let limits = options.limits;
        if input.len() > limits.max_bytes {
            return Err(too_large(input.len(), limits.max_bytes));
        }
        Ok(Reader {
            cursor: Cursor::new(input),
            max_depth: limits.max_depth,
            max_items: limits.max_items,
            items: limits.max_items,
            budget: input.len(),
            policy: Policy {
                invalid_utf8: options.invalid_utf8,
                map_keys: options.map_keys,
                duplicate_keys: options.duplicate_keys,
                lenient: options.invalid_utf8 != InvalidUtf8::Error,
            },
            keys: Keys::default(),
            plan: None,
            collecting: false,
            track: None,
            open_ended: false,
        })
    }

    /// The first fault of bytes that are only the beginning of a value, all of which may be wanting: the one that
    /// they have in any case, whatever follows them, or where they end.
    pub(crate) fn fault_in_beginning(input: &'de [u8], options: &Options) -> Option<Error> {
        let mut reader = Reader::new(input, options).ok()?;
        reader.open_ended = true;
        #[cfg(not(samewire_shared))]
        return visit::Reader::read(&mut reader, &mut Nothing).err();
        #[cfg(samewire_shared)]
        visit::Reader::read(&mut reader, &mut shared(&mut Target::Nothing)).err()
    }

    /// Bytes read so far.
    pub fn position(&self) -> usize {
        self.cursor.offset()
    }

    /// Moves to an offset in the input.
    ///
    /// # Panics
    /// If the offset is beyond the end.
    pub fn seek(&mut self, offset: usize) {
        self.cursor.seek(offset);
    }

    /// Checks that nothing follows.
    ///
    /// # Errors
    /// `trailing-data` at the first byte that follows.
    pub fn finish(&mut self) -> Result<(), Error> {
        match self.cursor.remaining() {
            0 => Ok(()),
            n => Err(Error::new(Code::TrailingData, message![n, " bytes follow the value"])
                .at(self.cursor.offset())
                .with_path("")),
        }
    }

    /// A reader over the same input from `start`, for another pass.
    fn again(&self, start: usize) -> Reader<'de> {
        let mut cursor = self.cursor.clone();
        cursor.seek(start);
        Reader {
            cursor,
            max_depth: self.max_depth,
            max_items: self.max_items,
            items: self.max_items,
            budget: 0,
            policy: self.policy,
            keys: Keys::default(),
            plan: None,
            collecting: false,
            track: None,
            open_ended: self.open_ended,
        }
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn locate(&mut self, start: usize, error: Error) -> Error {
        if error.has_path() {
            return error;
        }
        let mut pass = self.again(start);
        pass.collecting = !SMALLEST && self.policy.duplicate_keys != DuplicateKeys::Error;
        pass.plan = pass.collecting.then(Box::default);
        pass.track = Some(Box::new(Track::new(&error, self.cursor.offset())));
        let fault = pass.check::<true>().err();
        match pass.track.take() {
            Some(track) => track.settle(fault, error),
            None => error,
        }
    }

    /// Finds which entries lose, when the option says that some do.
    #[cold]
    #[inline(never)]
    fn make_plan(&mut self, start: usize) -> Result<Option<Box<Plan>>, Error> {
        let mut pass = self.again(start);
        pass.collecting = true;
        pass.plan = Some(Box::default());
        pass.check::<false>()?;
        let plan = pass.plan.take().filter(|p| !p.is_empty());
        Ok(plan.map(|plan| Box::new(plan.made())))
    }

    /// Sets the plan for a pass that is not the reader's own, up to the first fault: that pass finds it again,
    /// unless it has an earlier one.
    pub(crate) fn plan_ahead(&mut self) {
        if self.policy.duplicate_keys != DuplicateKeys::Error {
            let mut pass = self.again(self.cursor.offset());
            pass.collecting = true;
            pass.plan = Some(Box::default());
            let _ = pass.check::<false>();
            self.plan = pass.plan.map(|plan| Box::new(plan.made()));
        }
    }

    /// Reads a value into nothing.
    fn check<const TRACK: bool>(&mut self) -> Result<(), Error> {
        #[cfg(not(samewire_shared))]
        return self.value::<Nothing, TRACK>(&mut Nothing);
        #[cfg(samewire_shared)]
        self.value::<Shared, true>(&mut shared(&mut Target::Nothing)).map(drop)
    }

    /// Reads a key that is not text into a tree: by the way of the pass that tracks, which knows the byte of a fault,
    /// but what is inside a key has no place in a path.
    fn tree(&mut self, depth: u32) -> Result<Value, Error> {
        let track = self.track.take();
        #[cfg(not(samewire_shared))]
        let value = self.item_apart::<Builder, true>(&mut Builder, depth);
        #[cfg(samewire_shared)]
        let value = self.item_apart::<Shared, true>(&mut shared(&mut Target::Tree), depth).map(Made::into_tree);
        self.track = track;
        value
    }

    /// True in the code that serves the default policies only: see [`Visitor::PLAIN`].
    const fn plain<const TRACK: bool>() -> bool {
        SMALLEST || (COMPACT && !TRACK)
    }

    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn track<const TRACK: bool>(&mut self) -> Option<&mut Track> {
        if TRACK { self.track.as_deref_mut() } else { None }
    }

    fn value<V: Visitor, const TRACK: bool>(&mut self, visitor: &mut V) -> Result<V::Value, Error> {
        if self.items == 0 {
            return Err(self.too_many_items(self.cursor.offset()));
        }
        self.items -= 1;
        self.item_apart::<V, TRACK>(visitor, self.max_depth)
    }

    /// The pass that builds.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn built<V: Visitor>(&mut self, visitor: &mut V) -> Result<V::Value, Error> {
        if COMPACT && !V::PLAIN { self.value::<V, true>(visitor) } else { self.value::<V, false>(visitor) }
    }

    /// [`item`](Self::item), where it is not worth its size.
    #[inline(never)]
    fn item_apart<V: Visitor, const TRACK: bool>(&mut self, visitor: &mut V, depth: u32) -> Result<V::Value, Error> {
        self.item::<V, TRACK>(visitor, depth)
    }

    /// [`key`](Self::key) in a pass that tracks nothing.
    fn key_apart<V: Visitor>(
        &mut self,
        visitor: &mut V,
        map: &mut V::Map,
        open: &mut Open,
        depth: u32,
    ) -> Result<V::Key, Error> {
        if COMPACT && !V::PLAIN {
            return self.key::<V, true>(visitor, map, open, depth);
        }
        self.key::<V, false>(visitor, map, open, depth)
    }

    /// [`demanded`](Self::demanded), where it is not worth its size.
    fn demanded_apart<V: Visitor>(&mut self, visitor: &mut V, depth: u32) -> Result<V::Value, Error> {
        if COMPACT && !V::PLAIN {
            self.demanded::<V, true>(visitor, depth)
        } else if V::DEMANDS {
            self.demanded::<V, false>(visitor, depth)
        } else {
            self.item_apart::<V, false>(visitor, depth)
        }
    }

    /// One value. The commonest kinds are inline in the containers' loops.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn item<V: Visitor, const TRACK: bool>(&mut self, visitor: &mut V, depth: u32) -> Result<V::Value, Error> {
        let Some(marker) = self.cursor.peek() else { return Err(self.cursor.truncated()) };
        let at = self.cursor.offset();
        if let Some(track) = self.track::<TRACK>() {
            track.begin(at)?;
        }
        if marker <= POSITIVE_FIXINT_MAX {
            // SAFETY: there is a byte.
            unsafe { self.cursor.advance(1) };
            return visitor.int(i64::from(marker)).map_err(|e| e.at(at));
        }
        if marker & 0xe0 == FIXSTR {
            // SAFETY: there is a byte.
            unsafe { self.cursor.advance(1) };
            return self.text::<V, TRACK>(visitor, usize::from(marker & 31), at);
        }
        if marker == FLOAT64 && self.cursor.remaining() >= 9 {
            // SAFETY: nine bytes remain.
            let value = unsafe {
                self.cursor.advance(1);
                f64::from_bits(self.cursor.be::<8>().unwrap_unchecked())
            };
            return visitor.float(value).map_err(|e| e.at(at));
        }
        if (UINT8..=INT64).contains(&marker) && self.cursor.remaining() >= 9 {
            // SAFETY: nine bytes remain, the marker is in the range.
            let (value, large) = unsafe { self.cursor.wide_int(marker) };
            let result = if large { visitor.uint(value) } else { visitor.int(value.cast_signed()) };
            return result.map_err(|e| e.at(at));
        }
        if marker & 0xf0 == FIXMAP {
            // SAFETY: there is a byte.
            unsafe { self.cursor.advance(1) };
            return self.map::<V, TRACK>(visitor, usize::from(marker & 15), at, depth);
        }
        if marker & 0xf0 == FIXARRAY {
            // SAFETY: there is a byte.
            unsafe { self.cursor.advance(1) };
            return self.array::<V, TRACK>(visitor, usize::from(marker & 15), at, depth);
        }
        if (NIL..=TRUE).contains(&marker) && marker != NEVER_USED {
            // SAFETY: there is a byte.
            unsafe { self.cursor.advance(1) };
            const CONSTANTS: [Constant; 4] = [Constant::Null, Constant::Null, Constant::False, Constant::True];
            return visitor.constant(CONSTANTS[usize::from(marker & 3)]).map_err(|e| e.at(at));
        }
        match marker {
            ARRAY16 | ARRAY32 => {
                // SAFETY: there is a byte.
                unsafe { self.cursor.advance(1) };
                let n = if marker == ARRAY16 { self.cursor.be::<2>()? } else { self.cursor.be::<4>()? };
                self.array::<V, TRACK>(visitor, n as usize, at, depth)
            }
            MAP16 | MAP32 => {
                // SAFETY: there is a byte.
                unsafe { self.cursor.advance(1) };
                let n = if marker == MAP16 { self.cursor.be::<2>()? } else { self.cursor.be::<4>()? };
                self.map::<V, TRACK>(visitor, n as usize, at, depth)
            }
            _ => self.rare::<V, TRACK>(visitor, at),
        }
    }

    /// Scalars that are not inline.
    #[inline(never)]
    fn rare<V: Visitor, const TRACK: bool>(&mut self, visitor: &mut V, at: usize) -> Result<V::Value, Error> {
        let result = match self.cursor.rare(at)? {
            Rare::Text(bytes) => return self.text_of::<V, TRACK>(visitor, bytes, at),
            Rare::Int(value) => visitor.int(value),
            Rare::Uint(value) => visitor.uint(value),
            Rare::Float(value) => visitor.float(value),
            Rare::Bin(bytes) => visitor.bin(bytes),
            Rare::Time(value) => visitor.timestamp(value),
            Rare::Ext(kind, bytes) => visitor.ext(kind, bytes),
        };
        result.map_err(|e| e.at(at))
    }

    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn text<V: Visitor, const TRACK: bool>(&mut self, visitor: &mut V, n: usize, at: usize) -> Result<V::Value, Error> {
        let bytes = self.cursor.payload(n, at)?;
        self.text_of::<V, TRACK>(visitor, bytes, at)
    }

    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn text_of<V: Visitor, const TRACK: bool>(
        &mut self,
        visitor: &mut V,
        bytes: &[u8],
        at: usize,
    ) -> Result<V::Value, Error> {
        if !V::VALUES || TRACK || (!Self::plain::<TRACK>() && self.policy.lenient) {
            return self.checked_text(visitor, bytes, at);
        }
        visitor.str(Text::unchecked(bytes)).map_err(|e| e.at(at))
    }

    /// A string that the reader must look at: nobody else does, or bad bytes have a policy.
    #[cfg_attr(samewire_compact, inline(never))]
    #[cfg_attr(not(samewire_compact), inline(always))]
    fn checked_text<V: Visitor>(&mut self, visitor: &mut V, bytes: &[u8], at: usize) -> Result<V::Value, Error> {
        if utf8::is_valid(bytes) {
            // SAFETY: just checked.
            let text = unsafe { Text::with_encoding(bytes, visit::Encoding::Utf8) };
            return visitor.str(text).map_err(|e| e.at(at));
        }
        match self.policy.invalid_utf8 {
            _ if SMALLEST => Err(self.bad_text(bytes)),
            InvalidUtf8::Error => Err(self.bad_text(bytes)),
            InvalidUtf8::Replace => visitor.str(Text::new(&String::from_utf8_lossy(bytes))).map_err(|e| e.at(at)),
            InvalidUtf8::Bytes => visitor.bin(bytes).map_err(|e| e.at(at)),
        }
    }

    #[cold]
    #[inline(never)]
    fn bad_text(&self, bytes: &[u8]) -> Error {
        let start = bytes.as_ptr() as usize - self.cursor.input().as_ptr() as usize;
        invalid_utf8().at(start + utf8::valid_up_to(bytes))
    }

    /// A container's checks, in the order of its bytes: what its header claims, then what it is.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub(crate) fn open(&mut self, n: usize, each: usize, at: usize, depth: u32) -> Result<Option<usize>, Error> {
        if depth == 0 {
            return Err(self.too_deep(at));
        }
        if let Err(error) = self.cursor.claim(n, each, at)
            && !self.open_ended
        {
            return Err(error);
        }
        if n > self.items {
            return Err(self.too_many_items(at));
        }
        self.items -= n;
        if n > self.budget {
            return Ok(None);
        }
        self.budget -= n;
        Ok(Some(n))
    }

    #[inline(never)]
    fn array<V: Visitor, const TRACK: bool>(
        &mut self,
        visitor: &mut V,
        n: usize,
        at: usize,
        depth: u32,
    ) -> Result<V::Value, Error> {
        let hint = self.open(n, 1, at, depth)?;
        let mut array = visitor.begin_array(hint).map_err(|e| e.at(at))?;
        for index in 0..n {
            if let Some(track) = self.track::<TRACK>() {
                track.enter_element(index);
            }
            let value = self.demanded::<V, TRACK>(visitor, depth - 1)?;
            visitor.element(&mut array, value).map_err(|e| e.at(at))?;
            if let Some(track) = self.track::<TRACK>() {
                track.leave();
            }
        }
        visitor.end_array(array).map_err(|e| e.at(at))
    }

    #[inline(never)]
    fn map<V: Visitor, const TRACK: bool>(
        &mut self,
        visitor: &mut V,
        n: usize,
        at: usize,
        depth: u32,
    ) -> Result<V::Value, Error> {
        let hint = self.open(n, 2, at, depth)?;
        // With a plan fewer entries arrive than the header counts.
        let hint = if !Self::plain::<TRACK>() && self.plan.is_some() { None } else { hint };
        let mut map = visitor.begin_map(hint).map_err(|e| e.at(at))?;
        let mut open = self.keys.open();
        for _ in 0..n {
            let key_at = self.cursor.offset();
            if !Self::plain::<TRACK>() && !self.collecting && self.plan.is_some() {
                self.planned_entry(visitor, &mut map, depth - 1)?;
                continue;
            }
            let key = self.key::<V, TRACK>(visitor, &mut map, &mut open, depth - 1)?;
            let value = self.demanded::<V, TRACK>(visitor, depth - 1)?;
            visitor.entry(&mut map, key, value).map_err(|e| e.at(key_at))?;
            if let Some(track) = self.track::<TRACK>() {
                track.leave();
            }
        }
        self.keys.close(&open);
        visitor.end_map(map).map_err(|e| e.at(at))
    }

    /// An element or an entry's value, in the way the visitor wants it.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn demanded<V: Visitor, const TRACK: bool>(&mut self, visitor: &mut V, depth: u32) -> Result<V::Value, Error> {
        if V::DEMANDS {
            let demand = visitor.demand();
            if demand != Demand::Value {
                let at = self.cursor.offset();
                self.skip::<TRACK>(depth)?;
                let result = if demand == Demand::Skip {
                    visitor.skipped()
                } else {
                    visitor.raw(&self.cursor.input()[at..self.cursor.offset()])
                };
                return result.map_err(|e| e.at(at));
            }
        }
        if COMPACT && !V::PLAIN {
            self.item_apart::<V, TRACK>(visitor, depth)
        } else {
            self.item::<V, TRACK>(visitor, depth)
        }
    }

    #[inline(never)]
    pub(crate) fn skip<const TRACK: bool>(&mut self, depth: u32) -> Result<(), Error> {
        #[cfg(not(samewire_shared))]
        return self.item::<Nothing, TRACK>(&mut Nothing, depth);
        #[cfg(samewire_shared)]
        self.item_apart::<Shared, true>(&mut shared(&mut Target::Nothing), depth).map(drop)
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(any(debug_assertions, samewire_smallest)), inline(always))]
    fn key<V: Visitor, const TRACK: bool>(
        &mut self,
        visitor: &mut V,
        map: &mut V::Map,
        open: &mut Open,
        depth: u32,
    ) -> Result<V::Key, Error> {
        let at = self.cursor.offset();
        if let Some(track) = self.track::<TRACK>() {
            track.begin(at)?;
        }
        let marker = self.cursor.marker()?;
        let Some(n) = self.cursor.str_len(marker)? else {
            if SMALLEST && TRACK {
                return Err(no_key(marker, at));
            }
            if Self::plain::<TRACK>() {
                // The pass that looks for the place finds what is wrong with it.
                return Err(Error::new(Code::InvalidMarker, ""));
            }
            self.cursor.seek(at);
            return self.other_key::<V, TRACK>(visitor, map, open, depth);
        };
        let bytes = self.cursor.payload(n, at)?;
        if (!V::VALUES || TRACK || (!Self::plain::<TRACK>() && self.policy.lenient)) && !utf8::is_valid(bytes) {
            if SMALLEST {
                return Err(self.bad_text(bytes));
            }
            return self.bad_key::<V, TRACK>(visitor, map, open, bytes, at);
        }
        let first = TRACK || (!Self::plain::<TRACK>() && self.collecting);
        if first || !(V::FINDS_DUPLICATES || V::JUDGES_KEYS) {
            self.remember::<TRACK>(open, KeyBytes::Input(bytes), at, |bytes| {
                String::from_utf8_lossy(bytes).into_owned()
            })?;
        }
        let key = visitor.key(map, Text::unchecked(bytes)).map_err(|e| e.at(at))?;
        if V::JUDGES_KEYS && !visitor.judged() && !first {
            self.remember::<false>(open, KeyBytes::Input(bytes), at, |_| String::new())?;
        }
        Ok(key)
    }

    /// Keeps a key and finds its earlier twin; in the tracking pass also enters its entry.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn remember<const TRACK: bool>(
        &mut self,
        open: &mut Open,
        key: KeyBytes<'_>,
        at: usize,
        shown: impl FnOnce(&[u8]) -> String,
    ) -> Result<(), Error> {
        let twin = self.keys.insert(open, self.cursor.input(), key, at);
        if let Some(track) = self.track::<TRACK>() {
            let (KeyBytes::Input(bytes) | KeyBytes::Transient(bytes) | KeyBytes::Encoded(bytes)) = key;
            track.enter_entry(&shown(bytes), at);
        }
        match twin {
            None => Ok(()),
            Some(_) if Self::plain::<TRACK>() => Err(Error::new(Code::DuplicateKey, "").at(at)),
            Some(first) => self.repeated(first, at),
        }
    }

    #[cold]
    #[inline(never)]
    fn repeated(&mut self, first: usize, at: usize) -> Result<(), Error> {
        if !self.collecting {
            return Err(Error::new(Code::DuplicateKey, "a key stands twice in a map").at(at));
        }
        let value = (self.policy.duplicate_keys == DuplicateKeys::Last).then(|| self.cursor.offset());
        if let Some(plan) = &mut self.plan {
            plan.repeat(first, at, value);
        }
        Ok(())
    }

    /// A key that is not UTF-8.
    #[cold]
    #[inline(never)]
    fn bad_key<V: Visitor, const TRACK: bool>(
        &mut self,
        visitor: &mut V,
        map: &mut V::Map,
        open: &mut Open,
        bytes: &[u8],
        at: usize,
    ) -> Result<V::Key, Error> {
        match self.policy.invalid_utf8 {
            InvalidUtf8::Replace => {
                let text = String::from_utf8_lossy(bytes).into_owned();
                self.remember::<TRACK>(open, KeyBytes::Transient(text.as_bytes()), at, |_| text.clone())?;
                visitor.key(map, Text::new(&text)).map_err(|e| e.at(at))
            }
            InvalidUtf8::Bytes => self.value_key::<V, TRACK>(visitor, map, open, Value::Bin(bytes.into()), at),
            InvalidUtf8::Error => Err(self.bad_text(bytes)),
        }
    }

    /// A key that is not a string.
    #[cold]
    #[inline(never)]
    fn other_key<V: Visitor, const TRACK: bool>(
        &mut self,
        visitor: &mut V,
        map: &mut V::Map,
        open: &mut Open,
        depth: u32,
    ) -> Result<V::Key, Error> {
        let at = self.cursor.offset();
        if self.policy.map_keys == MapKeys::Str {
            let marker = self.cursor.marker()?;
            return Err(no_key(marker, at));
        }
        let value = self.tree(depth)?;
        self.value_key::<V, TRACK>(visitor, map, open, value, at)
    }

    #[cold]
    fn value_key<V: Visitor, const TRACK: bool>(
        &mut self,
        visitor: &mut V,
        map: &mut V::Map,
        open: &mut Open,
        value: Value,
        at: usize,
    ) -> Result<V::Key, Error> {
        let as_text = || crate::key_text::key_text(&value).map_err(|e| e.at(at));
        match self.policy.map_keys {
            MapKeys::Str => Err(Error::new(Code::MapKeyType, "a map key is not a string").at(at)),
            MapKeys::Stringify => {
                let text = as_text()?;
                self.remember::<TRACK>(open, KeyBytes::Transient(text.as_bytes()), at, |_| text.clone())?;
                visitor.key(map, Text::new(&text)).map_err(|e| e.at(at))
            }
            MapKeys::Any => {
                let any = Options { map_keys: MapKeys::Any, ..Options::default() };
                let encoded = crate::transcode::to_vec(Format::MessagePack, &value, &any).map_err(|e| e.at(at))?;
                let shown = |_: &[u8]| crate::key_text::key_text(&value).unwrap_or_default();
                self.remember::<TRACK>(open, KeyBytes::Encoded(&encoded), at, shown)?;
                visitor.begin_value_key(map).map_err(|e| e.at(at))?;
                let key = value.visit(visitor).map_err(|e| e.at(at))?;
                visitor.value_key(map, key).map_err(|e| e.at(at))
            }
        }
    }

    /// An entry under a [`Plan`]: the last value in the first one's place, the others left out.
    #[cold]
    #[inline(never)]
    fn planned_entry<V: Visitor>(&mut self, visitor: &mut V, map: &mut V::Map, depth: u32) -> Result<(), Error> {
        let key_at = self.cursor.offset();
        let action = self.plan.as_ref().and_then(|p| p.at(key_at));
        if matches!(action, Some(Action::Skip)) {
            self.skip_any_key(depth)?;
            return self.skip::<false>(depth);
        }
        let mut open = self.keys.open();
        let key = self.key_apart::<V>(visitor, map, &mut open, depth)?;
        self.keys.close(&open);
        let value = match action {
            Some(Action::ValueAt(offset)) => {
                let own = self.cursor.offset();
                self.cursor.seek(offset);
                let value = self.demanded_apart::<V>(visitor, depth)?;
                self.cursor.seek(own);
                self.skip::<false>(depth)?;
                value
            }
            _ => self.demanded_apart::<V>(visitor, depth)?,
        };
        visitor.entry(map, key, value).map_err(|e| e.at(key_at))
    }

    /// Steps over a key that the plan's pass has checked.
    pub(crate) fn skip_any_key(&mut self, depth: u32) -> Result<(), Error> {
        let at = self.cursor.offset();
        let marker = self.cursor.marker()?;
        match self.cursor.str_len(marker)? {
            Some(n) => self.cursor.payload(n, at).map(drop),
            None => {
                self.cursor.seek(at);
                self.skip::<false>(depth)
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn too_deep(&self, at: usize) -> Error {
        let max = self.max_depth;
        Error::new(Code::DepthExceeded, message!["containers nest deeper than ", max]).at(at)
    }

    #[cold]
    #[inline(never)]
    fn too_many_items(&self, at: usize) -> Error {
        let max = self.max_items;
        Error::new(Code::TooManyItems, message!["the input has more than ", max, " values"]).at(at)
    }
}

impl visit::Reader for Reader<'_> {
    fn read<V: Visitor>(&mut self, visitor: &mut V) -> Result<V::Value, Error> {
        let start = self.cursor.offset();
        self.items = self.max_items;
        self.keys.clear();
        if !SMALLEST && (!V::PLAIN || !COMPACT) && self.policy.duplicate_keys != DuplicateKeys::Error {
            self.plan = match self.make_plan(start) {
                Ok(plan) => plan,
                Err(e) => return Err(self.locate(start, e)),
            };
            if self.plan.is_none() {
                // Nothing stands twice: the ordinary pass, which will find the same.
                return self.built(visitor).map_err(|e| self.locate(start, e));
            }
        }
        match self.built(visitor) {
            Ok(value) => Ok(value),
            Err(e) => Err(self.locate(start, e)),
        }
    }
}

/// The error for a marker where a string is to be.
#[cold]
fn no_key(marker: u8, at: usize) -> Error {
    if marker == NEVER_USED {
        return Error::new(Code::InvalidMarker, "the byte 0xc1 begins no value").at(at);
    }
    wrong_key_type(marker, at)
}

#[cold]
pub(crate) fn wrong_key_type(marker: u8, at: usize) -> Error {
    let kind = match marker {
        NIL => "null",
        FALSE | TRUE => "a bool",
        BIN8..=BIN32 => "binary",
        FLOAT32 | FLOAT64 => "a float",
        0..=POSITIVE_FIXINT_MAX | UINT8..=INT64 | NEGATIVE_FIXINT..=0xff => "an integer",
        0x90..=0x9f | ARRAY16 | ARRAY32 => "an array",
        0x80..=0x8f | MAP16 | MAP32 => "a map",
        _ => "an extension",
    };
    Error::new(Code::MapKeyType, message!["a map key is ", kind, ", not a string (option map_keys allows others)"])
        .at(at)
}

#[cold]
pub(crate) fn too_large(len: usize, max: usize) -> Error {
    Error::new(Code::InputTooLarge, message!["the input has ", len, " bytes, more than max_bytes = ", max])
        .at(max)
        .with_path("")
}
