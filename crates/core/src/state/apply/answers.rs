//! What requests and answers do to the state.

use crate::change::{Answered, Decline, Timing};
use crate::ids::{CallId, RequestId};
use crate::names::SessionName;
use crate::request::{Request, RequestState, Subject};
use crate::state::{CallState, Declined, State};
use crate::time::Time;
use crate::words::Ending;

impl State {
    pub(in crate::state) fn opened(&mut self, request: &Request) {
        if let Subject::Calls(calls) = &request.subject {
            for call in calls {
                if let Some(record) = self.calls.get_mut(call) {
                    remember(&mut record.requests, request.id);
                }
            }
        }
        self.requests.insert(request.id, request.clone());
    }

    pub(in crate::state) fn answered(&mut self, at: Time, answered: &Answered) {
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
        for decline in &answered.declines {
            self.remember_decline(at, &session, decline, &answered.note);
        }
        if let Some(session) = self.sessions.get_mut(&session) {
            session.declined.retain(|declined| !answered.cleared.contains(declined));
            session.failures.retain(|failure| {
                !answered
                    .cleared
                    .iter()
                    .any(|(action, target)| *action == failure.action && *target == failure.target)
            });
        }
        if let (Subject::Calls(calls), Some(ending)) = (subject, answered.ending) {
            calls.into_iter().for_each(|call| self.resolve_call(call, ending));
        }
    }

    pub(in crate::state) fn remember_decline(
        &mut self,
        at: Time,
        session: &SessionName,
        decline: &Decline,
        note: &str,
    ) {
        self.declined.insert(decline.lasting, Declined { at, note: note.to_owned() });
        let Some(session) = self.sessions.get_mut(session) else { return };
        if let Some(action) = &decline.action {
            let refused = (action.clone(), decline.target.clone());
            if !session.declined.contains(&refused) {
                session.declined.push(refused);
            }
        }
    }

    /// What the end of a request means for a call that waits on it.
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

pub(super) fn join(request: &mut Request, call: CallId) {
    if let Subject::Calls(calls) = &mut request.subject
        && !calls.contains(&call)
    {
        calls.push(call);
    }
}

pub(super) fn remember(requests: &mut Vec<RequestId>, id: RequestId) {
    if !requests.contains(&id) {
        requests.push(id);
    }
}
