//! The `samewire` command as a function, so that the Python wheel and the npm package can bring it, too.
//!
//! A thin crate over core: it opens files, cuts streams, prints. What a value means, and whether it is valid,
//! is core's business.
//!
//! # Exit codes
//!
//! | code | meaning |
//! |---|---|
//! | 0 | done; for `diff`: equal |
//! | 1 | the data says no: invalid input, a difference, nothing under a pointer, a change of a schema that breaks |
//! | 2 | the command line says something that cannot be done |
//! | 3 | a file cannot be read or written |

mod args;
mod convert;
mod detect;
mod diff;
mod digest;
mod failure;
mod files;
mod get;
mod inspect;
mod notation;
mod output;
mod progress;
mod schema;
mod schema_report;
mod source;
mod stats;
mod validate;

use std::ffi::OsString;

use clap::Parser;

use crate::args::{Args, Command};
use crate::failure::Failure;

/// Runs the command with its arguments (the first is the program's name) and returns its exit code.
pub fn run(args: impl IntoIterator<Item = OsString>) -> i32 {
    let args: Vec<OsString> = args.into_iter().collect();
    // The runner reads its own arguments, some of which have names that mean something else here.
    if args.get(1).is_some_and(|a| a == "conformance") {
        let rest: Vec<String> = args[2..].iter().map(|a| a.to_string_lossy().into_owned()).collect();
        return samewire_conformance::run_with(rest).into();
    }
    let args = match Args::try_parse_from(args) {
        Ok(args) => args,
        Err(error) => {
            // Help and version are errors to clap, and go to standard output.
            let _ = error.print();
            return error.exit_code();
        }
    };
    let settings = match args.settings() {
        Ok(settings) => settings,
        Err(failure) => return failure.report(args.common.json),
    };
    let done = match &args.command {
        Command::Convert(a) => convert::run(a, &settings),
        Command::Inspect(a) => inspect::run(a, &settings),
        Command::Get(a) => get::run(a, &settings),
        Command::Diff(a) => diff::run(a, &settings),
        Command::Stats(a) => stats::run(a, &settings),
        Command::Digest(a) => digest::run(a, &settings),
        Command::Validate(a) => validate::run(a, &settings),
        Command::Schema(a) => schema::run(a, &settings),
        // Only behind an option of ours.
        Command::Conformance { arguments } => return samewire_conformance::run_with(arguments.clone()).into(),
    };
    match done {
        Ok(status) => status,
        Err(Failure::Closed) => 0,
        Err(failure) => failure.report(settings.json),
    }
}
