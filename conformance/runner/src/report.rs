//! What people see: lines while it runs, the matrix, and the files for browsers and for CI.

use std::fmt::Write;
use std::path::Path;

use serde_json::{Map as Object, Value as Json, json};

use crate::case::Case;
use crate::exchange::Exchange;
use crate::judge::Verdict;
use crate::run::{Count, Outcome};
use crate::testee::Missing;

const PAGE: &str = include_str!("report.html");

fn why(missing: &Missing) -> String {
    match missing {
        Missing::Absent(why) => format!("absent: {why}"),
        Missing::Broken(why) => format!("BROKEN: {why}"),
    }
}

/// One line when a testee is done, and its first failures.
pub fn progress(outcome: &Outcome) {
    let mut text = format!("{:<22}", outcome.spec.name);
    match &outcome.missing {
        Some(missing) => text += &why(missing),
        None => {
            let t = outcome.total();
            let _ = write!(
                text,
                "{} passed, {} failed, {} explained, {} skipped",
                t.passed, t.failed, t.explained, t.skipped
            );
            let _ = write!(text, " in {:.1} s ({} {})", outcome.seconds, outcome.hello.runtime, outcome.hello.version);
            if outcome.restarts > 0 {
                let _ = write!(text, ", {} restarts", outcome.restarts);
            }
        }
    }
    let mut shown = 0;
    for finding in &outcome.findings {
        if let (Verdict::Fail(said), None) = (&finding.verdict, &finding.explained) {
            shown += 1;
            if shown <= 15 {
                let said: String = said.chars().take(160).collect();
                let _ = write!(text, "\n    {}: {said}", finding.check);
            }
        }
    }
    if shown > 15 {
        let _ = write!(text, "\n    and {} more", shown - 15);
    }
    for fault in outcome.list_faults.iter().take(10) {
        let _ = write!(text, "\n    {fault}");
    }
    if outcome.list_faults.len() > 10 {
        let _ = write!(text, "\n    and {} more faults of the list", outcome.list_faults.len() - 10);
    }
    println!("{text}");
}

/// How wide a group's column is: its name and a space, and room for a count.
fn column(group: &str) -> usize {
    group.len().max(10) + 1
}

/// The matrix: testees down, groups across.
pub fn print(outcomes: &[Outcome], exchange: Option<&Exchange>) {
    let mut groups: Vec<&str> = outcomes.iter().flat_map(|o| o.groups.keys().map(String::as_str)).collect();
    groups.sort_unstable();
    groups.dedup();
    println!("\n{:<22}{}", "", groups.iter().map(|g| format!("{g:>0$}", column(g))).collect::<String>());
    for outcome in outcomes {
        let mut line = format!("{:<22}", outcome.spec.name);
        if let Some(missing) = &outcome.missing {
            line += &why(missing).lines().next_back().unwrap_or("").chars().take(100).collect::<String>();
        }
        for group in groups.iter().filter(|_| outcome.missing.is_none()) {
            let _ = write!(line, "{:>1$}", outcome.groups.get(*group).map_or("".into(), cell), column(group));
        }
        println!("{}", line.trim_end());
    }
    println!("✓ all pass · 12✗ failing · 3≠ differ for a stated reason · – not asked");
    if let Some(exchange) = exchange {
        print_exchange(exchange);
    }
}

fn cell(count: &Count) -> String {
    if count.failed > 0 {
        format!("{}✗", count.failed)
    } else if count.explained > 0 {
        format!("{}≠", count.explained)
    } else if count.passed > 0 {
        "✓".into()
    } else {
        "–".into()
    }
}

fn print_exchange(exchange: &Exchange) {
    println!("\nexchange: who wrote (down), who read (across)");
    println!("{:<22}{}", "", (1..=exchange.names.len()).map(|n| format!("{n:>6}")).collect::<String>());
    for (i, row) in exchange.cells.iter().enumerate() {
        let cells: String = row.iter().map(|c| format!("{:>6}", cell(c))).collect();
        println!("{:<22}{cells}", format!("{} {}", i + 1, exchange.names[i]));
    }
    println!(
        "chains through four runtimes of ours: {} passed, {} failed",
        exchange.chains.passed, exchange.chains.failed
    );
    for finding in exchange.findings.iter().filter(|f| f.explained.is_none()).take(20) {
        let said: String = finding.said.chars().take(160).collect();
        println!("    {}: {said}", finding.name);
    }
    for fault in exchange.list_faults.iter().take(10) {
        println!("    {fault}");
    }
}

fn numbers(count: &Count) -> Json {
    json!([count.passed, count.failed, count.explained, count.skipped])
}

/// Writes report.json, junit.xml and report.html.
pub fn write(folder: &Path, cases: &[Case], outcomes: &[Outcome], exchange: Option<&Exchange>) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let data = data(cases, outcomes, exchange);
    let save = |name: &str, text: String| {
        std::fs::write(folder.join(name), text).map_err(|e| format!("{}: {e}", folder.join(name).display()))
    };
    save("report.json", format!("{data}\n"))?;
    save("junit.xml", junit(outcomes))?;
    // Inside a script element only `</` could end it.
    save("report.html", PAGE.replace("\"DATA\"", &data.to_string().replace("</", "<\\/")))?;
    println!("report: {}", folder.join("report.html").display());
    Ok(())
}

fn data(cases: &[Case], outcomes: &[Outcome], exchange: Option<&Exchange>) -> Json {
    let mut used = vec![false; cases.len()];
    let mut testees = Vec::new();
    for outcome in outcomes {
        let mut groups = Object::new();
        for (group, count) in &outcome.groups {
            groups.insert(group.clone(), numbers(count));
        }
        let mut findings = Vec::new();
        let mut reasons: Vec<&(String, String)> = Vec::new();
        for f in &outcome.findings {
            let Verdict::Fail(said) = &f.verdict else { continue };
            used[f.case] = true;
            let said: String = said.chars().take(300).collect();
            let reason = f.explained.as_ref().map(|r| {
                reasons.iter().position(|known| *known == r).unwrap_or_else(|| {
                    reasons.push(r);
                    reasons.len() - 1
                })
            });
            let what = f.check.rsplit('#').next().unwrap_or("");
            findings.push(json!([f.case, what, said, reason]));
        }
        testees.push(json!({
            "name": outcome.spec.name, "ours": outcome.spec.ours, "host": outcome.hello.host, "runtime": outcome.hello.runtime,
            "version": outcome.hello.version, "formats": outcome.hello.formats, "missing": outcome.missing.as_ref().map(why),
            "groups": groups, "findings": findings, "reasons": reasons, "listFaults": outcome.list_faults,
        }));
    }
    let bodies: Vec<Json> = cases.iter().map(|c| shortened(&Json::Object(c.body.clone()))).collect();
    let exchange = exchange.map(|e| {
        let cells: Vec<Json> = e.cells.iter().map(|row| row.iter().map(numbers).collect()).collect();
        let mut by_pair: std::collections::BTreeMap<&str, Vec<Json>> = std::collections::BTreeMap::new();
        for f in &e.findings {
            let (pair, rest) = f.name.split_once(' ').unwrap_or((&f.name, ""));
            let list = by_pair.entry(pair).or_default();
            if list.len() < 200 {
                let said: String = f.said.chars().take(200).collect();
                list.push(json!([rest, said, f.explained]));
            }
        }
        json!({"names": e.names, "ours": e.ours, "cells": cells, "findings": by_pair, "chains": numbers(&e.chains)})
    });
    json!({"cases": bodies, "testees": testees, "exchange": exchange})
}

/// Long texts end in an ellipsis: the page is for reading.
fn shortened(json: &Json) -> Json {
    match json {
        Json::String(text) if text.chars().count() > 240 => Json::String(text.chars().take(240).chain(['…']).collect()),
        Json::Array(items) if items.len() > 24 => {
            items.iter().take(24).map(shortened).chain([Json::String("…".into())]).collect()
        }
        Json::Array(items) => items.iter().map(shortened).collect(),
        Json::Object(object) => {
            let mut out: Object<String, Json> =
                object.iter().take(24).map(|(k, v)| (k.clone(), shortened(v))).collect();
            if object.len() > 24 {
                out.insert("…".into(), Json::Null);
            }
            Json::Object(out)
        }
        scalar => scalar.clone(),
    }
}

fn junit(outcomes: &[Outcome]) -> String {
    let escape = |text: &str| {
        let mut out = String::new();
        for c in text.chars() {
            match c {
                '<' => out += "&lt;",
                '&' => out += "&amp;",
                '"' => out += "&quot;",
                c if c < ' ' || ('\u{fffe}'..='\u{ffff}').contains(&c) => out.push('\u{fffd}'),
                c => out.push(c),
            }
        }
        out
    };
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"conformance\">\n");
    for outcome in outcomes {
        let total = outcome.total();
        let tests = total.passed + total.failed + total.explained + total.skipped;
        let name = escape(&outcome.spec.name);
        let skipped = total.skipped + total.explained + usize::from(outcome.missing.is_some());
        let _ = writeln!(
            out,
            "<testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{}\" skipped=\"{skipped}\" time=\"{:.3}\">",
            outcome.failed(),
            outcome.seconds
        );
        if let Some(missing) = &outcome.missing {
            let _ = writeln!(
                out,
                "<testcase classname=\"{name}\" name=\"start\"><skipped message=\"{}\"/></testcase>",
                escape(&why(missing))
            );
        }
        for (group, count) in &outcome.groups {
            let _ =
                writeln!(out, "<testcase classname=\"{name}\" name=\"{} ({} passed)\"/>", escape(group), count.passed);
        }
        for finding in &outcome.findings {
            let inner = match (&finding.verdict, &finding.explained) {
                (Verdict::Fail(said), None) => format!("<failure message=\"{}\"/>", escape(said)),
                (Verdict::Fail(_), Some((reason, see))) => {
                    format!("<skipped message=\"{} ({})\"/>", escape(reason), escape(see))
                }
                _ => continue,
            };
            let _ =
                writeln!(out, "<testcase classname=\"{name}\" name=\"{}\">{inner}</testcase>", escape(&finding.check));
        }
        for fault in &outcome.list_faults {
            let _ = writeln!(
                out,
                "<testcase classname=\"{name}\" name=\"list\"><failure message=\"{}\"/></testcase>",
                escape(fault)
            );
        }
        out += "</testsuite>\n";
    }
    out + "</testsuites>\n"
}
