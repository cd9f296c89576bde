//! The heap of the module: a few hundred bytes of code, where the standard allocator has some thousand.
//!
//! What is asked for here is a handful of growing areas and many small things that live for one call. So small
//! blocks come from lists by size, and are never split or joined; large ones lie in one list by address, where the
//! first that fits is taken, neighbours are joined, and one with room behind it grows where it is.

#[cfg(target_arch = "wasm32")]
use core::alloc::{GlobalAlloc, Layout};
use core::ptr::null_mut;

/// Blocks up to this size come from the lists.
const SMALL: usize = 8192;
/// Sizes of small blocks: 16, 32, 48, 64, 96, 128 … all multiples of 16, as their alignment is.
const CLASSES: usize = 19;
/// Large blocks are multiples of this, so that what is left of one can hold a [`Free`].
const GRAIN: usize = 64;
/// Small blocks are cut from pieces of this size.
const PIECE: usize = 32 * 1024;

/// A free block, in the block.
struct Free {
    next: *mut Free,
    size: usize,
}

/// Memory with an end that can be moved on.
pub trait Memory {
    /// Makes at least `size` bytes usable at the end and returns where they begin and how many there are; null
    /// where there is no memory.
    fn extend(&mut self, size: usize) -> (*mut u8, usize);
}

/// The heap over some memory.
pub struct Heap<M> {
    memory: M,
    small: [*mut Free; CLASSES],
    /// By address.
    large: *mut Free,
    piece: *mut u8,
    piece_left: usize,
}

/// The class of a size up to [`SMALL`], and the size of its blocks.
fn class(size: usize) -> (usize, usize) {
    let size = size.max(16);
    // 2^bit < size ≤ 2^(bit+1), and half-way up in between.
    let bit = (size - 1).ilog2() as usize;
    let half = 3 << (bit - 1);
    if size <= half && bit > 4 { (2 * (bit - 3) - 1, half) } else { (2 * (bit - 3), 2 << bit) }
}

fn grains(size: usize) -> Option<usize> {
    Some(size.checked_add(GRAIN - 1)? & !(GRAIN - 1))
}

impl<M: Memory> Heap<M> {
    pub const fn new(memory: M) -> Self {
        Heap { memory, small: [null_mut(); CLASSES], large: null_mut(), piece: null_mut(), piece_left: 0 }
    }

    /// Memory of `size` bytes, aligned to 16; null where there is none.
    ///
    /// # Safety
    /// What [`Memory::extend`] gave must be this heap's alone.
    pub unsafe fn allocate(&mut self, size: usize) -> *mut u8 {
        if size > SMALL {
            // SAFETY: by contract.
            return grains(size).map_or(null_mut(), |size| unsafe { self.take(size) });
        }
        let (class, size) = class(size);
        let first = self.small[class];
        if !first.is_null() {
            // SAFETY: free blocks are ours.
            self.small[class] = unsafe { (*first).next };
            return first.cast();
        }
        if self.piece_left < size {
            // SAFETY: by contract.
            let piece = unsafe { self.take(PIECE) };
            if piece.is_null() {
                return null_mut();
            }
            (self.piece, self.piece_left) = (piece, PIECE);
        }
        let block = self.piece;
        // SAFETY: as much is left of the piece.
        self.piece = unsafe { block.add(size) };
        self.piece_left -= size;
        block
    }

    /// Gives memory back.
    ///
    /// # Safety
    /// It was given by [`allocate`](Self::allocate) or [`resize`](Self::resize) for this size.
    pub unsafe fn free(&mut self, block: *mut u8, size: usize) {
        let block = block.cast::<Free>();
        if size > SMALL {
            // SAFETY: by contract; the size was rounded in the same way.
            return unsafe { self.put(block, (size + GRAIN - 1) & !(GRAIN - 1)) };
        }
        let (class, size) = class(size);
        // SAFETY: every block has room for it.
        unsafe { block.write(Free { next: self.small[class], size }) };
        self.small[class] = block;
    }

    /// Makes memory larger or smaller, keeping its bytes.
    ///
    /// # Safety
    /// As for [`free`](Self::free).
    pub unsafe fn resize(&mut self, block: *mut u8, old: usize, new: usize) -> *mut u8 {
        // SAFETY: by contract.
        unsafe {
            if old > SMALL && new > SMALL {
                let Some(size) = grains(new) else { return null_mut() };
                let had = (old + GRAIN - 1) & !(GRAIN - 1);
                if size < had {
                    self.put(block.add(size).cast(), had - size);
                }
                if size <= had || self.take_at(block.add(had), size - had) {
                    return block;
                }
            } else if old <= SMALL && new <= SMALL && class(old).0 == class(new).0 {
                return block;
            }
            let fresh = self.allocate(new);
            if !fresh.is_null() {
                fresh.copy_from_nonoverlapping(block, old.min(new));
                self.free(block, old);
            }
            fresh
        }
    }

    /// A large block, the first that fits or new memory.
    unsafe fn take(&mut self, size: usize) -> *mut u8 {
        // SAFETY: the list has free blocks of ours; what is left of one is a multiple of GRAIN.
        unsafe {
            loop {
                let mut link = &raw mut self.large;
                while !(*link).is_null() {
                    let found = *link;
                    if (*found).size >= size {
                        self.cut(link, size);
                        return found.cast();
                    }
                    link = &raw mut (*found).next;
                }
                if !self.more(size) {
                    return null_mut();
                }
            }
        }
    }

    /// The free block at an address, if there is one and it has `size` bytes.
    unsafe fn take_at(&mut self, at: *mut u8, size: usize) -> bool {
        // SAFETY: as in `take`.
        unsafe {
            loop {
                let mut link = &raw mut self.large;
                let mut last = true;
                while !(*link).is_null() {
                    if (*link).cast() >= at {
                        if (*link).cast() == at && (**link).size >= size {
                            self.cut(link, size);
                            return true;
                        }
                        last = (*link).cast() == at && (**link).next.is_null();
                        break;
                    }
                    link = &raw mut (**link).next;
                }
                // The block may be the last thing in memory: then there is room when memory grows. One look after
                // that is enough.
                if !last || !self.grows_behind(at, *link, size) {
                    return false;
                }
            }
        }
    }

    /// Makes memory longer if `at`, or the free block there, is its end.
    unsafe fn grows_behind(&mut self, at: *mut u8, free: *mut Free, size: usize) -> bool {
        // SAFETY: `free` is null or the free block at `at`.
        unsafe {
            let has = if free.is_null() { 0 } else { (*free).size };
            let (start, given) = self.memory.extend(0);
            if start != at.add(has) || given != 0 {
                return false;
            }
            self.more(size - has)
        }
    }

    /// Takes `size` bytes of the free block that a link leads to.
    unsafe fn cut(&mut self, link: *mut *mut Free, size: usize) {
        // SAFETY: the block is ours and has as many.
        unsafe {
            let block = *link;
            let Free { next, size: has } = block.read();
            *link = next;
            if has > size {
                let rest = block.byte_add(size);
                rest.write(Free { next, size: has - size });
                *link = rest;
            }
        }
    }

    unsafe fn more(&mut self, size: usize) -> bool {
        let (start, given) = self.memory.extend(size);
        if start.is_null() {
            return false;
        }
        // SAFETY: new memory is a free block.
        unsafe { self.put(start.cast(), given) };
        true
    }

    /// Puts a free block into the list, joined with its neighbours.
    unsafe fn put(&mut self, block: *mut Free, mut size: usize) {
        // SAFETY: the block and those in the list are ours.
        unsafe {
            let mut before: *mut Free = null_mut();
            let mut next = self.large;
            while !next.is_null() && next < block {
                (before, next) = (next, (*next).next);
            }
            if !next.is_null() && block.byte_add(size) == next {
                size += (*next).size;
                next = (*next).next;
            }
            if before.is_null() {
                self.large = block;
            } else if before.byte_add((*before).size) == block {
                (*before).size += size;
                (*before).next = next;
                return;
            } else {
                (*before).next = block;
            }
            block.write(Free { next, size });
        }
    }
}

#[cfg(target_arch = "wasm32")]
mod module {
    use core::cell::UnsafeCell;

    use super::{GRAIN, GlobalAlloc, Heap, Layout, Memory, null_mut};

    const PAGE: usize = 1 << 16;

    /// The module's own memory, from behind its static data.
    pub struct Pages {
        end: usize,
    }

    unsafe extern "C" {
        static __heap_base: u8;
    }

    impl Memory for Pages {
        fn extend(&mut self, size: usize) -> (*mut u8, usize) {
            if self.end == 0 {
                self.end = (&raw const __heap_base as usize).next_multiple_of(GRAIN);
            }
            let start = self.end;
            if size == 0 {
                return (start as *mut u8, 0);
            }
            let mut had = core::arch::wasm32::memory_size::<0>() * PAGE;
            if had - start < size {
                let pages = (size - (had - start)).div_ceil(PAGE);
                if core::arch::wasm32::memory_grow::<0>(pages) == usize::MAX {
                    return (null_mut(), 0);
                }
                had += pages * PAGE;
            }
            // 64 bytes are missing at the end of four gigabytes, which have no address after them.
            self.end = had & !(GRAIN - 1);
            (start as *mut u8, self.end - start)
        }
    }

    struct Global(UnsafeCell<Heap<Pages>>);

    // SAFETY: the module has one thread.
    unsafe impl Sync for Global {}

    // SAFETY: blocks are aligned to 16 bytes, as much as anything in the module asks for; more is refused.
    unsafe impl GlobalAlloc for Global {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            if layout.align() > 16 {
                return null_mut();
            }
            // SAFETY: one thread, and no call of the heap calls back.
            unsafe { (*self.0.get()).allocate(layout.size()) }
        }
        unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
            // SAFETY: as above.
            unsafe { (*self.0.get()).free(block, layout.size()) }
        }
        unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
            // SAFETY: as above.
            unsafe { (*self.0.get()).resize(block, layout.size(), size) }
        }
    }

    #[global_allocator]
    static GLOBAL: Global = Global(UnsafeCell::new(Heap::new(Pages { end: 0 })));
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    /// Memory of a test: `more` bytes are given at most.
    struct Fixed {
        memory: Vec<u128>,
        used: usize,
    }

    impl Memory for Fixed {
        fn extend(&mut self, size: usize) -> (*mut u8, usize) {
            // SAFETY: within the memory or at its end.
            let start = unsafe { self.memory.as_mut_ptr().cast::<u8>().add(self.used) };
            let size = if size == 0 { 0 } else { size.next_multiple_of(1 << 16) };
            if self.used + size > self.memory.len() * 16 {
                return (null_mut(), 0);
            }
            self.used += size;
            (start, size)
        }
    }

    fn heap(size: usize) -> Heap<Fixed> {
        Heap::new(Fixed { memory: alloc::vec![0; size / 16], used: 0 })
    }

    #[test]
    fn classes_hold_what_they_are_for() {
        let mut last = (0, 0);
        for size in 0..=SMALL {
            let (class, block) = class(size);
            assert!(block >= size && block % 16 == 0 && class < CLASSES, "{size}");
            assert!(block <= size.max(16) * 3 / 2 + 16, "{size}");
            assert!(class == last.0 && block == last.1 || class > last.0 || size == 0, "{size}");
            last = (class, block);
        }
    }

    #[test]
    fn blocks_keep_their_bytes_whatever_is_done_with_others() {
        let mut heap = heap(64 << 20);
        let mut blocks: Vec<(*mut u8, usize, u8)> = Vec::new();
        let mut state = 1u64;
        let mut random = |n: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % n
        };
        let fill = |(block, size, mark): (*mut u8, usize, u8)| {
            // SAFETY: the block has that size.
            unsafe { block.write_bytes(mark, size) }
        };
        let check = |(block, size, mark): (*mut u8, usize, u8)| {
            // SAFETY: the block has that size and was filled.
            assert!(unsafe { core::slice::from_raw_parts(block, size) }.iter().all(|&b| b == mark));
        };
        for step in 0..20_000usize {
            let size = 1 + if random(8) == 0 { random(300_000) } else { random(400) };
            match random(3) {
                0 if !blocks.is_empty() => {
                    let old = blocks.swap_remove(random(blocks.len()));
                    check(old);
                    // SAFETY: allocated, and not used again.
                    unsafe { heap.free(old.0, old.1) };
                }
                1 if !blocks.is_empty() => {
                    let i = random(blocks.len());
                    let old = blocks[i];
                    // SAFETY: allocated, and replaced.
                    let block = unsafe { heap.resize(old.0, old.1, size) };
                    check((block, old.1.min(size), old.2));
                    blocks[i] = (block, size, old.2);
                    fill(blocks[i]);
                }
                _ if blocks.len() < 100 => {
                    // SAFETY: the memory is the heap's.
                    let block = unsafe { heap.allocate(size) };
                    assert!(!block.is_null() && (block as usize).is_multiple_of(16));
                    blocks.push((block, size, step as u8));
                    fill(blocks[blocks.len() - 1]);
                }
                _ => {}
            }
        }
        blocks.iter().copied().for_each(check);
        // Live at most: 100 blocks, of which one in eight is large. What lists and gaps hold comes on top.
        assert!(heap.memory.used < 16 << 20, "{}", heap.memory.used);
    }

    #[test]
    fn a_growing_block_at_the_end_stays_where_it_is() {
        let mut heap = heap(32 << 20);
        // SAFETY: as in the test above.
        unsafe {
            let mut size = 10_000;
            let first = heap.allocate(size);
            let mut block = first;
            while size < 8 << 20 {
                block = heap.resize(block, size, size * 2);
                size *= 2;
            }
            assert_eq!(block, first);
            assert!(heap.memory.used < size + (1 << 17), "{} for {size}", heap.memory.used);
            heap.free(block, size);
            assert_eq!(heap.allocate(size - 5), first);
        }
    }

    #[test]
    fn no_memory_is_null_and_harms_nothing() {
        let mut heap = heap(1 << 20);
        // SAFETY: as above.
        unsafe {
            assert!(heap.allocate(2 << 20).is_null());
            assert!(heap.allocate(usize::MAX - 10).is_null());
            let block = heap.allocate(100_000);
            block.write_bytes(7, 100_000);
            assert!(heap.resize(block, 100_000, 4 << 20).is_null());
            assert_eq!(*block.add(99_999), 7);
            heap.free(block, 100_000);
        }
    }
}
