//! Short strings that come again: from the third sight on a string is an id of four bytes.

use alloc::boxed::Box;

use super::packed::Packed;
use super::{INTERN_SLOTS, tag};

const BITS: u32 = INTERN_SLOTS.trailing_zeros();

/// What [`Strings::see`] says of a string.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sight {
    /// Write it.
    New,
    /// Write it, and let the host remember it under this id.
    Second(u32),
    /// Write this word only.
    Known(u32),
}

#[derive(Clone, Copy, Default)]
struct Slot {
    string: Packed,
    sights: u32,
}

/// A direct-mapped table: a newcomer takes the place of whatever was there. Bounded by construction, and an
/// attacker who fills it only makes strings be written in full.
pub struct Strings {
    slots: Box<[Slot; INTERN_SLOTS]>,
    used: bool,
}

impl Strings {
    pub fn new() -> Self {
        Strings { slots: Box::new([Slot::default(); INTERN_SLOTS]), used: false }
    }

    /// Notes a string that is not empty.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn see(&mut self, string: Packed) -> Sight {
        let id = string.hash(BITS);
        // SAFETY: a hash of BITS bits is below INTERN_SLOTS.
        let slot = unsafe { self.slots.get_unchecked_mut(id) };
        if slot.string == string {
            if slot.sights == 2 {
                return Sight::Known(tag::KNOWN | (id as u32) << 4);
            }
            slot.sights = 2;
            return Sight::Second(id as u32);
        }
        *slot = Slot { string, sights: 1 };
        self.used = true;
        Sight::New
    }

    /// Forgets all: what the host remembers is unknown.
    pub fn clear(&mut self) {
        if self.used {
            self.slots.fill(Slot::default());
            self.used = false;
        }
    }
}
