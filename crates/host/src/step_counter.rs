//! Counts the steps that run now, to tell one caller from several.

use crate::connection_tasks::find_sole_connection;
use countersign_engine::Durability;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::task::{Id, try_id};

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
pub(crate) struct RunningStep<'a> {
    counter: &'a StepCounter,
    others: usize,
}

impl StepCounter {
    pub(crate) fn start(&self) -> RunningStep<'_> {
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
    pub(crate) fn durability(&self) -> Durability {
        let is_alone = self.counter.is_same_caller() && self.others == 0;
        if is_alone { Durability::Immediate } else { Durability::Batched }
    }
}

impl Drop for RunningStep<'_> {
    fn drop(&mut self) {
        self.counter.running.fetch_sub(1, Ordering::SeqCst);
    }
}
