//! Applies requests and answers to the state.

use crate::model::change::{Answered, Decline, LiftedDeclines, Timing};
use crate::model::ids::{CallId, ProposalId, RequestId};
use crate::model::names::SessionKey;
use crate::model::proposal::ProposalState;
use crate::model::request::{Request, RequestState, Subject};
use crate::model::time::Time;
use crate::model::words::Ending;
use crate::state::{CallState, DeclineState, Declined, Question, Restraints, State};

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
        let (session, subject) = (request.session.clone(), request.subject.clone());
        if answered.ending == Some(Ending::Approved) {
            self.confirm_run(at, &subject);
        }
        for decline in &answered.declines {
            self.record_decline(at, &session, decline, &answered.note);
        }
        let loosen = |restraints: &mut Restraints| {
            if !answered.items.is_empty() {
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
            Subject::Calls(calls) => {
                calls.into_iter().for_each(|call| self.resolve_call(call, ending));
            }
            Subject::Proposal(id) => self.resolve_proposal(id, ending),
            Subject::Ahead(_)
            | Subject::Start(_)
            | Subject::Standing(_)
            | Subject::Slash(_)
            | Subject::Imported(_) => {}
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
        let declined = Declined {
            agent: session.agent.clone(),
            project: session.project.clone(),
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
        if let Some(session) = self.sessions.get_mut(session) {
            loosen(&mut session.restraints);
        }
        for digest in &lifted.digests {
            if let Some(declined) = self.declined.get_mut(digest) {
                declined.state = DeclineState::Lifted;
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

pub(super) fn join_request(request: &mut Request, call: CallId) {
    if let Subject::Calls(calls) = &mut request.subject
        && !calls.contains(&call)
    {
        calls.push(call);
    }
}

pub(super) fn remember_request(requests: &mut Vec<RequestId>, id: RequestId) {
    if !requests.contains(&id) {
        requests.push(id);
    }
}
