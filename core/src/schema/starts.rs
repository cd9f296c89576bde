//! Where the entries of the records that a host is writing begin, to put them into the schema's order.

use alloc::vec::Vec;
use core::mem::MaybeUninit;

/// An entry that was written to a host's record: its rank in the schema's order, or its place if it was kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Start {
    pub(super) at: usize,
    pub(super) rank: u32,
    pub(super) kept: bool,
}

/// How many need no memory of their own: most messages have no more open at a time, and an allocation costs as
/// much as writing three fields.
const INLINE: usize = 24;

/// The entries of all open records, the innermost record's last.
pub(crate) struct Starts {
    len: usize,
    first: [MaybeUninit<Start>; INLINE],
    more: Vec<Start>,
}

impl Starts {
    pub(super) const fn new() -> Self {
        Starts { len: 0, first: [MaybeUninit::uninit(); INLINE], more: Vec::new() }
    }

    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    pub(super) fn push(&mut self, start: Start) {
        match self.first.get_mut(self.len) {
            Some(slot) => {
                slot.write(start);
            }
            None => self.more.push(start),
        }
        self.len += 1;
    }

    #[inline(always)]
    pub(super) fn truncate(&mut self, len: usize) {
        if self.len > INLINE {
            self.more.truncate(len.saturating_sub(INLINE));
        }
        self.len = len;
    }

    /// The entries from an index on.
    pub(super) fn from(&self, index: usize) -> Vec<Start> {
        let get = |i: usize| match self.first.get(i) {
            // SAFETY: those below `len` were written.
            Some(slot) => unsafe { slot.assume_init() },
            None => self.more[i - INLINE],
        };
        (index..self.len).map(get).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_was_pushed_at_every_length() {
        let start = |at: usize| Start { at, rank: at as u32, kept: at.is_multiple_of(3) };
        let mut starts = Starts::new();
        for n in 0..3 * INLINE {
            assert_eq!(starts.len(), n);
            assert_eq!(starts.from(n / 2), (n / 2..n).map(start).collect::<Vec<_>>());
            starts.push(start(n));
        }
        for n in (0..3 * INLINE).rev() {
            starts.truncate(n);
            assert_eq!(starts.from(0), (0..n).map(start).collect::<Vec<_>>());
        }
    }
}
