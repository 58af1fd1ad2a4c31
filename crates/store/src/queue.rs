//! One writer at a time: whoever has something to write waits, and what waits is taken together by
//! a thread. Who comes alone writes itself, which spares two hand-overs between threads.

use crate::StoreError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SendError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

/// Somebody's work, and where to tell how it ended.
pub(crate) struct Waiting<J, T> {
    pub job: J,
    answer: Reply<J, T>,
}

/// How whoever made the work hears of its end.
enum Reply<J, T> {
    Waits(SyncSender<Answered<J, T>>),
    /// Called by the writer, so that it must not wait for anything.
    Then(Box<dyn FnOnce(Answered<J, T>) + Send>),
}

/// The work goes back with its answer: who made it drops it, and not the writer.
pub(crate) type Answered<J, T> = (Result<T, StoreError>, J);

impl<J, T> Waiting<J, T> {
    pub(crate) fn reply(self, answer: Result<T, StoreError>) {
        match self.answer {
            Reply::Then(then) => then((answer, self.job)),
            Reply::Waits(waits) => {
                // Whoever does not wait any more reads it from the ledger.
                let _heard = waits.send((answer, self.job));
            }
        }
    }
}

/// What is done with all that waits.
pub(crate) trait Batches<J, T>: Send + 'static {
    /// Commits that go together at most: beyond this, the last would wait for too many others.
    const MOST: usize;

    fn batch(&mut self, batch: Vec<Waiting<J, T>>);
}

pub(crate) struct Queue<J, T, W> {
    work: Arc<Mutex<W>>,
    /// How many have something to write just now.
    asking: AtomicUsize,
    jobs: Option<Sender<Waiting<J, T>>>,
    thread: Option<JoinHandle<()>>,
}

impl<J: Send + 'static, T: Send + 'static, W: Batches<J, T>> Queue<J, T, W> {
    pub(crate) fn start(work: W) -> Result<Self, StoreError> {
        let (jobs, waiting) = channel();
        let work = Arc::new(Mutex::new(work));
        let working = Arc::clone(&work);
        let thread = std::thread::Builder::new()
            .name("store".to_owned())
            .spawn(move || run(&working, &waiting))
            .map_err(|error| StoreError::Unavailable {
                what: "starting the writer".to_owned(),
                cause: error.to_string(),
            })?;
        let (asking, jobs) = (AtomicUsize::new(0), Some(jobs));
        Ok(Self { work, asking, jobs, thread: Some(thread) })
    }

    /// For somebody who now and then does something else with it.
    pub(crate) fn work(&self) -> Weak<Mutex<W>> {
        Arc::downgrade(&self.work)
    }

    /// Has the work done and waits for its end.
    pub(crate) fn ask(&self, job: J) -> Result<T, StoreError> {
        let others = self.asking.fetch_add(1, Ordering::SeqCst);
        let answered = self.give(job, others);
        let answer = answered.and_then(|answered| answered.recv().map_err(|_| ended()));
        self.asking.fetch_sub(1, Ordering::SeqCst);
        answer?.0
    }

    /// The same, in doubt after so long. Who will not wait longer cannot write itself.
    pub(crate) fn ask_within(&self, job: J, patience: Duration) -> Result<T, StoreError> {
        self.post(job)?.wait(Some(patience))
    }

    /// Has the work done without waiting for its end.
    pub(crate) fn post(&self, job: J) -> Result<Handed<J, T>, StoreError> {
        self.hand_over(job).map(Handed)
    }

    /// The same, and calls back when it has ended.
    pub(crate) fn post_then(&self, job: J, then: impl FnOnce(Answered<J, T>) + Send + 'static) {
        let waiting = Waiting { job, answer: Reply::Then(Box::new(then)) };
        let refused = match &self.jobs {
            None => Some(waiting),
            Some(jobs) => jobs.send(waiting).err().map(|SendError(waiting)| waiting),
        };
        if let Some(waiting) = refused {
            waiting.reply(Err(ended()));
        }
    }

    /// Beside others it would be one transaction more that they wait for.
    fn give(&self, job: J, others: usize) -> Result<Receiver<Answered<J, T>>, StoreError> {
        if others == 0
            && let Ok(mut work) = self.work.try_lock()
        {
            let (answer, answered) = sync_channel(1);
            work.batch(vec![Waiting { job, answer: Reply::Waits(answer) }]);
            return Ok(answered);
        }
        self.hand_over(job)
    }

    fn hand_over(&self, job: J) -> Result<Receiver<Answered<J, T>>, StoreError> {
        let (answer, answered) = sync_channel(1);
        let jobs = self.jobs.as_ref().ok_or_else(ended)?;
        jobs.send(Waiting { job, answer: Reply::Waits(answer) }).map_err(|_| ended())?;
        Ok(answered)
    }
}

/// Work that was handed over.
pub(crate) struct Handed<J, T>(Receiver<Answered<J, T>>);

impl<J, T> Handed<J, T> {
    pub(crate) fn wait(self, patience: Option<Duration>) -> Result<T, StoreError> {
        match patience {
            None => self.0.recv().map_err(|_| ended())?.0,
            Some(patience) => self.0.recv_timeout(patience).map_err(|_| silent())?.0,
        }
    }
}

fn silent() -> StoreError {
    StoreError::InDoubt { cause: "the database does not answer".to_owned() }
}

/// Ends without another word if somebody broke down while it wrote.
fn run<J, T, W: Batches<J, T>>(work: &Mutex<W>, waiting: &Receiver<Waiting<J, T>>) {
    while let Ok(first) = waiting.recv() {
        let Ok(mut work) = work.lock() else { return };
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

impl<J, T, W> Drop for Queue<J, T, W> {
    /// Lets it finish what it has taken, so that nothing is held afterwards.
    fn drop(&mut self) {
        drop(self.jobs.take());
        if let Some(thread) = self.thread.take() {
            let _ended = thread.join();
        }
    }
}
