//! Applies automatic repeats to call records.

use crate::model::ids::CallId;
use crate::model::names::NodeName;
use crate::model::repeat::{Lease, PendingRepeat};
use crate::model::time::Time;
use crate::state::State;

impl State {
    pub(in crate::state) fn queue_repeat(&mut self, at: Time, call: CallId, due_at: Time) {
        let Some(record) = self.calls.get_mut(&call) else { return };
        let new = PendingRepeat { since: at, attempts: 0, due_at, lease: None };
        let repeat = record.repeat.get_or_insert(new);
        (repeat.due_at, repeat.lease) = (due_at, None);
    }

    /// No other node takes the attempt until the lease ends; then it is due again.
    pub(in crate::state) fn lease_repeat(&mut self, call: CallId, node: &NodeName, ends_at: Time) {
        let repeat = self.calls.get_mut(&call).and_then(|record| record.repeat.as_mut());
        if let Some(repeat) = repeat {
            repeat.attempts = repeat.attempts.saturating_add(1);
            repeat.due_at = ends_at;
            repeat.lease = Some(Lease { node: node.clone(), ends_at });
        }
    }

    pub(in crate::state) fn end_repeat(&mut self, call: CallId) {
        if let Some(record) = self.calls.get_mut(&call) {
            record.repeat = None;
        }
    }
}
