//! The results of the graph's policies and command rules for one call.
//!
//! The engine looks at the disk, evaluates policies and parses command lines. Here the results are
//! data. The ledger records them with the decision, so that a replay needs neither disk nor policies.

use crate::model::names::Action;
use crate::model::narrowed::NarrowedCall;
use crate::model::place::{Findings, PinnedProgram};
use crate::model::run_file::RunFile;
use crate::model::words::Tier;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleResults {
    /// For each action with policies: the result of tier lists and policies together.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub policies: BTreeMap<Action, PolicyResult>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<CommandRuleResult>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<OwnFileResult>,
    #[serde(default, skip_serializing_if = "FolderPlace::is_elsewhere")]
    pub folder: FolderPlace,
    /// What was found about each command of the line and about the targets. Private: it names
    /// folders and hosts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Findings>,
    /// The programs of the line that the agent could replace. Private, as they may be in its home
    /// folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<PinnedProgram>,
    /// The files that decide what the line executes. Private, as their names may be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub run_files: Vec<RunFile>,
    /// The form in which the call runs, if that is less than what was sent. Private: it names files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub narrowed: Option<Box<NarrowedCall>>,
}

/// Where the folder lies that a command line runs in, with links followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FolderPlace {
    InWorkspace,
    /// Outside of the workspace, or unknown.
    #[default]
    Elsewhere,
}

impl FolderPlace {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_elsewhere(&self) -> bool {
        *self == Self::Elsewhere
    }
}

/// What the targets of the call mean for our own files, if anything. The texts contain no part of a
/// target, because they stay in the ledger when the target is erased.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OwnFileResult {
    /// A target leads to this file or folder of ours.
    Protected { own: String },
    /// Nobody can say where a target leads.
    Unresolved { why: String },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyResult {
    pub tier: Tier,
    /// The policies that determined the tier; empty if only the tier lists did.
    pub policies: Vec<String>,
    pub hold: Firmness,
    /// An evaluation error. Policies that failed permitted nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Firmness {
    /// No policy forbids more than the tier allows, so a command rule may allow more.
    Open,
    /// A policy forbids more than the tier allows, or could not be evaluated.
    Firm,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandRuleResult {
    /// Each command of the line matches an allow rule, in the order of the line.
    Allowed {
        rules: Vec<String>,
        /// The program files that the commands would start, if the engine looked them up.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        programs: Vec<String>,
    },
    /// A deny rule matches, or the line is one that nobody should run.
    Denied { why: String },
    /// It reaches for our own files, sockets or programs.
    Protected { why: String },
}

impl PolicyResult {
    /// Whether a policy forbids the action even if it is approved.
    fn forbids(&self) -> bool {
        self.tier == Tier::Blocked && self.hold == Firmness::Firm
    }
}

/// No results: the tier lists alone decide.
pub static NO_RULE_RESULTS: RuleResults = RuleResults {
    policies: BTreeMap::new(),
    command: None,
    target: None,
    folder: FolderPlace::Elsewhere,
    findings: Vec::new(),
    programs: Vec::new(),
    run_files: Vec::new(),
    narrowed: None,
};

impl RuleResults {
    pub(crate) fn is_empty(&self) -> bool {
        *self == NO_RULE_RESULTS
    }

    /// The tier of an action that the graph lists in the tier `listed`. A policy can forbid an
    /// action that no list names, but cannot make it autonomous.
    pub fn tier(&self, action: &Action, listed: Option<Tier>) -> Option<Tier> {
        let by = self.policies.get(action);
        match listed {
            Some(listed) => Some(by.map_or(listed, |by| by.tier)),
            None => by.filter(|by| by.forbids()).map(|by| by.tier),
        }
    }

    /// Whether a policy demands approval of an action that its list might allow without.
    pub(crate) fn demands_approval(&self, action: &Action) -> bool {
        self.policies
            .get(action)
            .is_some_and(|by| by.tier == Tier::RequiresApproval && by.hold == Firmness::Firm)
    }

    pub(crate) fn blocks(&self, action: &Action) -> bool {
        self.policies.get(action).is_some_and(|by| by.tier == Tier::Blocked)
    }

    /// The command rules that allow the line, unless a policy forbids it.
    pub(crate) fn allowing_rules(&self, action: &Action) -> Option<&[String]> {
        let firm = self.policies.get(action).is_some_and(|by| by.hold == Firmness::Firm);
        match &self.command {
            Some(CommandRuleResult::Allowed { rules, .. }) if !firm => Some(rules),
            Some(
                CommandRuleResult::Allowed { .. }
                | CommandRuleResult::Denied { .. }
                | CommandRuleResult::Protected { .. },
            )
            | None => None,
        }
    }
}
