//! Automatic repeats of calls that failed for a temporary cause.
//!
//! A due attempt is leased to one node and decided again. Who leases it checks the upstream's health
//! and executes the call.

use crate::{CheckResult, Engine, EngineError, Permit, ReadScope, RowKey, Store, limits};
use countersign_core::decide::facts::Facts;
use countersign_core::model::rule_results::NO_RULE_RESULTS;
use countersign_operations::repeat;
use countersign_operations::repeat::LeasedRepeat;

impl<S: Store> Engine<S> {
    /// Leases the attempts that are due now to this node.
    pub fn lease_repeats(&self) -> Result<Vec<LeasedRepeat>, EngineError> {
        let mut leases = Vec::new();
        for call in self.store.repeats_due(self.current_time()?, limits::REPEATS_PER_ROUND)? {
            let scope = ReadScope::for_row(RowKey::Call(call));
            match self.run_step(&scope, |facts, _| repeat::lease(facts, call)) {
                Ok(leased) => leases.extend(leased),
                // Another node leased it first.
                Err(EngineError::Contended(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(leases)
    }

    /// Ends a leased attempt because its upstream is unhealthy; the next attempt comes later.
    pub fn skip_unhealthy(&self, leased: &LeasedRepeat) -> Result<(), EngineError> {
        let scope = ReadScope::for_row(RowKey::Call(leased.call));
        self.run_step(&scope, |facts, _| ((), repeat::record_failed_health_check(facts, leased)))
    }

    /// Decides a leased attempt. None if the lease was lost, or if the call would not be allowed
    /// without asking any more.
    pub fn redeem_lease(&self, leased: &LeasedRepeat) -> Result<Option<Permit>, EngineError> {
        let scope = ReadScope::for_session(&leased.session).with_rows([RowKey::Call(leased.call)]);
        self.run_step(&scope, |facts, rules| {
            let stored = facts.state.calls.get(&leased.call).map(|record| &record.call);
            let ruled = stored
                .map_or(NO_RULE_RESULTS.clone(), |call| self.evaluate_rules(facts, rules, call));
            let (decision, changes) =
                repeat::decide_leased(&Facts { ruled: &ruled, ..*facts }, leased);
            let permit = decision.and_then(|decision| {
                match CheckResult::new(leased.call, &leased.session, decision, Vec::new()) {
                    CheckResult::Allowed { permit, .. } => Some(permit),
                    CheckResult::AlreadyDone { .. }
                    | CheckResult::Pending { .. }
                    | CheckResult::Denied { .. } => None,
                }
            });
            (permit, changes)
        })
    }
}
