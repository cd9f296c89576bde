//! The key cache: the same `str` object, with its hash, for a key seen before.
//!
//! Two slots a set, so that two keys that meet do not push each other out; and a guess of the next key from
//! the last one, which records make true most of the time.

use core::ptr::null_mut;

use pyo3::ffi::*;
use samewire::Error;
use samewire::visit::Text;

use crate::layout::Object;
use crate::state::{KEY_SLOTS, state};
use crate::strings::new_str;

/// A key for one decode: borrowed from the cache or the grave. Its hash is computed already. One word, so that
/// it stays in a register.
pub type KeyRef = Object;

/// Longer keys are not cached.
const LONGEST: usize = 32;

/// One cached key.
#[repr(C, align(64))]
pub struct KeySlot {
    object: Object,
    mix: u64,
    len: u32,
    next: u32,
    bytes: [u8; LONGEST],
}

impl KeySlot {
    pub const EMPTY: KeySlot = KeySlot { object: null_mut(), mix: 0, len: u32::MAX, next: 0, bytes: [0; LONGEST] };

    /// Empties the slot; the caller gets its reference.
    pub fn take(&mut self) -> Option<Object> {
        let old = core::mem::replace(self, KeySlot::EMPTY).object;
        (!old.is_null()).then_some(old)
    }

    #[inline(always)]
    fn is(&self, bytes: &[u8]) -> bool {
        self.len as usize == bytes.len() && same(&self.bytes, bytes)
    }
}

/// Compares `b` (at most 32 bytes) with the front of `a` by overlapping loads.
#[inline(always)]
fn same(a: &[u8; LONGEST], b: &[u8]) -> bool {
    let n = b.len();
    let (p, q) = (a.as_ptr(), b.as_ptr());
    // SAFETY: all reads are within 0..n, n ≤ 32.
    unsafe {
        let word = |at: usize| p.add(at).cast::<u64>().read_unaligned() == q.add(at).cast::<u64>().read_unaligned();
        let half = |at: usize| p.add(at).cast::<u32>().read_unaligned() == q.add(at).cast::<u32>().read_unaligned();
        if n > 16 {
            word(0) & word(8) & word(n - 16) & word(n - 8)
        } else if n >= 8 {
            word(0) & word(n - 8)
        } else if n >= 4 {
            half(0) & half(n - 4)
        } else if n > 0 {
            (*p == *q) & (*p.add(n / 2) == *q.add(n / 2)) & (*p.add(n - 1) == *q.add(n - 1))
        } else {
            true
        }
    }
}

#[inline(always)]
fn mix(bytes: &[u8]) -> u64 {
    let n = bytes.len();
    let p = bytes.as_ptr();
    // SAFETY: all reads are within 0..n.
    let (x, y) = unsafe {
        if n >= 8 {
            let middle = p.add(n / 2 - 4).cast::<u64>().read_unaligned().rotate_left(17);
            (p.cast::<u64>().read_unaligned() ^ middle, p.add(n - 8).cast::<u64>().read_unaligned())
        } else if n >= 4 {
            (u64::from(p.cast::<u32>().read_unaligned()), u64::from(p.add(n - 4).cast::<u32>().read_unaligned()))
        } else if n > 0 {
            (u64::from(*p), u64::from(*p.add(n / 2)) << 8 | u64::from(*p.add(n - 1)))
        } else {
            (0, 0)
        }
    };
    let product =
        u128::from(x ^ 0x9E37_79B9_7F4A_7C15) * u128::from(y ^ 0xD6E8_FEB8_6659_FD93u64.wrapping_add(n as u64));
    (product >> 64) as u64 ^ product as u64
}

/// The key object for a text.
///
/// # Safety
/// The lock is held, and a decode is running (`State::decodes`), which keeps the object alive.
#[inline(always)]
pub unsafe fn key(text: Text<'_>) -> Result<KeyRef, Error> {
    let bytes = text.bytes();
    if bytes.len() > LONGEST {
        // SAFETY: the caller's.
        return unsafe { uncached(text) };
    }
    let state = state();
    // SAFETY: indices are below KEY_SLOTS.
    unsafe {
        let slots = (*state).keys.as_mut_ptr();
        let guess = (*slots.add((*state).last_key as usize)).next;
        let slot = slots.add(guess as usize);
        if (*slot).is(bytes) {
            (*state).last_key = guess;
            return Ok((*slot).object);
        }
        let mix = mix(bytes);
        let first = mix as usize & (KEY_SLOTS - 1);
        for index in [first, first ^ 1] {
            let slot = slots.add(index);
            if (*slot).mix == mix && (*slot).is(bytes) {
                (*slots.add((*state).last_key as usize)).next = index as u32;
                (*state).last_key = index as u32;
                return Ok((*slot).object);
            }
        }
        miss(text, mix, first)
    }
}

unsafe fn make(text: Text<'_>) -> Result<KeyRef, Error> {
    // SAFETY: the lock is held. The hash of a str is computed without Python code, and kept by it.
    unsafe {
        let object = new_str(text)?.into_ptr();
        PyObject_Hash(object);
        Ok(object)
    }
}

#[inline(never)]
unsafe fn uncached(text: Text<'_>) -> Result<KeyRef, Error> {
    // SAFETY: the lock is held.
    unsafe {
        let key = make(text)?;
        (*state()).grave.push(key);
        Ok(key)
    }
}

#[inline(never)]
unsafe fn miss(text: Text<'_>, mix: u64, first: usize) -> Result<KeyRef, Error> {
    // SAFETY: the lock is held; indices are below KEY_SLOTS.
    unsafe {
        let key = make(text)?;
        let bytes = text.bytes();
        let state = &mut *state();
        // The older key of the set moves over; the one before it goes.
        let second = first ^ 1;
        let old = core::mem::replace(&mut state.keys[first], KeySlot::EMPTY);
        if !old.object.is_null() {
            state.grave.extend(core::mem::replace(&mut state.keys[second], old).take());
        }
        let slot = &mut state.keys[first];
        (slot.object, slot.mix, slot.len) = (key, mix, bytes.len() as u32);
        slot.bytes[..bytes.len()].copy_from_slice(bytes);
        state.keys[state.last_key as usize].next = first as u32;
        state.last_key = first as u32;
        Ok(key)
    }
}
