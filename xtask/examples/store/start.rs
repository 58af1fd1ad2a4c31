//! How long a process takes until it can decide beside a large store, and how much it holds.

use super::Runs;
use super::large;
use super::world::{SEND, draft, engine, finish, permit, session};
use super::{BenchResult, Context};
use countersign_engine::Sqlite;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use xtask::bench::goals::Judgement;
use xtask::bench::rounds::Variant;
use xtask::bench::store::{Figure, MOST_MEMORY, SECOND, START};
use xtask::clock::Stopwatch;
use xtask::failure::Failure;
use xtask::process::capture;

/// Decisions of a child, each in a session of its own: more than are kept in memory.
const DECISIONS: usize = 2_000;

pub fn run(runs: &mut Runs, target: &Path) -> BenchResult<()> {
    let folder = large::folder(target, runs.extent)?;
    let mut most = 0;
    let mut variants = [
        Variant::with_own_timer(SECOND, 1, || Ok(Duration::from_secs(1))),
        Variant::with_own_timer(START, 1, || {
            let (took, held) = spawned(&folder)?;
            most = most.max(held);
            Ok(took)
        }),
    ];
    runs.figure(Figure::Start, &mut variants)?;
    drop(variants);
    let sentence = format!(
        "Memory after {DECISIONS} decisions in as many sessions, at most: {} KiB of {} KiB",
        most >> 10,
        MOST_MEMORY >> 10
    );
    let holds = if most <= MOST_MEMORY { Judgement::Met } else { Judgement::Missed };
    runs.report_fact(&sentence, holds);
    Ok(())
}

/// Start-up and the most memory of a process of its own.
fn spawned(folder: &Path) -> BenchResult<(Duration, u64)> {
    let this = std::env::current_exe().context("this program")?;
    let said = capture(Command::new(this).arg("--child").arg(folder))?;
    let mut numbers = said.split_whitespace().map(str::parse::<u64>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(nanos)), Some(Ok(kib))) => Ok((Duration::from_nanos(nanos), kib << 10)),
        _ => Err(Failure::new(format!("the child said `{said}`"))),
    }
}

/// The child: everything that has to happen before the first decision, then many of them.
pub fn child(folder: &Path) -> BenchResult<()> {
    let watch = Stopwatch::start();
    let engine = engine(Sqlite::open(folder).context("the large store")?)?;
    let took = watch.elapsed();
    for number in 0..DECISIONS {
        let permit = permit(&engine, &draft(&session(number)?, SEND)?)?;
        finish(&engine, permit)?;
    }
    println!("{} {}", took.as_nanos(), most_memory_kib()?);
    Ok(())
}

fn most_memory_kib() -> BenchResult<u64> {
    let status = std::fs::read_to_string("/proc/self/status").context("memory in use")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.and_then(|number| number.parse().ok()).ok_or_else(|| Failure::new("no VmHWM"))
}
