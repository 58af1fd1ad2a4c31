//! `fuzz TARGET SECONDS SEED FOLDER`, or `fuzz TARGET --input FILE`: what `cargo xtask fuzz` runs.
//!
//! Each input is written down before it is run, so that one that takes the process with it, by a
//! stack that runs out or a loop without end, is not lost.

use countersign_fuzz::clock::Stopwatch;
use countersign_fuzz::drive::{Finding, Report, Search, Watched};
use countersign_fuzz::target::Target;
use countersign_fuzz::{guard, limits, targets};
use std::fs::File;
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// No input takes this long; the process is stuck.
const STUCK: Duration = Duration::from_secs(20);

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ended = match words.as_slice() {
        [name, "--input", file] => target(name).and_then(|target| one(target, Path::new(file))),
        [name, seconds, seed, folder] => target(name).and_then(|target| {
            let number = |word: &str| word.parse().map_err(|_| format!("`{word}` is no number"));
            search(target, Duration::from_secs(number(seconds)?), number(seed)?, Path::new(folder))
        }),
        _ => Err("usage: fuzz TARGET SECONDS SEED FOLDER | fuzz TARGET --input FILE".to_owned()),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn target(name: &str) -> Result<&'static Target, String> {
    targets::find(name).ok_or_else(|| format!("there is no target `{name}`"))
}

fn one(target: &Target, file: &Path) -> Result<(), String> {
    let input = std::fs::read(file).map_err(|error| format!("`{}`: {error}", file.display()))?;
    guard::hold(target, &input, limits::PATIENCE).map(|_| println!("{}: it holds", target.name))
}

fn search(target: &Target, time: Duration, seed: u64, folder: &Path) -> Result<(), String> {
    let cannot = |error: std::io::Error| format!("{}: {error}", target.name);
    std::fs::create_dir_all(folder).map_err(cannot)?;
    forget(target, folder).map_err(cannot)?;
    let current = folder.join(format!("{}.current", target.name));
    let mut last = File::create(&current).map_err(cannot)?;
    let tried = Arc::new(AtomicU64::new(0));
    let (stop, stopped) = channel::<()>();
    let watchdog = std::thread::spawn({
        let (tried, current) = (Arc::clone(&tried), current.clone());
        move || watch(&stopped, &tried, &current)
    });
    let watch = Stopwatch::start();
    let report =
        Search::new(target, seed, limits::PATIENCE).map_err(cannot)?.run(|input, so_far| {
            tried.store(so_far.tried + 1, Ordering::Relaxed);
            match write_down(&mut last, input) {
                Ok(()) if watch.elapsed() < time => Watched::GoOn,
                Ok(()) | Err(_) => Watched::Stop,
            }
        });
    drop(stop);
    // It ends once the channel is closed; there is nothing it could fail at.
    let _ended = watchdog.join();
    std::fs::remove_file(&current).map_err(cannot)?;
    told(target, &report, folder)
}

/// What an earlier search found is mended by now, or will be found again.
fn forget(target: &Target, folder: &Path) -> std::io::Result<()> {
    for at in 1..=limits::FINDINGS {
        match std::fs::remove_file(finding(target, at, folder)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

fn finding(target: &Target, at: usize, folder: &Path) -> PathBuf {
    folder.join(format!("{}-{at}", target.name))
}

fn write_down(file: &mut File, input: &[u8]) -> std::io::Result<()> {
    file.rewind()?;
    file.write_all(input)?;
    file.set_len(input.len() as u64)
}

/// Ends the process when one input takes far too long: nothing else could.
fn watch(stopped: &Receiver<()>, tried: &AtomicU64, current: &Path) {
    let mut before = 0;
    while stopped.recv_timeout(STUCK) == Err(RecvTimeoutError::Timeout) {
        let now = tried.load(Ordering::Relaxed);
        if now == before {
            eprintln!("stuck for {STUCK:?} on the input in `{}`", current.display());
            std::process::exit(3);
        }
        before = now;
    }
}

fn told(target: &Target, report: &Report, folder: &Path) -> Result<(), String> {
    let Report { tried, seeds, kept, traits, findings } = report;
    println!(
        "{}: {tried} inputs from {seeds} seeds, {kept} kept, {traits} traits, {} findings",
        target.name,
        findings.len()
    );
    let mut lines = Vec::new();
    for (at, finding) in (1..).zip(findings) {
        let file = keep(target, at, finding, folder).map_err(|error| error.to_string())?;
        lines.push(format!("{}: {}\n  input: {}", target.name, finding.why, file.display()));
    }
    if lines.is_empty() { Ok(()) } else { Err(lines.join("\n")) }
}

fn keep(target: &Target, at: usize, finding: &Finding, folder: &Path) -> std::io::Result<PathBuf> {
    let file = self::finding(target, at, folder);
    std::fs::write(&file, &finding.input)?;
    Ok(file)
}
