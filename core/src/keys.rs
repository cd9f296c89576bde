//! The keys of the maps that are open, to find the one that stands twice. Shared by the readers.
//!
//! Small maps cost one bit test a key: a set of 128 bits says "certainly new", and only a clash compares.
//! Large maps have a hash table; an attacker who makes its keys collide gets sorted runs instead.

use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::order;

/// All open maps' keys, the innermost map's last.
#[derive(Default)]
pub(crate) struct Keys {
    entries: Vec<Entry>,
    /// Bytes of keys that are not in the input as they are (escapes).
    arena: Vec<u8>,
    /// Those of the open maps that have one, and then spare ones.
    tables: Vec<Table>,
    open_tables: usize,
}

#[derive(Clone, Copy)]
pub(crate) struct Entry {
    /// Where the key's bytes are: in the input, or with [`ARENA`] set in the arena.
    start: usize,
    len: usize,
    hash: u64,
    /// Offset of the key in the input.
    at: usize,
}

/// Marks a start in the arena, and kinds of keys that must not be equal (a string and an encoded key).
const ARENA: usize = 1 << (usize::BITS - 1);
const ENCODED: u64 = 1;
/// Above this many keys a table pays (measured on maps of 200 keys: with a table from 24 keys on and a set of
/// 64 bits, a read took 8 % longer). A larger set would be faster still, but every level of nesting has one.
const SMALL: usize = 48;

/// One open map.
pub(crate) struct Open {
    base: usize,
    arena: usize,
    seen: [u64; 2],
    table: Option<usize>,
}

/// A key's bytes.
#[derive(Clone, Copy)]
pub(crate) enum KeyBytes<'k> {
    /// A slice of the input.
    Input(&'k [u8]),
    /// Unescaped text, gone after the call.
    Transient(&'k [u8]),
    /// A key that is not a string, in canonical MessagePack.
    Encoded(&'k [u8]),
}

/// Open addressing: 0 or one more than the place of an entry.
#[derive(Default)]
pub(crate) struct Table {
    slots: Vec<u32>,
    probes: usize,
    runs: Option<Runs>,
}

impl Keys {
    #[cfg_attr(not(samewire_compact), inline(always))]
    pub(crate) fn open(&self) -> Open {
        Open { base: self.entries.len(), arena: self.arena.len(), seen: [0; 2], table: None }
    }

    #[cfg_attr(not(samewire_compact), inline(always))]
    pub(crate) fn close(&mut self, open: &Open) {
        self.entries.truncate(open.base);
        self.arena.truncate(open.arena);
        if open.table.is_some() {
            self.open_tables -= 1;
        }
    }

    /// Forgets all, after an error.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.arena.clear();
        self.open_tables = 0;
    }

    /// Adds a key that starts at offset `at`. Returns the offset of an equal one that the map has already.
    #[cfg_attr(not(samewire_compact), inline(always))]
    pub(crate) fn insert(&mut self, open: &mut Open, input: &[u8], key: KeyBytes<'_>, at: usize) -> Option<usize> {
        let (bytes, start, kind) = match key {
            KeyBytes::Input(b) => (b, b.as_ptr() as usize - input.as_ptr() as usize, 0),
            KeyBytes::Transient(b) => (b, self.keep(b), 0),
            KeyBytes::Encoded(b) => (b, self.keep(b), ENCODED),
        };
        let hash = hash(bytes) & !1 | kind;
        let (word, bit) = ((hash >> 63) as usize, 1 << (hash >> 57 & 63));
        let clash = open.seen[word] & bit != 0;
        open.seen[word] |= bit;
        let entry = Entry { start, len: bytes.len(), hash, at };
        let found = if clash || open.table.is_some() { self.find(open, input, entry) } else { None };
        if self.entries.len() == self.entries.capacity() {
            self.grow();
        }
        self.entries.push(entry);
        found
    }

    /// The first maps of a message fit without growing again.
    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        if self.entries.capacity() == 0 {
            (self.entries, self.tables) = spare::take();
        }
        if self.entries.len() == self.entries.capacity() {
            self.entries.reserve(self.entries.len().max(32));
        }
    }

    #[cold]
    fn keep(&mut self, bytes: &[u8]) -> usize {
        let start = self.arena.len() | ARENA;
        self.arena.extend_from_slice(bytes);
        start
    }

    #[inline(never)]
    fn find(&mut self, open: &mut Open, input: &[u8], entry: Entry) -> Option<usize> {
        let mine = &self.entries[open.base..];
        if mine.len() <= SMALL {
            let keys = Bytes { input, arena: &self.arena };
            return mine.iter().find(|e| keys.equal(e, &entry)).map(|e| e.at);
        }
        let which = *open.table.get_or_insert_with(|| {
            if self.open_tables == self.tables.len() {
                self.tables.push(Table::default());
            }
            self.tables[self.open_tables].reset();
            self.open_tables += 1;
            self.open_tables - 1
        });
        let keys = Bytes { input, arena: &self.arena };
        self.tables[which].find(&self.entries[open.base..], keys, entry)
    }
}

/// Where the bytes of entries are.
#[derive(Clone, Copy)]
struct Bytes<'a> {
    input: &'a [u8],
    arena: &'a [u8],
}

impl<'a> Bytes<'a> {
    fn of(self, entry: &Entry) -> &'a [u8] {
        let (all, start) =
            if entry.start & ARENA == 0 { (self.input, entry.start) } else { (self.arena, entry.start & !ARENA) };
        &all[start..start + entry.len]
    }

    #[cfg_attr(not(samewire_compact), inline(always))]
    fn equal(self, a: &Entry, b: &Entry) -> bool {
        a.hash == b.hash && self.same(a, b)
    }

    #[inline(never)]
    fn same(self, a: &Entry, b: &Entry) -> bool {
        self.of(a) == self.of(b)
    }
}

impl Table {
    fn reset(&mut self) {
        self.slots.clear();
        (self.probes, self.runs) = (0, None);
    }

    /// Indexes `entries` anew, at a quarter of the slots or less.
    #[inline(never)]
    fn fill(&mut self, entries: &[Entry]) {
        let size = (4 * (entries.len() + 1)).next_power_of_two();
        self.slots.clear();
        self.slots.resize(size, 0);
        self.probes = 0;
        for (i, e) in entries.iter().enumerate() {
            let mut slot = e.hash as usize >> 1 & (size - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (size - 1);
                self.probes += 1;
            }
            self.slots[slot] = i as u32 + 1;
        }
    }

    /// The table indexes `mine`, and the new one, whose place is after them, from now on.
    #[cfg_attr(not(samewire_compact), inline(always))]
    fn find(&mut self, mine: &[Entry], keys: Bytes<'_>, entry: Entry) -> Option<usize> {
        if self.runs.is_some() || self.probes > 8 * mine.len() + 1024 {
            return self.find_in_runs(mine, keys, entry);
        }
        if self.slots.len() < 2 * (mine.len() + 1) {
            self.fill(mine);
        }
        let mask = self.slots.len() - 1;
        let mut slot = entry.hash as usize >> 1 & mask;
        while self.slots[slot] != 0 {
            let other = &mine[self.slots[slot] as usize - 1];
            if keys.equal(other, &entry) {
                return Some(other.at);
            }
            slot = (slot + 1) & mask;
            self.probes += 1;
        }
        self.slots[slot] = mine.len() as u32 + 1;
        None
    }

    #[cold]
    #[inline(never)]
    fn find_in_runs(&mut self, mine: &[Entry], keys: Bytes<'_>, entry: Entry) -> Option<usize> {
        let compare = |a: u32, b: u32| {
            let key = |i: u32| {
                let e = mine.get(i as usize).unwrap_or(&entry);
                (e.hash & ENCODED, keys.of(e))
            };
            key(a).cmp(&key(b))
        };
        let new = mine.len() as u32;
        let runs = self.runs.get_or_insert_with(|| {
            let mut runs = Runs::default();
            (0..new).for_each(|i| {
                runs.insert(i, &compare);
            });
            runs
        });
        runs.insert(new, &compare).map(|twin| mine[twin as usize].at)
    }
}

/// The memory of keys goes from one call to the next in a thread, up to a bound: its pieces are so large that an
/// allocator tidies up each time it is asked for one (measured: 13 % of reading a map of 200 keys).
#[cfg(feature = "std")]
mod spare {
    use super::{Entry, Table, Vec};
    use core::cell::RefCell;

    /// Entries kept: 128 KiB.
    const ENTRIES: usize = 4096;
    /// Slots kept in a table: 64 KiB.
    const SLOTS: usize = 16384;

    std::thread_local! {
        static SPARE: RefCell<(Vec<Entry>, Vec<Table>)> = const { RefCell::new((Vec::new(), Vec::new())) };
    }

    pub(super) fn take() -> (Vec<Entry>, Vec<Table>) {
        SPARE.try_with(|spare| spare.take()).unwrap_or_default()
    }

    pub(super) fn give(mut entries: Vec<Entry>, mut tables: Vec<Table>) {
        if entries.capacity() > ENTRIES {
            return;
        }
        entries.clear();
        tables.truncate(1);
        tables.retain_mut(|table| {
            table.runs = None;
            table.slots.capacity() <= SLOTS
        });
        // A thread that ends has no memory to keep.
        let _ = SPARE.try_with(|spare| spare.replace((entries, tables)));
    }
}

#[cfg(not(feature = "std"))]
mod spare {
    use super::{Entry, Table, Vec};

    pub(super) fn take() -> (Vec<Entry>, Vec<Table>) {
        Default::default()
    }

    pub(super) fn give(_: Vec<Entry>, _: Vec<Table>) {}
}

impl Drop for Keys {
    #[inline]
    fn drop(&mut self) {
        if self.entries.capacity() != 0 {
            spare::give(core::mem::take(&mut self.entries), core::mem::take(&mut self.tables));
        }
    }
}

/// Entries' indices in sorted runs, each less than half as long as the one before: a search of them all, and the
/// merges that keep them few, cost O(log² n) comparisons an entry, whatever the keys.
#[derive(Default)]
struct Runs(Vec<Vec<u32>>);

impl Runs {
    /// Adds an entry, unless an equal one is there: then it is returned.
    fn insert(&mut self, new: u32, compare: &dyn Fn(u32, u32) -> Ordering) -> Option<u32> {
        for run in &self.0 {
            if let Ok(found) = run.binary_search_by(|&other| compare(other, new)) {
                return Some(run[found]);
            }
        }
        let mut run = alloc::vec![new];
        while let Some(last) = self.0.pop_if(|last| last.len() <= run.len()) {
            run = merged(&last, &run, compare);
        }
        self.0.push(run);
        None
    }
}

fn merged(a: &[u32], b: &[u32], compare: &dyn Fn(u32, u32) -> Ordering) -> Vec<u32> {
    let mut out = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        if j == b.len() || (i < a.len() && compare(a[i], b[j]) == Ordering::Less) {
            out.push(a[i]);
            i += 1;
        } else {
            out.push(b[j]);
            j += 1;
        }
    }
    out
}

/// Length and up to 16 bytes at the ends, mixed by a folded multiplication. Not keyed: see [`Runs`].
#[cfg_attr(not(samewire_compact), inline(always))]
fn hash(bytes: &[u8]) -> u64 {
    let n = bytes.len();
    let p = bytes.as_ptr();
    // SAFETY: every read is inside 0..n.
    let x = unsafe {
        if n >= 8 {
            p.cast::<u64>().read_unaligned() ^ p.add(n - 8).cast::<u64>().read_unaligned().rotate_left(29)
        } else if n >= 4 {
            u64::from(p.cast::<u32>().read_unaligned()) | u64::from(p.add(n - 4).cast::<u32>().read_unaligned()) << 32
        } else if n > 0 {
            u64::from(*p) | u64::from(*p.add(n / 2)) << 8 | u64::from(*p.add(n - 1)) << 16
        } else {
            0
        }
    };
    let product = u128::from(x ^ (n as u64) << 56 ^ 0x2545_F491_4F6C_DD1D) * 0x9E37_79B9_7F4A_7C15;
    (product as u64) ^ (product >> 64) as u64
}

/// What becomes of duplicate keys under `duplicate_keys="last"` and `"first"`: made by a pass over the input
/// before the one that builds.
#[derive(Default)]
pub(crate) struct Plan {
    /// By the key's offset once the plan is [`made`](Self::made); before that the last one counts.
    actions: Vec<(usize, Action)>,
}

/// What to do at a key, by its offset.
#[derive(Clone, Copy)]
pub(crate) enum Action {
    /// Leave the entry out.
    Skip,
    /// Read the value at this offset instead of the entry's own.
    ValueAt(usize),
}

impl Plan {
    /// The key at `first` is repeated at `again`; `value` is the offset of the later value if it is to win.
    pub(crate) fn repeat(&mut self, first: usize, again: usize, value: Option<usize>) {
        self.actions.push((again, Action::Skip));
        if let Some(value) = value {
            self.actions.push((first, Action::ValueAt(value)));
        }
    }

    /// Ends the making.
    pub(crate) fn made(&self) -> Plan {
        let all = &self.actions;
        let mut actions: Vec<(usize, Action)> = Vec::with_capacity(all.len());
        for i in order::sorted(all.len(), &mut |a, b| all[a].0.cmp(&all[b].0)) {
            if actions.last().is_some_and(|last| last.0 == all[i].0) {
                actions.pop();
            }
            actions.push(all[i]);
        }
        Plan { actions }
    }

    pub(crate) fn at(&self, key: usize) -> Option<Action> {
        self.actions.binary_search_by_key(&key, |a| a.0).ok().map(|i| self.actions[i].1)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.actions.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::String;

    fn first_repeat(keys: &[&str]) -> Option<(usize, usize)> {
        let input: String = keys.concat();
        let mut set = Keys::default();
        let mut open = set.open();
        let mut at = 0;
        for (i, k) in keys.iter().enumerate() {
            if let Some(first) =
                set.insert(&mut open, input.as_bytes(), KeyBytes::Input(&input.as_bytes()[at..at + k.len()]), at)
            {
                return Some((first, i));
            }
            at += k.len();
        }
        None
    }

    #[test]
    fn finds_the_repeat_at_every_size() {
        for n in [1, 2, 10, 24, 25, 26, 64, 1000, 5000] {
            let keys: Vec<String> = (0..n).map(|i| format!("k{i:05}")).collect();
            let mut refs: Vec<&str> = keys.iter().map(|k| &k[..]).collect();
            assert_eq!(first_repeat(&refs), None);
            refs.push(&keys[n / 2]);
            assert_eq!(first_repeat(&refs), Some((n / 2 * 6, n)));
        }
    }

    #[test]
    fn keys_made_to_collide_stay_fast_and_exact() {
        // Same length, same first and last eight bytes: equal hashes.
        let keys: Vec<String> = (0..4000).map(|i| format!("aaaaaaaa{i:06}bbbbbbbb")).collect();
        let mut refs: Vec<&str> = keys.iter().map(|k| &k[..]).collect();
        assert_eq!(first_repeat(&refs), None);
        refs.push(&keys[77]);
        assert_eq!(first_repeat(&refs), Some((77 * 22, 4000)));
    }

    #[test]
    fn nested_maps_do_not_see_each_other() {
        let input = b"aa";
        let mut set = Keys::default();
        let mut outer = set.open();
        assert_eq!(set.insert(&mut outer, input, KeyBytes::Input(&input[..1]), 0), None);
        let mut inner = set.open();
        assert_eq!(set.insert(&mut inner, input, KeyBytes::Transient(b"a"), 1), None);
        set.close(&inner);
        assert_eq!(set.insert(&mut outer, input, KeyBytes::Encoded(b"a"), 1), None);
        assert_eq!(set.insert(&mut outer, input, KeyBytes::Transient(b"a"), 1), Some(0));
    }
}
