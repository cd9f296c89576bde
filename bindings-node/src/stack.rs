//! How much of the thread's stack is left. JavaScript may call when its own recursion has nearly used it up, and what
//! runs off the end here is no exception but the end of the process.

/// What reading and writing need at the deepest nesting that is allowed, with as much again to be sure: transcoding by a
/// recursive schema was measured to need 500 KB for 512 levels, a plain decode 190 KB.
const NEED: usize = 1 << 20;

/// The address below which there is too little left on this thread; 0 where the system does not tell. A thread with a
/// small stack has to leave half of it.
pub fn limit() -> usize {
    bounds().map_or(0, |(lowest, size)| lowest + NEED.min(size / 2))
}

/// True if this call is at or below the limit.
#[inline(always)]
pub fn is_low(limit: usize) -> bool {
    let here = 0u8;
    (&raw const here as usize) < limit
}

/// The lowest address of this thread's stack, and its size.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn bounds() -> Option<(usize, usize)> {
    let mut attributes = core::mem::MaybeUninit::uninit();
    let (mut start, mut size) = (core::ptr::null_mut(), 0);
    // SAFETY: the attributes are initialised by the first call, read and freed by the others.
    unsafe {
        if libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) != 0 {
            return None;
        }
        let told = libc::pthread_attr_getstack(attributes.as_ptr(), &raw mut start, &raw mut size);
        libc::pthread_attr_destroy(attributes.as_mut_ptr());
        (told == 0).then_some((start as usize, size))
    }
}

#[cfg(target_vendor = "apple")]
fn bounds() -> Option<(usize, usize)> {
    // SAFETY: of this thread, which is alive.
    unsafe {
        let this = libc::pthread_self();
        // The address is the highest one.
        let size = libc::pthread_get_stacksize_np(this);
        Some((libc::pthread_get_stackaddr_np(this) as usize - size, size))
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn bounds() -> Option<(usize, usize)> {
    None
}
