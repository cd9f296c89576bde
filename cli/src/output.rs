//! Where results go: standard output or a file that appears only when it is complete.

use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use samewire::inspect::Style;
use samewire::{Format, Options, Value, transcode};

use crate::args::Color;
use crate::failure::Failure;

/// Standard output, or a file that replaces what was there when [`finish`](Output::finish) is called.
pub struct Output {
    writer: BufWriter<Box<dyn Write + Send>>,
    name: String,
    /// The file that is written, and the one that it becomes.
    file: Option<(PathBuf, PathBuf)>,
}

const BUFFER: usize = 64 << 10;

impl Output {
    pub fn stdout() -> Self {
        Output {
            writer: BufWriter::with_capacity(BUFFER, Box::new(io::stdout())),
            name: "standard output".into(),
            file: None,
        }
    }

    pub fn create(path: &Path) -> Result<Self, Failure> {
        let name = path.display().to_string();
        // Beside the target, so that the rename stays in one file system; the id keeps two runs apart.
        let mut partial = path.as_os_str().to_owned();
        partial.push(format!(".{}.partial", std::process::id()));
        let partial = PathBuf::from(partial);
        // What is no plain file (a pipe, a device) is written to as it is.
        let special = std::fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir());
        let target = if special { path } else { &partial };
        let file = File::create(target).map_err(|e| Failure::file(&name, e))?;
        Ok(Output {
            writer: BufWriter::with_capacity(BUFFER, Box::new(file)),
            name,
            file: (!special).then(|| (partial, path.to_owned())),
        })
    }

    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.writer.write_all(bytes).map_err(|e| Failure::file(&self.name, e))
    }

    /// Writes out what is buffered, and puts a file in its place.
    pub fn finish(mut self) -> Result<(), Failure> {
        self.writer.flush().map_err(|e| Failure::file(&self.name, e))?;
        if let Some((partial, path)) = self.file.take() {
            std::fs::rename(&partial, &path).map_err(|e| Failure::file(&self.name, e))?;
        }
        Ok(())
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Some((partial, _)) = &self.file {
            let _ = std::fs::remove_file(partial);
        }
    }
}

/// Lets what writes text write to an output, and keeps the failure that `fmt` has no room for.
pub struct TextOutput<'o> {
    pub output: &'o mut Output,
    pub failure: Option<Failure>,
}

impl fmt::Write for TextOutput<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.output.write(text.as_bytes()).map_err(|f| {
            self.failure = Some(f);
            fmt::Error
        })
    }
}

/// True if a stream is to be coloured.
pub fn colours(color: Color, stream: &impl IsTerminal) -> bool {
    match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => stream.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()),
    }
}

/// The style of text on standard output.
pub fn style(color: Color) -> Style {
    if colours(color, &io::stdout()) { Style::Ansi } else { Style::Plain }
}

/// A map for scripts.
pub fn object<'k>(entries: impl IntoIterator<Item = (&'k str, Value)>) -> Value {
    Value::Map(entries.into_iter().map(|(k, v)| (k.into(), v)).collect())
}

/// A value of ours as a line of JSON.
pub fn json_line(value: &Value) -> String {
    // Of text, integers and finite floats there is nothing that JSON cannot hold.
    let bytes = transcode::to_vec(Format::Json, value, &Options::default()).unwrap_or_default();
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    text.push('\n');
    text
}

/// Text with everything escaped that could move a terminal's cursor.
pub fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '\'' | '\\' => out.push(c),
            c => out.extend(c.escape_debug()),
        }
    }
    out
}
