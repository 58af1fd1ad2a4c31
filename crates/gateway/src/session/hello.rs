//! How the gateway introduces itself and its servers to a client.

use crate::call::Servers;
use crate::client::ClientRequest;
use crate::wire::{
    ClientHello, Era, LEGACY, RpcResponse, TASKS, discover_result, encode_string, set_at,
    set_member,
};
use std::sync::Arc;

/// What the gateway announces for itself: everything that a server behind it may have.
const OWN_CAPABILITIES: &str = "{\"tools\":{\"listChanged\":true},\"prompts\":{\"listChanged\":true},\
     \"resources\":{\"listChanged\":true,\"subscribe\":true},\"completions\":{},\"logging\":{}}";

pub(super) async fn answer_initialize(
    servers: &Arc<Servers>,
    request: &ClientRequest,
) -> RpcResponse {
    let hello = &request.hello;
    let result = match servers.single() {
        Some(slot) => match servers.connect(slot, hello).await {
            Ok(upstream) => upstream.hello().initialize_result(hello),
            Err(why) => own_initialize(hello, &why),
        },
        None => own_initialize(hello, INSTRUCTIONS),
    };
    RpcResponse::Result(result)
}

pub(super) async fn answer_discover(
    servers: &Arc<Servers>,
    request: &ClientRequest,
) -> RpcResponse {
    let result = match servers.single() {
        Some(slot) => match servers.connect(slot, &request.hello).await {
            Ok(upstream) => upstream.hello().discover_result(),
            Err(why) => own_discover(&why),
        },
        None => own_discover(INSTRUCTIONS),
    };
    RpcResponse::Result(set_at(&result, &["capabilities", "extensions", TASKS], "{}"))
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

fn own_discover(instructions: &str) -> String {
    let result = discover_result(OWN_CAPABILITIES, &own_info());
    set_member(&result, "instructions", &encode_string(instructions))
}
