//! Facts: everything a decision may know, `now` included.
//!
//! The engine gathers them in one read. A decision that needs something else needs another fact.

use crate::encoding::digest::Key;
use crate::model::graph::Graph;
use crate::model::ids::Fresh;
use crate::model::names::NodeName;
use crate::model::ruled::Ruled;
use crate::model::time::Time;
use crate::model::words::Surface;
use crate::state::State;

#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    pub now: Time,
    pub fresh: &'a Fresh,
    /// None while no graph could be loaded: then nothing passes.
    pub graph: Option<&'a Graph>,
    pub state: &'a State,
    pub surface: Surface,
    /// Our own files, sockets and folders, as canonical paths: no agent touches them.
    pub protected: &'a [String],
    /// What policies and command rules say about the call in question.
    pub ruled: &'a Ruled,
    /// What digests are keyed with, so that they tell nothing outside of their store.
    pub key: Option<&'a Key>,
    /// Where this is decided.
    pub node: &'a NodeName,
}
