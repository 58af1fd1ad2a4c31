//! The original parameters of parked calls.
//!
//! The record holds the arguments too, but with secrets replaced. As long as the daemon runs, a call
//! is carried out exactly as it was sent.

use crate::limits;
use countersign_core::model::ids::CallId;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Default)]
pub(crate) struct ParkedCalls {
    parked: Mutex<Parked>,
}

#[derive(Default)]
struct Parked {
    /// The text of the call's params.
    params: HashMap<CallId, Arc<str>>,
    order: VecDeque<CallId>,
    bytes: usize,
}

impl ParkedCalls {
    pub(crate) fn park(&self, call: CallId, params: &str) {
        let mut parked = self.parked.lock().unwrap_or_else(PoisonError::into_inner);
        if parked.params.contains_key(&call) {
            return;
        }
        parked.bytes += params.len();
        parked.params.insert(call, Arc::from(params));
        parked.order.push_back(call);
        while parked.params.len() > limits::PARKED_CALLS || parked.bytes > limits::PARKED_BYTES {
            let Some(oldest) = parked.order.pop_front() else { break };
            parked.bytes -= parked.params.remove(&oldest).map_or(0, |params| params.len());
        }
    }

    pub(crate) fn find(&self, call: CallId) -> Option<Arc<str>> {
        self.parked.lock().unwrap_or_else(PoisonError::into_inner).params.get(&call).cloned()
    }

    /// Drops the parameters of a call that is over.
    pub(crate) fn remove(&self, call: CallId) {
        let mut parked = self.parked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(params) = parked.params.remove(&call) {
            parked.bytes -= params.len();
            parked.order.retain(|other| *other != call);
        }
    }
}
