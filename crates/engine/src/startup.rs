//! Starting the engine: it settles what this node's last life left behind before it decides.
//!
//! See docs/decisions/0018-time-and-nodes.md.

use crate::clock::read_uptime;
use crate::{Engine, EngineError, ReadScope, ScopeKind, SessionOwner, Store};
use countersign_core::model::change::Change;
use countersign_core::model::ids::RunId;
use countersign_core::model::names::{NodeName, SessionKey};
use countersign_core::model::node::Node;
use countersign_core::model::words::Presence;
use countersign_core::state::{CallRecord, CallState};
use countersign_core::steps::complete::cut_off_calls;
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

/// An engine that does not decide yet. Owners can reattach their suspended runs.
pub struct StartingEngine<'a, S> {
    engine: &'a Engine<S>,
}

impl<S: Store> StartingEngine<'_, S> {
    pub fn reattach_run(&self, run: RunId, owner: &SessionOwner) -> Result<bool, EngineError> {
        self.engine.reattach_run(run, owner)
    }
}

impl<S: Store> Engine<S> {
    /// Opens the engine. Calls that this node was executing become unknown, what has expired is
    /// recorded, and its runs are suspended until their owners take them up. Only then does it decide.
    pub fn open(
        &self,
        reattach: impl FnOnce(&StartingEngine<'_, S>) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        if !self.is_first_start()? {
            self.restart()?;
        }
        self.sweep()?;
        reattach(&StartingEngine { engine: self })?;
        self.is_open.store(true, Ordering::SeqCst);
        Ok(())
    }

    pub(crate) fn check_open(&self) -> Result<(), EngineError> {
        let is_open = self.is_open.load(Ordering::SeqCst);
        is_open.then_some(()).ok_or(EngineError::NotOpen)
    }

    /// Whether a restart has nothing to settle, and the next one needs no record of this start.
    fn is_first_start(&self) -> Result<bool, EngineError> {
        let state = self.store.read(&ReadScope::with_kind(ScopeKind::Running))?.state;
        let is_idle = state.calls.is_empty() && state.runs.is_empty() && state.gestures.is_empty();
        let is_unknown =
            state.presence == Presence::Unknown && !state.nodes.contains_key(&self.node);
        let is_alone = self.node == *NodeName::local();
        Ok(is_idle && is_unknown && is_alone && read_uptime(&*self.clock).is_none())
    }

    /// Records that this node ended and starts again on the same record.
    pub fn restart(&self) -> Result<(), EngineError> {
        let state = self.store.read(&ReadScope::with_kind(ScopeKind::Running))?.state;
        if let Some(before) = state.nodes.get(&self.node) {
            self.steady_clock.resume(&*self.clock, before)?;
        }
        self.record_restart(self.node.clone())
    }

    /// An operator declares that a node will not come back. The calls that it was executing become
    /// unknown, and its runs wait for their owners. If it is still alive, its commits are refused.
    pub fn retire_node(&self, node: &NodeName) -> Result<(), EngineError> {
        self.record_restart(node.clone())
    }

    fn record_restart(&self, node: NodeName) -> Result<(), EngineError> {
        self.cut_off_calls(&node)?;
        let is_own = node == self.node;
        self.run_step_anytime(&ReadScope::with_kind(ScopeKind::Running), |_, _| {
            let uptime = if is_own { read_uptime(&*self.clock) } else { None };
            ((), vec![Change::Restarted { node: node.clone(), uptime }])
        })
    }

    /// Records that the effect of the calls which a node was executing is unknown. One session after
    /// the other: what follows, such as the end of a plan, concerns the call's session. A start that
    /// is interrupted here continues at the next one.
    fn cut_off_calls(&self, node: &NodeName) -> Result<(), EngineError> {
        let state = self.store.read(&ReadScope::with_kind(ScopeKind::Running))?.state;
        let is_cut_off =
            |record: &&CallRecord| record.state == CallState::Executing && record.node == *node;
        let sessions: BTreeSet<SessionKey> = state
            .calls
            .values()
            .filter(is_cut_off)
            .map(|record| record.call.session.clone())
            .collect();
        for session in sessions {
            self.run_step_anytime(&ReadScope::for_session(&session), |facts, _| {
                ((), cut_off_calls(facts, &session, node))
            })?;
        }
        Ok(())
    }

    /// The nodes that have served this record, with the last start of each.
    pub fn list_nodes(&self) -> Result<Vec<(NodeName, Node)>, EngineError> {
        let state = self.store.read(&ReadScope::with_kind(ScopeKind::Running))?.state;
        Ok(state.nodes.iter().map(|(name, node)| (name.clone(), node.clone())).collect())
    }
}
