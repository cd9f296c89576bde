//! Lists of expected failures: what a testee does otherwise, under the reason for it.
//!
//! ```text
//! # a comment
//! [NaN and the infinities are written, which JSON does not have]
//! see: RFC 8259 §6; python/cpython documentation of allow_nan
//! match: float/*#write-json float/nan*      which new failures `--fix` puts here
//! said: NaN                                 and only those whose answer has this text
//! sometimes: it depends on the load         these may also pass
//! float/nan#write-json
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// The section where `--fix` puts what no `match` takes. It explains nothing, so its entries fail the run.
pub const UNEXPLAINED: &str = "unexplained";

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    pub reason: String,
    pub see: String,
    matches: Vec<String>,
    said: Vec<String>,
    /// Why an entry may also pass; where it is empty a pass is an error.
    sometimes: String,
    names: BTreeSet<String>,
}

#[derive(Clone, Debug, Default)]
pub struct List {
    head: String,
    pub sections: Vec<Section>,
    by_name: BTreeMap<String, usize>,
}

impl List {
    /// Reads a list; an absent file is an empty one.
    pub fn load(path: &Path) -> Result<List, String> {
        match std::fs::read_to_string(path) {
            Ok(text) => List::parse(&text).map_err(|e| format!("{}: {e}", path.display())),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(List::default()),
            Err(e) => Err(format!("{}: {e}", path.display())),
        }
    }

    fn parse(text: &str) -> Result<List, String> {
        let mut list = List::default();
        for (i, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() {
                continue;
            }
            if line.starts_with('#') {
                if list.sections.is_empty() {
                    let _ = writeln!(list.head, "{line}");
                }
                continue;
            }
            if let Some(reason) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
                list.sections.push(Section { reason: reason.to_owned(), ..Section::default() });
                continue;
            }
            let index = list.sections.len();
            let section = list.sections.last_mut().ok_or_else(|| format!("line {}: no [reason] above", i + 1))?;
            if let Some(see) = line.strip_prefix("see:") {
                section.see = see.trim().to_owned();
            } else if let Some(why) = line.strip_prefix("sometimes:") {
                section.sometimes = why.trim().to_owned();
            } else if let Some(globs) = line.strip_prefix("match:") {
                section.matches.extend(globs.split_whitespace().map(str::to_owned));
            } else if let Some(text) = line.strip_prefix("said:") {
                section.said.push(text.trim().to_owned());
            } else if list.by_name.insert(line.to_owned(), index - 1).is_some() {
                return Err(format!("line {}: {line} stands twice", i + 1));
            } else {
                section.names.insert(line.to_owned());
            }
        }
        for section in &list.sections {
            if section.see.is_empty() && section.reason != UNEXPLAINED {
                return Err(format!("[{}] has no `see:` line", section.reason));
            }
        }
        Ok(list)
    }

    /// The section that lists a failure.
    pub fn find(&self, name: &str) -> Option<&Section> {
        self.by_name.get(name).map(|i| &self.sections[*i])
    }

    /// The section whose globs match a name.
    pub fn takes(&self, name: &str) -> Option<&Section> {
        self.sections.iter().find(|s| s.matches.iter().any(|g| glob(g, name)))
    }

    /// The section of the first check whose name begins so, or that takes the name itself.
    pub fn beginning(&self, start: &str) -> Option<&Section> {
        let named = self.by_name.range(start.to_owned()..).next().filter(|(name, _)| name.starts_with(start));
        named.map(|(_, i)| &self.sections[*i]).or_else(|| self.takes(start))
    }

    /// The globs of all sections.
    pub fn globs(&self) -> impl Iterator<Item = &str> {
        self.sections.iter().flat_map(|s| s.matches.iter().map(String::as_str))
    }

    pub fn len(&self) -> usize {
        self.by_name.len()
    }

    /// The entries that must fail.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let always = self.by_name.iter().filter(|(_, i)| self.sections[**i].sometimes.is_empty());
        always.map(|(name, _)| name.as_str())
    }

    /// The list for these failures (name and what was said): known ones stay where they are, new ones go where a
    /// `match` takes them. Names that `was_run` does not hold are kept.
    pub fn fixed(&self, failures: &BTreeMap<String, String>, was_run: &BTreeSet<String>) -> List {
        let mut list = self.clone();
        list.by_name.clear();
        for section in &mut list.sections {
            let sometimes = !section.sometimes.is_empty();
            section.names.retain(|n| failures.contains_key(n) || !was_run.contains(n) || sometimes);
        }
        for (name, said) in failures {
            if self.find(name).is_some_and(|s| s.reason != UNEXPLAINED) {
                continue;
            }
            let takes = |s: &Section| {
                s.matches.iter().any(|g| glob(g, name))
                    && (s.said.is_empty() || s.said.iter().any(|t| said.contains(t.as_str())))
            };
            for section in &mut list.sections {
                section.names.remove(name);
            }
            match list.sections.iter_mut().find(|s| takes(s)) {
                Some(section) => section.names.insert(name.clone()),
                None => {
                    let at = list.sections.iter().position(|s| s.reason == UNEXPLAINED).unwrap_or_else(|| {
                        list.sections.push(Section { reason: UNEXPLAINED.into(), ..Section::default() });
                        list.sections.len() - 1
                    });
                    list.sections[at].names.insert(name.clone())
                }
            };
        }
        list.sections.retain(|s| s.reason != UNEXPLAINED || !s.names.is_empty());
        list
    }

    pub fn text(&self) -> String {
        let mut out = self.head.clone();
        for s in &self.sections {
            let _ = write!(out, "\n[{}]\n", s.reason);
            if !s.see.is_empty() {
                let _ = writeln!(out, "see: {}", s.see);
            }
            if !s.matches.is_empty() {
                let _ = writeln!(out, "match: {}", s.matches.join(" "));
            }
            for said in &s.said {
                let _ = writeln!(out, "said: {said}");
            }
            if !s.sometimes.is_empty() {
                let _ = writeln!(out, "sometimes: {}", s.sometimes);
            }
            for name in &s.names {
                let _ = writeln!(out, "{name}");
            }
        }
        out
    }
}

/// `*` stands for any run of characters, blanks among them.
pub fn glob(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or("");
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs() {
        for (pattern, text, is) in [
            ("a/b", "a/b", true),
            ("a/b", "a/bc", false),
            ("a/*", "a/bc", true),
            ("*#read", "x/y#read", true),
            ("a*c*e", "abcde", true),
            ("a*c*e", "abcd", false),
            ("*", "", true),
            ("a*a", "a", false),
        ] {
            assert_eq!(glob(pattern, text), is, "{pattern} {text}");
        }
    }

    #[test]
    fn fixing_keeps_reasons_and_drops_what_passes() {
        let list = List::parse("# head\n[rounds]\nsee: spec\nmatch: int/*\nint/a#x\nint/b#x\n").unwrap();
        let ran = BTreeSet::from(["int/a#x".to_owned(), "int/b#x".to_owned()]);
        let failures = BTreeMap::from([
            ("int/a#x".to_owned(), String::new()),
            ("int/c#x".to_owned(), String::new()),
            ("str/d#x".to_owned(), String::new()),
        ]);
        let fixed = List::parse(&list.fixed(&failures, &ran).text()).unwrap();
        assert_eq!(fixed.find("int/c#x").unwrap().reason, "rounds");
        assert_eq!(fixed.find("str/d#x").unwrap().reason, UNEXPLAINED);
        assert!(fixed.find("int/b#x").is_none());
        assert!(fixed.text().starts_with("# head\n"));
    }

    #[test]
    fn a_reason_cites_something() {
        assert!(List::parse("[because]\na/b#c\n").is_err());
        assert!(List::parse("a/b#c\n").is_err());
    }
}
