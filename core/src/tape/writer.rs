//! The visitor that writes the tape.

use alloc::vec::Vec;
use core::ops::Range;

use super::intern::{Sight, Strings};
use super::packed::{LONGEST, Packed};
use super::trie::{ROOT, Step, Trie};
use super::{ASCII_SEGMENT, Area, LONG, WIDE_SEGMENT, more, tag, text};
use crate::buffer::SLACK;
use crate::error::{Code, Error};
use crate::options::{Int64, MapKeys, Options, TimestampAs};
use crate::order;
use crate::time::Timestamp;
use crate::utf8;
use crate::visit::{Constant, Encoding, Text, Visitor, invalid_utf8};

/// The largest integer up to which every integer is a binary64: 2^53 − 1.
const SAFE: i64 = (1 << 53) - 1;
/// Memory that an area may keep from one message to the next.
const KEEP: usize = 1 << 22;

/// What the host can hold.
#[derive(Clone, Debug)]
pub struct Host {
    /// Seconds since 1970 of the host's points in time: from the first, up to the last exactly. Within ±2^53.
    pub seconds: Range<i64>,
}

/// A finished value: whether the tape has it as a float and nothing else.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    float: bool,
}

const OTHER: Item = Item { float: false };
#[cfg(feature = "schema")]
crate::absent_is!(Item, OTHER);

/// An array being written.
pub struct OpenArray {
    slot: usize,
    count: usize,
    floats: bool,
}

/// A map being written.
pub struct OpenMap {
    slot: usize,
    node: u32,
    /// Keys that the trie has no place for: their range in `Tape::loose`. `None` while all are in the trie.
    loose: Option<usize>,
    /// All keys are on the tape, as values: some may be of other kinds than strings.
    pairs: bool,
}

/// Where bytes lie that are not in a pool.
#[derive(Clone, Copy)]
enum Place {
    Input = 0,
    Bytes = 1,
}

/// The areas of a tape, the state shared with the host, and what the host can hold.
pub struct Tape {
    words: Area,
    floats: Area,
    ascii: Area,
    ascii_end: usize,
    wide: Area,
    wide_end: usize,
    bytes: Area,
    definitions: Area,
    trie: Trie,
    strings: Strings,
    /// Keys outside the trie of all open maps, and their bytes.
    loose: Vec<Range<usize>>,
    loose_bytes: Vec<u8>,
    input: Range<usize>,
    host: Host,
    int64: Int64,
    map_keys: MapKeys,
    timestamp: TimestampAs,
}

impl Tape {
    /// A tape whose areas come from `area`, which is asked for a capacity in bytes.
    pub fn new(host: Host, mut area: impl FnMut(usize) -> Area) -> Self {
        debug_assert!(host.seconds.start.abs() <= SAFE && host.seconds.end.abs() <= SAFE);
        Tape {
            words: area(1 << 14),
            floats: area(1 << 12),
            ascii: area(1 << 14),
            ascii_end: 0,
            wide: area(1 << 12),
            wide_end: 0,
            bytes: area(1 << 10),
            definitions: area(1 << 12),
            trie: Trie::new(),
            strings: Strings::new(),
            loose: Vec::new(),
            loose_bytes: Vec::new(),
            input: 0..0,
            host,
            int64: Int64::Auto,
            map_keys: MapKeys::Str,
            timestamp: TimestampAs::Native,
        }
    }

    /// Begins a message that is read from `input`; values that lie in it are not copied.
    pub fn begin(&mut self, input: &[u8], options: &Options) {
        for area in
            [&mut self.words, &mut self.floats, &mut self.ascii, &mut self.wide, &mut self.bytes, &mut self.definitions]
        {
            area.truncate(0);
            area.shrink(KEEP);
        }
        self.ascii_end = ASCII_SEGMENT;
        self.ascii.reserve(ASCII_SEGMENT);
        self.wide_end = WIDE_SEGMENT * 2;
        self.loose.clear();
        self.loose_bytes.clear();
        self.loose_bytes.shrink_to(KEEP);
        self.loose.shrink_to(KEEP / 16);
        let start = input.as_ptr() as usize;
        self.input = start..start + input.len();
        self.int64 = options.int64;
        self.map_keys = options.map_keys;
        self.timestamp = options.timestamp;
        self.trie.renew(&mut self.definitions);
    }

    /// Ends a message: a host may decode the ASCII pool up to [`SLACK`] bytes past its end, and finds zeros there.
    pub fn finish(&mut self) {
        self.ascii.reserve(0);
        // SAFETY: SLACK bytes are always reserved.
        unsafe { self.ascii.position().write_bytes(0, SLACK) };
    }

    /// Forgets interned strings, when the host has not read all words of the last message.
    pub fn forget_strings(&mut self) {
        self.strings.clear();
    }

    /// The words, in memory.
    pub fn words(&self) -> &Area {
        &self.words
    }
    /// The floats, eight bytes each.
    pub fn floats(&self) -> &Area {
        &self.floats
    }
    /// The pool of ASCII strings.
    pub fn ascii(&self) -> &Area {
        &self.ascii
    }
    /// The pool of UTF-16 strings, two bytes a unit.
    pub fn wide(&self) -> &Area {
        &self.wide
    }
    /// Bytes that are neither in a pool nor in the input.
    pub fn bytes(&self) -> &Area {
        &self.bytes
    }
    /// Words that define keys and shapes.
    pub fn definitions(&self) -> &Area {
        &self.definitions
    }

    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn word(&mut self, word: u32) {
        self.words.reserve(4);
        // SAFETY: reserved.
        unsafe { self.words.put_array(word.to_ne_bytes()) }
    }

    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn more(&mut self, kind: u32, payload: u32) {
        self.word(tag::MORE | kind << 4 | payload << 8);
    }

    /// Writes a word into a slot that was left for it.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn patch(&mut self, slot: usize, word: u32) {
        debug_assert!(slot + 4 <= self.words.len());
        // SAFETY: slots are offsets of words written in this message.
        unsafe { self.words.start().add(slot).cast::<u32>().write(word) }
    }

    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn float_bits(&mut self, bits: u64) {
        self.floats.reserve(8);
        // SAFETY: reserved.
        unsafe { self.floats.put_array(bits.to_ne_bytes()) }
    }

    /// A word for bytes outside the pools, copied only if they do not lie in the input.
    fn placed(&mut self, kind: u32, payload: u32, bytes: &[u8]) {
        let start = bytes.as_ptr() as usize;
        let (place, offset) = if start >= self.input.start && start + bytes.len() <= self.input.end {
            (Place::Input, start - self.input.start)
        } else {
            let offset = self.bytes.len();
            self.bytes.extend(bytes);
            (Place::Bytes, offset)
        };
        self.more(kind, payload | place as u32);
        self.word(offset as u32);
        self.word(bytes.len() as u32);
    }

    /// Room for `n` ASCII bytes and one register more, in one segment.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn ascii_room(&mut self, n: usize) {
        if self.ascii.len() + n > self.ascii_end {
            self.next_ascii_segment();
        }
    }

    #[cold]
    #[inline(never)]
    fn next_ascii_segment(&mut self) {
        // Zeros, not what the memory held: a host decodes the segment whole.
        let gap = self.ascii_end - self.ascii.len();
        self.ascii.reserve(gap + ASCII_SEGMENT);
        // SAFETY: reserved.
        unsafe {
            self.ascii.position().write_bytes(0, gap);
            self.ascii.advance(gap);
        }
        self.ascii_end += ASCII_SEGMENT;
        self.more(more::SEGMENT, 0);
    }

    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn put_packed(&mut self, string: Packed, n: usize) {
        self.ascii_room(n);
        // SAFETY: a segment has its bytes and SLACK reserved; a packed string is 16 bytes.
        unsafe {
            self.ascii.position().cast::<[u64; 2]>().write_unaligned(string.bytes());
            self.ascii.advance(n);
        }
    }

    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn string(&mut self, text: Text<'_>) -> Result<(), Error> {
        let bytes = text.bytes();
        let n = bytes.len();
        if n > LONGEST {
            return self.longer_string(text);
        }
        // SAFETY: at most LONGEST bytes.
        let packed = unsafe { Packed::new(bytes) };
        if !packed.is_ascii() {
            return self.wide_string(bytes);
        }
        if n > 0 {
            match self.strings.see(packed) {
                Sight::Known(word) => {
                    self.word(word);
                    return Ok(());
                }
                Sight::Second(id) => {
                    self.put_packed(packed, n);
                    self.more(more::REMEMBER, id);
                    self.word(n as u32);
                    return Ok(());
                }
                Sight::New => {}
            }
        }
        self.put_packed(packed, n);
        self.word(tag::ASCII | (n as u32) << 4);
        Ok(())
    }

    /// [`string`](Self::string), where it is not worth its size.
    #[inline(never)]
    fn string_apart(&mut self, text: Text<'_>) -> Result<(), Error> {
        self.string(text)
    }

    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn longer_string(&mut self, text: Text<'_>) -> Result<(), Error> {
        let bytes = text.bytes();
        let n = bytes.len();
        if n > LONG {
            return self.long_string(text);
        }
        self.ascii_room(n);
        // SAFETY: n ≥ 16; reads are inside 0..n and the room is reserved.
        let high = unsafe {
            let (from, to) = (bytes.as_ptr(), self.ascii.position());
            let copy = |i: usize| {
                let x = from.add(i).cast::<[u64; 2]>().read_unaligned();
                to.add(i).cast::<[u64; 2]>().write_unaligned(x);
                x[0] | x[1]
            };
            let mut high = copy(n - 16);
            let mut i = 0;
            while i + 16 < n {
                high |= copy(i);
                i += 16;
            }
            high
        };
        if high & 0x8080_8080_8080_8080 != 0 {
            return self.wide_string(bytes);
        }
        // SAFETY: written above.
        unsafe { self.ascii.advance(n) };
        self.word(tag::ASCII | (n as u32) << 4);
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn long_string(&mut self, text: Text<'_>) -> Result<(), Error> {
        let bytes = text.bytes();
        if text.encoding() == Encoding::Ascii || utf8::is_ascii(bytes) {
            self.placed(more::LONG_ASCII, 0, bytes);
            return Ok(());
        }
        text.to_str()?;
        self.placed(more::LONG_UTF8, 0, bytes);
        Ok(())
    }

    #[inline(never)]
    fn wide_string(&mut self, bytes: &[u8]) -> Result<(), Error> {
        debug_assert!(bytes.len() <= LONG);
        self.wide.reserve(bytes.len() * 2);
        // SAFETY: reserved; the area is aligned and has only whole units.
        let units = unsafe { text::utf16(bytes, self.wide.position().cast()) }.ok_or_else(invalid_utf8)?;
        if self.wide.len() + units * 2 > self.wide_end {
            let gap = self.wide_end - self.wide.len();
            self.wide.reserve(gap + units * 2);
            let at = self.wide.position();
            // SAFETY: reserved; the string is moved to the segment's start, and the gap filled.
            unsafe {
                core::ptr::copy(at, at.add(gap), units * 2);
                at.write_bytes(0, gap);
                self.wide.advance(gap);
            }
            self.wide_end += WIDE_SEGMENT * 2;
            self.more(more::SEGMENT, 1);
        }
        // SAFETY: written above.
        unsafe { self.wide.advance(units * 2) };
        self.word(tag::WIDE | (units as u32) << 4);
        Ok(())
    }

    /// A map leaves the trie: what is written so far has the shape of `map.node`.
    #[cold]
    fn leave_trie(&mut self, map: &mut OpenMap) {
        map.loose = Some(self.loose.len());
        for key in self.trie.keys_of(map.node) {
            let start = self.loose_bytes.len();
            self.loose_bytes.extend_from_slice(key);
            self.loose.push(start..self.loose_bytes.len());
        }
        let shape = self.trie.shape(map.node, &mut self.definitions);
        self.patch(map.slot, tag::MORE | more::MAP << 4 | shape << 8);
    }

    #[cold]
    fn make_pairs(&mut self, map: &mut OpenMap) {
        self.patch(map.slot, tag::MORE | more::PAIRS << 4);
        map.loose = Some(self.loose.len());
        map.pairs = true;
    }

    #[inline(never)]
    fn loose_key(&mut self, text: Text<'_>) -> Result<(), Error> {
        let start = self.loose_bytes.len();
        self.loose_bytes.extend_from_slice(text.bytes());
        self.loose.push(start..self.loose_bytes.len());
        self.string_apart(text)
    }

    /// Ends a map with keys outside the trie.
    #[inline(never)]
    fn end_loose(&mut self, first: usize) -> Result<(), Error> {
        self.more(more::END, 0);
        let bytes = &self.loose_bytes;
        let keys = &self.loose[first..];
        self.trie.turn_away(keys.len());
        let start = keys.iter().map(|k| k.start).min().unwrap_or(bytes.len());
        // Sorting cannot be made slow by the choice of keys, as a hash table could.
        let key = |i: usize| &bytes[keys[i].clone()];
        let order = order::sorted(keys.len(), &mut |a, b| (key(a).len(), key(a)).cmp(&(key(b).len(), key(b))));
        if order.windows(2).any(|w| key(w[0]) == key(w[1])) {
            return Err(duplicate());
        }
        self.loose.truncate(first);
        self.loose_bytes.truncate(start);
        Ok(())
    }

    #[cold]
    fn big(&mut self, digits: &[u8]) {
        // Never in the input: the caller's buffer may be a temporary.
        let offset = self.bytes.len();
        self.bytes.extend(digits);
        self.more(more::BIGINT, Place::Bytes as u32);
        self.word(offset as u32);
        self.word(digits.len() as u32);
    }

    #[inline(never)]
    fn wide_int(&mut self, value: i64) -> Result<Item, Error> {
        match self.int64 {
            Int64::Auto | Int64::Bigint => {
                self.more(more::INT, 0);
                self.float_bits(value as u64);
            }
            Int64::Number => return Err(imprecise(&message![value])),
            Int64::String => self.string_apart(Text::new(&text![value]))?,
        }
        Ok(OTHER)
    }
}

impl Visitor for Tape {
    const FINDS_DUPLICATES: bool = true;
    const PLAIN: bool = true;
    type Value = Item;
    type Array = OpenArray;
    type Map = OpenMap;
    type Key = ();

    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn constant(&mut self, value: Constant) -> Result<Item, Error> {
        self.word(tag::CONST | (value as u32) << 4);
        Ok(OTHER)
    }

    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn int(&mut self, value: i64) -> Result<Item, Error> {
        if self.int64 == Int64::Bigint {
            return self.wide_int(value);
        }
        if (-(1 << 30)..1 << 30).contains(&value) {
            self.word((value as u32) << 1);
            Ok(OTHER)
        } else if (-SAFE..=SAFE).contains(&value) {
            self.float(value as f64)
        } else {
            self.wide_int(value)
        }
    }

    #[inline(never)]
    fn uint(&mut self, value: u64) -> Result<Item, Error> {
        match self.int64 {
            Int64::Auto | Int64::Bigint => {
                self.more(more::UINT, 0);
                self.float_bits(value);
            }
            Int64::Number => return Err(imprecise(&message![value])),
            Int64::String => self.string_apart(Text::new(&text![value]))?,
        }
        Ok(OTHER)
    }

    fn bigint(&mut self, digits: &str) -> Result<Item, Error> {
        match self.int64 {
            Int64::Auto | Int64::Bigint => self.big(digits.as_bytes()),
            Int64::Number => return Err(imprecise(digits)),
            Int64::String => self.string_apart(Text::new(digits))?,
        }
        Ok(OTHER)
    }

    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn float(&mut self, value: f64) -> Result<Item, Error> {
        self.float_bits(value.to_bits());
        self.word(tag::FLOAT);
        Ok(Item { float: true })
    }

    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn str(&mut self, text: Text<'_>) -> Result<Item, Error> {
        self.string(text)?;
        Ok(OTHER)
    }

    fn bin(&mut self, bytes: &[u8]) -> Result<Item, Error> {
        self.placed(more::BIN, 0, bytes);
        Ok(OTHER)
    }

    fn timestamp(&mut self, value: Timestamp) -> Result<Item, Error> {
        if self.timestamp == TimestampAs::Int {
            // Nanoseconds are one type in the host, whatever their size.
            let (seconds, nanoseconds) = (value.seconds(), value.nanoseconds());
            let all = seconds.checked_mul(1_000_000_000).and_then(|n| n.checked_add(i64::from(nanoseconds)));
            match all {
                Some(all) => {
                    self.more(more::INT, 0);
                    self.float_bits(all as u64);
                }
                None => {
                    // −s + n/10^9 is −(s − 1) − (10^9 − n)/10^9. There is more than a second here.
                    let (seconds, nanoseconds) = if seconds < 0 && nanoseconds > 0 {
                        (seconds + 1, 1_000_000_000 - nanoseconds)
                    } else {
                        (seconds, nanoseconds)
                    };
                    let nine = text![u64::from(nanoseconds) + 1_000_000_000];
                    self.big(text![seconds, nine.get(1..).unwrap_or_default()].as_bytes());
                }
            }
            return Ok(OTHER);
        }
        let (seconds, nanoseconds) = (value.seconds(), value.nanoseconds());
        if !self.host.seconds.contains(&seconds) && (seconds, nanoseconds) != (self.host.seconds.end, 0) {
            return Err(Error::new(
                Code::TimestampOutOfRange,
                message![seconds, " seconds since 1970 are beyond the range of dates here"],
            ));
        }
        self.more(more::TIME, 0);
        self.word(nanoseconds);
        self.float_bits((seconds as f64).to_bits());
        Ok(OTHER)
    }

    fn ext(&mut self, kind: i8, bytes: &[u8]) -> Result<Item, Error> {
        self.placed(more::EXT, u32::from(kind as u8) << 8, bytes);
        Ok(OTHER)
    }

    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn begin_array(&mut self, _: Option<usize>) -> Result<OpenArray, Error> {
        let slot = self.words.len();
        // Two words' room, as an array of floats takes.
        self.words.reserve(8);
        self.word(tag::ARRAY);
        Ok(OpenArray { slot, count: 0, floats: true })
    }

    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn element(&mut self, array: &mut OpenArray, value: Item) -> Result<(), Error> {
        array.count += 1;
        array.floats &= value.float;
        Ok(())
    }

    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn end_array(&mut self, array: OpenArray) -> Result<Item, Error> {
        if array.floats && array.count > 1 {
            self.patch(array.slot, tag::MORE | more::FLOATS << 4);
            self.patch(array.slot + 4, array.count as u32);
            self.words.truncate(array.slot + 8);
        } else if array.count < 1 << 28 {
            self.patch(array.slot, tag::ARRAY | (array.count as u32) << 4);
        } else {
            self.words.insert_gap(array.slot + 4, 4);
            self.patch(array.slot, tag::MORE | more::LONG_ARRAY << 4);
            self.patch(array.slot + 4, array.count as u32);
        }
        Ok(OTHER)
    }

    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn begin_map(&mut self, _: Option<usize>) -> Result<OpenMap, Error> {
        let slot = self.words.len();
        self.word(0);
        let mut map = OpenMap { slot, node: ROOT, loose: None, pairs: false };
        if self.map_keys == MapKeys::Any {
            self.make_pairs(&mut map);
        }
        Ok(map)
    }

    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn key(&mut self, map: &mut OpenMap, text: Text<'_>) -> Result<(), Error> {
        if map.loose.is_some() {
            return self.loose_key(text);
        }
        let valid = text.encoding() != Encoding::Unchecked;
        match self.trie.step(map.node, text.bytes(), valid, &mut self.definitions) {
            Step::Node(node) => {
                map.node = node;
                Ok(())
            }
            Step::Full => {
                self.leave_trie(map);
                self.loose_key(text)
            }
            Step::Duplicate => Err(duplicate()),
            Step::Invalid => Err(invalid_utf8()),
        }
    }

    fn begin_value_key(&mut self, map: &mut OpenMap) -> Result<(), Error> {
        // A reader that may have such keys was told so, or a schema says that all of them are.
        if !map.pairs && map.node == ROOT && map.loose.is_none() {
            self.make_pairs(map);
        }
        if map.pairs {
            return Ok(());
        }
        Err(Error::new(Code::MapKeyType, "a key that is not a string follows keys that are"))
    }

    fn value_key(&mut self, _: &mut OpenMap, _: Item) -> Result<(), Error> {
        Ok(())
    }

    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn entry(&mut self, _: &mut OpenMap, (): (), _: Item) -> Result<(), Error> {
        Ok(())
    }

    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn end_map(&mut self, map: OpenMap) -> Result<Item, Error> {
        if let Some(first) = map.loose {
            self.end_loose(first)?;
        } else {
            let shape = self.trie.shape(map.node, &mut self.definitions);
            self.patch(map.slot, tag::SHAPE | shape << 4);
        }
        Ok(OTHER)
    }
}

#[cold]
fn duplicate() -> Error {
    Error::new(Code::DuplicateKey, "a key stands twice in a map")
}

#[cold]
fn imprecise(digits: &str) -> Error {
    Error::new(Code::IntegerOutOfRange, message![digits, " is beyond ±(2^53 − 1) and would lose precision"])
}
