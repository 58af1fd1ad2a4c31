//! Applies changes to the state: an index of small functions, one per kind.
//!
//! Applying cannot fail. `conflict` checks first whether a change is still possible.

mod answers;
mod calls;
mod consent;
mod conversation;
mod erasure;
mod notices;
mod repeats;
mod sessions;

use super::{Planned, State};
use crate::model::change::{Change, Gesture};
use crate::model::grant::{Grant, Scope, Source};
use crate::model::ids::{GestureId, RunId};
use crate::model::names::{Agent, NodeName};
use crate::model::proposal::ProposalState::{Undone, Vetoed};
use crate::model::proposal::{Proposal, ProposalState};
use crate::model::run::{Run, RunState};
use crate::model::time::Time;
use crate::model::words::RunEnding;

impl State {
    pub fn apply(&mut self, at: Time, change: &Change) {
        match change {
            Change::RuleDecayed { .. }
            | Change::WorkflowBypassed { .. }
            | Change::GestureCovered { .. }
            | Change::NestedCovered { .. }
            | Change::CredentialIssued { .. }
            | Change::CredentialRevoked { .. }
            | Change::AssuranceFound { .. }
            | Change::AgentRecorded { .. }
            | Change::RiskReduced { .. } => {}
            Change::GraphLoaded { hash, .. } => self.graph = Some(*hash),
            Change::GraphReviewed { .. } => self.review_graph(at),
            Change::SessionOpened { session, agent, project: of, folders } => {
                self.begin_session(at, session, agent, (of.as_ref(), folders))
            }
            Change::SessionJoined { session, above } => self.join_session(at, session, above),
            Change::SessionEnded { session, by, .. } => self.end_session(at, session, *by),
            Change::RunFilesSeen { session, seen } => self.add_seen_files(session, seen),
            Change::LayerSeen { session, layer } => self.see_layer(session, layer.as_deref()),
            Change::CallDecided { attempt, decision, given, .. } => {
                self.apply_decision(at, attempt, decision, &given.node);
            }
            Change::CallCompleted { call, effect } => self.complete_call(*call, *effect),
            Change::CallCancelled { call } => self.cancel_call(*call),
            Change::RepeatQueued { call, due_at } => self.queue_repeat(at, *call, *due_at),
            Change::RepeatLeased { call, node, ends_at, .. } => {
                self.lease_repeat(*call, node, *ends_at);
            }
            Change::RepeatEnded { call, .. } => self.end_repeat(*call),
            Change::RequestOpened { request } => self.add_request(request),
            Change::RequestDelivered { delivery } => self.apply_delivery(delivery),
            Change::RequestAnswered { answered } => self.apply_answer(at, answered),
            Change::DeclinesLifted { session, lifted } => self.lift_declines(session, lifted),
            Change::NoticeRaised { notice } => self.raise_notice(notice),
            Change::NoticeEnded { notice } => self.end_notice(at, *notice),
            Change::NoticeAcknowledged { notice, surface } => {
                self.acknowledge_notice(at, *notice, surface);
            }
            Change::GrantMinted { grant } => self.add_grant(grant),
            Change::GrantReviewed { grant } => self.review_grant(at, *grant),
            Change::GrantUsed { grant, call, hold } => self.use_grant(at, *grant, *call, *hold),
            Change::LegacyBlanketUsed { grant: id, action, .. } => self.add_first_use(*id, action),
            Change::GrantRevoked { grant, .. } => self.revoke_grant(*grant),
            Change::GrantEnded { grant, why } => self.end_grant(*grant, *why),
            Change::RunStarted { run } => self.add_run(run),
            Change::RunEnded { run, how } => self.end_run(at, *run, *how),
            Change::RunReattached { run, node } => self.reattach_run(*run, node),
            Change::GestureMade { gesture } => self.add_gesture(gesture),
            Change::GestureClosed { gesture } => self.close_gesture(at, *gesture),
            Change::AgentPaused { agent } => self.pause_agent(agent),
            Change::AgentResumed { agent } => self.resume_agent(agent),
            Change::PresenceChanged { presence } => self.presence = *presence,
            Change::Restarted { node, uptime } => self.restart_node(at, node, uptime.as_ref()),
            Change::TurnSaid { session, speaker: by, heard, stop } => {
                self.apply_turn(session, *by, *heard, *stop)
            }
            Change::StopEnded { session } => self.end_stop(session),
            Change::ConsentReset { session, why } => self.reset_consent(session, *why),
            Change::PlanProposed { session, plan } => self.propose_plan(session, plan),
            Change::PlanAnswered { session, answer } => self.answer_plan(session, *answer),
            Change::ProposalSubmitted { proposal } | Change::ProposalEdited { proposal } => {
                self.add_proposal(proposal);
            }
            Change::ProposalApplied { proposal: id } => {
                self.set_proposal_state(*id, ProposalState::Applied { at });
            }
            Change::ProposalVetoed { proposal: id } => self.set_proposal_state(*id, Vetoed),
            Change::ProposalUndone { proposal: id } => self.set_proposal_state(*id, Undone),
            Change::ArgumentsErased { erased } => self.erase(erased),
        }
    }

    /// Adds a grant. An ask-ahead remembers its grant, so that its agent can read it later.
    fn add_grant(&mut self, grant: &Grant) {
        let answered = grant.request.filter(|_| grant.source == Source::Ahead);
        if let Some(request) = answered.and_then(|id| self.requests.get_mut(&id)) {
            request.grant = Some(grant.id);
        }
        self.grants.insert(grant.clone());
    }

    fn add_run(&mut self, run: &Run) {
        self.runs.insert(run.id, run.clone());
    }

    fn add_gesture(&mut self, gesture: &Gesture) {
        self.gestures.insert(gesture.id, gesture.clone());
    }

    fn close_gesture(&mut self, at: Time, gesture: GestureId) {
        if let Some(gesture) = self.gestures.get_mut(&gesture) {
            gesture.ends_at = gesture.ends_at.min(at);
        }
    }

    fn add_proposal(&mut self, proposal: &Proposal) {
        self.proposals.insert(proposal.id, proposal.clone());
    }

    fn pause_agent(&mut self, agent: &Agent) {
        self.paused.insert(agent.clone());
    }

    fn resume_agent(&mut self, agent: &Agent) {
        self.paused.remove(agent);
    }

    /// A review of the graph renews every project grant.
    fn review_graph(&mut self, at: Time) {
        let renewed = |grant: &Grant| grant.scope == Scope::Project && !grant.is_used_or_revoked();
        self.grants.change(renewed, |grant| grant.reviewed_at = at);
        self.graph = None;
    }

    fn end_run(&mut self, at: Time, run: RunId, how: RunEnding) {
        self.set_run_state(run, RunState::Ended(how));
        if let Some(run) = self.runs.get_mut(&run) {
            run.ended_at = Some(at);
        }
        let session = self.runs.get(&run).map(|run| run.session.clone());
        if let Some(session) = session.and_then(|session| self.sessions.get_mut(&session)) {
            session.accepted.clear();
            session.plan = None;
            session.planned = Planned::Never;
        }
    }

    fn reattach_run(&mut self, run: RunId, node: &NodeName) {
        self.set_run_state(run, RunState::Live);
        if let Some(run) = self.runs.get_mut(&run) {
            run.node.clone_from(node);
            run.reattach_until = None;
        }
    }

    fn set_run_state(&mut self, run: RunId, state: RunState) {
        if let Some(run) = self.runs.get_mut(&run) {
            run.state = state;
        }
    }
}
