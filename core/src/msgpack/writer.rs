//! The visitor that writes MessagePack: shortest headers, binary64 floats, one NaN.

use alloc::vec::Vec;

use super::marker::*;
use crate::buffer::Buffer;
use crate::error::{Code, Error};
use crate::format::Format;
use crate::options::{MapKeys, Options};
use crate::order;
use crate::time::Timestamp;
use crate::visit::{Constant, Text, Visitor};

/// The one NaN that is written, so that every runtime writes the same bytes.
const NAN: u64 = 0x7ff8_0000_0000_0000;
const NAN32: u32 = 0x7fc0_0000;

/// Writes values into a [`Buffer`].
pub struct Writer {
    out: Buffer,
    map_keys: MapKeys,
    sort_keys: bool,
    omit_null: bool,
    /// The entries' places are needed: to sort, to leave out, or to find keys that became equal as text.
    notes_keys: bool,
    /// Entries of the open maps that are to be sorted.
    entries: Vec<Entry>,
    /// Where the last null was written, and where the last entry's value begins: for `omit_null`.
    null_at: usize,
    value_at: usize,
}

/// An open array or map: where its header is, and how many it has if that was not known.
#[derive(Debug)]
pub struct Container {
    at: usize,
    count: usize,
    counted: bool,
    entries_from: usize,
    /// Where a key that is not a string begins.
    key_at: usize,
}

/// Where an entry begins.
#[derive(Clone, Copy, Debug)]
pub struct Key(usize);

#[derive(Clone, Copy)]
struct Entry {
    at: usize,
    /// The key without its header, for strings; with it for others.
    key: (usize, usize),
}

impl Writer {
    /// A writer after what `buffer` holds already.
    pub fn new(buffer: Buffer, options: &Options) -> Self {
        Writer {
            out: buffer,
            map_keys: options.map_keys,
            sort_keys: options.sort_keys,
            omit_null: options.omit_null,
            notes_keys: options.sort_keys || options.omit_null || options.map_keys == MapKeys::Stringify,
            entries: Vec::new(),
            null_at: usize::MAX,
            value_at: usize::MAX,
        }
    }

    /// The buffer, with all that was written.
    pub fn into_buffer(self) -> Buffer {
        self.out
    }

    /// The buffer.
    #[cfg_attr(not(samewire_compact), inline(always))]
    pub fn buffer_mut(&mut self) -> &mut Buffer {
        &mut self.out
    }

    /// Splices in a value that is encoded already. The caller vouches for it.
    pub fn raw_value(&mut self, encoded: &[u8]) {
        self.out.extend(encoded);
    }

    #[cfg_attr(not(samewire_compact), inline(always))]
    fn header(&mut self, n: usize, fix: u8, fix_max: usize, wide: u8) -> Result<(), Error> {
        self.out.reserve(8);
        let mut pen = self.out.pen();
        // SAFETY: reserved.
        unsafe {
            if n <= fix_max {
                pen.put(fix | n as u8);
            } else if n <= 0xffff {
                pen.put(wide);
                pen.put_array((n as u16).to_be_bytes());
            } else if let Ok(n) = u32::try_from(n) {
                pen.put(wide + 1);
                pen.put_array(n.to_be_bytes());
            } else {
                return Err(too_long());
            }
            self.out.lay(pen);
        }
        Ok(())
    }

    #[cfg_attr(not(samewire_compact), inline(always))]
    fn str_bytes(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let n = bytes.len();
        self.out.reserve(n + 8);
        let mut pen = self.out.pen();
        // SAFETY: the header takes up to five bytes; n + 8 are reserved.
        unsafe {
            if n < 32 {
                pen.put(FIXSTR | n as u8);
            } else if n < 256 {
                pen.put_array([STR8, n as u8]);
            } else if n <= 0xffff {
                pen.put(STR16);
                pen.put_array((n as u16).to_be_bytes());
            } else if let Ok(n) = u32::try_from(n) {
                pen.put(STR32);
                pen.put_array(n.to_be_bytes());
            } else {
                return Err(too_long());
            }
            pen.put_slice(bytes);
            self.out.lay(pen);
        }
        Ok(())
    }

    #[cfg_attr(not(samewire_compact), inline(always))]
    fn open(&mut self, len: Option<usize>, fix: u8, wide: u8, map: bool) -> Result<Container, Error> {
        let at = self.out.len();
        let counted = len.is_none() || (map && (self.sort_keys || self.omit_null));
        match len {
            Some(n) if !counted => self.header(n, fix, 15, wide)?,
            _ => {
                self.out.reserve(1);
                // SAFETY: reserved.
                unsafe { self.out.put(fix) };
            }
        }
        Ok(Container { at, count: 0, counted, entries_from: self.entries.len(), key_at: 0 })
    }

    #[cfg_attr(not(samewire_compact), inline(always))]
    fn close(&mut self, container: &Container, fix: u8, wide: u8) -> Result<(), Error> {
        if !container.counted {
            return Ok(());
        }
        let (at, n) = (container.at, container.count);
        if n <= 15 {
            self.out.as_mut_slice()[at] = fix | n as u8;
            return Ok(());
        }
        self.close_wide(at, n, wide)
    }

    #[inline(never)]
    fn close_wide(&mut self, at: usize, n: usize, wide: u8) -> Result<(), Error> {
        if let Ok(n) = u16::try_from(n) {
            self.out.insert_gap(at, 2);
            let header = &mut self.out.as_mut_slice()[at..at + 3];
            header[0] = wide;
            header[1..].copy_from_slice(&n.to_be_bytes());
        } else {
            let n = u32::try_from(n).map_err(|_| too_long())?;
            self.out.insert_gap(at, 4);
            let header = &mut self.out.as_mut_slice()[at..at + 5];
            header[0] = wide + 1;
            header[1..].copy_from_slice(&n.to_be_bytes());
        }
        Ok(())
    }

    /// Puts the entries noted since `from` into the order of their keys; keys that are equal are an error.
    #[inline(never)]
    fn sort(&mut self, from: usize) -> Result<(), Error> {
        let end = self.out.len();
        let entries: Vec<Entry> = self.entries.drain(from..).collect();
        let Some(first) = entries.first() else { return Ok(()) };
        let bytes = self.out.as_slice();
        let key = |e: &Entry| &bytes[e.key.0..e.key.1];
        let order = order::sorted(entries.len(), &mut |a, b| key(&entries[a]).cmp(key(&entries[b])));
        if order.windows(2).any(|w| key(&entries[w[0]]) == key(&entries[w[1]])) {
            return Err(Error::new(Code::DuplicateKey, "a key stands twice in a map"));
        }
        if !self.sort_keys {
            return Ok(());
        }
        let mut sorted = Vec::with_capacity(end - first.at);
        for &i in &order {
            let stop = entries.get(i + 1).map_or(end, |next| next.at);
            sorted.extend_from_slice(&bytes[entries[i].at..stop]);
        }
        let at = first.at;
        self.out.as_mut_slice()[at..].copy_from_slice(&sorted);
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn note_key(&mut self, at: usize, content: usize) {
        self.value_at = self.out.len();
        if self.sort_keys || self.map_keys == MapKeys::Stringify {
            self.entries.push(Entry { at, key: (content, self.out.len()) });
        }
    }

    #[cold]
    #[inline(never)]
    fn drop_null(&mut self, at: usize) -> bool {
        let end = self.out.len();
        let is_null = self.omit_null && self.value_at == self.null_at && self.null_at + 1 == end;
        if is_null {
            self.out.truncate(at);
            // What is written next may end at the same place, and is no null.
            self.null_at = usize::MAX;
            self.entries.pop();
        }
        is_null
    }

    fn ext_header(&mut self, kind: i8, n: usize) -> Result<(), Error> {
        self.out.reserve(n.saturating_add(8));
        // SAFETY: reserved.
        unsafe {
            match n {
                1 | 2 | 4 | 8 | 16 => self.out.put(FIXEXT1 + n.trailing_zeros() as u8),
                0..=0xff => self.out.put_array([EXT8, n as u8]),
                0x100..=0xffff => {
                    self.out.put(EXT16);
                    self.out.put_array((n as u16).to_be_bytes());
                }
                _ => {
                    let n = u32::try_from(n).map_err(|_| too_long())?;
                    self.out.put(EXT32);
                    self.out.put_array(n.to_be_bytes());
                }
            }
            self.out.put(kind.cast_unsigned());
        }
        Ok(())
    }

    /// An integer of marker `marker` in `1 << width` bytes, without a branch on the width: a full word is
    /// stored and the position moves by what counts.
    ///
    /// # Safety
    /// Nine bytes must be reserved.
    #[cfg_attr(not(samewire_compact), inline(always))]
    unsafe fn put_wide(&mut self, marker: u8, width: u32, value: u64) {
        let bytes = 1u32 << width;
        // SAFETY: reserved; only the bytes that count are advanced over.
        unsafe {
            let mut pen = self.out.pen();
            pen.put(marker);
            let shifted = value << (64 - 8 * bytes);
            pen.put_part(shifted.to_be_bytes(), bytes as usize);
            self.out.lay(pen);
        }
    }
}

#[cold]
fn too_long() -> Error {
    Error::new(Code::UnsupportedType, "MessagePack holds at most 2^32 - 1 bytes, elements or entries in one value")
}

impl Visitor for Writer {
    type Value = ();
    type Array = Container;
    type Map = Container;
    type Key = Key;

    #[cfg_attr(not(samewire_compact), inline(always))]
    fn constant(&mut self, value: Constant) -> Result<(), Error> {
        self.out.reserve(1);
        if self.omit_null && value == Constant::Null {
            self.null_at = self.out.len();
        }
        const MARKERS: [u8; 4] = [NIL, FALSE, TRUE, NIL];
        // SAFETY: reserved.
        unsafe { self.out.put(MARKERS[value as usize & 3]) };
        Ok(())
    }

    #[cfg_attr(not(samewire_compact), inline(always))]
    fn int(&mut self, value: i64) -> Result<(), Error> {
        self.out.reserve(16);
        // SAFETY: reserved.
        unsafe {
            if (value.wrapping_add(32)).cast_unsigned() < 160 {
                self.out.put(value as u8);
            } else {
                let negative = u32::from(value < 0);
                // One bit more for the sign of negative values; non-negative ones use the unsigned forms.
                let magnitude = (value ^ (value >> 63)).cast_unsigned() << negative;
                let width =
                    u32::from(magnitude > 0xff) + u32::from(magnitude > 0xffff) + u32::from(magnitude > 0xffff_ffff);
                self.put_wide(UINT8 + (4 * negative + width) as u8, width, value.cast_unsigned());
            }
        }
        Ok(())
    }

    #[cfg_attr(not(samewire_compact), inline(always))]
    fn uint(&mut self, value: u64) -> Result<(), Error> {
        if let Ok(value) = i64::try_from(value) {
            return self.int(value);
        }
        self.out.reserve(16);
        // SAFETY: reserved.
        unsafe {
            let mut pen = self.out.pen();
            pen.put(UINT64);
            pen.put_array(value.to_be_bytes());
            self.out.lay(pen);
        }
        Ok(())
    }

    #[cold]
    fn bigint(&mut self, digits: &str) -> Result<(), Error> {
        let shown = if digits.len() > 40 { text!["of ", digits.len(), " digits"] } else { digits.into() };
        Err(Error::new(
            Code::IntegerOutOfRange,
            message!["the integer ", shown, " is outside -2^63 ... 2^64-1, which is all that MessagePack has"],
        ))
    }

    #[cfg_attr(not(samewire_compact), inline(always))]
    fn float(&mut self, value: f64) -> Result<(), Error> {
        self.out.reserve(16);
        let bits = if value.is_nan() { NAN } else { value.to_bits() };
        // SAFETY: reserved.
        unsafe {
            let mut pen = self.out.pen();
            pen.put(FLOAT64);
            pen.put_array(bits.to_be_bytes());
            self.out.lay(pen);
        }
        Ok(())
    }

    fn float32(&mut self, value: f32) -> Result<(), Error> {
        self.out.reserve(16);
        let bits = if value.is_nan() { NAN32 } else { value.to_bits() };
        // SAFETY: reserved.
        unsafe {
            let mut pen = self.out.pen();
            pen.put(FLOAT32);
            pen.put_array(bits.to_be_bytes());
            self.out.lay(pen);
        }
        Ok(())
    }

    #[cfg_attr(not(samewire_compact), inline(always))]
    fn str(&mut self, text: Text<'_>) -> Result<(), Error> {
        let text = text.to_str()?;
        self.str_bytes(text.as_bytes())
    }

    fn bin(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let n = bytes.len();
        self.out.reserve(n.saturating_add(8));
        // SAFETY: reserved.
        unsafe {
            if n < 256 {
                self.out.put_array([BIN8, n as u8]);
            } else if n <= 0xffff {
                self.out.put(BIN16);
                self.out.put_array((n as u16).to_be_bytes());
            } else {
                let n = u32::try_from(n).map_err(|_| too_long())?;
                self.out.put(BIN32);
                self.out.put_array(n.to_be_bytes());
            }
            self.out.put_slice(bytes);
        }
        Ok(())
    }

    fn timestamp(&mut self, value: Timestamp) -> Result<(), Error> {
        let (payload, n) = value.to_ext();
        self.out.reserve(16);
        let mut pen = self.out.pen();
        // SAFETY: a header of two bytes or three, and a payload of twelve at most.
        unsafe {
            match n {
                4 | 8 => pen.put_array([FIXEXT1 + n.trailing_zeros() as u8, TIMESTAMP.cast_unsigned()]),
                _ => pen.put_array([EXT8, n as u8, TIMESTAMP.cast_unsigned()]),
            }
            pen.put_part(payload, n);
            self.out.lay(pen);
        }
        Ok(())
    }

    fn ext(&mut self, kind: i8, bytes: &[u8]) -> Result<(), Error> {
        if kind == TIMESTAMP {
            return self.timestamp(Timestamp::from_ext(bytes)?);
        }
        self.ext_header(kind, bytes.len())?;
        // SAFETY: reserved with the header.
        unsafe { self.out.put_slice(bytes) };
        Ok(())
    }

    fn raw(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.raw_value(bytes);
        Ok(())
    }

    #[cfg_attr(not(samewire_compact), inline(always))]
    fn begin_array(&mut self, len: Option<usize>) -> Result<Container, Error> {
        self.open(len, FIXARRAY, ARRAY16, false)
    }

    #[cfg_attr(not(samewire_compact), inline(always))]
    fn element(&mut self, array: &mut Container, (): ()) -> Result<(), Error> {
        array.count += 1;
        Ok(())
    }

    #[cfg_attr(not(samewire_compact), inline(always))]
    fn end_array(&mut self, array: Container) -> Result<(), Error> {
        self.close(&array, FIXARRAY, ARRAY16)
    }

    #[cfg_attr(not(samewire_compact), inline(always))]
    fn begin_map(&mut self, len: Option<usize>) -> Result<Container, Error> {
        self.open(len, FIXMAP, MAP16, true)
    }

    #[cfg_attr(not(samewire_compact), inline(always))]
    fn key(&mut self, _: &mut Container, text: Text<'_>) -> Result<Key, Error> {
        let at = self.out.len();
        let text = text.to_str()?;
        self.str_bytes(text.as_bytes())?;
        if self.notes_keys {
            let content = self.out.len() - text.len();
            self.note_key(at, content);
        }
        Ok(Key(at))
    }

    fn begin_value_key(&mut self, map: &mut Container) -> Result<(), Error> {
        map.key_at = self.out.len();
        Ok(())
    }

    fn value_key(&mut self, map: &mut Container, (): ()) -> Result<Key, Error> {
        let at = map.key_at;
        match self.map_keys {
            MapKeys::Any => {
                if self.notes_keys {
                    self.note_key(at, at);
                }
                Ok(Key(at))
            }
            MapKeys::Str => {
                Err(Error::new(Code::MapKeyType, "a map key is not a string (option map_keys allows others)"))
            }
            MapKeys::Stringify => {
                let encoded = self.out.as_slice()[at..].to_vec();
                let options = Options { map_keys: MapKeys::Any, ..Options::default() };
                let value = crate::transcode::from_slice(Format::MessagePack, &encoded, &options)?;
                let text = crate::key_text::key_text(&value)?;
                self.out.truncate(at);
                self.str_bytes(text.as_bytes())?;
                if self.notes_keys {
                    let content = self.out.len() - text.len();
                    self.note_key(at, content);
                }
                Ok(Key(at))
            }
        }
    }

    #[cfg_attr(not(samewire_compact), inline(always))]
    fn entry(&mut self, map: &mut Container, key: Key, (): ()) -> Result<(), Error> {
        if self.omit_null && self.drop_null(key.0) {
            return Ok(());
        }
        map.count += 1;
        Ok(())
    }

    #[cfg_attr(not(samewire_compact), inline(always))]
    fn end_map(&mut self, map: Container) -> Result<(), Error> {
        if self.notes_keys {
            self.sort(map.entries_from)?;
        }
        self.close(&map, FIXMAP, MAP16)
    }

    #[cfg_attr(not(samewire_compact), inline(always))]
    fn place(&self) -> Option<usize> {
        if self.sort_keys || self.map_keys == MapKeys::Stringify { None } else { Some(self.out.len()) }
    }

    fn reorder(&mut self, places: &[usize], order: &[usize]) {
        self.out.permute(places, order);
    }
}
