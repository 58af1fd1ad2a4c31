//! Steps that are taken where they came in: what they are decided on is in memory, and whoever asked
//! is called back once it is on the disk.

use crate::check::need;
use crate::report::reported;
use crate::rules::InForce;
use crate::wait::Reached;
use crate::{
    Checked, Engine, EngineError, ReadScope, Reported, RowKey, Store, StoreError, Taken, limits,
};
use countersign_core::decide::facts::Facts;
use countersign_core::model::call::CallDraft;
use countersign_core::model::change::Change;
use countersign_core::model::ids::CallId;
use countersign_core::model::names::{Agent, SessionName};

/// Whether a step is taken this way.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Soon {
    /// Whoever asked is told when it is on the disk, by whoever put it there; or that something
    /// moved meanwhile, and then nothing was recorded.
    Told,
    /// It would have to wait for something, or look at the disk: nothing was done.
    NotNow,
}

/// Who puts it on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writes {
    /// The writer, together with what others bring, and whoever asked does not wait.
    TheWriter,
    /// Whoever asked, at once: two hand-overs less for one who comes alone.
    TheCaller,
}

impl<S: Store> Engine<S> {
    /// Decides a call and records the decision.
    pub fn check_soon(
        &self,
        draft: &CallDraft,
        writes: Writes,
        told: impl FnOnce(Result<Checked, EngineError>) + Send + 'static,
    ) -> Result<Soon, EngineError> {
        if looks_at_disk(self.in_force()?.as_deref(), draft) {
            return Ok(Soon::NotNow);
        }
        let step = |facts: &Facts, in_force: Option<&InForce>| self.weighed(facts, in_force, draft);
        self.soon((&need(draft), writes), step, told)
    }

    /// An agent reports how its own permitted call ended.
    pub fn report_soon(
        &self,
        operation: CallId,
        who: (&SessionName, &Agent),
        (effect, writes): (Reported, Writes),
        told: impl FnOnce(Result<Taken, EngineError>) + Send + 'static,
    ) -> Result<Soon, EngineError> {
        let need = ReadScope::for_session(who.0).with_rows([RowKey::Call(operation)]);
        self.soon((&need, writes), |facts, _| reported(facts, operation, who, effect), told)
    }

    fn soon<T: Send + 'static>(
        &self,
        (need, writes): (&ReadScope, Writes),
        step: impl Fn(&Facts, Option<&InForce>) -> (T, Vec<Change>),
        told: impl FnOnce(Result<T, EngineError>) + Send + 'static,
    ) -> Result<Soon, EngineError> {
        self.is_open()?;
        if self.unwritten.any() || !self.completions.seen_by(need)?.is_empty() {
            return Ok(Soon::NotNow);
        }
        let Some(slice) = self.store.read_cached(need)? else { return Ok(Soon::NotNow) };
        let (now, answer, changes, reached) = self.look_into(&slice, |facts, in_force| {
            let (answer, changes) = step(facts, in_force);
            let reached = Reached::by(&changes, need, facts);
            (facts.now, answer, changes, reached)
        })?;
        // The writer works on a copy that nobody reads.
        drop(slice);
        if self.passed(now)? > limits::STALE {
            return Ok(Soon::NotNow);
        }
        if changes.is_empty() {
            told(Ok(answer));
            return Ok(Soon::Told);
        }
        let bells = self.bells.clone();
        let then = move |ended: Result<(), StoreError>| match ended {
            Ok(()) => {
                bells.ring(reached.as_ref());
                told(Ok(answer));
            }
            Err(StoreError::Conflict(conflict)) => told(Err(EngineError::Contended(conflict))),
            Err(error) => told(Err(error.into())),
        };
        match writes {
            Writes::TheWriter => {
                self.store.commit_with_callback(need, now, changes, Box::new(then))
            }
            Writes::TheCaller => then(self.store.commit(need, now, changes)),
        }
        Ok(Soon::Told)
    }
}

/// Command lines and policies are held against the files that they name.
fn looks_at_disk(in_force: Option<&InForce>, draft: &CallDraft) -> bool {
    let Some(in_force) = in_force else { return false };
    let tool = draft.tool.as_ref().and_then(|tool| in_force.graph.tool(tool.as_str()));
    let runs = draft.command.is_some() || tool.is_some_and(|tool| tool.command.is_some());
    runs || in_force.policies.is_some()
}
