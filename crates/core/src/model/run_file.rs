//! Files that decide what a command executes and that are no ordinary source: the scripts of
//! `package.json`, a makefile, `build.rs`. A line asks once they differ from what was seen.
//!
//! The engine reads them. Here what it found is data, so that a replay needs no disk.
//!
//! See docs/decisions/0119-write-then-run.md.

use crate::model::limits;
use crate::model::time::Time;
use crate::model::words::words;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Such a file as it is now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunFile {
    /// With every link of its folder followed.
    pub path: String,
    pub content: RunFileContent,
    /// When its content or its name last changed; none if nobody knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed_at: Option<Time>,
    /// What differs from the content that was seen, for the card. The record of a decision leaves it
    /// out.
    #[serde(skip)]
    pub difference: String,
}

/// The content of a file, or what stands in its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunFileContent {
    Absent,
    /// SHA-256 of the part that is executed, in hexadecimal digits.
    Hash(String),
    Unreadable,
    /// The folder has more folders below than are searched.
    TooMany,
}

/// A file that has changed, as the card of a question shows it. A yes stores its content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangedRunFile {
    pub path: String,
    pub content: RunFileContent,
    /// Without secrets.
    pub difference: String,
}

words! {
    /// When the content of a file was recorded.
    SightingCause {
        /// The session was opened.
        Opening = "opening",
        /// A line was allowed that reads the file, which has not changed since the opening.
        FirstUse = "first_use",
        /// The operator said yes to a card that showed what changed.
        Answer = "answer",
    }
}

/// The content of files, as the ledger records it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunFileSighting {
    pub cause: SightingCause,
    pub at: Time,
    pub files: BTreeMap<String, RunFileContent>,
}

/// The files that a session has seen, with the content that its lines may execute.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenRunFiles {
    /// What has not changed since then was there before the agent came. None until the first look.
    pub since: Option<Time>,
    pub files: BTreeMap<String, RunFileContent>,
}

impl SeenRunFiles {
    pub const NONE: Self = Self { since: None, files: BTreeMap::new() };

    pub fn is_none(&self) -> bool {
        *self == Self::NONE
    }

    /// Whether a file differs from what was seen: it was changed, made or removed.
    pub fn differs(&self, file: &RunFile) -> bool {
        let is_old =
            |since: Time| file.changed_at.is_some_and(|at| at + limits::FILE_TIME_STEP <= since);
        match self.files.get(&file.path) {
            Some(known) => *known != file.content,
            None => {
                file.content != RunFileContent::Absent
                    && self.since.is_some_and(|since| !is_old(since))
            }
        }
    }

    /// Adds what was seen. Only an answer replaces what is known.
    pub(crate) fn add(&mut self, seen: &RunFileSighting) {
        if seen.cause == SightingCause::Opening {
            self.since = Some(self.since.map_or(seen.at, |since| since.min(seen.at)));
        }
        for (path, content) in &seen.files {
            let is_known = self.files.contains_key(path);
            let has_room = self.files.len() < limits::SEEN_RUN_FILES;
            if seen.cause == SightingCause::Answer || (!is_known && has_room) {
                self.files.insert(path.clone(), content.clone());
            }
        }
    }

    /// Adds those of another session, whose agent brings them along.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.since = match (self.since, other.since) {
            (Some(own), Some(since)) => Some(own.min(since)),
            (own, since) => own.or(since),
        };
        for (path, content) in &other.files {
            if self.files.len() < limits::SEEN_RUN_FILES {
                self.files.entry(path.clone()).or_insert_with(|| content.clone());
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot be set up should fall over")]
mod tests {
    use super::*;
    use crate::model::time::Span;

    const OPENED: &str = "2026-01-05T09:00:00Z";

    fn file(content: RunFileContent, changed_at: Option<Time>) -> RunFile {
        RunFile { path: "/w/Makefile".to_owned(), content, changed_at, difference: String::new() }
    }

    fn hash(text: &str) -> RunFileContent {
        RunFileContent::Hash(text.to_owned())
    }

    fn build_sighting(cause: SightingCause, content: RunFileContent) -> RunFileSighting {
        let files = BTreeMap::from([("/w/Makefile".to_owned(), content)]);
        RunFileSighting { cause, at: Time::parse(OPENED).unwrap(), files }
    }

    #[test]
    fn a_known_file_differs_by_its_content_and_an_answer_takes_the_new_one() {
        let mut files = SeenRunFiles::NONE;
        files.add(&build_sighting(SightingCause::Opening, hash("a")));
        for (content, differs) in [
            (hash("a"), false),
            (hash("b"), true),
            (RunFileContent::Absent, true),
            (RunFileContent::Unreadable, true),
        ] {
            assert_eq!(files.differs(&file(content.clone(), None)), differs, "{content:?}");
        }
        files.add(&build_sighting(SightingCause::FirstUse, hash("b")));
        assert!(files.differs(&file(hash("b"), None)));
        files.add(&build_sighting(SightingCause::Answer, hash("b")));
        assert!(!files.differs(&file(hash("b"), None)) && files.differs(&file(hash("a"), None)));
    }

    #[test]
    fn an_unknown_file_differs_unless_it_is_older_than_the_session() {
        let opened = Time::parse(OPENED).unwrap();
        let mut files = SeenRunFiles::NONE;
        assert!(!files.differs(&file(hash("a"), None)), "nothing was looked at yet");
        let (cause, none) = (SightingCause::Opening, BTreeMap::new());
        files.add(&RunFileSighting { cause, at: opened, files: none });
        let before = |seconds| Some(opened - Span::seconds(seconds));
        for (changed_at, differs) in
            [(None, true), (Some(opened), true), (before(1), true), (before(60), false)]
        {
            assert_eq!(files.differs(&file(hash("a"), changed_at)), differs, "{changed_at:?}");
        }
        assert!(!files.differs(&file(RunFileContent::Absent, None)));
    }

    #[test]
    fn what_an_agent_brings_along_is_not_replaced_by_a_new_opening() {
        let mut carried = SeenRunFiles::NONE;
        carried.add(&build_sighting(SightingCause::Opening, hash("a")));
        let mut files = SeenRunFiles::NONE;
        files.merge(&carried);
        files.add(&build_sighting(SightingCause::Opening, hash("b")));
        assert!(files.differs(&file(hash("b"), None)));
    }
}
