//! Which of several servers a request concerns: by the prefix of a name, or by who listed a resource.

use super::slots::ServerSlot;
use super::{Context, Front, Relay, RpcResponse, lock};
use crate::limits;
use crate::wire::Members;
use crate::wire::json_text::{decode_string, encode_string, find, set_at, set_member};
use std::sync::Arc;

impl Relay {
    /// A request to one of several servers.
    pub(super) async fn forward_by_name(self: &Arc<Self>, context: &Context) -> RpcResponse {
        let (method, params) = (context.message.method(), context.message.params());
        match method {
            "prompts/list" => self.list_all(context, "prompts").await,
            "resources/list" => self.list_all(context, "resources").await,
            "resources/templates/list" => self.list_all(context, "resourceTemplates").await,
            "prompts/get" => match self.split_name(find(params, &["name"])) {
                Some((slot, name)) => {
                    let params = set_member(params, "name", &encode_string(&name));
                    self.forward_to(context, &slot, &params).await
                }
                None => RpcResponse::invalid("this prompt is not known"),
            },
            "resources/read" | "resources/subscribe" | "resources/unsubscribe" => {
                let uri = find(params, &["uri"]).and_then(decode_string).unwrap_or_default();
                match self.find_resource_server(context, &uri).await {
                    Some(slot) => self.forward_to(context, &slot, params).await,
                    None => RpcResponse::invalid("this resource is not known"),
                }
            }
            "completion/complete" => self.complete(context).await,
            _ => RpcResponse::no_method(method),
        }
    }

    async fn complete(self: &Arc<Self>, context: &Context) -> RpcResponse {
        let params = context.message.params();
        if let Some((slot, name)) = self.split_name(find(params, &["ref", "name"])) {
            let params = set_at(params, &["ref", "name"], &encode_string(&name));
            return self.forward_to(context, &slot, &params).await;
        }
        let uri = find(params, &["ref", "uri"]).and_then(decode_string).unwrap_or_default();
        match self.find_resource_server(context, &uri).await {
            Some(slot) => self.forward_to(context, &slot, params).await,
            None => RpcResponse::invalid("there is nothing to complete"),
        }
    }

    /// The server and the name there, from a name that the client sees.
    fn split_name(&self, name: Option<&str>) -> Option<(Arc<ServerSlot>, String)> {
        let name = decode_string(name?)?;
        let (server, name) = name.split_once("__")?;
        Some((Arc::clone(self.find_slot(server)?), name.to_owned()))
    }

    /// The first server that listed this address, or a pattern that it begins like.
    pub(super) async fn find_resource_server(
        self: &Arc<Self>,
        context: &Context,
        uri: &str,
    ) -> Option<Arc<ServerSlot>> {
        if self.front == Front::Single {
            return self.slots.first().cloned();
        }
        if let Some(slot) = self.find_listed(uri) {
            return Some(slot);
        }
        for slot in &self.slots {
            for method in ["resources/list", "resources/templates/list"] {
                self.list_of(slot, &context.hello, method).await;
            }
        }
        self.find_listed(uri)
    }

    fn find_listed(&self, uri: &str) -> Option<Arc<ServerSlot>> {
        let resources = lock(&self.resources);
        let exact = resources.iter().find(|listed| !listed.is_pattern && listed.start == uri);
        let listed = exact
            .or_else(|| resources.iter().find(|l| l.is_pattern && uri.starts_with(&l.start)))?;
        self.find_slot(&listed.server).cloned()
    }

    pub(super) fn note_resources(&self, slot: &ServerSlot, items: &[String]) {
        let mut resources = lock(&self.resources);
        for item in items {
            let Some(members) = Members::read(item) else { continue };
            let pattern = members.get_string("uriTemplate");
            let is_pattern = pattern.is_some();
            let Some(uri) = pattern.or_else(|| members.get_string("uri")) else { continue };
            let start = uri.split('{').next().unwrap_or_default().to_owned();
            let listed = ListedResource { start, is_pattern, server: slot.spec.name.to_string() };
            if !resources.contains(&listed) && resources.len() < limits::MAX_RESOURCES {
                resources.push(listed);
            }
        }
    }
}

/// An address, or the fixed start of a pattern, and the server that listed it.
#[derive(PartialEq, Eq)]
pub(super) struct ListedResource {
    start: String,
    is_pattern: bool,
    server: String,
}
