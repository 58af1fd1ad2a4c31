//! Sixty-four connections at once, driven by one thread that does as little as it can.

use super::bare::Bare;
use super::check::RECORD;
use super::daemon::Daemon;
use super::line::{Line, field};
use super::{BenchResult, Context, Runs, world};
use std::path::Path;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;
use xtask::bench::log::{AppendCaller, group};
use xtask::bench::rounds::Variant;
use xtask::bench::server::{BARE_64, CHECK_64, Figure};
use xtask::clock::Stopwatch;

const CONNECTIONS: usize = 64;
/// Requests of each between two looks at the clock.
const EACH: usize = 24;

pub fn run(runs: &mut Runs, folder: &Path) -> BenchResult<()> {
    let (daemon, bare) = (Daemon::start(folder)?, Bare::start(folder)?);
    let runtime = Builder::new_current_thread().enable_all().build().context("a runtime")?;
    let mut agents = Load::to(&runtime, &daemon.agents())?;
    let mut axum = Load::to(&runtime, &bare.axum())?;
    let callers = group(folder, CONNECTIONS)?;
    let repeats = u32::try_from(CONNECTIONS * EACH).unwrap_or(u32::MAX);
    let mut variants = [
        Variant::with_own_timer(BARE_64, repeats, || {
            let (took, _) = axum.checks(&runtime)?;
            Ok(took.max(appended(&callers)?))
        }),
        Variant::with_own_timer(CHECK_64, repeats, || {
            let (took, operations) = agents.checks(&runtime)?;
            agents.finish(&runtime, operations)?;
            Ok(took)
        }),
    ];
    runs.figure(Figure::Connections, &mut variants).map(drop)
}

/// Every caller appends as often, and waits each time until it is on the disk.
fn appended(callers: &[AppendCaller]) -> BenchResult<Duration> {
    let record = vec![b'x'; RECORD];
    let watch = Stopwatch::start();
    for _ in 0..EACH {
        for caller in callers {
            caller.begin(&record)?;
        }
        for caller in callers {
            caller.end()?;
        }
    }
    Ok(watch.elapsed())
}

/// Connections that are kept, each with a session of its own.
struct Load {
    lines: Vec<Line>,
    number: usize,
}

impl Load {
    fn to(runtime: &Runtime, socket: &Path) -> BenchResult<Self> {
        let mut lines = Vec::new();
        for _ in 0..CONNECTIONS {
            lines.push(runtime.block_on(Line::to(socket))?);
        }
        Ok(Self { lines, number: 0 })
    }

    /// How long it takes until the last one has its last answer, and what was allowed.
    fn checks(&mut self, runtime: &Runtime) -> BenchResult<(Duration, Vec<Vec<String>>)> {
        let first = self.number;
        self.number += EACH;
        self.each(runtime, move |session| {
            (first..first + EACH).map(|number| world::check(session, number)).collect()
        })
    }

    fn finish(&mut self, runtime: &Runtime, operations: Vec<Vec<String>>) -> BenchResult<()> {
        let requests = move |session: usize| {
            let own = operations.get(session).map_or(&[][..], Vec::as_slice);
            own.iter().map(|operation| world::finished(session, operation)).collect()
        };
        self.each(runtime, requests).map(drop)
    }

    fn each(
        &mut self,
        runtime: &Runtime,
        requests: impl Fn(usize) -> Vec<Vec<u8>>,
    ) -> BenchResult<(Duration, Vec<Vec<String>>)> {
        let work: Vec<_> =
            self.lines.drain(..).enumerate().map(|(at, line)| (line, requests(at))).collect();
        runtime.block_on(async {
            let watch = Stopwatch::start();
            let mut set = JoinSet::new();
            for (at, (mut line, requests)) in work.into_iter().enumerate() {
                set.spawn(async move {
                    let mut operations = Vec::with_capacity(requests.len());
                    for request in requests {
                        let answer = line.ask(&request).await?;
                        operations.push(field(answer, "operation_id")?.to_owned());
                    }
                    BenchResult::Ok((at, line, operations))
                });
            }
            let mut ended = Vec::new();
            while let Some(one) = set.join_next().await {
                ended.push(one.context("a connection")??);
            }
            let took = watch.elapsed();
            ended.sort_by_key(|(at, ..)| *at);
            let mut all = Vec::new();
            for (_, line, operations) in ended {
                self.lines.push(line);
                all.push(operations);
            }
            Ok((took, all))
        })
    }
}
