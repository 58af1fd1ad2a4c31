//! Requests that pause until their client has answered a question.
//!
//! The client gets a handle that nobody can guess. It is good for one repetition of the same request
//! by the same agent and session. What the handle stands for stays here, so that a client can change
//! nothing about it.

use super::kept_responses::ResponseStorage;
use crate::client::ClientRequest;
use crate::limits;
use crate::locks::lock;
use crate::random::random_handle;
use crate::upstream::Resume;
use crate::wire::{Members, encode_string, find};
use countersign_core::model::ids::{CallId, RequestId};
use countersign_core::model::names::SurfaceName;
use countersign_engine::{Permit, SessionOwner};
use std::collections::HashMap;
use std::sync::Mutex;
use tokio::time::Instant;

/// A request whose server asks for input.
pub(crate) struct Continuation {
    pub(crate) server: String,
    pub(crate) resume: Resume,
    /// The call that it carries out. None for a request that needs no permission.
    pub(crate) call: Option<CallInServer>,
}

/// A call that its server works on.
pub(crate) struct CallInServer {
    pub(crate) permit: Permit,
    /// The params as they were decided.
    pub(crate) params: String,
    /// Where its response will be kept.
    pub(crate) keeping: ResponseStorage,
}

/// A call that waits for the operator, and the question that its client may be asked. The question
/// itself is on record: a handle that is lost loses nothing but the dialog.
#[derive(Clone)]
pub(crate) struct ClientQuestion {
    pub(super) call: CallId,
    pub(super) request: RequestId,
    pub(super) surface: SurfaceName,
    /// The params of the elicitation.
    pub(super) params: String,
}

pub(crate) struct PausedRequests<T> {
    /// By handle, as JSON text.
    paused: Mutex<HashMap<String, PausedRequest<T>>>,
}

struct PausedRequest<T> {
    owner: SessionOwner,
    /// Method and params that the repetition must have.
    request: String,
    since: Instant,
    value: T,
}

impl<T> Default for PausedRequests<T> {
    fn default() -> Self {
        Self { paused: Mutex::default() }
    }
}

impl<T> PausedRequests<T> {
    /// Returns the handle as JSON text, or gives the value back if there is no room.
    pub(crate) fn pause(
        &self,
        owner: &SessionOwner,
        request: &ClientRequest,
        value: T,
    ) -> Result<String, Box<T>> {
        self.add(owner, identify_request(request), value)
    }

    #[allow(clippy::disallowed_methods, reason = "how long a client may take decides no call")]
    fn add(&self, owner: &SessionOwner, request: String, value: T) -> Result<String, Box<T>> {
        let mut paused = lock(&self.paused);
        match random_handle().filter(|_| paused.len() < limits::MAX_CONTINUATIONS) {
            Some(handle) => {
                let (handle, owner) = (encode_string(&handle), owner.clone());
                let entry = PausedRequest { owner, request, since: Instant::now(), value };
                paused.insert(handle.clone(), entry);
                Ok(handle)
            }
            None => Err(Box::new(value)),
        }
    }

    /// Takes what this request continues.
    pub(crate) fn take_for(&self, owner: &SessionOwner, request: &ClientRequest) -> Option<T> {
        let handle = find(request.message.params(), &["requestState"])?;
        self.take(handle, owner, &identify_request(request))
    }

    fn take(&self, handle: &str, owner: &SessionOwner, request: &str) -> Option<T> {
        let mut paused = lock(&self.paused);
        let is_same = |one: &PausedRequest<T>| one.owner == *owner && one.request == request;
        if !paused.get(handle).is_some_and(is_same) {
            return None;
        }
        paused.remove(handle).map(|paused| paused.value)
    }

    /// Takes those whose clients did not come back.
    #[allow(clippy::disallowed_methods, reason = "how long a client may take decides no call")]
    pub(crate) fn take_abandoned(&self) -> Vec<T> {
        let now = Instant::now();
        let is_old =
            |one: &PausedRequest<T>| now.duration_since(one.since) > limits::CONTINUATION_LIFETIME;
        let mut paused = lock(&self.paused);
        paused.extract_if(|_, one| is_old(one)).map(|(_, one)| one.value).collect()
    }
}

/// What has to be the same in a repetition: method and params, without what differs by design.
fn identify_request(request: &ClientRequest) -> String {
    identify_message(request.message.method(), request.message.params())
}

fn identify_message(method: &str, params: &str) -> String {
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
        let calls = PausedRequests::default();
        let request = identify_message("tools/call", r#"{"name":"t","arguments":{"a":1}}"#);
        let handle = calls.add(&owner("a"), request.clone(), ()).unwrap();
        assert!(calls.take(&handle, &owner("b"), &request).is_none());
        let other = identify_message("tools/call", r#"{"name":"t","arguments":{"a":2}}"#);
        assert!(calls.take(&handle, &owner("a"), &other).is_none());
        assert!(calls.take("\"guess\"", &owner("a"), &request).is_none());
        let same = r#"{"_meta":{"x":1},"arguments":{"a":1},"name":"t","inputResponses":{}}"#;
        let same = identify_message("tools/call", same);
        assert!(calls.take(&handle, &owner("a"), &same).is_some());
        assert!(calls.take(&handle, &owner("a"), &same).is_none());
    }
}
