//! Streams: values out of chunks that are cut anywhere.
//!
//! A [`Splitter`] takes chunks and says where each value ends, as soon as its last byte is there. It looks at
//! every byte once and keeps only the value that is not complete. What it hands out is then read by the
//! ordinary readers, which judge it; the splitter itself knows no more of a format than where values end.

mod json;
mod msgpack;

use alloc::vec::Vec;

use crate::error::{Code, Error};
use crate::format::Format;
use crate::options::Options;

/// How values follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// MessagePack values one after another.
    MessagePack,
    /// JSON texts one after another, with or without white space between them (RFC 7464's record separator
    /// 0x1e counts as white space between values).
    Json,
    /// One JSON text a line (JSON Lines); blank lines are passed over.
    JsonLines,
}

impl Framing {
    /// How values of a format follow each other where nothing else is said: [`Json`](Self::Json) takes JSON Lines
    /// as well.
    pub fn of(format: Format) -> Self {
        match format {
            Format::MessagePack => Framing::MessagePack,
            Format::Json => Framing::Json,
        }
    }
}

/// Cuts a stream into encoded values.
///
/// ```
/// use samewire::{Options, stream::{Framing, Splitter}};
/// let mut splitter = Splitter::new(Framing::MessagePack, &Options::default());
/// splitter.feed(&[0x92, 0x01]);
/// assert_eq!(splitter.next_value()?, None);
/// splitter.feed(&[0x02, 0xc0]);
/// assert_eq!(splitter.next_value()?, Some(&[0x92, 0x01, 0x02][..]));
/// assert_eq!(splitter.next_value()?, Some(&[0xc0][..]));
/// splitter.finish()?;
/// # Ok::<(), samewire::Error>(())
/// ```
pub struct Splitter {
    framing: Framing,
    max_bytes: usize,
    max_depth: usize,
    /// For the place of a fault: all options but `max_bytes`.
    options: Options,
    buffer: Vec<u8>,
    /// Where the value that is not complete begins in the buffer, and how far it is scanned. The scan may be
    /// beyond the buffer's end, where a header announced more.
    start: usize,
    scanned: usize,
    /// Offset in the stream of the buffer's first byte.
    base: u64,
    /// Offset in the stream of the value handed out last.
    value_at: u64,
    state: State,
    ended: bool,
    failed: Option<Error>,
}

/// Where in a value the scan is.
#[derive(Clone, Default)]
struct State {
    /// MessagePack: values still to come in each open container. JSON: one for each open bracket.
    open: Vec<u64>,
    /// JSON only.
    text: json::Place,
}

/// What a scan found.
enum Found {
    /// The value ends here.
    End(usize),
    /// All that is there is scanned up to here.
    More(usize),
}

impl Splitter {
    /// A splitter; of the options, `max_bytes` (for one value) and `max_depth` are followed, and where a value is
    /// broken, those that say what a fault is.
    pub fn new(framing: Framing, options: &Options) -> Self {
        let mut own = options.clone();
        own.limits.max_bytes = usize::MAX;
        Splitter {
            options: own,
            framing,
            max_bytes: options.limits.max_bytes,
            max_depth: options.limits.max_depth as usize,
            buffer: Vec::new(),
            start: 0,
            scanned: 0,
            base: 0,
            value_at: 0,
            state: State::default(),
            ended: false,
            failed: None,
        }
    }

    /// Takes the next bytes of the stream.
    pub fn feed(&mut self, chunk: &[u8]) {
        if self.start == self.buffer.len() || self.start > self.buffer.len() / 2 {
            self.buffer.drain(..self.start);
            self.base += self.start as u64;
            self.scanned -= self.start;
            self.start = 0;
        }
        self.buffer.extend_from_slice(chunk);
    }

    /// The next value's bytes, if they are all there.
    ///
    /// # Errors
    /// `invalid-marker`, `depth-exceeded` and `input-too-large`, with the offset in the stream, and `truncated`
    /// where [`finish`](Self::finish) said that the stream has ended and it did so inside a value. After an
    /// error the splitter gives the same one again: where the next value begins is not known.
    pub fn next_value(&mut self) -> Result<Option<&[u8]>, Error> {
        Ok(self.next_value_at()?.map(|(_, bytes)| bytes))
    }

    /// As [`next_value`](Self::next_value), with the value's offset in the stream.
    ///
    /// # Errors
    /// As [`next_value`](Self::next_value).
    pub fn next_value_at(&mut self) -> Result<Option<(u64, &[u8])>, Error> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        match self.next_end() {
            Ok(Found::End(end)) => {
                if end - self.start > self.max_bytes {
                    return Err(self.fail(self.too_large(self.start + self.max_bytes)));
                }
                let value = self.start..end;
                self.value_at = self.base + value.start as u64;
                (self.start, self.scanned) = (end, end);
                self.state.text = json::Place::default();
                Ok(Some((self.value_at, &self.buffer[value])))
            }
            Ok(Found::More(scanned)) => {
                if self.buffer.len() - self.start > self.max_bytes {
                    return Err(self.fail(self.too_large(self.start + self.max_bytes)));
                }
                self.scanned = scanned;
                if self.ended && self.start < self.buffer.len() {
                    return Err(self.fail(self.ends_inside()));
                }
                Ok(None)
            }
            Err(error) => Err(self.fail(error)),
        }
    }

    /// Offset in the stream of the value that [`next_value`](Self::next_value) returned last.
    pub fn value_offset(&self) -> u64 {
        self.value_at
    }

    /// An error that a reader of the value returned last gave, with its place in the stream.
    pub fn placed(&self, error: Error) -> Error {
        let offset = error.offset().map(|at| clamp(self.value_at.saturating_add(at as u64)));
        error.with_offset(offset)
    }

    /// Offset in the stream of the first byte that is in no value yet.
    pub fn position(&self) -> u64 {
        self.base + self.start as u64
    }

    /// Bytes kept for the value that is not complete.
    pub fn pending(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    /// Says that the stream has ended: a JSON number or line at the end is complete then, and
    /// [`next_value`](Self::next_value) returns it, as it does values that nobody has taken yet.
    ///
    /// # Errors
    /// `truncated` at the stream's end where the next value is not complete. Behind values that are still to be
    /// taken, [`next_value`](Self::next_value) says so in its turn. Other faults are left to it as well.
    pub fn finish(&mut self) -> Result<(), Error> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        self.ended = true;
        if self.start == self.buffer.len() {
            return Ok(());
        }
        // A look ahead: the value stays where it is, and the scan where it was.
        let (scanned, state) = (self.scanned, self.state.clone());
        match self.next_end() {
            Ok(Found::More(_)) if self.start < self.buffer.len() => Err(self.fail(self.ends_inside())),
            _ => {
                (self.scanned, self.state) = (scanned.max(self.start), state);
                Ok(())
            }
        }
    }

    /// Looks for the end of the next value.
    fn next_end(&mut self) -> Result<Found, Error> {
        if self.framing != Framing::MessagePack && self.state.open.is_empty() && self.scanned == self.start {
            self.pass_over();
        }
        match self.framing {
            Framing::MessagePack => self.scan_msgpack(),
            Framing::Json => self.scan_json(),
            Framing::JsonLines => self.scan_line(),
        }
    }

    fn ends_inside(&self) -> Error {
        self.error(Code::Truncated, "the stream ends inside a value", self.buffer.len())
    }

    /// Steps over what stands between JSON values.
    fn pass_over(&mut self) {
        let blank = |b: &u8| matches!(b, b' ' | b'\t' | b'\r' | b'\n' | 0x1e);
        let n = self.buffer[self.start..].iter().take_while(|b| blank(b)).count();
        self.start += n;
        self.scanned = self.start;
    }

    fn too_large(&self, at: usize) -> Error {
        let max = self.max_bytes;
        Error::new(Code::InputTooLarge, message!["a value in the stream has more than max_bytes = ", max, " bytes"])
            .at(clamp(self.base + at as u64))
            .with_path("")
    }

    fn error(&self, code: Code, message: &'static str, at: usize) -> Error {
        Error::new(code, message).at(clamp(self.base + at as u64)).with_path("")
    }

    fn fail(&mut self, error: Error) -> Error {
        let error = self.with_place(error);
        self.failed = Some(error.clone());
        error
    }

    /// The scan keeps no path and looks at structure only: the reader finds both the path and what was wrong before.
    /// It sees as much in every split, for it stops at the scan's fault at the latest.
    fn with_place(&self, error: Error) -> Error {
        if !matches!(error.code(), Code::Truncated | Code::InvalidMarker | Code::DepthExceeded) {
            return error;
        }
        let found = match self.framing {
            Framing::MessagePack => crate::msgpack::Reader::fault_in_beginning(self.pending(), &self.options),
            _ => crate::transcode::check(Format::Json, self.pending(), &self.options).err(),
        };
        match found {
            // Also where a length is beyond what has come: of a stream, more might have.
            Some(found) if matches!(found.code(), Code::Truncated | Code::LengthExceedsInput) => {
                error.with_path(found.path())
            }
            Some(found) => {
                let offset = found.offset().map(|at| clamp(self.position() + at as u64));
                found.with_offset(offset)
            }
            None => error,
        }
    }
}

fn clamp(offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}

/// Appends one value after another to a stream, each as soon as it is written: nothing to frame in
/// MessagePack, a line feed after each text in JSON Lines.
pub fn end_value(framing: Framing, out: &mut crate::buffer::Buffer) {
    if framing != Framing::MessagePack {
        out.extend(b"\n");
    }
}
