//! What a simulation found: how often it asked, where, and why.

use crate::SimulatedDecision;
use countersign_core::model::words::{Outcome, Reason};
use serde::Serialize;
use std::collections::BTreeMap;

/// Prompts of a simulation: how often its calls asked, each as often as a person would be asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    pub calls: usize,
    pub prompts: usize,
    /// Calls that asked at least once.
    pub asking: usize,
    /// Cards that were shown. A call with a high item and moderate ones shows two.
    pub cards: usize,
    pub denials: usize,
    pub by_tool: Vec<PromptCount>,
    pub by_reason: Vec<PromptCount>,
    pub by_action: Vec<PromptCount>,
    pub per_session: SessionPrompts,
}

/// How many calls with a common tool, reason or action asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PromptCount {
    pub name: String,
    pub calls: usize,
    pub prompts: usize,
}

/// Prompts in a session: the one in the middle, at nine tenths, and the highest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SessionPrompts {
    pub sessions: usize,
    pub without_prompt: usize,
    pub median: usize,
    pub p90: usize,
    pub max: usize,
}

impl Report {
    pub fn new(decided: &[SimulatedDecision]) -> Self {
        let denied = |call: &&SimulatedDecision| call.outcome == Outcome::Deny;
        let reasons = decided.iter().filter(|call| call.outcome >= Outcome::Ask);
        Self {
            calls: decided.len(),
            prompts: decided.iter().map(|call| call.prompts).sum(),
            asking: decided.iter().filter(|call| call.prompts > 0).count(),
            cards: decided.iter().map(|call| call.cards).sum(),
            denials: decided.iter().filter(denied).count(),
            by_tool: count_by(decided.iter(), |call| call.tool.clone()),
            by_reason: count_by(reasons, |call| call.reason.word().to_owned()),
            by_action: count_by(decided.iter(), name_actions),
            per_session: SessionPrompts::count(decided),
        }
    }

    pub fn prompts_per_hundred(&self) -> f64 {
        match self.calls {
            0 => 0.0,
            calls => self.prompts as f64 * 100.0 / calls as f64,
        }
    }

    /// How many calls asked because the graph was not reviewed in time.
    pub fn decayed(&self) -> usize {
        let is_decayed = |count: &&PromptCount| count.name == Reason::Decayed.word();
        self.by_reason.iter().find(is_decayed).map_or(0, |count| count.prompts)
    }
}

fn name_actions(call: &SimulatedDecision) -> String {
    let names: Vec<&str> = call.actions.iter().map(|action| action.as_str()).collect();
    names.join(" + ")
}

fn count_by<'a>(
    calls: impl Iterator<Item = &'a SimulatedDecision>,
    name: impl Fn(&SimulatedDecision) -> String,
) -> Vec<PromptCount> {
    let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for call in calls {
        let (calls, prompts) = counts.entry(name(call)).or_default();
        *calls += 1;
        *prompts += call.prompts;
    }
    let mut rows: Vec<PromptCount> = counts
        .into_iter()
        .map(|(name, (calls, prompts))| PromptCount { name, calls, prompts })
        .collect();
    rows.sort_by_key(|row| std::cmp::Reverse((row.prompts, row.calls)));
    rows
}

impl SessionPrompts {
    fn count(decided: &[SimulatedDecision]) -> Self {
        let mut prompts: BTreeMap<&str, usize> = BTreeMap::new();
        for call in decided {
            *prompts.entry(&call.session).or_default() += call.prompts;
        }
        let mut counts: Vec<usize> = prompts.into_values().collect();
        counts.sort_unstable();
        let at = |share: f64| {
            let last = counts.len().saturating_sub(1);
            counts.get((last as f64 * share).round() as usize).copied().unwrap_or(0)
        };
        Self {
            sessions: counts.len(),
            without_prompt: counts.iter().filter(|count| **count == 0).count(),
            median: at(0.5),
            p90: at(0.9),
            max: at(1.0),
        }
    }
}
