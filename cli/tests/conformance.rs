//! `samewire conformance`: a testee that answers wrongly fails the run, one that answers rightly passes it.

use std::path::Path;
use std::process::{Command, Output};

fn run(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_samewire")).arg("conformance").args(args).current_dir(folder).output().unwrap()
}

#[test]
fn runs_vectors_through_a_program() {
    let folder = tempfile::tempdir().unwrap();
    let vectors = folder.path().join("vectors");
    std::fs::create_dir(&vectors).unwrap();
    std::fs::write(
        vectors.join("int.json"),
        r#"[{"name": "int/one", "format": "msgpack", "input": "01", "value": 1, "source": "MessagePack specification, int format family"}]"#,
    )
    .unwrap();
    let vectors = vectors.to_str().unwrap();
    // Two testees in a line of shell each: they answer every batch of requests alike.
    let hello = r#"{"ok":{"name":"t","version":"1","runtime":"sh","host":"sh","formats":["msgpack"],"ops":["decode"],"options":[],"lacks":[],"strict":true}}"#;
    let testee = |value: &str| {
        let script = format!(
            "read line; echo '[{hello}]'; while read line; do n=$(printf '%s' \"$line\" | grep -o '\"op\"' | wc -l); out='{{\"ok\":{value}}}'; all=$out; i=1; while [ $i -lt $n ]; do all=\"$all,$out\"; i=$((i+1)); done; echo \"[$all]\"; done"
        );
        let path = folder.path().join(format!("testee-{value}"));
        std::fs::write(&path, script).unwrap();
        format!("sh {}", path.display())
    };
    let good = run(folder.path(), &["--vectors", vectors, "--no-exchange", "--testee", &testee("1")]);
    let shown = String::from_utf8_lossy(&good.stdout).into_owned();
    assert_eq!(good.status.code(), Some(0), "{shown}{}", String::from_utf8_lossy(&good.stderr));
    assert!(!shown.trim_end().lines().last().unwrap().starts_with("0 passed"), "{shown}");
    let bad = run(folder.path(), &["--vectors", vectors, "--no-exchange", "--testee", &testee("2")]);
    assert_eq!(bad.status.code(), Some(1), "{}", String::from_utf8_lossy(&bad.stdout));
    let help = run(folder.path(), &["--help"]);
    assert!(String::from_utf8_lossy(&help.stdout).contains("--testee CMD"));
    assert_eq!(run(folder.path(), &["--nonsense"]).status.code(), Some(2));
}
