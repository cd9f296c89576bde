//! Values out of chunks: the core's splitter, whose values JavaScript copies out one after another.

use napi_sys as sys;
use samewire::stream::{Framing, Splitter};

use crate::calls::{at, format_of, function, input, with};
use crate::kept::{self, keep};
use crate::node::{Call, Refused, answer, export, give_double};

/// A splitter, and where the value lies that it gave last: in its own memory, until the next call on it.
struct Stream {
    splitter: Splitter,
    value: (*const u8, usize),
}

fn stream_at<const N: usize>(call: &Call<N>, i: usize) -> Result<&'static mut Stream, Refused> {
    let address = call.address::<Stream>(i)?;
    if address.is_null() {
        return Err(Refused);
    }
    // SAFETY: an address that `stream` gave, on the same thread, one call at a time.
    Ok(unsafe { &mut *address })
}

function!(stream, 2, call => {
    let splitter = Splitter::new(Framing::of(format_of(call.number(0)?)), with(&call, 1)?);
    call.give_address(keep(call.env, Stream { splitter, value: (core::ptr::null(), 0) }))
});
function!(free_stream, 1, call => {
    kept::free(call.env, call.address::<Stream>(0)?);
    call.undefined()
});
function!(feed, 2, call => {
    let stream = stream_at(&call, 0)?;
    stream.value.1 = 0;
    stream.splitter.feed(input(&call, 1)?);
    call.undefined()
});
function!(finish, 1, call => {
    // What is wrong with the end, `next` tells.
    let _ = stream_at(&call, 0)?.splitter.finish();
    call.undefined()
});
// The length of the next value that is complete; −1 where more chunks are needed, −2 where the stream is broken.
function!(next, 2, call => {
    let (channel, stream) = (at(&call, 0)?, stream_at(&call, 1)?);
    let answer = match stream.splitter.next_value() {
        Ok(Some(value)) => {
            stream.value = (value.as_ptr(), value.len());
            value.len() as f64
        }
        Ok(None) => -1.0,
        Err(error) => {
            channel.refused = Some(error);
            -2.0
        }
    };
    give_double(call.env, answer)
});
// Copies the value that `next` told of.
function!(take, 2, call => {
    let stream = stream_at(&call, 0)?;
    let ((from, len), (target, room)) = (stream.value, call.bytes(1)?);
    if room < len {
        return Err(Refused);
    }
    if len > 0 {
        // SAFETY: the splitter has not been called since; the target has the room.
        unsafe { core::ptr::copy_nonoverlapping(from, target, len) };
    }
    call.undefined()
});
function!(offset, 1, call => give_double(call.env, stream_at(&call, 0)?.splitter.value_offset() as f64));

/// # Safety
/// `env` and `exports` are those of the module being registered.
pub unsafe fn register(env: sys::napi_env, exports: sys::napi_value) {
    let all: [(&core::ffi::CStr, crate::node::Function); 7] = [
        (c"stream", stream),
        (c"freeStream", free_stream),
        (c"feed", feed),
        (c"finish", finish),
        (c"next", next),
        (c"take", take),
        (c"streamOffset", offset),
    ];
    // SAFETY: by the contract.
    unsafe {
        for (name, function) in all {
            export(env, exports, name, function);
        }
    }
}
