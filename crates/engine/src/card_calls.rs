//! What the card of an open question shows of a call that holds secrets.
//!
//! See docs/decisions/0095-a-card-hides-only-literal-values.md.

use crate::active_rules::ActiveRules;
use crate::{Engine, EngineError, ReadScope, Store};
use countersign_core::decide::facts::Facts;
use countersign_core::model::call::{Call, CallDraft};
use countersign_core::model::ids::{CallId, RequestId};
use countersign_core::model::request::{Request, Subject};
use countersign_core::state::State;
use std::sync::Arc;

/// How much of a secret a card shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Disclosure {
    /// Literal values with the form of a secret are hidden.
    Marked,
    /// Everything, because the operator asked for it.
    Revealed,
}

impl<S: Store> Engine<S> {
    /// Keeps a call whose card would otherwise show marks, as its agent sent it.
    pub(crate) fn keep_for_card(
        &self,
        facts: &Facts,
        rules: Option<&ActiveRules>,
        (draft, redacted): (&CallDraft, &Call),
    ) {
        if redacted.is_redacted()
            && let Ok((original, _)) = self.resolve(facts, rules, draft)
        {
            self.live_calls.keep(original, facts.now);
        }
    }

    /// A request with what it is about. The values that its card hides are shown.
    pub fn reveal_request(&self, request: RequestId) -> Result<Arc<State>, EngineError> {
        let state = self.store.read(&ReadScope::for_requests([request]))?.state;
        self.show_live_calls(state, Disclosure::Revealed)
    }

    /// Puts the calls of open questions into a state as their cards show them.
    pub(crate) fn show_live_calls(
        &self,
        state: Arc<State>,
        disclosure: Disclosure,
    ) -> Result<Arc<State>, EngineError> {
        let now = self.display_time();
        let open = state.requests.values().filter(|request| request.is_open(now));
        let live: Vec<_> = open.filter_map(|request| self.find_live(&state, request)).collect();
        if live.is_empty() {
            return Ok(state);
        }
        let graph = self.graph()?;
        let mut state = State::clone(&state);
        for (id, mut call) in live {
            if disclosure == Disclosure::Marked {
                call.redact_for_card(self.store.key(), graph.as_deref());
            }
            let Some(record) = state.calls.get_mut(&id) else { continue };
            let shown = Arc::make_mut(&mut record.call);
            (shown.args, shown.target) = (call.args, call.target);
            (shown.recipients, shown.command) = (call.recipients, call.command);
        }
        Ok(Arc::new(state))
    }

    fn find_live(&self, state: &State, request: &Request) -> Option<(CallId, Call)> {
        let Subject::Calls(calls) = &request.subject else { return None };
        let id = *calls.first()?;
        let stored = &state.calls.get(&id)?.call;
        let live = stored.is_redacted().then(|| self.live_calls.find(&stored.digest))?;
        live.map(|live| (id, live))
    }
}
