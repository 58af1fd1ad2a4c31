//! What the graph's rules on arguments and command lines say about one call.
//!
//! Somebody else looks at the disk, evaluates policies and reads command lines; here it is data,
//! and it stands in the record beside the decision, so that replaying needs neither.

use crate::model::names::Action;
use crate::model::words::Tier;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ruled {
    /// For each action that a policy reaches: what table and policies say together.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub policies: BTreeMap<Action, ByPolicy>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<ByCommand>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ByPolicy {
    pub tier: Tier,
    /// The policies that made it so; empty where only the table did.
    pub policies: Vec<String>,
    pub hold: Firmness,
    /// What went wrong in evaluating; then nothing was permitted that needed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Firmness {
    /// Nothing permitted more, nothing forbade it: a command rule may.
    Open,
    /// A policy forbids what goes beyond the tier, or could not be evaluated.
    Firm,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ByCommand {
    /// Each of its commands has a rule, in the order of the line.
    Allowed {
        rules: Vec<String>,
        /// The files that its names would start, where somebody looked.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        programs: Vec<String>,
    },
    /// A rule, or a line that nobody should run.
    Denied { why: String },
    /// It reaches for our own files, sockets or programs.
    Protected { why: String },
}

impl ByPolicy {
    /// Whether a policy stands against the action, approved or not.
    fn forbids(&self) -> bool {
        self.tier == Tier::Blocked && self.hold == Firmness::Firm
    }
}

/// Nothing said: the table decides.
pub static NOTHING: Ruled = Ruled { policies: BTreeMap::new(), command: None };

impl Ruled {
    pub(crate) fn is_nothing(&self) -> bool {
        *self == NOTHING
    }

    /// The tier that holds for an action which the graph lists in `listed`. What no list names, no
    /// rule makes autonomous, but a policy can forbid it.
    pub(crate) fn tier(&self, action: &Action, listed: Option<Tier>) -> Option<Tier> {
        let by = self.policies.get(action);
        match listed {
            Some(listed) => Some(by.map_or(listed, |by| by.tier)),
            None => by.filter(|by| by.forbids()).map(|by| by.tier),
        }
    }

    pub(crate) fn blocks(&self, action: &Action) -> bool {
        self.policies.get(action).is_some_and(|by| by.tier == Tier::Blocked)
    }

    /// The rules that let a command line pass, unless a policy stands against it.
    pub(crate) fn allowed(&self, action: &Action) -> Option<&[String]> {
        let firm = self.policies.get(action).is_some_and(|by| by.hold == Firmness::Firm);
        match &self.command {
            Some(ByCommand::Allowed { rules, .. }) if !firm => Some(rules),
            Some(
                ByCommand::Allowed { .. } | ByCommand::Denied { .. } | ByCommand::Protected { .. },
            )
            | None => None,
        }
    }
}
