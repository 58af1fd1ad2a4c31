//! Counts the calls of each tool in the ledger.

use crate::entries::{ParsedEntry, for_each_entry};
use countersign_console::Failure;
use countersign_core::model::change::{Attempt, Change};
use countersign_core::model::names::Action;
use countersign_core::model::time::Time;
use countersign_core::model::words::Outcome;
use countersign_engine::StoreReader;
use std::collections::{BTreeMap, BTreeSet};

/// The usage of every tool, by its name.
pub type ToolUsages = BTreeMap<String, ToolUsage>;

pub struct ToolUsage {
    /// The actions that its calls were decided as.
    pub actions: BTreeSet<Action>,
    pub allowed: u64,
    pub asked: u64,
    pub denied: u64,
    pub last: Time,
}

impl ToolUsage {
    pub fn calls(&self) -> u64 {
        self.allowed + self.asked + self.denied
    }
}

/// All tools of a record.
pub fn count_tools(record: &dyn StoreReader) -> Result<ToolUsages, Failure> {
    let mut tools = ToolUsages::new();
    for_each_entry(record, |parsed| {
        count_call(&mut tools, &parsed);
        Ok(())
    })?;
    Ok(tools)
}

/// Counts a call at its first decision, not at its retries.
pub(super) fn count_call(tools: &mut ToolUsages, parsed: &ParsedEntry) {
    let Change::CallDecided { attempt: Attempt::First(call), decision, .. } = &parsed.change else {
        return;
    };
    let Some(name) = &call.tool else { return };
    let usage = tools.entry(name.to_string()).or_insert_with(|| ToolUsage {
        actions: BTreeSet::new(),
        allowed: 0,
        asked: 0,
        denied: 0,
        last: parsed.at,
    });
    usage.last = parsed.at;
    let decided = decision.verdicts.iter().map(|verdict| &verdict.action);
    usage.actions.extend(decided.chain(&call.actions).cloned());
    match decision.outcome {
        Outcome::Allow | Outcome::Notify => usage.allowed += 1,
        Outcome::Ask => usage.asked += 1,
        Outcome::Deny => usage.denied += 1,
    }
}
