//! What the operator answered before, for cards and suggestions.
//!
//! No decision reads this. Only the operator may reach it.

use crate::card_calls::Disclosure;
use crate::limits::{AGENTS_LOOKED_THROUGH, CLOSED_BEHIND_A_CARD, CLOSED_PER_AGENT};
use crate::{ClosedRequestPage, ClosedRequestQuery, Engine, EngineError, ReadScope, Store};
use countersign_core::model::ids::RequestId;
use countersign_core::model::names::Agent;
use countersign_core::model::request::{Request, RequestState, Subject};
use countersign_core::model::words::Ending;
use countersign_core::state::State;
use std::collections::BTreeSet;
use std::sync::Arc;

impl<S: Store> Engine<S> {
    /// A page of an agent's closed requests, newest first.
    pub fn list_closed_requests(
        &self,
        query: &ClosedRequestQuery,
    ) -> Result<ClosedRequestPage, EngineError> {
        Ok(self.store.list_closed_requests(query)?)
    }

    /// Requests with what they are about, and the last answers to their agents: a card says what a
    /// wider choice would have spared, and whether such calls were always allowed.
    pub fn read_cards(&self, requests: &[RequestId]) -> Result<Arc<State>, EngineError> {
        let state = self.store.read(&ReadScope::for_requests(requests.iter().copied()))?.state;
        let asking = requests.iter().filter_map(|id| state.requests.get(id));
        let agents: BTreeSet<Agent> = asking.map(|request| request.agent.clone()).collect();
        let mut state = State::clone(&state);
        for agent in agents {
            let query = ClosedRequestQuery { agent, before: None, limit: CLOSED_BEHIND_A_CARD };
            add_answered(&mut state, &self.store.list_closed_requests(&query)?);
        }
        self.show_live_calls(Arc::new(state), Disclosure::Marked)
    }
}

/// The requests of some agents that are closed, with their calls.
#[derive(Clone, Debug)]
pub struct ClosedRequests {
    pub state: State,
    /// How many were read.
    pub count: usize,
    /// Whether there are older ones, or more agents.
    pub has_more: bool,
}

impl<S: Store> Engine<S> {
    /// The newest closed requests of one agent, or of all, a bounded number of each.
    pub fn read_closed_requests(
        &self,
        agent: Option<&Agent>,
    ) -> Result<ClosedRequests, EngineError> {
        let agents = match agent {
            Some(agent) => vec![agent.clone()],
            None => self.agents_seen()?,
        };
        let has_more = agents.len() > AGENTS_LOOKED_THROUGH;
        let mut closed = ClosedRequests { state: State::empty(), count: 0, has_more };
        for agent in agents.into_iter().take(AGENTS_LOOKED_THROUGH) {
            let query = ClosedRequestQuery { agent, before: None, limit: CLOSED_PER_AGENT };
            let page = self.store.list_closed_requests(&query)?;
            closed.count += page.requests.len();
            closed.has_more |= page.next.is_some();
            let requests = page.requests.iter().filter_map(|id| page.state.requests.get(id));
            requests.for_each(|request| add_request(&mut closed.state, &page, request));
        }
        Ok(closed)
    }
}

fn add_request(state: &mut State, page: &ClosedRequestPage, request: &Request) {
    let Subject::Calls(calls) = &request.subject else { return };
    if let Some(record) = calls.first().and_then(|id| page.state.calls.get(id)) {
        state.calls.restore(record.call.id, record.clone());
        state.requests.restore(request.id, request.clone());
    }
}

/// Adds the approved and declined requests of a page, each with its call.
fn add_answered(state: &mut State, page: &ClosedRequestPage) {
    let requests = page.requests.iter().filter_map(|id| page.state.requests.get(id));
    requests
        .filter(|request| {
            matches!(request.state, RequestState::Closed(Ending::Approved | Ending::Declined))
        })
        .for_each(|request| add_request(state, page, request));
}
