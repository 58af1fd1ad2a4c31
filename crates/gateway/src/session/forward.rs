//! Requests that are not decided: each goes to the server that it concerns.

use super::client_session::ClientSession;
use crate::call::Continuation;
use crate::client::ClientRequest;
use crate::own;
use crate::upstream::{ExchangeEnd, ServerSlot, Upstream, run_exchange, subscribe_resource};
use crate::wire::{Era, RpcResponse, decode_string, encode_string, find, set_at, set_member};
use std::sync::Arc;

pub(super) async fn forward(session: &ClientSession, request: &ClientRequest) -> RpcResponse {
    match session.servers.single() {
        Some(slot) => forward_to(session, request, slot, request.message.params()).await,
        None => forward_by_name(session, request).await,
    }
}

/// A request to one of several servers.
async fn forward_by_name(session: &ClientSession, request: &ClientRequest) -> RpcResponse {
    let (method, params) = (request.message.method(), request.message.params());
    match method {
        "prompts/list" => session.lists.list_all(request, "prompts").await,
        "resources/list" => session.lists.list_all(request, "resources").await,
        "resources/templates/list" => session.lists.list_all(request, "resourceTemplates").await,
        "prompts/get" if names_guard_prompt(params) => {
            let action = find(params, &["arguments", "action"]).and_then(decode_string);
            own::get_guard_prompt(action.as_deref())
        }
        "prompts/get" => match find_named_server(session, find(params, &["name"])) {
            Some((slot, name)) => {
                let params = set_member(params, "name", &encode_string(&name));
                forward_to(session, request, &slot, &params).await
            }
            None => RpcResponse::invalid("this prompt is not known"),
        },
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" => {
            let unknown = "this resource is not known";
            forward_resource(session, request, find(params, &["uri"]), unknown).await
        }
        "completion/complete" => complete(session, request).await,
        _ => RpcResponse::no_method(method),
    }
}

/// Names of servers' prompts have the server's name in front.
fn names_guard_prompt(params: &str) -> bool {
    find(params, &["name"]).and_then(decode_string).as_deref() == Some(own::GUARD_PROMPT)
}

async fn complete(session: &ClientSession, request: &ClientRequest) -> RpcResponse {
    let params = request.message.params();
    if let Some((slot, name)) = find_named_server(session, find(params, &["ref", "name"])) {
        let params = set_at(params, &["ref", "name"], &encode_string(&name));
        return forward_to(session, request, &slot, &params).await;
    }
    let unknown = "there is nothing to complete";
    forward_resource(session, request, find(params, &["ref", "uri"]), unknown).await
}

/// The server and the name there, from the text of a name that the client sees.
fn find_named_server(
    session: &ClientSession,
    name: Option<&str>,
) -> Option<(Arc<ServerSlot>, String)> {
    session.servers.find_by_prefix(&decode_string(name?)?)
}

async fn forward_resource(
    session: &ClientSession,
    request: &ClientRequest,
    uri: Option<&str>,
    unknown: &str,
) -> RpcResponse {
    let uri = uri.and_then(decode_string).unwrap_or_default();
    match session.lists.find_resource_server(&request.hello, &uri).await {
        Some(slot) => forward_to(session, request, &slot, request.message.params()).await,
        None => RpcResponse::invalid(unknown),
    }
}

async fn forward_to(
    session: &ClientSession,
    request: &ClientRequest,
    slot: &Arc<ServerSlot>,
    params: &str,
) -> RpcResponse {
    let upstream = match session.servers.connect(slot, &request.hello).await {
        Ok(upstream) => upstream,
        Err(why) => return RpcResponse::error(-32000, &why),
    };
    if let Some(answer) = translate_subscription(request, &upstream).await {
        return answer;
    }
    let (continuations, owner) = (&session.calls.shared.continuations, &session.calls.owner);
    let end = match continuations.take_for(owner, request) {
        Some(call) => session.servers.resume(request, slot, call).await.1,
        None if find(params, &["requestState"]).is_some() => {
            return RpcResponse::unknown_state();
        }
        None => run_exchange(request, slot, &upstream, params.to_owned()).await,
    };
    match end {
        ExchangeEnd::Response(message) => RpcResponse::Forward(message),
        ExchangeEnd::NotSent(why) | ExchangeEnd::Unknown(why) | ExchangeEnd::Died(why) => {
            RpcResponse::error(-32000, &why)
        }
        ExchangeEnd::NeedsInput(questions, resume) => {
            let paused = Continuation { server: slot.spec.name.to_string(), resume, call: None };
            match continuations.pause(owner, request, paused) {
                Ok(handle) => RpcResponse::input_required(&questions, &handle),
                Err(_) => RpcResponse::error(-32000, "too many calls wait for input"),
            }
        }
    }
}

/// A modern server has no such method: its requests carry the level.
pub(super) async fn set_log_level(session: &ClientSession, request: &ClientRequest) -> RpcResponse {
    let params = request.message.params();
    session.client.set_log_level(find(params, &["level"]));
    // One that is not there has nothing to log.
    if let Some(slot) = session.servers.single()
        && let Ok(upstream) = session.servers.connect(slot, &request.hello).await
        && upstream.era() == Era::Legacy
    {
        return forward_to(session, request, slot, params).await;
    }
    RpcResponse::empty()
}

/// A modern server has no requests for single subscriptions. One that ended stays open at the
/// server; its news reaches nobody who did not ask for it.
async fn translate_subscription(
    request: &ClientRequest,
    upstream: &Upstream,
) -> Option<RpcResponse> {
    if request.hello.era == Era::Modern || upstream.era() == Era::Legacy {
        return None;
    }
    let uri = find(request.message.params(), &["uri"]).and_then(decode_string);
    match (request.message.method(), uri) {
        ("resources/subscribe", Some(uri)) => {
            subscribe_resource(upstream, &request.hello, &uri).await;
            Some(RpcResponse::empty())
        }
        ("resources/unsubscribe", Some(_)) => Some(RpcResponse::empty()),
        _ => None,
    }
}
