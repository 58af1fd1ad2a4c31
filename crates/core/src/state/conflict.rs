//! Conflicts: reasons why a change cannot be committed, because the state has changed since it was
//! read.
//!
//! If one change of a commit conflicts, the whole commit is refused, and the engine decides again.

use super::{CallState, ConsentStanding, State};
use crate::model::change::{Answered, Attempt, Change, ErasedObjects, Timing};
use crate::model::grant::{Coverage, Grant, GrantState};
use crate::model::ids::{CallId, GrantId, NoticeId, ProposalId, RequestId, RunId};
use crate::model::names::{Action, SessionKey};
use crate::model::proposal::ProposalState;
use crate::model::request::{Request, RequestItem, RequestState};
use crate::model::run::RunState;
use crate::model::words::Effect;

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
    #[error("the session {} was opened or ended meanwhile", .0.name())]
    Session(SessionKey),
    /// Something that the step read; the name is that of a part of the state.
    #[error("{0} changed meanwhile")]
    Stale(String),
}

impl State {
    /// The first conflict of these changes with the state before them.
    pub fn conflict(&self, changes: &[Change]) -> Option<Conflict> {
        changes.iter().find_map(|change| self.check_change(change, changes))
    }

    fn check_change(&self, change: &Change, changes: &[Change]) -> Option<Conflict> {
        match change {
            Change::SessionOpened { session, .. } => self.check_not_open(session, changes),
            Change::SessionEnded { session: s, opening, .. } => self.check_not_ended(s, *opening),
            Change::CallDecided { attempt: Attempt::Retry(id), decision, .. } => {
                self.check_not_running(*id).filter(|_| decision.goes_ahead())
            }
            Change::CallCompleted { call, .. } => self.check_running(*call),
            Change::CallCancelled { call } => self.check_not_redeemed(*call),
            Change::RequestAnswered { answered } if answered.timing == Timing::InTime => {
                self.check_answer(answered, changes)
            }
            Change::GrantUsed { grant, .. } => self.check_grant_usable(*grant),
            Change::GrantReviewed { grant } => self.check_grant_not_over(*grant),
            Change::RequestOpened { request } if request.is_imported() => {
                self.check_not_imported(request)
            }
            Change::LegacyBlanketUsed { grant, action, .. } => self.check_first_use(*grant, action),
            Change::NestedCovered { parent, action, .. } => self.check_parent(*parent, action),
            Change::RepeatLeased { call, attempt, .. } => self.check_lease_free(*call, *attempt),
            Change::NoticeAcknowledged { notice, .. } => self.check_notice_open(*notice),
            Change::NoticeEnded { notice } => self.check_notice_remembered(*notice),
            Change::RunReattached { run, .. } => self.check_run_suspended(*run),
            // A veto was about the earlier version; an edit is a new question.
            Change::ProposalEdited { proposal } => {
                self.check_proposal_open(proposal.id).filter(|_| !self.is_vetoed(proposal.id))
            }
            Change::ProposalApplied { proposal } | Change::ProposalVetoed { proposal } => {
                self.check_proposal_open(*proposal)
            }
            Change::ProposalUndone { proposal } => self.check_proposal_applied(*proposal),
            Change::ArgumentsErased { erased } => self.check_erasable(erased),
            Change::CallDecided { .. }
            | Change::SessionJoined { .. }
            | Change::RunFilesSeen { .. }
            | Change::LayerSeen { .. }
            | Change::RequestAnswered { .. }
            | Change::GraphLoaded { .. }
            | Change::GraphReviewed { .. }
            | Change::RepeatQueued { .. }
            | Change::RepeatEnded { .. }
            | Change::RequestOpened { .. }
            | Change::RequestDelivered { .. }
            | Change::AgentRecorded { .. }
            | Change::DeclinesLifted { .. }
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
            | Change::GestureClosed { .. }
            | Change::RiskReduced { .. }
            | Change::AgentPaused { .. }
            | Change::AgentResumed { .. }
            | Change::PresenceChanged { .. }
            | Change::Restarted { .. }
            | Change::TurnSaid { .. }
            | Change::StopEnded { .. }
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
    fn check_erasable(&self, erased: &ErasedObjects) -> Option<Conflict> {
        let open = |id: &CallId| self.calls.get(id).is_some_and(|record| !record.state.is_over());
        erased.calls.iter().copied().find(open).map(Conflict::Call)
    }

    /// Another call opened the session meanwhile, perhaps in another project.
    fn check_not_open(&self, session: &SessionKey, changes: &[Change]) -> Option<Conflict> {
        let ends = |change: &Change| matches!(change, Change::SessionEnded { session: ended, .. } if ended == session);
        let is_open = self.sessions.get(session).is_some_and(|row| row.ended_at.is_none());
        (is_open && !changes.iter().any(ends)).then(|| Conflict::Session(session.clone()))
    }

    fn check_not_ended(&self, session: &SessionKey, opening: u32) -> Option<Conflict> {
        let row = self.sessions.get(session);
        let is_open = row.is_some_and(|row| row.ended_at.is_none() && row.opening == opening);
        (!is_open).then(|| Conflict::Session(session.clone()))
    }

    fn check_not_running(&self, id: CallId) -> Option<Conflict> {
        let waits = self.calls.get(&id).is_some_and(|r| r.state != CallState::Executing);
        (!waits).then_some(Conflict::Call(id))
    }

    fn check_running(&self, id: CallId) -> Option<Conflict> {
        let runs = self.calls.get(&id).is_some_and(|r| r.state == CallState::Executing);
        (!runs).then_some(Conflict::Call(id))
    }

    /// A call whose effect is unknown can have an open question, which may be withdrawn.
    fn check_not_redeemed(&self, id: CallId) -> Option<Conflict> {
        let waits = self.calls.get(&id).is_some_and(|record| {
            record.is_waiting() || record.state == CallState::Ended(Effect::Unknown)
        });
        (!waits).then_some(Conflict::Call(id))
    }

    fn check_parent(&self, parent: CallId, action: &Action) -> Option<Conflict> {
        let stands = self.calls.get(&parent).is_some_and(|record| {
            record.state == CallState::Executing
                && record.consent.standing == ConsentStanding::Given
                && record.consent.actions.contains(action)
        });
        (!stands).then_some(Conflict::Call(parent))
    }

    /// Another node has leased this attempt, or the call runs again.
    fn check_lease_free(&self, id: CallId, attempt: u8) -> Option<Conflict> {
        let free = self.calls.get(&id).is_some_and(|record| {
            let next = record.repeat.as_ref().map(|repeat| repeat.attempts.saturating_add(1));
            next == Some(attempt) && matches!(record.state, CallState::Ended(_))
        });
        (!free).then_some(Conflict::Call(id))
    }

    fn check_notice_open(&self, id: NoticeId) -> Option<Conflict> {
        let open = self.notices.get(&id).is_some_and(crate::model::notice::Notice::is_open);
        (!open).then_some(Conflict::Notice(id))
    }

    fn check_notice_remembered(&self, id: NoticeId) -> Option<Conflict> {
        let notice = self.notices.get(&id);
        let matters = notice.is_some_and(crate::model::notice::Notice::is_remembered);
        (!matters).then_some(Conflict::Notice(id))
    }

    fn check_run_suspended(&self, id: RunId) -> Option<Conflict> {
        let waits = self.runs.get(&id).is_some_and(|run| run.state == RunState::Suspended);
        (!waits).then_some(Conflict::Run(id))
    }

    fn check_proposal_applied(&self, id: ProposalId) -> Option<Conflict> {
        let applied = self
            .proposals
            .get(&id)
            .is_some_and(|proposal| matches!(proposal.state, ProposalState::Applied { .. }));
        (!applied).then_some(Conflict::Proposal(id))
    }

    /// Another answer came first, or the request has ended.
    fn check_answer(&self, answered: &Answered, changes: &[Change]) -> Option<Conflict> {
        let stands = self.requests.get(&answered.request).is_some_and(|request| {
            request.state == RequestState::Open
                && !is_answered_meanwhile(request, answered)
                && (answered.declines.is_empty() || !self.leaves_exact_grant(request, changes))
        });
        (!stands).then_some(Conflict::Request(answered.request))
    }

    /// Whether an exact grant of the same call, given meanwhile, would survive this decline.
    fn leaves_exact_grant(&self, request: &Request, changes: &[Change]) -> bool {
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
    fn check_proposal_open(&self, id: ProposalId) -> Option<Conflict> {
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
    fn check_not_imported(&self, request: &Request) -> Option<Conflict> {
        let before = self.earlier_import(request.opened_at, &request.digest);
        before.map(|_| Conflict::Request(request.id))
    }

    /// Another call was the action's first use meanwhile.
    fn check_first_use(&self, id: GrantId, action: &Action) -> Option<Conflict> {
        let grant = self.grants.get(id).filter(|grant| grant.first_uses.contains(action));
        grant.map(|grant| Conflict::Grant(grant.id))
    }

    fn check_grant_not_over(&self, id: GrantId) -> Option<Conflict> {
        let held = self.grants.get(id).is_some_and(Grant::is_held);
        (!held).then_some(Conflict::Grant(id))
    }

    fn check_grant_usable(&self, id: GrantId) -> Option<Conflict> {
        let usable = self.grants.get(id).is_some_and(|grant| {
            matches!(grant.state, GrantState::Live | GrantState::Released { .. })
        });
        (!usable).then_some(Conflict::Grant(id))
    }
}

/// Whether one of these items was answered meanwhile, or all items that this answer leaves open were.
fn is_answered_meanwhile(request: &Request, answered: &Answered) -> bool {
    let mine = |at: usize| answered.items.iter().any(|(item, _)| *item == at);
    let taken = |(at, item): (usize, &RequestItem)| mine(at) && item.answer.is_some();
    let left = |(at, item): (usize, &RequestItem)| !mine(at) && item.answer.is_none();
    let mut items = request.items.iter().enumerate();
    items.clone().any(taken) || (answered.ending.is_none() && !items.any(left))
}
