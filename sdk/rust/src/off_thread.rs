//! Blocking work for a future, on a thread of its own: this crate brings no runtime.

use crate::Error;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};

struct Shared<T> {
    result: Option<T>,
    waker: Option<Waker>,
}

/// Runs it on a new thread, and resolves with its result.
pub(crate) async fn run_off_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let shared = Arc::new(Mutex::new(Shared { result: None, waker: None }));
    let theirs = Arc::clone(&shared);
    let started = std::thread::Builder::new().name("countersign".to_owned()).spawn(move || {
        let result = work();
        let mut shared = theirs.lock().unwrap_or_else(PoisonError::into_inner);
        shared.result = Some(result);
        if let Some(waker) = shared.waker.take() {
            waker.wake();
        }
    });
    started.map_err(|error| Error::Unavailable(format!("no thread can be started: {error}")))?;
    poll_fn(|context| {
        let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
        match shared.result.take() {
            Some(result) => Poll::Ready(result),
            None => {
                shared.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    })
    .await
}
