//! Facts: everything that a decision may know, including the current time.
//!
//! The engine collects them in one read. A decision that needs more information needs another fact.

use crate::encoding::digest::Key;
use crate::model::graph::Graph;
use crate::model::ids::IdGenerator;
use crate::model::names::NodeName;
use crate::model::open_questions::OpenQuestions;
use crate::model::rule_results::RuleResults;
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
}
