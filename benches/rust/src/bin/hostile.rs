//! Feeds hostile messages to the core and measures time and memory: `cargo run --release --bin hostile [--stack KIB]`.
//!
//! Every case runs in a process of its own, on a thread with a small stack (256 KiB unless said otherwise), so that the
//! peak of one cannot hide in another's, and a crash is one line of the table. Memory is the growth of the process's
//! peak (VmHWM) during the call: the input itself is not counted. Exits with 1 when a case crashes, gives no coded error
//! where it must, takes a second, or grows by 64 MB.
//!
//! Not a fuzzer: these are the shapes of input that are built to hurt, by hand.

use std::process::Command;
use std::time::{Duration, Instant};

use samewire::buffer::Buffer;
use samewire::visit::Nothing;
use samewire::{Error, Options, json, msgpack, value};

const SECOND: Duration = Duration::from_secs(1);
const MEMORY: u64 = 64 << 20;

#[derive(Clone, Copy, PartialEq)]
enum Format {
    MessagePack,
    Json,
}

struct Case {
    name: String,
    format: Format,
    input: Box<dyn Fn() -> Vec<u8>>,
    expect: Expect,
}

#[derive(Clone, Copy, PartialEq)]
enum Expect {
    /// Refused, in no more memory than the bound, however large the input is.
    Refused,
    /// Refused in the end, after so much real content that memory may grow with the input.
    RefusedLate,
    /// Valid after all: only its size or shape is hostile.
    Read,
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let value_of = |flag: &str| args.iter().position(|a| a == flag).and_then(|i| args.get(i + 1));
    let stack: usize = value_of("--stack").map_or(256, |s| s.parse().expect("--stack takes KiB"));
    if let Some(index) = value_of("--case") {
        let operation = value_of("--operation").expect("--operation");
        return child(index.parse().expect("an index"), operation, stack << 10);
    }
    let mut bad = 0;
    let mut count = 0;
    println!("each on a thread of {stack} KiB; memory: growth of the peak during the call, without the input\n");
    println!("{:44} {:11} {:>10} {:>10} {:>9}  result", "input", "operation", "bytes", "time", "memory");
    for (index, case) in cases().into_iter().enumerate() {
        for operation in OPERATIONS {
            let me = std::env::current_exe().expect("our own path");
            let out = Command::new(me)
                .args(["--case", &index.to_string(), "--operation", operation, "--stack", &stack.to_string()])
                .output()
                .expect("a child can be started");
            let text = String::from_utf8_lossy(&out.stdout);
            let fields: Vec<&str> = text.trim().split('\t').collect();
            count += 1;
            let [bytes, nanos, grown, result] = fields[..] else {
                bad += 1;
                println!("{:44} {operation:11} CRASHED: {}", case.name, out.status);
                continue;
            };
            let nanos = Duration::from_nanos(nanos.parse().expect("nanoseconds"));
            let grown: u64 = grown.parse().expect("bytes");
            let mut why = Vec::new();
            if (result == "ok") != (case.expect == Expect::Read) {
                why.push(if result == "ok" { "must be refused" } else { "must be read" });
            }
            if nanos >= SECOND {
                why.push("slow");
            }
            let share = if case.expect == Expect::Refused { 0 } else { 64 * bytes.parse::<u64>().expect("bytes") };
            if grown >= MEMORY.max(share) {
                why.push("memory");
            }
            bad += usize::from(!why.is_empty());
            println!(
                "{:44} {operation:11} {bytes:>10} {:>8.2} ms {:>6.1} MB  {result}{}",
                case.name,
                nanos.as_secs_f64() * 1e3,
                grown as f64 / f64::from(1 << 20),
                if why.is_empty() { String::new() } else { format!("   ← {}", why.join(", ")) }
            );
        }
    }
    println!("\n{} passed, {bad} failed", count - bad);
    std::process::exit(i32::from(bad > 0));
}

const OPERATIONS: [&str; 3] = ["validate", "value", "transcode"];

fn child(index: usize, operation: &str, stack: usize) {
    let case = cases().swap_remove(index);
    let input = (case.input)();
    let format = case.format;
    let operation = operation.to_owned();
    let bytes = input.len();
    let before = peak();
    let work = move || {
        let start = Instant::now();
        let result = run(format, &operation, &input);
        (start.elapsed(), result)
    };
    let thread = std::thread::Builder::new().stack_size(stack).spawn(work).expect("a thread");
    let (time, result) = thread.join().expect("no panic");
    let text = match result {
        Ok(()) => "ok".to_owned(),
        Err(e) => {
            let offset = e.offset().map_or(String::new(), |o| format!(" at {o}"));
            format!("{}{offset}", e.code())
        }
    };
    println!("{bytes}\t{}\t{}\t{text}", time.as_nanos(), peak().saturating_sub(before));
}

fn run(format: Format, operation: &str, input: &[u8]) -> Result<(), Error> {
    let options = Options::default();
    let buffer = || Buffer::with_capacity(0);
    match (format, operation) {
        (Format::MessagePack, "validate") => msgpack::read(input, &options, &mut Nothing),
        (Format::MessagePack, "value") => msgpack::read(input, &options, &mut value::Builder).map(drop),
        (Format::MessagePack, _) => {
            msgpack::read(input, &options, &mut json::Writer::new(buffer(), &options)).map(drop)
        }
        (Format::Json, "validate") => json::read(input, &options, &mut Nothing),
        (Format::Json, "value") => json::read(input, &options, &mut value::Builder).map(drop),
        (Format::Json, _) => json::read(input, &options, &mut msgpack::Writer::new(buffer(), &options)).map(drop),
    }
}

/// The process's peak resident size in bytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux's /proc");
    let line = status.lines().find(|l| l.starts_with("VmHWM:")).expect("VmHWM");
    line.split_whitespace().nth(1).and_then(|n| n.parse::<u64>().ok()).expect("a number of KiB") << 10
}

fn cases() -> Vec<Case> {
    let mut out = Vec::new();
    let mut add = |format, name: &str, expect, input: Box<dyn Fn() -> Vec<u8>>| {
        out.push(Case { name: name.to_owned(), format, input, expect });
    };
    use Expect::{Read, Refused, RefusedLate};
    use Format::{Json, MessagePack};

    // Every header with a length of its own, claiming all it can, with nothing behind it and with a megabyte behind it.
    let headers: [(&str, u8, usize); 14] = [
        ("str 8", 0xd9, 1),
        ("str 16", 0xda, 2),
        ("str 32", 0xdb, 4),
        ("bin 8", 0xc4, 1),
        ("bin 16", 0xc5, 2),
        ("bin 32", 0xc6, 4),
        ("ext 8", 0xc7, 1),
        ("ext 16", 0xc8, 2),
        ("ext 32", 0xc9, 4),
        ("array 16", 0xdc, 2),
        ("array 32", 0xdd, 4),
        ("map 16", 0xde, 2),
        ("map 32", 0xdf, 4),
        ("fixmap", 0x8f, 0),
    ];
    for (name, marker, width) in headers {
        let claim = move |tail: usize| {
            let mut v = vec![marker];
            v.extend(std::iter::repeat_n(0xff, width));
            v.extend(std::iter::repeat_n(0xc0, tail));
            v
        };
        add(MessagePack, &format!("{name} claims all it can, empty"), Refused, Box::new(move || claim(0)));
        if width == 4 {
            add(MessagePack, &format!("{name} claims all it can, 1 MB"), Refused, Box::new(move || claim(1 << 20)));
        }
    }

    // Each level claims as many elements as the rest of the input has bytes: plausible alone, ruinous together. What is
    // really there is one long byte string.
    let multiply = |marker: u8, levels: usize, tail: usize| {
        let each = if marker == 0xdf { 6 } else { 5 };
        let total = each * levels + tail;
        let mut v = Vec::with_capacity(total);
        for i in 0..levels {
            let rest = total - each * i - 5;
            v.push(marker);
            v.extend((if marker == 0xdf { rest / 2 } else { rest } as u32).to_be_bytes());
            if marker == 0xdf {
                v.push(0xa0);
            }
        }
        v.push(0xc6);
        v.extend((tail as u32 - 5).to_be_bytes());
        v.resize(total, 0);
        v
    };
    add(MessagePack, "nested arrays, claims multiply, 1 MB", Refused, Box::new(move || multiply(0xdd, 500, 1 << 20)));
    add(MessagePack, "nested maps, claims multiply, 1 MB", Refused, Box::new(move || multiply(0xdf, 500, 1 << 20)));
    add(MessagePack, "nested arrays, claims multiply, 32 MB", Refused, Box::new(move || multiply(0xdd, 500, 32 << 20)));

    // Depth.
    let repeat = |unit: &'static [u8], n: usize| move || unit.repeat(n);
    add(MessagePack, "arrays, depth 1,000,000", Refused, Box::new(repeat(&[0x91], 1_000_000)));
    add(MessagePack, "maps, depth 1,000,000", Refused, Box::new(repeat(&[0x81, 0xa0], 1_000_000)));
    add(MessagePack, "100 MB of 0x91", Refused, Box::new(repeat(&[0x91], 100_000_000)));
    add(Json, "[ 1,000,000 times", Refused, Box::new(repeat(b"[", 1_000_000)));
    add(Json, "{\"\": 1,000,000 times", Refused, Box::new(repeat(b"{\"\":", 1_000_000)));
    add(Json, "100 MB of [", Refused, Box::new(repeat(b"[", 100_000_000)));
    let nested = |open: &'static [u8], middle: &'static [u8], close: &'static [u8]| {
        move || [open.repeat(512), middle.to_vec(), close.repeat(512)].concat()
    };
    add(MessagePack, "arrays, depth 512: the limit", Read, Box::new(|| [vec![0x91; 511], vec![0x90]].concat()));
    add(MessagePack, "arrays, depth 513", Refused, Box::new(|| [vec![0x91; 512], vec![0x90]].concat()));
    add(MessagePack, "maps, depth 512: the limit", Read, Box::new(|| [[0x81, 0xa0].repeat(511), vec![0x80]].concat()));
    add(Json, "[ depth 512: the limit", Read, Box::new(nested(b"[", b"", b"]")));
    add(Json, "[ depth 513", Refused, Box::new(|| [b"[".repeat(513), b"]".repeat(513)].concat()));
    add(Json, "{\"a\": depth 512: the limit", Read, Box::new(nested(b"{\"a\":", b"1", b"}")));

    // Long things without an end.
    add(Json, "100 MB string without an end", Refused, Box::new(|| [b"\"".to_vec(), vec![b'a'; 100_000_000]].concat()));
    add(Json, "100 MB of white space", Refused, Box::new(repeat(b" ", 100_000_000)));
    add(
        Json,
        "10 MB of escapes, then half a pair",
        Refused,
        Box::new(|| [b"[\"".to_vec(), b"\\n".repeat(5_000_000), b"\\ud800\"]".to_vec()].concat()),
    );

    // Numbers that look expensive.
    add(Json, "1 MB of digits, then a letter", Refused, Box::new(|| [vec![b'7'; 1 << 20], b"x".to_vec()].concat()));
    add(Json, "fraction of 1 MB of digits", Read, Box::new(|| [b"0.".to_vec(), vec![b'7'; 1 << 20]].concat()));
    add(Json, "1e999999999", Refused, Box::new(|| b"1e999999999".to_vec()));
    add(Json, "exponent of 1 MB of digits", Refused, Box::new(|| [b"1e".to_vec(), vec![b'9'; 1 << 20]].concat()));
    let halfway = || {
        [b"[".to_vec(), b"9007199254740993.00000000000000000000000000000000000001,".repeat(100_000), b"1]".to_vec()]
            .concat()
    };
    add(Json, "100,000 doubles next to a tie", Read, Box::new(halfway));

    // Many keys, the last one a duplicate: finding it must not compare each with each.
    let keys = |n: usize| {
        let mut v = vec![0xdf];
        v.extend((n as u32 + 1).to_be_bytes());
        for i in (0..n).chain([7]) {
            v.push(0xa8);
            v.extend(format!("{i:08}").into_bytes());
            v.push(0xc0);
        }
        v
    };
    add(MessagePack, "500,000 keys, then one of them again", RefusedLate, Box::new(move || keys(500_000)));
    let json_keys = |n: usize| {
        let mut v = String::from("{");
        for i in (0..n).chain([7]) {
            v.push_str(&format!("\"{i:08}\":0,"));
        }
        v.pop();
        v + "}"
    };
    add(
        Json,
        "JSON, 500,000 keys, then one of them again",
        RefusedLate,
        Box::new(move || json_keys(500_000).into_bytes()),
    );
    add(
        MessagePack,
        "20,000 maps of one shape, the last duplicate",
        Refused,
        Box::new(|| {
            let mut v = vec![0xdc, 0x4e, 0x20];
            for i in 0..20_000 {
                v.extend([0x82, 0xa1, b'a', 0x01, 0xa1, if i == 19_999 { b'a' } else { b'b' }, 0x02]);
            }
            v
        }),
    );
    out
}
