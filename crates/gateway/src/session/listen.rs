//! `subscriptions/listen`: what a modern client wants to hear.

use super::client_session::ClientSession;
use super::tasks::{select_tasks, watch_tasks};
use crate::client::{ClientRequest, Subscription};
use crate::upstream::subscribe_resource;
use crate::wire::{
    META_SUBSCRIPTION, Members, RpcResponse, decode_string, find, notification, read_items, set_at,
    set_member,
};

/// The members of a filter, and the notifications that they select.
const LISTS: [(&str, &str); 3] = [
    ("toolsListChanged", "notifications/tools/list_changed"),
    ("promptsListChanged", "notifications/prompts/list_changed"),
    ("resourcesListChanged", "notifications/resources/list_changed"),
];

/// Keeps a subscription until its client ends it.
pub(super) async fn listen(session: &ClientSession, request: &ClientRequest) -> RpcResponse {
    let filter = find(request.message.params(), &["notifications"]).unwrap_or("{}");
    let Some(members) = Members::read(filter) else {
        return RpcResponse::invalid("`notifications` is not an object");
    };
    let wanted = |key: &str| members.get(key) == Some("true");
    let methods = LISTS.iter().filter(|(key, _)| wanted(key)).map(|(_, method)| *method);
    let uris = members.get("resourceSubscriptions").and_then(read_items).unwrap_or_default();
    let uris: Vec<String> = uris.into_iter().filter_map(decode_string).collect();
    let (tasks, filter) = match members.get("taskIds") {
        Some(ids) => match select_tasks(&session.calls, request, ids).await {
            Ok(tasks) => {
                let ids: Vec<String> = tasks.iter().map(|id| format!("\"{id}\"")).collect();
                (tasks, set_member(filter, "taskIds", &format!("[{}]", ids.join(","))))
            }
            Err(refused) => return refused,
        },
        None => (Vec::new(), filter.to_owned()),
    };
    let (id, reply) = (request.message.id().to_owned(), request.reply.clone());
    let methods = methods.collect();
    let own = Subscription { id: id.clone(), reply, methods, uris: uris.clone() };
    let subscriptions = &session.client.subscriptions;
    if subscriptions.add(own).is_none() {
        return RpcResponse::error(-32000, "too many subscriptions are open");
    }
    let params = format!("{{\"notifications\":{filter}}}");
    let params = set_at(&params, &["_meta", META_SUBSCRIPTION], &id);
    let acknowledged = "notifications/subscriptions/acknowledged";
    request.reply.send(notification(acknowledged, &params)).await;
    subscribe_resources(session, request, &uris).await;
    tokio::select! {
        () = request.wait_for_end() => {}
        () = watch_tasks(&session.calls, request, tasks) => {}
    }
    subscriptions.remove(&id);
    RpcResponse::Result(set_at("{}", &["_meta", META_SUBSCRIPTION], &id))
}

/// Asks the servers for what the client wants to hear about resources.
async fn subscribe_resources(session: &ClientSession, request: &ClientRequest, uris: &[String]) {
    for uri in uris {
        let slot = session.lists.find_resource_server(&request.hello, uri).await;
        let Some(upstream) = slot.and_then(|slot| slot.current()) else { continue };
        subscribe_resource(&upstream, &request.hello, uri).await;
    }
}
