//! Calls as their agents sent them, while a question about them is open.
//!
//! The record holds marks in place of secrets. What a person approves has to be seen, so the cards of
//! open questions are built from what is kept here, in memory only and for a limited time. After a
//! restart and on other nodes the card shows the marks, until the agent makes the call again.
//!
//! See docs/decisions/0095-a-card-hides-only-literal-values.md.

use crate::limits::{LIVE_CALL_BYTES, LIVE_CALL_SPAN, LIVE_CALLS};
use countersign_core::encoding::digest::Digest;
use countersign_core::model::call::Call;
use countersign_core::model::time::Time;
use std::collections::VecDeque;
use std::sync::Mutex;

struct LiveCall {
    digest: Digest,
    call: Call,
    bytes: usize,
    ends_at: Time,
}

#[derive(Default)]
pub(crate) struct LiveCalls(Mutex<VecDeque<LiveCall>>);

impl LiveCalls {
    /// Keeps a call. Equal calls have the same digest, so the last one stands for all.
    pub(crate) fn keep(&self, call: Call, now: Time) {
        let bytes = call.args.to_string().len();
        let (digest, ends_at) = (call.digest, now + LIVE_CALL_SPAN);
        let Ok(mut kept) = self.0.lock() else { return };
        kept.retain(|live| live.digest != digest && now < live.ends_at);
        kept.push_back(LiveCall { digest, call, bytes, ends_at });
        let total = |kept: &VecDeque<LiveCall>| kept.iter().map(|live| live.bytes).sum::<usize>();
        while kept.len() > LIVE_CALLS || total(&kept) > LIVE_CALL_BYTES {
            kept.pop_front();
        }
    }

    pub(crate) fn find(&self, digest: &Digest) -> Option<Call> {
        let kept = self.0.lock().ok()?;
        kept.iter().find(|live| live.digest == *digest).map(|live| live.call.clone())
    }
}
