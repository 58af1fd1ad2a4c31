//! A decision in a large store beside the same decision in a small one: with the session in memory,
//! and with a session that nobody has used lately.

use super::Runs;
use super::decision::one;
use super::large::{self, GRANTS_PER_SESSION};
use super::world::{SEND, engine, session};
use super::{BenchResult, Context};
use countersign_core::model::names::SessionKey;
use countersign_engine::Sqlite;
use std::path::Path;
use xtask::bench::rounds::Variant;
use xtask::bench::store::{Figure, LARGE, LARGE_COLD, SMALL, SMALL_COLD};

/// A hundred grants.
const FEW_SESSIONS: usize = 100 / GRANTS_PER_SESSION;

pub fn run(runs: &mut Runs, target: &Path, folder: &Path) -> BenchResult<()> {
    let large_folder = large::folder(target, runs.extent)?;
    let sessions = large::sessions(runs.extent);
    let few = |name: &str| {
        let store = Sqlite::open(&folder.join(name)).context("a small store")?;
        large::write(&store, FEW_SESSIONS)?;
        Ok(store)
    };
    let small = engine(few("warm")?)?;
    let small_cold = engine(few("cold")?.without_cache())?;
    let large = engine(Sqlite::open(&large_folder).context("the large store")?)?;
    println!("Many: {} grants, at least as many entries.", sessions * GRANTS_PER_SESSION);
    let (first, last) = (session(0)?, session(sessions - 1)?);
    // Far apart from each other, and none of them twice in a row.
    let mut far = (0..sessions - 1).map(|n| n * 7_919 % (sessions - 1)).cycle();
    let mut near = (0..FEW_SESSIONS).cycle();
    let mut variants = [
        Variant::with_own_timer(SMALL, 1, || one((&small, &first, SEND))),
        Variant::with_own_timer(LARGE, 1, || one((&large, &last, SEND))),
        Variant::with_own_timer(SMALL_COLD, 1, || one((&small_cold, &named(near.next())?, SEND))),
        Variant::with_own_timer(LARGE_COLD, 1, || one((&large, &named(far.next())?, SEND))),
    ];
    runs.figure(Figure::Growth, &mut variants).map(drop)
}

fn named(number: Option<usize>) -> BenchResult<SessionKey> {
    session(number.unwrap_or(0))
}
