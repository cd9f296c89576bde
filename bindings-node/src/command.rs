//! The `samewire` command, as the npm package brings it: `js/command.ts` calls this with what was typed.

use std::ffi::OsString;

use napi_sys as sys;

use crate::calls::{function, input};
use crate::node::{Call, answer, export};

// Runs the command and returns its exit code. The arguments are UTF-8, each ended by a zero byte.
function!(command, 1, call => {
    let typed = input(&call, 0)?;
    let arguments = typed.split(|b| *b == 0).map(|a| OsString::from(String::from_utf8_lossy(a).into_owned()));
    // What follows the last zero byte is no argument.
    let count = typed.iter().filter(|b| **b == 0).count();
    let program = core::iter::once(OsString::from("samewire"));
    call.give(samewire_cli::run(program.chain(arguments.take(count))).cast_unsigned())
});

/// # Safety
/// `env` and `exports` are those of the module being registered.
pub unsafe fn register(env: sys::napi_env, exports: sys::napi_value) {
    // SAFETY: by the contract.
    unsafe { export(env, exports, c"command", command) };
}
