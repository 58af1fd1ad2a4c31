//! How client and gateway introduce themselves to each other.

use super::{Context, Front, Relay, RpcResponse, lock};
use crate::era::{ClientHello, Era, LEGACY, META_VERSION, MODERN, TASKS, discover_result};
use crate::wire::json_text::{encode_string, find, set_at, set_member};
use crate::wire::message::error_object;
use std::sync::Arc;

/// What the gateway announces for itself: everything that a server behind it may have.
const OWN_CAPABILITIES: &str = "{\"tools\":{\"listChanged\":true},\"prompts\":{\"listChanged\":true},\
     \"resources\":{\"listChanged\":true,\"subscribe\":true},\"completions\":{},\"logging\":{}}";

impl Relay {
    /// The client's introduction for this request: its own in the modern era, that of the
    /// connection in the legacy one.
    pub(super) fn introduce(&self, method: &str, params: &str) -> Result<ClientHello, RpcResponse> {
        let version = find(params, &["_meta", META_VERSION]);
        if method == "initialize" && version.is_none() {
            let hello = ClientHello::from_initialize(params)
                .ok_or_else(|| RpcResponse::invalid("`initialize` names no protocol version"))?;
            *lock(&self.client) = Some(hello.clone());
            return Ok(hello);
        }
        match version {
            Some(version) if version != encode_string(MODERN) => Err(unsupported_version(version)),
            Some(_) => {
                let hello = ClientHello::from_meta(params).ok_or_else(|| {
                    RpcResponse::invalid("`_meta` does not name the client's capabilities")
                })?;
                *lock(&self.client) = Some(hello.clone());
                Ok(hello)
            }
            None => self.client().ok_or_else(|| {
                let what = "send `initialize` first, or name a protocol version in `_meta`";
                RpcResponse::error(if method == "server/discover" { -32602 } else { -32600 }, what)
            }),
        }
    }

    pub(super) async fn answer_initialize(self: &Arc<Self>, context: &Context) -> RpcResponse {
        let hello = &context.hello;
        let result = match (self.front, self.slots.first()) {
            (Front::Single, Some(slot)) => match self.connect(slot, hello).await {
                Ok(upstream) => upstream.hello().initialize_result(hello),
                Err(unavailable) => own_initialize(hello, unavailable.text()),
            },
            _ => own_initialize(hello, INSTRUCTIONS),
        };
        RpcResponse::Result(result)
    }

    pub(super) async fn answer_discover(self: &Arc<Self>, context: &Context) -> RpcResponse {
        let own = |text: &str| {
            let result = discover_result(OWN_CAPABILITIES, &own_info());
            set_member(&result, "instructions", &encode_string(text))
        };
        let result = match (self.front, self.slots.first()) {
            (Front::Single, Some(slot)) => match self.connect(slot, &context.hello).await {
                Ok(upstream) => upstream.hello().discover_result(),
                Err(unavailable) => own(unavailable.text()),
            },
            _ => own(INSTRUCTIONS),
        };
        RpcResponse::Result(set_at(&result, &["capabilities", "extensions", TASKS], "{}"))
    }
}

const INSTRUCTIONS: &str = "Every tool call is decided by the operator's rules, and some wait for \
     the operator. If a result says that a call waits, call `retry` with its operation_id later.";

fn own_info() -> String {
    format!("{{\"name\":\"countersign\",\"version\":\"{}\"}}", env!("CARGO_PKG_VERSION"))
}

fn own_initialize(client: &ClientHello, instructions: &str) -> String {
    let is_known = client.era == Era::Legacy && LEGACY.contains(&client.version.as_str());
    let newest = LEGACY.first().copied().unwrap_or_default();
    let version = encode_string(if is_known { &client.version } else { newest });
    let (info, text) = (own_info(), encode_string(instructions));
    format!(
        "{{\"protocolVersion\":{version},\"capabilities\":{OWN_CAPABILITIES},\"serverInfo\":{info},\
         \"instructions\":{text}}}"
    )
}

fn unsupported_version(requested: &str) -> RpcResponse {
    let error = error_object(-32022, "this protocol version is not supported");
    let data = format!("{{\"supported\":[{}],\"requested\":{requested}}}", encode_string(MODERN));
    RpcResponse::Error(set_member(&error, "data", &data))
}
