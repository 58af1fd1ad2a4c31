//! What policies and command rules say about a call, evaluated before it is decided.

mod command;
mod narrow;
mod places;
mod policy;

use command::JudgedLine;
pub use command::UncoveredCommand;
use places::find_known_access;

use crate::active_rules::ActiveRules;
use crate::{Engine, Store};
use countersign_core::decide::facts::Facts;
use countersign_core::model::call::{Call, CallDraft};
use countersign_core::model::rule_results::{
    FolderPlace, NO_RULE_RESULTS, OwnFileResult, RuleResults,
};
use countersign_observe::{OwnFiles, PathResolver};
use std::collections::BTreeMap;

impl<S: Store> Engine<S> {
    /// Whether deciding the call looks at files: command lines, policies and targets do.
    pub(crate) fn reads_files(&self, rules: &ActiveRules, draft: &CallDraft) -> bool {
        let tool = draft.tool.as_ref().and_then(|tool| rules.graph.tool(tool.as_str()));
        let has_command =
            draft.command.is_some() || tool.is_some_and(|tool| tool.command.is_some());
        let has_target = !draft.target.is_empty() || tool.is_some_and(|t| !t.target.is_empty());
        has_command || has_target || rules.policies.is_some()
    }

    /// Evaluated again at every attempt, because a link may point elsewhere by then.
    pub(crate) fn evaluate_rules(
        &self,
        facts: &Facts,
        rules: Option<&ActiveRules>,
        call: &Call,
    ) -> RuleResults {
        let Some(rules) = rules else { return NO_RULE_RESULTS.clone() };
        let line = call.command.as_ref().map(|line| self.judge_command(rules, call, line));
        let JudgedLine { ruling, findings, programs, runners, narrowed } = line.unwrap_or_default();
        let targets = self.find_target_places(rules, call);
        let own = self.judge_targets(rules, call);
        let target = match own {
            Some(OwnFileResult::Protected { .. }) => own,
            Some(OwnFileResult::Unresolved { .. }) | None => own.or(targets.unresolved),
        };
        let mut ruled = RuleResults {
            command: ruling,
            policies: BTreeMap::new(),
            target,
            folder: self.find_folder(call),
            findings: if findings.is_empty() { targets.findings } else { findings },
            programs,
            run_files: self.read_run_files(facts, call, &runners),
            narrowed: narrowed.or(targets.narrowed).map(Box::new),
        };
        ruled.policies = self.evaluate_policies(rules, call, &ruled);
        ruled
    }

    /// Where the folder of a command line lies. Only a plain command can be a standing one.
    fn find_folder(&self, call: &Call) -> FolderPlace {
        if !call.command.as_ref().is_some_and(|line| line.is_plain() && line.cwd().is_some()) {
            return FolderPlace::Elsewhere;
        }
        let files = self.file_system.as_ref();
        match PathResolver::for_call(files, call, self.home.as_deref()).is_inside_workspace() {
            true => FolderPlace::InWorkspace,
            false => FolderPlace::Elsewhere,
        }
    }

    /// Whether a target of the call leads to our own files. Of several results the strictest counts.
    fn judge_targets(&self, rules: &ActiveRules, call: &Call) -> Option<OwnFileResult> {
        if self.protected.is_empty() || call.target.is_empty() {
            return None;
        }
        let files = self.file_system.as_ref();
        let own_files = OwnFiles::find(files, &self.protected);
        let resolver = PathResolver::for_call(files, call, self.home.as_deref());
        let access = find_known_access(&rules.graph, call);
        let judge = |target: &String| own_files.judge_target(&resolver, (target, access));
        let mut unresolved = None;
        for found in call.target.iter().filter_map(judge) {
            match found {
                OwnFileResult::Protected { .. } => return Some(found),
                OwnFileResult::Unresolved { .. } => unresolved = unresolved.or(Some(found)),
            }
        }
        unresolved
    }
}
