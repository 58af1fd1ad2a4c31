//! Opening for business: what the last life of this node left behind is put in order before
//! anything is decided.

use crate::clock::uptime;
use crate::{Engine, EngineError, ReadScope, ScopeKind, Store};
use countersign_core::model::change::Change;
use countersign_core::model::ids::RunId;
use countersign_core::model::names::{Agent, NodeName, SessionName};
use countersign_core::model::node::Node;
use countersign_core::model::run::{Run, RunState};
use countersign_core::model::words::{Presence, RunEnding};
use countersign_core::steps::sweep::end_run;
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

/// An engine that does not decide yet: runs that a restart suspended can be taken up again.
pub struct Opening<'a, S> {
    engine: &'a Engine<S>,
}

impl<S: Store> Opening<'_, S> {
    /// The owner of a run takes it up again. False if that is over.
    pub fn reattach(
        &self,
        run: RunId,
        session: &SessionName,
        agent: &Agent,
    ) -> Result<bool, EngineError> {
        self.engine.reattach(run, session, agent)
    }
}

impl<S: Store> Engine<S> {
    /// Opens for business: what this node had running is unknown from now on, what time has ended
    /// is written down, owners take up their runs, and what nobody took up ends. Only then is
    /// anything decided.
    pub fn serve(
        &self,
        take_up: impl FnOnce(&Opening<'_, S>) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        if !self.is_first_life()? {
            self.restart()?;
        }
        self.sweep()?;
        take_up(&Opening { engine: self })?;
        self.end_what_was_left()?;
        self.open.store(true, Ordering::SeqCst);
        Ok(())
    }

    /// Whether there was nothing before that a restart could touch, and there is nothing to keep
    /// for the next one.
    fn is_first_life(&self) -> Result<bool, EngineError> {
        let known = self.store.read(&ReadScope::with_kind(ScopeKind::Running))?.state;
        let idle = known.calls.is_empty() && known.runs.is_empty() && known.gestures.is_empty();
        let unknown = known.presence == Presence::Unknown && !known.nodes.contains_key(&self.node);
        let alone = self.node == *NodeName::local();
        Ok(idle && unknown && alone && uptime(&*self.clock).is_none())
    }

    /// This node died and begins again on the same record.
    pub fn restart(&self) -> Result<(), EngineError> {
        let known = self.store.read(&ReadScope::with_kind(ScopeKind::Running))?.state;
        if let Some(before) = known.nodes.get(&self.node) {
            self.steady.resume(&*self.clock, before)?;
        }
        self.begin(self.node.clone())
    }

    /// An operator says that a node will not come back: what it had running is unknown, and its
    /// runs wait for their owners. What it still does, if it lives, is refused.
    pub fn retire(&self, node: &NodeName) -> Result<(), EngineError> {
        self.begin(node.clone())
    }

    fn begin(&self, node: NodeName) -> Result<(), EngineError> {
        let own = node == self.node;
        let need = ReadScope::with_kind(ScopeKind::Running);
        self.transact_before(&need, |_, _| {
            let uptime = if own { uptime(&*self.clock) } else { None };
            ((), vec![Change::Restarted { node: node.clone(), uptime }])
        })
    }

    /// The nodes that have served this record, and when each of them last began.
    pub fn nodes(&self) -> Result<Vec<(NodeName, Node)>, EngineError> {
        let state = self.store.read(&ReadScope::with_kind(ScopeKind::Running))?.state;
        Ok(state.nodes.iter().map(|(name, node)| (name.clone(), node.clone())).collect())
    }

    fn end_what_was_left(&self) -> Result<(), EngineError> {
        let left = |run: &&Run| run.state == RunState::Suspended && run.node == self.node;
        let state = self.store.read(&ReadScope::with_kind(ScopeKind::Running))?.state;
        let sessions: BTreeSet<SessionName> =
            state.runs.values().filter(left).map(|run| run.session.clone()).collect();
        for session in sessions {
            self.transact_before(&ReadScope::for_session(&session), |facts, _| {
                let runs = facts.state.runs.values().filter(left);
                let runs = runs.filter(|run| run.session == session);
                ((), runs.flat_map(|run| end_run(facts, run, RunEnding::Abandoned)).collect())
            })?;
        }
        Ok(())
    }
}
