//! The variants of `cargo xtask bench server`: the released daemon, spoken to over its sockets.
//!
//! With `--bare` this is another process that answers without deciding anything.

mod server;

use server::daemon::{Daemon, program};
use server::{BenchResult, Context, Runs, bare, check, connections, held};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;
use xtask::bench::rounds::Variant;
use xtask::bench::runs::{self, BenchOptions, target};
use xtask::bench::server::{Figure, IDLE_MEMORY, MILLIS_50, PROGRAM_BYTES, READY, SUITE};
use xtask::clock::Stopwatch;
use xtask::options::{parse_options, value_name};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ended = match words.as_slice() {
        ["--bare", folder] => bare::serve(Path::new(folder)),
        words => parse_options(words).and_then(|options| bench(&options)),
    };
    runs::exit_code(SUITE, ended)
}

fn bench(options: &BenchOptions<Figure>) -> BenchResult<()> {
    let scratch = tempfile::tempdir_in(target::<Figure>()?).context("a folder for the daemon")?;
    let mut runs = Runs::begin::<Figure>(options.extent(), scratch.path())?;
    for figure in options.figures() {
        let folder = scratch.path().join(value_name(figure));
        std::fs::create_dir_all(&folder).context("a folder for the daemon")?;
        match figure {
            Figure::Check => check::run(&mut runs, &folder)?,
            Figure::Connections => connections::run(&mut runs, &folder)?,
            Figure::Ready => ready(&mut runs, &folder)?,
            Figure::Idle => idle(&mut runs, &folder)?,
            Figure::Held => held::run(&mut runs, &folder)?,
            Figure::Size => size(&mut runs)?,
        }
    }
    runs.end()
}

/// From the start of the process until it says that it is ready, in a folder that is there.
fn ready(runs: &mut Runs, folder: &Path) -> BenchResult<()> {
    drop(Daemon::start(folder)?);
    let mut variants = [
        Variant::with_own_timer(MILLIS_50, 1, || Ok(Duration::from_millis(50))),
        Variant::with_own_timer(READY, 1, || {
            let watch = Stopwatch::start();
            let daemon = Daemon::start(folder)?;
            let took = watch.elapsed();
            drop(daemon);
            Ok(took)
        }),
    ];
    runs.figure(Figure::Ready, &mut variants).map(drop)
}

fn idle(runs: &mut Runs, folder: &Path) -> BenchResult<()> {
    let daemon = Daemon::start(folder)?;
    runs.report_count(
        "Memory of an idle daemon",
        (daemon.memory()? >> 10, IDLE_MEMORY >> 10),
        "KiB",
    );
    Ok(())
}

fn size(runs: &mut Runs) -> BenchResult<()> {
    let bytes = std::fs::metadata(program()?).context("the program")?.len();
    runs.report_count("The stripped program", (bytes / 1000, PROGRAM_BYTES / 1000), "kB");
    Ok(())
}
