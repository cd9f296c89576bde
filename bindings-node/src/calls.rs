//! The functions that JavaScript calls and waits for. The order of the header's words is that of `HEADER` in
//! `bindings-wasm/js/engine-native.ts`.

use core::cell::Cell;
use std::rc::Rc;

use napi_sys as sys;
use samewire::format::Format;
use samewire::schema::Schema;
use samewire::tape::{Host, Session, session};
use samewire::{Error, Options};

use crate::areas::Slot;
use crate::kept::{self, keep};
use crate::node::{Call, Refused, answer, code_number, export, give_error, give_list, give_text, refuse_stack};
use crate::stack;

/// JavaScript's dates: 100 000 000 days on either side of 1970 (ECMA-262, Time Values and Time Range).
pub const DATES: core::ops::Range<i64> = -8_640_000_000_000..8_640_000_000_000;
const HEADER_WORDS: usize = 16;

/// A session with its areas, in the order in which the tape asks for them.
pub struct Channel {
    session: Session,
    // After the session, which has pointers to them.
    #[expect(clippy::vec_box, reason = "the areas have pointers to their slots")]
    areas: Vec<Box<Slot>>,
    header: *mut u32,
    header_memory: Box<Slot>,
    generation: Rc<Cell<u32>>,
    /// Below this address the thread has too little stack left.
    stack: usize,
    /// An error that is not the session's own: of options, a schema, a stream.
    pub refused: Option<Error>,
}

impl Channel {
    fn new(env: sys::napi_env) -> Self {
        let generation = Rc::new(Cell::new(0));
        let mut areas = Vec::new();
        let session = Session::new(Host { seconds: DATES }, |capacity| {
            let (area, slot) = Slot::area(env, &generation, capacity);
            areas.push(slot);
            area
        });
        let (area, header_memory) = Slot::area(env, &generation, HEADER_WORDS * 4);
        let header = area.start().cast();
        Channel { session, areas, header, header_memory, generation, stack: stack::limit(), refused: None }
    }

    fn leave(&mut self, ok: bool) -> u32 {
        let tape = self.session.tape();
        let status = if ok { 0 } else { self.session.error().map_or(1, |e| 1 + code_number(e)) };
        let words = [
            status,
            self.generation.get(),
            tape.words().len() as u32,
            tape.floats().len() as u32,
            tape.ascii().len() as u32,
            tape.wide().len() as u32,
            tape.definitions().len() as u32,
        ];
        for (i, word) in words.into_iter().enumerate() {
            // SAFETY: the header has HEADER_WORDS words.
            unsafe { self.header.add(i).write(word) };
        }
        status
    }
}

pub fn format_of(number: u32) -> Format {
    if number == 1 { Format::Json } else { Format::MessagePack }
}

/// The options of an address, 0 being the defaults.
///
/// # Safety
/// The address is 0 or one that [`options`] gave.
pub unsafe fn options_at<'o>(address: *const Options) -> &'o Options {
    static DEFAULT: std::sync::OnceLock<Options> = std::sync::OnceLock::new();
    if address.is_null() {
        return DEFAULT.get_or_init(Options::default);
    }
    // SAFETY: by the contract.
    unsafe { &*address }
}

/// Defines a function of JavaScript with `$n` arguments.
macro_rules! function {
    ($name:ident, $n:literal, $call:ident => $body:expr) => {
        unsafe extern "C" fn $name(env: sys::napi_env, info: sys::napi_callback_info) -> sys::napi_value {
            answer(env, || {
                // SAFETY: Node gives both for this call.
                let $call = unsafe { Call::<$n>::new(env, info) }?;
                $body
            })
        }
    };
}
pub(crate) use function;

pub fn at<const N: usize>(call: &Call<N>, i: usize) -> Result<&'static mut Channel, Refused> {
    let address = call.address::<Channel>(i)?;
    if address.is_null() {
        return Err(Refused);
    }
    // SAFETY: an address that `channel` gave, on the same thread, one call at a time.
    Ok(unsafe { &mut *address })
}

/// [`at`], for calls that may recurse as deep as values nest.
fn ready<const N: usize>(call: &Call<N>, i: usize) -> Result<&'static mut Channel, Refused> {
    let channel = at(call, i)?;
    if stack::is_low(channel.stack) { Err(refuse_stack(call.env)) } else { Ok(channel) }
}

pub fn input<const N: usize>(call: &Call<N>, i: usize) -> Result<&'static [u8], Refused> {
    let (start, len) = call.bytes(i)?;
    // SAFETY: the array's memory, which nothing changes while the call runs: JavaScript waits, and arrays of
    // shared memory are copied before.
    Ok(unsafe { core::slice::from_raw_parts(start, len) })
}

pub fn with<const N: usize>(call: &Call<N>, i: usize) -> Result<&'static Options, Refused> {
    // SAFETY: `engine-native.ts` gives 0 or what `options` gave.
    Ok(unsafe { options_at(call.address(i)?) })
}

function!(channel, 0, call => {
    call.give_address(keep(call.env, Channel::new(call.env)))
});
function!(free, 1, call => {
    kept::free(call.env, call.address::<Channel>(0)?);
    call.undefined()
});
function!(header, 1, call => Ok(at(&call, 0)?.header_memory.memory()));
function!(areas, 1, call => {
    let memories: Vec<_> = at(&call, 0)?.areas.iter().map(|slot| slot.memory()).collect();
    give_list(call.env, &memories)
});
function!(forget, 1, call => {
    at(&call, 0)?.session.forget_strings();
    call.undefined()
});
function!(decode, 4, call => {
    let channel = ready(&call, 0)?;
    let ok = channel.session.decode(format_of(call.number(1)?), input(&call, 2)?, with(&call, 3)?);
    call.give(channel.leave(ok))
});
function!(decode_from, 5, call => {
    let channel = ready(&call, 0)?;
    let start = call.number(3)? as usize;
    let ok = channel.session.decode_from(format_of(call.number(1)?), input(&call, 2)?, start, with(&call, 4)?);
    call.give(channel.leave(ok))
});
function!(end, 1, call => call.give(at(&call, 0)?.session.end() as u32));
function!(validate, 4, call => {
    let channel = ready(&call, 0)?;
    let ok = channel.session.validate(format_of(call.number(1)?), input(&call, 2)?, with(&call, 3)?);
    call.give(channel.leave(ok))
});
function!(transcode, 5, call => {
    let channel = ready(&call, 0)?;
    let (from, to) = (format_of(call.number(1)?), format_of(call.number(2)?));
    let ok = channel.session.transcode(from, to, input(&call, 3)?, with(&call, 4)?);
    call.give(channel.leave(ok))
});
function!(encode, 4, call => {
    let channel = ready(&call, 0)?;
    let ok = channel.session.encode(format_of(call.number(1)?), input(&call, 2)?, with(&call, 3)?);
    call.give(channel.leave(ok))
});
function!(digest, 3, call => {
    let channel = ready(&call, 0)?;
    let ok = channel.session.digest(input(&call, 1)?, with(&call, 2)?);
    call.give(channel.leave(ok))
});
function!(inspect, 4, call => {
    let channel = ready(&call, 0)?;
    let ok = channel.session.inspect(format_of(call.number(1)?), input(&call, 2)?, with(&call, 3)?);
    call.give(channel.leave(ok))
});
function!(view_go, 6, call => {
    let channel = ready(&call, 0)?;
    let (format, start) = (format_of(call.number(1)?), call.number(3)? as usize);
    let ok = channel.session.view_go(format, input(&call, 2)?, start, input(&call, 4)?, with(&call, 5)?);
    call.give(channel.leave(ok))
});
function!(view_about, 5, call => {
    let channel = ready(&call, 0)?;
    let start = call.number(3)? as usize;
    let ok = channel.session.view_about(format_of(call.number(1)?), input(&call, 2)?, start, with(&call, 4)?);
    call.give(channel.leave(ok))
});
function!(view_entries, 5, call => {
    let channel = ready(&call, 0)?;
    let start = call.number(3)? as usize;
    let ok = channel.session.view_entries(format_of(call.number(1)?), input(&call, 2)?, start, with(&call, 4)?);
    call.give(channel.leave(ok))
});

fn schema_at<const N: usize>(call: &Call<N>, i: usize) -> Result<&'static Schema, Refused> {
    let address = call.address::<Schema>(i)?;
    if address.is_null() {
        return Err(Refused);
    }
    // SAFETY: an address that `schema` gave.
    Ok(unsafe { &*address })
}

function!(schema, 2, call => {
    let channel = ready(&call, 0)?;
    match Schema::from_json(input(&call, 1)?) {
        Ok(schema) => call.give_address(keep(call.env, schema)),
        Err(error) => {
            channel.refused = Some(error);
            call.give(0)
        }
    }
});
function!(free_schema, 1, call => {
    kept::free(call.env, call.address::<Schema>(0)?);
    call.undefined()
});
function!(check_schemas, 2, call => {
    let channel = ready(&call, 0)?;
    let ok = channel.session.check(input(&call, 1)?);
    call.give(channel.leave(ok))
});
function!(decode_by, 5, call => {
    let channel = ready(&call, 0)?;
    let format = format_of(call.number(2)?);
    let ok = channel.session.decode_by(schema_at(&call, 1)?, format, input(&call, 3)?, with(&call, 4)?);
    call.give(channel.leave(ok))
});
function!(validate_by, 5, call => {
    let channel = ready(&call, 0)?;
    let format = format_of(call.number(2)?);
    let ok = channel.session.validate_by(schema_at(&call, 1)?, format, input(&call, 3)?, with(&call, 4)?);
    call.give(channel.leave(ok))
});
function!(encode_by, 5, call => {
    let channel = ready(&call, 0)?;
    let format = format_of(call.number(2)?);
    let ok = channel.session.encode_by(schema_at(&call, 1)?, format, input(&call, 3)?, with(&call, 4)?);
    call.give(channel.leave(ok))
});
function!(transcode_by, 6, call => {
    let channel = ready(&call, 0)?;
    let (from, to) = (format_of(call.number(2)?), format_of(call.number(3)?));
    let ok = channel.session.transcode_by(schema_at(&call, 1)?, from, to, input(&call, 4)?, with(&call, 5)?);
    call.give(channel.leave(ok))
});
function!(options, 2, call => {
    let channel = ready(&call, 0)?;
    match session::options(input(&call, 1)?) {
        Ok(options) => call.give_address(keep(call.env, options)),
        Err(error) => {
            channel.refused = Some(error);
            call.give(0)
        }
    }
});
function!(free_options, 1, call => {
    kept::free(call.env, call.address::<Options>(0)?);
    call.undefined()
});
function!(failure, 1, call => {
    let channel = at(&call, 0)?;
    match channel.refused.take() {
        Some(error) => give_error(call.env, &error),
        None => give_error(call.env, channel.session.error().ok_or(Refused)?),
    }
});
function!(output_length, 1, call => call.give(at(&call, 0)?.session.output().len() as u32));
function!(output, 3, call => {
    let output = at(&call, 0)?.session.output();
    let (start, len) = call.bytes(1)?;
    let offset = call.number(2)? as usize;
    if offset > len || len - offset < output.len() {
        return Err(Refused);
    }
    // SAFETY: the target has the room.
    unsafe { core::ptr::copy_nonoverlapping(output.as_ptr(), start.add(offset), output.len()) };
    call.undefined()
});
function!(output_text, 1, call => give_text(call.env, at(&call, 0)?.session.output()));

/// # Safety
/// `env` and `exports` are those of the module being registered.
pub unsafe fn register(env: sys::napi_env, exports: sys::napi_value) {
    let all: [(&core::ffi::CStr, crate::node::Function); 29] = [
        (c"channel", channel),
        (c"free", free),
        (c"header", header),
        (c"areas", areas),
        (c"forget", forget),
        (c"decode", decode),
        (c"decodeFrom", decode_from),
        (c"end", end),
        (c"validate", validate),
        (c"transcode", transcode),
        (c"encode", encode),
        (c"digest", digest),
        (c"options", options),
        (c"freeOptions", free_options),
        (c"failure", failure),
        (c"outputLength", output_length),
        (c"output", output),
        (c"outputText", output_text),
        (c"inspect", inspect),
        (c"viewGo", view_go),
        (c"viewAbout", view_about),
        (c"viewEntries", view_entries),
        (c"schema", schema),
        (c"freeSchema", free_schema),
        (c"check", check_schemas),
        (c"decodeBy", decode_by),
        (c"validateBy", validate_by),
        (c"encodeBy", encode_by),
        (c"transcodeBy", transcode_by),
    ];
    // SAFETY: by the contract.
    unsafe {
        for (name, function) in all {
            export(env, exports, name, function);
        }
    }
}
