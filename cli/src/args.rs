//! The command line's grammar.

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use samewire::Options;
use samewire::options::{MapKeys, Setting};

use crate::failure::Failure;
use crate::notation::Notation;

/// MessagePack and JSON: convert, look inside, compare, measure, check.
#[derive(Parser)]
#[command(name = "samewire", version, arg_required_else_help = true)]
#[command(
    after_help = "Without a file, or with -, standard input is read. The format is found by content unless --from \
says it.\nExit codes: 0 done, 1 the data says no (invalid, different, not there), 2 usage, 3 files."
)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub common: Common,
}

/// What every command takes.
#[derive(clap::Args)]
pub struct Common {
    /// The format of the input, instead of by its content.
    #[arg(long, global = true, value_enum, value_name = "FORMAT")]
    pub from: Option<Notation>,
    /// An option of the data model, such as `duplicate_keys=last`; may be given more than once.
    #[arg(short = 'O', long = "option", global = true, value_name = "NAME=VALUE")]
    pub options: Vec<String>,
    /// Results and errors as JSON, for scripts.
    #[arg(long, global = true)]
    pub json: bool,
    /// Colours: auto (a terminal without NO_COLOR), always, never.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
    /// Files that are worked on at once.
    #[arg(short, long, global = true, value_name = "N")]
    pub jobs: Option<usize>,
}

/// When to colour.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Subcommand)]
pub enum Command {
    /// Writes values in another format, value by value: memory is bounded by the largest value.
    Convert(Convert),
    /// Shows each byte with its meaning; broken input up to the fault.
    Inspect(Inspect),
    /// Prints the value under a JSON Pointer.
    Get(Get),
    /// Compares two files by value, whatever their formats.
    Diff(Diff),
    /// Measures one's own data as JSON and as MessagePack: sizes, compressed sizes, times.
    Stats(Stats),
    /// Prints the SHA-256 of each value's canonical form: equal for equal values in any format.
    Digest(Digest),
    /// Checks that files are what they should be.
    Validate(Validate),
    /// Schemas: is a change of one safe, what changed, which one do samples have.
    #[command(subcommand)]
    Schema(SchemaCommand),
    /// Runs the conformance vectors through testees: one's own with --testee, or the listed ones.
    #[command(disable_help_flag = true)]
    Conformance {
        /// See `samewire conformance --help`.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
}

#[derive(Subcommand)]
pub enum SchemaCommand {
    /// Judges a change before it ships; exit code 1 if some message could no longer be read.
    Check(SchemaCheck),
    /// Shows what changed, and what it means in both directions; exit code 1 if something did.
    Diff(SchemaDiff),
    /// Prints a schema that all samples keep to.
    Of(SchemaOf),
}

#[derive(clap::Args)]
pub struct SchemaCheck {
    /// The schema so far, or a folder of its versions (*.json), oldest first by name.
    pub old: String,
    /// The schema that is to ship; - is standard input.
    pub new: String,
    /// BACKWARD (the new one reads what the old one wrote), FORWARD, FULL, each with _TRANSITIVE, or NONE.
    #[arg(short, long, value_name = "MODE", default_value = "BACKWARD")]
    pub mode: String,
    /// Writes the findings as SARIF 2.1.0, too.
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
    /// Writes the findings as JUnit's XML, too.
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// No output, only the exit code.
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(clap::Args)]
pub struct SchemaDiff {
    /// One schema.
    pub old: String,
    /// The other.
    pub new: String,
}

#[derive(clap::Args)]
pub struct SchemaOf {
    /// Files of samples, or quoted globs.
    pub files: Vec<String>,
}

#[derive(clap::Args)]
pub struct Convert {
    /// Files or quoted globs.
    pub files: Vec<String>,
    /// The format to write; by default what the output's name says, or else the other of MessagePack and JSON.
    #[arg(short, long, value_enum, value_name = "FORMAT")]
    pub to: Option<Notation>,
    /// The file to write instead of standard output; it is replaced only when all is written.
    #[arg(short, long, value_name = "FILE", conflicts_with = "out_dir")]
    pub output: Option<PathBuf>,
    /// The folder that gets one output for each input, named after it.
    #[arg(long, value_name = "FOLDER")]
    pub out_dir: Option<PathBuf>,
    /// One spelling for each value (RFC 8785 for JSON).
    #[arg(long)]
    pub canonical: bool,
    /// Sorts keys.
    #[arg(long)]
    pub sort_keys: bool,
    /// JSON on several lines, N blanks a level.
    #[arg(long, value_name = "N")]
    pub indent: Option<u8>,
    /// Writes the elements of arrays as values of their own.
    #[arg(long)]
    pub split: bool,
    /// A JSON Schema that values are read and written by.
    #[arg(long, value_name = "FILE", conflicts_with = "split")]
    pub schema: Option<String>,
}

#[derive(clap::Args)]
pub struct Inspect {
    /// Files or quoted globs.
    pub files: Vec<String>,
    /// A page of its own instead of text.
    #[arg(long)]
    pub html: bool,
}

#[derive(clap::Args)]
pub struct Get {
    /// The JSON Pointer (RFC 6901), such as /items/0/id; "" is the whole value.
    pub pointer: String,
    /// Files or quoted globs.
    pub files: Vec<String>,
    /// The format to print.
    #[arg(short, long, value_enum, value_name = "FORMAT", default_value = "json")]
    pub to: Notation,
    /// Text without quotes, binary as it is.
    #[arg(short, long)]
    pub raw: bool,
}

#[derive(clap::Args)]
pub struct Diff {
    /// One file; - is standard input.
    pub left: String,
    /// The other.
    pub right: String,
    /// No output, only the exit code.
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(clap::Args)]
pub struct Stats {
    /// Files or quoted globs; all values together are measured.
    pub files: Vec<String>,
}

#[derive(clap::Args)]
pub struct Digest {
    /// Files or quoted globs.
    pub files: Vec<String>,
}

#[derive(clap::Args)]
pub struct Validate {
    /// Files or quoted globs.
    pub files: Vec<String>,
    /// A JSON Schema that each value must keep to.
    #[arg(long, value_name = "FILE")]
    pub schema: Option<String>,
    /// No output for valid files.
    #[arg(short, long)]
    pub quiet: bool,
}

/// What the commands get of the arguments that all share.
pub struct Settings {
    pub from: Option<Notation>,
    pub options: Options,
    pub json: bool,
    pub color: Color,
    pub jobs: usize,
}

impl Args {
    /// The options, checked.
    pub fn settings(&self) -> Result<Settings, Failure> {
        // The command line shows and keeps every value that the formats have.
        let mut options = Options { map_keys: MapKeys::Any, ..Options::default() };
        for given in &self.common.options {
            let Some((name, value)) = given.split_once('=') else {
                return Err(Failure::usage(format!("--option takes NAME=VALUE, not {given:?}")));
            };
            options.set(&name.replace('-', "_"), setting(value)).map_err(Failure::of_option)?;
        }
        if let Command::Convert(c) = &self.command {
            options.canonical |= c.canonical;
            options.sort_keys |= c.sort_keys;
            if let Some(n) = c.indent {
                options.set("indent", Setting::Int(n.into())).map_err(Failure::of_option)?;
            }
        }
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Settings {
            from: self.common.from,
            options,
            json: self.common.json,
            color: self.common.color,
            jobs: self.common.jobs.unwrap_or_else(cores).max(1),
        })
    }
}

fn setting(value: &str) -> Setting<'_> {
    match value {
        "true" => Setting::Bool(true),
        "false" => Setting::Bool(false),
        "none" => Setting::None,
        _ => value.parse().map_or(Setting::Str(value), Setting::Int),
    }
}
