//! Calls that the client's own hook had decided before they came here.
//!
//! A coding agent's program asks its hook about every tool, also about those behind this gateway, and
//! sends its id of the call along. The id only finds the decision. What is carried out is the call that
//! the hook asked about: the same tool with the same arguments, allowed on record, and once.

use super::prepare::ToolCall;
use super::servers::Servers;
use super::tool_calls::ToolCalls;
use crate::client::ClientRequest;
use crate::wire::{decode_string, find, set_member};
use countersign_core::encoding::json;
use countersign_core::model::call::Definition;
use countersign_core::model::names::Tool;
use countersign_engine::Permit;

/// Members of `_meta` with which Claude Code and Codex send their ids.
const CALL_IDS: [&str; 2] = ["claudecode/toolUseId", "callId"];

/// The name under which a client's configuration usually has all of our servers.
const OWN_NAME: &str = "countersign";

/// The permission that the client's hook was given for this call, with the arguments that it was
/// given for. None if the call has to be decided here.
pub(super) async fn take_hook_permit(
    calls: &ToolCalls,
    request: &ClientRequest,
    call: &mut ToolCall,
) -> Option<Permit> {
    if calls.shared.pins.compare_definition(call.defined_tool()) != Definition::AsPinned {
        return None;
    }
    let params = request.message.params();
    let meta = |key: &&str| find(params, &["_meta", key]).and_then(decode_string);
    let id = CALL_IDS.iter().find_map(meta)?;
    let arguments = find(params, &["arguments"]).unwrap_or("{}");
    let args = json::parse(arguments.as_bytes()).ok()?;
    let decided_calls = calls.shared.host.program_calls();
    let names =
        hook_names(&calls.servers, call).into_iter().filter_map(|name| Tool::parse(&name).ok());
    let (session, decided) =
        names.into_iter().find_map(|tool| decided_calls.take_over(&id, &tool, &args))?;
    let taken = calls.shared.host.run(move |engine| engine.take_over(decided, &session)).await;
    let permit = taken.ok()??;
    call.params = set_member(&call.params, "arguments", arguments);
    Some(permit)
}

/// The names that the tool may have in the client.
fn hook_names(servers: &Servers, call: &ToolCall) -> Vec<String> {
    let own = call.full_name();
    match servers.single() {
        Some(_) => vec![own],
        None => {
            let inside = format!("mcp__{OWN_NAME}__{}__{}", call.slot.spec.name, call.tool);
            vec![inside, own]
        }
    }
}
