//! Runs a target so that a panic becomes a finding.
//!
//! A stack overflow or an endless loop cannot be caught here. The caller therefore saves each input
//! before it runs.

use crate::clock::Stopwatch;
use crate::limits;
use crate::target::{Target, TargetResult};
use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;
use std::time::Duration;

thread_local! {
    /// The message of a panic, while a target runs on this thread.
    static PANIC_MESSAGE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Checks one input. An input that takes too long is an error, unless a retry is fast enough.
pub fn run_with_time_limit(target: &Target, input: &[u8], time_limit: Duration) -> TargetResult {
    let (result, duration) = run_timed(target, input);
    if duration < time_limit {
        return result;
    }
    let fastest = (0..limits::MAX_TIMING_RETRIES)
        .map(|_| run_timed(target, input).1)
        .min()
        .map_or(duration, |retry| retry.min(duration));
    if fastest < time_limit { result } else { Err(format!("the input takes {fastest:.1?}")) }
}

fn run_timed(target: &Target, input: &[u8]) -> (TargetResult, Duration) {
    let watch = Stopwatch::start();
    let result = run_catching_panics(target, input);
    (result, watch.elapsed())
}

fn run_catching_panics(target: &Target, input: &[u8]) -> TargetResult {
    install_panic_hook();
    PANIC_MESSAGE.set(Some(String::new()));
    let result = panic::catch_unwind(AssertUnwindSafe(|| (target.check)(input)));
    let message = PANIC_MESSAGE.take().unwrap_or_default();
    result.unwrap_or_else(|_| Err(format!("panic: {message}")))
}

/// Hides the panics of targets from the terminal; all others are still printed.
fn install_panic_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let default_hook = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let is_target = PANIC_MESSAGE.with_borrow_mut(|message| match message {
                Some(message) => {
                    *message = info.to_string();
                    true
                }
                None => false,
            });
            if !is_target {
                default_hook(info);
            }
        }));
    });
}
