//! Races samewire against its peers in Rust and writes the record that `benches/common.py` turns into tables.
//!
//!     race [--quick] [--rounds N] [--ms N] [--out FILE] [filter …]
//!     race --once CELL CONTESTANT PASSES
//!
//! A filter is a part of a cell's id, `Rust/<operation>/<payload>`; several are alternatives. Not a library, and not a
//! test: a contestant whose output is wrong is reported in the record instead of being timed.

mod harness;
mod model;
mod ours;
mod payload;
mod protobuf;
mod typed;
mod untyped;

use std::collections::BTreeMap;
use std::time::Duration;

use model::{Event, Nested, Node, Prose, Record, Request, Request10k, Row, Text};

fn main() {
    let mut race = harness::Race {
        once: None,
        filter: Vec::new(),
        rounds: 31,
        budget: Duration::from_micros(3000),
        done: Vec::new(),
    };
    let mut out = None;
    let mut args = std::env::args().skip(1);
    let number =
        |args: &mut std::iter::Skip<std::env::Args>| args.next().and_then(|s| s.parse().ok()).expect("a number");
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--quick" => (race.rounds, race.budget) = (7, Duration::from_micros(500)),
            "--rounds" => race.rounds = number(&mut args),
            "--ms" => race.budget = Duration::from_millis(number(&mut args) as u64),
            "--out" => out = args.next(),
            "--once" => {
                let id = args.next().expect("a cell's id");
                let contestant = args.next().expect("a contestant");
                race.once = Some(harness::Once { id, contestant, passes: number(&mut args) });
            }
            _ => race.filter.push(arg),
        }
    }
    for p in payload::load() {
        if race.once.as_ref().is_some_and(|o| !o.id.ends_with(&format!("/{}", p.name))) {
            continue;
        }
        typed_cells(&mut race, &p);
        untyped::cells(&mut race, &p);
    }
    if race.once.is_some() {
        return;
    }
    let cells: Vec<String> = race.done.iter().map(ToString::to_string).collect();
    let record = format!("[\n{}\n]\n", cells.join(",\n"));
    match out {
        Some(path) => std::fs::write(path, record).expect("the record can be written"),
        None => print!("{record}"),
    }
}

fn typed_cells(race: &mut harness::Race, p: &payload::Payload) {
    use typed::cells;
    type T = Text<'static>;
    match p.name.as_str() {
        "event" => cells::<Event<String>, Event<T>>(race, p, true),
        "request" => cells::<Request<String>, Request<T>>(race, p, true),
        "request10k" => cells::<Request10k<String>, Request10k<T>>(race, p, false),
        "nested" => cells::<Nested<String>, Nested<T>>(race, p, true),
        "records" => cells::<Vec<Record<String>>, Vec<Record<T>>>(race, p, true),
        "floats" => cells::<Vec<f64>, Vec<f64>>(race, p, false),
        "ints" => cells::<Vec<i64>, Vec<i64>>(race, p, false),
        "flags" => cells::<Vec<Option<bool>>, Vec<Option<bool>>>(race, p, false),
        "unicode" => cells::<Vec<String>, Vec<T>>(race, p, false),
        "dictionary" => cells::<BTreeMap<String, u64>, BTreeMap<T, u64>>(race, p, false),
        "times" => cells::<Vec<Row<String>>, Vec<Row<T>>>(race, p, true),
        "deep" => cells::<Node<String>, Node<T>>(race, p, false),
        "text" | "escaped" | "cjk" => cells::<Prose<String>, Prose<T>>(race, p, false),
        // Objects of many shapes have no type; they race as trees.
        _ => {}
    }
}
