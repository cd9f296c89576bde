//! Running the vectors through testees, several at a time, and holding the outcome to the expected lists.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use crate::case::{Case, Check, checks};
use crate::expected::{List, UNEXPLAINED};
use crate::judge::{Verdict, judge, not_asked};
use crate::testee::{Hello, Missing, Spec, Testee};

/// What is run and how.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where testees are started: the conformance folder.
    pub folder: PathBuf,
    pub expected: PathBuf,
    pub filter: Option<String>,
    pub timeout: Duration,
    pub jobs: usize,
    pub fix: bool,
    /// Fewer cuts of streams, and of the peers every fourth check.
    pub short: bool,
}

/// One check's outcome that is not a plain pass.
#[derive(Clone, Debug)]
pub struct Finding {
    pub check: String,
    pub case: usize,
    pub verdict: Verdict,
    /// The reason in the expected list, and what it cites.
    pub explained: Option<(String, String)>,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    pub passed: usize,
    pub failed: usize,
    pub explained: usize,
    pub skipped: usize,
}

impl Count {
    pub fn add(&mut self, other: Count) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.explained += other.explained;
        self.skipped += other.skipped;
    }
}

/// All that one testee did.
#[derive(Debug)]
pub struct Outcome {
    pub spec: Spec,
    pub hello: Hello,
    /// Why it gave no answers.
    pub missing: Option<Missing>,
    pub groups: BTreeMap<String, Count>,
    pub findings: Vec<Finding>,
    /// Faults of the expected list itself: unexpected passes, and entries in a list of our own.
    pub list_faults: Vec<String>,
    pub seconds: f64,
    pub restarts: u32,
}

impl Outcome {
    pub fn total(&self) -> Count {
        let mut total = Count::default();
        self.groups.values().for_each(|c| total.add(*c));
        total
    }

    pub fn failed(&self) -> usize {
        let broken = matches!(self.missing, Some(Missing::Broken(_)));
        self.total().failed + self.list_faults.len() + usize::from(broken)
    }
}

/// Runs every testee; as many at once as there are jobs.
pub fn run(specs: &[Spec], cases: &[Case], config: &Config, progress: &(dyn Fn(&Outcome) + Sync)) -> Vec<Outcome> {
    parallel(specs, config.jobs, |spec| {
        let outcome = one(spec, cases, config);
        progress(&outcome);
        outcome
    })
}

/// Does work on each item, as many at once as there are jobs, and returns the results in order.
pub fn parallel<T: Sync, R: Send>(items: &[T], jobs: usize, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<Option<R>>> = Mutex::new(items.iter().map(|_| None).collect());
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, items.len().max(1)) {
            let builder = std::thread::Builder::new().stack_size(64 << 20);
            let body = || {
                while let Some((i, item)) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|i| Some((i, items.get(i)?)))
                {
                    let result = work(item);
                    results.lock().expect("no thread panics")[i] = Some(result);
                }
            };
            builder.spawn_scoped(scope, body).expect("threads can be started");
        }
    });
    results.into_inner().expect("no thread panics").into_iter().map(|r| r.expect("each was done")).collect()
}

fn one(spec: &Spec, cases: &[Case], config: &Config) -> Outcome {
    let started = Instant::now();
    let mut outcome = Outcome {
        spec: spec.clone(),
        hello: Hello::default(),
        missing: None,
        groups: BTreeMap::new(),
        findings: Vec::new(),
        list_faults: Vec::new(),
        seconds: 0.0,
        restarts: 0,
    };
    let mut testee = match Testee::start(spec, &config.folder, config.timeout) {
        Ok(testee) => testee,
        Err(missing) => {
            outcome.missing = Some(missing);
            return outcome;
        }
    };
    outcome.hello = testee.hello.clone();
    let host = testee.hello.host.clone();
    let mut asked: Vec<Check> = Vec::new();
    for (i, case) in cases.iter().enumerate() {
        match checks(i, case, &host) {
            Ok(list) => asked.extend(list),
            Err(why) => outcome.list_faults.push(format!("{}: {why}", case.name)),
        }
    }
    if let Some(filter) = &config.filter {
        asked.retain(|c| c.name.contains(filter.as_str()) || crate::expected::glob(filter, &c.name));
    }
    if config.short {
        shorten(&mut asked, spec.ours);
    }
    let mut verdicts: Vec<Option<Verdict>> =
        asked.iter().map(|c| not_asked(c, &testee.hello).map(Verdict::Skip)).collect();
    let open: Vec<usize> = (0..asked.len()).filter(|i| verdicts[*i].is_none()).collect();
    let requests: Vec<&Json> = open.iter().map(|i| &asked[*i].request).collect();
    for (i, answer) in open.iter().zip(testee.ask(&requests, &config.folder)) {
        verdicts[*i] = Some(judge(&asked[*i], &answer, &testee.hello));
    }
    outcome.restarts = testee.restarts;
    testee.stop();
    settle(&mut outcome, &asked, verdicts, cases, config);
    outcome.seconds = started.elapsed().as_secs_f64();
    outcome
}

/// Every group and every runtime stay in the short form.
fn shorten(asked: &mut Vec<Check>, ours: bool) {
    let mut n = 0;
    asked.retain(|check| {
        n += 1;
        let cut = check.name.rsplit_once("#cut-").and_then(|(_, at)| at.parse::<usize>().ok());
        cut.is_none_or(|at| at % 5 == 1) && (ours || n % 4 == 0)
    });
}

fn settle(outcome: &mut Outcome, asked: &[Check], verdicts: Vec<Option<Verdict>>, cases: &[Case], config: &Config) {
    let path = config.expected.join(format!("{}.txt", outcome.spec.name));
    let mut list = match List::load(&path) {
        Ok(list) => list,
        Err(why) => {
            outcome.list_faults.push(why);
            List::default()
        }
    };
    let mut failures = BTreeMap::new();
    let mut ran = BTreeSet::new();
    for (check, verdict) in asked.iter().zip(&verdicts) {
        ran.insert(check.name.clone());
        if let Some(Verdict::Fail(said)) = verdict {
            failures.insert(check.name.clone(), said.clone());
        }
    }
    if config.fix && !outcome.spec.ours {
        let fixed = list.fixed(&failures, &ran);
        if fixed.text() != list.text()
            && let Err(e) = std::fs::write(&path, fixed.text())
        {
            outcome.list_faults.push(format!("{}: {e}", path.display()));
        }
        list = List::load(&path).unwrap_or_default();
    }
    if outcome.spec.ours && list.len() > 0 {
        outcome.list_faults.push(format!("{}: a list of our own is empty, not {} long", path.display(), list.len()));
    }
    for name in list.names() {
        if ran.contains(name) && !failures.contains_key(name) {
            outcome.list_faults.push(format!("unexpected pass: {name}"));
        }
    }
    for (check, verdict) in asked.iter().zip(verdicts) {
        let verdict = verdict.expect("judged or not asked");
        let count = outcome.groups.entry(cases[check.case].group().to_owned()).or_default();
        let mut explained = None;
        match &verdict {
            Verdict::Pass => {
                count.passed += 1;
                continue;
            }
            Verdict::Skip(_) => count.skipped += 1,
            Verdict::Fail(_) => match list.find(&check.name).filter(|s| s.reason != UNEXPLAINED) {
                Some(section) => {
                    count.explained += 1;
                    explained = Some((section.reason.clone(), section.see.clone()));
                }
                None => count.failed += 1,
            },
        }
        outcome.findings.push(Finding { check: check.name.clone(), case: check.case, verdict, explained });
    }
}

/// Reads the list of testees: `testees.json` in the conformance folder.
pub fn specs(path: &Path) -> Result<Vec<Spec>, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let json: Json = serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut out = Vec::new();
    for entry in json.as_array().ok_or("testees.json is an array")? {
        let name = entry["name"].as_str().ok_or("a testee has a name")?;
        let command: Vec<String> =
            entry["command"].as_array().into_iter().flatten().filter_map(|v| v.as_str().map(str::to_owned)).collect();
        let env = entry["env"].as_object().into_iter().flatten();
        out.push(Spec {
            name: name.to_owned(),
            command,
            env: env.map(|(k, v)| (k.clone(), v.as_str().unwrap_or_default().to_owned())).collect(),
            ours: entry["ours"] == true,
        });
    }
    Ok(out)
}
