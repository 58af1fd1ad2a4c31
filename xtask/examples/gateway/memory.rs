//! What the gateway holds while twenty servers idle behind it.

use super::daemon::Daemon;
use super::{BenchResult, Runs, programs, world};
use std::fmt::Write;
use std::path::Path;
use xtask::bench::gateway::{IDLE_MEMORY, IDLE_SERVERS};
use xtask::bench::usage;
use xtask::failure::Failure;

pub fn run(runs: &mut Runs, folder: &Path) -> BenchResult<()> {
    let mut settings = String::new();
    for number in 0..IDLE_SERVERS {
        let program = programs::tool_server()?;
        // Writing to a String does not fail.
        let _infallible = writeln!(settings, "[mcp.servers.idle{number}]\ncommand = [{program:?}]");
    }
    let daemon = Daemon::start(folder, &settings)?;
    let mut client = daemon.serve_all()?;
    client.send(world::LIST)?;
    let listed = client.read_answer("\"tools\"")?;
    let servers = (0..IDLE_SERVERS).filter(|at| listed.contains(&format!("idle{at}__note")));
    match servers.count() {
        IDLE_SERVERS => {}
        other => return Err(Failure::new(format!("only {other} servers are listed: {listed}"))),
    }
    let (here, there) = (daemon.memory()?, usage::memory(client.process())?);
    println!("The daemon: {} KiB; `mcp serve`: {} KiB", here >> 10, there >> 10);
    let what = format!("Memory of the daemon and `mcp serve` with {IDLE_SERVERS} idle servers");
    runs.report_count(&what, ((here + there) >> 10, IDLE_MEMORY >> 10), "KiB");
    Ok(())
}
