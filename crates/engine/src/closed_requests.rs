//! What the operator answered before, for cards and suggestions.
//!
//! No decision reads this. Only the operator may reach it.

use crate::limits::CLOSED_BEHIND_A_CARD;
use crate::{ClosedRequestPage, ClosedRequestQuery, Engine, EngineError, ReadScope, Store};
use countersign_core::model::ids::RequestId;
use countersign_core::model::names::Agent;
use countersign_core::model::request::{RequestState, Subject};
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

    /// Requests with what they are about, and the last approvals of their agents: a card says what a
    /// wider choice would have spared.
    pub fn read_cards(&self, requests: &[RequestId]) -> Result<Arc<State>, EngineError> {
        let state = self.store.read(&ReadScope::for_requests(requests.iter().copied()))?.state;
        let asking = requests.iter().filter_map(|id| state.requests.get(id));
        let agents: BTreeSet<Agent> = asking.map(|request| request.agent.clone()).collect();
        let mut state = State::clone(&state);
        for agent in agents {
            let query = ClosedRequestQuery { agent, before: None, limit: CLOSED_BEHIND_A_CARD };
            add_approvals(&mut state, &self.store.list_closed_requests(&query)?);
        }
        Ok(Arc::new(state))
    }
}

/// Adds the approved requests of a page, each with its call.
fn add_approvals(state: &mut State, page: &ClosedRequestPage) {
    for request in page.requests.iter().filter_map(|id| page.state.requests.get(id)) {
        let Subject::Calls(calls) = &request.subject else { continue };
        let call = calls.first().and_then(|id| page.state.calls.get(id));
        if let (RequestState::Closed(Ending::Approved), Some(record)) = (request.state, call) {
            state.calls.restore(record.call.id, record.clone());
            state.requests.restore(request.id, request.clone());
        }
    }
}
