//! Where encoded bytes go: a scratch buffer that is used again and again and copied once, and beyond it a
//! bytes object that is grown and then cut to size.

use core::ptr::null_mut;

use pyo3::ffi::*;
use samewire::Error;
use samewire::buffer::{Buffer, SLACK};

use crate::layout::{_PyBytes_Resize, Object};
use crate::owned::Owned;
use crate::state::{SCRATCH, state};

/// What a nested encode (inside a hook) begins with, while the scratch buffer is in use.
const FIRST: usize = 1024;

struct Target {
    /// Owned; null while the scratch buffer serves.
    bytes: Object,
    has_scratch: bool,
}

impl Drop for Target {
    fn drop(&mut self) {
        // SAFETY: the lock is held; the reference is ours.
        unsafe {
            Py_XDECREF(self.bytes);
            if self.has_scratch {
                (*state()).scratch_busy = false;
            }
        }
    }
}

unsafe fn data(bytes: Object) -> *mut u8 {
    // SAFETY: `bytes` is a bytes object that only we have seen.
    unsafe { PyBytes_AS_STRING(bytes).cast_mut().cast() }
}

/// The bytes object of what `write` writes.
#[inline(always)]
pub fn to_bytes(write: impl FnOnce(Buffer) -> Result<Buffer, Error>) -> Result<Owned, Error> {
    // SAFETY: the lock is held.
    unsafe {
        let mut target = Target::new()?;
        let buffer = write(target.buffer())?;
        if target.bytes.is_null() {
            return Owned::new(PyBytes_FromStringAndSize(buffer.start().cast(), buffer.len() as Py_ssize_t));
        }
        let mut bytes = core::mem::replace(&mut target.bytes, null_mut());
        _PyBytes_Resize(&mut bytes, buffer.len() as Py_ssize_t);
        Owned::new(bytes)
    }
}

/// What `write` writes, for the length of a call.
pub fn with_slice<T>(
    write: impl FnOnce(Buffer) -> Result<Buffer, Error>,
    then: impl FnOnce(&[u8]) -> T,
) -> Result<T, Error> {
    // SAFETY: the lock is held.
    unsafe {
        let mut target = Target::new()?;
        let buffer = write(target.buffer())?;
        Ok(then(buffer.as_slice()))
    }
}

impl Target {
    /// The scratch buffer, or a bytes object while that is in use.
    #[inline(always)]
    unsafe fn new() -> Result<Self, Error> {
        // SAFETY: the lock is held. The scratch buffer is ours while `scratch_busy` is set.
        unsafe {
            let state = state();
            let mut target = Target { bytes: null_mut(), has_scratch: !(*state).scratch_busy };
            if target.has_scratch {
                (*state).scratch_busy = true;
            } else {
                target.bytes = Owned::new(PyBytes_FromStringAndSize(null_mut(), FIRST as Py_ssize_t))?.into_ptr();
            }
            Ok(target)
        }
    }

    /// A buffer over the target, which must stay where it is and outlive it.
    #[inline(always)]
    unsafe fn buffer(&mut self) -> Buffer {
        // SAFETY: the memory is the target's.
        unsafe {
            let (start, n) =
                if self.has_scratch { ((*state()).scratch.as_mut_ptr(), SCRATCH) } else { (data(self.bytes), FIRST) };
            Buffer::from_raw(start, start, start.add(n), grow, (&raw mut *self).cast())
        }
    }
}

/// Twice the room, in a bytes object.
unsafe fn grow(buffer: &mut Buffer, n: usize) {
    // SAFETY: the context is the Target of to_bytes, which outlives the buffer.
    unsafe {
        let target = buffer.context.cast::<Target>();
        let used = buffer.len();
        let capacity = buffer.end() as usize - buffer.start() as usize;
        let wanted = used.checked_add(n).and_then(|n| n.checked_add(SLACK)).map_or(usize::MAX, |n| n.max(2 * capacity));
        let wanted = wanted.min(isize::MAX as usize - 64);
        if (*target).bytes.is_null() {
            (*target).bytes = PyBytes_FromStringAndSize(null_mut(), wanted as Py_ssize_t);
            if !(*target).bytes.is_null() {
                core::ptr::copy_nonoverlapping(buffer.start(), data((*target).bytes), used);
            }
        } else {
            _PyBytes_Resize(&raw mut (*target).bytes, wanted as Py_ssize_t);
        }
        if (*target).bytes.is_null() {
            // MemoryError is set; unwinding is the only way out of the writer. `errors::guard` catches it.
            std::panic::resume_unwind(Box::new(()));
        }
        let start = data((*target).bytes);
        buffer.set(start, start.add(used), start.add(wanted));
    }
}
