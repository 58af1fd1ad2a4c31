//! A queue in front of a single writer. A thread takes everything that is queued and writes it as
//! one batch. A caller that is alone writes on its own thread, which saves two thread switches.

use crate::{StoreError, lock, spawn_thread};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SendError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

/// A job in the queue, and where its result goes.
pub(crate) struct QueuedJob<J, T> {
    pub job: J,
    reply: JobReply<J, T>,
}

enum JobReply<J, T> {
    Channel(SyncSender<FinishedJob<J, T>>),
    /// Runs on the writer's thread, so it must not block.
    Callback(Box<dyn FnOnce(FinishedJob<J, T>) + Send>),
}

/// The job goes back with its result, so that its owner drops it and not the writer.
pub(crate) struct FinishedJob<J, T> {
    pub result: Result<T, StoreError>,
    _job: J,
}

impl<J, T> QueuedJob<J, T> {
    fn finish(self, result: Result<T, StoreError>) {
        let finished = FinishedJob { result, _job: self.job };
        match self.reply {
            JobReply::Callback(callback) => callback(finished),
            JobReply::Channel(channel) => {
                // A caller that stopped waiting finds the result in the ledger.
                let _received = channel.send(finished);
            }
        }
    }
}

/// Writes jobs in batches.
pub(crate) trait BatchWriter<J, T>: Send + 'static {
    const MAX_BATCH: usize;

    /// Writes all jobs in one transaction. An error means that none was written; a result for each
    /// job means that those that succeeded were.
    fn write_together(
        &mut self,
        batch: &[QueuedJob<J, T>],
    ) -> Result<Vec<Result<T, StoreError>>, StoreError>;

    /// Called with the error of a job that failed by itself.
    fn note_failure(&mut self, _error: &StoreError) {}

    fn write_batch(&mut self, batch: Vec<QueuedJob<J, T>>) {
        match self.write_together(&batch) {
            Ok(results) => {
                batch.into_iter().zip(results).for_each(|(job, result)| job.finish(result));
            }
            // A batch in doubt may be written already: writing it again could write it twice.
            Err(error) if batch.len() == 1 || matches!(error, StoreError::InDoubt { .. }) => {
                self.note_failure(&error);
                batch.into_iter().for_each(|job| job.finish(Err(error.clone())));
            }
            // One job spoils the others: each alone.
            Err(_) => batch.into_iter().for_each(|job| self.write_batch(vec![job])),
        }
    }
}

pub(crate) struct WriteQueue<J, T, W> {
    writer: Arc<Mutex<W>>,
    turns: Arc<WaitingCallers>,
    /// How many callers wait for a job now.
    callers: AtomicUsize,
    jobs: Option<Sender<QueuedJob<J, T>>>,
    thread: Option<JoinHandle<()>>,
}

impl<J: Send + 'static, T: Send + 'static, W: BatchWriter<J, T>> WriteQueue<J, T, W> {
    pub(crate) fn start(writer: W) -> Result<Self, StoreError> {
        let (jobs, queued) = channel();
        let writer = Arc::new(Mutex::new(writer));
        let turns = Arc::new(WaitingCallers::default());
        let (shared, waiting) = (Arc::clone(&writer), Arc::clone(&turns));
        let thread = spawn_thread("store", "starting the writer", move || {
            run_writer(&shared, &waiting, &queued);
        })?;
        let (callers, jobs) = (AtomicUsize::new(0), Some(jobs));
        Ok(Self { writer, turns, callers, jobs, thread: Some(thread) })
    }

    /// The writer, for a thread that maintains the store between two batches.
    pub(crate) fn writer(&self) -> Weak<Mutex<W>> {
        Arc::downgrade(&self.writer)
    }

    /// Runs a job and waits for its result.
    pub(crate) fn run(&self, job: J) -> Result<T, StoreError> {
        let others = self.callers.fetch_add(1, Ordering::SeqCst);
        let finished = self.write_or_enqueue(job, others);
        let finished = finished.and_then(|finished| finished.recv().map_err(|_| writer_ended()));
        self.callers.fetch_sub(1, Ordering::SeqCst);
        finished?.result
    }

    /// Lets the caller prepare a job while nothing else is written, and runs it.
    pub(crate) fn run_exclusively(
        &self,
        prepare: impl FnOnce(&mut W) -> Result<Option<J>, StoreError>,
    ) -> Result<(), StoreError> {
        let _turn = self.turns.enter();
        let mut writer = lock(&self.writer)?;
        let Some(job) = prepare(&mut writer)? else { return Ok(()) };
        let (sender, finished) = sync_channel(1);
        writer.write_batch(vec![QueuedJob { job, reply: JobReply::Channel(sender) }]);
        drop(writer);
        finished.recv().map_err(|_| writer_ended())?.result.map(drop)
    }

    /// Runs a job and waits until the timeout, after which it is in doubt. The job never runs on
    /// the caller's thread, where the timeout could not end it.
    pub(crate) fn run_with_timeout(&self, job: J, timeout: Duration) -> Result<T, StoreError> {
        self.enqueue(job)?.recv_timeout(timeout).map_err(|_| no_answer())?.result
    }

    pub(crate) fn submit_with_callback(
        &self,
        job: J,
        callback: impl FnOnce(FinishedJob<J, T>) + Send + 'static,
    ) {
        let queued = QueuedJob { job, reply: JobReply::Callback(Box::new(callback)) };
        let refused = match &self.jobs {
            None => Some(queued),
            Some(jobs) => jobs.send(queued).err().map(|SendError(queued)| queued),
        };
        if let Some(queued) = refused {
            queued.finish(Err(writer_ended()));
        }
    }

    /// With other callers around, writing here would cost them one more transaction.
    fn write_or_enqueue(
        &self,
        job: J,
        others: usize,
    ) -> Result<Receiver<FinishedJob<J, T>>, StoreError> {
        if others == 0
            && let Ok(mut writer) = self.writer.try_lock()
        {
            let (sender, finished) = sync_channel(1);
            writer.write_batch(vec![QueuedJob { job, reply: JobReply::Channel(sender) }]);
            return Ok(finished);
        }
        self.enqueue(job)
    }

    fn enqueue(&self, job: J) -> Result<Receiver<FinishedJob<J, T>>, StoreError> {
        let (sender, finished) = sync_channel(1);
        let jobs = self.jobs.as_ref().ok_or_else(writer_ended)?;
        let queued = QueuedJob { job, reply: JobReply::Channel(sender) };
        jobs.send(queued).map_err(|_| writer_ended())?;
        Ok(finished)
    }
}

fn no_answer() -> StoreError {
    StoreError::InDoubt { cause: "the database does not answer".to_owned() }
}

fn writer_ended() -> StoreError {
    StoreError::unavailable("the writer has ended", &"restart")
}

/// Counts the callers that want the writer for themselves. The writer thread lets them go first:
/// a busy queue would otherwise keep them out, because a lock does not go to who waits longest.
#[derive(Default)]
struct WaitingCallers {
    waiting: Mutex<usize>,
    left: Condvar,
}

/// A caller's place in front of the writer thread, until it is dropped.
struct QueuePlace<'a>(&'a WaitingCallers);

impl WaitingCallers {
    fn enter(&self) -> QueuePlace<'_> {
        *self.lock_waiting() += 1;
        QueuePlace(self)
    }

    fn wait_until_empty(&self) {
        let mut waiting = self.lock_waiting();
        while *waiting > 0 {
            waiting = self.left.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock_waiting(&self) -> MutexGuard<'_, usize> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for QueuePlace<'_> {
    fn drop(&mut self) {
        *self.0.lock_waiting() -= 1;
        self.0.left.notify_all();
    }
}

/// Ends silently if a thread panicked while it wrote.
fn run_writer<J, T, W: BatchWriter<J, T>>(
    writer: &Mutex<W>,
    turns: &WaitingCallers,
    queued: &Receiver<QueuedJob<J, T>>,
) {
    while let Ok(first) = queued.recv() {
        turns.wait_until_empty();
        let Ok(mut writer) = writer.lock() else { return };
        let mut batch = vec![first];
        while batch.len() < W::MAX_BATCH
            && let Ok(next) = queued.try_recv()
        {
            batch.push(next);
        }
        writer.write_batch(batch);
    }
}

impl<J, T, W> Drop for WriteQueue<J, T, W> {
    /// Waits until the queue is written, so that no file or connection stays in use.
    fn drop(&mut self) {
        drop(self.jobs.take());
        if let Some(thread) = self.thread.take() {
            let _ended = thread.join();
        }
    }
}
