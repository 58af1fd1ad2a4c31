//! The variants of `cargo xtask bench server`: the released daemon, spoken to over its sockets.
//!
//! With `--bare` this is another process that answers without deciding anything.

mod server;

use server::daemon::{Daemon, program};
use server::{Made, Runs, Said, bare, check, connections, held};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;
use xtask::bench::rounds::Variant;
use xtask::bench::runs::{self, Figure as _, Wanted, target, wanted};
use xtask::bench::server::{Figure, IDLE_MEMORY, MILLIS_50, PROGRAM_BYTES, READY, SUITE};
use xtask::clock::Stopwatch;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ended = match words.as_slice() {
        ["--bare", folder] => bare::serve(Path::new(folder)),
        words => wanted(words).and_then(|wanted| bench(&wanted)),
    };
    runs::ended(SUITE, ended)
}

fn bench(wanted: &Wanted<Figure>) -> Made<()> {
    let scratch = tempfile::tempdir_in(target::<Figure>()?).said("a folder for the daemon")?;
    let mut runs = Runs::begin::<Figure>(wanted.extent, scratch.path())?;
    for figure in &wanted.figures {
        let folder = scratch.path().join(figure.name());
        std::fs::create_dir_all(&folder).said("a folder for the daemon")?;
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
fn ready(runs: &mut Runs, folder: &Path) -> Made<()> {
    drop(Daemon::start(folder)?);
    let mut variants = [
        Variant::timed(MILLIS_50, 1, || Ok(Duration::from_millis(50))),
        Variant::timed(READY, 1, || {
            let watch = Stopwatch::start();
            let daemon = Daemon::start(folder)?;
            let took = watch.elapsed();
            drop(daemon);
            Ok(took)
        }),
    ];
    runs.figure(Figure::Ready, &mut variants).map(drop)
}

fn idle(runs: &mut Runs, folder: &Path) -> Made<()> {
    let daemon = Daemon::start(folder)?;
    runs.at_most("Memory of an idle daemon", (daemon.memory()? >> 10, IDLE_MEMORY >> 10), "KiB");
    Ok(())
}

fn size(runs: &mut Runs) -> Made<()> {
    let bytes = std::fs::metadata(program()?).said("the program")?.len();
    runs.at_most("The stripped program", (bytes / 1000, PROGRAM_BYTES / 1000), "kB");
    Ok(())
}
