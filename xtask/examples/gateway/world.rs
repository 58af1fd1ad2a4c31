//! The graph, and the messages that are sent.

/// Notes are made without a question; mail is asked about. The name of the server is `tools`.
pub const GRAPH: &str = "\
domains:
  texts: {autonomous: [note], requires_approval: [mail], blocked: []}
  mcp: {autonomous: [add_server], requires_approval: [call], blocked: []}
tools:
  mcp__*: {actions: [texts.note]}
  mcp__tools__mail: {actions: [texts.mail]}
";

/// What a client of the older era says first.
pub const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"gateway-bench","version":"1"}}}"#;
pub const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
pub const LIST: &str = r#"{"jsonrpc":"2.0","id":0,"method":"tools/list","params":{}}"#;

/// A call with about four hundred bytes of arguments, no two of them the same.
pub fn call(tool: &str, number: u64) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{number},"method":"tools/call","params":{{"name":"{tool}","arguments":{{"title":"Minutes of Monday, part {number}","text":"The minutes are attached. Corrections by Friday, please, to both of us. Item four was moved to the next meeting, as was asked for; nothing else was. Whoever cannot come sends word beforehand, so that the room is not too large.","tags":["minutes","monday","draft"],"to":["ana@example.org","bo@example.org"],"importance":0.5}}}}}}"#
    )
}

/// What the tool server says to a call, inside the answer.
pub fn expected_text(number: u64) -> String {
    format!("noted: Minutes of Monday, part {number}\"")
}
