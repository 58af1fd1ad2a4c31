//! Responses of calls that were carried out, for a client that asks again.
//!
//! The newest ones are in memory. That of a call that waited for a person is in the store too, so
//! that a restart does not lose it, and another node finds it. A response that is no longer there is
//! reported as such; the call is not carried out again.
//!
//! See docs/decisions/0080-results-and-tasks-outlive-the-daemon.md.

use super::recent_calls::RecentCalls;
use crate::limits;
use crate::wire::{Message, RpcResponse, find};
use countersign_core::model::ids::CallId;
use countersign_engine::SessionOwner;
use countersign_host::Host;
use std::sync::Arc;

/// Where the response of a call is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResponseStorage {
    /// Its client waits for it.
    InMemory,
    /// It waited for a person, so its client may be gone.
    InStore,
}

/// The response of a server, without the id of its request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum KeptResponse {
    Result(Arc<str>),
    /// An error object of JSON-RPC.
    Error(Arc<str>),
}

impl KeptResponse {
    fn from_message(message: &Message) -> Option<Self> {
        let result = message.result().map(|result| Self::Result(Arc::from(result)));
        result.or_else(|| message.error().map(|error| Self::Error(Arc::from(error))))
    }

    /// Reads the form in the store.
    fn from_stored(text: &str) -> Option<Self> {
        let result = find(text, &["result"]).map(|result| Self::Result(Arc::from(result)));
        result.or_else(|| find(text, &["error"]).map(|error| Self::Error(Arc::from(error))))
    }

    /// The form in the store.
    fn to_stored(&self) -> String {
        match self {
            Self::Result(result) => format!("{{\"result\":{result}}}"),
            Self::Error(error) => format!("{{\"error\":{error}}}"),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Result(text) | Self::Error(text) => text.len(),
        }
    }
}

impl From<KeptResponse> for RpcResponse {
    fn from(kept: KeptResponse) -> Self {
        match kept {
            KeptResponse::Result(result) => Self::Result(result.to_string()),
            KeptResponse::Error(error) => Self::Error(error.to_string()),
        }
    }
}

pub(crate) struct KeptResponses {
    host: Arc<Host>,
    recent: RecentCalls<KeptResponse>,
}

impl KeptResponses {
    pub(crate) fn new(host: Arc<Host>) -> Self {
        Self { host, recent: RecentCalls::new(limits::KEPT_RESULTS, limits::KEPT_RESULT_BYTES) }
    }

    /// Keeps a result that no server sent.
    pub(crate) fn keep_result(&self, call: CallId, result: String) {
        self.keep_in_memory(call, KeptResponse::Result(Arc::from(result)));
    }

    fn keep_in_memory(&self, call: CallId, response: KeptResponse) {
        let bytes = response.len();
        self.recent.keep(call, response, bytes);
    }

    pub(crate) fn find_in_memory(&self, call: CallId) -> Option<KeptResponse> {
        self.recent.find(call)
    }

    /// Keeps the response of a server. The store refuses one that is long or has a secret, and a
    /// store that fails now will not record the end of the call either: memory has it in any case.
    pub(crate) async fn keep(
        &self,
        call: CallId,
        owner: &SessionOwner,
        message: &Message,
        keeping: ResponseStorage,
    ) {
        let Some(response) = KeptResponse::from_message(message) else { return };
        if keeping == ResponseStorage::InStore {
            let (text, owner) = (response.to_stored(), owner.clone());
            let keep = self.host.run(move |engine| engine.keep_result(call, &owner, &text));
            let _only_in_memory = keep.await;
        }
        self.keep_in_memory(call, response);
    }

    /// The response of a call of this session that was carried out. A store that cannot be read now
    /// has none.
    pub(crate) async fn find(&self, call: CallId, owner: &SessionOwner) -> Option<KeptResponse> {
        if let Some(response) = self.find_in_memory(call) {
            return Some(response);
        }
        let owner = owner.clone();
        let found = self.host.run(move |engine| engine.find_result(call, &owner)).await;
        found.ok().flatten().and_then(|text| KeptResponse::from_stored(&text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_reads_back_as_it_was() {
        for text in [
            r#"{"jsonrpc":"2.0","id":1,"result":{"content":[],"kept":1.0}}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"result"}}"#,
        ] {
            let message = Message::parse(text.to_owned()).unwrap();
            let kept = KeptResponse::from_message(&message).unwrap();
            assert_eq!(KeptResponse::from_stored(&kept.to_stored()), Some(kept));
        }
    }
}
