//! Calls that pause until their client has answered a server's question.
//!
//! The client gets a handle that nobody can guess. It is good for one repetition of the same request
//! by the same agent and session. What the handle stands for stays here, so that a client can change
//! nothing about it.

use super::exchange::OpenExchange;
use super::lock;
use crate::call::kept::Keeping;
use crate::limits;
use crate::random::random_handle;
use crate::wire::Members;
use crate::wire::json_text::encode_string;
use countersign_engine::{Permit, SessionOwner};
use std::collections::HashMap;
use std::sync::Mutex;
use tokio::time::Instant;

/// How a paused exchange goes on.
pub(crate) enum Resume {
    /// The request is sent again, with the server's own state.
    Resend { state: Option<String> },
    /// The server waits for the answer to this request of its own.
    Answer { open: Box<OpenExchange>, question: String },
}

pub(crate) struct Continuation {
    pub(crate) owner: SessionOwner,
    pub(crate) server: String,
    /// Method and params that the repetition must have.
    pub(crate) request: String,
    /// The permission under which it is carried out. None for what needs none.
    pub(crate) permit: Option<Permit>,
    /// The params as they were decided.
    pub(crate) params: String,
    /// Where its response will be kept.
    pub(crate) keeping: Keeping,
    pub(crate) resume: Resume,
    since: Option<Instant>,
}

impl Continuation {
    pub(crate) fn new(owner: SessionOwner, server: &str, request: String, resume: Resume) -> Self {
        let (server, params) = (server.to_owned(), String::new());
        let keeping = Keeping::InMemory;
        Self { owner, server, request, permit: None, params, keeping, resume, since: None }
    }
}

#[derive(Default)]
pub(crate) struct Continuations {
    paused: Mutex<HashMap<String, Continuation>>,
}

impl Continuations {
    /// Returns the handle as JSON text, or gives the call back if there is no room.
    #[allow(clippy::disallowed_methods, reason = "how long a client may take decides no call")]
    pub(crate) fn pause(&self, mut call: Continuation) -> Result<String, Box<Continuation>> {
        let mut paused = lock(&self.paused);
        match random_handle().filter(|_| paused.len() < limits::MAX_CONTINUATIONS) {
            Some(handle) => {
                call.since = Some(Instant::now());
                let text = encode_string(&handle);
                paused.insert(text.clone(), call);
                Ok(text)
            }
            None => Err(Box::new(call)),
        }
    }

    /// Takes the call of a handle, if this owner repeats the same request.
    pub(crate) fn take(
        &self,
        handle: &str,
        owner: &SessionOwner,
        request: &str,
    ) -> Option<Continuation> {
        let mut paused = lock(&self.paused);
        let is_same = |call: &Continuation| call.owner == *owner && call.request == request;
        if !paused.get(handle).is_some_and(is_same) {
            return None;
        }
        paused.remove(handle)
    }

    /// Takes the calls whose clients did not come back.
    #[allow(clippy::disallowed_methods, reason = "how long a client may take decides no call")]
    pub(crate) fn take_abandoned(&self) -> Vec<Continuation> {
        let now = Instant::now();
        let is_old = |call: &Continuation| {
            call.since.is_none_or(|since| now.duration_since(since) > limits::CONTINUATION_LIFETIME)
        };
        let mut paused = lock(&self.paused);
        let old: Vec<String> = paused
            .iter()
            .filter(|(_, call)| is_old(call))
            .map(|(handle, _)| handle.clone())
            .collect();
        old.iter().filter_map(|handle| paused.remove(handle)).collect()
    }
}

/// What has to be the same in a repetition: method and params, without what differs by design.
pub(crate) fn identify_request(method: &str, params: &str) -> String {
    let members = Members::read(params);
    let mut parts: Vec<String> = members
        .iter()
        .flat_map(|members| {
            let same = members
                .names()
                .filter(|name| !["_meta", "inputResponses", "requestState"].contains(name));
            same.filter_map(|name| Some(format!("{}:{}", encode_string(name), members.get(name)?)))
        })
        .collect();
    parts.sort_unstable();
    format!("{method} {}", parts.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_core::model::names::{Agent, SessionName};

    fn owner(agent: &str) -> SessionOwner {
        SessionOwner::new(&SessionName::parse("s").unwrap(), Agent::parse(agent).unwrap())
    }

    #[test]
    fn a_handle_is_good_for_one_repetition_of_the_same_request_by_its_owner() {
        let calls = Continuations::default();
        let request = identify_request("tools/call", r#"{"name":"t","arguments":{"a":1}}"#);
        let resume = Resume::Resend { state: None };
        let call = Continuation::new(owner("a"), "s", request.clone(), resume);
        let handle = calls.pause(call).unwrap_or_default();
        assert!(calls.take(&handle, &owner("b"), &request).is_none());
        let other = identify_request("tools/call", r#"{"name":"t","arguments":{"a":2}}"#);
        assert!(calls.take(&handle, &owner("a"), &other).is_none());
        assert!(calls.take("\"guess\"", &owner("a"), &request).is_none());
        let same = r#"{"_meta":{"x":1},"arguments":{"a":1},"name":"t","inputResponses":{}}"#;
        let same = identify_request("tools/call", same);
        assert!(calls.take(&handle, &owner("a"), &same).is_some());
        assert!(calls.take(&handle, &owner("a"), &same).is_none());
    }
}
