//! Announces entries of the ledger to those who follow it: which consent a call used, why consent was
//! asked for, and what cleared it. The sentences are those of the replies to agents.

use crate::{Engine, EngineError, ReadScope, RowKey, Store};
use countersign_conversation::{AnnounceContext, announce, announce_reset, announce_run_end};
use countersign_core::model::change::{Attempt, Change};
use countersign_core::model::decision::Decision;
use countersign_core::model::ids::CallId;
use countersign_core::model::names::SessionKey;
use countersign_core::model::time::Time;
use countersign_core::model::words::Outcome;

/// What is announced about a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Announcement {
    pub session: SessionKey,
    pub lines: Vec<String>,
}

impl Announcement {
    fn new(session: &SessionKey, line: Option<&str>) -> Self {
        let lines = line.map(str::to_owned).into_iter().collect();
        Self { session: session.clone(), lines }
    }
}

/// Whether there may be something to announce about a change. Most calls rest on a rule alone: they are
/// not announced, and nothing is read for them.
pub fn is_announced(change: &Change) -> bool {
    match change {
        Change::ConsentReset { .. } | Change::RunEnded { .. } => true,
        Change::CallDecided { decision, .. } => rests_on_consent(decision),
        _ => false,
    }
}

impl<S: Store> Engine<S> {
    /// Announces a change that was committed at this time. None if there is nothing to announce.
    pub fn announce_change(
        &self,
        at: Time,
        change: &Change,
    ) -> Result<Option<Announcement>, EngineError> {
        let announced = match change {
            Change::ConsentReset { session, why } => {
                Some(Announcement::new(session, announce_reset(*why)))
            }
            Change::RunEnded { run, how } => {
                let state = self.store.read(&ReadScope::for_row(RowKey::Run(*run)))?.state;
                let run = state.runs.get(run);
                run.map(|run| Announcement::new(&run.session, announce_run_end(*how)))
            }
            Change::CallDecided { attempt, decision, .. } if rests_on_consent(decision) => {
                match decided_call(attempt) {
                    Some(call) => self.announce_decision(at, call, decision)?,
                    None => None,
                }
            }
            _ => None,
        };
        Ok(announced.filter(|announced| !announced.lines.is_empty()))
    }

    fn announce_decision(
        &self,
        at: Time,
        id: CallId,
        decision: &Decision,
    ) -> Result<Option<Announcement>, EngineError> {
        let rows = decision.grants().map(RowKey::Grant).chain([RowKey::Call(id)]);
        let state = self.store.read(&ReadScope::globals().with_rows(rows))?.state;
        let graph = self.graph()?;
        let context = AnnounceContext { graph: graph.as_deref(), state: &state, at };
        let call = state.calls.get(&id).map(|record| &record.call);
        Ok(call.map(|call| Announcement {
            session: call.session.clone(),
            lines: announce(context, call, decision),
        }))
    }
}

fn decided_call(attempt: &Attempt) -> Option<CallId> {
    match attempt {
        Attempt::First(call) => Some(call.id),
        Attempt::Retry(call) => Some(*call),
        Attempt::Start { .. }
        | Attempt::Ahead { .. }
        | Attempt::Proposal { .. }
        | Attempt::Apply { .. }
        | Attempt::Malformed { .. } => None,
    }
}

/// Whether a decision uses consent or asks for it.
fn rests_on_consent(decision: &Decision) -> bool {
    match decision.outcome {
        Outcome::Allow | Outcome::Notify => {
            decision.verdicts.iter().any(|verdict| verdict.basis.consent().is_some())
        }
        Outcome::Ask => true,
        Outcome::Deny => false,
    }
}
