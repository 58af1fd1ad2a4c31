//! One thread that writes: whoever has something to write waits, and what waits is taken together.

use crate::StoreError;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Somebody's work, and where to tell how it ended.
pub(crate) struct Waiting<J, T> {
    pub job: J,
    answer: SyncSender<Result<T, StoreError>>,
}

impl<J, T> Waiting<J, T> {
    pub(crate) fn reply(&self, answer: Result<T, StoreError>) {
        // Whoever does not wait any more reads it from the ledger.
        let _heard = self.answer.send(answer);
    }
}

/// What the thread does with all that waits.
pub(crate) trait Batches<J, T>: Send + 'static {
    /// Commits that go together at most: beyond this, the last would wait for too many others.
    const MOST: usize;

    fn batch(&mut self, batch: Vec<Waiting<J, T>>);
}

pub(crate) struct Queue<J, T> {
    jobs: Option<Sender<Waiting<J, T>>>,
    thread: Option<JoinHandle<()>>,
}

impl<J: Send + 'static, T: Send + 'static> Queue<J, T> {
    pub(crate) fn start<W: Batches<J, T>>(mut work: W) -> Result<Self, StoreError> {
        let (jobs, waiting) = channel();
        let thread = std::thread::Builder::new()
            .name("store".to_owned())
            .spawn(move || run(&mut work, &waiting))
            .map_err(|error| StoreError::Unavailable {
                what: "starting the writer".to_owned(),
                cause: error.to_string(),
            })?;
        Ok(Self { jobs: Some(jobs), thread: Some(thread) })
    }

    /// Hands work over and waits for its end.
    pub(crate) fn ask(&self, job: J, patience: Option<Duration>) -> Result<T, StoreError> {
        let (answer, answered) = sync_channel(1);
        let jobs = self.jobs.as_ref().ok_or_else(ended)?;
        jobs.send(Waiting { job, answer }).map_err(|_| ended())?;
        match patience {
            None => answered.recv().map_err(|_| ended())?,
            Some(patience) => answered.recv_timeout(patience).map_err(|_| StoreError::InDoubt {
                cause: "the database does not answer".to_owned(),
            })?,
        }
    }
}

fn run<J, T, W: Batches<J, T>>(work: &mut W, waiting: &Receiver<Waiting<J, T>>) {
    while let Ok(first) = waiting.recv() {
        let mut batch = vec![first];
        while batch.len() < W::MOST
            && let Ok(next) = waiting.try_recv()
        {
            batch.push(next);
        }
        work.batch(batch);
    }
}

fn ended() -> StoreError {
    let what = "the writer has ended".to_owned();
    StoreError::Unavailable { what, cause: "restart".to_owned() }
}

impl<J, T> Drop for Queue<J, T> {
    /// Lets it finish what it has taken, so that nothing is held afterwards.
    fn drop(&mut self) {
        drop(self.jobs.take());
        if let Some(thread) = self.thread.take() {
            let _ended = thread.join();
        }
    }
}
