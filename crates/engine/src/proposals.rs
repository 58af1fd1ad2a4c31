//! Proposals: changes to the agent itself, with a diff and an undo plan.

use crate::{Engine, EngineError, ReadScope, RowKey, SessionOwner, Store};
use countersign_core::decide::facts::Facts;
use countersign_core::model::decision::Decision;
use countersign_core::model::ids::ProposalId;
use countersign_core::model::proposal::ProposalDraft;
use countersign_core::state::State;
use countersign_operations::propose;
use countersign_operations::propose::{
    Applier, ProposalActionResult, ProposalDecision, ProposalRefusal,
};
use std::sync::Arc;

impl<S: Store> Engine<S> {
    pub fn propose(&self, draft: &ProposalDraft) -> Result<(ProposalId, Decision), EngineError> {
        let scope = ReadScope::for_session(&draft.session)
            .with_opener(&draft.agent, self.find_place(draft.project.as_ref(), &[]))
            .with_rows(draft.edits.map(RowKey::Proposal));
        self.run_step(&scope, |facts, rules| {
            let ruled = self.evaluate_policies_without_arguments(rules, &draft.action);
            let facts = &Facts { ruled: &ruled, ..*facts };
            let ProposalDecision { id, decision, changes } = propose::propose(facts, draft);
            ((id, decision), changes)
        })
    }

    /// Applies a proposal, for the session and agent that submitted it.
    pub fn apply_proposal(
        &self,
        id: ProposalId,
        owner: &SessionOwner,
    ) -> Result<Result<(), ProposalRefusal>, EngineError> {
        let SessionOwner { session, agent } = owner;
        let by = Applier::Submitter { session, agent };
        self.act_on_proposal(id, |facts| propose::apply_proposal(facts, id, by))
    }

    /// Applies a proposal for the operator, under the same conditions.
    pub fn apply_proposal_as_operator(
        &self,
        id: ProposalId,
    ) -> Result<Result<(), ProposalRefusal>, EngineError> {
        self.act_on_proposal(id, |facts| propose::apply_proposal(facts, id, Applier::Operator))
    }

    pub fn veto_proposal(
        &self,
        id: ProposalId,
    ) -> Result<Result<(), ProposalRefusal>, EngineError> {
        self.act_on_proposal(id, |facts| propose::veto_proposal(facts, id))
    }

    pub fn undo_proposal(
        &self,
        id: ProposalId,
    ) -> Result<Result<(), ProposalRefusal>, EngineError> {
        self.act_on_proposal(id, |facts| propose::undo_proposal(facts, id))
    }

    /// The proposal and its session.
    pub fn read_proposal(&self, id: ProposalId) -> Result<Arc<State>, EngineError> {
        Ok(self.store.read(&ReadScope::for_row(RowKey::Proposal(id)))?.state)
    }

    fn act_on_proposal(
        &self,
        id: ProposalId,
        act: impl Fn(&Facts) -> ProposalActionResult,
    ) -> Result<Result<(), ProposalRefusal>, EngineError> {
        self.run_step(&ReadScope::for_row(RowKey::Proposal(id)), |facts, rules| {
            let proposal = facts.state.proposals.get(&id);
            let ruled = proposal
                .map(|proposal| self.evaluate_policies_without_arguments(rules, &proposal.action));
            act(&Facts { ruled: ruled.as_ref().unwrap_or(facts.ruled), ..*facts })
        })
    }
}
