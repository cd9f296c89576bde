//! The reference materializer: what a host does with a tape, in Rust, and the tests that hold the tape to it.

use std::collections::HashMap;

use samewire::buffer::Buffer;
use samewire::ext::Ext;
use samewire::options::Setting;
use samewire::tape::{self, Area, Host, Tape, define, more, tag};
use samewire::time::Timestamp;
use samewire::value::Builder;
use samewire::{Code, Error, Options, Value, msgpack};

/// A host: what it keeps between messages.
struct Materializer {
    tape: Tape,
    keys: HashMap<u32, String>,
    shapes: HashMap<u32, Vec<u32>>,
    known: HashMap<u32, String>,
}

struct Read<'t> {
    words: &'t [u32],
    floats: &'t [u64],
    ascii: &'t [u8],
    ascii_at: usize,
    ascii_segment: usize,
    wide: &'t [u16],
    wide_at: usize,
    wide_segment: usize,
    bytes: &'t [u8],
    input: &'t [u8],
}

fn words(area: &Area) -> Vec<u32> {
    area.as_slice().chunks_exact(4).map(|c| u32::from_ne_bytes(c.try_into().unwrap())).collect()
}

fn host() -> Host {
    Host { seconds: -8_640_000_000_000..8_640_000_000_000 }
}

impl Materializer {
    fn new() -> Self {
        Materializer {
            tape: Tape::new(host(), Area::with_capacity),
            keys: HashMap::new(),
            shapes: HashMap::new(),
            known: HashMap::new(),
        }
    }

    fn decode(&mut self, input: &[u8], options: &Options) -> Result<Value, Error> {
        self.tape.begin(input, options);
        let result = msgpack::read(input, options, &mut self.tape);
        self.define();
        if let Err(e) = result {
            self.tape.forget_strings();
            self.known.clear();
            return Err(e);
        }
        let floats: Vec<u64> =
            self.tape.floats().as_slice().chunks_exact(8).map(|c| u64::from_ne_bytes(c.try_into().unwrap())).collect();
        let wide: Vec<u16> =
            self.tape.wide().as_slice().chunks_exact(2).map(|c| u16::from_ne_bytes(c.try_into().unwrap())).collect();
        assert!(self.tape.ascii().as_slice().is_ascii());
        let tape_words = words(self.tape.words());
        let ascii = self.tape.ascii().as_slice().to_vec();
        let bytes = self.tape.bytes().as_slice().to_vec();
        let mut read = Read {
            words: &tape_words,
            floats: &floats,
            ascii: &ascii,
            ascii_at: 0,
            ascii_segment: 0,
            wide: &wide,
            wide_at: 0,
            wide_segment: 0,
            bytes: &bytes,
            input,
        };
        let value = self.value(&mut read);
        assert!(read.words.is_empty() && read.floats.is_empty(), "all of the tape is read");
        Ok(value)
    }

    fn define(&mut self) {
        let all = words(self.tape.definitions());
        let mut d = &all[..];
        while let [kind, rest @ ..] = d {
            match *kind {
                define::KEY => {
                    let (id, len) = (rest[0], rest[1] as usize);
                    let bytes: Vec<u8> = rest[2..].iter().flat_map(|w| w.to_ne_bytes()).take(len).collect();
                    assert!(self.keys.insert(id, String::from_utf8(bytes).unwrap()).is_none());
                    d = &rest[2 + len.div_ceil(4)..];
                }
                define::SHAPE => {
                    let (id, n) = (rest[0], rest[1] as usize);
                    assert!(self.shapes.insert(id, rest[2..2 + n].to_vec()).is_none());
                    d = &rest[2 + n..];
                }
                define::RESET => {
                    self.keys.clear();
                    self.shapes.clear();
                    d = rest;
                }
                other => panic!("definition {other}"),
            }
        }
    }

    fn value(&mut self, r: &mut Read<'_>) -> Value {
        let w = r.word();
        if w & 1 == 0 {
            return Value::Int(i64::from(w as i32 >> 1));
        }
        let payload = w >> 4;
        match w & 15 {
            tag::CONST => [Value::Null, Value::Bool(false), Value::Bool(true)][payload as usize].clone(),
            tag::FLOAT => float(r.float()),
            tag::ASCII => Value::Str(r.ascii(payload)),
            tag::WIDE => {
                let end = r.wide_at + payload as usize;
                assert!(r.wide_at / tape::WIDE_SEGMENT == (end.max(1) - 1) / tape::WIDE_SEGMENT);
                let s = String::from_utf16(&r.wide[r.wide_at..end]).unwrap();
                r.wide_at = end;
                Value::Str(s)
            }
            tag::KNOWN => Value::Str(self.known[&payload].clone()),
            tag::ARRAY => Value::Array((0..payload).map(|_| self.value(r)).collect()),
            tag::SHAPE => Value::Map(self.shape(payload, r)),
            _ => self.more(w, r),
        }
    }

    fn shape(&mut self, id: u32, r: &mut Read<'_>) -> Vec<(Value, Value)> {
        let keys = self.shapes[&id].clone();
        keys.iter().map(|k| (Value::Str(self.keys[k].clone()), self.value(r))).collect()
    }

    fn pairs(&mut self, mut out: Vec<(Value, Value)>, r: &mut Read<'_>) -> Value {
        while r.words[0] != tag::MORE | more::END << 4 {
            let key = self.value(r);
            out.push((key, self.value(r)));
        }
        r.word();
        Value::Map(out)
    }

    fn more(&mut self, w: u32, r: &mut Read<'_>) -> Value {
        let payload = w >> 8;
        let text = |b: &[u8]| String::from_utf8(b.to_vec()).unwrap();
        match w >> 4 & 15 {
            more::INT => Value::Int(r.float() as i64),
            more::UINT => Value::Uint(r.float()),
            more::BIGINT => Value::BigInt(text(r.placed(payload))),
            more::BIN => Value::Bin(r.placed(payload).to_vec()),
            more::EXT => Value::Ext(Ext { kind: (payload >> 8) as u8 as i8, data: r.placed(payload & 1).to_vec() }),
            more::TIME => {
                let nanoseconds = r.word();
                Value::Timestamp(Timestamp::new(f64::from_bits(r.float()) as i64, nanoseconds).unwrap())
            }
            more::REMEMBER => {
                let len = r.word();
                let s = r.ascii(len);
                self.known.insert(payload, s.clone());
                Value::Str(s)
            }
            more::LONG_ASCII | more::LONG_UTF8 => Value::Str(text(r.placed(payload))),
            more::FLOATS => Value::Array((0..r.word()).map(|_| float(r.float())).collect()),
            more::MAP => {
                let first = self.shape(payload, r);
                self.pairs(first, r)
            }
            more::PAIRS => self.pairs(Vec::new(), r),
            more::SEGMENT => {
                if payload == 0 {
                    r.ascii_segment += 1;
                    r.ascii_at = r.ascii_segment * tape::ASCII_SEGMENT;
                } else {
                    r.wide_segment += 1;
                    r.wide_at = r.wide_segment * tape::WIDE_SEGMENT;
                }
                self.value(r)
            }
            more::LONG_ARRAY => Value::Array((0..r.word()).map(|_| self.value(r)).collect()),
            other => panic!("kind {other}"),
        }
    }
}

/// The tape does not tell an integer from a float of the same value: hosts like that have one number type.
fn float(bits: u64) -> Value {
    let f = f64::from_bits(bits);
    if f.fract() == 0.0 && f.abs() < 9007199254740992.0 && (f != 0.0 || f.is_sign_positive()) {
        Value::Int(f as i64)
    } else {
        Value::Float(f)
    }
}

impl<'t> Read<'t> {
    fn word(&mut self) -> u32 {
        let (w, rest) = self.words.split_first().expect("a word");
        self.words = rest;
        *w
    }
    fn float(&mut self) -> u64 {
        let (f, rest) = self.floats.split_first().expect("a float");
        self.floats = rest;
        *f
    }
    fn ascii(&mut self, n: u32) -> String {
        let end = self.ascii_at + n as usize;
        assert!(self.ascii_at / tape::ASCII_SEGMENT == (end.max(1) - 1) / tape::ASCII_SEGMENT || n == 0);
        let s = std::str::from_utf8(&self.ascii[self.ascii_at..end]).unwrap().to_string();
        self.ascii_at = end;
        s
    }
    fn placed(&mut self, place: u32) -> &'t [u8] {
        let (offset, len) = (self.word() as usize, self.word() as usize);
        let from = if place == 0 { self.input } else { self.bytes };
        &from[offset..offset + len]
    }
}

/// A value as a host with one number type has it.
fn one_number(value: Value) -> Value {
    match value {
        Value::Float(f) => float(f.to_bits()),
        Value::Array(items) => Value::Array(items.into_iter().map(one_number).collect()),
        Value::Map(entries) => Value::Map(entries.into_iter().map(|(k, v)| (one_number(k), one_number(v))).collect()),
        other => other,
    }
}

fn encode(value: &Value) -> Vec<u8> {
    let options = Options { map_keys: samewire::options::MapKeys::Any, ..Options::default() };
    let mut writer = msgpack::Writer::new(Buffer::with_capacity(64), &options);
    value.visit(&mut writer).unwrap();
    writer.into_buffer().into_vec()
}

#[track_caller]
fn check(m: &mut Materializer, bytes: &[u8], options: &Options) {
    let want = msgpack::read(bytes, options, &mut Builder).map(one_number);
    let got = m.decode(bytes, options);
    match (want, got) {
        (Ok(want), Ok(got)) => assert!(format!("{want:?}") == format!("{got:?}"), "{got:?}\nis not\n{want:?}"),
        (Err(want), Err(got)) => {
            assert_eq!((want.code(), want.offset(), want.path()), (got.code(), got.offset(), got.path()), "{bytes:x?}")
        }
        // The one thing that this host cannot hold.
        (Ok(_), Err(e)) if e.code() == Code::TimestampOutOfRange => {}
        (want, got) => panic!("{got:?}\nis not\n{want:?}\nof {bytes:x?}"),
    }
}

struct Random(u64);
impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
    fn text(&mut self) -> String {
        let n = match self.below(10) {
            0 => self.below(1200),
            1 => self.below(60),
            _ => self.below(17),
        };
        let scripts = ["abcdefghij", "abcdefghij", "aé", "日本語", "a😀é"];
        let script: Vec<char> = scripts[self.below(5) as usize].chars().collect();
        (0..n).map(|_| script[self.below(script.len() as u64) as usize]).collect()
    }
    fn value(&mut self, depth: u32) -> Value {
        match self.below(if depth == 0 { 9 } else { 13 }) {
            0 => Value::Null,
            1 => Value::Bool(self.below(2) == 0),
            2 => Value::Int(self.next() as i64 >> self.below(64)),
            3 => Value::from_u64(self.next() >> self.below(64)),
            4 => Value::Float(f64::from_bits(self.next()).clamp(-1e300, 1e300)),
            5 | 6 => Value::Str(self.text()),
            7 => Value::Bin(self.text().into_bytes()),
            8 => match self.below(2) {
                0 => Value::Ext(Ext { kind: 3, data: self.text().into_bytes() }),
                _ => Value::Timestamp(
                    Timestamp::new(self.below(1 << 40) as i64 - (1 << 39), self.below(2) as u32 * 7).unwrap(),
                ),
            },
            9 | 10 => {
                let n = self.below(8);
                let floats = self.below(3) == 0;
                Value::Array(
                    (0..n)
                        .map(
                            |_| if floats { Value::Float(self.below(100) as f64 + 0.5) } else { self.value(depth - 1) },
                        )
                        .collect(),
                )
            }
            _ => {
                let n = self.below(8);
                let mut keys: Vec<String> = Vec::new();
                for _ in 0..n {
                    let k = if self.below(4) == 0 { self.text() } else { format!("key{}", self.below(12)) };
                    if !keys.contains(&k) {
                        keys.push(k);
                    }
                }
                Value::Map(keys.into_iter().map(|k| (Value::Str(k), self.value(depth - 1))).collect())
            }
        }
    }
}

#[test]
fn random_values_come_back_and_cut_ones_fail_alike() {
    let mut random = Random(0x1234_5678_9abc_def1);
    let mut m = Materializer::new();
    let options = Options::default();
    for _ in 0..3000 {
        let bytes = encode(&random.value(4));
        check(&mut m, &bytes, &options);
        let cut = random.below(bytes.len() as u64) as usize;
        check(&mut m, &bytes[..cut], &options);
        let mut changed = bytes.clone();
        changed[cut] = random.next() as u8;
        check(&mut m, &changed, &options);
    }
}

#[test]
fn keys_without_end_stay_bounded_and_duplicates_are_still_found() {
    let mut m = Materializer::new();
    let options = Options::default();
    for i in 0..200_000u32 {
        let mut bytes = vec![0x82, 0xa8];
        bytes.extend(format!("{i:08x}").as_bytes());
        bytes.extend([1, 0xa1, b'x', 2]);
        let value = m.decode(&bytes, &options).unwrap();
        assert_eq!(value.get("x"), Some(&Value::Int(2)));
        assert!(m.keys.len() <= 4096 && m.shapes.len() <= 8192, "bounded");
        if i % 1000 == 0 {
            bytes.truncate(11);
            bytes.push(0xa8);
            bytes.extend(format!("{i:08x}").as_bytes());
            bytes.push(2);
            let e = m.decode(&bytes, &options).unwrap_err();
            assert_eq!((e.code(), e.offset()), (Code::DuplicateKey, Some(11)));
        }
    }
}

#[test]
fn wide_maps_leave_the_trie() {
    let mut m = Materializer::new();
    let options = Options::default();
    for n in [1, 255, 256, 257, 300, 5000] {
        let entries: Vec<_> = (0..n).map(|i| (Value::Str(format!("k{i}")), Value::Int(i))).collect();
        check(&mut m, &encode(&Value::Map(entries)), &options);
    }
    let entries: Vec<_> = (0..400).map(|i| (Value::Str(format!("k{}", i % 399)), Value::Int(i))).collect();
    check(&mut m, &encode(&Value::Map(entries)), &options);
    // A long key inside a map inside a map outside the trie.
    let inner = Value::Map(vec![(Value::Str("é".repeat(300)), Value::Null), (Value::Str("b".into()), Value::Null)]);
    let outer = Value::Map(vec![(Value::Str("x".repeat(200)), inner.clone()), (Value::Str("b".into()), inner)]);
    check(&mut m, &encode(&outer), &options);
}

// A compact build reads straight onto a tape under default policies only; its sessions know.
#[cfg(not(samewire_compact))]
#[test]
fn policies_reach_the_tape() {
    let mut m = Materializer::new();
    let set = |name: &str, value: &str| {
        let mut o = Options::default();
        o.set(name, Setting::Str(value)).unwrap();
        o
    };
    let keys = [0x83, 1, 0xa1, b'a', 0xa1, b'b', 2, 0x91, 3, 0xc0];
    for option in ["str", "any", "stringify"] {
        check(&mut m, &keys, &set("map_keys", option));
        check(&mut m, &[0x82, 1, 0xc0, 1, 0xc0], &set("map_keys", option));
        check(&mut m, &[0x82, 0xa1, b'a', 0xc0, 0xa1, b'a', 0xc0], &set("map_keys", option));
    }
    for option in ["error", "last", "first"] {
        check(&mut m, &[0x83, 0xa1, b'a', 1, 0xa1, b'b', 2, 0xa1, b'a', 3], &set("duplicate_keys", option));
    }
    for option in ["error", "replace", "bytes"] {
        check(&mut m, &[0x92, 0xa2, b'a', 0xff, 0xa1, b'b'], &set("invalid_utf8", option));
    }
    let large = encode(&Value::Array(vec![
        Value::Int(1),
        Value::Int((1 << 53) - 1),
        Value::Int(1 << 53),
        Value::Uint(u64::MAX),
    ]));
    let text = |n: u64| Value::Str(n.to_string());
    assert_eq!(
        m.decode(&large, &set("int64", "string")).unwrap(),
        Value::Array(vec![Value::Int(1), Value::Int((1 << 53) - 1), text(1 << 53), text(u64::MAX)])
    );
    let e = m.decode(&large, &set("int64", "number")).unwrap_err();
    assert_eq!((e.code(), e.path()), (Code::IntegerOutOfRange, "/2"));
    let time = encode(&Value::Timestamp(Timestamp::new(8_640_000_000_000, 0).unwrap()));
    check(&mut m, &time, &Options::default());
    let late = encode(&Value::Timestamp(Timestamp::new(8_640_000_000_000, 1).unwrap()));
    assert_eq!(m.decode(&late, &Options::default()).unwrap_err().code(), Code::TimestampOutOfRange);
    let digits = "8640000000000000000001";
    assert_eq!(m.decode(&late, &set("timestamp", "int")).unwrap(), Value::BigInt(digits.into()));
}
