//! Facts: everything that a decision may know, including the current time.
//!
//! The engine collects them in one read. A decision that needs more information needs another fact.

use crate::encoding::digest::Key;
use crate::model::graph::Graph;
use crate::model::ids::IdGenerator;
use crate::model::names::{NodeName, Project, SessionKey};
use crate::model::open_questions::OpenQuestions;
use crate::model::request::Request;
use crate::model::rule_results::RuleResults;
use crate::model::session_place::{SessionFolders, SessionPlace};
use crate::model::time::Time;
use crate::model::words::{Assurance, Surface};
use crate::state::State;

#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    pub now: Time,
    pub ids: &'a IdGenerator,
    /// None if no graph could be loaded. Then nothing is allowed.
    pub graph: Option<&'a Graph>,
    pub state: &'a State,
    pub surface: Surface,
    /// How far agents are separated from Countersign. Answers count accordingly.
    pub assurance: Assurance,
    /// How many questions are open. A count, so that a decision does not read all of them.
    pub questions: OpenQuestions,
    /// The canonical paths of our own files, sockets and folders. No agent may touch them.
    pub protected: &'a [String],
    /// The results of policies and command rules for the call.
    pub ruled: &'a RuleResults,
    /// The key of digests, so that they reveal nothing outside of their store.
    pub key: Option<&'a Key>,
    /// The node that decides.
    pub node: &'a NodeName,
    /// The folder that is named, if a session may be opened in it.
    pub place: Option<&'a SessionPlace>,
}

impl Facts<'_> {
    /// The project that a call counts for, with the folders of its session: those of the session, or
    /// none if the call names another folder than the one in which the session works.
    pub fn find_project(
        &self,
        session: &SessionKey,
        named: Option<&Project>,
    ) -> (Option<Project>, SessionFolders) {
        match (self.state.open_session(session, self.now), named) {
            (None, None) => (None, SessionFolders::default()),
            (None, Some(named)) => {
                let place = self.place.filter(|place| place.named == *named);
                let place = place.cloned().unwrap_or_else(|| SessionPlace::plain(named));
                (Some(place.project), place.folders)
            }
            (Some(open), named) if named.is_none() || named == open.workspace() => {
                (open.project.clone(), open.folders.clone())
            }
            (Some(_), _) => (None, SessionFolders::default()),
        }
    }

    /// The open questions of a session; those about imported grants do not count.
    pub fn count_questions_of(&self, session: &SessionKey) -> usize {
        let counts = |request: &&Request| {
            request.session == *session && request.is_open(self.now) && !request.is_imported()
        };
        self.state.requests.values().filter(counts).count()
    }

    /// How many more questions may be opened in a session.
    pub fn remaining_questions(&self, session: &SessionKey) -> usize {
        self.questions.remaining(self.count_questions_of(session))
    }
}
