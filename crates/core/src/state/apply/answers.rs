//! Applies requests and answers to the state.

use crate::model::change::{Answered, Decline, LiftReach, LiftedDeclines, Timing};
use crate::model::delivery::{Delivery, Extent, ShownObject};
use crate::model::ids::{CallId, ProposalId, RequestId};
use crate::model::limits;
use crate::model::names::SessionKey;
use crate::model::proposal::ProposalState;
use crate::model::request::{Request, RequestState, Subject};
use crate::model::time::Time;
use crate::model::words::{Choice, Ending};
use crate::state::{
    CallRecord, CallState, DeclineRecord, DeclineState, DeclinedQuestion, Question, Restraints,
    State,
};

impl State {
    pub(in crate::state) fn add_request(&mut self, request: &Request) {
        if let Subject::Calls(calls) = &request.subject {
            for call in calls {
                if let Some(record) = self.calls.get_mut(call) {
                    remember_request(&mut record.requests, request.id);
                }
            }
        }
        if let Some(session) = self.sessions.get_mut(&request.session)
            && !request.is_imported()
        {
            session.latest = Question::Request;
        }
        self.requests.insert(request.id, request.clone());
    }

    /// Remembers which surface has shown the whole call. What it has shown less of changes nothing.
    /// Beyond the limit the one that showed it longest ago is forgotten: the operator is where it was
    /// shown last.
    pub(in crate::state) fn apply_delivery(&mut self, delivery: &Delivery) {
        let (ShownObject::Request(id), Extent::Whole) = (delivery.shown, delivery.extent) else {
            return;
        };
        let is_new = |request: &Request| request.shown_whole_on.last() != Some(&delivery.surface);
        // `get_mut` marks the row as touched, so it is called only if something changes.
        if self.requests.get(&id).is_some_and(is_new)
            && let Some(request) = self.requests.get_mut(&id)
        {
            let shown_on = &mut request.shown_whole_on;
            shown_on.retain(|surface| *surface != delivery.surface);
            if shown_on.len() >= limits::SURFACES_PER_REQUEST {
                shown_on.remove(0);
            }
            shown_on.push(delivery.surface.clone());
        }
    }

    pub(in crate::state) fn apply_answer(&mut self, at: Time, answered: &Answered) {
        let Some(request) = self.requests.get_mut(&answered.request) else { return };
        if answered.timing == Timing::Late {
            return;
        }
        for (at, choice) in &answered.items {
            if let Some(item) = request.items.get_mut(*at) {
                item.answer = Some(*choice);
            }
        }
        if let Some(ending) = answered.ending {
            request.state = RequestState::Closed(ending);
        }
        if !answered.note.is_empty() {
            request.note.clone_from(&answered.note);
        }
        let (session, subject) = (request.session.clone(), request.subject.clone());
        if answered.ending == Some(Ending::Approved) {
            self.confirm_run(at, &subject);
        }
        for decline in &answered.declines {
            self.record_decline(at, &session, decline, &answered.note);
        }
        self.record_activity(at, &session);
        let loosen = |restraints: &mut Restraints| {
            if answered.items.iter().any(|(_, choice)| *choice != Choice::Decline) {
                restraints.end_stop();
            }
            restraints.declined.retain(|declined| !answered.cleared.contains(declined));
        };
        self.loosen_carried_over(&session, loosen);
        if let Some(session) = self.sessions.get_mut(&session) {
            loosen(&mut session.restraints);
            session.failures.retain(|failure| {
                !answered
                    .cleared
                    .iter()
                    .any(|(action, target)| *action == failure.action && *target == failure.target)
            });
        }
        let Some(ending) = answered.ending else { return };
        match subject {
            Subject::Calls(_) => {
                let waiting = self.calls_waiting_for(answered.request);
                waiting.into_iter().for_each(|call| self.resolve_call(call, ending));
            }
            Subject::Proposal(id) => self.resolve_proposal(id, ending),
            Subject::Ahead(ahead) => {
                let question =
                    DeclinedQuestion { category: ahead.category, request: answered.request };
                self.record_question(&session, question, ending);
            }
            Subject::Start(_) | Subject::Standing(_) | Subject::Slash(_) | Subject::Imported(_) => {
            }
        }
    }

    /// Remembers a declined ask-ahead until one of the same category is approved.
    fn record_question(
        &mut self,
        session: &SessionKey,
        question: DeclinedQuestion,
        ending: Ending,
    ) {
        if matches!(ending, Ending::Cancelled | Ending::Expired) {
            return;
        }
        let Some(session) = self.sessions.get_mut(session) else { return };
        let declined = &mut session.declined_questions;
        declined.retain(|known| known.category != question.category);
        if ending == Ending::Declined {
            declined.push(question);
            let forgotten = declined.len().saturating_sub(limits::DECLINED_QUESTIONS);
            declined.drain(..forgotten);
        }
    }

    /// The calls that wait for a request: those that it lists, and all others if there are more.
    fn calls_waiting_for(&self, id: RequestId) -> Vec<CallId> {
        let Some(request) = self.requests.get(&id) else { return Vec::new() };
        match &request.subject {
            Subject::Calls(listed) if request.more_calls == 0 => listed.clone(),
            Subject::Calls(_) => {
                let waiting = self.calls.values().filter(|record| record.waits_for(id));
                waiting.map(|record| record.call.id).collect()
            }
            Subject::Ahead(_)
            | Subject::Start(_)
            | Subject::Standing(_)
            | Subject::Slash(_)
            | Subject::Proposal(_)
            | Subject::Imported(_) => Vec::new(),
        }
    }

    /// Takes a call that does not wait any more off an open request. A call beyond the list moves up,
    /// so that the request always names a call that waits.
    pub(super) fn leave_request(&mut self, id: RequestId, call: CallId) {
        let Some(request) = self.requests.get(&id) else { return };
        if request.state != RequestState::Open {
            return;
        }
        let is_next = |record: &&CallRecord| {
            record.waits_for(id) && record.call.id != call && !request.lists_call(record.call.id)
        };
        let next = match request.more_calls {
            0 => None,
            _ => self.calls.values().find(is_next).map(|record| record.call.id),
        };
        if let Some(request) = self.requests.get_mut(&id) {
            request.remove_call(call, next);
        }
    }

    /// An approval inside a run confirms the run's consent.
    fn confirm_run(&mut self, at: Time, subject: &Subject) {
        let Subject::Calls(calls) = subject else { return };
        let call = calls.first().and_then(|id| self.calls.get(id)).map(|record| &record.call);
        let Some(call) = call else { return };
        let turn = self.turn(&call.session, at);
        if let Some(run) = call.run.and_then(|run| self.runs.get_mut(&run)) {
            run.confirmed_turn = turn;
        }
    }

    fn resolve_proposal(&mut self, id: ProposalId, ending: Ending) {
        let state = match ending {
            Ending::Approved => ProposalState::Approved,
            Ending::Declined => ProposalState::Declined,
            Ending::Expired => ProposalState::Expired,
            // An edit or a veto closed the request, and sets the state itself.
            Ending::Cancelled => return,
        };
        self.set_proposal_state(id, state);
    }

    pub(in crate::state) fn record_decline(
        &mut self,
        at: Time,
        session: &SessionKey,
        decline: &Decline,
        note: &str,
    ) {
        let Some(session) = self.sessions.get_mut(session) else { return };
        let declined = DeclineRecord {
            agent: session.agent.clone(),
            project: session.project.clone(),
            action: decline.action.clone(),
            target: decline.target.clone(),
            at,
            note: note.to_owned(),
            state: DeclineState::Holds,
        };
        self.declined.insert(decline.lasting, declined);
        if let Some(action) = &decline.action {
            let refused = (action.clone(), decline.target.clone());
            if !session.restraints.declined.contains(&refused) {
                session.restraints.declined.push(refused);
            }
        }
    }

    /// The declined digests stay, so that their agent's other sessions learn of it.
    pub(in crate::state) fn lift_declines(
        &mut self,
        session: &SessionKey,
        lifted: &LiftedDeclines,
    ) {
        let loosen = |restraints: &mut Restraints| {
            restraints.declined.retain(|declined| !lifted.targets.contains(declined));
        };
        self.loosen_carried_over(session, loosen);
        let opening = self.latest_opening(session);
        if let Some(session) = self.sessions.get_mut(session) {
            loosen(&mut session.restraints);
        }
        for digest in &lifted.digests {
            let Some(declined) = self.declined.get_mut(digest) else { continue };
            match lifted.reach {
                LiftReach::Everywhere => declined.state = DeclineState::Lifted,
                LiftReach::Session => declined.state.lift_in(session, opening),
            }
        }
    }

    /// Updates a call that waited for a request which has ended.
    pub(in crate::state) fn resolve_call(&mut self, id: CallId, ending: Ending) {
        let Some(record) = self.calls.get(&id) else { return };
        if !matches!(record.state, CallState::Parked | CallState::Approved) {
            return;
        }
        let all_approved = record.requests.iter().all(|request| {
            self.requests
                .get(request)
                .is_some_and(|request| request.state == RequestState::Closed(Ending::Approved))
        });
        let state = match ending {
            Ending::Declined => CallState::Declined,
            Ending::Expired => CallState::Expired,
            Ending::Approved if all_approved => CallState::Approved,
            Ending::Approved | Ending::Cancelled => return,
        };
        if let Some(record) = self.calls.get_mut(&id) {
            record.state = state;
        }
    }
}

/// Returns whether the request was not remembered before.
pub(super) fn remember_request(requests: &mut Vec<RequestId>, id: RequestId) -> bool {
    let is_new = !requests.contains(&id);
    if is_new {
        requests.push(id);
    }
    is_new
}
