//! The exchange: what each testee writes, every other reads, all pairs, both formats. And chains: a record
//! through four runtimes of ours and both formats comes back as the same bytes.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value as Json, json};

use crate::case::Case;
use crate::expected::List;
use crate::judge::shown;
use crate::run::{Config, Count, Outcome, parallel};
use crate::testee::{Answer, Spec, Testee};
use crate::value::{Value, unhex};

#[derive(Debug)]
pub struct Exchange {
    /// The testees that took part, in the order of rows and columns.
    pub names: Vec<String>,
    pub ours: Vec<bool>,
    /// By row (who wrote), column (who read).
    pub cells: Vec<Vec<Count>>,
    /// Failures: writer, reader, format, case, what was said, the reason if there is one.
    pub findings: Vec<Finding>,
    pub chains: Count,
    pub passed: usize,
    pub explained: usize,
    pub list_faults: Vec<String>,
}

#[derive(Debug)]
pub struct Finding {
    pub name: String,
    pub said: String,
    pub explained: Option<(String, String)>,
}

impl Exchange {
    pub fn failed(&self) -> usize {
        self.findings.iter().filter(|f| f.explained.is_none()).count() + self.list_faults.len()
    }
}

/// A value that is exchanged in one format.
struct Item<'a> {
    case: &'a Case,
    format: &'static str,
    value: Value,
}

/// One testee that takes part.
struct Part<'a> {
    spec: &'a Spec,
    outcome: &'a Outcome,
    /// The checks that it fails for a stated reason.
    differs: BTreeMap<&'a str, (&'a str, &'a str)>,
    /// Its whole list, in the short form: the check that would tell may be among those that were not asked.
    list: List,
}

fn items(cases: &[Case]) -> Vec<Item<'_>> {
    let mut out = Vec::new();
    for case in cases {
        let body = &case.body;
        if case.is_schema()
            || body.contains_key("format")
            || body.contains_key("options")
            || body.contains_key("write_only")
            || body.contains_key("only")
        {
            continue;
        }
        let Some(Ok(value)) = body.get("value").map(Value::from_tagged) else { continue };
        for format in ["msgpack", "json"] {
            if body.contains_key(format) && !(format == "json" && body.contains_key("json_value")) {
                out.push(Item { case, format, value: value.clone() });
            }
        }
    }
    out
}

pub fn run(specs: &[Spec], outcomes: &[Outcome], cases: &[Case], config: &Config) -> Result<Exchange, String> {
    let mut parts = Vec::new();
    for (spec, outcome) in specs.iter().zip(outcomes).filter(|(_, o)| o.missing.is_none()) {
        let has = |op: &str| outcome.hello.ops.iter().any(|o| o == op);
        if has("encode") && has("decode") {
            let explained = outcome.findings.iter().filter_map(|f| Some((f.check.as_str(), f.explained.as_ref()?)));
            let differs = explained.map(|(name, (reason, see))| (name, (reason.as_str(), see.as_str()))).collect();
            let path = config.expected.join(format!("{}.txt", spec.name));
            let list = if config.short && !spec.ours { List::load(&path)? } else { List::default() };
            parts.push(Part { spec, outcome, differs, list });
        }
    }
    let mut items = items(cases);
    if let Some(filter) = &config.filter {
        items.retain(|i| i.case.name.contains(filter.as_str()) || crate::expected::glob(filter, &i.case.name));
    }
    if config.short {
        let mut n = 0;
        items.retain(|_| {
            n += 1;
            n % 4 == 0
        });
    }
    let written = parallel(&parts, config.jobs, |part| write(part, &items, config));
    // Many write the same bytes; each reader reads each spelling once.
    let mut spellings: Vec<BTreeMap<&str, Vec<usize>>> = items.iter().map(|_| BTreeMap::new()).collect();
    for (who, texts) in written.iter().enumerate() {
        for (i, text) in texts.iter().enumerate() {
            if let Some(text) = text {
                spellings[i].entry(text).or_default().push(who);
            }
        }
    }
    let read = parallel(&parts, config.jobs, |part| read(part, &items, &spellings, config));
    let path = config.expected.join("exchange.txt");
    let list = List::load(&path)?;
    let mut out = Exchange {
        names: parts.iter().map(|p| p.spec.name.clone()).collect(),
        ours: parts.iter().map(|p| p.spec.ours).collect(),
        cells: vec![vec![Count::default(); parts.len()]; parts.len()],
        findings: Vec::new(),
        chains: Count::default(),
        passed: 0,
        explained: 0,
        list_faults: Vec::new(),
    };
    let (mut failures, mut ran) = (BTreeMap::new(), BTreeSet::new());
    for (reader, answers) in read.iter().enumerate() {
        for (i, item) in items.iter().enumerate() {
            for (text, writers) in &spellings[i] {
                for writer in writers.iter().copied() {
                    let cell = &mut out.cells[writer][reader];
                    let Some(answer) = answers.get(&(i, *text)) else {
                        cell.skipped += 1;
                        continue;
                    };
                    let (from, to) = (&parts[writer], &parts[reader]);
                    let name = format!("{}>{} {} {}", from.spec.name, to.spec.name, item.format, item.case.name);
                    let want = item.value.on_host(&from.outcome.hello.host).on_host(&to.outcome.hello.host);
                    let unordered = from.outcome.hello.unordered_maps || to.outcome.hello.unordered_maps;
                    let equal = match answer {
                        Answer::Ok(json) => Value::from_tagged(json)
                            .is_ok_and(|got| if unordered { got.unordered() == want.unordered() } else { got == want }),
                        Answer::Skipped(_) => {
                            cell.skipped += 1;
                            continue;
                        }
                        _ => false,
                    };
                    ran.insert(name.clone());
                    if equal {
                        cell.passed += 1;
                        out.passed += 1;
                        continue;
                    }
                    let said = shown(answer);
                    let reason = because(from, "write", item).or_else(|| because(to, "read", item));
                    if reason.is_none() {
                        failures.insert(name.clone(), said.clone());
                    }
                    out.findings.push(Finding { name, said, explained: reason });
                }
            }
        }
    }
    // Pairs are too many to name: here a reason's globs are the list, and one that matches no failure is a fault.
    for (glob, tried) in list.globs().flat_map(|g| ran.iter().find(|n| crate::expected::glob(g, n)).map(|n| (g, n))) {
        if config.filter.is_none() && !config.short && !failures.keys().any(|n| crate::expected::glob(glob, n)) {
            out.list_faults.push(format!("exchange.txt: {glob} matches no failure, but {tried} passed"));
        }
    }
    let place = |name: &str| out.names.iter().position(|n| n == name);
    for finding in &mut out.findings {
        if finding.explained.is_none() {
            finding.explained = list.takes(&finding.name).map(|s| (s.reason.clone(), s.see.clone()));
        }
        let pair = finding.name.split(' ').next().and_then(|p| p.split_once('>'));
        let Some((Some(from), Some(to))) = pair.map(|(a, b)| (place(a), place(b))) else { continue };
        if out.ours[from] && out.ours[to] {
            finding.explained = None;
        }
        let cell = &mut out.cells[from][to];
        if finding.explained.is_some() {
            cell.explained += 1;
            out.explained += 1;
        } else {
            cell.failed += 1;
        }
    }
    chains(&parts, &items, config, &mut out);
    Ok(out)
}

fn because(part: &Part<'_>, verb: &str, item: &Item<'_>) -> Option<(String, String)> {
    let start = format!("{}#{verb}-{}", item.case.name, item.format);
    let found = part.differs.range(start.as_str()..).next().filter(|(name, _)| name.starts_with(&start));
    let found = found.map(|(_, (reason, see))| (*reason, *see));
    let found = found.or_else(|| part.list.beginning(&start).map(|s| (s.reason.as_str(), s.see.as_str())));
    found.map(|(reason, see)| (format!("{}: {reason}", part.spec.name), see.to_owned()))
}

fn takes_part(part: &Part<'_>, item: &Item<'_>) -> bool {
    let hello = &part.outcome.hello;
    hello.formats.iter().any(|f| f == item.format)
        && item.value.times_fit(&hello.host)
        && crate::judge::lacking(&item.value, &hello.lacks).is_none()
}

/// What a testee writes for each item.
fn write(part: &Part<'_>, items: &[Item<'_>], config: &Config) -> Vec<Option<String>> {
    let mut out: Vec<Option<String>> = items.iter().map(|_| None).collect();
    let Ok(mut testee) = Testee::start(part.spec, &config.folder, config.timeout) else { return out };
    let mine: Vec<usize> = (0..items.len()).filter(|i| takes_part(part, &items[*i])).collect();
    let requests: Vec<Json> = mine
        .iter()
        .map(|i| {
            let value = items[*i].value.on_host(&part.outcome.hello.host);
            json!({"op": "encode", "format": items[*i].format, "value": value.to_tagged(), "options": {}})
        })
        .collect();
    for (i, answer) in mine.iter().zip(testee.ask(&requests.iter().collect::<Vec<_>>(), &config.folder)) {
        if let Answer::Ok(Json::String(text)) = answer {
            out[*i] = Some(text);
        }
    }
    out
}

type Read<'a> = BTreeMap<(usize, &'a str), Answer>;

fn read<'a>(
    part: &Part<'_>,
    items: &[Item<'_>],
    spellings: &'a [BTreeMap<&'a str, Vec<usize>>],
    config: &Config,
) -> Read<'a> {
    let Ok(mut testee) = Testee::start(part.spec, &config.folder, config.timeout) else { return Read::new() };
    let mut keys = Vec::new();
    for (i, _) in items.iter().enumerate().filter(|(_, item)| takes_part(part, item)) {
        keys.extend(spellings[i].keys().map(|text| (i, *text)));
    }
    let requests: Vec<Json> = keys
        .iter()
        .map(|(i, text)| json!({"op": "decode", "format": items[*i].format, "input": text, "options": {}}))
        .collect();
    let answers = testee.ask(&requests.iter().collect::<Vec<_>>(), &config.folder);
    keys.into_iter().zip(answers).collect()
}

/// Four runtimes in a row, at every distance in the list of ours.
fn chains(parts: &[Part<'_>], items: &[Item<'_>], config: &Config, out: &mut Exchange) {
    let ours: Vec<&Part<'_>> = parts.iter().filter(|p| p.spec.ours).collect();
    let fits = |v: &Value| ["python", "javascript"].iter().all(|h| v.times_fit(h) && v.on_host(h) == *v);
    let records: Vec<&Item<'_>> = items.iter().filter(|i| i.format == "msgpack" && fits(&i.value)).collect();
    let has_text = |item: &Item<'_>| item.case.body.contains_key("json") && !item.case.body.contains_key("json_value");
    if ours.is_empty() {
        return;
    }
    let mut testees: Vec<Option<Testee>> =
        ours.iter().map(|p| Testee::start(p.spec, &config.folder, config.timeout).ok()).collect();
    for start in 0..ours.len() {
        let step = 1 + start % ours.len().saturating_sub(1).max(1);
        let hop = |n: usize| (start + n * step) % ours.len();
        let route: Vec<&str> = (0..4).map(|n| ours[hop(n)].spec.name.as_str()).collect();
        let mut ask = |who: usize, requests: Vec<Json>| -> Vec<Option<Json>> {
            let Some(testee) = &mut testees[who] else { return requests.iter().map(|_| None).collect() };
            let answers = testee.ask(&requests.iter().collect::<Vec<_>>(), &config.folder);
            answers.into_iter().map(|a| if let Answer::Ok(json) = a { Some(json) } else { None }).collect()
        };
        // MessagePack, host objects, MessagePack … through all four.
        let mut texts = ask(hop(0), records.iter().map(|r| encode("msgpack", r.value.to_tagged())).collect());
        for n in 1..4 {
            let json_leg = n == 2;
            let format = |r: &Item<'_>| if json_leg && has_text(r) { "json" } else { "msgpack" };
            // The third takes JSON that the second makes of the bytes, and the fourth turns it back.
            if json_leg {
                let requests = pairs(&records, &texts, |r, t| {
                    if has_text(r) { transcode("msgpack", "json", t) } else { transcode("msgpack", "msgpack", t) }
                });
                texts = ask(hop(1), requests);
            }
            let values = ask(
                hop(n),
                pairs(&records, &texts, |r, t| json!({"op": "decode", "format": format(r), "input": t, "options": {}})),
            );
            texts = ask(hop(n), pairs(&records, &values, |r, v| encode(format(r), v)));
            if json_leg {
                let requests = pairs(&records, &texts, |r, t| transcode(format(r), "msgpack", t));
                texts = ask(hop(3), requests);
            }
        }
        for (record, text) in records.iter().zip(texts) {
            let want = record.case.body["msgpack"].as_str().and_then(|t| unhex(t).ok());
            let got = text.as_ref().and_then(Json::as_str).and_then(|t| unhex(t).ok());
            if want.is_some() && want == got {
                out.chains.passed += 1;
                out.passed += 1;
            } else {
                out.chains.failed += 1;
                let name = format!("chain {} {}", route.join(">"), record.case.name);
                out.findings.push(Finding {
                    name,
                    said: text.map_or("an error on the way".into(), |t| t.to_string()),
                    explained: None,
                });
            }
        }
    }
}

fn encode(format: &str, value: Json) -> Json {
    json!({"op": "encode", "format": format, "value": value, "options": {}})
}

fn transcode(from: &str, to: &str, input: Json) -> Json {
    json!({"op": "transcode", "from": from, "to": to, "input": input, "options": {}})
}

/// A request for each record; one whose text was lost on the way is asked in vain, so that the order stays.
fn pairs(records: &[&Item<'_>], texts: &[Option<Json>], request: impl Fn(&Item<'_>, Json) -> Json) -> Vec<Json> {
    let lost = || json!({"op": "decode", "format": "msgpack", "input": "", "options": {}});
    records.iter().zip(texts).map(|(r, t)| t.clone().map_or_else(lost, |t| request(r, t))).collect()
}
