//! Transcoding from file to file, in bounded memory where the file is a stream of values.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use samewire::buffer::Buffer;
use samewire::format::Format;
use samewire::stream::{Framing, Splitter, end_value};
use samewire::{Error, Options, transcode};

const CHUNK: usize = 256 << 10;

/// What is to be done with files.
pub struct Files {
    pub source: PathBuf,
    pub target: PathBuf,
    pub from: Format,
    pub to: Format,
    /// The source is a stream of values, and so will the target be.
    pub many: bool,
}

/// Why it was not.
pub enum Failed {
    Data(Error),
    /// What was called on which file.
    Io(&'static str, PathBuf, io::Error),
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Failed::Data(error)
    }
}

impl Files {
    /// Does it, and returns how many values there were. A target that exists is replaced only when all went well.
    pub fn run(&self, options: &Options) -> Result<u64, Failed> {
        let of = |call: &'static str, path: &Path| {
            let path = path.to_owned();
            move |error| Failed::Io(call, path, error)
        };
        let mut input = File::open(&self.source).map_err(of("open", &self.source))?;
        // What is no plain file (a pipe, a device) is written to as it is.
        let special = fs::metadata(&self.target).is_ok_and(|m| !m.is_file() && !m.is_dir());
        let partial = if special { self.target.clone() } else { partial(&self.target) };
        let output = File::create(&partial).map_err(of("open", &self.target))?;
        let mut writer = BufWriter::with_capacity(CHUNK, output);
        let mut result = self.copy(&mut input, &mut writer, options);
        drop(writer);
        if result.is_ok() && !special {
            let done = fs::rename(&partial, &self.target).map_err(of("rename", &self.target));
            result = done.and(result);
        }
        if result.is_err() && !special {
            // It is not there if the rename was the last thing to fail; nothing else can be done.
            let _ = fs::remove_file(&partial);
        }
        result
    }

    fn copy(&self, input: &mut File, output: &mut BufWriter<File>, options: &Options) -> Result<u64, Failed> {
        let read = |error| Failed::Io("read", self.source.clone(), error);
        let write = |error| Failed::Io("write", self.target.clone(), error);
        if !self.many {
            let mut bytes = Vec::new();
            // One byte more than is allowed tells that it is too large.
            let most = (options.limits.max_bytes as u64).saturating_add(1);
            input.take(most).read_to_end(&mut bytes).map_err(read)?;
            let written = transcode::transcode(&bytes, self.from, self.to, options)?;
            output.write_all(&written).and_then(|()| output.flush()).map_err(write)?;
            return Ok(1);
        }
        let mut splitter = Splitter::new(Framing::of(self.from), options);
        let mut chunk = vec![0; CHUNK];
        let mut end = Buffer::with_capacity(16);
        end_value(Framing::of(self.to), &mut end);
        let end = end.into_vec();
        let (mut count, mut ended) = (0, false);
        loop {
            while let Some(value) = splitter.next_value()? {
                let written = transcode::transcode(value, self.from, self.to, options);
                let written = written.map_err(|e| splitter.placed(e))?;
                output.write_all(&written).and_then(|()| output.write_all(&end)).map_err(write)?;
                count += 1;
            }
            if ended {
                break;
            }
            match input.read(&mut chunk) {
                Ok(0) => {
                    ended = true;
                    // A number at the end is complete only now. What is wrong there, `next_value` says.
                    let _ = splitter.finish();
                }
                Ok(n) => splitter.feed(&chunk[..n]),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(read(e)),
            }
        }
        output.flush().map_err(write)?;
        Ok(count)
    }
}

/// A name beside the target, so that the rename stays in one file system.
fn partial(target: &Path) -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let mut name = target.as_os_str().to_owned();
    name.push(format!(".{}.{}.partial", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)));
    name.into()
}

/// Node's name of an error, and what it says.
pub fn described(error: &io::Error) -> (&'static str, &'static str) {
    match error.kind() {
        io::ErrorKind::NotFound => ("ENOENT", "no such file or directory"),
        io::ErrorKind::PermissionDenied => ("EACCES", "permission denied"),
        io::ErrorKind::IsADirectory => ("EISDIR", "illegal operation on a directory"),
        io::ErrorKind::NotADirectory => ("ENOTDIR", "not a directory"),
        io::ErrorKind::AlreadyExists => ("EEXIST", "file already exists"),
        io::ErrorKind::StorageFull => ("ENOSPC", "no space left on device"),
        io::ErrorKind::ReadOnlyFilesystem => ("EROFS", "read-only file system"),
        io::ErrorKind::BrokenPipe => ("EPIPE", "broken pipe"),
        _ => ("EIO", "i/o error"),
    }
}
