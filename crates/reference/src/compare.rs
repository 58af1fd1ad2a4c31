//! Runs both implementations on many scenarios and reports how often each reason decided, and where
//! they differ.
//!
//! For each kind of difference the report keeps one example, shrunk to a small scenario.

mod describe;
mod shrink;

use crate::naive::{self, NaiveDecision};
use crate::rng::Rng;
use crate::scenario::{self, Scenario, ScenarioCall};
use countersign_core::decide;
use countersign_core::model::ids::IdGenerator;
use countersign_core::model::words::Reason;
use countersign_core::steps::retry::retry_call;
use std::collections::BTreeMap;

/// Reasons that decide neither a new call nor a retry, and where they are used instead.
pub const UNREACHABLE_REASONS: [(Reason, &str); 3] = [
    (Reason::UndoMissing, "for proposals without an undo plan; a call is denied earlier"),
    (Reason::Cooling, "for proposals that are applied too early"),
    (Reason::Bypassed, "for runs that start without a prompt"),
];

#[derive(Clone, Debug)]
pub struct ComparisonReport {
    pub cases: u64,
    /// How often each reason decided.
    pub reasons: BTreeMap<Reason, u64>,
    /// By the decisions of the first and the second implementation.
    pub differences: BTreeMap<(NaiveDecision, NaiveDecision), DecisionDifference>,
}

#[derive(Clone, Debug)]
pub struct DecisionDifference {
    pub count: u64,
    /// A description of the smallest example found.
    pub description: String,
}

/// Compares at least `cases` cases and calls `progress` after every scenario.
pub fn compare_implementations(
    seed: u64,
    cases: u64,
    mut progress: impl FnMut(&ComparisonReport),
) -> ComparisonReport {
    let mut report =
        ComparisonReport { cases: 0, reasons: BTreeMap::new(), differences: BTreeMap::new() };
    let mut seeds = Rng::new(seed);
    while report.cases < cases {
        let seed = seeds.next_u64();
        let Some((scenario, attempts)) = scenario::generate_scenario(&mut Rng::new(seed)) else {
            break;
        };
        for attempt in &attempts {
            report.add_case(&scenario, attempt);
        }
        progress(&report);
    }
    report
}

impl ComparisonReport {
    fn add_case(&mut self, scenario: &Scenario, attempt: &ScenarioCall) {
        let (first, second) = decide_both(scenario, attempt);
        self.cases += 1;
        *self.reasons.entry(first.1).or_default() += 1;
        if first == second {
            return;
        }
        let known = self.differences.entry((first, second));
        let difference = known.or_insert_with(|| {
            let (scenario, attempt) = shrink::shrink_case(scenario, attempt);
            DecisionDifference {
                count: 0,
                description: describe::describe_case(&scenario, &attempt),
            }
        });
        difference.count += 1;
    }
}

/// The decisions of the first and the second implementation.
pub fn decide_both(scenario: &Scenario, attempt: &ScenarioCall) -> (NaiveDecision, NaiveDecision) {
    let ids = IdGenerator::new(scenario.now, 0);
    let facts = scenario.facts(&ids);
    let (first, second) = match attempt {
        ScenarioCall::New(call) => (decide(&facts, call), naive::decide(&facts, call)),
        ScenarioCall::Retry { id, session, agent } => (
            retry_call(&facts, *id, session, agent),
            naive::decide_retry(&facts, *id, session, agent),
        ),
    };
    ((first.outcome, first.reason), second)
}
