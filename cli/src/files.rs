//! The files that a command line names.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::failure::Failure;

/// The names as given, globs expanded; standard input (`-`) where there is none.
pub fn expand(names: &[String]) -> Result<Vec<String>, Failure> {
    if names.is_empty() {
        return Ok(vec!["-".into()]);
    }
    let mut all = Vec::new();
    for name in names {
        // A file that is really called so comes first.
        let is_pattern = name.contains(['*', '?', '[']) && !std::path::Path::new(name).exists();
        if !is_pattern {
            all.push(name.clone());
            continue;
        }
        let paths = glob::glob(name).map_err(|e| Failure::usage(format!("{name}: {}", e.msg)))?;
        let before = all.len();
        for path in paths {
            let path = path.map_err(|e| Failure::file(&e.path().display().to_string(), e.into()))?;
            if path.is_file() {
                all.push(path.display().to_string());
            }
        }
        if all.len() == before {
            return Err(Failure::usage(format!("no file matches {name}")));
        }
    }
    Ok(all)
}

/// Runs `work` on each item, on up to `jobs` threads, and gives `done` the results in the items' order, each as
/// soon as all before it are there.
pub fn in_order<T: Sync, R: Send>(
    items: &[T],
    jobs: usize,
    work: impl Fn(&T) -> R + Sync,
    mut done: impl FnMut(&T, R) + Send,
) {
    let jobs = jobs.min(items.len());
    if jobs <= 1 {
        for item in items {
            done(item, work(item));
        }
        return;
    }
    let next = AtomicUsize::new(0);
    let waiting: Vec<Mutex<Option<R>>> = items.iter().map(|_| Mutex::new(None)).collect();
    let printer = Mutex::new((0, &mut done));
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(i) else { return };
                    let result = work(item);
                    // A thread that panicked ends the scope with its panic; nothing is to be mended here.
                    *waiting[i].lock().unwrap_or_else(|e| e.into_inner()) = Some(result);
                    let mut printer = printer.lock().unwrap_or_else(|e| e.into_inner());
                    let (at, done) = &mut *printer;
                    while let Some(result) =
                        waiting.get(*at).and_then(|w| w.lock().unwrap_or_else(|e| e.into_inner()).take())
                    {
                        done(&items[*at], result);
                        *at += 1;
                    }
                }
            });
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order() {
        let items: Vec<u64> = (0..100).collect();
        let mut seen = Vec::new();
        let work = |n: &u64| {
            std::thread::sleep(std::time::Duration::from_micros((n * 7919) % 300));
            n * 2
        };
        in_order(&items, 4, work, |n, r| seen.push((*n, r)));
        assert_eq!(seen, items.iter().map(|n| (*n, n * 2)).collect::<Vec<_>>());
    }
}
