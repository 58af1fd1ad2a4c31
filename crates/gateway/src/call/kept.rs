//! Results of calls that were carried out, for a client that asks again.
//!
//! In memory only, the newest ones. A result that is no longer here is reported as such; the call is
//! not carried out again.

use crate::limits;
use countersign_core::model::ids::CallId;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Default)]
pub(crate) struct KeptResults {
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    results: HashMap<CallId, Arc<str>>,
    order: VecDeque<CallId>,
    bytes: usize,
}

impl KeptResults {
    /// Keeps the result of a call, and drops the oldest ones that no longer fit.
    pub(crate) fn keep(&self, call: CallId, result: &str) {
        if result.len() > limits::KEPT_RESULT_BYTES {
            return;
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.bytes += result.len();
        match kept.results.insert(call, Arc::from(result)) {
            Some(before) => kept.bytes -= before.len(),
            None => kept.order.push_back(call),
        }
        while kept.results.len() > limits::KEPT_RESULTS || kept.bytes > limits::KEPT_RESULT_BYTES {
            let Some(oldest) = kept.order.pop_front() else { break };
            let dropped = kept.results.remove(&oldest).map_or(0, |result| result.len());
            kept.bytes -= dropped;
        }
    }

    pub(crate) fn find(&self, call: CallId) -> Option<Arc<str>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.results.get(&call).cloned()
    }
}
