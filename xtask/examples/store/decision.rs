//! One caller: a decision on SQLite beside an append and a sync of the same bytes.

use super::Runs;
use super::world::{DRAFT, SEND, bytes_of_a_decision, draft, engine, finish, granted, permit};
use super::{BenchResult, Context};
use countersign_core::model::names::SessionKey;
use countersign_engine::{Engine, Sqlite};
use std::path::Path;
use std::time::Duration;
use xtask::bench::log::Log;
use xtask::bench::rounds::Variant;
use xtask::bench::store::{APPEND, AUTONOMOUS, Figure, GRANTED};
use xtask::clock::Stopwatch;

pub fn run(runs: &mut Runs, folder: &Path) -> BenchResult<()> {
    let engine = engine(Sqlite::open(&folder.join("store")).context("the store")?)?;
    let session = granted(&engine, 0)?;
    let bytes = bytes_of_a_decision(&engine, &draft(&session, SEND)?)?;
    println!("A decision on a grant adds {} bytes to the ledger.", bytes.len());
    let mut log = Log::in_folder(folder)?;
    let decide = |action| (&engine, &session, action);
    let mut variants = [
        Variant::with_own_timer(APPEND, 1, || {
            let watch = Stopwatch::start();
            log.append(&bytes)?;
            Ok(watch.elapsed())
        }),
        Variant::with_own_timer(GRANTED, 1, || one(decide(SEND))),
        Variant::with_own_timer(AUTONOMOUS, 1, || one(decide(DRAFT))),
    ];
    runs.figure(Figure::Decision, &mut variants).map(drop)
}

/// How long the decision takes; that the call has ended is recorded afterwards.
pub fn one(
    (engine, session, action): (&Engine<Sqlite>, &SessionKey, &str),
) -> BenchResult<Duration> {
    let draft = draft(session, action)?;
    let watch = Stopwatch::start();
    let permit = permit(engine, &draft)?;
    let took = watch.elapsed();
    finish(engine, permit)?;
    Ok(took)
}
