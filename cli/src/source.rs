//! A file or standard input, cut into values as it is read: memory is bounded by the largest value.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};

use samewire::stream::Splitter;
use samewire::visit::Nothing;
use samewire::{Code, Error, Options};

use crate::args::Settings;
use crate::detect;
use crate::failure::{DataFailure, Failure};
use crate::notation::Notation;
use crate::output;
use crate::progress::Progress;

const CHUNK: usize = 256 << 10;

/// The values of one file.
pub struct Source<'p> {
    origin: Origin,
    input: Box<dyn Read>,
    splitter: Splitter,
    chunk: Vec<u8>,
    /// How much of the chunk is to be fed before more is read.
    ahead: usize,
    ended: bool,
    /// An input without any value is an error.
    wants_one: bool,
    count: u64,
    lines: Lines,
    progress: Option<&'p Progress>,
}

/// What is needed to say where a fault lies.
#[derive(Clone)]
pub struct Origin {
    name: String,
    pub notation: Notation,
    options: Options,
    colour: bool,
}

/// Counts the lines before each value of JSON Lines.
#[derive(Default)]
struct Lines {
    fed: u64,
    before: u64,
    /// Offsets of the line feeds that were fed and are not yet passed.
    feeds: VecDeque<u64>,
}

/// A value as it stands in its file.
pub struct Item<'s> {
    pub bytes: &'s [u8],
    pub at: Place,
}

/// Where a value stands.
#[derive(Clone)]
pub struct Place {
    /// Which value it is, from 1.
    pub value: u64,
    pub base: u64,
    pub line: Option<u64>,
}

/// Bytes of a file; 0 for what has no size.
pub fn size(name: &str) -> u64 {
    if name == "-" { 0 } else { std::fs::metadata(name).map_or(0, |m| m.len()) }
}

/// A name for messages.
pub fn shown(name: &str) -> &str {
    if name == "-" { "standard input" } else { name }
}

fn open(name: &str) -> Result<Box<dyn Read>, Failure> {
    if name == "-" {
        return Ok(Box::new(io::stdin()));
    }
    let file = File::open(name).map_err(|e| Failure::file(name, e))?;
    if file.metadata().is_ok_and(|m| m.is_dir()) {
        return Err(Failure::file(name, io::Error::other("is a folder")));
    }
    Ok(Box::new(file))
}

/// All bytes of a file, and their notation.
pub fn read_all(name: &str, settings: &Settings) -> Result<(Vec<u8>, Notation), Failure> {
    let mut bytes = Vec::new();
    let max = settings.options.limits.max_bytes as u64;
    let read = open(name)?.take(max.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|e| Failure::file(shown(name), e))?;
    let notation = settings.from.unwrap_or_else(|| detect::notation(&bytes, true));
    Ok((bytes, notation))
}

impl Origin {
    /// The failure for an error in a value.
    pub fn failure(&self, item: &Item<'_>, error: Error) -> Failure {
        Failure::Data(Box::new(self.data_failure(item, error)))
    }

    /// As [`failure`](Self::failure), for those that go on.
    pub fn data_failure(&self, item: &Item<'_>, error: Error) -> DataFailure {
        let failure = DataFailure {
            file: self.name.clone(),
            value: item.at.value,
            many: item.at.value > 1,
            line: item.at.line,
            base: item.at.base,
            error,
            excerpt: String::new(),
        };
        failure.with_excerpt(item.bytes, self.notation, &self.options, self.colour)
    }
}

impl<'p> Source<'p> {
    /// Opens a file and looks at how it begins.
    pub fn open(name: &str, settings: &Settings, progress: Option<&'p Progress>) -> Result<Self, Failure> {
        let mut input = open(name)?;
        let mut chunk = vec![0; CHUNK];
        let ahead = read_some(&mut *input, &mut chunk).map_err(|e| Failure::file(shown(name), e))?;
        let notation = settings.from.unwrap_or_else(|| detect::notation(&chunk[..ahead], false));
        Ok(Source {
            origin: Origin {
                name: shown(name).into(),
                notation,
                options: settings.options.clone(),
                colour: output::colours(settings.color, &io::stderr()),
            },
            input,
            splitter: Splitter::new(notation.framing(), &settings.options),
            chunk,
            ahead,
            ended: false,
            wants_one: !matches!(settings.from, Some(Notation::Jsonl | Notation::Msgpack)),
            count: 0,
            lines: Lines::default(),
            progress,
        })
    }

    /// Where the values come from.
    pub fn origin(&self) -> Origin {
        self.origin.clone()
    }

    /// Hands each value to `work`. Returns how many there were.
    pub fn for_each(mut self, mut work: impl FnMut(Item<'_>) -> Result<(), Failure>) -> Result<u64, Failure> {
        while self.next_with(&mut work)?.is_some() {}
        Ok(self.count)
    }

    /// Hands the next value to `work`; `None` at the end.
    pub fn next_with<R>(
        &mut self,
        work: &mut impl FnMut(Item<'_>) -> Result<R, Failure>,
    ) -> Result<Option<R>, Failure> {
        loop {
            match self.splitter.next_value_at() {
                Ok(None) => {}
                Ok(Some((base, bytes))) => {
                    self.count += 1;
                    let line = (self.origin.notation == Notation::Jsonl).then(|| self.lines.of(base));
                    return work(Item { bytes, at: Place { value: self.count, base, line } }).map(Some);
                }
                Err(error) => return Err(self.broken(error)),
            }
            if self.ended {
                return if self.count == 0 && self.wants_one { Err(self.empty()) } else { Ok(None) };
            }
            self.feed()?;
        }
    }

    fn feed(&mut self) -> Result<(), Failure> {
        if self.ahead == 0 {
            let read = read_some(&mut *self.input, &mut self.chunk);
            self.ahead = read.map_err(|e| Failure::file(&self.origin.name, e))?;
        }
        let chunk = &self.chunk[..self.ahead];
        if let Some(progress) = self.progress {
            progress.add(chunk.len() as u64);
        }
        if chunk.is_empty() {
            self.ended = true;
            return self.splitter.finish().map_err(|e| self.broken(e));
        }
        if self.origin.notation == Notation::Jsonl {
            self.lines.feed(chunk);
        }
        self.splitter.feed(chunk);
        self.ahead = 0;
        Ok(())
    }

    /// The failure for a value that has no end. The reader knows better than the splitter what is wrong with it.
    fn broken(&self, error: Error) -> Failure {
        let bytes = self.splitter.pending();
        let base = self.splitter.position();
        let item = Item { bytes, at: Place { value: self.count + 1, base, line: None } };
        let format = self.origin.notation.format();
        let read = match error.code() {
            Code::InputTooLarge => None,
            _ => samewire::transcode::read(format, bytes, &self.origin.options, &mut Nothing).err(),
        };
        let error = read.unwrap_or_else(|| {
            let offset = error.offset().map(|o| o.saturating_sub(base as usize));
            error.with_offset(offset)
        });
        self.origin.failure(&item, error)
    }

    fn empty(&self) -> Failure {
        let item = Item { bytes: b"", at: Place { value: 1, base: 0, line: None } };
        self.origin.failure(&item, Error::new(Code::Truncated, "the input is empty").at(0))
    }
}

impl Lines {
    fn feed(&mut self, chunk: &[u8]) {
        let feeds = chunk.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(i, _)| self.fed + i as u64);
        self.feeds.extend(feeds);
        self.fed += chunk.len() as u64;
    }

    /// The line, from 1, that the byte at `offset` stands in; offsets only grow.
    fn of(&mut self, offset: u64) -> u64 {
        while self.feeds.front().is_some_and(|f| *f < offset) {
            self.feeds.pop_front();
            self.before += 1;
        }
        self.before + 1
    }
}

/// One read; what comes in pieces is worked on in pieces.
fn read_some(input: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match input.read(buffer) {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}
