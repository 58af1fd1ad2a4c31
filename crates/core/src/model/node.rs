//! A node: one Countersign process among those that share a record.
//!
//! What a node had running when it died is its own; another node's goes on.

use crate::model::time::{Span, Time};
use serde::{Deserialize, Serialize};

/// What is remembered of a node: when it last began, and where its machine stood then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    pub began_at: Time,
    pub uptime: Option<Uptime>,
}

/// How long a machine has run, asleep or not, since the start that its boot id names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Uptime {
    pub boot: String,
    pub since: Span,
}

impl Node {
    /// What time it must be by now, if the machine has not been started anew since.
    pub fn carried(&self, now: &Uptime) -> Option<Time> {
        let then = self.uptime.as_ref().filter(|then| then.boot == now.boot)?;
        Some(self.began_at + (now.since - then.since))
    }
}
