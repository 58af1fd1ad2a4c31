//! Where in the program a call is made: inside which call, run and click.
//!
//! The place belongs to a thread, and to a future while it is polled, whatever runtime polls it.

use countersign_core::model::ids::{GestureId, RunId};
use countersign_core::model::names::StepName;
use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

#[derive(Clone, Debug, Default)]
pub(crate) struct Place {
    pub(crate) call: Option<Arc<RunningCall>>,
    pub(crate) run: Option<(RunId, Option<StepName>)>,
    pub(crate) click: Option<GestureId>,
}

/// A gated call while its function runs.
#[derive(Debug)]
pub(crate) struct RunningCall {
    pub(crate) parent_token: Option<String>,
    pub(crate) outer: Option<Arc<RunningCall>>,
    pub(crate) is_over: AtomicBool,
}

thread_local! {
    static PLACE: RefCell<Place> = RefCell::default();
}

impl Place {
    pub(crate) fn current() -> Self {
        PLACE.with_borrow(Clone::clone)
    }

    /// Sets the place of this thread, and returns the one before.
    pub(crate) fn enter(self) -> Self {
        PLACE.replace(self)
    }

    /// The token of the innermost call that still runs.
    pub(crate) fn find_parent_token(&self) -> Option<String> {
        let mut call = self.call.as_ref();
        while let Some(one) = call {
            if !one.is_over.load(Ordering::SeqCst) {
                return one.parent_token.clone();
            }
            call = one.outer.as_ref();
        }
        None
    }
}

/// Runs a function at a place.
pub(crate) fn run_at<T>(place: Place, run: impl FnOnce() -> T) -> T {
    struct Leave(Option<Place>);
    impl Drop for Leave {
        fn drop(&mut self) {
            if let Some(before) = self.0.take() {
                before.enter();
            }
        }
    }
    let _leave = Leave(Some(place.enter()));
    run()
}

/// A future that is at a place whenever it is polled.
pub(crate) struct AtPlace<F> {
    pub(crate) place: Place,
    pub(crate) future: Pin<Box<F>>,
}

impl<F: Future> Future for AtPlace<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let place = self.place.clone();
        run_at(place, || self.future.as_mut().poll(context))
    }
}
