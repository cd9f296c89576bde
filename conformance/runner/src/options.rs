//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use crate::expected::glob;
use crate::run::{Config, specs};
use crate::testee::Spec;

pub const HELP: &str = "\
usage: samewire conformance [run|fuzz] [options]

  run (the default)      every vector through every testee, and the exchange between them
  fuzz                   the same generated values and broken inputs through all runtimes of ours

  --testee CMD           run this program as well as none of the listed ones; repeatable
  --only GLOB            of the listed testees those whose name matches; repeatable
  --ours                 only the runtimes of samewire
  --vectors DIR          other vectors than conformance/vectors
  --filter TEXT          only checks whose name has TEXT, or matches it as a glob
  --expected DIR         other lists of expected failures than conformance/expected
  --fix                  rewrite the peers' lists; what no reason takes goes under [unexplained]
  --short                fewer checks, still every group and every testee
  --no-exchange          only the vectors
  --report DIR           write report.html, report.json and junit.xml there
  --timeout SECONDS      for one batch of requests (30)
  --jobs N               testees at a time (2)
  --count N --seed N     fuzz: how many inputs, and which
  --chunk N              fuzz: inputs between two comparisons (2000)

The last line is `N passed, N failed, N skipped`; the exit code is 1 if anything failed.
";

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    Run,
    Fuzz,
    Help,
}

#[derive(Debug)]
pub struct Arguments {
    pub action: Action,
    pub vectors: PathBuf,
    pub config: Config,
    pub report: Option<PathBuf>,
    pub exchange: bool,
    pub count: u64,
    pub seed: u64,
    pub chunk: u64,
    testees: Vec<String>,
    only: Vec<String>,
    ours: bool,
}

impl Arguments {
    pub fn read(arguments: impl Iterator<Item = String>) -> Result<Arguments, String> {
        let root = home();
        let mut out = Arguments {
            action: Action::Run,
            vectors: root.join("vectors"),
            config: Config {
                expected: root.join("expected"),
                folder: root,
                filter: None,
                timeout: Duration::from_secs(30),
                jobs: 2,
                fix: false,
                short: false,
            },
            report: None,
            exchange: true,
            count: 10_000,
            seed: 1,
            chunk: 2_000,
            testees: Vec::new(),
            only: Vec::new(),
            ours: false,
        };
        let mut arguments = arguments.peekable();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{argument} takes a value"));
            let number = |text: String| text.parse::<u64>().map_err(|e| format!("{text}: {e}"));
            match argument.as_str() {
                "run" => out.action = Action::Run,
                "fuzz" => out.action = Action::Fuzz,
                "-h" | "--help" => out.action = Action::Help,
                "--testee" => out.testees.push(value()?),
                "--only" => out.only.push(value()?),
                "--ours" => out.ours = true,
                "--vectors" => out.vectors = value()?.into(),
                "--filter" => out.config.filter = Some(value()?),
                "--expected" => out.config.expected = value()?.into(),
                "--fix" => out.config.fix = true,
                "--short" => out.config.short = true,
                "--no-exchange" => out.exchange = false,
                "--report" => out.report = Some(value()?.into()),
                "--timeout" => out.config.timeout = Duration::from_secs(number(value()?)?),
                "--jobs" => out.config.jobs = number(value()?)? as usize,
                "--count" => out.count = number(value()?)?,
                "--seed" => out.seed = number(value()?)?,
                "--chunk" => out.chunk = number(value()?)?.max(1),
                other => return Err(format!("there is no option {other}; see --help")),
            }
        }
        Ok(out)
    }

    /// The testees that were asked for.
    pub fn specs(&self) -> Result<Vec<Spec>, String> {
        if !self.testees.is_empty() {
            let current = std::env::current_dir().map_err(|e| e.to_string())?;
            return Ok(self
                .testees
                .iter()
                .map(|command| Spec {
                    name: command
                        .split_whitespace()
                        .last()
                        .unwrap_or("testee")
                        .rsplit('/')
                        .next()
                        .unwrap_or("testee")
                        .to_owned(),
                    // The shell runs it where the caller is, so that relative paths mean what they say.
                    command: vec!["sh".into(), "-c".into(), format!("cd \"$TESTEE_HOME\" && exec {command}")],
                    env: vec![("TESTEE_HOME".into(), current.display().to_string())],
                    ours: false,
                })
                .collect());
        }
        let mut list = specs(&self.config.folder.join("testees/testees.json"))?;
        list.retain(|s| (!self.ours || s.ours) && (self.only.is_empty() || self.only.iter().any(|g| glob(g, &s.name))));
        if list.is_empty() {
            return Err("no testee has that name".into());
        }
        Ok(list)
    }
}

/// The conformance folder: beside the working directory, above it, or where this program was built.
fn home() -> PathBuf {
    let built = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let current = std::env::current_dir().unwrap_or_default();
    let found = current.ancestors().map(|d| d.join("conformance")).find(|d| d.join("vectors").is_dir());
    let home = found.unwrap_or(built);
    home.canonicalize().unwrap_or(home)
}
