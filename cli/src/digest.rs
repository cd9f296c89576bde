//! `samewire digest`

use samewire::{Value, canonical};

use crate::args::{Digest, Settings};
use crate::failure::Failure;
use crate::files;
use crate::output::{self, Output};
use crate::progress::Progress;
use crate::source::{self, Source};

pub fn run(args: &Digest, settings: &Settings) -> Result<i32, Failure> {
    let names = files::expand(&args.files)?;
    let progress = Progress::new(names.iter().map(|n| source::size(n)).sum(), settings.json);
    let work = |name: &String| of_file(name, settings, &progress);
    let mut output = Output::stdout();
    let mut status = 0;
    let mut failed = None;
    files::in_order(&names, settings.jobs, work, |name, result| match result {
        Ok(digests) => {
            for (i, digest) in digests.iter().enumerate() {
                let text = line(settings, source::shown(name), digest, (digests.len() > 1).then_some(i + 1));
                if let Err(failure) = output.write(text.as_bytes()) {
                    failed.get_or_insert(failure);
                }
            }
        }
        Err(failure) => status = status.max(failure.report(settings.json)),
    });
    if let Some(failure) = failed {
        return Err(failure);
    }
    output.finish()?;
    Ok(status)
}

fn of_file(name: &str, settings: &Settings, progress: &Progress) -> Result<Vec<String>, Failure> {
    let source = Source::open(name, settings, Some(progress))?;
    let origin = source.origin();
    let mut digests = Vec::new();
    source.for_each(|item| {
        let value = origin.notation.read(item.bytes, &settings.options).map_err(|e| origin.failure(&item, e))?;
        let digest = canonical::digest(&value).map_err(|e| origin.failure(&item, e))?;
        digests.push(digest.iter().map(|b| format!("{b:02x}")).collect());
        Ok(())
    })?;
    Ok(digests)
}

fn line(settings: &Settings, name: &str, digest: &str, value: Option<usize>) -> String {
    if settings.json {
        let mut entries = vec![("file", name.into()), ("sha256", digest.into())];
        entries.extend(value.map(|n| ("value", Value::from_u64(n as u64))));
        return output::json_line(&output::object(entries));
    }
    match value {
        Some(n) => format!("{digest}  {name}#{n}\n"),
        None => format!("{digest}  {name}\n"),
    }
}
