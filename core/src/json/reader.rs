//! The push reader: structure, limits and policies over the [`Cursor`].
//!
//! The pass that builds keeps no path and, where the visitor finds duplicate keys itself, no keys. When it
//! fails, the input is read once more from the value's start by the same code with `TRACK` on, into nothing:
//! that pass keeps both and finds the first fault in data order with its offset and path.

use alloc::boxed::Box;
use alloc::string::String;

use super::cursor::{Cursor, depth_exceeded};
use super::number::{Number, out_of_range};
use super::string::Chars;
use crate::error::{Code, Error};
use crate::keys::{Action, KeyBytes, Keys, Open, Plan};
use crate::options::{DuplicateKeys, Options};
use crate::path::Track;
#[cfg(samewire_shared)]
use crate::tape::target::{Shared, Target, shared};
#[cfg(not(samewire_shared))]
use crate::visit::Nothing;
use crate::visit::{self, COMPACT, Demand, SMALLEST, Text, Visitor};

/// Reads JSON text: one value a call of [`read`](visit::Reader::read).
pub struct Reader<'de> {
    pub(crate) cursor: Cursor<'de>,
    pub(crate) max_depth: u32,
    max_items: usize,
    pub(crate) items: usize,
    duplicate_keys: DuplicateKeys,
    pub(crate) keys: Keys,
    pub(crate) plan: Option<Box<Plan>>,
    /// This pass makes a plan, or goes over one again: duplicate keys are allowed.
    collecting: bool,
    /// Such a pass was made, so this one keeps no keys.
    planned: bool,
    track: Option<Box<Track>>,
    /// The visitor of the pass that builds takes decimals, which have no range.
    decimals: bool,
}

/// No offset.
const NOWHERE: usize = usize::MAX;

/// Reads the one value that `input` is.
///
/// # Errors
/// The first fault in data order; `trailing-data` where more than whitespace follows the value.
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
            return Err(crate::msgpack::reader::too_large(input.len(), limits.max_bytes));
        }
        Ok(Reader {
            cursor: Cursor::new(input, options),
            max_depth: limits.max_depth,
            max_items: limits.max_items,
            items: limits.max_items,
            duplicate_keys: options.duplicate_keys,
            keys: Keys::default(),
            plan: None,
            collecting: false,
            planned: false,
            track: None,
            decimals: false,
        })
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

    /// Checks that nothing but whitespace follows.
    ///
    /// # Errors
    /// `trailing-data` at the first byte that follows.
    pub fn finish(&mut self) -> Result<(), Error> {
        self.cursor.skip_whitespace();
        match self.cursor.left() {
            0 => Ok(()),
            n => Err(Error::new(Code::TrailingData, message![n, " bytes follow the value"])
                .at(self.cursor.offset())
                .with_path("")),
        }
    }

    /// A reader over the same input from `start`, for another pass.
    fn again(&self, start: usize) -> Reader<'de> {
        let mut cursor = self.cursor.again();
        cursor.seek(start);
        Reader {
            cursor,
            max_depth: self.max_depth,
            max_items: self.max_items,
            items: self.max_items,
            duplicate_keys: self.duplicate_keys,
            keys: Keys::default(),
            plan: None,
            collecting: false,
            planned: false,
            track: None,
            decimals: self.decimals,
        }
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn locate(&self, start: usize, error: Error) -> Error {
        if error.has_path() {
            return error;
        }
        let mut pass = self.again(start);
        pass.collecting = !SMALLEST && self.duplicate_keys != DuplicateKeys::Error;
        pass.plan = pass.collecting.then(Box::default);
        pass.track = Some(Box::new(Track::new(&error, self.cursor.offset())));
        let fault = pass.check::<true>().err();
        match pass.track.take() {
            Some(track) => track.settle(fault, error),
            None => error,
        }
    }

    /// Finds which entries lose, when the option says that some do; up to the first fault, which the pass
    /// that builds will find as well, unless its visitor has an earlier one.
    #[cold]
    #[inline(never)]
    fn make_plan(&self, start: usize) -> Option<Box<Plan>> {
        let mut pass = self.again(start);
        pass.collecting = true;
        pass.plan = Some(Box::default());
        let _ = pass.check::<false>();
        let plan = pass.plan.take().filter(|p| !p.is_empty());
        plan.map(|plan| Box::new(plan.made()))
    }

    /// Sets the plan for a pass that is not the reader's own.
    pub(crate) fn plan_ahead(&mut self) {
        if self.duplicate_keys != DuplicateKeys::Error {
            self.plan = Some(self.make_plan(self.cursor.offset()).unwrap_or_default());
            self.planned = true;
        }
    }

    /// Reads a value into nothing.
    fn check<const TRACK: bool>(&mut self) -> Result<(), Error> {
        #[cfg(not(samewire_shared))]
        return self.value::<Nothing, TRACK>(&mut Nothing);
        #[cfg(samewire_shared)]
        self.value::<Shared, true>(&mut shared(&mut Target::Nothing)).map(drop)
    }

    /// True in the code that serves the default policies only: see [`Visitor::PLAIN`].
    const fn plain<const TRACK: bool>() -> bool {
        SMALLEST || (COMPACT && !TRACK)
    }

    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn track<const TRACK: bool>(&mut self) -> Option<&mut Track> {
        if TRACK { self.track.as_deref_mut() } else { None }
    }

    /// Ends the tracking pass where the other one failed.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn reached<const TRACK: bool>(&mut self) -> Result<(), Error> {
        let at = self.cursor.offset();
        if let Some(track) = self.track::<TRACK>() {
            track.reached(at)?;
        }
        Ok(())
    }

    fn value<V: Visitor, const TRACK: bool>(&mut self, visitor: &mut V) -> Result<V::Value, Error> {
        let first = self.cursor.skip_whitespace();
        self.item_apart::<V, TRACK>(visitor, first, self.max_depth)
    }

    /// One value that begins with `first`. The commonest kinds are inline in the containers' loops.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn item<V: Visitor, const TRACK: bool>(
        &mut self,
        visitor: &mut V,
        first: u8,
        depth: u32,
    ) -> Result<V::Value, Error> {
        let at = self.cursor.offset();
        if let Some(track) = self.track::<TRACK>() {
            track.begin(at)?;
        }
        if self.items == 0 {
            return Err(self.too_many_items(first));
        }
        self.items -= 1;
        match first {
            b'"' => self.string::<V, TRACK>(visitor, at),
            b'-' | b'0'..=b'9' => self.number(visitor, first, at),
            b'{' => self.map::<V, TRACK>(visitor, at, depth),
            b'[' => self.array::<V, TRACK>(visitor, at, depth),
            _ => {
                let constant = self.cursor.literal(first)?;
                visitor.constant(constant).map_err(|e| e.at(at))
            }
        }
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(any(debug_assertions, samewire_smallest)), inline(always))]
    fn string<V: Visitor, const TRACK: bool>(&mut self, visitor: &mut V, at: usize) -> Result<V::Value, Error> {
        if !V::VALUES {
            self.cursor.skip_string()?;
            return visitor.str(Text::new("")).map_err(|e| e.at(at));
        }
        let chars = if COMPACT && TRACK { self.cursor.string_apart()? } else { self.cursor.string()? };
        let text = chars.text();
        if COMPACT && TRACK && text.to_str().is_err() {
            return Err(self.cursor.string_fault(at));
        }
        visitor.str(text).map_err(|e| e.at(at))
    }

    #[cfg_attr(any(debug_assertions, target_arch = "wasm32"), inline(never))]
    #[cfg_attr(not(any(debug_assertions, samewire_smallest, target_arch = "wasm32")), inline(always))]
    fn number<V: Visitor>(&mut self, visitor: &mut V, first: u8, at: usize) -> Result<V::Value, Error> {
        if !V::VALUES {
            if self.cursor.skip_number_text(first)? {
                self.check_range(at)?;
            }
            return visitor.int(0).map_err(|e| e.at(at));
        }
        let number = if COMPACT && !V::PLAIN { self.cursor.number_apart(first)? } else { self.cursor.number(first)? };
        let result = match number {
            Number::Int(value) => visitor.int(value),
            Number::Float(value) if V::DECIMALS => {
                // SAFETY: a number's text is ASCII.
                let text = unsafe { core::str::from_utf8_unchecked(self.cursor.since(at)) };
                if text == "-0" { visitor.float(value) } else { visitor.decimal(text, value) }
            }
            Number::Float(value) if value.is_infinite() && !self.decimals => Err(out_of_range(self.cursor.since(at))),
            Number::Float(value) => visitor.float(value),
            Number::Uint(value) => visitor.uint(value),
            Number::Big(digits) => visitor.bigint(digits),
        };
        result.map_err(|e| e.at(at))
    }

    /// A number that was stepped over and may be beyond the range.
    #[cold]
    #[inline(never)]
    fn check_range(&self, at: usize) -> Result<(), Error> {
        let text = self.cursor.since(at);
        if !self.decimals && crate::float::parse(text).is_infinite() {
            return Err(out_of_range(text).at(at));
        }
        Ok(())
    }

    /// Steps into a container and returns the byte after its bracket and whitespace.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn open<const TRACK: bool>(&mut self, at: usize, depth: u32) -> Result<(), Error> {
        if depth == 0 {
            return Err(depth_exceeded(self.max_depth).at(at));
        }
        // SAFETY: the bracket is there.
        unsafe { self.cursor.advance(1) };
        Ok(())
    }

    #[inline(never)]
    fn array<V: Visitor, const TRACK: bool>(
        &mut self,
        visitor: &mut V,
        at: usize,
        depth: u32,
    ) -> Result<V::Value, Error> {
        self.open::<TRACK>(at, depth)?;
        let mut array = visitor.begin_array(None).map_err(|e| e.at(at))?;
        self.reached::<TRACK>()?;
        let mut next = self.cursor.skip_whitespace();
        if next != b']' {
            if next == 0 && self.cursor.at_end() {
                return Err(self.cursor.fault("a value or ']'"));
            }
            let mut index = 0;
            loop {
                if let Some(track) = self.track::<TRACK>() {
                    track.enter_element(index);
                    index += 1;
                }
                let value = self.demanded::<V, TRACK>(visitor, next, depth - 1)?;
                visitor.element(&mut array, value).map_err(|e| e.at(at))?;
                if let Some(track) = self.track::<TRACK>() {
                    track.leave();
                }
                self.reached::<TRACK>()?;
                next = self.cursor.skip_whitespace();
                if next != b',' {
                    break;
                }
                // SAFETY: the comma is there.
                unsafe { self.cursor.advance(1) };
                next = self.cursor.skip_whitespace();
            }
            if next != b']' {
                return Err(self.cursor.fault("',' or ']'"));
            }
        }
        // SAFETY: the bracket is there.
        unsafe { self.cursor.advance(1) };
        visitor.end_array(array).map_err(|e| e.at(at))
    }

    #[inline(never)]
    fn map<V: Visitor, const TRACK: bool>(
        &mut self,
        visitor: &mut V,
        at: usize,
        depth: u32,
    ) -> Result<V::Value, Error> {
        self.open::<TRACK>(at, depth)?;
        let mut map = visitor.begin_map(None).map_err(|e| e.at(at))?;
        self.reached::<TRACK>()?;
        let mut next = self.cursor.skip_whitespace();
        if next != b'}' {
            let mut open = self.keys.open();
            loop {
                if next != b'"' {
                    return Err(self.cursor.fault(if self.cursor.since(at).len() == 1 {
                        "a string as key or '}'"
                    } else {
                        "a string as key"
                    }));
                }
                let key_at = self.cursor.offset();
                'entry: {
                    let mut value_at = NOWHERE;
                    if !Self::plain::<TRACK>() && self.plan.is_some() && !self.collecting {
                        match self.action(key_at) {
                            None => {}
                            Some(Action::ValueAt(offset)) => value_at = offset,
                            Some(Action::Skip) => {
                                self.cursor.skip_string()?;
                                self.skip_entry_value(depth - 1)?;
                                break 'entry;
                            }
                        }
                    }
                    let key = self.key::<V, TRACK>(visitor, &mut map, &mut open, key_at)?;
                    let own = self.cursor.offset();
                    if value_at != NOWHERE {
                        self.cursor.seek(value_at);
                    }
                    if let Err(e) = self.cursor.colon() {
                        // A wrong byte between key and value is the map's fault; a missing end the value's.
                        if e.code() == Code::InvalidSyntax
                            && let Some(track) = self.track::<TRACK>()
                        {
                            track.leave();
                        }
                        return Err(e);
                    }
                    next = self.cursor.skip_whitespace();
                    let value = self.demanded::<V, TRACK>(visitor, next, depth - 1)?;
                    visitor.entry(&mut map, key, value).map_err(|e| e.at(key_at))?;
                    if value_at != NOWHERE {
                        self.cursor.seek(own);
                        self.skip_entry_value(depth - 1)?;
                    }
                    if let Some(track) = self.track::<TRACK>() {
                        track.leave();
                    }
                    self.reached::<TRACK>()?;
                }
                next = self.cursor.skip_whitespace();
                if next != b',' {
                    break;
                }
                // SAFETY: the comma is there.
                unsafe { self.cursor.advance(1) };
                next = self.cursor.skip_whitespace();
            }
            if next != b'}' {
                return Err(self.cursor.fault("',' or '}'"));
            }
            self.keys.close(&open);
        }
        // SAFETY: the bracket is there.
        unsafe { self.cursor.advance(1) };
        visitor.end_map(map).map_err(|e| e.at(at))
    }

    /// An element or an entry's value, in the way the visitor wants it.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn demanded<V: Visitor, const TRACK: bool>(
        &mut self,
        visitor: &mut V,
        first: u8,
        depth: u32,
    ) -> Result<V::Value, Error> {
        if V::DEMANDS {
            let demand = visitor.demand();
            if demand != Demand::Value {
                let at = self.cursor.offset();
                self.skip::<TRACK>(first, depth)?;
                let result =
                    if demand == Demand::Skip { visitor.skipped() } else { visitor.raw(self.cursor.since(at)) };
                return result.map_err(|e| e.at(at));
            }
        }
        if COMPACT {
            self.item_apart::<V, TRACK>(visitor, first, depth)
        } else {
            self.item::<V, TRACK>(visitor, first, depth)
        }
    }

    /// [`item`](Self::item), where it is not worth its size.
    #[inline(never)]
    fn item_apart<V: Visitor, const TRACK: bool>(
        &mut self,
        visitor: &mut V,
        first: u8,
        depth: u32,
    ) -> Result<V::Value, Error> {
        self.item::<V, TRACK>(visitor, first, depth)
    }

    #[inline(never)]
    pub(crate) fn skip<const TRACK: bool>(&mut self, first: u8, depth: u32) -> Result<(), Error> {
        #[cfg(not(samewire_shared))]
        return self.item::<Nothing, TRACK>(&mut Nothing, first, depth);
        #[cfg(samewire_shared)]
        self.item_apart::<Shared, true>(&mut shared(&mut Target::Nothing), first, depth).map(drop)
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(any(debug_assertions, samewire_smallest)), inline(always))]
    fn key<V: Visitor, const TRACK: bool>(
        &mut self,
        visitor: &mut V,
        map: &mut V::Map,
        open: &mut Open,
        at: usize,
    ) -> Result<V::Key, Error> {
        if let Some(track) = self.track::<TRACK>() {
            track.begin(at)?;
        }
        let first = TRACK || (!Self::plain::<TRACK>() && self.collecting);
        let planned = !Self::plain::<TRACK>() && self.planned;
        let remembers = (!V::FINDS_DUPLICATES && !V::JUDGES_KEYS && !planned) || first;
        if !V::VALUES && !remembers && !V::JUDGES_KEYS {
            self.cursor.skip_string()?;
            return visitor.key(map, Text::new("")).map_err(|e| e.at(at));
        }
        let input = self.cursor.input();
        let chars = if COMPACT && TRACK { self.cursor.string_apart()? } else { self.cursor.string()? };
        let text = chars.text();
        if (!V::VALUES || TRACK) && text.to_str().is_err() {
            return Err(self.cursor.string_fault(at));
        }
        let mut twin = None;
        let bytes = match chars {
            Chars::Input(text) => KeyBytes::Input(text.bytes()),
            Chars::Scratch(text) => KeyBytes::Transient(text.bytes()),
        };
        if remembers {
            twin = self.keys.insert(open, input, bytes, at);
            // Not by `track`, as the text may be borrowed from the cursor.
            if TRACK && let Some(track) = &mut self.track {
                track.enter_entry(&String::from_utf8_lossy(text.bytes()), at);
            }
            if twin.is_some() && (Self::plain::<TRACK>() || !self.collecting) {
                return Err(Error::new(Code::DuplicateKey, "a key stands twice in a map").at(at));
            }
        }
        let key = visitor.key(map, text).map_err(|e| e.at(at))?;
        if V::JUDGES_KEYS
            && !visitor.judged()
            && !(first || planned)
            && self.keys.insert(open, input, bytes, at).is_some()
        {
            return Err(Error::new(Code::DuplicateKey, "a key stands twice in a map").at(at));
        }
        if !Self::plain::<TRACK>()
            && let Some(first) = twin
        {
            self.repeated(first, at);
        }
        self.reached::<TRACK>()?;
        Ok(key)
    }

    #[cold]
    #[inline(never)]
    fn repeated(&mut self, first: usize, at: usize) {
        let value = (self.duplicate_keys == DuplicateKeys::Last).then(|| self.cursor.offset());
        if let Some(plan) = &mut self.plan {
            plan.repeat(first, at, value);
        }
    }

    /// What the [`Plan`] says of a key: the last value goes to the first one's place, the others are left out.
    #[cold]
    #[inline(never)]
    fn action(&self, key_at: usize) -> Option<Action> {
        self.plan.as_ref().and_then(|p| p.at(key_at))
    }

    /// Steps over a colon and a value that another one replaces.
    #[cold]
    #[inline(never)]
    pub(crate) fn skip_entry_value(&mut self, depth: u32) -> Result<(), Error> {
        self.cursor.colon()?;
        let first = self.cursor.skip_whitespace();
        self.skip::<false>(first, depth)
    }

    /// The error for a value too many, or for what is no value.
    #[cold]
    #[inline(never)]
    pub(crate) fn too_many_items(&mut self, first: u8) -> Error {
        if !matches!(first, b'"' | b'-' | b'0'..=b'9' | b'{' | b'[' | b'n' | b't' | b'f') {
            return self.cursor.fault("a value");
        }
        let max = self.max_items;
        Error::new(Code::TooManyItems, message!["the input has more than ", max, " values"]).at(self.cursor.offset())
    }
}

impl visit::Reader for Reader<'_> {
    fn read<V: Visitor>(&mut self, visitor: &mut V) -> Result<V::Value, Error> {
        let start = self.cursor.offset();
        self.items = self.max_items;
        self.keys.clear();
        self.decimals = V::DECIMALS;
        if !SMALLEST && (!V::PLAIN || !COMPACT) && self.duplicate_keys != DuplicateKeys::Error {
            self.plan = self.make_plan(start);
            self.planned = true;
        }
        let result =
            if COMPACT && !V::PLAIN { self.value::<V, true>(visitor) } else { self.value::<V, false>(visitor) };
        match result {
            Ok(value) => Ok(value),
            Err(e) => Err(self.locate(start, e)),
        }
    }
}
