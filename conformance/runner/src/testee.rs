//! One testee as a process: starting it, asking it in batches, and surviving what it does.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::case::parse;

/// Requests on one line.
const BATCH: usize = 128;
/// What a program that cannot run here exits with before it has answered anything.
const ABSENT: i32 = 77;

/// What `hello` says of a testee.
#[derive(Clone, Debug, Default)]
pub struct Hello {
    pub version: String,
    pub runtime: String,
    pub host: String,
    pub formats: Vec<String>,
    pub ops: Vec<String>,
    /// Options that it knows; `*` is all of them.
    pub options: Vec<String>,
    /// Writes exactly our bytes, and reports our codes, offsets and paths.
    pub strict: bool,
    pub unordered_maps: bool,
    /// Values with these tags are not asked: the library has no such kind.
    pub lacks: Vec<String>,
}

/// One answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    Ok(Json),
    Error {
        code: String,
        offset: Option<u64>,
        path: Option<String>,
        message: String,
    },
    /// The values of a stream before its error.
    Stream(Vec<Json>, Option<Box<Answer>>),
    Skipped(String),
    Crash(String),
    TimeOut,
    /// Not in the protocol.
    Nonsense(String),
}

/// How to start a testee.
#[derive(Clone, Debug)]
pub struct Spec {
    pub name: String,
    pub command: Vec<String>,
    pub env: Vec<(String, String)>,
    pub ours: bool,
}

/// Why a testee gave no answers at all.
#[derive(Debug)]
pub enum Missing {
    Absent(String),
    Broken(String),
}

pub struct Testee {
    spec: Spec,
    timeout: Duration,
    process: Option<Process>,
    pub hello: Hello,
    pub restarts: u32,
}

struct Process {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    complaints: Receiver<String>,
}

impl Testee {
    pub fn start(spec: &Spec, folder: &Path, timeout: Duration) -> Result<Testee, Missing> {
        let mut testee = Testee { spec: spec.clone(), timeout, process: None, hello: Hello::default(), restarts: 0 };
        testee.spawn(folder)?;
        let answer = testee.line(&json!([{"op": "hello", "protocol": 1}]), Duration::from_secs(60));
        let answer = match answer {
            Ok(mut list) if list.len() == 1 => list.remove(0),
            Ok(_) => return Err(Missing::Broken("hello wants one answer".into())),
            Err(Answer::Crash(why)) => {
                let code = testee.process.take().and_then(|mut p| p.child.wait().ok()).and_then(|s| s.code());
                let why = if why.is_empty() { format!("exited with {code:?}") } else { why };
                return Err(if code == Some(ABSENT) { Missing::Absent(why) } else { Missing::Broken(why) });
            }
            Err(other) => return Err(Missing::Broken(format!("{other:?}"))),
        };
        let text = |key: &str| answer["ok"][key].as_str().unwrap_or_default().to_owned();
        let list = |key: &str| -> Vec<String> {
            answer["ok"][key].as_array().into_iter().flatten().filter_map(|v| v.as_str().map(str::to_owned)).collect()
        };
        testee.hello = Hello {
            version: text("version"),
            runtime: text("runtime"),
            host: text("host"),
            formats: list("formats"),
            ops: list("ops"),
            options: list("options"),
            strict: answer["ok"]["strict"] == true,
            unordered_maps: answer["ok"]["unordered_maps"] == true,
            lacks: list("lacks"),
        };
        if testee.hello.formats.is_empty() || testee.hello.ops.is_empty() {
            return Err(Missing::Broken(format!("hello names no formats or ops: {answer}")));
        }
        Ok(testee)
    }

    fn spawn(&mut self, folder: &Path) -> Result<(), Missing> {
        let (program, arguments) =
            self.spec.command.split_first().ok_or_else(|| Missing::Broken("no command".into()))?;
        let mut command = Command::new(program);
        command.args(arguments).envs(self.spec.env.iter().map(|(k, v)| (k, v))).current_dir(folder);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|e| Missing::Absent(format!("{program}: {e}")))?;
        let stdout = child.stdout.take().expect("piped");
        let (to, lines) = channel();
        std::thread::spawn(move || {
            let mut reader = BufReader::new(stdout);
            let mut line = String::new();
            while reader.read_line(&mut line).is_ok_and(|n| n > 0) && to.send(std::mem::take(&mut line)).is_ok() {}
        });
        let mut stderr = child.stderr.take().expect("piped");
        let (to, complaints) = channel();
        std::thread::spawn(move || {
            let mut all = Vec::new();
            let _ = stderr.read_to_end(&mut all);
            let text = String::from_utf8_lossy(&all);
            let start = text.len().saturating_sub(2000);
            let start = (start..=text.len()).find(|i| text.is_char_boundary(*i)).unwrap_or(0);
            let _ = to.send(text[start..].trim().to_owned());
        });
        self.process = Some(Process { stdin: child.stdin.take(), child, lines, complaints });
        Ok(())
    }

    /// Sends one line and waits for one.
    fn line(&mut self, requests: &Json, timeout: Duration) -> Result<Vec<Json>, Answer> {
        let process = self.process.as_mut().expect("started");
        let stdin = process.stdin.as_mut().expect("piped");
        let mut text = requests.to_string();
        text.push('\n');
        let sent = stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush());
        let line = match process.lines.recv_timeout(timeout) {
            Ok(line) => line,
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => return Err(Answer::TimeOut),
            Err(_) => {
                let why = process.complaints.recv_timeout(Duration::from_secs(5)).unwrap_or_default();
                return Err(Answer::Crash(if sent.is_err() && why.is_empty() {
                    "closed its input".into()
                } else {
                    why
                }));
            }
        };
        match parse(&line) {
            Ok(Json::Array(list)) => Ok(list),
            _ => Err(Answer::Nonsense(line.chars().take(300).collect())),
        }
    }

    /// Asks all of it. A batch that fails as a whole is asked again one by one, in a new process each time that
    /// one fails.
    pub fn ask(&mut self, requests: &[&Json], folder: &Path) -> Vec<Answer> {
        let mut out = Vec::with_capacity(requests.len());
        for batch in requests.chunks(BATCH) {
            match self.try_batch(batch, folder, self.timeout) {
                Ok(answers) => out.extend(answers),
                Err(_) => {
                    for one in batch {
                        let single = self.try_batch(std::slice::from_ref(one), folder, self.timeout);
                        out.push(single.map_or_else(|why| why, |mut list| list.remove(0)));
                    }
                }
            }
        }
        out
    }

    fn try_batch(&mut self, batch: &[&Json], folder: &Path, timeout: Duration) -> Result<Vec<Answer>, Answer> {
        if self.process.is_none() {
            self.restarts += 1;
            self.spawn(folder).map_err(|e| Answer::Crash(format!("{e:?}")))?;
        }
        let line = self.line(&Json::Array(batch.iter().map(|r| (*r).clone()).collect()), timeout);
        let result = match line {
            Ok(list) if list.len() == batch.len() => return Ok(list.iter().map(answer).collect()),
            Ok(list) => Err(Answer::Nonsense(format!("{} answers to {} requests", list.len(), batch.len()))),
            Err(why) => Err(why),
        };
        self.stop();
        result
    }

    /// Ends the process.
    pub fn stop(&mut self) {
        if let Some(mut process) = self.process.take() {
            drop(process.stdin.take());
            for _ in 0..20 {
                if matches!(process.child.try_wait(), Ok(Some(_))) {
                    return;
                }
                std::thread::sleep(Duration::from_millis(10));
            }
            let _ = process.child.kill();
            let _ = process.child.wait();
        }
    }
}

impl Drop for Testee {
    fn drop(&mut self) {
        self.stop();
    }
}

fn answer(json: &Json) -> Answer {
    let error = |e: &Json| Answer::Error {
        code: e["code"].as_str().unwrap_or_default().to_owned(),
        offset: e["offset"].as_u64(),
        path: e["path"].as_str().map(str::to_owned),
        message: e["message"].as_str().unwrap_or_default().to_owned(),
    };
    if let Some(values) = json.get("values").and_then(Json::as_array) {
        return Answer::Stream(values.clone(), json.get("error").filter(|e| !e.is_null()).map(|e| Box::new(error(e))));
    }
    if let Some(e) = json.get("error") {
        return error(e);
    }
    if let Some(reason) = json.get("skipped") {
        return Answer::Skipped(reason.as_str().unwrap_or_default().to_owned());
    }
    match json.get("ok") {
        Some(ok) => Answer::Ok(ok.clone()),
        None => Answer::Nonsense(json.to_string().chars().take(300).collect()),
    }
}
