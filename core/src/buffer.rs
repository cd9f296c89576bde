//! Where writers put their bytes: a growable run of memory with room asked for in advance.
//!
//! Not a trait: growing is rare and goes through one function pointer, so that writers are compiled once for
//! all owners of memory (a `Vec`, a host's bytes object, memory shared with a host).

use alloc::vec::Vec;

/// An output with `position ≤ end`; bytes before `position` are written.
///
/// Writers call [`reserve`](Self::reserve) once and then the unchecked `put` methods. Whoever makes a
/// `Buffer` from foreign memory gives the function that makes it longer.
pub struct Buffer {
    start: *mut u8,
    position: *mut u8,
    end: *mut u8,
    grow: unsafe fn(&mut Buffer, usize),
    /// For `grow` and `finish` of foreign memory: whatever they need.
    pub context: *mut (),
}

/// What every reserve adds, so that short copies may write a whole vector register past their end.
pub const SLACK: usize = 64;

impl Default for Buffer {
    fn default() -> Self {
        Buffer::with_capacity(0)
    }
}

impl Buffer {
    /// An empty buffer in a `Vec` with at least `capacity` bytes of room.
    pub fn with_capacity(capacity: usize) -> Self {
        Self::from_vec(Vec::with_capacity(capacity + SLACK))
    }

    /// A buffer that writes after what `vec` holds.
    pub fn from_vec(vec: Vec<u8>) -> Self {
        let mut vec = core::mem::ManuallyDrop::new(vec);
        let start = vec.as_mut_ptr();
        // SAFETY: both are within the allocation.
        let (position, end) = unsafe { (start.add(vec.len()), start.add(vec.capacity())) };
        Buffer { start, position, end, grow: grow_vec, context: core::ptr::null_mut() }
    }

    /// A buffer over foreign memory. [`into_vec`](Self::into_vec) must not be called on it.
    ///
    /// # Safety
    /// `start..end` must stay writable while the buffer is used, `start ≤ position ≤ end`, and `grow(b, n)`
    /// must leave `b` with the bytes written so far and at least `n + SLACK` bytes of room, by [`set`](Self::set).
    pub unsafe fn from_raw(
        start: *mut u8,
        position: *mut u8,
        end: *mut u8,
        grow: unsafe fn(&mut Buffer, usize),
        context: *mut (),
    ) -> Self {
        Buffer { start, position, end, grow, context }
    }

    /// Replaces the memory, for `grow` functions.
    ///
    /// # Safety
    /// As for [`from_raw`](Self::from_raw).
    #[inline]
    pub unsafe fn set(&mut self, start: *mut u8, position: *mut u8, end: *mut u8) {
        (self.start, self.position, self.end) = (start, position, end);
    }

    /// The bytes as a `Vec`, of a buffer made by [`with_capacity`](Self::with_capacity) or
    /// [`from_vec`](Self::from_vec).
    pub fn into_vec(self) -> Vec<u8> {
        assert!(self.grow as usize == grow_vec as *const () as usize, "the memory is not a Vec's");
        let buffer = core::mem::ManuallyDrop::new(self);
        // SAFETY: made by from_vec or grow_vec.
        unsafe { buffer.vec() }
    }

    /// # Safety
    /// The memory must be a Vec's, and the result is its only owner from now on.
    unsafe fn vec(&self) -> Vec<u8> {
        // SAFETY: start, length and capacity are those of a Vec<u8>.
        unsafe { Vec::from_raw_parts(self.start, self.len(), self.end as usize - self.start as usize) }
    }

    /// Bytes written so far.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn len(&self) -> usize {
        self.position as usize - self.start as usize
    }

    /// True if nothing is written.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes written so far.
    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        // SAFETY: start..position is initialised.
        unsafe { core::slice::from_raw_parts(self.start, self.len()) }
    }

    /// The bytes written so far, to patch.
    #[inline]
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: start..position is initialised and exclusively ours.
        unsafe { core::slice::from_raw_parts_mut(self.start, self.len()) }
    }

    /// The start of the memory.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn start(&self) -> *mut u8 {
        self.start
    }

    /// Where the next byte goes.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn position(&self) -> *mut u8 {
        self.position
    }

    /// The end of the memory.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn end(&self) -> *mut u8 {
        self.end
    }

    /// Makes room for `n` bytes and [`SLACK`].
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn reserve(&mut self, n: usize) {
        if (self.end as usize - self.position as usize) < n + SLACK {
            self.grow_cold(n);
        }
    }

    #[cold]
    #[inline(never)]
    fn grow_cold(&mut self, n: usize) {
        // SAFETY: the contract of from_raw.
        unsafe { (self.grow)(self, n) }
        debug_assert!(self.end as usize - self.position as usize >= n + SLACK);
    }

    /// Moves the position.
    ///
    /// # Safety
    /// `n` bytes after the position must be initialised and within the memory.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub unsafe fn advance(&mut self, n: usize) {
        // SAFETY: within the memory.
        self.position = unsafe { self.position.add(n) };
    }

    /// Forgets all after the first `len` bytes.
    pub fn truncate(&mut self, len: usize) {
        if len < self.len() {
            // SAFETY: start + len is before position.
            self.position = unsafe { self.start.add(len) };
        }
    }

    /// A pen at the position, for several writes in a row. What it writes counts when it comes back by
    /// [`lay`](Self::lay).
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn pen(&self) -> Pen {
        Pen(self.position)
    }

    /// Moves the position to a pen's.
    ///
    /// # Safety
    /// The pen is one of [`pen`](Self::pen) since the last write or growth, and has written all it passed.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub unsafe fn lay(&mut self, pen: Pen) {
        self.position = pen.0;
    }

    /// Writes one byte into room that was reserved.
    ///
    /// # Safety
    /// At least one byte must be reserved.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub unsafe fn put(&mut self, byte: u8) {
        // SAFETY: reserved.
        unsafe {
            *self.position = byte;
            self.position = self.position.add(1);
        }
    }

    /// Writes an array of bytes into room that was reserved.
    ///
    /// # Safety
    /// At least `N` bytes must be reserved.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub unsafe fn put_array<const N: usize>(&mut self, bytes: [u8; N]) {
        // SAFETY: reserved; alignment of [u8; N] is 1.
        unsafe {
            self.position.cast::<[u8; N]>().write(bytes);
            self.position = self.position.add(N);
        }
    }

    /// Writes bytes into room that was reserved.
    ///
    /// # Safety
    /// At least `bytes.len()` bytes must be reserved.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub unsafe fn put_slice(&mut self, bytes: &[u8]) {
        // SAFETY: reserved, and the source is not our memory.
        unsafe {
            copy_short(bytes.as_ptr(), self.position, bytes.len());
            self.position = self.position.add(bytes.len());
        }
    }

    /// Reserves and writes bytes.
    #[inline]
    pub fn extend(&mut self, bytes: &[u8]) {
        self.reserve(bytes.len());
        // SAFETY: reserved.
        unsafe { self.put_slice(bytes) }
    }

    /// Puts runs of bytes, each from its place to the next one's and the last to the end, into another order.
    pub fn permute(&mut self, places: &[usize], order: &[usize]) {
        let Some(&first) = places.first() else { return };
        let end = self.len();
        let bytes = self.as_slice();
        let mut sorted = Vec::with_capacity(end - first);
        for &i in order {
            let stop = places.get(i + 1).copied().unwrap_or(end);
            sorted.extend_from_slice(&bytes[places[i]..stop]);
        }
        assert!(sorted.len() == end - first, "the order names each run once");
        self.as_mut_slice()[first..].copy_from_slice(&sorted);
    }

    /// Makes a gap of `n` zero bytes at offset `at`, moving what follows: for headers known too late.
    pub fn insert_gap(&mut self, at: usize, n: usize) {
        assert!(at <= self.len());
        self.reserve(n);
        // SAFETY: reserved; ranges are within the memory.
        unsafe {
            let from = self.start.add(at);
            core::ptr::copy(from, from.add(n), self.len() - at);
            core::ptr::write_bytes(from, 0, n);
            self.position = self.position.add(n);
        }
    }
}

/// A position of its own, in a register: a byte that is stored through the buffer's could be part of the buffer
/// itself for all the compiler knows, so that the position makes a round trip through memory after each write
/// (measured: 1.9 against 1.2 ns for a marker with its eight bytes).
#[derive(Clone, Copy)]
pub struct Pen(*mut u8);

impl Pen {
    /// Writes one byte.
    ///
    /// # Safety
    /// At least one byte must be reserved in the buffer, after what this pen has written.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub unsafe fn put(&mut self, byte: u8) {
        // SAFETY: reserved.
        unsafe { self.put_array([byte]) }
    }

    /// Writes an array of bytes.
    ///
    /// # Safety
    /// As for [`put`](Self::put), with `N` bytes.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub unsafe fn put_array<const N: usize>(&mut self, bytes: [u8; N]) {
        // SAFETY: reserved; alignment of [u8; N] is 1.
        unsafe { self.put_part(bytes, N) }
    }

    /// Writes an array of which the first `n` bytes count.
    ///
    /// # Safety
    /// As for [`put`](Self::put), with `N` bytes, and `n ≤ N`.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub unsafe fn put_part<const N: usize>(&mut self, bytes: [u8; N], n: usize) {
        // SAFETY: reserved; alignment of [u8; N] is 1.
        unsafe {
            self.0.cast::<[u8; N]>().write(bytes);
            self.0 = self.0.add(n);
        }
    }

    /// Writes bytes.
    ///
    /// # Safety
    /// As for [`put`](Self::put), with `bytes.len()` bytes.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub unsafe fn put_slice(&mut self, bytes: &[u8]) {
        // SAFETY: reserved, and the source is not the buffer's memory.
        unsafe {
            copy_short(bytes.as_ptr(), self.0, bytes.len());
            self.0 = self.0.add(bytes.len());
        }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.grow as usize == grow_vec as *const () as usize {
            // SAFETY: the Vec is ours and not used again.
            drop(unsafe { self.vec() });
        }
    }
}

unsafe fn grow_vec(buffer: &mut Buffer, n: usize) {
    // SAFETY: only Vec-backed buffers have this function; the old pointers are replaced below.
    let mut vec = core::mem::ManuallyDrop::new(unsafe { buffer.vec() });
    let more = n.saturating_add(SLACK).max(vec.capacity());
    vec.reserve(more);
    let start = vec.as_mut_ptr();
    // SAFETY: within the allocation.
    unsafe { buffer.set(start, start.add(vec.len()), start.add(vec.capacity())) }
}

/// Copies `n` bytes; short runs without a call into libc (measured: 8–20 % of encoding short strings).
///
/// # Safety
/// As for `copy_nonoverlapping`.
#[cfg_attr(not(samewire_smallest), inline(always))]
pub unsafe fn copy_short(from: *const u8, to: *mut u8, n: usize) {
    // SAFETY: each branch reads and writes inside 0..n only; reads come before writes.
    unsafe {
        if n > 32 {
            core::ptr::copy_nonoverlapping(from, to, n);
        } else if n >= 16 {
            let a = from.cast::<[u64; 2]>().read_unaligned();
            let b = from.add(n - 16).cast::<[u64; 2]>().read_unaligned();
            to.cast::<[u64; 2]>().write_unaligned(a);
            to.add(n - 16).cast::<[u64; 2]>().write_unaligned(b);
        } else if n >= 8 {
            let a = from.cast::<u64>().read_unaligned();
            let b = from.add(n - 8).cast::<u64>().read_unaligned();
            to.cast::<u64>().write_unaligned(a);
            to.add(n - 8).cast::<u64>().write_unaligned(b);
        } else if n >= 4 {
            let a = from.cast::<u32>().read_unaligned();
            let b = from.add(n - 4).cast::<u32>().read_unaligned();
            to.cast::<u32>().write_unaligned(a);
            to.add(n - 4).cast::<u32>().write_unaligned(b);
        } else if n > 0 {
            let (a, b, c) = (*from, *from.add(n / 2), *from.add(n - 1));
            *to = a;
            *to.add(n / 2) = b;
            *to.add(n - 1) = c;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grows_and_keeps_what_was_written() {
        let mut b = Buffer::with_capacity(0);
        let data: Vec<u8> = (0..=255).cycle().take(5000).collect();
        for chunk in data.chunks(7) {
            b.extend(chunk);
        }
        assert_eq!(b.as_slice(), &data[..]);
        b.insert_gap(3, 2);
        assert_eq!(&b.as_slice()[..7], &[0, 1, 2, 0, 0, 3, 4]);
        b.truncate(1);
        assert_eq!(b.into_vec(), [0]);
    }

    #[test]
    fn short_copies_equal_the_plain_ones() {
        let source: Vec<u8> = (1..=80).collect();
        for n in 0..=80 {
            let mut to = [0u8; 80];
            // SAFETY: both have 80 bytes.
            unsafe { copy_short(source.as_ptr(), to.as_mut_ptr(), n) };
            assert_eq!(to[..n], source[..n]);
            assert!(to[n..].iter().all(|&b| b == 0));
        }
    }
}
