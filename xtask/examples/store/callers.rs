//! Sixty-four callers at once, each waiting until its own decision is on the disk, beside as many
//! that only append bytes.

use super::Runs;
use super::world::{SEND, bytes_of_a_decision, draft, engine, finish, granted, permit};
use super::{BenchResult, Context};
use countersign_core::model::names::SessionKey;
use countersign_engine::{Engine, Permit, Sqlite};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex};
use std::time::Duration;
use xtask::bench::log::{AppendCaller, group};
use xtask::bench::rounds::Variant;
use xtask::bench::store::{APPEND_64, DECIDE_64, Figure};
use xtask::clock::Stopwatch;
use xtask::failure::Failure;

const CALLERS: usize = 64;
/// Records of each caller between two looks at the clock.
const EACH: usize = 24;

/// What all callers do next.
const APPEND: usize = 0;
const DECIDE: usize = 1;
const FINISH: usize = 2;
const END: usize = 3;

struct Together {
    next: AtomicUsize,
    start: Barrier,
    end: Barrier,
    failed: Mutex<Option<Failure>>,
}

pub fn run(runs: &mut Runs, folder: &Path) -> BenchResult<()> {
    let engine = &engine(Sqlite::open(&folder.join("store")).context("the store")?)?;
    let sessions = (0..CALLERS).map(|n| granted(engine, n)).collect::<BenchResult<Vec<_>>>()?;
    let first = sessions.first().ok_or_else(|| Failure::new("no session"))?;
    let bytes = &bytes_of_a_decision(engine, &draft(first, SEND)?)?;
    let together = &Together {
        next: AtomicUsize::new(END),
        start: Barrier::new(CALLERS + 1),
        end: Barrier::new(CALLERS + 1),
        failed: Mutex::new(None),
    };
    std::thread::scope(|scope| {
        for (caller, session) in group(folder, CALLERS)?.into_iter().zip(&sessions) {
            scope.spawn(move || together.take_part(&caller, (engine, session, bytes)));
        }
        let repeats = u32::try_from(CALLERS * EACH).unwrap_or(u32::MAX);
        let measured = runs.figure(
            Figure::Callers,
            &mut [
                Variant::with_own_timer(APPEND_64, repeats, || together.all(APPEND)),
                Variant::with_own_timer(DECIDE_64, repeats, || {
                    let took = together.all(DECIDE)?;
                    together.all(FINISH)?;
                    Ok(took)
                }),
            ],
        );
        let ended = together.all(END).map(drop);
        measured.and(ended)
    })
}

impl Together {
    /// How long it takes until the last caller is done.
    fn all(&self, what: usize) -> BenchResult<Duration> {
        self.next.store(what, Ordering::SeqCst);
        let watch = Stopwatch::start();
        self.start.wait();
        self.end.wait();
        let took = watch.elapsed();
        let failed = self.failed.lock().ok().and_then(|mut failed| failed.take());
        failed.map_or(Ok(took), Err)
    }

    fn take_part(&self, caller: &AppendCaller, world: (&Engine<Sqlite>, &SessionKey, &[u8])) {
        let mut permits = Vec::new();
        loop {
            self.start.wait();
            let what = self.next.load(Ordering::SeqCst);
            if let Err(failure) = act(what, caller, world, &mut permits)
                && let Ok(mut failed) = self.failed.lock()
            {
                *failed = Some(failure);
            }
            self.end.wait();
            if what == END {
                return;
            }
        }
    }
}

fn act(
    what: usize,
    caller: &AppendCaller,
    (engine, session, bytes): (&Engine<Sqlite>, &SessionKey, &[u8]),
    permits: &mut Vec<Permit>,
) -> BenchResult<()> {
    match what {
        APPEND => (0..EACH).try_for_each(|_| caller.append(bytes)),
        DECIDE => (0..EACH).try_for_each(|_| {
            permits.push(permit(engine, &draft(session, SEND)?)?);
            Ok(())
        }),
        FINISH => permits.drain(..).try_for_each(|permit| finish(engine, permit)),
        _ => Ok(()),
    }
}
