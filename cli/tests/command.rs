//! Real runs of the command.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use samewire::{Format, Options, Value, tagged, transcode};

/// A run in a folder, with `input` on standard input.
fn run_in(folder: &Path, args: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_samewire"))
        .args(args)
        .current_dir(folder)
        .env_remove("NO_COLOR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // In a thread of its own: a long output would block a long input. A command that ends early closes the pipe.
    let feeder = std::thread::spawn(move || {
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    output
}

fn run(args: &[&str], input: &[u8]) -> Output {
    run_in(Path::new("."), args, input)
}

/// What a run that succeeds prints.
fn out(args: &[&str], input: &[u8]) -> Vec<u8> {
    let done = run(args, input);
    assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
    assert!(done.stderr.is_empty(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
    done.stdout
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn stdout(done: &Output) -> &str {
    text(&done.stdout)
}

fn stderr(done: &Output) -> &str {
    text(&done.stderr)
}

/// One object of a script's output.
fn object(line: &str) -> Value {
    transcode::from_slice(Format::Json, line.as_bytes(), &Options::default()).unwrap()
}

const MESSAGE: &str = r#"{"model":"m","seed":18446744073709551615,"t":0.1,"list":[1,-0.0,"é",null]}"#;

#[test]
fn json_goes_to_msgpack_and_back() {
    let packed = out(&["convert"], MESSAGE.as_bytes());
    let expected = transcode::transcode(MESSAGE.as_bytes(), Format::Json, Format::MessagePack, &Options::default());
    assert_eq!(packed, expected.unwrap());
    assert_eq!(text(&out(&["convert"], &packed)), format!("{MESSAGE}\n"));
}

#[test]
fn many_values_are_a_stream() {
    let lines = b"{\"a\":1}\n\n[2]\n3\n";
    let packed = out(&["convert"], lines);
    assert_eq!(packed, b"\x81\xa1a\x01\x91\x02\x03");
    assert_eq!(out(&["convert"], &packed), b"{\"a\":1}\n[2]\n3\n");
    // Without white space between them, too.
    assert_eq!(out(&["convert", "--to", "msgpack"], b"{}[]\"x\" 1"), b"\x80\x90\xa1x\x01");
    assert_eq!(out(&["convert", "--to", "jsonl", "--split"], b"[1,{\"a\":[2]},\"x\"]"), b"1\n{\"a\":[2]}\n\"x\"\n");
    assert_eq!(out(&["convert", "--to", "json", "--indent", "2"], b"\x81\xa1a\x01"), b"{\n  \"a\": 1\n}\n");
}

#[test]
fn a_chunk_may_end_anywhere() {
    // Values of many sizes over several chunks of input.
    let mut lines = String::new();
    for i in 0..20_000 {
        lines += &format!("{{\"id\":{i},\"text\":\"{}\"}}\n", "é".repeat(i % 97));
    }
    lines += &format!("\"{}\"\n", "x".repeat(600_000));
    let packed = out(&["convert"], lines.as_bytes());
    assert_eq!(out(&["convert"], &packed), lines.as_bytes());
}

#[test]
fn tagged_json_keeps_everything() {
    let every = b"\x89\xa1n\xcb\x7f\xf8\0\0\0\0\0\0\xa1b\xc4\x01\xff\xa1t\xd6\xff\0\0\0\x01\xa1e\xd4\x05\x07\x05\x06\
        \xa1f\xcb\x3f\xf0\0\0\0\0\0\0\xa2$x\x80\xa1m\x81\xc0\xc3\xa1u\xcf\xff\xff\xff\xff\xff\xff\xff\xff";
    let shown = out(&["convert", "--to", "tagged"], every);
    let options = Options { map_keys: samewire::options::MapKeys::Any, ..Options::default() };
    let value = transcode::from_slice(Format::MessagePack, every, &options).unwrap();
    assert_eq!(shown.trim_ascii_end(), tagged::to_vec(&value, &options).unwrap());
    assert_eq!(out(&["convert", "--from", "tagged", "--to", "msgpack"], &shown), every);
}

#[test]
fn canonical_output_is_the_same_for_the_same_value() {
    let a = out(&["convert", "--to", "json", "--canonical"], br#"{"b":1.0,"a":[1e2]}"#);
    assert_eq!(a, br#"{"a":[100],"b":1}"#);
    let lines = out(&["convert", "--to", "jsonl", "--canonical"], b"{\"b\":1,\"a\":2}\n3\n");
    assert_eq!(lines, b"{\"a\":2,\"b\":1}\n3");
    let packed = out(&["convert", "--to", "msgpack", "--canonical"], br#"{"b":1,"a":2}"#);
    assert_eq!(packed, b"\x82\xa1a\x02\xa1b\x01");
}

#[test]
fn files_globs_folders_and_jobs() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for i in 0..9 {
        std::fs::write(at.join(format!("in{i}.json")), format!("{{\"i\":{i}}}")).unwrap();
    }
    let done = run_in(at, &["convert", "in*.json", "--out-dir", "packed", "--jobs", "3"], b"");
    assert!(done.status.success(), "{}", stderr(&done));
    for i in 0..9u8 {
        assert_eq!(std::fs::read(at.join(format!("packed/in{i}.msgpack"))).unwrap(), [0x81, 0xa1, b'i', i]);
    }
    // A name's extension says what is written; nothing partial is left behind.
    let done = run_in(at, &["convert", "in1.json", "in2.json", "-o", "both.msgpack"], b"");
    assert!(done.status.success(), "{}", stderr(&done));
    assert_eq!(std::fs::read(at.join("both.msgpack")).unwrap(), b"\x81\xa1i\x01\x81\xa1i\x02");
    // A failure leaves the old file as it was.
    let done = run_in(at, &["convert", "in1.json", "-", "-o", "both.msgpack"], b"{]");
    assert_eq!(done.status.code(), Some(1));
    assert_eq!(std::fs::read(at.join("both.msgpack")).unwrap(), b"\x81\xa1i\x01\x81\xa1i\x02");
    let left = std::fs::read_dir(at)
        .unwrap()
        .filter(|e| e.as_ref().unwrap().file_name().to_string_lossy().contains("partial"));
    assert_eq!(left.count(), 0);
    // In place.
    let done = run_in(at, &["convert", "in1.json", "-o", "in1.json", "--to", "json", "--indent", "1"], b"");
    assert!(done.status.success());
    assert_eq!(std::fs::read(at.join("in1.json")).unwrap(), b"{\n \"i\": 1\n}\n");
    // Two outputs of one name.
    std::fs::create_dir(at.join("d")).unwrap();
    std::fs::write(at.join("d/in1.json"), "1").unwrap();
    let done = run_in(at, &["convert", "in1.json", "d/in1.json", "--out-dir", "x"], b"");
    assert_eq!(done.status.code(), Some(2), "{}", stderr(&done));
    assert_eq!(run_in(at, &["convert", "none*.json"], b"").status.code(), Some(2));
    assert_eq!(run_in(at, &["convert", "absent.json"], b"").status.code(), Some(3));
    assert_eq!(run_in(at, &["convert", "d"], b"").status.code(), Some(3));
}

#[test]
fn errors_name_the_place() {
    let done = run(&["convert"], b"{\"a\":1}\n{\"a\":[1,2,}\n");
    assert_eq!(done.status.code(), Some(1));
    let first = stderr(&done).lines().next().unwrap();
    assert_eq!(
        first,
        "samewire: standard input: line 2: byte 18: in /a/2: expected a value, found '}' (invalid-syntax)"
    );
    assert!(stderr(&done).lines().any(|l| l.trim_start().starts_with(">     18  7d")), "{}", stderr(&done));
    // What came before is converted.
    assert_eq!(done.stdout, b"\x81\xa1a\x01");
    let done = run(&["convert", "--json"], b"\x01\x91\xc1");
    let error = object(stderr(&done));
    assert_eq!(error.get("error"), Some(&"invalid-marker".into()));
    assert_eq!(error.get("offset"), Some(&Value::Int(2)));
    assert_eq!(error.get("path"), Some(&"/0".into()));
    assert_eq!(error.get("value"), Some(&Value::Int(2)));
    // The reader's own words for what is cut short.
    let done = run(&["convert"], b"\x92\x01\xa5ab");
    assert!(
        stderr(&done).contains("byte 2: in /1:") && stderr(&done).contains("length-exceeds-input"),
        "{}",
        stderr(&done)
    );
    let done = run(&["convert"], b"");
    assert_eq!(done.status.code(), Some(1));
    assert_eq!(out(&["convert", "--from", "jsonl"], b""), b"");
}

#[test]
fn options_of_the_data_model_are_taken() {
    let twice = br#"{"a":1,"a":2}"#;
    assert_eq!(run(&["convert"], twice).status.code(), Some(1));
    assert_eq!(out(&["convert", "--to", "json", "-O", "duplicate_keys=last"], twice), b"{\"a\":2}\n");
    assert_eq!(out(&["convert", "--to", "json", "-O", "omit-null=true"], br#"{"a":null}"#), b"{}\n");
    for bad in ["dup=1", "indent=9", "canonical", "max_depth=deep"] {
        let done = run(&["convert", "-O", bad], b"1");
        assert_eq!(done.status.code(), Some(2), "{bad}: {}", stderr(&done));
    }
    assert_eq!(run(&["convert", "--to", "xml"], b"1").status.code(), Some(2));
    assert_eq!(run(&["convert", "-O", "max_depth=1"], b"[[1]]").status.code(), Some(1));
}

#[test]
fn inspect_shows_bytes_and_the_fault() {
    let shown = out(&["inspect"], b"\x81\xa2id\x07");
    assert!(text(&shown).contains("key \"id\"") && text(&shown).contains("int 7"), "{}", text(&shown));
    let done = run(&["inspect"], b"\x92\x01\xc1");
    assert_eq!(done.status.code(), Some(1));
    assert!(stdout(&done).lines().any(|l| l.starts_with('>') && l.contains("invalid-marker")), "{}", stdout(&done));
    let page = out(&["inspect", "--html"], b"\x81\xa2id\xa1<");
    assert!(text(&page).starts_with("<!doctype html>") && text(&page).contains("&lt;"));
    let lines = out(&["inspect", "--json"], b"\xcd\x01\x00");
    let line = object(text(&lines));
    assert_eq!(line.get("bytes"), Some(&"cd0100".into()));
    assert_eq!(line.get("meaning"), Some(&"int 256".into()));
    assert!(text(&out(&["inspect", "--color", "always"], b"\xc0")).contains("\x1b["));
    assert!(!text(&out(&["inspect"], b"\xc0")).contains('\x1b'));
}

#[test]
fn get_prints_what_is_under_a_pointer() {
    let message = br#"{"items":[{"id":7,"name":"Ada"},{"id":8}],"a/b":{"~":1}}"#;
    assert_eq!(out(&["get", "/items/1/id"], message), b"8\n");
    assert_eq!(out(&["get", "/items/0/name"], message), b"\"Ada\"\n");
    assert_eq!(out(&["get", "/items/0/name", "--raw"], message), b"Ada\n");
    assert_eq!(out(&["get", "/a~1b/~0"], message), b"1\n");
    assert_eq!(out(&["get", "/items/1", "--to", "msgpack"], message), b"\x81\xa2id\x08");
    assert_eq!(out(&["get", "/b", "--raw"], b"\x81\xa1b\xc4\x02\x00\xff"), b"\x00\xff");
    assert_eq!(out(&["get", "/i"], b"{\"i\":1}\n{\"i\":2}\n"), b"1\n2\n");
    let done = run(&["get", "/i"], b"{\"i\":1}\n{\"j\":2}\n{\"i\":3}\n");
    assert_eq!((done.status.code(), &done.stdout[..]), (Some(1), &b"1\n3\n"[..]));
    assert!(stderr(&done).contains("line 2"), "{}", stderr(&done));
    let done = run(&["get", "items.0"], message);
    assert_eq!(done.status.code(), Some(2));
    assert!(stderr(&done).contains("/items/0"));
}

#[test]
fn diff_compares_by_value() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let write = |name: &str, bytes: &[u8]| std::fs::write(at.join(name), bytes).unwrap();
    write("a.json", br#"{"x":1,"l":[1,2],"k":"v"}"#);
    write("a.msgpack", b"\x83\xa1k\xa1v\xa1l\x92\x01\x02\xa1x\xcd\0\x01");
    write("b.json", br#"{"x":1.0,"l":[1,2,3],"y":null}"#);
    write("t.json", br#"{"t":"1970-01-01T00:00:01Z","b":"/w=="}"#);
    write("t.msgpack", b"\x82\xa1t\xd6\xff\0\0\0\x01\xa1b\xc4\x01\xff");
    let done = run_in(at, &["diff", "a.json", "a.msgpack"], b"");
    assert_eq!((done.status.code(), stdout(&done)), (Some(0), ""));
    assert_eq!(run_in(at, &["diff", "t.json", "t.msgpack"], b"").status.code(), Some(0));
    let done = run_in(at, &["diff", "a.json", "b.json", "--json"], b"");
    assert_eq!(done.status.code(), Some(1));
    let shown: Vec<_> = stdout(&done)
        .lines()
        .map(|l| {
            let o = object(l);
            let text = |k: &str| match o.get(k) {
                Some(Value::Str(s)) => s.clone(),
                other => panic!("{other:?}"),
            };
            (text("path"), text("kind"))
        })
        .collect();
    let expected = [("/x", "changed"), ("/l/2", "added"), ("/k", "removed"), ("/y", "added")];
    assert_eq!(shown, expected.map(|(a, b)| (a.to_string(), b.to_string())));
    let done = run_in(at, &["diff", "a.json", "-"], br#"{"x":2,"l":[1,2],"k":"v"}"#);
    assert_eq!((done.status.code(), stdout(&done)), (Some(1), "/x\n  - 1\n  + 2\n"));
    let done = run_in(at, &["diff", "-q", "a.json", "b.json"], b"");
    assert_eq!((done.status.code(), stdout(&done)), (Some(1), ""));
    // More values on one side.
    write("one.jsonl", b"1\n");
    write("two.jsonl", b"1\n2\n");
    assert_eq!(run_in(at, &["diff", "one.jsonl", "two.jsonl"], b"").status.code(), Some(1));
    assert_eq!(run_in(at, &["diff", "a.json", "absent"], b"").status.code(), Some(3));
}

#[test]
fn digests_are_equal_for_equal_values() {
    let a = out(&["digest"], br#"{"b":1,"a":[1.5]}"#);
    let b = out(&["digest"], b"\x82\xa1a\x91\xca\x3f\xc0\0\0\xa1b\xcd\0\x01");
    assert_eq!(a, b);
    let value = transcode::from_slice(Format::Json, br#"{"a":[1.5],"b":1}"#, &Options::default()).unwrap();
    let digest = samewire::canonical::digest(&value).unwrap();
    let hex: String = digest.iter().map(|b| format!("{b:02x}")).collect();
    assert_eq!(text(&a), format!("{hex}  standard input\n"));
    assert_ne!(a, out(&["digest"], br#"{"b":1,"a":[1.25]}"#));
    let two = out(&["digest", "--json"], b"1\n2\n");
    assert_eq!(
        text(&two).lines().map(|l| object(l).get("value").cloned()).collect::<Vec<_>>(),
        [Some(Value::Int(1)), Some(Value::Int(2))]
    );
}

#[test]
fn validate_finds_every_bad_line() {
    assert_eq!(text(&out(&["validate"], b"{\"a\":1}\n2\n")), "standard input: valid, 2 values\n");
    assert_eq!(out(&["validate", "-q"], b"\xc0"), b"");
    let done = run(&["validate"], b"{\"a\":1}\n{\n[1]\n{\"a\":}\n");
    assert_eq!((done.status.code(), stdout(&done)), (Some(1), "standard input: 2 values invalid\n"));
    assert!(stderr(&done).contains("line 2") && stderr(&done).contains("line 4"), "{}", stderr(&done));
    let done = run(&["validate", "--json"], b"\x91\xc1");
    let found = object(stdout(&done));
    assert_eq!(found.get("valid"), Some(&Value::Bool(false)));
    let Some(Value::Array(errors)) = found.get("errors") else { panic!("{found:?}") };
    assert_eq!(errors[0].get("offset"), Some(&Value::Int(1)));
}

#[test]
fn stats_add_up() {
    let done = out(&["stats", "--json"], b"{\"name\":\"x\",\"n\":1.0}\n{\"name\":\"y\",\"n\":2.5}\n");
    let found = object(text(&done));
    assert_eq!(found.get("values"), Some(&Value::Int(2)));
    let bytes = |row: &str| match found.get(row).and_then(|r| r.get("bytes")) {
        Some(Value::Int(n)) => *n,
        other => panic!("{other:?}"),
    };
    // {"name":"x","n":1.0} has 20 bytes; 1 + 5 + 2 + 2 + 9 in MessagePack.
    assert_eq!((bytes("JSON"), bytes("MessagePack")), (40, 38));
    assert!(text(&out(&["stats"], b"[1,2,3]")).contains("As MessagePack: -"));
}

/// A reader that goes away is no error, and no panic.
#[test]
fn a_closed_pipe_is_quiet() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_samewire"))
        .args(["convert", "--to", "tagged"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    let feeder = std::thread::spawn(move || {
        let _ = stdin.write_all(&b"{\"a\":1}\n".repeat(100_000));
    });
    let done = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    assert_eq!((done.status.code(), stderr(&done)), (Some(0), ""));
}

/// Memory is bounded by the largest value, not by the stream.
#[cfg(target_os = "linux")]
#[test]
fn memory_is_constant_on_a_stream() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_samewire"))
        .arg("convert")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let block = b"{\"id\":123456,\"text\":\"some text that is not short\"}\n".repeat(2000);
    let mut written = 0;
    while written < 64 << 20 {
        stdin.write_all(&block).unwrap();
        written += block.len();
    }
    // Still running, at the end of the stream: the peak so far.
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let peak = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).unwrap();
    let kilobytes: u64 = peak.split_whitespace().next().unwrap().parse().unwrap();
    drop(stdin);
    assert!(child.wait().unwrap().success());
    assert!(kilobytes < 24 << 10, "{kilobytes} kB");
}
