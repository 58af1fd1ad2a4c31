//! Tools that were called, as the ledger has them.

use crate::failure::Failure;
use crate::ledger::{ParsedEntry, for_each_entry};
use countersign_core::model::change::{Attempt, Change};
use countersign_core::model::names::Action;
use countersign_core::model::time::Time;
use countersign_core::model::words::Outcome;
use countersign_engine::StoreReader;
use std::collections::{BTreeMap, BTreeSet};

pub(super) type Tools = BTreeMap<String, Tool>;

/// What became of the calls of one tool.
pub(crate) struct Tool {
    /// As they were decided.
    pub(crate) actions: BTreeSet<Action>,
    pub(crate) allowed: u64,
    pub(crate) asked: u64,
    pub(crate) denied: u64,
    pub(crate) last: Time,
}

impl Tool {
    pub(crate) fn calls(&self) -> u64 {
        self.allowed + self.asked + self.denied
    }
}

/// All tools of a record.
pub(crate) fn tools_in(record: &dyn StoreReader) -> Result<BTreeMap<String, Tool>, Failure> {
    let mut tools = Tools::new();
    for_each_entry(record, |seen| {
        count(&mut tools, &seen);
        Ok(())
    })?;
    Ok(tools)
}

/// A call that is decided again is no other call.
pub(super) fn count(tools: &mut Tools, seen: &ParsedEntry) {
    let Change::CallDecided { attempt: Attempt::First(call), decision, .. } = &seen.change else {
        return;
    };
    let Some(name) = &call.tool else { return };
    let tool = tools.entry(name.to_string()).or_insert_with(|| Tool {
        actions: BTreeSet::new(),
        allowed: 0,
        asked: 0,
        denied: 0,
        last: seen.at,
    });
    tool.last = seen.at;
    let decided = decision.verdicts.iter().map(|verdict| &verdict.action);
    tool.actions.extend(decided.chain(&call.actions).cloned());
    match decision.outcome {
        Outcome::Allow | Outcome::Notify => tool.allowed += 1,
        Outcome::Ask => tool.asked += 1,
        Outcome::Deny => tool.denied += 1,
    }
}
