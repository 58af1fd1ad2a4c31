//! Repeating what failed for a passing cause: what is due is leased, looked at, decided again and
//! carried out. How to carry out and whom to ask for an upstream's health, the caller brings.

use crate::{Checked, Engine, EngineError, Permit, ReadScope, RowKey, Store, limits};
use countersign_core::decide::facts::Facts;
use countersign_core::model::call::Call;
use countersign_core::model::ruled::NOTHING;
use countersign_core::model::words::Effect;
use countersign_core::steps::repeat;
use countersign_core::steps::repeat::Leased;

/// Carries out calls: the only one who can say that nothing happened.
pub trait Executor {
    fn execute(&self, call: &Call) -> Executed;
}

/// How an execution ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Executed {
    Ended(Effect),
    /// It failed for a cause that may pass.
    PutOff(Effect),
}

/// Asks whether the upstream that a health check names is well.
pub trait Health {
    fn ask(&self, check: &str) -> Condition;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    Well,
    Unwell,
}

impl<S: Store> Engine<S> {
    /// Records that a call failed for a cause that may pass. It is tried again if nothing happened
    /// or its tool is declared idempotent, and if it is not critical. Only for executors of ours:
    /// what an agent reports is never repeated by itself.
    pub fn put_off(&self, permit: Permit, effect: Effect) -> Result<(), EngineError> {
        let need = ReadScope::for_session(&permit.session).with_rows([RowKey::Call(permit.call)]);
        self.transact(&need, |facts| ((), repeat::put_off(facts, permit.call, effect)))
    }

    /// The attempts that are due now, each leased to this node.
    pub fn repeats(&self) -> Result<Vec<Leased>, EngineError> {
        let mut all = Vec::new();
        for call in self.store.repeats_due(self.moment()?, limits::REPEATS)? {
            let need = ReadScope::for_row(RowKey::Call(call));
            match self.transact(&need, |facts| repeat::lease(facts, call)) {
                Ok(leased) => all.extend(leased),
                // Another node was faster every time: it is that one's.
                Err(EngineError::Contended(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(all)
    }

    /// The upstream of a leased attempt is not well: it waits for the next one.
    pub fn unwell(&self, leased: &Leased) -> Result<(), EngineError> {
        let need = ReadScope::for_row(RowKey::Call(leased.call));
        self.transact(&need, |facts| ((), repeat::unwell(facts, leased)))
    }

    /// Decides a leased attempt. None if the lease was lost meanwhile, or the call would not go
    /// ahead by itself any more.
    pub fn redeem(&self, leased: &Leased) -> Result<Option<Permit>, EngineError> {
        let need = ReadScope::for_session(&leased.session).with_rows([RowKey::Call(leased.call)]);
        self.transact_under(&need, |facts, in_force| {
            let known = facts.state.calls.get(&leased.call).map(|record| &record.call);
            let ruled = known.map_or(NOTHING.clone(), |call| self.ruled(in_force, call));
            let (decision, changes) = repeat::redeem(&Facts { ruled: &ruled, ..*facts }, leased);
            let permit = decision.and_then(|decision| {
                match Checked::of(leased.call, &leased.session, decision) {
                    Checked::Permit { permit, .. } => Some(permit),
                    Checked::Kept { .. } | Checked::Pending { .. } | Checked::Denied { .. } => None,
                }
            });
            (permit, changes)
        })
    }

    /// One round: everything that is due is asked about, decided again and carried out. Says how
    /// many were carried out.
    pub fn repeat_due(
        &self,
        health: &dyn Health,
        executor: &dyn Executor,
    ) -> Result<usize, EngineError> {
        let mut made = 0;
        for leased in self.repeats()? {
            let condition = leased.health.as_deref().map_or(Condition::Well, |c| health.ask(c));
            if condition == Condition::Unwell {
                self.unwell(&leased)?;
                continue;
            }
            let Some(permit) = self.redeem(&leased)? else { continue };
            let state = self.store.read(&ReadScope::for_row(RowKey::Call(leased.call)))?.state;
            let Some(record) = state.calls.get(&leased.call) else { continue };
            made += 1;
            match executor.execute(&record.call) {
                Executed::Ended(effect) => self.finish(permit, effect)?,
                Executed::PutOff(effect) => self.put_off(permit, effect)?,
            }
        }
        Ok(made)
    }
}
