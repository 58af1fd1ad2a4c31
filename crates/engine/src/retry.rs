//! Retries: a stored call is decided again, by its operation id.

use crate::check::{deny_contended, malformed_attempt};
use crate::rules::ActiveRules;
use crate::{CheckResult, Engine, EngineError, ReadScope, RowKey, SessionOwner, Store};
use countersign_core::decide::facts::Facts;
use countersign_core::model::change::Change;
use countersign_core::model::decision::Decision;
use countersign_core::model::ids::CallId;
use countersign_core::model::ruled::NOTHING;
use countersign_core::model::words::Reason;
use countersign_core::steps::record::{decided, record_again};
use countersign_core::steps::retry::retry_call;

/// A stored call, and who asks to have it decided again.
struct Retry<'a> {
    call: CallId,
    owner: &'a SessionOwner,
}

impl<S: Store> Engine<S> {
    /// Decides a stored call again, for the session and agent that made it.
    pub fn retry(&self, call: CallId, owner: &SessionOwner) -> Result<CheckResult, EngineError> {
        let scope = ReadScope::for_session(&owner.session).with_rows([RowKey::Call(call)]);
        let retry = Retry { call, owner };
        let decide = |facts: &Facts| retry_call(facts, call, &owner.session, &owner.agent);
        let retried =
            self.run_step(&scope, |facts, rules| self.decide_retry(facts, rules, &retry, decide));
        match retried {
            Err(EngineError::Contended(conflict)) => self.run_step(&scope, |facts, rules| {
                self.decide_retry(facts, rules, &retry, |_| deny_contended(&conflict))
            }),
            retried => retried,
        }
    }

    fn decide_retry(
        &self,
        facts: &Facts,
        rules: Option<&ActiveRules>,
        Retry { call, owner }: &Retry<'_>,
        decide: impl Fn(&Facts) -> Decision,
    ) -> (CheckResult, Vec<Change>) {
        let stored = facts.state.calls.get(call).map(|record| &record.call);
        let ruled = stored.map_or(NOTHING.clone(), |call| self.evaluate_rules(rules, call));
        let facts = &Facts { ruled: &ruled, ..*facts };
        let decision = decide(facts);
        let changes = match stored {
            Some(call) if decision.reason != Reason::Malformed => {
                record_again(facts, call, &decision)
            }
            Some(_) | None => vec![decided(facts, malformed_attempt(owner), &decision)],
        };
        (CheckResult::new(*call, &owner.session, decision), changes)
    }
}
