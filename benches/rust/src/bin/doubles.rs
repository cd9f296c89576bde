//! Ten million random doubles: each written as JSON must be serde_json's text, and read back to the same bits.
//!
//!     cargo run --release --bin doubles [COUNT] [SEED]
//!
//! Half of them are random bits (all exponents alike), a quarter have few significant digits, as people write them, and a
//! quarter are random bits near powers of two and ten, where shortest digits and rounding are hardest. NaN and the
//! infinities have no JSON text and are skipped. They go through the core in arrays of 1,000.

use std::time::Instant;

use samewire::buffer::Buffer;
use samewire::value::Value;
use samewire::{Options, json, msgpack, value};

struct Random(u64);

impl Random {
    /// SplitMix64.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn double(&mut self) -> f64 {
        let bits = self.next();
        match bits & 3 {
            0 | 1 => f64::from_bits(self.next()),
            2 => {
                let digits = (self.next() % 1_000_000_000) as f64;
                let exponent = (bits >> 8) % 24;
                let sign = if bits & 4 == 0 { 1.0 } else { -1.0 };
                sign * if bits & 8 == 0 {
                    digits / 10f64.powi(exponent as i32)
                } else {
                    digits * 10f64.powi(exponent as i32)
                }
            }
            _ => {
                let near = if bits & 4 == 0 {
                    2f64.powi((bits >> 8) as i32 % 1023 + if bits & 8 == 0 { 0 } else { -1022 })
                } else {
                    10f64.powi((bits >> 8) as i32 % 300)
                };
                let step = (bits >> 32) % 5;
                f64::from_bits(near.to_bits().wrapping_add(step).wrapping_sub(2))
            }
        }
    }
}

fn main() {
    let mut args = std::env::args().skip(1).map(|a| a.parse::<u64>().expect("a number"));
    let count = args.next().unwrap_or(10_000_000) as usize;
    let mut random = Random(args.next().unwrap_or(1));
    let options = Options::default();
    let start = Instant::now();
    let (mut done, mut text_differs, mut bits_differ) = (0usize, 0usize, 0usize);
    let mut complain = |what: &str, x: f64, ours: &str| {
        eprintln!("{what}: {:#018x} = {x:?}: {ours}", x.to_bits());
    };
    while done < count {
        let batch: Vec<f64> =
            std::iter::repeat_with(|| random.double()).filter(|x| x.is_finite()).take(1000.min(count - done)).collect();
        done += batch.len();
        let theirs = serde_json::to_string(&batch).expect("finite");
        let tree = Value::Array(batch.iter().map(|x| Value::Float(*x)).collect());
        let mut writer = json::Writer::new(Buffer::with_capacity(theirs.len()), &options);
        tree.visit(&mut writer).expect("finite doubles have a text");
        let ours = String::from_utf8(writer.into_buffer().into_vec()).expect("JSON is UTF-8");
        if ours != theirs {
            let pairs = ours.trim_matches(['[', ']']).split(',').zip(theirs.trim_matches(['[', ']']).split(','));
            for ((a, b), x) in pairs.zip(&batch) {
                if a != b {
                    text_differs += 1;
                    complain("text differs", *x, &format!("{a} for {b}"));
                }
            }
        }
        let back = json::read(ours.as_bytes(), &options, &mut value::Builder).expect("our own text");
        bits_differ += differing(&back, &batch, &mut complain, "read back from JSON");
        // And by way of MessagePack, which carries the bits themselves.
        let mut writer = msgpack::Writer::new(Buffer::with_capacity(batch.len() * 9), &options);
        json::read(theirs.as_bytes(), &options, &mut writer).expect("serde_json's text");
        let packed = writer.into_buffer().into_vec();
        let back = msgpack::read(&packed, &options, &mut value::Builder).expect("our own bytes");
        bits_differ += differing(&back, &batch, &mut complain, "by way of MessagePack");
    }
    let spent = start.elapsed().as_secs_f64();
    println!(
        "{done} doubles: {text_differs} texts differ from serde_json's, {bits_differ} read back to other bits ({spent:.1} s)"
    );
    std::process::exit(i32::from(text_differs + bits_differ > 0));
}

/// How many of the values read are not the doubles written, bit for bit.
fn differing(back: &Value, batch: &[f64], complain: &mut impl FnMut(&str, f64, &str), what: &str) -> usize {
    let Value::Array(items) = back else {
        return batch.len();
    };
    let mut wrong = items.len().abs_diff(batch.len());
    for (item, x) in items.iter().zip(batch) {
        let same = matches!(item, Value::Float(y) if y.to_bits() == x.to_bits());
        if !same {
            wrong += 1;
            complain(what, *x, &format!("{item:?}"));
        }
    }
    wrong
}
