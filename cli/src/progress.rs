//! A progress bar on standard error, where that is a terminal and the work is long.

use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Work that takes less shows nothing.
const QUIET: Duration = Duration::from_millis(400);
const EVERY: Duration = Duration::from_millis(100);
const WIDTH: usize = 30;

/// How far a command is. Shared by the threads of `--jobs`.
pub struct Progress {
    /// Bytes in all files; 0 where that is not known.
    total: u64,
    done: AtomicU64,
    began: Instant,
    drawn: Option<Mutex<Instant>>,
}

impl Progress {
    /// Progress over files of `total` bytes together; with `quiet`, nothing is ever shown.
    pub fn new(total: u64, quiet: bool) -> Self {
        let shown = !quiet && io::stderr().is_terminal();
        let began = Instant::now();
        Progress { total, done: AtomicU64::new(0), began, drawn: shown.then(|| Mutex::new(began)) }
    }

    /// Says that `bytes` more were read.
    pub fn add(&self, bytes: u64) {
        let done = self.done.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let Some(drawn) = &self.drawn else { return };
        // Another thread that draws now does it for this one, too.
        let Ok(mut drawn) = drawn.try_lock() else { return };
        if self.began.elapsed() > QUIET && drawn.elapsed() > EVERY {
            *drawn = Instant::now();
            let _ = write!(io::stderr().lock(), "\r\x1b[2K{}", self.bar(done, self.began.elapsed()));
        }
    }

    fn bar(&self, done: u64, elapsed: Duration) -> String {
        let seconds = elapsed.as_secs_f64().max(1e-3);
        let rate = done as f64 / seconds;
        let read = format!("{:.0} MB  {:.0} MB/s", done as f64 / 1e6, rate / 1e6);
        if self.total == 0 {
            return read;
        }
        let share = (done as f64 / self.total as f64).min(1.0);
        let full = (share * WIDTH as f64) as usize;
        let left = (self.total.saturating_sub(done)) as f64 / rate.max(1.0);
        let bar = "█".repeat(full) + &"░".repeat(WIDTH - full);
        format!("{bar} {:3.0} %  {read}  {left:.0} s left", share * 100.0)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(drawn) = &self.drawn
            && drawn.lock().is_ok_and(|d| *d != self.began)
        {
            let _ = write!(io::stderr().lock(), "\r\x1b[2K");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_says_how_far_it_is() {
        let p = Progress::new(200_000_000, true);
        let text = p.bar(100_000_000, Duration::from_secs(2));
        assert!(text.contains(" 50 %") && text.contains("50 MB/s") && text.contains("2 s left"), "{text}");
        assert_eq!(text.chars().filter(|c| *c == '█').count(), WIDTH / 2);
        // A file that grew while it was read.
        assert!(p.bar(300_000_000, Duration::from_secs(2)).contains("100 %"));
        assert_eq!(Progress::new(0, true).bar(5_000_000, Duration::from_secs(1)), "5 MB  5 MB/s");
    }
}
