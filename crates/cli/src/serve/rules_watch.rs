//! Notices changed rules: the graph, its policies, and who can write them.
//!
//! A change counts once two looks in a row find the same files and no program has them open for
//! writing, so that a file that is half written never replaces a whole one.

use super::write_tracker::WriteTracker;
use crate::clock::SystemClock;
use countersign_console::{Failure, Page, out};
use countersign_core::model::time::Time;
use countersign_core::model::words::Assurance;
use countersign_engine::Clock;
use countersign_graph::LoadedGraph;
use countersign_graph::diff::{diff_with_policies, summarize};
use countersign_host::{AssuranceChange, GraphChange, RulesChange};
use countersign_setup::{AssuranceReport, DecidingChain, DecidingFiles, GraphContent, GraphFile};
use std::mem::take;

pub(super) struct RulesWatch {
    files: DecidingFiles,
    assurance: AssuranceReport,
    /// The level at the start. An operator who started the daemon at L1 relies on it: until the next
    /// start, the daemon loads no rule that an agent could have written.
    first_level: Assurance,
    graph: WatchedGraph,
    /// What was last loaded or refused.
    content: GraphContent,
    handled: RulesState,
    /// At the last look.
    seen: RulesState,
    /// A file system notes times in steps of milliseconds, so a change right after a look may leave
    /// no trace. One more look at the content finds it.
    needs_second_look: bool,
    /// The rules were refused because an agent could have written them.
    was_weak: bool,
    writes: WriteTracker,
}

/// The rules on the disk, and what is wrong with their protection.
#[derive(Clone, PartialEq, Eq)]
struct RulesState(Vec<DecidingChain>);

impl RulesState {
    fn new(chains: &[DecidingChain]) -> Self {
        Self(chains.iter().filter(|chain| chain.role.is_rule()).cloned().collect())
    }

    fn find_weakness(&self) -> Option<String> {
        self.0.iter().find_map(DecidingChain::explain_weakness)
    }
}

impl RulesWatch {
    /// `graph` is in force. It was read after `chains`, which gave `assurance`.
    pub(super) fn new(
        files: DecidingFiles,
        chains: &[DecidingChain],
        assurance: AssuranceReport,
        graph: WatchedGraph,
    ) -> Self {
        let mut writes = WriteTracker::new();
        writes.follow(chains.iter().filter(|chain| chain.role.is_rule()));
        Self {
            files,
            first_level: assurance.level,
            assurance,
            content: graph.content.clone(),
            graph,
            handled: RulesState::new(chains),
            seen: RulesState::new(chains),
            needs_second_look: true,
            was_weak: false,
            writes,
        }
    }

    pub(super) fn check_files(&mut self) -> RulesChange {
        let chains = self.files.read_chains();
        let found = RulesState::new(&chains);
        self.writes.follow(&found.0);
        let assurance = self.update_assurance(&chains);
        let is_settled = found == self.seen && !self.writes.is_being_written(&found.0);
        let is_handled = found == self.handled && !self.needs_second_look;
        self.seen = found;
        let graph = match is_settled && !is_handled {
            true => self.load(),
            false => GraphChange::Unchanged,
        };
        RulesChange { graph, assurance }
    }

    fn update_assurance(&mut self, chains: &[DecidingChain]) -> Option<AssuranceChange> {
        let found = self.files.detect_assurance(chains);
        if found == self.assurance {
            return None;
        }
        let is_lower = found.level < self.assurance.level;
        let is_other_level = found.level != self.assurance.level;
        self.assurance = found.clone();
        out::eprint(&Page::from_line(&format!("assurance {}: {}", found.level, found.reason)));
        let alert = is_lower.then(|| format!("assurance is now {}: {}", found.level, found.reason));
        is_other_level.then_some(AssuranceChange { level: found.level, alert })
    }

    /// Loads rules that have not changed since the last look.
    fn load(&mut self) -> GraphChange {
        let Some((content, result)) = self.read_settled_rules() else {
            return GraphChange::Unchanged;
        };
        let is_new_state = self.seen != self.handled;
        self.needs_second_look = is_new_state;
        self.handled = self.seen.clone();
        let weakness = match self.first_level {
            Assurance::Separated => self.seen.find_weakness(),
            Assurance::Shared => None,
        };
        match weakness {
            // The content is not remembered, so that it counts once it is protected again.
            Some(weakness) if is_new_state => {
                self.was_weak = true;
                return refuse(&weakness);
            }
            Some(_) => return GraphChange::Unchanged,
            None => {}
        }
        let was_weak = take(&mut self.was_weak);
        if content == self.content && !was_weak {
            return GraphChange::Unchanged;
        }
        self.content = content.clone();
        if content == self.graph.content {
            out::eprint(&Page::from_line("the graph is again the version in force"));
            return GraphChange::Restored(Box::new(self.graph.loaded.clone()));
        }
        match result {
            Ok(file) => {
                self.files.policies.clone_from(&file.policy_folder);
                let differences = diff_with_policies(&self.graph.loaded, &file.loaded);
                let summary = format!("{} changed: {}", file.name, summarize(&differences));
                out::eprint(&Page::from_line(&summary));
                self.graph.replace(content, file.loaded.clone(), SystemClock.now());
                GraphChange::Changed { loaded: Box::new(file.loaded), summary }
            }
            Err(failure) => {
                out::eprint(&failure.page());
                self.refuse_with_version(&failure.line())
            }
        }
    }

    fn refuse_with_version(&self, why: &str) -> GraphChange {
        let (name, since) = (self.files.graph.display(), self.graph.since);
        let line = format!("{name} is not in force: {why}; still using the version of {since}");
        out::eprint(&Page::from_line(&line));
        GraphChange::Refused(line)
    }

    /// None if somebody changed the rules while they were read.
    fn read_settled_rules(&mut self) -> Option<(GraphContent, Result<GraphFile, Failure>)> {
        let (mut content, mut result) = GraphFile::read(self.files.graph.clone());
        if content.policy_folder.is_some() && content.policy_folder != self.files.policies {
            // The graph names another folder, which nobody has looked at yet.
            self.files.policies.clone_from(&content.policy_folder);
            self.seen = RulesState::new(&self.files.read_chains());
            (content, result) = GraphFile::read(self.files.graph.clone());
        }
        let after = RulesState::new(&self.files.read_chains());
        if after != self.seen || self.writes.is_being_written(&after.0) {
            self.seen = after;
            return None;
        }
        Some((content, result))
    }
}

/// The graph in force.
pub(super) struct WatchedGraph {
    content: GraphContent,
    loaded: LoadedGraph,
    since: Time,
}

impl WatchedGraph {
    pub(super) fn new(content: GraphContent, loaded: LoadedGraph, since: Time) -> Self {
        Self { content, loaded, since }
    }

    fn replace(&mut self, content: GraphContent, loaded: LoadedGraph, since: Time) {
        (self.content, self.loaded, self.since) = (content, loaded, since);
    }
}

fn refuse(weakness: &str) -> GraphChange {
    let why = format!(
        "the rules on the disk are not loaded, because an agent could have written them: \
         {weakness}, after you have read what is in it"
    );
    out::eprint(&Page::from_line(&why));
    GraphChange::Refused(why)
}

#[cfg(test)]
mod tests;
