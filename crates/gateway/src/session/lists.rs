//! Lists: those of the servers, and our own tools.

use crate::call::Servers;
use crate::client::ClientRequest;
use crate::limits;
use crate::locks::lock;
use crate::own;
use crate::upstream::{ExchangeEnd, ListPage, ServerSlot, read_pages, run_exchange};
use crate::wire::{ClientHello, Members, RpcResponse, encode_string, find, read_items, set_member};
use std::sync::{Arc, Mutex};
use tokio::task::JoinSet;

pub(super) struct Lists {
    servers: Arc<Servers>,
    resources: ListedResources,
}

impl Lists {
    pub(super) fn new(servers: Arc<Servers>) -> Self {
        Self { servers, resources: ListedResources::default() }
    }

    pub(super) async fn list_tools(&self, request: &ClientRequest) -> RpcResponse {
        match self.servers.single() {
            Some(slot) => self.list_tools_of(request, slot).await,
            None => {
                let mut tools = self.own_tools();
                tools.extend(self.gather(&request.hello, "tools/list").await);
                list_answer("tools", &tools)
            }
        }
    }

    /// The server's own page. Our tools are on the first one.
    async fn list_tools_of(&self, request: &ClientRequest, slot: &Arc<ServerSlot>) -> RpcResponse {
        let params = request.message.params();
        let Ok(upstream) = self.servers.connect(slot, &request.hello).await else {
            return list_answer("tools", &self.own_tools());
        };
        if !upstream.hello().has_capability(&["tools"]) {
            return list_answer("tools", &self.own_tools());
        }
        let page_kind = match find(params, &["cursor"]) {
            None | Some("null") => ListPage::First,
            Some(_) => ListPage::Later,
        };
        let end = run_exchange(request, slot, &upstream, params.to_owned()).await;
        let message = match end {
            ExchangeEnd::Response(message) => message,
            ExchangeEnd::NotSent(why) | ExchangeEnd::Unknown(why) | ExchangeEnd::Died(why) => {
                return RpcResponse::error(-32000, &why);
            }
            ExchangeEnd::NeedsInput(..) => {
                return RpcResponse::error(-32000, "a list needs no input");
            }
        };
        let Some(result) = message.result() else { return RpcResponse::Forward(message) };
        let shown = slot.note_page(result, page_kind);
        let mut tools = if page_kind == ListPage::First { self.own_tools() } else { Vec::new() };
        tools.extend(shown.into_iter().map(str::to_owned));
        RpcResponse::Result(set_member(result, "tools", &format!("[{}]", tools.join(","))))
    }

    /// A list of all servers together.
    pub(super) async fn list_all(&self, request: &ClientRequest, member: &str) -> RpcResponse {
        let mut items = self.gather(&request.hello, request.message.method()).await;
        if member == "prompts" {
            items.insert(0, own::define_guard_prompt());
        }
        list_answer(member, &items)
    }

    /// The items of all servers, in the order of the servers. They are started at the same time.
    async fn gather(&self, hello: &ClientHello, method: &str) -> Vec<String> {
        let mut lists = JoinSet::new();
        for (place, slot) in self.servers.all().iter().enumerate() {
            let (servers, slot) = (Arc::clone(&self.servers), Arc::clone(slot));
            let (hello, method) = (hello.clone(), method.to_owned());
            lists.spawn(async move { (place, list_of(&servers, &slot, &hello, &method).await) });
        }
        let mut found = Vec::new();
        while let Some(list) = lists.join_next().await {
            found.extend(list.ok());
        }
        found.sort_by_key(|(place, _)| *place);
        for (place, items) in &found {
            if let Some(slot) = self.servers.all().get(*place) {
                self.resources.note(slot.spec.name.as_str(), items);
            }
        }
        found.into_iter().flat_map(|(_, items)| items).collect()
    }

    /// The first server that listed this address, or a pattern that it begins like.
    pub(super) async fn find_resource_server(
        &self,
        hello: &ClientHello,
        uri: &str,
    ) -> Option<Arc<ServerSlot>> {
        if let Some(slot) = self.servers.single() {
            return Some(Arc::clone(slot));
        }
        if let Some(server) = self.resources.find_server(uri) {
            return self.servers.find(&server).cloned();
        }
        for slot in self.servers.all() {
            for method in ["resources/list", "resources/templates/list"] {
                let items = list_of(&self.servers, slot, hello, method).await;
                self.resources.note(slot.spec.name.as_str(), &items);
            }
        }
        self.servers.find(&self.resources.find_server(uri)?).cloned()
    }

    /// The definitions of our own tools.
    fn own_tools(&self) -> Vec<String> {
        let name = |tool: &own::OwnTool| self.servers.own_tool_name(tool.name);
        own::TOOLS.iter().map(|tool| tool.definition(&name(tool))).collect()
    }
}

/// Which server listed which resource.
#[derive(Default)]
struct ListedResources {
    listed: Mutex<Vec<ListedResource>>,
}

/// An address, or the fixed start of a pattern, and the server that listed it.
#[derive(PartialEq, Eq)]
struct ListedResource {
    start: String,
    is_pattern: bool,
    server: String,
}

impl ListedResources {
    fn note(&self, server: &str, items: &[String]) {
        let mut listed = lock(&self.listed);
        for item in items {
            let Some(members) = Members::read(item) else { continue };
            let pattern = members.get_string("uriTemplate");
            let is_pattern = pattern.is_some();
            let Some(uri) = pattern.or_else(|| members.get_string("uri")) else { continue };
            let start = uri.split('{').next().unwrap_or_default().to_owned();
            let resource = ListedResource { start, is_pattern, server: server.to_owned() };
            if !listed.contains(&resource) && listed.len() < limits::MAX_RESOURCES {
                listed.push(resource);
            }
        }
    }

    /// The first server that listed this address, or a pattern that it begins like.
    fn find_server(&self, uri: &str) -> Option<String> {
        let listed = lock(&self.listed);
        let exact = listed.iter().find(|one| !one.is_pattern && one.start == uri);
        let found =
            exact.or_else(|| listed.iter().find(|l| l.is_pattern && uri.starts_with(&l.start)))?;
        Some(found.server.clone())
    }
}

/// What one server lists, under the names that the client sees. A server that is not there lists
/// nothing.
async fn list_of(
    servers: &Arc<Servers>,
    slot: &Arc<ServerSlot>,
    hello: &ClientHello,
    method: &str,
) -> Vec<String> {
    let Ok(upstream) = servers.connect(slot, hello).await else { return Vec::new() };
    let kind = method.split('/').next().unwrap_or_default();
    if !upstream.hello().has_capability(&[kind]) {
        return Vec::new();
    }
    let pages = read_pages(&upstream, hello, method).await;
    let mut items = Vec::new();
    for (at, page) in pages.iter().enumerate() {
        let page_kind = if at == 0 { ListPage::First } else { ListPage::Later };
        match method {
            "tools/list" => {
                let shown = slot.note_page(page, page_kind);
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
    items
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
