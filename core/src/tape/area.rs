//! Aligned memory for one area of the tape, owned here or by the host.

use alloc::alloc::{Layout, alloc, dealloc, handle_alloc_error, realloc};
use core::ops::{Deref, DerefMut};

use crate::buffer::{Buffer, SLACK};

/// Enough for every element type on the tape and for a vector register.
const ALIGN: usize = 16;

/// A [`Buffer`] whose start is aligned to 16 bytes.
pub struct Area {
    buffer: Buffer,
    own: bool,
}

impl Area {
    /// An area with `capacity` bytes of room, of the global allocator.
    pub fn with_capacity(capacity: usize) -> Self {
        let layout = layout(capacity.saturating_add(SLACK));
        // SAFETY: the layout's size is not zero.
        let start = unsafe { alloc(layout) };
        if start.is_null() {
            handle_alloc_error(layout);
        }
        // SAFETY: start..start+size is ours; grow_area keeps the contract.
        let buffer =
            unsafe { Buffer::from_raw(start, start, start.add(layout.size()), grow_area, core::ptr::null_mut()) };
        Area { buffer, own: true }
    }

    /// An area in the host's memory.
    ///
    /// # Safety
    /// As for [`Buffer::from_raw`], and the start is, and stays when the memory grows, aligned to 16 bytes.
    pub unsafe fn foreign(buffer: Buffer) -> Self {
        Area { buffer, own: false }
    }

    /// Gives memory back down to about `capacity` bytes, if the area is empty, its own and much larger.
    pub fn shrink(&mut self, capacity: usize) {
        let room = self.end() as usize - self.start() as usize;
        if self.own && self.is_empty() && room / 4 > capacity {
            *self = Area::with_capacity(capacity);
        }
    }
}

impl Deref for Area {
    type Target = Buffer;
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn deref(&self) -> &Buffer {
        &self.buffer
    }
}

impl DerefMut for Area {
    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn deref_mut(&mut self) -> &mut Buffer {
        &mut self.buffer
    }
}

impl Drop for Area {
    fn drop(&mut self) {
        if self.own {
            let size = self.end() as usize - self.start() as usize;
            // SAFETY: allocated with this layout by with_capacity or grow_area.
            unsafe { dealloc(self.start(), layout(size)) }
        }
    }
}

fn layout(size: usize) -> Layout {
    match Layout::from_size_align(size.next_multiple_of(ALIGN), ALIGN) {
        Ok(layout) => layout,
        // Larger than the address space.
        Err(_) => handle_alloc_error(Layout::new::<u8>()),
    }
}

/// Doubles, so that a message costs a number of copies that is logarithmic in its size.
unsafe fn grow_area(buffer: &mut Buffer, n: usize) {
    let (len, old) = (buffer.len(), buffer.end() as usize - buffer.start() as usize);
    let size = layout(old.saturating_mul(2).max(len.saturating_add(n).saturating_add(SLACK))).size();
    // SAFETY: the memory was allocated with this layout; the new size is larger and not zero.
    unsafe {
        let start = realloc(buffer.start(), layout(old), size);
        if start.is_null() {
            handle_alloc_error(layout(size));
        }
        buffer.set(start, start.add(len), start.add(size));
    }
}
