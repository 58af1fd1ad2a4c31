//! What the daemon knows about itself: the graph file in force, and what is wrong right now.
//!
//! It is only shown. Nothing here decides a call.

use countersign_core::model::time::Time;
use countersign_core::word_enum;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

word_enum! {
    /// What a problem is about.
    pub enum ProblemKind {
        /// The graph on the disk is not the one in force.
        Graph = "graph",
        /// The last write to the record failed.
        Record = "record",
        /// The disk of the record is almost full.
        Disk = "disk",
    }
}

/// Something that is wrong until it is fixed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HealthProblem {
    pub text: String,
    pub since: Time,
}

/// The graph file in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphFileState {
    /// Absolute, so that other programs find it.
    pub path: String,
    /// When this daemon put the version into force.
    pub since: Time,
    /// What became looser or stricter with it; none for the version of the start.
    pub change: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HealthReport {
    pub graph_file: Option<GraphFileState>,
    pub problems: BTreeMap<ProblemKind, HealthProblem>,
}

#[derive(Default)]
pub(crate) struct Health {
    report: Mutex<HealthReport>,
    /// Every commit looks here first, because it should not take the lock.
    has_failed_write: AtomicBool,
}

impl Health {
    fn lock(&self) -> MutexGuard<'_, HealthReport> {
        self.report.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn report(&self) -> HealthReport {
        self.lock().clone()
    }

    pub(crate) fn set_graph_file(&self, state: GraphFileState) {
        self.lock().graph_file = Some(state);
    }

    /// Another version of the same file is in force.
    pub(crate) fn note_graph_change(&self, change: String, since: Time) {
        if let Some(file) = &mut self.lock().graph_file {
            (file.since, file.change) = (since, Some(change));
        }
    }

    /// A problem with the same text goes on: it keeps its time.
    pub(crate) fn set_problem(&self, kind: ProblemKind, text: String, since: Time) {
        let mut report = self.lock();
        let is_same = report.problems.get(&kind).is_some_and(|known| known.text == text);
        if !is_same {
            report.problems.insert(kind, HealthProblem { text, since });
        }
        if kind == ProblemKind::Record {
            self.has_failed_write.store(true, Ordering::SeqCst);
        }
    }

    pub(crate) fn clear_problem(&self, kind: ProblemKind) {
        self.lock().problems.remove(&kind);
    }

    /// A commit has succeeded.
    pub(crate) fn note_write(&self) {
        if self.has_failed_write.swap(false, Ordering::SeqCst) {
            self.clear_problem(ProblemKind::Record);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fall over")]
mod tests {
    use super::*;

    #[test]
    fn a_problem_keeps_its_time_until_it_is_fixed() {
        let health = Health::default();
        let at = Time::from_micros;
        health.set_problem(ProblemKind::Record, "the disk is full".to_owned(), at(1));
        health.set_problem(ProblemKind::Record, "the disk is full".to_owned(), at(2));
        assert_eq!(health.report().problems[&ProblemKind::Record].since, at(1));
        health.note_write();
        assert_eq!(health.report(), HealthReport::default());
        health.set_problem(ProblemKind::Disk, "3 MiB are free".to_owned(), at(3));
        health.note_write();
        assert_eq!(health.report().problems.len(), 1, "a write does not free any space");
        health.clear_problem(ProblemKind::Disk);
        assert_eq!(health.report(), HealthReport::default());
    }
}
