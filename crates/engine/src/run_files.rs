//! Write, then run: the files that decide what a line executes, held against those that its session
//! saw.
//!
//! They are read when a session is opened and for each line whose programs read them. The record keeps
//! hashes only. The texts that a card compares are kept in memory; after a restart the card shows the
//! file as it is now.
//!
//! See docs/decisions/0119-write-then-run.md.

mod difference;

use crate::{Engine, ReadScope, Snapshot, Store};
use countersign_commands::ReachedRunner;
use countersign_core::decide::facts::Facts;
use countersign_core::model::call::Call;
use countersign_core::model::change::Change;
use countersign_core::model::names::{Project, SessionKey};
use countersign_core::model::run_file::{RunFile, RunFileSighting, SightingCause};
use countersign_core::model::time::Time;
use countersign_observe::RunFileReader;
use difference::describe_difference;
use std::collections::BTreeMap;

impl<S: Store> Engine<S> {
    /// The files that the commands of a line read, with what differs from what the session saw.
    pub(crate) fn read_run_files(
        &self,
        facts: &Facts,
        call: &Call,
        runners: &[ReachedRunner],
    ) -> Vec<RunFile> {
        if runners.is_empty() {
            return Vec::new();
        }
        let seen = &facts.state.restraints(&call.session, facts.now).run_files;
        let workspace = call.workspace();
        let reader = RunFileReader::new(self.file_system.as_ref(), workspace, &seen.files);
        let mut files = Vec::new();
        for mut read in reader.read_for(runners) {
            if seen.differs(&read.file) {
                let known = seen.files.get(&read.file.path);
                let before = self.seen_texts.find(known);
                read.file.difference = describe_difference(known, before.as_deref(), &read);
                read.file.redact(facts.key);
            }
            self.seen_texts.keep(&read);
            files.push(read.file);
        }
        files
    }

    /// What a session that these changes open finds in its workspace.
    pub(crate) fn see_files_at_opening(&self, now: Time, changes: &[Change]) -> Vec<Change> {
        if !self.file_system.is_available() || !self.file_system.has_files() {
            return Vec::new();
        }
        let opened = changes.iter().filter_map(|change| match change {
            Change::SessionOpened { session, project, folders, .. } => {
                Some((session, folders.workspace.as_ref().or(project.as_ref())))
            }
            _ => None,
        });
        opened.map(|(session, workspace)| self.see_files(now, session, workspace)).collect()
    }

    fn see_files(&self, now: Time, session: &SessionKey, workspace: Option<&Project>) -> Change {
        let (none, workspace) = (BTreeMap::new(), workspace.map(Project::as_str));
        let reader = RunFileReader::new(self.file_system.as_ref(), workspace, &none);
        let mut files = BTreeMap::new();
        for read in reader.read_workspace() {
            self.seen_texts.keep(&read);
            files.insert(read.file.path, read.file.content);
        }
        // File times follow the clock of the machine, which engine time may be ahead of.
        let at = now.min(self.clock.now());
        let seen = Box::new(RunFileSighting { cause: SightingCause::Opening, at, files });
        Change::RunFilesSeen { session: session.clone(), seen }
    }

    /// Whether a step would open a session and look at its workspace.
    pub(crate) fn opens_session(&self, scope: &ReadScope, snapshot: &Snapshot) -> bool {
        let has_project = scope.opener.as_ref().is_some_and(|opener| opener.project().is_some());
        let now = self.clock.now();
        let is_open = |key: &SessionKey| snapshot.state.open_session(key, now).is_some();
        has_project && !scope.sessions.iter().all(is_open)
    }
}
