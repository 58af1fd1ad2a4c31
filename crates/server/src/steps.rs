//! How a step of the engine is taken, so that it holds up nobody who waits for something else.
//!
//! A check whose session is in memory is decided on the spot. Whoever comes alone puts it on the disk,
//! too, because a thread that is woken costs more than that; beside others the writer of the record
//! does, and wakes whoever asked. All else goes to a thread that can wait.

use crate::{ApiError, Daemon, TheEngine};
use countersign_core::model::call::CallDraft;
use countersign_core::model::ids::CallId;
use countersign_core::model::names::{Agent, SessionName};
use countersign_engine::{Checked, EngineError, Reported, Soon, Taken, Writes};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::oneshot;
use tokio::task::{Id, spawn_blocking, try_id};

/// How many steps are being taken, and on which connection an agent took the last one.
#[derive(Default)]
pub(crate) struct Busy {
    steps: AtomicUsize,
    last: Mutex<Option<Id>>,
}

/// A step that is being taken, as long as this lives.
struct Taking<'a> {
    busy: &'a Busy,
    others: usize,
}

impl Busy {
    fn begin(&self) -> Taking<'_> {
        Taking { others: self.steps.fetch_add(1, Ordering::SeqCst), busy: self }
    }

    /// Whether the last one came on this connection, too. Each is a task of its own.
    fn goes_on(&self) -> bool {
        let this = try_id();
        let last = self.last.lock().map(|mut last| std::mem::replace(&mut *last, this));
        this.is_some() && last.is_ok_and(|last| last == this)
    }
}

impl Taking<'_> {
    /// Whether this thread may wait for the disk. Who comes while it does cannot be seen, but if
    /// there is anybody else, steps take turns.
    fn is_alone(&self) -> bool {
        self.busy.goes_on() && self.others == 0
    }
}

impl Drop for Taking<'_> {
    fn drop(&mut self) {
        self.busy.steps.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Daemon {
    /// Does something that may wait for the disk, where it holds up nobody.
    pub(crate) async fn run<T: Send + 'static>(
        self: &Arc<Self>,
        step: impl FnOnce(&TheEngine) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, ApiError> {
        Ok(self.step(step).await?)
    }

    pub(crate) async fn step<T: Send + 'static>(
        self: &Arc<Self>,
        step: impl FnOnce(&TheEngine) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, EngineError> {
        let _taking = self.busy.begin();
        let engine = Arc::clone(&self.engine);
        let done = spawn_blocking(move || step(&engine)).await;
        done.map_err(|_| EngineError::Damaged)?
    }

    /// Decides a call.
    pub(crate) async fn decided(
        self: &Arc<Self>,
        draft: CallDraft,
    ) -> Result<Checked, EngineError> {
        let soon = |engine: &TheEngine, writes, told| engine.check_soon(&draft, writes, told);
        if let Some(checked) = self.soon(soon).await? {
            return Ok(checked);
        }
        self.step(move |engine| engine.check(&draft)).await
    }

    /// Notes how a call ended.
    pub(crate) async fn reported(
        self: &Arc<Self>,
        operation: CallId,
        (session, agent): (SessionName, Agent),
        effect: Reported,
    ) -> Result<Taken, EngineError> {
        let soon = |engine: &TheEngine, writes, told| {
            engine.report_soon(operation, (&session, &agent), (effect, writes), told)
        };
        if let Some(taken) = self.soon(soon).await? {
            return Ok(taken);
        }
        self.step(move |engine| engine.report_on(operation, (&session, &agent), effect)).await
    }

    /// What can be done without waiting for anything but the record. Nothing, if it has to be done
    /// the other way.
    async fn soon<T: Send + 'static>(
        &self,
        step: impl FnOnce(&TheEngine, Writes, Told<T>) -> Result<Soon, EngineError>,
    ) -> Result<Option<T>, EngineError> {
        let taking = self.busy.begin();
        let writes = if taking.is_alone() { Writes::TheCaller } else { Writes::TheWriter };
        let (tell, told) = oneshot::channel();
        let tell: Told<T> = Box::new(|ended| drop(tell.send(ended)));
        let told = match step(&self.engine, writes, tell)? {
            Soon::NotNow => return Ok(None),
            // A writer that broke down tells nobody.
            Soon::Told => told.await.map_err(|_| EngineError::Damaged)?,
        };
        match told {
            Err(EngineError::Contended(_)) => Ok(None),
            told => told.map(Some),
        }
    }
}

type Told<T> = Box<dyn FnOnce(Result<T, EngineError>) + Send>;
