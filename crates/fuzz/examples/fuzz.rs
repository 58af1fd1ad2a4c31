//! `fuzz TARGET SECONDS SEED FOLDER`, or `fuzz TARGET --input FILE`: the program that `cargo xtask
//! fuzz` runs.
//!
//! Each input is saved before it runs, so that an input that ends the process by a stack overflow or
//! an endless loop is not lost.

use countersign_fuzz::clock::Stopwatch;
use countersign_fuzz::search::{Finding, FuzzReport, FuzzSearch, SearchControl};
use countersign_fuzz::target::Target;
use countersign_fuzz::{limits, runner, targets};
use std::fs::File;
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// A process that spends this long on one input is stuck.
const STUCK_TIMEOUT: Duration = Duration::from_secs(20);

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        [name, "--input", file] => {
            find_target(name).and_then(|target| run_one_input(target, Path::new(file)))
        }
        [name, seconds, seed, folder] => find_target(name).and_then(|target| {
            let number = |word: &str| word.parse().map_err(|_| format!("`{word}` is not a number"));
            run_search(
                target,
                Duration::from_secs(number(seconds)?),
                number(seed)?,
                Path::new(folder),
            )
        }),
        _ => Err("usage: fuzz TARGET SECONDS SEED FOLDER | fuzz TARGET --input FILE".to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn find_target(name: &str) -> Result<&'static Target, String> {
    targets::find_target(name).ok_or_else(|| format!("there is no target `{name}`"))
}

fn run_one_input(target: &Target, file: &Path) -> Result<(), String> {
    let input = std::fs::read(file).map_err(|error| format!("`{}`: {error}", file.display()))?;
    runner::run_with_time_limit(target, &input, limits::INPUT_TIME_LIMIT)
        .map(|_| println!("{}: the property holds", target.name))
}

fn run_search(target: &Target, time: Duration, seed: u64, folder: &Path) -> Result<(), String> {
    let io_error = |error: std::io::Error| format!("{}: {error}", target.name);
    std::fs::create_dir_all(folder).map_err(io_error)?;
    delete_old_findings(target, folder).map_err(io_error)?;
    let current = folder.join(format!("{}.current", target.name));
    let mut last = File::create(&current).map_err(io_error)?;
    let tried = Arc::new(AtomicU64::new(0));
    let (stop, stopped) = channel::<()>();
    let watchdog = std::thread::spawn({
        let (tried, current) = (Arc::clone(&tried), current.clone());
        move || watch_for_hang(&stopped, &tried, &current)
    });
    let watch = Stopwatch::start();
    let report = FuzzSearch::new(target, seed, limits::INPUT_TIME_LIMIT).map_err(io_error)?.run(
        |input, progress| {
            tried.store(progress.inputs_tried + 1, Ordering::Relaxed);
            match write_input(&mut last, input) {
                Ok(()) if watch.elapsed() < time => SearchControl::Continue,
                Ok(()) | Err(_) => SearchControl::Stop,
            }
        },
    );
    drop(stop);
    // The thread ends once the channel is closed, and cannot fail.
    let _joined = watchdog.join();
    std::fs::remove_file(&current).map_err(io_error)?;
    print_report(target, &report, folder)
}

/// Deletes the findings of an earlier search: they are fixed by now, or will be found again.
fn delete_old_findings(target: &Target, folder: &Path) -> std::io::Result<()> {
    for at in 1..=limits::MAX_FINDINGS {
        match std::fs::remove_file(finding_path(target, at, folder)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

fn finding_path(target: &Target, at: usize, folder: &Path) -> PathBuf {
    folder.join(format!("{}-{at}", target.name))
}

fn write_input(file: &mut File, input: &[u8]) -> std::io::Result<()> {
    file.rewind()?;
    file.write_all(input)?;
    file.set_len(input.len() as u64)
}

/// Ends the process if one input takes far too long; an endless loop cannot be stopped otherwise.
fn watch_for_hang(stopped: &Receiver<()>, tried: &AtomicU64, current: &Path) {
    let mut last_count = 0;
    while stopped.recv_timeout(STUCK_TIMEOUT) == Err(RecvTimeoutError::Timeout) {
        let count = tried.load(Ordering::Relaxed);
        if count == last_count {
            eprintln!("stuck for {STUCK_TIMEOUT:?} on the input in `{}`", current.display());
            std::process::exit(3);
        }
        last_count = count;
    }
}

fn print_report(target: &Target, report: &FuzzReport, folder: &Path) -> Result<(), String> {
    let FuzzReport { inputs_tried, seeds, inputs_kept, features, findings } = report;
    println!(
        "{}: {inputs_tried} inputs from {seeds} seeds, {inputs_kept} kept, {features} features, {} findings",
        target.name,
        findings.len()
    );
    let mut lines = Vec::new();
    for (at, finding) in (1..).zip(findings) {
        let file = save_finding(target, at, finding, folder).map_err(|error| error.to_string())?;
        lines.push(format!("{}: {}\n  input: {}", target.name, finding.message, file.display()));
    }
    if lines.is_empty() { Ok(()) } else { Err(lines.join("\n")) }
}

fn save_finding(
    target: &Target,
    at: usize,
    finding: &Finding,
    folder: &Path,
) -> std::io::Result<PathBuf> {
    let file = self::finding_path(target, at, folder);
    std::fs::write(&file, &finding.input)?;
    Ok(file)
}
