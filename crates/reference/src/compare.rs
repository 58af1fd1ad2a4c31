//! Both implementations on many worlds: how often each reason came up, and where they differ.
//!
//! Of each kind of difference one is kept, made smaller, and shown with the world it needs.

mod show;
mod shrink;

use crate::chance::Chance;
use crate::naive::{self, Verdict};
use crate::world::{self, Attempt, World};
use countersign_core::decide;
use countersign_core::model::ids::Fresh;
use countersign_core::model::words::Reason;
use countersign_core::steps::retry::retry_call;
use std::collections::BTreeMap;

/// Reasons that neither a fresh nor a redeemed call is decided by, and whose they are.
pub const UNREACHED: [(Reason, &str); 3] = [
    (Reason::UndoMissing, "said of a proposal without an undo plan; a call is denied before that"),
    (Reason::Cooling, "said when a proposal is applied too early"),
    (Reason::Bypassed, "said when a run starts without a prompt"),
];

#[derive(Clone, Debug)]
pub struct Report {
    pub cases: u64,
    /// How often each reason decided.
    pub reasons: BTreeMap<Reason, u64>,
    /// By what the first and the second implementation said.
    pub differences: BTreeMap<(Verdict, Verdict), Difference>,
}

#[derive(Clone, Debug)]
pub struct Difference {
    pub count: u64,
    /// The smallest world found for one of them, in words.
    pub shown: String,
}

/// Compares at least so many cases; `progress` hears their number after every world.
pub fn compare(seed: u64, cases: u64, mut progress: impl FnMut(&Report)) -> Report {
    let mut report = Report { cases: 0, reasons: BTreeMap::new(), differences: BTreeMap::new() };
    let mut seeds = Chance::new(seed);
    while report.cases < cases {
        let seed = seeds.bits();
        let Some((world, attempts)) = world::random(&mut Chance::new(seed)) else { break };
        for attempt in &attempts {
            report.add(&world, attempt);
        }
        progress(&report);
    }
    report
}

impl Report {
    fn add(&mut self, world: &World, attempt: &Attempt) {
        let (first, second) = both(world, attempt);
        self.cases += 1;
        *self.reasons.entry(first.1).or_default() += 1;
        if first == second {
            return;
        }
        let known = self.differences.entry((first, second));
        let difference = known.or_insert_with(|| {
            let (world, attempt) = shrink::smallest(world, attempt);
            Difference { count: 0, shown: show::show(&world, &attempt) }
        });
        difference.count += 1;
    }
}

/// What the first and the second implementation say.
pub fn both(world: &World, attempt: &Attempt) -> (Verdict, Verdict) {
    let fresh = Fresh::new(world.now, 0);
    let facts = world.facts(&fresh);
    let (first, second) = match attempt {
        Attempt::Fresh(call) => (decide(&facts, call), naive::decide(&facts, call)),
        Attempt::Retry { id, session, agent } => {
            (retry_call(&facts, *id, session, agent), naive::retry(&facts, *id, session, agent))
        }
    };
    ((first.outcome, first.reason), second)
}
