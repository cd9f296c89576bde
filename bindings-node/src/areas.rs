//! The tape's areas in memory that JavaScript owns: ArrayBuffers, made anew when they grow. Handing out memory of
//! ours is forbidden in Electron and under pointer compression, and costs a finalizer.

use core::cell::Cell;
use core::ffi::c_void;
use core::ptr::null_mut;
use std::rc::Rc;

use napi_sys as sys;
use samewire::buffer::{Buffer, SLACK};
use samewire::tape::Area;

/// One area's ArrayBuffer.
pub struct Slot {
    env: sys::napi_env,
    reference: sys::napi_ref,
    /// Counts the times that any area of the tape got new memory.
    generation: Rc<Cell<u32>>,
}

impl Slot {
    /// A new area of at least `capacity` bytes.
    ///
    /// # Panics
    /// If JavaScript has no memory.
    pub fn area(env: sys::napi_env, generation: &Rc<Cell<u32>>, capacity: usize) -> (Area, Box<Slot>) {
        let mut slot = Box::new(Slot { env, reference: null_mut(), generation: generation.clone() });
        let size = capacity + SLACK;
        let start = slot.renew(size);
        // SAFETY: the memory is the slot's ArrayBuffer, which lives as long as the slot; ArrayBuffers are aligned
        // for every element type.
        let area = unsafe {
            let context = (&raw mut *slot).cast::<()>();
            Area::foreign(Buffer::from_raw(start, start, start.add(size), grow, context))
        };
        (area, slot)
    }

    /// The ArrayBuffer.
    pub fn memory(&self) -> sys::napi_value {
        let mut value = null_mut();
        // SAFETY: on the environment's thread, in a call.
        unsafe { sys::napi_get_reference_value(self.env, self.reference, &raw mut value) };
        value
    }

    /// New memory of `size` bytes in place of the old.
    fn renew(&mut self, size: usize) -> *mut u8 {
        let (mut data, mut value, mut reference): (*mut c_void, _, _) = (null_mut(), null_mut(), null_mut());
        // SAFETY: on the environment's thread, in a call.
        unsafe {
            let made = sys::napi_create_arraybuffer(self.env, size, &raw mut data, &raw mut value);
            if made != sys::Status::napi_ok || data.is_null() {
                no_memory();
            }
            if sys::napi_create_reference(self.env, value, 1, &raw mut reference) != sys::Status::napi_ok {
                no_memory();
            }
            self.release();
        }
        self.reference = reference;
        self.generation.set(self.generation.get().wrapping_add(1));
        data.cast()
    }

    fn release(&mut self) {
        if !self.reference.is_null() {
            // SAFETY: on the environment's thread; the reference is ours.
            unsafe { sys::napi_delete_reference(self.env, self.reference) };
        }
    }
}

/// Ends the call that asked: `answer` makes an exception of it. Nothing is printed, as a panic would: a thread that is
/// ended from outside has no memory either.
#[cold]
fn no_memory() -> ! {
    std::panic::resume_unwind(Box::new("no memory"))
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.release();
    }
}

unsafe fn grow(buffer: &mut Buffer, n: usize) {
    // SAFETY: the context is the slot of this buffer, as Slot::area set it.
    let slot = unsafe { &mut *buffer.context.cast::<Slot>() };
    let (old, len) = (buffer.start(), buffer.len());
    let size = (buffer.end() as usize - old as usize).saturating_mul(2).max(len + n + SLACK).next_multiple_of(16);
    // The old memory has to live until it is copied: keep its handle, which the call's scope does.
    let _kept = slot.memory();
    let start = slot.renew(size);
    // SAFETY: both have `len` bytes and are different ArrayBuffers.
    unsafe {
        core::ptr::copy_nonoverlapping(old, start, len);
        buffer.set(start, start.add(len), start.add(size));
    }
}
