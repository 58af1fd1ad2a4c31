//! A tool server on stdio that does next to nothing, so that what stands in front of it shows.
//!
//! A program of its own: who starts it may read all of it first, and so it is small.

use serde_json::{Value, json};
use std::io::{self, BufRead, Write};

fn main() -> io::Result<()> {
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut line = String::new();
    while input.read_line(&mut line)? > 0 {
        let message: Value = serde_json::from_str(&line)?;
        // A notification wants no answer.
        if let Some(id) = message.get("id") {
            let mut answer = answer(&message, id).to_string();
            answer.push('\n');
            output.write_all(answer.as_bytes())?;
            output.flush()?;
        }
        line.clear();
    }
    Ok(())
}

fn answer(message: &Value, id: &Value) -> Value {
    let text = |path| message.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let result = match text("/method") {
        "initialize" => json!({
            "protocolVersion": text("/params/protocolVersion"),
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "tool-server", "version": "1"},
        }),
        "ping" => json!({}),
        "tools/list" => json!({"tools": [tool("note"), tool("mail")]}),
        "tools/call" => {
            let title = text("/params/arguments/title");
            json!({"content": [{"type": "text", "text": format!("noted: {title}")}], "isError": false})
        }
        _ => {
            let error = json!({"code": -32601, "message": "no such method"});
            return json!({"jsonrpc": "2.0", "id": id, "error": error});
        }
    };
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

fn tool(name: &str) -> Value {
    let schema = json!({"type": "object", "properties": {"title": {"type": "string"}}});
    json!({"name": name, "description": "Keeps a text", "inputSchema": schema})
}
