//! `samewire stats`: should I switch?

use std::io::Write;
use std::time::{Duration, Instant};

use samewire::buffer::Buffer;
use samewire::{Value, transcode};

use crate::args::{Settings, Stats};
use crate::failure::Failure;
use crate::files;
use crate::notation::Notation;
use crate::output::{self, Output};
use crate::source::Source;

/// Time spent on each measurement.
const MEASURE: Duration = Duration::from_millis(300);
/// Values beyond this size together are not measured: what comes before is sample enough.
const SAMPLE: usize = 64 << 20;

/// One notation's figures.
struct Row {
    name: &'static str,
    plain: usize,
    gzip: usize,
    zstd: usize,
    write: Duration,
    read: Duration,
}

pub fn run(args: &Stats, settings: &Settings) -> Result<i32, Failure> {
    let mut values = Vec::new();
    let mut size = 0;
    let mut whole = true;
    for name in files::expand(&args.files)? {
        let source = Source::open(&name, settings, None)?;
        let origin = source.origin();
        source.for_each(|item| {
            if size + item.bytes.len() > SAMPLE && !values.is_empty() {
                whole = false;
                return Ok(());
            }
            size += item.bytes.len();
            values.push(origin.notation.read(item.bytes, &settings.options).map_err(|e| origin.failure(&item, e))?);
            Ok(())
        })?;
    }
    let rows =
        [row("JSON", Notation::Json, &values, settings)?, row("MessagePack", Notation::Msgpack, &values, settings)?];
    let mut output = Output::stdout();
    let text = if settings.json { as_json(&values, &rows) } else { as_text(&values, &rows, whole) };
    output.write(text.as_bytes())?;
    output.finish()?;
    Ok(0)
}

fn row(name: &'static str, notation: Notation, values: &[Value], settings: &Settings) -> Result<Row, Failure> {
    let cannot = |e: samewire::Error| {
        Failure::usage(format!(
            "the data cannot be written as {name}: {} ({})",
            output::printable(e.message()),
            e.code()
        ))
    };
    let mut ends = Vec::with_capacity(values.len());
    let mut all = Buffer::with_capacity(1 << 16);
    for value in values {
        all = notation.write(value, &settings.options, all).map_err(cannot)?;
        ends.push(all.len());
    }
    let bytes = all.into_vec();
    let io = |e| Failure::file("compression", e);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(&bytes).map_err(io)?;
    let gzip = gzip.finish().map_err(io)?.len();
    let zstd = zstd::bulk::compress(&bytes, 3).map_err(io)?.len();
    let write = time(|| {
        let mut buffer = Buffer::with_capacity(bytes.len() + 64);
        for value in values {
            buffer = notation.write(value, &settings.options, buffer).unwrap_or_default();
        }
        std::hint::black_box(buffer.len());
    });
    let read = time(|| {
        let mut start = 0;
        for end in &ends {
            let read = transcode::from_slice(notation.format(), &bytes[start..*end], &settings.options);
            std::hint::black_box(read.is_ok());
            start = *end;
        }
    });
    Ok(Row { name, plain: bytes.len(), gzip, zstd, write, read })
}

/// The least time of some runs: what is above it is the machine's other work.
fn time(mut work: impl FnMut()) -> Duration {
    let began = Instant::now();
    let mut least = Duration::MAX;
    let mut runs = 0;
    while runs < 3 || began.elapsed() < MEASURE {
        let start = Instant::now();
        work();
        least = least.min(start.elapsed());
        runs += 1;
    }
    least
}

fn as_json(values: &[Value], rows: &[Row]) -> String {
    let ns = |d: Duration| Value::from_u64(u64::try_from(d.as_nanos()).unwrap_or(u64::MAX));
    let n = |n: usize| Value::from_u64(n as u64);
    let row = |r: &Row| {
        let object = output::object([
            ("bytes", n(r.plain)),
            ("gzip", n(r.gzip)),
            ("zstd", n(r.zstd)),
            ("write_ns", ns(r.write)),
            ("read_ns", ns(r.read)),
        ]);
        (r.name, object)
    };
    let mut entries = vec![("values", n(values.len()))];
    entries.extend(rows.iter().map(row));
    output::json_line(&output::object(entries))
}

fn as_text(values: &[Value], rows: &[Row], whole: bool) -> String {
    let mut text = format!(
        "{} {}{}\n\n",
        grouped(values.len()),
        if values.len() == 1 { "value" } else { "values" },
        if whole { "" } else { " (the first 64 MB)" }
    );
    text += &format!("{:<12}{:>14}{:>14}{:>14}{:>12}{:>12}\n", "", "bytes", "gzip", "zstd", "write", "read");
    for r in rows {
        text += &format!(
            "{:<12}{:>14}{:>14}{:>14}{:>12}{:>12}\n",
            r.name,
            grouped(r.plain),
            grouped(r.gzip),
            grouped(r.zstd),
            duration(r.write),
            duration(r.read)
        );
    }
    let [json, msgpack] = rows else { return text };
    let share = |a: usize, b: usize| (a as f64 / b.max(1) as f64 - 1.0) * 100.0;
    let speed = |a: Duration, b: Duration| b.as_secs_f64() / a.as_secs_f64().max(1e-12);
    text += &format!(
        "\nAs MessagePack: {:+.0} % bytes ({:+.0} % after gzip, {:+.0} % after zstd), written {:.1}× and read {:.1}× as fast.\n",
        share(msgpack.plain, json.plain),
        share(msgpack.gzip, json.gzip),
        share(msgpack.zstd, json.zstd),
        speed(msgpack.write, json.write),
        speed(msgpack.read, json.read)
    );
    text += "Times are of this machine, in Rust, from and to a tree in memory: read them as ratios.\n";
    text
}

fn grouped(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

fn duration(d: Duration) -> String {
    let ns = d.as_nanos() as f64;
    match ns {
        _ if ns < 1e4 => format!("{ns:.0} ns"),
        _ if ns < 1e7 => format!("{:.1} µs", ns / 1e3),
        _ if ns < 1e10 => format!("{:.1} ms", ns / 1e6),
        _ => format!("{:.1} s", ns / 1e9),
    }
}
