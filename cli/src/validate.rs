//! `samewire validate`

use samewire::Value;
use samewire::schema::Schema;
use samewire::visit::Nothing;

use crate::args::{Settings, Validate};
use crate::failure::{DataFailure, Failure};
use crate::files;
use crate::notation::Notation;
use crate::output::{self, Output};
use crate::progress::Progress;
use crate::schema;
use crate::source::{self, Source};

/// Broken lines that are shown of one file.
const SHOWN: usize = 10;

/// What was found in one file.
struct Findings {
    values: u64,
    bad: u64,
    /// The first of them.
    failures: Vec<DataFailure>,
}

pub fn run(args: &Validate, settings: &Settings) -> Result<i32, Failure> {
    let names = files::expand(&args.files)?;
    let schema = args.schema.as_deref().map(|name| schema::open(name, settings)).transpose()?;
    let progress = Progress::new(names.iter().map(|n| source::size(n)).sum(), settings.json || args.quiet);
    let mut output = Output::stdout();
    let mut status = 0;
    let mut failed = None;
    files::in_order(
        &names,
        settings.jobs,
        |name| of_file(name, schema.as_ref(), settings, &progress),
        |name, result| {
            let text = match result {
                Ok(findings) => {
                    status = status.max(i32::from(findings.bad > 0));
                    findings.report(source::shown(name), args, settings)
                }
                Err(failure) => {
                    status = status.max(failure.report(settings.json));
                    return;
                }
            };
            if let Err(failure) = output.write(text.as_bytes()) {
                failed.get_or_insert(failure);
            }
        },
    );
    if let Some(failure) = failed {
        return Err(failure);
    }
    output.finish()?;
    Ok(status)
}

fn of_file(name: &str, by: Option<&Schema>, settings: &Settings, progress: &Progress) -> Result<Findings, Failure> {
    let source = Source::open(name, settings, Some(progress))?;
    let origin = source.origin();
    let mut findings = Findings { values: 0, bad: 0, failures: Vec::new() };
    let walked = source.for_each(|item| {
        findings.values += 1;
        let sound = || origin.notation.visit(item.bytes, &settings.options, &mut Nothing);
        let checked = match by {
            Some(by) => schema::validate(by, origin.notation, item.bytes, &settings.options),
            None => sound(),
        };
        let Err(error) = checked else { return Ok(()) };
        // After a broken line the next one begins where the line ends; elsewhere nobody knows. What only the schema
        // refuses has an end in any case.
        if origin.notation != Notation::Jsonl && (by.is_none() || sound().is_err()) {
            return Err(origin.failure(&item, error));
        }
        findings.bad += 1;
        if findings.failures.len() < SHOWN {
            findings.failures.push(origin.data_failure(&item, error));
        }
        Ok(())
    });
    match walked {
        Ok(_) => Ok(findings),
        Err(Failure::Data(failure)) => {
            findings.bad += 1;
            findings.failures.push(*failure);
            Ok(findings)
        }
        Err(failure) => Err(failure),
    }
}

impl Findings {
    /// Failures go to standard error, the summary is returned for standard output.
    fn report(self, name: &str, args: &Validate, settings: &Settings) -> String {
        let more = self.bad - self.failures.len() as u64;
        if settings.json {
            let failures = self.failures.iter().map(DataFailure::object).collect();
            return output::json_line(&output::object([
                ("file", name.into()),
                ("valid", Value::Bool(self.bad == 0)),
                ("values", Value::from_u64(self.values)),
                ("invalid", Value::from_u64(self.bad)),
                ("errors", Value::Array(failures)),
            ]));
        }
        let (values, bad) = (self.values, self.bad);
        for failure in self.failures {
            Failure::Data(Box::new(failure)).report(false);
        }
        if more > 0 {
            eprintln!("samewire: {name}: {more} more like these");
        }
        match (bad, args.quiet) {
            (0, true) => String::new(),
            (0, false) => format!("{name}: valid, {values} {}\n", if values == 1 { "value" } else { "values" }),
            (1, _) => format!("{name}: invalid\n"),
            (n, _) => format!("{name}: {n} values invalid\n"),
        }
    }
}
