//! Lists: those of the servers, and our own tools.

use super::pages::read_pages;
use super::slots::ServerSlot;
use super::{Context, ExchangeEnd, Front, Relay, RpcResponse, lock};
use crate::call::tools::IsFirst;
use crate::era::ClientHello;
use crate::own;
use crate::wire::json_text::{encode_string, find, read_items, set_member};
use crate::wire::message::notification;
use crate::wire::{Members, Message};
use std::sync::Arc;
use tokio::task::JoinSet;

impl Relay {
    pub(super) async fn list_tools(self: &Arc<Self>, context: &Context) -> RpcResponse {
        match (self.front, self.slots.first()) {
            (Front::Single, Some(slot)) => self.list_tools_of(context, slot).await,
            _ => {
                let mut tools = self.own_tools();
                tools.extend(self.gather(&context.hello, "tools/list").await);
                list_answer("tools", &tools)
            }
        }
    }

    /// The server's own page. Our tools are on the first one.
    async fn list_tools_of(
        self: &Arc<Self>,
        context: &Context,
        slot: &Arc<ServerSlot>,
    ) -> RpcResponse {
        let params = context.message.params();
        let Ok(upstream) = self.connect(slot, &context.hello).await else {
            return list_answer("tools", &self.own_tools());
        };
        if !upstream.hello().has_capability(&["tools"]) {
            return list_answer("tools", &self.own_tools());
        }
        let is_first = match find(params, &["cursor"]) {
            None | Some("null") => IsFirst::Yes,
            Some(_) => IsFirst::No,
        };
        let end = self.run_exchange(context, slot, &upstream, params.to_owned()).await;
        let message = match end {
            ExchangeEnd::Response(message) => message,
            ExchangeEnd::NotSent(why) | ExchangeEnd::Unknown(why) => {
                return RpcResponse::error(-32000, &why);
            }
            ExchangeEnd::NeedsInput(..) => {
                return RpcResponse::error(-32000, "a list needs no input");
            }
        };
        let Some(result) = message.result() else { return RpcResponse::Forward(message) };
        let shown = slot.note_page(result, is_first);
        let mut tools = if is_first == IsFirst::Yes { self.own_tools() } else { Vec::new() };
        tools.extend(shown.into_iter().map(str::to_owned));
        RpcResponse::Result(set_member(result, "tools", &format!("[{}]", tools.join(","))))
    }

    /// A list of all servers together.
    pub(super) async fn list_all(self: &Arc<Self>, context: &Context, member: &str) -> RpcResponse {
        let items = self.gather(&context.hello, context.message.method()).await;
        list_answer(member, &items)
    }

    /// The items of all servers, in the order of the servers. They are started at the same time.
    async fn gather(self: &Arc<Self>, client: &ClientHello, method: &str) -> Vec<String> {
        let mut lists = JoinSet::new();
        for (place, slot) in self.slots.iter().enumerate() {
            let (relay, slot) = (Arc::clone(self), Arc::clone(slot));
            let (client, method) = (client.clone(), method.to_owned());
            lists.spawn(async move { (place, relay.list_of(&slot, &client, &method).await) });
        }
        let mut found = Vec::new();
        while let Some(list) = lists.join_next().await {
            found.extend(list.ok());
        }
        found.sort_by_key(|(place, _)| *place);
        found.into_iter().flat_map(|(_, items)| items).collect()
    }

    /// What one server lists, under the names that the client sees. A server that is not there lists
    /// nothing.
    pub(super) async fn list_of(
        self: &Arc<Self>,
        slot: &Arc<ServerSlot>,
        client: &ClientHello,
        method: &str,
    ) -> Vec<String> {
        let Ok(upstream) = self.connect(slot, client).await else { return Vec::new() };
        let kind = method.split('/').next().unwrap_or_default();
        if !upstream.hello().has_capability(&[kind]) {
            return Vec::new();
        }
        let pages = read_pages(&upstream, client, method).await;
        let mut items = Vec::new();
        for (at, page) in pages.iter().enumerate() {
            let is_first = if at == 0 { IsFirst::Yes } else { IsFirst::No };
            match method {
                "tools/list" => {
                    let shown = slot.note_page(page, is_first);
                    items.extend(shown.into_iter().filter_map(|item| add_prefix(slot, item)));
                }
                "prompts/list" => {
                    let prompts = find(page, &["prompts"]).and_then(read_items);
                    let prompts = prompts.unwrap_or_default().into_iter();
                    items.extend(prompts.filter_map(|item| add_prefix(slot, item)));
                }
                _ => {
                    let listed = Members::read(page).into_iter().flat_map(|members| {
                        let names = ["resources", "resourceTemplates"];
                        let lists = names.iter().filter_map(|name| read_items(members.get(name)?));
                        lists.flatten().map(str::to_owned).collect::<Vec<_>>()
                    });
                    items.extend(listed);
                }
            }
        }
        self.note_resources(slot, &items);
        items
    }

    /// The definitions of our own tools.
    fn own_tools(&self) -> Vec<String> {
        own::TOOLS.iter().map(|tool| tool.definition(&self.own_name(tool.name))).collect()
    }

    /// The name under which the client sees a tool of ours. A server's tool keeps its name.
    pub(crate) fn own_name(&self, name: &str) -> String {
        let is_taken = self.front == Front::Single
            && self.slots.iter().any(|slot| lock(&slot.tools).find(name).is_some());
        if is_taken { format!("countersign_{name}") } else { name.to_owned() }
    }

    /// Tells the client that lists have changed.
    pub(crate) async fn announce_lists(&self) {
        for list in ["tools", "resources", "prompts"] {
            let method = format!("notifications/{list}/list_changed");
            if let Ok(message) = Message::parse(notification(&method, "{}")) {
                self.notify_client(&message).await;
            }
        }
    }
}

fn list_answer(member: &str, items: &[String]) -> RpcResponse {
    RpcResponse::Result(format!("{{\"{member}\":[{}]}}", items.join(",")))
}

/// A definition with the name of its server in front of its own.
fn add_prefix(slot: &ServerSlot, item: &str) -> Option<String> {
    let name = Members::read(item)?.get_string("name")?;
    let name = encode_string(&format!("{}__{name}", slot.spec.name));
    Some(set_member(item, "name", &name))
}
