//! Interleaved rounds, and the record they leave. Statistics and tables are `benches/common.py`'s, for every language alike.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::io::IsTerminal;
use std::time::Duration;

/// Runs the contestant over all instances, the given number of times, and says how long that took.
type Run = Box<dyn FnMut(usize) -> Duration>;

pub struct Cell {
    pub op: &'static str,
    pub payload: String,
    pub key: bool,
    pub bytes: usize,
    count: usize,
    runs: Vec<(String, Run)>,
    pub failed: BTreeMap<String, String>,
}

/// What this thread has used of the processor: unlike wall time, it does not see that others used the machine.
fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes one timespec to the address given, which is one of our own.
    let result = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    assert_eq!(result, 0, "no clock for the thread's processor time");
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

impl Cell {
    pub fn new(op: &'static str, payload: &str, key: bool, inputs: &[&[u8]]) -> Self {
        Cell {
            op,
            payload: payload.to_owned(),
            key,
            bytes: inputs.iter().map(|i| i.len()).sum::<usize>() / inputs.len(),
            count: inputs.len(),
            runs: Vec::new(),
            failed: BTreeMap::new(),
        }
    }

    /// Adds a contestant, if it gives the right output for every input; otherwise notes what is wrong with it.
    pub fn add<I: 'static, O>(
        &mut self,
        name: &str,
        inputs: &'static [I],
        call: impl Fn(&'static I) -> Result<O, String> + 'static,
        right: impl Fn(usize, &O) -> bool,
    ) {
        for (i, input) in inputs.iter().enumerate() {
            let wrong = match call(input) {
                Ok(output) if right(i, &output) => continue,
                Ok(_) => format!("wrong output for instance {i}"),
                Err(e) => e,
            };
            self.failed.insert(name.to_owned(), wrong);
            return;
        }
        let run = move |passes: usize| {
            let start = processor_time();
            for _ in 0..passes {
                for input in inputs {
                    // The output is dropped inside: freeing it is part of what a caller pays.
                    _ = black_box(call(black_box(input)));
                }
            }
            processor_time() - start
        };
        self.runs.push((name.to_owned(), Box::new(run)));
    }
}

/// One contestant of one cell, run a fixed number of times and not timed: for a tool that counts instructions.
pub struct Once {
    pub id: String,
    pub contestant: String,
    pub passes: usize,
}

pub struct Race {
    pub filter: Vec<String>,
    pub once: Option<Once>,
    pub rounds: usize,
    pub budget: Duration,
    pub done: Vec<serde_json::Value>,
}

impl Race {
    pub fn wants(&self, op: &str, payload: &str) -> bool {
        let id = format!("Rust/{op}/{payload}");
        if let Some(once) = &self.once {
            return once.id == id;
        }
        self.filter.is_empty() || self.filter.iter().any(|f| id.contains(f.as_str()))
    }

    pub fn run(&mut self, mut cell: Cell) {
        if !self.wants(cell.op, &cell.payload) {
            return;
        }
        if let Some(once) = &self.once {
            let run = cell.runs.iter_mut().find(|(name, _)| *name == once.contestant);
            let (_, run) = run.unwrap_or_else(|| panic!("{} does not run: {:?}", once.contestant, cell.failed));
            run(once.passes);
            println!("{}", once.passes * cell.count);
            return;
        }
        if std::io::stderr().is_terminal() {
            eprint!("\r{:60}\r", format!("{}/{}", cell.op, cell.payload));
        }
        let n = cell.runs.len();
        let mut passes = vec![1; n];
        for (i, (_, run)) in cell.runs.iter_mut().enumerate() {
            run(1);
            let once = (0..3).map(|_| run(1)).min().unwrap_or_default().max(Duration::from_nanos(1));
            passes[i] = (self.budget.as_nanos() / once.as_nanos()).clamp(1, 1_000_000) as usize;
        }
        let mut rounds: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        let mut order: Vec<usize> = (0..n).collect();
        let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
        for _ in 0..self.rounds {
            for i in (1..n).rev() {
                seed ^= seed << 13;
                seed ^= seed >> 7;
                seed ^= seed << 17;
                order.swap(i, (seed % (i as u64 + 1)) as usize);
            }
            for &i in &order {
                let (name, run) = &mut cell.runs[i];
                let each = run(passes[i]).as_nanos() as f64 / (passes[i] * cell.count) as f64;
                rounds.entry(name.clone()).or_default().push((each * 100.0).round() / 100.0);
            }
        }
        self.done.push(serde_json::json!({
            "id": format!("Rust/{}/{}", cell.op, cell.payload), "op": cell.op, "payload": cell.payload, "runtime": "Rust",
            "key": cell.key, "ours": "samewire", "rounds": rounds, "failed": cell.failed, "bytes": cell.bytes,
        }));
    }
}
