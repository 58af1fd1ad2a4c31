//! Ten thousand calls that wait for the operator, all of one client.

use super::daemon::Daemon;
use super::{BenchResult, Context, Runs, world};
use std::path::Path;
use xtask::bench::gateway::PARKED_MEMORY;
use xtask::bench::runs::Extent;
use xtask::bench::usage;

/// Calls that are sent before the open ones are counted.
const TOGETHER: usize = 100;

/// As many questions as calls, and a client that waits for all of them.
const SETTINGS: &str = "\
[questions]
per_session = 20000
per_agent = 20000
in_all = 20000
[mcp]
hold_seconds = 3600
";

pub fn run(runs: &mut Runs, folder: &Path) -> BenchResult<()> {
    let waiting = match runs.extent {
        Extent::Full => 10_000,
        Extent::Quick => 1_000,
    };
    let daemon = Daemon::start(folder, SETTINGS)?;
    let operator = daemon.operator();
    let mut client = daemon.wrap()?;
    client.send(&world::call("note", 0))?;
    client.read_answer("noted: ")?;
    let before = daemon.memory()? + usage::memory(client.process())?;
    for number in 1..=waiting {
        client.send(&world::call("mail", number as u64))?;
        // A client that sends faster than the daemon decides would fill the pipe.
        while number % TOGETHER == 0
            && operator.status().context("the status")?.open_requests < number
        {
            std::thread::yield_now();
        }
    }
    let after = daemon.memory()? + usage::memory(client.process())?;
    println!(
        "Before: {} KiB; at most ever: {} KiB",
        before >> 10,
        usage::most_memory(daemon.process())? >> 10
    );
    let what = format!("Memory that {waiting} parked calls add");
    runs.report_count(&what, (after.saturating_sub(before) >> 10, PARKED_MEMORY >> 10), "KiB");
    Ok(())
}
