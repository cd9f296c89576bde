//! Node-API in the few forms that are needed here.

use core::ffi::{c_char, c_void};
use core::ptr::null_mut;

use napi_sys as sys;
use samewire::{Code, Error};

/// A thrown JavaScript exception is pending, or a call was made that `engine-native.ts` does not make.
pub struct Refused;

/// What a function returns to JavaScript.
pub type Answer = Result<sys::napi_value, Refused>;

pub fn check(status: sys::napi_status) -> Result<(), Refused> {
    if status == sys::Status::napi_ok { Ok(()) } else { Err(Refused) }
}

/// A call from JavaScript: its thread's environment and arguments.
pub struct Call<const N: usize> {
    pub env: sys::napi_env,
    args: [sys::napi_value; N],
}

impl<const N: usize> Call<N> {
    /// # Safety
    /// `env` and `info` are those of the running call.
    pub unsafe fn new(env: sys::napi_env, info: sys::napi_callback_info) -> Result<Self, Refused> {
        let mut args = [null_mut(); N];
        let mut n = N;
        // SAFETY: by the contract.
        check(unsafe { sys::napi_get_cb_info(env, info, &raw mut n, args.as_mut_ptr(), null_mut(), null_mut()) })?;
        Ok(Call { env, args })
    }

    pub fn arg(&self, i: usize) -> sys::napi_value {
        self.args[i]
    }

    pub fn number(&self, i: usize) -> Result<u32, Refused> {
        let mut value = 0;
        // SAFETY: the call is running.
        check(unsafe { sys::napi_get_value_uint32(self.env, self.args[i], &raw mut value) })?;
        Ok(value)
    }

    /// An address that JavaScript was given as a number.
    pub fn address<T>(&self, i: usize) -> Result<*mut T, Refused> {
        let mut value = 0;
        // SAFETY: the call is running.
        check(unsafe { sys::napi_get_value_int64(self.env, self.args[i], &raw mut value) })?;
        Ok(value as usize as *mut T)
    }

    /// The memory of a Uint8Array.
    pub fn bytes(&self, i: usize) -> Result<(*mut u8, usize), Refused> {
        let (mut kind, mut len, mut data) = (0, 0, null_mut());
        // SAFETY: the call is running.
        check(unsafe {
            sys::napi_get_typedarray_info(
                self.env,
                self.args[i],
                &raw mut kind,
                &raw mut len,
                &raw mut data,
                null_mut(),
                null_mut(),
            )
        })?;
        let data = data.cast::<u8>();
        Ok(if data.is_null() { (core::ptr::NonNull::dangling().as_ptr(), 0) } else { (data, len) })
    }

    pub fn undefined(&self) -> Answer {
        let mut value = null_mut();
        // SAFETY: the call is running.
        check(unsafe { sys::napi_get_undefined(self.env, &raw mut value) })?;
        Ok(value)
    }

    pub fn give(&self, number: u32) -> Answer {
        give_number(self.env, number)
    }

    pub fn give_address<T>(&self, address: *const T) -> Answer {
        let mut value = null_mut();
        // SAFETY: the call is running.
        check(unsafe { sys::napi_create_int64(self.env, address as usize as i64, &raw mut value) })?;
        Ok(value)
    }
}

/// Throws the exception that `engine-native.ts` knows as a stack that is used up.
#[cold]
pub fn refuse_stack(env: sys::napi_env) -> Refused {
    // SAFETY: called on the environment's thread, in a call.
    unsafe { sys::napi_throw_error(env, c"STACK".as_ptr(), c"the stack is used up".as_ptr()) };
    Refused
}

pub fn give_number(env: sys::napi_env, number: u32) -> Answer {
    let mut value = null_mut();
    // SAFETY: called on the environment's thread, in a call.
    check(unsafe { sys::napi_create_uint32(env, number, &raw mut value) })?;
    Ok(value)
}

pub fn give_double(env: sys::napi_env, number: f64) -> Answer {
    let mut value = null_mut();
    // SAFETY: called on the environment's thread, in a call.
    check(unsafe { sys::napi_create_double(env, number, &raw mut value) })?;
    Ok(value)
}

pub fn give_text(env: sys::napi_env, text: &[u8]) -> Answer {
    let mut value = null_mut();
    let (start, len) = (text.as_ptr().cast::<c_char>(), text.len() as isize);
    // SAFETY: called on the environment's thread, in a call; ASCII is Latin-1.
    check(unsafe {
        if samewire::utf8::is_ascii(text) {
            sys::napi_create_string_latin1(env, start, len, &raw mut value)
        } else {
            sys::napi_create_string_utf8(env, start, len, &raw mut value)
        }
    })?;
    Ok(value)
}

pub fn give_list(env: sys::napi_env, items: &[sys::napi_value]) -> Answer {
    let mut list = null_mut();
    // SAFETY: called on the environment's thread, in a call.
    unsafe {
        check(sys::napi_create_array_with_length(env, items.len(), &raw mut list))?;
        for (i, item) in items.iter().enumerate() {
            check(sys::napi_set_element(env, list, i as u32, *item))?;
        }
    }
    Ok(list)
}

/// New memory of JavaScript with these bytes.
pub fn give_memory(env: sys::napi_env, bytes: &[u8]) -> Answer {
    let (mut data, mut memory) = (null_mut(), null_mut());
    // SAFETY: called on the environment's thread, in a call; the memory has that many bytes.
    unsafe {
        check(sys::napi_create_arraybuffer(env, bytes.len(), &raw mut data, &raw mut memory))?;
        if !bytes.is_empty() {
            core::ptr::copy_nonoverlapping(bytes.as_ptr(), data.cast(), bytes.len());
        }
    }
    Ok(memory)
}

/// An error as `[code, offset or -1, path, message]`.
pub fn give_error(env: sys::napi_env, error: &Error) -> Answer {
    let offset = give_double(env, error.offset().map_or(-1.0, |o| o as f64))?;
    let code = give_number(env, code_number(error))?;
    let items = [code, offset, give_text(env, error.path().as_bytes())?, give_text(env, error.message().as_bytes())?];
    give_list(env, &items)
}

/// An error's place in `Code::ALL`.
pub fn code_number(error: &Error) -> u32 {
    Code::ALL.iter().position(|c| *c == error.code()).unwrap_or(0) as u32
}

/// The type of functions that JavaScript calls.
pub type Function = unsafe extern "C" fn(sys::napi_env, sys::napi_callback_info) -> sys::napi_value;

/// # Safety
/// `env` and `exports` are those of the module being registered.
pub unsafe fn export(env: sys::napi_env, exports: sys::napi_value, name: &core::ffi::CStr, function: Function) {
    let mut value = null_mut();
    // SAFETY: by the contract. A failure leaves the name out, and the package falls back to WebAssembly.
    unsafe {
        let len = name.to_bytes().len() as isize;
        if sys::napi_create_function(env, name.as_ptr(), len, Some(function), null_mut::<c_void>(), &raw mut value)
            == sys::Status::napi_ok
        {
            sys::napi_set_named_property(env, exports, name.as_ptr(), value);
        }
    }
}

/// What a function returns to JavaScript, with a panic or a refusal as an exception: nothing unwinds into Node.
pub fn answer(env: sys::napi_env, run: impl FnOnce() -> Answer) -> sys::napi_value {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)) {
        Ok(Ok(value)) => value,
        failed => {
            let message: &[u8] = if failed.is_err() {
                b"the message needs more memory than there is\0"
            } else {
                b"the native engine was called in a way it is not made for\0"
            };
            let mut pending = false;
            // SAFETY: on the environment's thread, in a call.
            unsafe {
                sys::napi_is_exception_pending(env, &raw mut pending);
                if !pending {
                    sys::napi_throw_error(env, core::ptr::null(), message.as_ptr().cast());
                }
            }
            null_mut()
        }
    }
}
