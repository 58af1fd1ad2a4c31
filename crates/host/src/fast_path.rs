//! Runs steps of the engine so that none of them blocks the event loop.
//!
//! A check whose session is in memory is decided on the event loop's thread. A caller that is alone
//! also writes it there, because waking another thread costs more; otherwise the writer thread
//! writes it in a batch. Everything else runs on a blocking thread.
//!
//! See docs/decisions/0029-threads-and-waiting.md.

use crate::Host;
use crate::HostEngine;
use crate::health::{Health, ProblemKind};
use countersign_core::model::ids::CallId;
use countersign_engine::{
    CallUpdate, CheckResult, Completion, Durability, EngineError, FastPath, SessionOwner,
};
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;

/// Remembers that the store failed, so that the status shows it.
fn note_failure(engine: &HostEngine, health: &Health, error: &EngineError) {
    let text = match error {
        EngineError::Store(error) => error.to_string(),
        EngineError::Unwritten(why) => why.clone(),
        EngineError::Contended(_)
        | EngineError::Damaged
        | EngineError::NotOpen
        | EngineError::Setup(_) => return,
    };
    health.set_problem(ProblemKind::Record, text, engine.display_time());
}

type Callback<T> = Box<dyn FnOnce(Result<T, EngineError>) + Send>;

impl Host {
    /// Runs something that may wait for the disk, on a blocking thread.
    pub async fn run<T: Send + 'static>(
        &self,
        step: impl FnOnce(&HostEngine) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, EngineError> {
        let _running = self.steps.start();
        let (engine, health) = (Arc::clone(&self.engine), Arc::clone(&self.health));
        let step = move || step(&engine).inspect_err(|error| note_failure(&engine, &health, error));
        spawn_blocking(step).await.map_err(|_| EngineError::Damaged)?
    }

    /// Decides a stored call again.
    pub async fn retry(
        &self,
        call: CallId,
        owner: SessionOwner,
    ) -> Result<CheckResult, EngineError> {
        self.run(move |engine| engine.retry(call, &owner)).await
    }

    /// Records how a call ended.
    pub async fn complete(&self, completion: Completion) -> Result<CallUpdate, EngineError> {
        let step = |engine: &HostEngine, durability, callback| {
            engine.try_complete(&completion, durability, callback)
        };
        match self.try_fast_path(step).await? {
            Some(update) => Ok(update),
            None => self.run(move |engine| engine.complete(&completion)).await,
        }
    }

    /// None if the step has to run on a blocking thread.
    pub(crate) async fn try_fast_path<T: Send + 'static>(
        &self,
        step: impl FnOnce(&HostEngine, Durability, Callback<T>) -> Result<FastPath, EngineError>,
    ) -> Result<Option<T>, EngineError> {
        let running = self.steps.start();
        let (sender, receiver) = oneshot::channel();
        let callback: Callback<T> = Box::new(|result| drop(sender.send(result)));
        let result = match step(&self.engine, running.durability(), callback)? {
            FastPath::Unavailable => return Ok(None),
            // A writer that panicked drops the callback.
            FastPath::Submitted => receiver.await.map_err(|_| EngineError::Damaged)?,
        };
        match result.inspect_err(|error| note_failure(&self.engine, &self.health, error)) {
            Err(EngineError::Contended(_)) => Ok(None),
            result => result.map(Some),
        }
    }
}
