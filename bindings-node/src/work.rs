//! Work off JavaScript's thread: what WebAssembly cannot do. A job owns all it needs, runs on a thread of Node's
//! pool, and settles a promise when it is back.

use core::ffi::c_void;
use core::ptr::null_mut;

use napi_sys as sys;
use samewire::format::Format;
use samewire::tape::{Area, Host, Session};
use samewire::{Error, Options, transcode};

use crate::calls::{DATES, format_of, options_at};
use crate::files::{self, Failed, Files};
use crate::node::{
    Answer, Call, Refused, answer, check, export, give_double, give_error, give_list, give_memory, give_text,
};

/// What is to be done, and what came of it.
enum Job {
    Transcode {
        from: Format,
        to: Format,
    },
    Decode {
        format: Format,
    },
    /// The input is what a walker wrote.
    Encode {
        to: Format,
    },
    /// The input is the two paths, each ended by a zero byte.
    Files {
        from: Format,
        to: Format,
        many: bool,
    },
    Done(Vec<u8>),
    Tape(Box<Session>),
    Count(u64),
    Failed(Failed),
}

struct Work {
    job: Job,
    /// The input: an array of JavaScript's that nobody else has, kept alive by `reference`.
    input: (*const u8, usize),
    reference: sys::napi_ref,
    options: Options,
    deferred: sys::napi_deferred,
    work: sys::napi_async_work,
}

/// Runs on a thread of the pool: no call of Node-API may be made here.
unsafe extern "C" fn run(_: sys::napi_env, data: *mut c_void) {
    // SAFETY: the Work that `queue` made; only this thread has it now.
    let work = unsafe { &mut *data.cast::<Work>() };
    // SAFETY: the reference keeps the array's memory, and nobody else has the array.
    let input = unsafe { core::slice::from_raw_parts(work.input.0, work.input.1) };
    let options = &work.options;
    let done = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| match work.job {
        Job::Transcode { from, to } => match transcode::transcode(input, from, to, options) {
            Ok(bytes) => Job::Done(bytes),
            Err(error) => Job::Failed(Failed::Data(error)),
        },
        Job::Decode { format } => {
            let mut session = session();
            if session.decode(format, input, options) { Job::Tape(session) } else { failed(&session) }
        }
        Job::Encode { to } => {
            let mut session = session();
            if session.encode(to, input, options) { Job::Done(session.output().to_vec()) } else { failed(&session) }
        }
        Job::Files { from, to, many } => {
            let mut paths = input.split(|b| *b == 0).map(|p| String::from_utf8_lossy(p).into_owned().into());
            let (source, target) = (paths.next().unwrap_or_default(), paths.next().unwrap_or_default());
            match (Files { source, target, from, to, many }).run(options) {
                Ok(count) => Job::Count(count),
                Err(why) => Job::Failed(why),
            }
        }
        _ => unreachable!("a job is run once"),
    }));
    work.job = done.unwrap_or_else(|_| {
        let text = "the message needs more memory than there is";
        Job::Failed(Failed::Data(Error::new(samewire::Code::InputTooLarge, text)))
    });
}

fn session() -> Box<Session> {
    Box::new(Session::new(Host { seconds: DATES }, Area::with_capacity))
}

fn failed(session: &Session) -> Job {
    Job::Failed(Failed::Data(session.error().cloned().expect("a failed call has an error")))
}

/// A failure of the file system as `[-1, name, path, message]`: no error of the core has a code like that.
fn give_io(env: sys::napi_env, call: &str, path: &std::path::Path, error: &std::io::Error) -> Answer {
    let path = path.to_string_lossy();
    let (name, what) = files::described(error);
    let message = format!("{name}: {what}, {call} '{path}'");
    let texts = [name, &path, &message].map(|t| give_text(env, t.as_bytes()));
    let [name, path, message] = texts;
    give_list(env, &[give_double(env, -1.0)?, name?, path?, message?])
}

/// Back on JavaScript's thread.
unsafe extern "C" fn settle(env: sys::napi_env, _: sys::napi_status, data: *mut c_void) {
    // SAFETY: the Work that `queue` made; `run` is through with it.
    let work = unsafe { Box::from_raw(data.cast::<Work>()) };
    let result = match &work.job {
        Job::Done(bytes) => give_memory(env, bytes),
        Job::Tape(session) => {
            let tape = session.tape();
            let areas = [tape.words(), tape.floats(), tape.ascii(), tape.wide(), tape.bytes(), tape.definitions()];
            areas
                .iter()
                .map(|area| give_memory(env, area.as_slice()))
                .collect::<Result<Vec<_>, _>>()
                .and_then(|memories| give_list(env, &memories))
        }
        Job::Count(count) => give_double(env, *count as f64),
        Job::Failed(Failed::Data(error)) => give_error(env, error),
        Job::Failed(Failed::Io(call, path, error)) => give_io(env, call, path, error),
        Job::Transcode { .. } | Job::Decode { .. } | Job::Encode { .. } | Job::Files { .. } => Err(Refused),
    };
    let ok = matches!(work.job, Job::Done(_) | Job::Tape(_) | Job::Count(_)) && result.is_ok();
    // SAFETY: on the environment's thread, in a scope that Node opened.
    unsafe {
        let value = result.unwrap_or_else(|_| {
            let mut value = null_mut();
            sys::napi_get_undefined(env, &raw mut value);
            value
        });
        if ok {
            sys::napi_resolve_deferred(env, work.deferred, value);
        } else {
            sys::napi_reject_deferred(env, work.deferred, value);
        }
        sys::napi_delete_reference(env, work.reference);
        sys::napi_delete_async_work(env, work.work);
    }
}

fn queue<const N: usize>(call: &Call<N>, job: Job, input: usize, options: usize) -> Answer {
    let (start, len) = call.bytes(input)?;
    // SAFETY: 0 or an address that `options` gave.
    let options = unsafe { options_at(call.address(options)?) }.clone();
    let (mut promise, mut deferred, mut reference, mut name) = (null_mut(), null_mut(), null_mut(), null_mut());
    // SAFETY: the call is running.
    unsafe {
        check(sys::napi_create_reference(call.env, call.arg(input), 1, &raw mut reference))?;
        check(sys::napi_create_promise(call.env, &raw mut deferred, &raw mut promise))?;
        check(sys::napi_create_string_utf8(call.env, c"samewire".as_ptr(), 8, &raw mut name))?;
        let work =
            Box::into_raw(Box::new(Work { job, input: (start, len), reference, options, deferred, work: null_mut() }));
        check(sys::napi_create_async_work(
            call.env,
            null_mut(),
            name,
            Some(run),
            Some(settle),
            work.cast(),
            &raw mut (*work).work,
        ))?;
        check(sys::napi_queue_async_work(call.env, (*work).work))?;
    }
    Ok(promise)
}

unsafe extern "C" fn transcode_later(env: sys::napi_env, info: sys::napi_callback_info) -> sys::napi_value {
    answer(env, || {
        // SAFETY: Node gives both for this call.
        let call = unsafe { Call::<4>::new(env, info) }?;
        queue(&call, Job::Transcode { from: format_of(call.number(0)?), to: format_of(call.number(1)?) }, 2, 3)
    })
}

unsafe extern "C" fn decode_later(env: sys::napi_env, info: sys::napi_callback_info) -> sys::napi_value {
    answer(env, || {
        // SAFETY: Node gives both for this call.
        let call = unsafe { Call::<3>::new(env, info) }?;
        queue(&call, Job::Decode { format: format_of(call.number(0)?) }, 1, 2)
    })
}

unsafe extern "C" fn encode_later(env: sys::napi_env, info: sys::napi_callback_info) -> sys::napi_value {
    answer(env, || {
        // SAFETY: Node gives both for this call.
        let call = unsafe { Call::<3>::new(env, info) }?;
        queue(&call, Job::Encode { to: format_of(call.number(0)?) }, 1, 2)
    })
}

unsafe extern "C" fn transcode_files(env: sys::napi_env, info: sys::napi_callback_info) -> sys::napi_value {
    answer(env, || {
        // SAFETY: Node gives both for this call.
        let call = unsafe { Call::<5>::new(env, info) }?;
        let (from, to) = (format_of(call.number(0)?), format_of(call.number(1)?));
        queue(&call, Job::Files { from, to, many: call.number(2)? == 1 }, 3, 4)
    })
}

/// # Safety
/// `env` and `exports` are those of the module being registered.
pub unsafe fn register(env: sys::napi_env, exports: sys::napi_value) {
    // SAFETY: by the contract.
    unsafe {
        export(env, exports, c"transcodeLater", transcode_later);
        export(env, exports, c"decodeLater", decode_later);
        export(env, exports, c"encodeLater", encode_later);
        export(env, exports, c"transcodeFiles", transcode_files);
    }
}
