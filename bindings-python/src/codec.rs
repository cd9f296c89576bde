//! Encode and decode as the functions, the classes and the streams call them: a reader, a visitor, and what
//! the interpreter needs around them.

use pyo3::ffi::*;
use samewire::buffer::Buffer;
use samewire::options::Floats;
use samewire::visit::Reader;
use samewire::{Code, Error, Format, Options, json, msgpack, transcode};

use crate::build::Builder;
use crate::hooks::{DecodeHooks, EncodeHooks};
use crate::input::Input;
use crate::layout::Object;
use crate::output;
use crate::owned::Owned;
use crate::settings::Settings;
use crate::walk::ObjectReader;

/// The bytes of an object.
///
/// # Safety
/// The lock is held.
#[inline(always)]
pub unsafe fn encode(format: Format, object: Object, options: &Options, hooks: &EncodeHooks) -> Result<Owned, Error> {
    let reader = ObjectReader { object, format, options, hooks };
    output::to_bytes(|buffer| transcode::write(reader, format, options, buffer))
}

/// Writes an object into a buffer.
///
/// # Safety
/// The lock is held.
pub unsafe fn write(
    format: Format,
    object: Object,
    options: &Options,
    hooks: &EncodeHooks,
    buffer: Buffer,
) -> Result<Buffer, Error> {
    transcode::write(ObjectReader { object, format, options, hooks }, format, options, buffer)
}

/// The error for an offset that is not in the data.
#[cold]
pub fn outside(offset: isize, len: usize) -> Error {
    Error::new(Code::InvalidOption, format!("offset {offset} is outside the {len} bytes of data"))
}

/// From this size on the cyclic collector is paused: before 3.12 it runs in the middle of a decode, over and
/// over, and finds nothing, since nothing of the tree is garbage.
const PAUSE_FROM: usize = 64 << 10;

/// Pauses the cyclic collector until it is dropped.
pub struct Pause(bool);

impl Pause {
    #[inline(always)]
    fn new(wanted: bool) -> Self {
        // Since 3.12 the collector runs between bytecodes, not in here.
        // SAFETY: the lock is held.
        Pause(cfg!(not(Py_3_12)) && wanted && unsafe { PyGC_Disable() } != 0)
    }
}

impl Drop for Pause {
    #[inline(always)]
    fn drop(&mut self) {
        if self.0 {
            // SAFETY: the lock is held.
            unsafe { PyGC_Enable() };
        }
    }
}

/// Pauses the cyclic collector for an input that is large enough.
#[inline(always)]
pub fn pause_for(input: &[u8], settings: &Settings) -> Pause {
    Pause::new(input.len() >= PAUSE_FROM && settings.pause_gc && !settings.has_hooks())
}

/// Where a decode ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Nothing may follow the value.
    Whole,
    /// Something may follow: the caller wants to know where.
    First,
}

/// The value that begins at `offset`, and the offset of its end.
#[inline(always)]
pub fn decode(
    format: Format,
    input: &[u8],
    offset: usize,
    end: End,
    settings: &Settings,
) -> Result<(Owned, usize), Error> {
    let hooks = settings.decode_hooks();
    let _pause = pause_for(input, settings);
    if settings.options.floats == Floats::Decimal {
        return read::<true>(format, input, offset, end, &settings.options, &hooks);
    }
    read::<false>(format, input, offset, end, &settings.options, &hooks)
}

#[inline(always)]
fn read<const DECIMALS: bool>(
    format: Format,
    input: &[u8],
    offset: usize,
    end: End,
    options: &Options,
    hooks: &DecodeHooks,
) -> Result<(Owned, usize), Error> {
    let mut builder = Builder::<DECIMALS>::new(options, hooks);
    match format {
        Format::MessagePack => {
            let mut reader = msgpack::Reader::new(input, options)?;
            if offset > 0 {
                reader.seek(offset);
            }
            let value = reader.read(&mut builder)?;
            if end == End::Whole {
                reader.finish()?;
            }
            Ok((value, reader.position()))
        }
        Format::Json => {
            let mut reader = json::Reader::new(input, options)?;
            if offset > 0 {
                reader.seek(offset);
            }
            let value = reader.read(&mut builder)?;
            if end == End::Whole {
                reader.finish()?;
            }
            Ok((value, reader.position()))
        }
    }
}

/// The bytes of an argument for a format: JSON may come as str.
///
/// # Safety
/// The lock is held.
#[inline(always)]
pub unsafe fn input_of(format: Format, object: Object, settings: &Settings) -> Result<Input, Error> {
    // SAFETY: the caller's.
    unsafe {
        let input = match format {
            Format::MessagePack => Input::new(object)?,
            Format::Json => Input::text(object, settings.options.lone_surrogates)?,
        };
        // A hook could write into the buffer that is being read.
        Ok(if settings.has_hooks() { input.freeze() } else { input })
    }
}

/// From this size on other threads run meanwhile.
const RELEASE_FROM: usize = 16 << 10;

/// Runs `work` on bytes, without the lock where they are many.
pub fn without_lock<T: Send>(input: Input, work: impl FnOnce(&[u8]) -> T + Send) -> T {
    if input.bytes().len() < RELEASE_FROM {
        return work(input.bytes());
    }
    let input = input.freeze();
    // A slice is Send; the Input stays here.
    let bytes = input.bytes();
    struct Restore(*mut PyThreadState);
    impl Drop for Restore {
        fn drop(&mut self) {
            // SAFETY: the thread state is the one that was saved.
            unsafe { PyEval_RestoreThread(self.0) }
        }
    }
    // SAFETY: the lock is held; `work` does not touch the interpreter. Restored also when it panics.
    let _restore = Restore(unsafe { PyEval_SaveThread() });
    work(bytes)
}

/// A bytes object of bytes.
pub fn bytes_of(bytes: &[u8]) -> Result<Owned, Error> {
    // SAFETY: the lock is held.
    unsafe { Owned::new(PyBytes_FromStringAndSize(bytes.as_ptr().cast(), bytes.len() as Py_ssize_t)) }
}
