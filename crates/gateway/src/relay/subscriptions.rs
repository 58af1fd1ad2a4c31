//! Notifications that belong to no request: directly to a legacy client, by its subscriptions to a
//! modern one.

use super::{Context, Relay, Reply, RpcResponse, lock};
use crate::era::{ClientHello, Era, META_SUBSCRIPTION};
use crate::limits;
use crate::upstream::{Upstream, reserve_id};
use crate::wire::json_text::{
    decode_string, encode_string, find, read_items, remove_member, set_at, set_member,
};
use crate::wire::{Members, Message};
use std::sync::{Arc, Mutex};

/// What modern clients listen to.
#[derive(Default)]
pub(super) struct Subscriptions {
    open: Mutex<Vec<Subscription>>,
}

struct Subscription {
    /// The id of the client's request, as text.
    id: String,
    reply: Reply,
    methods: Vec<&'static str>,
    uris: Vec<String>,
}

/// The members of a filter, and the notifications that they select.
const LISTS: [(&str, &str); 3] = [
    ("toolsListChanged", "notifications/tools/list_changed"),
    ("promptsListChanged", "notifications/prompts/list_changed"),
    ("resourcesListChanged", "notifications/resources/list_changed"),
];

impl Subscription {
    fn selects(&self, message: &Message) -> bool {
        match message.method() {
            "notifications/resources/updated" => {
                let uri = find(message.params(), &["uri"]).and_then(decode_string);
                uri.is_some_and(|uri| self.uris.contains(&uri))
            }
            method => self.methods.contains(&method),
        }
    }
}

impl Relay {
    /// Keeps a subscription until its client ends it.
    pub(super) async fn listen(self: &Arc<Self>, context: &Context) -> RpcResponse {
        let filter = find(context.message.params(), &["notifications"]).unwrap_or("{}");
        let Some(members) = Members::read(filter) else {
            return RpcResponse::invalid("`notifications` is not an object");
        };
        let wanted = |key: &str| members.get(key) == Some("true");
        let methods = LISTS.iter().filter(|(key, _)| wanted(key)).map(|(_, method)| *method);
        let uris = members.get("resourceSubscriptions").and_then(read_items).unwrap_or_default();
        let uris: Vec<String> = uris.into_iter().filter_map(decode_string).collect();
        let (tasks, filter) = match members.get("taskIds") {
            Some(ids) => match self.select_tasks(context, ids).await {
                Ok(tasks) => {
                    let ids: Vec<String> = tasks.iter().map(|id| format!("\"{id}\"")).collect();
                    (tasks, set_member(filter, "taskIds", &format!("[{}]", ids.join(","))))
                }
                Err(refused) => return refused,
            },
            None => (Vec::new(), filter.to_owned()),
        };
        let (id, reply) = (context.message.id().to_owned(), context.reply.clone());
        let methods = methods.collect();
        let own = Subscription { id: id.clone(), reply, methods, uris: uris.clone() };
        {
            let mut open = lock(&self.subscriptions.open);
            if open.len() >= limits::MAX_SUBSCRIPTIONS {
                return RpcResponse::error(-32000, "too many subscriptions are open");
            }
            open.push(own);
        }
        let params = format!("{{\"notifications\":{filter}}}");
        let params = set_at(&params, &["_meta", META_SUBSCRIPTION], &id);
        let acknowledged = "notifications/subscriptions/acknowledged";
        context.reply.send(crate::wire::message::notification(acknowledged, &params)).await;
        self.subscribe_resources(context, &uris).await;
        tokio::select! {
            () = context.wait_for_end() => {}
            () = self.watch_tasks(context, tasks) => {}
        }
        lock(&self.subscriptions.open).retain(|open| open.id != id);
        RpcResponse::Result(set_at("{}", &["_meta", META_SUBSCRIPTION], &id))
    }

    /// Asks the servers for what the client wants to hear about resources.
    async fn subscribe_resources(self: &Arc<Self>, context: &Context, uris: &[String]) {
        for uri in uris {
            let slot = self.find_resource_server(context, uri).await;
            let Some(upstream) = slot.and_then(|slot| slot.current()) else { continue };
            subscribe_resource(&upstream, &context.hello, uri).await;
        }
    }

    /// Passes on a notification of a server.
    pub(super) async fn notify_client(&self, message: &Message) {
        match self.client().map(|client| client.era) {
            Some(Era::Modern) => self.notify_subscribers(message).await,
            Some(Era::Legacy) | None => {
                let text = match find(message.params(), &["_meta", META_SUBSCRIPTION]) {
                    None => message.text().to_owned(),
                    Some(_) => message.with_params(&remove_subscription(message.params())),
                };
                let reply = self.outlet().or_else(|| self.routes.find_newest_reply());
                if let Some(reply) = reply {
                    reply.send(text).await;
                }
            }
        }
    }

    async fn notify_subscribers(&self, message: &Message) {
        if message.method() == "notifications/message" {
            if let Some(reply) = self.routes.find_log_reply() {
                reply.send(message.text().to_owned()).await;
            }
            return;
        }
        let selected: Vec<(Reply, String)> = lock(&self.subscriptions.open)
            .iter()
            .filter(|subscription| subscription.selects(message))
            .map(|subscription| (subscription.reply.clone(), subscription.id.clone()))
            .collect();
        for (reply, id) in selected {
            let params = set_at(message.params(), &["_meta", META_SUBSCRIPTION], &id);
            reply.send(message.with_params(&params)).await;
        }
    }
}

fn remove_subscription(params: &str) -> String {
    let Some(meta) = find(params, &["_meta"]) else { return params.to_owned() };
    let meta = remove_member(meta, META_SUBSCRIPTION);
    set_member(params, "_meta", &meta)
}

/// Listens to the lists of a modern server. A legacy one tells without being asked.
pub(super) async fn listen_to_lists(upstream: &Upstream, client: &ClientHello) {
    let lists = ["tools", "prompts", "resources"];
    let changing = |list: &&&str| upstream.hello().has_capability(&[**list, "listChanged"]);
    let members: Vec<String> =
        lists.iter().filter(changing).map(|list| format!("\"{list}ListChanged\":true")).collect();
    if upstream.era() == Era::Legacy || members.is_empty() {
        return;
    }
    let params = format!("{{\"notifications\":{{{}}}}}", members.join(","));
    let params = client.add_meta(&params, None);
    // Nobody waits for its end.
    let _listening = upstream.send_request(reserve_id(), "subscriptions/listen", &params).await;
}

/// Asks one server for news of one resource.
pub(super) async fn subscribe_resource(upstream: &Upstream, client: &ClientHello, uri: &str) {
    let uri = encode_string(uri);
    match upstream.era() {
        Era::Legacy => {
            let params = format!("{{\"uri\":{uri}}}");
            let _refused =
                upstream.ask("resources/subscribe", &params, limits::PROBE_TIMEOUT).await;
        }
        Era::Modern => {
            let params = format!("{{\"notifications\":{{\"resourceSubscriptions\":[{uri}]}}}}");
            let params = client.add_meta(&params, None);
            // Nobody waits for its end.
            let _listening =
                upstream.send_request(reserve_id(), "subscriptions/listen", &params).await;
        }
    }
}
