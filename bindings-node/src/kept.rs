//! What JavaScript holds by address: it is freed at the latest when the thread's environment ends, which for a worker
//! is before the process does.

use core::cell::RefCell;
use core::ffi::c_void;
use std::collections::HashMap;

use napi_sys as sys;

/// Drops what an address points to.
type Dropper = unsafe fn(usize);

thread_local! {
    /// By environment: a thread may load the addon more than once.
    static KEPT: RefCell<HashMap<usize, HashMap<usize, Dropper>>> = RefCell::default();
}

/// Puts a value where JavaScript can hold it.
pub fn keep<T>(env: sys::napi_env, value: T) -> *mut T {
    let address = Box::into_raw(Box::new(value));
    KEPT.with_borrow_mut(|all| {
        let of_env = all.entry(env as usize).or_insert_with(|| {
            // SAFETY: on the environment's thread. Where it fails, the values live as long as the process.
            unsafe { sys::napi_add_env_cleanup_hook(env, Some(end), env.cast()) };
            HashMap::new()
        });
        // SAFETY: called once, with an address that Box gave for this type.
        of_env.insert(address as usize, |address| drop(unsafe { Box::from_raw(address as *mut T) }));
    });
    address
}

/// Frees a value before its environment ends. Does nothing for an address that is not kept.
pub fn free<T>(env: sys::napi_env, address: *mut T) {
    let dropper =
        KEPT.with_borrow_mut(|all| all.get_mut(&(env as usize)).and_then(|kept| kept.remove(&(address as usize))));
    if let Some(dropper) = dropper {
        // SAFETY: it was kept, and is not any more.
        unsafe { dropper(address as usize) };
    }
}

/// The environment ends: no more JavaScript runs in it.
unsafe extern "C" fn end(env: *mut c_void) {
    let kept = KEPT.with_borrow_mut(|all| all.remove(&(env as usize))).unwrap_or_default();
    for (address, dropper) in kept {
        // SAFETY: it was kept, and is not any more.
        unsafe { dropper(address) };
    }
}
