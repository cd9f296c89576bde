//! The WebAssembly engine: sessions of the core behind plain exported functions.
//!
//! No value crosses this border but numbers: JavaScript writes input into memory, calls, and reads a tape or
//! output from memory (`js/engine-wasm.ts`). So there is nothing for generated glue to do, the module has no
//! imports, and it can be instantiated synchronously.
//!
//! # Safety
//! Every function takes a session made by [`session_new`] and not yet freed, and lengths within the input
//! memory that [`session_input`] gave. `js/engine-wasm.ts` is the only caller.

#![allow(clippy::missing_safety_doc, reason = "stated once, above")]
// Without the standard library the module has none of its panic machinery. Patterns of schemas need it.
#![cfg_attr(all(target_arch = "wasm32", not(feature = "schema")), no_std)]

extern crate alloc;

use alloc::boxed::Box;
use alloc::vec::Vec;

#[cfg(any(target_arch = "wasm32", test))]
mod heap;

/// A panic is a bug, and a trap to JavaScript, which goes on with a new session.
#[cfg(all(target_arch = "wasm32", not(feature = "schema")))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}

use samewire::format::Format;
use samewire::tape::{Area, Host, Session, session};
use samewire::{Code, Error, Options};

/// JavaScript's dates: 100 000 000 days on either side of 1970 (ECMA-262, Time Values and Time Range).
const DATES: core::ops::Range<i64> = -8_640_000_000_000..8_640_000_000_000;
/// Input memory that is kept from one message to the next.
const KEEP: usize = 1 << 22;

/// Where JavaScript finds what a call left. The order is that of `HEADER` in `js/engine-wasm.ts`.
#[repr(C)]
#[derive(Default)]
struct Header {
    /// 0, or the error's code, counted from 1.
    status: u32,
    /// The error's offset, or `u32::MAX`.
    offset: u32,
    path: Slice,
    message: Slice,
    words: Slice,
    floats: Slice,
    ascii: Slice,
    wide: Slice,
    bytes: Slice,
    definitions: Slice,
    output: Slice,
    end: u32,
    input: Slice,
}

#[repr(C)]
#[derive(Default, Clone, Copy)]
struct Slice {
    start: u32,
    len: u32,
}

impl Slice {
    fn of(bytes: &[u8]) -> Self {
        Slice { start: bytes.as_ptr() as u32, len: bytes.len() as u32 }
    }
}

/// A session with its input memory and header.
pub struct Wasm {
    header: Header,
    session: Session,
    input: Vec<u8>,
    /// Set when options could not be made.
    refused: Option<Error>,
}

impl Wasm {
    fn leave(&mut self, ok: bool) -> u32 {
        let tape = self.session.tape();
        let h = &mut self.header;
        h.words = Slice::of(tape.words().as_slice());
        h.floats = Slice::of(tape.floats().as_slice());
        h.ascii = Slice::of(tape.ascii().as_slice());
        h.wide = Slice::of(tape.wide().as_slice());
        h.bytes = Slice::of(tape.bytes().as_slice());
        h.definitions = Slice::of(tape.definitions().as_slice());
        h.output = Slice::of(self.session.output());
        h.end = self.session.end() as u32;
        h.status = 0;
        if !ok {
            self.fail();
        }
        self.header.status
    }

    /// Makes room for `n` bytes of input and returns its address, or 0 where there is no memory.
    fn room(&mut self, n: usize) -> u32 {
        if self.input.capacity() < n || (self.input.capacity() > KEEP && n <= KEEP) {
            // Freed before it is made anew: nothing is to be kept.
            self.input = Vec::new();
            let room = n.next_multiple_of(64).max(4096);
            let room = if room < KEEP { room.next_power_of_two() } else { room };
            if self.input.try_reserve_exact(room).is_err() {
                self.header.input = Slice::default();
                return 0;
            }
        }
        self.header.input = Slice { start: self.input.as_ptr() as u32, len: self.input.capacity() as u32 };
        self.header.input.start
    }

    #[cold]
    fn fail(&mut self) {
        let Some(error) = self.refused.as_ref().or(self.session.error()) else { return };
        let h = &mut self.header;
        h.status = 1 + Code::ALL.iter().position(|c| *c == error.code()).unwrap_or(0) as u32;
        h.offset = error.offset().map_or(u32::MAX, |o| o as u32);
        h.path = Slice::of(error.path().as_bytes());
        h.message = Slice::of(error.message().as_bytes());
    }
}

/// The session and its input; nothing of the last call is kept.
///
/// # Safety
/// See the crate.
unsafe fn parts<'w>(wasm: *mut Wasm, n: usize) -> (&'w mut Wasm, &'w [u8]) {
    // SAFETY: by the contract of the crate; the input is not touched while the session works.
    unsafe {
        let wasm = &mut *wasm;
        wasm.refused = None;
        debug_assert!(n <= wasm.input.capacity());
        let input = core::slice::from_raw_parts(wasm.input.as_ptr(), n);
        (wasm, input)
    }
}

/// # Safety
/// Null, or made by [`options_new`].
unsafe fn options<'o>(options: *const Options) -> &'o Options {
    static DEFAULT: Options = Options::DEFAULT;
    if options.is_null() {
        return &DEFAULT;
    }
    // SAFETY: by the contract.
    unsafe { &*options }
}

/// 0 is MessagePack, 1 is JSON.
fn format_of(number: u32) -> Format {
    if number == 1 { Format::Json } else { Format::MessagePack }
}

/// A new session.
#[unsafe(no_mangle)]
pub extern "C" fn session_new() -> *mut Wasm {
    let session = Session::new(Host { seconds: DATES }, Area::with_capacity);
    Box::into_raw(Box::new(Wasm { header: Header::default(), session, input: Vec::new(), refused: None }))
}

/// Frees a session.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn session_free(wasm: *mut Wasm) {
    // SAFETY: made by session_new.
    drop(unsafe { Box::from_raw(wasm) });
}

/// The header's address, which stays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn session_header(wasm: *mut Wasm) -> u32 {
    // SAFETY: see the crate.
    unsafe { &raw const (*wasm).header as u32 }
}

/// Makes room for `n` bytes of input and returns its address, or 0 where there is no memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn session_input(wasm: *mut Wasm, n: usize) -> u32 {
    // SAFETY: see the crate.
    unsafe { (*wasm).room(n) }
}

/// Forgets interned strings: the tape was not read to its end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn session_forget(wasm: *mut Wasm) {
    // SAFETY: see the crate.
    unsafe { (*wasm).session.forget_strings() }
}

/// Options from a MessagePack map of `n` bytes in the input memory; null where they are refused.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn options_new(wasm: *mut Wasm, n: usize) -> *mut Options {
    // SAFETY: see the crate.
    let (wasm, input) = unsafe { parts(wasm, n) };
    match session::options(input) {
        Ok(options) => Box::into_raw(Box::new(options)),
        Err(error) => {
            // Kept, as the header points to its texts, until the next call on the session.
            wasm.refused = Some(error);
            wasm.leave(false);
            core::ptr::null_mut()
        }
    }
}

/// Frees options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn options_free(options: *mut Options) {
    // SAFETY: made by options_new.
    drop(unsafe { Box::from_raw(options) });
}

/// Reads the `n` bytes of input onto the tape.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn decode(wasm: *mut Wasm, format: u32, n: usize, with: *const Options) -> u32 {
    // SAFETY: see the crate.
    let ((wasm, input), options) = unsafe { (parts(wasm, n), options(with)) };
    let ok = wasm.session.decode(format_of(format), input, options);
    wasm.leave(ok)
}

/// Reads one value that begins at `start` onto the tape.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn decode_from(
    wasm: *mut Wasm,
    format: u32,
    n: usize,
    start: usize,
    with: *const Options,
) -> u32 {
    // SAFETY: see the crate.
    let ((wasm, input), options) = unsafe { (parts(wasm, n), options(with)) };
    let ok = wasm.session.decode_from(format_of(format), input, start, options);
    wasm.leave(ok)
}

/// Checks the `n` bytes of input.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn validate(wasm: *mut Wasm, format: u32, n: usize, with: *const Options) -> u32 {
    // SAFETY: see the crate.
    let ((wasm, input), options) = unsafe { (parts(wasm, n), options(with)) };
    let ok = wasm.session.validate(format_of(format), input, options);
    wasm.leave(ok)
}

/// Writes the `n` bytes of input in another format.
#[cfg(feature = "full")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transcode(wasm: *mut Wasm, from: u32, to: u32, n: usize, with: *const Options) -> u32 {
    // SAFETY: see the crate.
    let ((wasm, input), options) = unsafe { (parts(wasm, n), options(with)) };
    let ok = wasm.session.transcode(format_of(from), format_of(to), input, options);
    wasm.leave(ok)
}

/// Writes what the walker wrote, `n` bytes of input, in a format.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn encode(wasm: *mut Wasm, to: u32, n: usize, with: *const Options) -> u32 {
    // SAFETY: see the crate.
    let ((wasm, input), options) = unsafe { (parts(wasm, n), options(with)) };
    let ok = wasm.session.encode(format_of(to), input, options);
    wasm.leave(ok)
}

/// Writes the digest of what the walker wrote, `n` bytes of input.
#[cfg(feature = "full")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn digest(wasm: *mut Wasm, n: usize, with: *const Options) -> u32 {
    // SAFETY: see the crate.
    let ((wasm, input), options) = unsafe { (parts(wasm, n), options(with)) };
    let ok = wasm.session.digest(input, options);
    wasm.leave(ok)
}

/// Writes the annotated dump of the `n` bytes of input.
#[cfg(feature = "schema")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn inspect(wasm: *mut Wasm, format: u32, n: usize, with: *const Options) -> u32 {
    // SAFETY: see the crate.
    let ((wasm, input), options) = unsafe { (parts(wasm, n), options(with)) };
    let ok = wasm.session.inspect(format_of(format), input, options);
    wasm.leave(ok)
}

/// Goes along a JSON Pointer, which lies behind the `n` bytes of the message, from the value at `at`.
#[cfg(feature = "full")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn view_go(
    wasm: *mut Wasm,
    format: u32,
    n: usize,
    at: usize,
    pointer: usize,
    with: *const Options,
) -> u32 {
    // SAFETY: see the crate.
    let ((wasm, all), options) = unsafe { (parts(wasm, n + pointer), options(with)) };
    let (input, pointer) = all.split_at(n);
    let ok = wasm.session.view_go(format_of(format), input, at, pointer, options);
    wasm.leave(ok)
}

/// Tells what the value at `at` is.
#[cfg(feature = "full")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn view_about(wasm: *mut Wasm, format: u32, n: usize, at: usize, with: *const Options) -> u32 {
    // SAFETY: see the crate.
    let ((wasm, input), options) = unsafe { (parts(wasm, n), options(with)) };
    let ok = wasm.session.view_about(format_of(format), input, at, options);
    wasm.leave(ok)
}

/// Lists the entries of the container at `at`.
#[cfg(feature = "full")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn view_entries(wasm: *mut Wasm, format: u32, n: usize, at: usize, with: *const Options) -> u32 {
    // SAFETY: see the crate.
    let ((wasm, input), options) = unsafe { (parts(wasm, n), options(with)) };
    let ok = wasm.session.view_entries(format_of(format), input, at, options);
    wasm.leave(ok)
}

#[cfg(feature = "full")]
mod streams {
    //! Values out of chunks: the core's splitter, whose values become the input of a session one after another.

    use alloc::boxed::Box;

    use samewire::stream::{Framing, Splitter};
    use samewire::{Code, Error, Options};

    use super::{Wasm, format_of, options, parts};

    /// A splitter for values one after another.
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn stream_new(format: u32, with: *const Options) -> *mut Splitter {
        // SAFETY: see the crate.
        let options = unsafe { options(with) };
        Box::into_raw(Box::new(Splitter::new(Framing::of(format_of(format)), options)))
    }

    /// Frees a splitter.
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn stream_free(splitter: *mut Splitter) {
        // SAFETY: made by stream_new.
        drop(unsafe { Box::from_raw(splitter) });
    }

    /// Takes the `n` bytes of input as the next chunk.
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn stream_feed(wasm: *mut Wasm, splitter: *mut Splitter, n: usize) {
        // SAFETY: see the crate.
        let ((_, input), splitter) = unsafe { (parts(wasm, n), &mut *splitter) };
        splitter.feed(input);
    }

    /// Says that there are no more chunks. What is wrong with the end, `stream_next` tells.
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn stream_finish(splitter: *mut Splitter) {
        // SAFETY: see the crate.
        let _ = unsafe { (*splitter).finish() };
    }

    /// Makes the next value that is complete the input: 0, and the header's end is its length. 1 where more chunks
    /// are needed, 2 where the stream is broken.
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn stream_next(wasm: *mut Wasm, splitter: *mut Splitter) -> u32 {
        // SAFETY: see the crate.
        let ((wasm, _), splitter) = unsafe { (parts(wasm, 0), &mut *splitter) };
        let error = match splitter.next_value() {
            Ok(None) => return 1,
            Ok(Some(value)) => {
                if wasm.room(value.len()) != 0 {
                    // SAFETY: there is room for as many bytes, and it is not the splitter's.
                    unsafe { core::ptr::copy_nonoverlapping(value.as_ptr(), wasm.input.as_mut_ptr(), value.len()) };
                    wasm.header.end = value.len() as u32;
                    return 0;
                }
                Error::new(Code::InputTooLarge, "there is no memory for a value of the stream")
            }
            Err(error) => error,
        };
        wasm.refused = Some(error);
        wasm.leave(false);
        2
    }

    /// Offset in the stream of the value that `stream_next` gave last.
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn stream_offset(splitter: *const Splitter) -> f64 {
        // SAFETY: see the crate.
        unsafe { (*splitter).value_offset() as f64 }
    }
}

#[cfg(feature = "schema")]
mod by_schema {
    //! The calls that keep to a schema.

    use samewire::Options;
    use samewire::schema::Schema;

    use super::{Wasm, format_of, options, parts};

    /// A schema of the JSON document in the `n` bytes of input; null where it is refused.
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn schema_new(wasm: *mut Wasm, n: usize) -> *mut Schema {
        // SAFETY: see the crate.
        let (wasm, input) = unsafe { parts(wasm, n) };
        match Schema::from_json(input) {
            Ok(schema) => Box::into_raw(Box::new(schema)),
            Err(error) => {
                wasm.refused = Some(error);
                wasm.leave(false);
                core::ptr::null_mut()
            }
        }
    }

    /// Frees a schema.
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn schema_free(schema: *mut Schema) {
        // SAFETY: made by schema_new.
        drop(unsafe { Box::from_raw(schema) });
    }

    /// Reads by a schema.
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn decode_by(
        wasm: *mut Wasm,
        schema: *const Schema,
        format: u32,
        n: usize,
        with: *const Options,
    ) -> u32 {
        // SAFETY: see the crate.
        let ((wasm, input), options, schema) = unsafe { (parts(wasm, n), options(with), &*schema) };
        let ok = wasm.session.decode_by(schema, format_of(format), input, options);
        wasm.leave(ok)
    }

    /// Checks by a schema.
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn validate_by(
        wasm: *mut Wasm,
        schema: *const Schema,
        format: u32,
        n: usize,
        with: *const Options,
    ) -> u32 {
        // SAFETY: see the crate.
        let ((wasm, input), options, schema) = unsafe { (parts(wasm, n), options(with), &*schema) };
        let ok = wasm.session.validate_by(schema, format_of(format), input, options);
        wasm.leave(ok)
    }

    /// Writes what the walker wrote by a schema.
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn encode_by(
        wasm: *mut Wasm,
        schema: *const Schema,
        to: u32,
        n: usize,
        with: *const Options,
    ) -> u32 {
        // SAFETY: see the crate.
        let ((wasm, input), options, schema) = unsafe { (parts(wasm, n), options(with), &*schema) };
        let ok = wasm.session.encode_by(schema, format_of(to), input, options);
        wasm.leave(ok)
    }

    /// Transcodes by a schema.
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn transcode_by(
        wasm: *mut Wasm,
        schema: *const Schema,
        from: u32,
        to: u32,
        n: usize,
        with: *const Options,
    ) -> u32 {
        // SAFETY: see the crate.
        let ((wasm, input), options, schema) = unsafe { (parts(wasm, n), options(with), &*schema) };
        let ok = wasm.session.transcode_by(schema, format_of(from), format_of(to), input, options);
        wasm.leave(ok)
    }

    /// Judges the change of a schema: the request is the `n` bytes of input.
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn schema_check(wasm: *mut Wasm, n: usize) -> u32 {
        // SAFETY: see the crate.
        let (wasm, input) = unsafe { parts(wasm, n) };
        let ok = wasm.session.check(input);
        wasm.leave(ok)
    }
}
