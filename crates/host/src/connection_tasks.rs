//! Tasks that work for the same connection.
//!
//! A protocol whose messages may wait for a person has a task for each message. The fast path wants to
//! know whether such a task is the only one of its connection: then its caller is alone, although the
//! task before was another one.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

tokio::task_local! {
    static CURRENT: RunningTask;
}

/// Counts the tasks of one connection.
#[derive(Debug)]
pub struct ConnectionTasks {
    id: u64,
    running: AtomicUsize,
}

/// A task that is counted, as long as this lives.
struct RunningTask(Arc<ConnectionTasks>);

impl Default for ConnectionTasks {
    fn default() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self { id: NEXT.fetch_add(1, Ordering::Relaxed), running: AtomicUsize::new(0) }
    }
}

impl ConnectionTasks {
    /// The future of a task of this connection. It counts from now on, even before it is spawned.
    pub fn track<F: Future>(self: &Arc<Self>, task: F) -> impl Future<Output = F::Output> + use<F> {
        self.running.fetch_add(1, Ordering::SeqCst);
        CURRENT.scope(RunningTask(Arc::clone(self)), task)
    }
}

impl Drop for RunningTask {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The connection of this task, if it is the only task of that connection.
pub(crate) fn find_sole_connection() -> Option<u64> {
    let sole = |RunningTask(tasks): &RunningTask| {
        (tasks.running.load(Ordering::SeqCst) == 1).then_some(tasks.id)
    };
    CURRENT.try_with(sole).ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    fn poll_now<F: Future>(future: F) -> Poll<F::Output> {
        pin!(future).poll(&mut Context::from_waker(Waker::noop()))
    }

    async fn find() -> Option<u64> {
        find_sole_connection()
    }

    #[test]
    fn a_task_is_alone_until_another_one_of_its_connection_is_there() {
        let (tasks, others) = (Arc::new(ConnectionTasks::default()), Arc::default());
        assert_eq!(poll_now(find()), Poll::Ready(None), "no connection");
        assert_eq!(poll_now(tasks.track(find())), Poll::Ready(Some(tasks.id)));
        assert_eq!(poll_now(tasks.track(find())), Poll::Ready(Some(tasks.id)), "one after another");
        let _elsewhere = ConnectionTasks::track(&others, find());
        assert_eq!(poll_now(tasks.track(find())), Poll::Ready(Some(tasks.id)));
        let waiting = tasks.track(find());
        assert_eq!(poll_now(tasks.track(find())), Poll::Ready(None), "the other one has not ended");
        drop(waiting);
        assert_eq!(poll_now(tasks.track(find())), Poll::Ready(Some(tasks.id)));
    }
}
