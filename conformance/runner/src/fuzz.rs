//! Differential fuzzing: the same generated values and the same broken inputs through all of our runtimes at once.
//! Any two that differ in bytes, value, error code, offset or path are a failure; its input is made small and saved.

use std::collections::BTreeMap;
use std::time::Instant;

use serde_json::{Value as Json, json};

use crate::case;
use crate::judge::shown;
use crate::options::Arguments;
use crate::testee::{Answer, Testee};
use crate::value::{Value, hex, unhex};

/// SplitMix64: small, and the same inputs for a seed on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

struct Input {
    request: Json,
    /// The bytes that are read, for making them small.
    bytes: Option<Vec<u8>>,
}

struct Runtimes {
    testees: Vec<(String, String, Testee)>,
    folder: std::path::PathBuf,
}

pub fn run(arguments: &Arguments) -> Result<bool, String> {
    let config = &arguments.config;
    let mut runtimes = Runtimes { testees: Vec::new(), folder: config.folder.clone() };
    let mut absent = 0;
    for spec in arguments.specs()?.iter().filter(|s| s.ours) {
        match Testee::start(spec, &config.folder, config.timeout) {
            Ok(testee) => runtimes.testees.push((spec.name.clone(), testee.hello.host.clone(), testee)),
            Err(why) => {
                println!("{}: {why:?}", spec.name);
                absent += 1;
            }
        }
    }
    if runtimes.testees.len() < 2 {
        return Err("two runtimes at least are needed to differ".into());
    }
    let names: Vec<&str> = runtimes.testees.iter().map(|t| t.0.as_str()).collect();
    println!("{} inputs, seed {}, through {}", arguments.count, arguments.seed, names.join(", "));
    let mut corpus = corpus(&case::load(&arguments.vectors)?);
    let mut random = Random(arguments.seed);
    let (started, mut done, mut differing) = (Instant::now(), 0, 0);
    let mut seen = BTreeMap::new();
    while done < arguments.count {
        let n = arguments.chunk.min(arguments.count - done) as usize;
        let inputs: Vec<Input> = (0..n).map(|_| input(&mut random, &corpus)).collect();
        let answers = runtimes.ask(&inputs.iter().map(|i| &i.request).collect::<Vec<_>>());
        for (i, input) in inputs.iter().enumerate() {
            let here: Vec<&Answer> = answers.iter().map(|list| &list[i]).collect();
            if let (Answer::Ok(Json::String(text)), "encode") = (here[0], input.request["op"].as_str().unwrap_or("")) {
                let format = if input.request["format"] == "json" { 1 } else { 0 };
                if corpus[format].len() < 20_000 {
                    corpus[format].extend(unhex(text).ok());
                }
            }
            let Some(why) = runtimes.differ(&here) else { continue };
            differing += 1;
            // One finding for each kind of difference is made small; the rest are counted.
            let kind = format!("{} {why}", input.request["op"]);
            let count = seen.entry(kind.clone()).or_insert(0u64);
            *count += 1;
            if *count == 1 && seen.len() <= 40 {
                save(&mut runtimes, input, &kind, &config.folder)?;
            }
        }
        done += n as u64;
        if done % (arguments.chunk * 10) == 0 || done == arguments.count {
            let rate = done as f64 / started.elapsed().as_secs_f64();
            println!("{done} inputs, {differing} differ, {rate:.0} a second");
        }
    }
    for (kind, n) in &seen {
        println!("{n} × {kind}");
    }
    println!("{} passed, {differing} failed, {absent} skipped", arguments.count - differing);
    Ok(differing == 0)
}

/// Inputs to break: every encoding in the vectors, by format.
fn corpus(cases: &[case::Case]) -> [Vec<Vec<u8>>; 2] {
    let mut out = [Vec::new(), Vec::new()];
    for (index, case) in cases.iter().enumerate().filter(|(_, c)| !c.is_schema()) {
        for check in case::checks(index, case, "rust").unwrap_or_default() {
            let Some(Ok(bytes)) = check.request["input"].as_str().map(unhex) else { continue };
            match check.request["format"].as_str() {
                Some("msgpack") if bytes.len() < 2000 => out[0].push(bytes),
                Some("json") if bytes.len() < 2000 => out[1].push(bytes),
                _ => {}
            }
        }
    }
    out
}

const OPTIONS: &[(&str, &[&str])] = &[
    ("duplicate_keys", &["\"last\"", "\"first\""]),
    ("invalid_utf8", &["\"replace\"", "\"bytes\""]),
    ("lone_surrogates", &["\"replace\""]),
    ("map_keys", &["\"stringify\""]),
    ("max_depth", &["0", "1", "3"]),
    ("max_items", &["0", "1", "5", "20"]),
    ("max_bytes", &["4", "40"]),
];

fn input(random: &mut Random, corpus: &[Vec<Vec<u8>>; 2]) -> Input {
    let format = random.below(2);
    let (name, other) = [("msgpack", "json"), ("json", "msgpack")][format];
    if random.below(5) == 0 {
        let value = value(random, 4);
        return Input {
            request: json!({"op": "encode", "format": name, "value": value.to_tagged(), "options": {}}),
            bytes: None,
        };
    }
    let bytes = broken(random, &corpus[format], format == 1);
    let mut options = json!({});
    for _ in 0..random.below(3).saturating_sub(1) + usize::from(random.below(3) == 0) {
        let (option, values) = random.pick(OPTIONS);
        options[*option] = serde_json::from_str(random.pick::<&str>(values)).expect("JSON");
    }
    let request = match random.below(6) {
        0 => json!({"op": "transcode", "from": name, "to": other, "input": hex(&bytes), "options": options}),
        1 => json!({"op": "validate", "format": name, "input": hex(&bytes), "options": options}),
        _ => json!({"op": "decode", "format": name, "input": hex(&bytes), "options": options}),
    };
    Input { request, bytes: Some(bytes) }
}

/// A value that every host holds as it is, and every format writes.
fn value(random: &mut Random, depth: usize) -> Value {
    match random.below(if depth == 0 { 8 } else { 11 }) {
        0 => Value::Null,
        1 => Value::Bool(random.below(2) == 0),
        2 => Value::Int(((random.next() >> random.below(64)) as i64).to_string()),
        3 => Value::Int((random.next() >> random.below(64)).to_string()),
        4 | 5 => loop {
            let v = Value::float(f64::from_bits(random.next()));
            let fits = matches!(&v, Value::Float(b) if f64::from_bits(*b).is_finite()) && v.on_host("javascript") == v;
            if fits {
                break v;
            }
        },
        6 | 7 => text(random),
        8 => Value::Array((0..random.below(7)).map(|_| value(random, depth - 1)).collect()),
        9 => {
            // One shape, many times: what caches live on.
            let keys: Vec<String> = (0..1 + random.below(5)).map(|i| format!("k{}{i}", random.below(4))).collect();
            let object = |r: &mut Random| {
                Value::Map(keys.iter().map(|k| (Value::text(k), value(r, depth.saturating_sub(2)))).collect())
            };
            Value::Array((0..random.below(6)).map(|_| object(random)).collect())
        }
        _ => {
            let mut pairs: Vec<(Value, Value)> = Vec::new();
            for i in 0..random.below(8) {
                let key = Value::text(&format!("{}_{i}", text(random).as_text().unwrap_or("")));
                pairs.push((key, value(random, depth - 1)));
            }
            Value::Map(pairs)
        }
    }
}

fn text(random: &mut Random) -> Value {
    let n = [3, 12, 40, 200][random.below(4)];
    let wide = random.below(4);
    let char_of = |r: &mut Random| match (wide, r.below(6)) {
        (0, _) | (_, 0) => char::from(b' ' + r.below(95) as u8),
        (1, _) => char::from_u32(0x80 + r.below(0x780) as u32).unwrap_or('é'),
        (2, _) => char::from_u32(r.below(0x1_0000) as u32).unwrap_or('日'),
        _ => char::from_u32(r.below(0x11_0000) as u32).unwrap_or('😀'),
    };
    Value::text(&(0..random.below(n)).map(|_| char_of(random)).collect::<String>())
}

fn broken(random: &mut Random, corpus: &[Vec<u8>], text: bool) -> Vec<u8> {
    const PIECES: &[&str] = &[
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        "\"",
        "\\u",
        "\\ud800",
        "\\",
        "0",
        "-",
        ".",
        "e5",
        "1e400",
        "null",
        "tru",
        " ",
        "\n",
        "\u{e9}",
        "{\"a\":1,\"a\":2}",
    ];
    let mut bytes = random.pick(corpus).clone();
    for _ in 0..1 + random.below(3) {
        let at = random.below(bytes.len() + 1);
        let end = (at + 1 + random.below(4)).min(bytes.len());
        match random.below(9) {
            0 => bytes.truncate(at),
            1 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            2 if at < bytes.len() => bytes[at] = random.next() as u8,
            3 => bytes.insert(at, random.next() as u8),
            4 => drop(bytes.drain(at..end)),
            5 => {
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            6 if text => drop(bytes.splice(at..at, random.pick(PIECES).bytes())),
            7 => {
                let other = random.pick(corpus);
                let from = random.below(other.len() + 1);
                bytes.truncate(at);
                bytes.extend_from_slice(&other[from..]);
            }
            _ if at < bytes.len() => {
                bytes[at] = *random
                    .pick(&[0xc0, 0xc1, 0xd9, 0xda, 0xdc, 0xde, 0xc7, 0xd6, 0xff, 0x81, 0x92, 0xa1, 0xcb, 0xcf, 0xd3])
            }
            _ => bytes.push(random.next() as u8),
        }
    }
    bytes.truncate(4000);
    bytes
}

impl Runtimes {
    /// Asks every runtime at once.
    fn ask(&mut self, requests: &[&Json]) -> Vec<Vec<Answer>> {
        let folder = &self.folder;
        std::thread::scope(|scope| {
            let threads: Vec<_> = self
                .testees
                .iter_mut()
                .map(|(_, _, testee)| scope.spawn(move || testee.ask(requests, folder)))
                .collect();
            threads.into_iter().map(|t| t.join().expect("no thread panics")).collect()
        })
    }

    /// Who differs from the first, and how, if anyone does.
    fn differ(&self, answers: &[&Answer]) -> Option<String> {
        let (first_name, first_host, _) = &self.testees[0];
        for ((name, host, _), answer) in self.testees.iter().zip(answers).skip(1) {
            if !equal(answers[0], first_host, answer, host) {
                let kind = |a: &Answer| match a {
                    Answer::Error { code, .. } => code.clone(),
                    Answer::Ok(_) => "ok".into(),
                    other => shown(other).chars().take(40).collect(),
                };
                return Some(format!("{first_name} {} / {name} {}", kind(answers[0]), kind(answer)));
            }
        }
        None
    }
}

fn equal(a: &Answer, a_host: &str, b: &Answer, b_host: &str) -> bool {
    let out_of_range = |x: &Answer| matches!(x, Answer::Error { code, .. } if code == "timestamp-out-of-range");
    let value = |x: &Answer| match x {
        Answer::Ok(json) => Value::from_tagged(json).ok(),
        _ => None,
    };
    match (a, b) {
        (Answer::Skipped(_), _) | (_, Answer::Skipped(_)) => true,
        (Answer::Ok(x), Answer::Ok(y)) if x == y => true,
        (Answer::Ok(_), Answer::Ok(_)) => match (value(a), value(b)) {
            (Some(x), Some(y)) => x.on_host(a_host).on_host(b_host) == y.on_host(b_host).on_host(a_host),
            _ => false,
        },
        (Answer::Error { code, offset, path, .. }, Answer::Error { code: c, offset: o, path: p, .. })
            if !out_of_range(a) && !out_of_range(b) =>
        {
            (code, offset, path.as_deref().unwrap_or("")) == (c, o, p.as_deref().unwrap_or(""))
        }
        // A host's own times end earlier than another's; then its error may come before one that both have.
        (x, y) if out_of_range(x) || out_of_range(y) => {
            let fits = |x: &Answer, host: &str| value(x).is_none_or(|v| v.times_fit(host));
            out_of_range(x) && out_of_range(y)
                || !out_of_range(x) && (!fits(x, b_host) || matches!(x, Answer::Error { .. }))
                || !out_of_range(y) && (!fits(y, a_host) || matches!(y, Answer::Error { .. }))
        }
        _ => false,
    }
}

/// Makes an input small that still differs in the same way, and saves it with what everyone said. It is not a
/// vector yet: what is right must first be said by someone who reads the specification.
fn save(runtimes: &mut Runtimes, input: &Input, kind: &str, folder: &std::path::Path) -> Result<(), String> {
    let mut request = input.request.clone();
    if let Some(bytes) = &input.bytes {
        let mut bytes = bytes.clone();
        let (mut size, mut tries) = (bytes.len() / 2, 0);
        while size > 0 && tries < 300 {
            let mut at = 0;
            while at < bytes.len() && tries < 300 {
                let mut smaller = bytes.clone();
                smaller.drain(at..(at + size).min(bytes.len()));
                let mut attempt = request.clone();
                attempt["input"] = hex(&smaller).into();
                tries += 1;
                let answers = runtimes.ask(&[&attempt]);
                let here: Vec<&Answer> = answers.iter().map(|a| &a[0]).collect();
                if runtimes.differ(&here).is_some_and(|why| kind.ends_with(&why)) {
                    (bytes, request) = (smaller, attempt);
                } else {
                    at += size;
                }
            }
            size /= 2;
        }
    }
    let answers = runtimes.ask(&[&request]);
    let said: Vec<String> =
        runtimes.testees.iter().zip(&answers).map(|((name, ..), a)| format!("{name}: {}", shown(&a[0]))).collect();
    println!("DIFFERENCE {kind}\n  {request}\n  {}", said.join("\n  "));
    let found = folder.join("findings");
    std::fs::create_dir_all(&found).map_err(|e| e.to_string())?;
    let name: String = kind.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).take(80).collect();
    let body = json!({"request": request, "said": said});
    std::fs::write(found.join(format!("{name}.json")), format!("{body:#}\n")).map_err(|e| e.to_string())
}
