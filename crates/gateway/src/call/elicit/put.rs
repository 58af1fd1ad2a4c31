//! Questions that modern clients got as a result and have not answered yet.
//!
//! What a handle stands for stays here, and the question itself is on record: a handle that is lost
//! loses nothing but the dialog.

use super::ClientQuestion;
use crate::limits;
use crate::random::random_handle;
use crate::relay::continuations::identify_request;
use crate::relay::{Context, Relay, lock};
use crate::wire::json_text::{encode_string, find};
use countersign_core::model::ids::CallId;
use countersign_engine::SessionOwner;
use std::collections::HashMap;
use std::sync::Mutex;
use tokio::time::Instant;

#[derive(Default)]
pub(crate) struct PutQuestions {
    /// By handle, as JSON text.
    open: Mutex<HashMap<String, PutQuestion>>,
}

struct PutQuestion {
    owner: SessionOwner,
    /// Method and params that the repetition must have.
    request: String,
    call: CallId,
    question: ClientQuestion,
    since: Instant,
}

impl PutQuestions {
    /// Returns the handle, or none if there is no room.
    #[allow(clippy::disallowed_methods, reason = "how long a dialog may take decides no call")]
    pub(super) fn put(
        &self,
        relay: &Relay,
        context: &Context,
        call: CallId,
        question: ClientQuestion,
    ) -> Option<String> {
        let (mut open, since) = (lock(&self.open), Instant::now());
        open.retain(|_, put| since.duration_since(put.since) < limits::CONTINUATION_LIFETIME);
        if open.len() >= limits::MAX_CONTINUATIONS {
            return None;
        }
        let handle = encode_string(&random_handle()?);
        let request = identify_request(context.message.method(), context.message.params());
        let owner = relay.owner.clone();
        open.insert(handle.clone(), PutQuestion { owner, request, call, question, since });
        Some(handle)
    }

    /// Takes the question of a handle, if its owner repeats the same request as the same principal.
    pub(crate) fn take(
        &self,
        relay: &Relay,
        context: &Context,
    ) -> Option<(CallId, ClientQuestion)> {
        let params = context.message.params();
        let handle = find(params, &["requestState"])?;
        let request = identify_request(context.message.method(), params);
        let mut open = lock(&self.open);
        let is_same = |put: &PutQuestion| put.owner == relay.owner && put.request == request;
        if !relay.may_answer() || !open.get(handle).is_some_and(is_same) {
            return None;
        }
        open.remove(handle).map(|put| (put.call, put.question))
    }
}
