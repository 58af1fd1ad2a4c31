//! From the start of the client's command until the first answer.

use super::daemon::Daemon;
use super::stdio::StdioClient;
use super::{BenchResult, Runs, programs};
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use xtask::bench::gateway::{Figure, STARTED, STARTED_DIRECT};
use xtask::bench::rounds::Variant;
use xtask::clock::Stopwatch;

/// What the gateway may add.
const ALLOWANCE: Duration = Duration::from_millis(50);

pub fn run(runs: &mut Runs, folder: &Path) -> BenchResult<()> {
    let daemon = Daemon::start(folder, "")?;
    let mut variants = [
        Variant::with_own_timer(STARTED_DIRECT, 1, || {
            let program = programs::tool_server()?;
            let watch = Stopwatch::start();
            let client = StdioClient::connect(&mut Command::new(program))?;
            let took = watch.elapsed();
            drop(client);
            Ok(took + ALLOWANCE)
        }),
        Variant::with_own_timer(STARTED, 1, || {
            let watch = Stopwatch::start();
            let client = daemon.wrap()?;
            let took = watch.elapsed();
            drop(client);
            Ok(took)
        }),
    ];
    runs.figure(Figure::Start, &mut variants).map(drop)
}
