//! Values of the newest calls. The oldest are dropped beyond a number and a size.

use crate::locks::lock;
use countersign_core::model::ids::CallId;
use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;

pub(crate) struct RecentCalls<V> {
    max_calls: usize,
    max_bytes: usize,
    kept: Mutex<KeptValues<V>>,
}

struct KeptValues<V> {
    /// With their sizes.
    values: HashMap<CallId, (V, usize)>,
    order: VecDeque<CallId>,
    bytes: usize,
}

impl<V: Clone> RecentCalls<V> {
    pub(super) fn new(max_calls: usize, max_bytes: usize) -> Self {
        let kept = KeptValues { values: HashMap::new(), order: VecDeque::new(), bytes: 0 };
        Self { max_calls, max_bytes, kept: Mutex::new(kept) }
    }

    /// Keeps the value of a call in place of an earlier one.
    pub(super) fn keep(&self, call: CallId, value: V, bytes: usize) {
        let mut kept = lock(&self.kept);
        kept.remove(call);
        if bytes > self.max_bytes {
            return;
        }
        kept.values.insert(call, (value, bytes));
        kept.order.push_back(call);
        kept.bytes += bytes;
        while kept.values.len() > self.max_calls || kept.bytes > self.max_bytes {
            let Some(oldest) = kept.order.front().copied() else { break };
            kept.remove(oldest);
        }
    }

    pub(super) fn find(&self, call: CallId) -> Option<V> {
        lock(&self.kept).values.get(&call).map(|(value, _)| value.clone())
    }

    pub(super) fn remove(&self, call: CallId) {
        lock(&self.kept).remove(call);
    }
}

impl<V> KeptValues<V> {
    fn remove(&mut self, call: CallId) {
        if let Some((_, bytes)) = self.values.remove(&call) {
            self.bytes -= bytes;
            self.order.retain(|other| *other != call);
        }
    }
}
