//! Running a target so that a panic is a finding and not the end.
//!
//! A stack that runs out and a loop without end cannot be caught here: whoever drives writes each
//! input down before it is run.

use crate::clock::Stopwatch;
use crate::limits;
use crate::target::{Held, Target};
use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;
use std::time::Duration;

thread_local! {
    /// What the panic said, while a target runs on this thread.
    static SAID: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Holds the target against one input, within the time that it may take.
pub fn hold(target: &Target, input: &[u8], patience: Duration) -> Held {
    let (held, took) = timed(target, input);
    if took < patience {
        return held;
    }
    let quickest = (0..limits::SECOND_LOOKS)
        .map(|_| timed(target, input).1)
        .min()
        .map_or(took, |again| again.min(took));
    if quickest < patience { held } else { Err(format!("it takes {quickest:.1?}")) }
}

fn timed(target: &Target, input: &[u8]) -> (Held, Duration) {
    let watch = Stopwatch::start();
    let held = caught(target, input);
    (held, watch.elapsed())
}

fn caught(target: &Target, input: &[u8]) -> Held {
    listen();
    SAID.set(Some(String::new()));
    let held = panic::catch_unwind(AssertUnwindSafe(|| (target.hold)(input)));
    let said = SAID.take().unwrap_or_default();
    held.unwrap_or_else(|_| Err(format!("panic: {said}")))
}

/// Keeps the panics of targets off the terminal, and all others on it.
fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let quiet = SAID.with_borrow_mut(|said| match said {
                Some(said) => {
                    *said = info.to_string();
                    true
                }
                None => false,
            });
            if !quiet {
                before(info);
            }
        }));
    });
}
