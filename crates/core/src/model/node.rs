//! A node: one Countersign process among those that share a store.
//!
//! A restart of one node affects only the calls and runs of that node.

use crate::model::time::{Span, Time};
use serde::{Deserialize, Serialize};

/// When a node last started, and the uptime of its machine at that time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    pub began_at: Time,
    pub uptime: Option<Uptime>,
}

/// How long a machine has run since the boot that its boot id names, including sleep.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Uptime {
    pub boot: String,
    pub since: Span,
}

impl Node {
    /// The current time by uptime, unless the machine was rebooted since.
    pub fn time_by_uptime(&self, now: &Uptime) -> Option<Time> {
        let then = self.uptime.as_ref().filter(|then| then.boot == now.boot)?;
        Some(self.began_at + (now.since - then.since))
    }
}
