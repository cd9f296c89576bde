//! `samewire diff`

use std::io;

use samewire::{Options, Value, error::push_pointer_key, tagged};

use crate::args::{Diff, Settings};
use crate::failure::Failure;
use crate::notation::Notation;
use crate::output::{self, Output};
use crate::source::{Item, Source};

/// One difference.
struct Difference {
    path: String,
    left: Option<Value>,
    right: Option<Value>,
}

pub fn run(args: &Diff, settings: &Settings) -> Result<i32, Failure> {
    if args.left == "-" && args.right == "-" {
        return Err(Failure::usage("only one of the two can be standard input"));
    }
    let mut left = Source::open(&args.left, settings, None)?;
    let mut right = Source::open(&args.right, settings, None)?;
    // JSON shows binary and times as text: against a format that has them, the texts are compared.
    let plain = |n: Notation| matches!(n, Notation::Json | Notation::Jsonl);
    let as_json = plain(left.origin().notation) != plain(right.origin().notation);
    let mut output = Output::stdout();
    let mut differ = false;
    let mut count = 0u64;
    loop {
        let pair = (next(&mut left, settings)?, next(&mut right, settings)?);
        if matches!(pair, (None, None)) {
            break;
        }
        count += 1;
        let mut found = Vec::new();
        match pair {
            (Some(a), Some(b)) => {
                Comparison { as_json, found: &mut found, options: &settings.options }.values(
                    &mut String::new(),
                    &a,
                    &b,
                );
            }
            (left, right) => found.push(Difference { path: String::new(), left, right }),
        }
        differ |= !found.is_empty();
        if args.quiet && differ {
            return Ok(1);
        }
        for difference in found {
            output.write(difference.shown(settings, count).as_bytes())?;
        }
    }
    output.finish()?;
    Ok(i32::from(differ))
}

fn next(source: &mut Source<'_>, settings: &Settings) -> Result<Option<Value>, Failure> {
    let origin = source.origin();
    source.next_with(&mut |item: Item<'_>| {
        origin.notation.read(item.bytes, &settings.options).map_err(|e| origin.failure(&item, e))
    })
}

struct Comparison<'f> {
    as_json: bool,
    found: &'f mut Vec<Difference>,
    options: &'f Options,
}

impl Comparison<'_> {
    fn values(&mut self, path: &mut String, left: &Value, right: &Value) {
        match (left, right) {
            (Value::Array(a), Value::Array(b)) => {
                for i in 0..a.len().max(b.len()) {
                    self.child(path, &i.to_string(), a.get(i), b.get(i));
                }
            }
            (Value::Map(a), Value::Map(b)) => self.maps(path, a, b),
            _ => {
                if !self.equal(left, right) {
                    let (left, right) = (Some(left.clone()), Some(right.clone()));
                    self.found.push(Difference { path: path.clone(), left, right });
                }
            }
        }
    }

    /// Entries by their keys, in whatever order.
    fn maps(&mut self, path: &mut String, left: &[(Value, Value)], right: &[(Value, Value)]) {
        let mut index: std::collections::HashMap<String, &Value> =
            std::collections::HashMap::with_capacity(right.len());
        for (key, value) in right {
            index.insert(key_name(key), value);
        }
        for (key, value) in left {
            let name = key_name(key);
            self.child(path, &name, Some(value), index.remove(&name));
        }
        for (key, value) in right {
            let name = key_name(key);
            if index.contains_key(&name) {
                self.child(path, &name, None, Some(value));
            }
        }
    }

    fn child(&mut self, path: &mut String, name: &str, left: Option<&Value>, right: Option<&Value>) {
        let before = path.len();
        push_pointer_key(path, name);
        match (left, right) {
            (Some(left), Some(right)) => self.values(path, left, right),
            (left, right) => {
                self.found.push(Difference { path: path.clone(), left: left.cloned(), right: right.cloned() });
            }
        }
        path.truncate(before);
    }

    fn equal(&self, left: &Value, right: &Value) -> bool {
        match (left, right) {
            // NaN is the same value as itself here, and 0.0 is not -0.0.
            (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()),
            (Value::Str(_), Value::Bin(_) | Value::Timestamp(_)) if self.as_json => left == &self.text(right),
            (Value::Bin(_) | Value::Timestamp(_), Value::Str(_)) if self.as_json => &self.text(left) == right,
            _ => left == right,
        }
    }

    /// What the value is in JSON.
    fn text(&self, value: &Value) -> Value {
        let json = Notation::Json;
        let written = json.write(value, self.options, Default::default());
        written.and_then(|b| json.read(b.as_slice(), self.options)).unwrap_or(Value::Null)
    }
}

/// A name that is the same for equal keys and differs for different ones.
fn key_name(key: &Value) -> String {
    match key {
        Value::Str(text) => text.clone(),
        other => notation(other),
    }
}

/// A value in tagged JSON.
fn notation(value: &Value) -> String {
    let written = tagged::to_vec(value, &Options::default());
    written.map_or_else(|e| e.to_string(), |bytes| String::from_utf8_lossy(&bytes).into_owned())
}

impl Difference {
    fn shown(&self, settings: &Settings, value: u64) -> String {
        let kind = match (&self.left, &self.right) {
            (None, _) => "added",
            (_, None) => "removed",
            _ => "changed",
        };
        if settings.json {
            let side = |v: &Option<Value>| v.as_ref().map(tagged::to_json);
            let mut entries = vec![("value", Value::from_u64(value)), ("path", self.path.as_str().into())];
            entries.push(("kind", kind.into()));
            entries.extend(side(&self.left).map(|v| ("left", v)));
            entries.extend(side(&self.right).map(|v| ("right", v)));
            return output::json_line(&output::object(entries));
        }
        let colour = output::colours(settings.color, &io::stdout());
        let (red, green, dim, reset) =
            if colour { ("\x1b[31m", "\x1b[32m", "\x1b[2m", "\x1b[0m") } else { ("", "", "", "") };
        let place = match (self.path.is_empty(), value) {
            (true, 1) => "(the whole value)".into(),
            (true, n) => format!("value {n}"),
            (false, 1) => output::printable(&self.path),
            (false, n) => format!("value {n} {}", output::printable(&self.path)),
        };
        let mut text = format!("{dim}{place}{reset}\n");
        if let Some(left) = &self.left {
            text += &format!("  {red}- {}{reset}\n", brief(left));
        }
        if let Some(right) = &self.right {
            text += &format!("  {green}+ {}{reset}\n", brief(right));
        }
        text
    }
}

fn brief(value: &Value) -> String {
    const MOST: usize = 200;
    let text = output::printable(&notation(value));
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}… ({} characters)", &text[..end], text.chars().count()),
        None => text,
    }
}
