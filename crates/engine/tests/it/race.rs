//! Once means once, whoever else is at it.

use crate::world::{call, engine, grant, owner, session};
use countersign_core::model::grant::{Confirmation, Coverage, Scope};
use countersign_core::model::words::Effect;
use countersign_engine::CheckResult;
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};

const THREADS: usize = 16;
const ROUNDS: usize = 40;

#[test]
fn a_once_grant_is_won_by_exactly_one_of_many_callers() {
    for round in 0..ROUNDS {
        let engine = engine();
        engine.open_session(&owner(), None).unwrap();
        let terms = (Scope::Once, None, Confirmation::Plain);
        grant(&engine, session(), Coverage::Everything, terms);
        let (permitted, barrier) = (AtomicUsize::new(0), Barrier::new(THREADS));
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    barrier.wait();
                    let checked = engine.check(&call("files.write")).unwrap();
                    if let CheckResult::Allowed { permit, .. } = checked {
                        permitted.fetch_add(1, Ordering::SeqCst);
                        engine.complete(&permit.complete(Effect::Done)).unwrap();
                    }
                });
            }
        });
        assert_eq!(permitted.load(Ordering::SeqCst), 1, "round {round}");
    }
}
