//! Applies turns, plans and proposals to the state.

use crate::model::change::Reset;
use crate::model::ids::ProposalId;
use crate::model::names::SessionKey;
use crate::model::plan::{PlanAnswer, PlanDraft, PlanState};
use crate::model::proposal::ProposalState;
use crate::model::run::RunState;
use crate::model::turn::{Speaker, StopAfterTurn, TurnResult};
use crate::state::{CallState, Mode, Planned, Question, Restraints, State};

impl State {
    /// A turn that an agent reports does not count as the operator's: it can make the mode stricter,
    /// but never relax it. The operator's turn ends a dry run, and a stop if it is a word to go on.
    pub(in crate::state) fn apply_turn(
        &mut self,
        session: &SessionKey,
        speaker: Speaker,
        heard: TurnResult,
        stop: StopAfterTurn,
    ) {
        let by_operator = speaker != Speaker::Agent;
        let said = if heard == TurnResult::DryRun {
            Mode::DryRun
        } else if heard == TurnResult::Stop {
            Mode::Stopped
        } else {
            Mode::Normal
        };
        let remains = |before: Mode| match (by_operator, stop) {
            (false, _) => before,
            (true, StopAfterTurn::Stays) if before.is_stopped() => Mode::Stopped,
            (true, StopAfterTurn::Stays | StopAfterTurn::Ends) => Mode::Normal,
        };
        self.loosen_carried_over(session, |carried| carried.mode = remains(carried.mode));
        let Some(session) = self.sessions.get_mut(session) else { return };
        session.turn += u32::from(by_operator);
        let own = &mut session.restraints.mode;
        *own = remains(*own).and(said);
    }

    /// The operator lets the session go on without a word in it.
    pub(in crate::state) fn end_stop(&mut self, session: &SessionKey) {
        self.loosen_carried_over(session, Restraints::end_stop);
        if let Some(session) = self.sessions.get_mut(session) {
            session.restraints.end_stop();
        }
    }

    /// Clears consent that is not stored as a grant. Grants end by their own changes.
    pub(in crate::state) fn reset_consent(&mut self, session: &SessionKey, why: Reset) {
        if why == Reset::Revocation {
            self.end_gestures(session);
            return;
        }
        if let Some(open) = self.sessions.get_mut(session) {
            open.plan = None;
            open.accepted.clear();
            open.planned = Planned::Never;
            open.failures.clear();
        }
        if why != Reset::RunEnd {
            self.end_gestures(session);
        }
        if why == Reset::Stop {
            self.calls.change(
                |record| record.call.session == *session && record.state == CallState::Parked,
                |record| record.state = CallState::Stopped,
            );
        }
    }

    /// Ends the session's gestures, and withdraws the consent of the calls that rest on one. One that
    /// has ended counts too: what is nested in it may still run.
    pub(in crate::state) fn end_gestures(&mut self, session: &SessionKey) {
        // Marks the session as touched: the gestures that are gone cannot say whose they were.
        let _ = self.sessions.get_mut(session);
        self.gestures.retain(|gesture| gesture.session != *session);
        let clicked: Vec<_> = self
            .calls
            .values()
            .filter(|record| record.call.session == *session && record.consent.gesture.is_some())
            .map(|record| record.call.id)
            .collect();
        clicked.into_iter().for_each(|call| self.withdraw_consent(call));
    }

    pub(in crate::state) fn propose_plan(&mut self, key: &SessionKey, plan: &PlanDraft) {
        let Some(session) = self.sessions.get_mut(key) else { return };
        session.plan = Some(plan.clone());
        session.accepted.clear();
        session.latest = Question::Plan;
        let turn = session.turn;
        self.runs.change(
            |run| run.session == *key && run.state == RunState::Live,
            |run| run.last_plan_turn = Some(turn),
        );
    }

    pub(in crate::state) fn answer_plan(&mut self, session: &SessionKey, answer: PlanAnswer) {
        let Some(session) = self.sessions.get_mut(session) else { return };
        let state = match answer {
            PlanAnswer::Confirm => PlanState::Confirming,
            PlanAnswer::ConfirmLast => PlanState::ConfirmingLast,
            PlanAnswer::Amended => PlanState::Amended,
            PlanAnswer::Accepted => {
                session.planned = Planned::Once;
                session.accepted = session.plan.take().map_or_else(Vec::new, |plan| plan.actions);
                return;
            }
            PlanAnswer::Ended => {
                session.plan = None;
                return;
            }
            PlanAnswer::Stale => return,
        };
        if let Some(plan) = &mut session.plan {
            plan.state = state;
        }
    }

    pub(in crate::state) fn set_proposal_state(&mut self, id: ProposalId, state: ProposalState) {
        if let Some(proposal) = self.proposals.get_mut(&id) {
            proposal.state = state;
        }
    }
}
