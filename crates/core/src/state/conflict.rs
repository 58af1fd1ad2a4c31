//! Conflicts: reasons why a change cannot be committed, because the state has changed since it was
//! read.
//!
//! If one change of a commit conflicts, the whole commit is refused, and the engine decides again.

use super::{CallState, Standing, State};
use crate::model::change::{Answered, Attempt, Change, Erased, Timing};
use crate::model::grant::{Coverage, Grant, GrantState};
use crate::model::ids::{CallId, GrantId, NoticeId, ProposalId, RequestId, RunId};
use crate::model::names::{Action, Agent, SessionName};
use crate::model::proposal::ProposalState;
use crate::model::request::{Item, Request, RequestState};
use crate::model::run::RunState;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Conflict {
    #[error("{0} was used, ended or revoked meanwhile")]
    Grant(GrantId),
    #[error("{0} was answered meanwhile")]
    Request(RequestId),
    #[error("{0} is no longer in the state it was read in")]
    Call(CallId),
    #[error("{0} was applied, vetoed or undone meanwhile")]
    Proposal(ProposalId),
    #[error("{0} was acknowledged meanwhile")]
    Notice(NoticeId),
    #[error("{0} ended meanwhile")]
    Run(RunId),
    #[error("the session {0} was opened by another agent meanwhile")]
    Session(SessionName),
}

impl State {
    /// The first conflict of these changes with the state before them.
    pub fn conflict(&self, changes: &[Change]) -> Option<Conflict> {
        changes.iter().find_map(|change| self.stands_against(change, changes))
    }

    fn stands_against(&self, change: &Change, changes: &[Change]) -> Option<Conflict> {
        match change {
            Change::SessionOpened { session, agent, .. } => self.is_foreign(session, agent),
            Change::CallDecided { attempt: Attempt::Retry(id), decision, .. } => {
                self.is_running(*id).filter(|_| decision.goes_ahead())
            }
            Change::CallCompleted { call, .. } => self.is_not_running(*call),
            Change::RequestAnswered { answered } if answered.timing == Timing::InTime => {
                self.is_overtaken(answered, changes)
            }
            Change::GrantUsed { grant, .. } => self.is_unusable(*grant),
            Change::GrantReviewed { grant } => self.is_over(*grant),
            Change::RequestOpened { request } if request.is_imported() => {
                self.is_brought_in(request)
            }
            Change::LegacyBlanketUsed { grant, action, .. } => self.is_used_by(*grant, action),
            Change::NestedCovered { parent, .. } => self.carries_nothing(*parent),
            Change::RepeatLeased { call, attempt, .. } => self.is_taken(*call, *attempt),
            Change::NoticeAcknowledged { notice, .. } => self.is_acknowledged(*notice),
            Change::RunReattached { run, .. } => self.is_not_suspended(*run),
            // A veto was about the earlier version; an edit is a new question.
            Change::ProposalEdited { proposal } => {
                self.is_settled(proposal.id).filter(|_| !self.is_vetoed(proposal.id))
            }
            Change::ProposalApplied { proposal } | Change::ProposalVetoed { proposal } => {
                self.is_settled(*proposal)
            }
            Change::ProposalUndone { proposal } => self.is_not_applied(*proposal),
            Change::ArgumentsErased { erased } => self.is_needed(erased),
            Change::CallDecided { .. }
            | Change::RequestAnswered { .. }
            | Change::GraphLoaded { .. }
            | Change::GraphReviewed { .. }
            | Change::RepeatQueued { .. }
            | Change::RepeatEnded { .. }
            | Change::RequestOpened { .. }
            | Change::RequestDelivered { .. }
            | Change::AgentRecorded { .. }
            | Change::NoticeRaised { .. }
            | Change::GrantMinted { .. }
            | Change::GrantRevoked { .. }
            | Change::GrantEnded { .. }
            | Change::RuleDecayed { .. }
            | Change::RunStarted { .. }
            | Change::RunEnded { .. }
            | Change::WorkflowBypassed { .. }
            | Change::GestureMade { .. }
            | Change::GestureCovered { .. }
            | Change::RiskReduced { .. }
            | Change::AgentPaused { .. }
            | Change::AgentResumed { .. }
            | Change::PresenceChanged { .. }
            | Change::Restarted { .. }
            | Change::TurnSaid { .. }
            | Change::ConsentReset { .. }
            | Change::PlanProposed { .. }
            | Change::PlanAnswered { .. }
            | Change::ProposalSubmitted { .. }
            | Change::CredentialIssued { .. }
            | Change::CredentialRevoked { .. }
            | Change::AssuranceFound { .. } => None,
        }
    }

    /// A call that is still open needs its arguments, so they cannot be erased.
    fn is_needed(&self, erased: &Erased) -> Option<Conflict> {
        let open = |id: &CallId| self.calls.get(id).is_some_and(|record| !record.state.is_over());
        erased.calls.iter().copied().find(open).map(Conflict::Call)
    }

    fn is_foreign(&self, session: &SessionName, agent: &Agent) -> Option<Conflict> {
        let open = self.sessions.get(session).filter(|open| open.agent != *agent);
        open.map(|_| Conflict::Session(session.clone()))
    }

    fn is_running(&self, id: CallId) -> Option<Conflict> {
        let waits = self.calls.get(&id).is_some_and(|r| r.state != CallState::Executing);
        (!waits).then_some(Conflict::Call(id))
    }

    fn is_not_running(&self, id: CallId) -> Option<Conflict> {
        let runs = self.calls.get(&id).is_some_and(|r| r.state == CallState::Executing);
        (!runs).then_some(Conflict::Call(id))
    }

    fn carries_nothing(&self, parent: CallId) -> Option<Conflict> {
        let stands = self.calls.get(&parent).is_some_and(|record| {
            record.state == CallState::Executing && record.consent.standing == Standing::Given
        });
        (!stands).then_some(Conflict::Call(parent))
    }

    /// Another node has leased this attempt, or the call runs again.
    fn is_taken(&self, id: CallId, attempt: u8) -> Option<Conflict> {
        let free = self.calls.get(&id).is_some_and(|record| {
            let next = record.repeat.as_ref().map(|repeat| repeat.attempts.saturating_add(1));
            next == Some(attempt) && matches!(record.state, CallState::Ended(_))
        });
        (!free).then_some(Conflict::Call(id))
    }

    fn is_acknowledged(&self, id: NoticeId) -> Option<Conflict> {
        let open = self.notices.get(&id).is_some_and(crate::model::notice::Notice::is_open);
        (!open).then_some(Conflict::Notice(id))
    }

    fn is_not_suspended(&self, id: RunId) -> Option<Conflict> {
        let waits = self.runs.get(&id).is_some_and(|run| run.state == RunState::Suspended);
        (!waits).then_some(Conflict::Run(id))
    }

    fn is_not_applied(&self, id: ProposalId) -> Option<Conflict> {
        let applied = self
            .proposals
            .get(&id)
            .is_some_and(|proposal| matches!(proposal.state, ProposalState::Applied { .. }));
        (!applied).then_some(Conflict::Proposal(id))
    }

    /// Another answer came first, or the request has ended.
    fn is_overtaken(&self, answered: &Answered, changes: &[Change]) -> Option<Conflict> {
        let stands = self.requests.get(&answered.request).is_some_and(|request| {
            request.state == RequestState::Open
                && !is_answered_otherwise(request, answered)
                && (answered.declines.is_empty() || !self.spares(request, changes))
        });
        (!stands).then_some(Conflict::Request(answered.request))
    }

    /// Whether an exact grant of the same call, given meanwhile, would survive this decline.
    fn spares(&self, request: &Request, changes: &[Change]) -> bool {
        let ends = |id: GrantId| {
            changes
                .iter()
                .any(|change| matches!(change, Change::GrantEnded { grant, .. } if *grant == id))
        };
        self.grants.iter().any(|grant| {
            matches!(&grant.coverage, Coverage::Digest { digest, .. } if *digest == request.digest)
                && grant.state == GrantState::Live
                && !ends(grant.id)
        })
    }

    /// The proposal was applied, undone or vetoed meanwhile.
    fn is_settled(&self, id: ProposalId) -> Option<Conflict> {
        let settled = self.proposals.get(&id).is_none_or(|proposal| {
            matches!(
                proposal.state,
                ProposalState::Applied { .. } | ProposalState::Undone | ProposalState::Vetoed
            )
        });
        settled.then_some(Conflict::Proposal(id))
    }

    fn is_vetoed(&self, id: ProposalId) -> bool {
        self.proposals.get(&id).is_some_and(|proposal| proposal.state == ProposalState::Vetoed)
    }

    /// The same grant was imported meanwhile.
    fn is_brought_in(&self, request: &Request) -> Option<Conflict> {
        let before = self.earlier_import(request.opened_at, &request.digest);
        before.map(|_| Conflict::Request(request.id))
    }

    /// Another call was the action's first use meanwhile.
    fn is_used_by(&self, id: GrantId, action: &Action) -> Option<Conflict> {
        let grant = self.grants.get(id).filter(|grant| grant.first_uses.contains(action));
        grant.map(|grant| Conflict::Grant(grant.id))
    }

    fn is_over(&self, id: GrantId) -> Option<Conflict> {
        let held = self.grants.get(id).is_some_and(Grant::is_held);
        (!held).then_some(Conflict::Grant(id))
    }

    fn is_unusable(&self, id: GrantId) -> Option<Conflict> {
        let usable = self.grants.get(id).is_some_and(|grant| {
            matches!(grant.state, GrantState::Live | GrantState::Released { .. })
        });
        (!usable).then_some(Conflict::Grant(id))
    }
}

/// Whether one of these items was answered meanwhile, or all items that this answer leaves open were.
fn is_answered_otherwise(request: &Request, answered: &Answered) -> bool {
    let mine = |at: usize| answered.items.iter().any(|(item, _)| *item == at);
    let taken = |(at, item): (usize, &Item)| mine(at) && item.answer.is_some();
    let left = |(at, item): (usize, &Item)| !mine(at) && item.answer.is_none();
    let mut items = request.items.iter().enumerate();
    items.clone().any(taken) || (answered.ending.is_none() && !items.any(left))
}
