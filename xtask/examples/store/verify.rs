//! Verifying a ledger from its rows, on one core, beside bare hashes of the same bytes.

use super::Runs;
use super::large;
use super::{BenchResult, Context};
use countersign_engine::{Sqlite, Store};
use countersign_ledger::{Head, Verifier};
use sha2::{Digest as _, Sha256};
use std::hint::black_box;
use std::path::Path;
use std::time::Duration;
use xtask::bench::rounds::Variant;
use xtask::bench::runs::Extent;
use xtask::bench::store::{Figure, HASHES, NANOS_1250, VERIFY};
use xtask::clock::Stopwatch;

/// Entries that are read at a time.
const PAGE: usize = 1_024;

pub fn run(runs: &mut Runs, target: &Path) -> BenchResult<()> {
    let store = Sqlite::open(&large::folder(target, runs.extent)?).context("the large store")?;
    let many: u32 = match runs.extent {
        Extent::Full => 1_000_000,
        Extent::Quick => 100_000,
    };
    let some = store.read_entries(1, many as usize / 10).context("entries")?;
    let bytes: usize = some.iter().map(|entry| entry.bytes.len()).sum();
    println!("{many} entries of {} bytes each.", bytes / some.len().max(1));
    let few = u32::try_from(some.len()).unwrap_or(u32::MAX);
    let mut variants = [
        Variant::with_own_timer(NANOS_1250, 1, || Ok(Duration::from_nanos(1_250))),
        Variant::new(HASHES, few, || {
            for entry in &some {
                black_box(Sha256::digest(black_box(entry.bytes.as_bytes())));
            }
        }),
        Variant::with_own_timer(VERIFY, many, || {
            let watch = Stopwatch::start();
            let mut verifier = Verifier::from(Head::empty());
            let mut next = 1;
            while next <= u64::from(many) {
                let page = store.read_entries(next, PAGE).context("a page")?;
                page.iter().try_for_each(|entry| verifier.entry(entry)).context("the ledger")?;
                next += page.len().max(1) as u64;
            }
            Ok(watch.elapsed())
        }),
    ];
    runs.figure(Figure::Verify, &mut variants).map(drop)
}
