//! Is a change of a schema safe? Judged before it ships, for each direction and format, with a proof.
//!
//! `compare` finds what a reader may refuse of what a writer may write, and errs on the side of finding too
//! much. Each claim is then tried: a value is written by one schema and read by the other, and the one that
//! fails is the finding's witness. The verdict assumes what writers here do: they write only declared fields.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::Schema;
use super::compare::Compare;
use crate::error::{Code, Error};
use crate::format::Format;
use crate::value::Value;

/// Which readings must go on working, by the names that schema registries use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Nothing is checked.
    None,
    /// The new schema reads what the old one wrote.
    Backward,
    /// The old schema reads what the new one writes.
    Forward,
    /// Both.
    Full,
    /// `Backward` against every schema of the history.
    BackwardTransitive,
    /// `Forward` against every schema of the history.
    ForwardTransitive,
    /// `Full` against every schema of the history.
    FullTransitive,
}

impl Mode {
    /// Every mode.
    pub const ALL: [Mode; 7] = [
        Mode::None,
        Mode::Backward,
        Mode::Forward,
        Mode::Full,
        Mode::BackwardTransitive,
        Mode::ForwardTransitive,
        Mode::FullTransitive,
    ];

    /// The mode's name, such as `BACKWARD`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Mode::None => "NONE",
            Mode::Backward => "BACKWARD",
            Mode::Forward => "FORWARD",
            Mode::Full => "FULL",
            Mode::BackwardTransitive => "BACKWARD_TRANSITIVE",
            Mode::ForwardTransitive => "FORWARD_TRANSITIVE",
            Mode::FullTransitive => "FULL_TRANSITIVE",
        }
    }

    /// The mode of that name.
    ///
    /// # Errors
    /// `invalid-option`
    pub fn parse(name: &str) -> Result<Self, Error> {
        Mode::ALL.into_iter().find(|m| m.as_str() == name).ok_or_else(|| {
            let names = Mode::ALL.map(Mode::as_str).join(", ");
            Error::new(Code::InvalidOption, format!("a mode is one of {names}, not {name:?}"))
        })
    }

    fn backward(self) -> bool {
        !matches!(self, Mode::None | Mode::Forward | Mode::ForwardTransitive)
    }

    fn forward(self) -> bool {
        !matches!(self, Mode::None | Mode::Backward | Mode::BackwardTransitive)
    }

    /// True if every schema of a history counts, not only the last.
    pub fn is_transitive(self) -> bool {
        matches!(self, Mode::BackwardTransitive | Mode::ForwardTransitive | Mode::FullTransitive)
    }
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Reading goes on, but something is lost or changes its meaning.
    Warning,
    /// Some message cannot be read.
    Error,
}

impl Severity {
    /// `info`, `warning` or `error`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// One thing to know about a change.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// JSON Pointer into the data; `*` stands for every element or key.
    pub path: String,
    /// The rule's stable name, such as `field-removed`.
    pub rule: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// `BACKWARD` or `FORWARD`.
    pub mode: &'static str,
    /// `both`, `msgpack`, `json` or `packed`.
    pub format: &'static str,
    /// What to do instead, in one sentence.
    pub advice: String,
    /// A whole message that the writer writes and the reader refuses. An error has one, unless none of the
    /// values that were tried fails.
    pub witness: Option<Value>,
    /// What the reader says of the witness.
    pub code: Option<Code>,
    /// Of a history, the index of the schema that `new` was held against.
    pub against: Option<usize>,
}

/// Compares two versions of a schema. No error among the findings: every message that one side writes, the
/// other reads.
///
/// ```
/// use samewire::schema::{Schema, check, Mode};
/// let old = Schema::from_json(br#"{"properties": {"id": {"type": "integer"}}, "required": ["id"]}"#)?;
/// let new = Schema::from_json(br#"{"properties": {"id": {"type": "string"}}, "required": ["id"]}"#)?;
/// let findings = check(&old, &new, Mode::Backward);
/// assert_eq!((findings[0].rule, findings[0].path.as_str()), ("type-changed", "/id"));
/// # Ok::<(), samewire::Error>(())
/// ```
pub fn check(old: &Schema, new: &Schema, mode: Mode) -> Vec<Finding> {
    let mut findings = Vec::new();
    if mode.backward() {
        direction(old, new, true, &mut findings);
    }
    if mode.forward() {
        direction(new, old, false, &mut findings);
    }
    findings
}

/// Compares a new schema with a history, oldest first: with all of it if the mode is transitive, else with
/// the last.
pub fn check_history(history: &[Schema], new: &Schema, mode: Mode) -> Vec<Finding> {
    let first = if mode.is_transitive() { 0 } else { history.len().saturating_sub(1) };
    let mut findings = Vec::new();
    for (i, old) in history.iter().enumerate().skip(first) {
        findings.extend(check(old, new, mode).into_iter().map(|f| Finding { against: Some(i), ..f }));
    }
    findings
}

/// True if no finding is an error.
pub fn is_compatible(findings: &[Finding]) -> bool {
    findings.iter().all(|f| f.severity != Severity::Error)
}

fn direction(writer: &Schema, reader: &Schema, backward: bool, findings: &mut Vec<Finding>) {
    let mut merged: Vec<Finding> = Vec::new();
    for format in Format::ALL {
        for finding in Compare::run(writer, reader, format, backward) {
            let twin = merged
                .iter_mut()
                .find(|f| f.path == finding.path && f.rule == finding.rule && f.severity == finding.severity);
            match twin {
                None => merged.push(finding),
                Some(twin) => {
                    if twin.format != finding.format {
                        twin.format = "both";
                    }
                    if twin.witness.is_none() {
                        twin.witness = finding.witness;
                        twin.code = finding.code;
                    }
                }
            }
        }
    }
    findings.extend(merged);
}
