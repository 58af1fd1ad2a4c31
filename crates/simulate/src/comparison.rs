//! Two simulations of the same calls, under two graphs.

use crate::limits::MAX_EXAMPLES;
use crate::{SimulatedCall, SimulatedDecision};
use countersign_core::model::words::Outcome;
use serde::Serialize;

/// What one graph decides differently from another.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GraphComparison {
    /// Asked or were denied before, and pass now.
    pub newly_pass: ChangedCalls,
    /// Passed or were denied before, and ask now.
    pub newly_ask: ChangedCalls,
    pub newly_denied: ChangedCalls,
}

/// How many calls differ in one way, and the first of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ChangedCalls {
    pub calls: usize,
    pub examples: Vec<Example>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Example {
    pub session: String,
    pub tool: String,
    pub args: serde_json::Value,
    pub before: Outcome,
    pub after: Outcome,
    /// Why, by the graph that is compared.
    pub sentence: String,
}

impl GraphComparison {
    /// Compares the decisions of both graphs, call by call.
    pub fn new(
        calls: &[SimulatedCall],
        before: &[SimulatedDecision],
        after: &[SimulatedDecision],
    ) -> Self {
        let mut found = Self::default();
        for ((call, before), after) in calls.iter().zip(before).zip(after) {
            let kind = match (passes(before.outcome), passes(after.outcome), after.outcome) {
                (false, true, _) => &mut found.newly_pass,
                (_, _, Outcome::Ask) if before.outcome != Outcome::Ask => &mut found.newly_ask,
                (_, _, Outcome::Deny) if before.outcome != Outcome::Deny => &mut found.newly_denied,
                _ => continue,
            };
            kind.add(call, before, after);
        }
        found
    }
}

const fn passes(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Allow | Outcome::Notify)
}

impl ChangedCalls {
    fn add(&mut self, call: &SimulatedCall, before: &SimulatedDecision, after: &SimulatedDecision) {
        self.calls += 1;
        let tool = call.show_tool();
        let is_known = |example: &Example| example.tool == tool && example.args == call.args;
        if self.examples.len() < MAX_EXAMPLES && !self.examples.iter().any(is_known) {
            self.examples.push(Example {
                session: call.session.clone(),
                tool,
                args: call.args.clone(),
                before: before.outcome,
                after: after.outcome,
                sentence: after.sentence.clone(),
            });
        }
    }
}
