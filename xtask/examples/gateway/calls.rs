//! Calls through every way to the tool server: one after the other, and eight at a time.

use super::client::ToolClient;
use super::daemon::Daemon;
use super::peers::start_peers;
use super::stdio::StdioClient;
use super::{BenchResult, Runs, programs};
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use xtask::bench::gateway::{DIRECT, FLOOR, Figure, OURS, PUMP};
use xtask::bench::log::Log;
use xtask::bench::rounds::Variant;
use xtask::bench::usage::cpu_time;
use xtask::clock::Stopwatch;

/// About what one decision adds to the ledger, with its hash and what is sealed.
const RECORD: usize = 1024;
/// Calls of each way in one slice: enough that a hundredth of a second of CPU time is little.
const CALLS: u32 = 400;

/// Every way to the tool server, all of them open at once.
struct Ways {
    clients: Vec<(&'static str, Box<dyn ToolClient>)>,
    // Ends after its client.
    _daemon: Daemon,
}

impl Ways {
    fn open(folder: &Path) -> BenchResult<Self> {
        let daemon = Daemon::start(folder, "")?;
        let direct = StdioClient::connect(&mut Command::new(programs::tool_server()?))?;
        let mut clients: Vec<(_, Box<dyn ToolClient>)> = vec![
            (DIRECT, Box::new(direct)),
            (PUMP, Box::new(StdioClient::connect(&mut programs::byte_pump()?)?)),
            (OURS, Box::new(daemon.wrap()?)),
        ];
        clients.extend(start_peers(folder));
        Ok(Self { clients, _daemon: daemon })
    }

    /// One variant for each way, which measures the same of each.
    fn variants(
        &mut self,
        repeats: u32,
        measure: fn(&mut dyn ToolClient) -> BenchResult<Duration>,
    ) -> Vec<Variant<'_>> {
        let clients = self.clients.iter_mut();
        clients
            .map(|(name, client)| {
                Variant::with_own_timer(name, repeats, move || measure(client.as_mut()))
            })
            .collect()
    }
}

/// One call at a time, beside the write that a durable one cannot do without.
pub fn measure_latency(runs: &mut Runs, folder: &Path) -> BenchResult<()> {
    let mut ways = Ways::open(folder)?;
    let mut pump = StdioClient::connect(&mut programs::byte_pump()?)?;
    let (mut log, record) = (Log::in_folder(folder)?, vec![b'x'; RECORD]);
    let mut variants = ways.variants(1, |client| {
        let watch = Stopwatch::start();
        client.call()?;
        Ok(watch.elapsed())
    });
    variants.push(Variant::with_own_timer(FLOOR, 1, || {
        let watch = Stopwatch::start();
        pump.call()?;
        log.append(&record)?;
        Ok(watch.elapsed())
    }));
    runs.figure(Figure::Call, &mut variants).map(drop)
}

/// What a call costs all processes between the client and the end of the way, the server included.
pub fn measure_cpu(runs: &mut Runs, folder: &Path) -> BenchResult<()> {
    println!("CPU time of all processes on the way, in ns per call:\n");
    let mut ways = Ways::open(folder)?;
    let mut variants = ways.variants(CALLS, |client| {
        let before = cpu_time(&client.processes())?;
        for _ in 0..CALLS {
            client.call()?;
        }
        Ok(cpu_time(&client.processes())?.saturating_sub(before))
    });
    runs.figure(Figure::Cpu, &mut variants).map(drop)
}

pub fn measure_in_flight(runs: &mut Runs, folder: &Path) -> BenchResult<()> {
    println!("Eight calls in flight, in ns per call:\n");
    let mut ways = Ways::open(folder)?;
    let mut variants = ways.variants(CALLS, |client| {
        let watch = Stopwatch::start();
        client.call_together(CALLS as usize)?;
        Ok(watch.elapsed())
    });
    runs.figure(Figure::InFlight, &mut variants).map(drop)
}
