//! Runs steps of the engine so that none of them blocks the event loop.
//!
//! A check whose session is in memory is decided on the event loop's thread. A caller that is alone
//! also writes it there, because waking another thread costs more; otherwise the writer thread
//! writes it in a batch. Everything else runs on a blocking thread.
//!
//! See docs/decisions/0029-threads-and-waiting.md.

use crate::Host;
use crate::connection_tasks::find_sole_connection;
use crate::health::{Health, ProblemKind};
use crate::host::HostEngine;
use countersign_core::model::ids::CallId;
use countersign_engine::{
    CallUpdate, CheckResult, Completion, Durability, EngineError, FastPath, SessionOwner,
};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::oneshot;
use tokio::task::{Id, spawn_blocking, try_id};

/// Counts the steps that run now, and remembers who took the last one.
#[derive(Default)]
pub(crate) struct StepCounter {
    running: AtomicUsize,
    last_caller: Mutex<Option<StepCaller>>,
}

/// Who takes a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StepCaller {
    /// Most connections are one task, so this is a connection too.
    Task(Id),
    /// A connection with a task for each message, of which there is only one now.
    Connection(u64),
}

impl StepCaller {
    fn current() -> Option<Self> {
        let connection = find_sole_connection().map(Self::Connection);
        connection.or_else(|| try_id().map(Self::Task))
    }
}

/// A step that is running, as long as this lives.
struct RunningStep<'a> {
    counter: &'a StepCounter,
    others: usize,
}

impl StepCounter {
    fn start(&self) -> RunningStep<'_> {
        RunningStep { others: self.running.fetch_add(1, Ordering::SeqCst), counter: self }
    }

    fn is_same_caller(&self) -> bool {
        let this = StepCaller::current();
        let last = self.last_caller.lock().map(|mut last| std::mem::replace(&mut *last, this));
        this.is_some() && last.is_ok_and(|last| last == this)
    }
}

impl RunningStep<'_> {
    /// With one caller the thread may wait for the disk. With several callers steps take turns
    /// between them, so the last one is another.
    fn durability(&self) -> Durability {
        let is_alone = self.counter.is_same_caller() && self.others == 0;
        if is_alone { Durability::Immediate } else { Durability::Batched }
    }
}

impl Drop for RunningStep<'_> {
    fn drop(&mut self) {
        self.counter.running.fetch_sub(1, Ordering::SeqCst);
    }
}

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
