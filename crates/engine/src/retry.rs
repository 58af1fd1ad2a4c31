//! Retries: a stored call is decided again, by its operation id.

use crate::check::malformed_attempt;
use crate::{CheckResult, Engine, EngineError, ReadScope, RowKey, SessionOwner, Store};
use countersign_conversation::announce;
use countersign_core::decide::facts::Facts;
use countersign_core::model::ids::CallId;
use countersign_core::model::rule_results::NO_RULE_RESULTS;
use countersign_core::model::words::Reason;
use countersign_core::steps::record::{decided, record_again};
use countersign_core::steps::retry::retry_call;

impl<S: Store> Engine<S> {
    /// Decides a stored call again, for the session and agent that made it.
    pub fn retry(&self, call: CallId, owner: &SessionOwner) -> Result<CheckResult, EngineError> {
        let scope = ReadScope::for_session(&owner.session).with_rows([RowKey::Call(call)]);
        self.run_step(&scope, |facts, rules| {
            let stored = facts.state.calls.get(&call).map(|record| &record.call);
            let ruled = stored
                .map_or(NO_RULE_RESULTS.clone(), |call| self.evaluate_rules(facts, rules, call));
            let facts = &Facts { ruled: &ruled, ..*facts };
            let decision = retry_call(facts, call, &owner.session, &owner.agent);
            let changes = match stored {
                Some(call) if decision.reason != Reason::Malformed => {
                    record_again(facts, call, &decision)
                }
                Some(_) | None => vec![decided(facts, malformed_attempt(owner), &decision)],
            };
            let announced =
                stored.map_or_else(Vec::new, |call| announce(facts.into(), call, &decision));
            let checked = CheckResult::new(call, &owner.session, decision, announced);
            (checked.with_narrowed(ruled.narrowed.as_deref()), changes)
        })
    }
}
