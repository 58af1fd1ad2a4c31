//! Turns, plans and proposals: the engine's part is to read, decide and commit.

use crate::{Engine, EngineError, ReadScope, RowKey, Store};
use countersign_core::decide::facts::Facts;
use countersign_core::model::change::Change;
use countersign_core::model::decision::Decision;
use countersign_core::model::ids::ProposalId;
use countersign_core::model::names::{Agent, SessionName};
use countersign_core::model::plan::PlanDraft;
use countersign_core::model::proposal::ProposalDraft;
use countersign_core::model::words::Reason;
use countersign_core::steps::conversation::plan::propose_plan;
use countersign_core::steps::conversation::{
    Said, Turn, announce, context_changed, hand_over, say, topic_changed,
};
use countersign_core::steps::propose;
use countersign_core::steps::propose::{Acted, Proposed};

impl<S: Store> Engine<S> {
    /// Hears a turn. Who may loosen by one is decided by whose credential reported it.
    pub fn say(&self, turn: &Turn) -> Result<Said, EngineError> {
        self.transact(&ReadScope::for_session(&turn.session).with_project_sessions(), |facts| {
            let said = say(facts, turn, |text| countersign_commands::analyse(text, None));
            let changes = said.changes.clone();
            (said, changes)
        })
    }

    /// The lines by which a decision says whose consent it used.
    pub fn announce(&self, decision: &Decision) -> Result<Vec<String>, EngineError> {
        Ok(announce(&*self.state()?, decision))
    }

    /// An adapter saw the operator turn to something else.
    pub fn topic_changed(&self, session: &SessionName) -> Result<(), EngineError> {
        self.transact(&ReadScope::for_session(session), |facts| ((), topic_changed(facts, session)))
    }

    /// An adapter saw the work move to another project, feature or set of files.
    pub fn context_changed(&self, session: &SessionName) -> Result<(), EngineError> {
        self.transact(&ReadScope::for_session(session), |facts| {
            ((), context_changed(facts, session))
        })
    }

    /// Asks, command by command, whether standing commands hold in a new context too.
    pub fn hand_over(&self, from: &SessionName, to: &SessionName) -> Result<usize, EngineError> {
        self.transact(&ReadScope::for_session(from).with_session(to), |facts| {
            let changes = hand_over(facts, from, to);
            (changes.len(), changes)
        })
    }

    pub fn plan(&self, session: &SessionName, plan: &PlanDraft) -> Result<(), EngineError> {
        self.transact(&ReadScope::for_session(session), |facts| {
            ((), propose_plan(facts, session, plan.clone()))
        })
    }

    pub fn propose(&self, draft: &ProposalDraft) -> Result<(ProposalId, Decision), EngineError> {
        let need = ReadScope::for_session(&draft.session)
            .with_opener(&draft.agent, draft.project.as_ref());
        let need = need.with_rows(draft.edits.map(RowKey::Proposal));
        self.transact_under(&need, |facts, in_force| {
            let ruled = self.ruled_alone(in_force, &draft.action);
            let facts = &Facts { ruled: &ruled, ..*facts };
            let Proposed { id, decision, changes } = propose::propose(facts, draft);
            ((id, decision), changes)
        })
    }

    /// Applies a proposal, for the session and agent that submitted it.
    pub fn apply(
        &self,
        id: ProposalId,
        session: &SessionName,
        agent: &Agent,
    ) -> Result<Result<(), Reason>, EngineError> {
        self.act(id, |facts| propose::apply_proposal(facts, id, session, agent))
    }

    pub fn veto(&self, id: ProposalId) -> Result<Result<(), Reason>, EngineError> {
        self.act(id, |facts| propose::veto_proposal(facts, id))
    }

    pub fn undo(&self, id: ProposalId) -> Result<Result<(), Reason>, EngineError> {
        self.act(id, |facts| propose::undo_proposal(facts, id))
    }

    fn act(
        &self,
        id: ProposalId,
        step: impl Fn(&Facts) -> Acted,
    ) -> Result<Result<(), Reason>, EngineError> {
        let need = ReadScope::for_row(RowKey::Proposal(id));
        self.transact_under(&need, |facts, in_force| -> (Result<(), Reason>, Vec<Change>) {
            let known = facts.state.proposals.get(&id);
            let ruled = known.map(|proposal| self.ruled_alone(in_force, &proposal.action));
            step(&Facts { ruled: ruled.as_ref().unwrap_or(facts.ruled), ..*facts })
        })
    }
}
