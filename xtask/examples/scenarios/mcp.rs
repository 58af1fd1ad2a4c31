//! The agent as a client of the gateway, on the daemon's socket.

use super::TrialResult;
use super::play::{Play, shorten};
use countersign_client::UpgradedStream;
use serde_json::{Value, json};
use std::io::{BufRead, Write};
use xtask::bench::runs::Context;
use xtask::failure::Failure;

/// A server in a few lines of shell. Each execution is a line in `done`.
const SERVER: &str = r#"
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"vault","version":"1"}}';;
    *'"tools/list"'*) result='{"tools":[{"name":"append","inputSchema":{"type":"object"}}]}';;
    *'"tools/call"'*) echo executed >> done; result='{"content":[{"type":"text","text":"appended"}]}';;
    *) continue;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

pub struct McpClient {
    stream: UpgradedStream,
    last_id: u64,
}

impl McpClient {
    /// A client that has the consent tools alone.
    pub fn connect(p: &mut Play) -> TrialResult<Self> {
        Self::open(p, Value::Null)
    }

    /// A client with a server of its own, which the operator lets start.
    pub fn connect_to_server(p: &mut Play) -> TrialResult<Self> {
        let folder = p.workspace()?;
        std::fs::write(folder.join("server.sh"), SERVER).context("the server")?;
        let server = json!({"name": "vault", "command": ["/bin/sh", "server.sh"],
            "folder": folder, "environment": {"PATH": "/usr/bin:/bin"}});
        let mut client = Self::open(p, server)?;
        let card = p.only_card()?;
        p.expect_on_card(&card, "/bin/sh")?;
        p.answer_card(&card, json!({"choice": "once"}))?;
        client.read_until(|m| is_notification(m, "notifications/tools/list_changed"))?;
        Ok(client)
    }

    fn open(p: &mut Play, server: Value) -> TrialResult<Self> {
        let request = json!({"session": p.session, "server": server, "only": null});
        let stream = p.agent.upgrade("/v1/mcp/connect", "countersign-mcp", &request);
        let mut client = Self { stream: stream.context("the gateway")?, last_id: 0 };
        let info = json!({"name": "scenarios", "version": "1"});
        let hello =
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info});
        let id = client.send("initialize", hello)?;
        client.wait(id)?;
        Ok(client)
    }

    fn send(&mut self, method: &str, params: Value) -> TrialResult<u64> {
        self.last_id += 1;
        let id = self.last_id;
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(self.stream.writer, "{message}").context("the gateway")?;
        Ok(id)
    }

    fn read_until(&mut self, is_wanted: impl Fn(&Value) -> bool) -> TrialResult<Value> {
        loop {
            let mut line = String::new();
            let length = self.stream.reader.read_line(&mut line).context("the gateway")?;
            if length == 0 {
                return Err(Failure::new("the gateway has ended the connection"));
            }
            let message: Value = serde_json::from_str(&line).context("a message")?;
            if is_wanted(&message) {
                return Ok(message);
            }
        }
    }

    fn wait(&mut self, id: u64) -> TrialResult<Value> {
        let message = self.read_until(|m| m.get("id") == Some(&json!(id)))?;
        let result = message.get("result").cloned();
        result.ok_or_else(|| Failure::new(format!("the gateway refused: {message}")))
    }

    /// Calls a tool, and returns its result.
    pub fn call(&mut self, p: &mut Play, tool: &str, arguments: Value) -> TrialResult<Value> {
        let id = self.send("tools/call", json!({"name": tool, "arguments": arguments}))?;
        let result = self.wait(id)?;
        p.tell(format!("MCP {tool}: {}", shorten(&result.to_string())));
        Ok(result)
    }

    /// Calls a tool that asks, lets the operator answer the card, and returns the result.
    pub fn call_and_answer(
        &mut self,
        p: &mut Play,
        (tool, arguments): (&str, Value),
        answer: Value,
    ) -> TrialResult<Value> {
        let meta = json!({"progressToken": 1});
        let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
        let id = self.send("tools/call", params)?;
        // Progress means that the call is held, so the card is there.
        self.read_until(|m| is_notification(m, "notifications/progress"))?;
        let card = p.only_card()?;
        p.answer_card(&card, answer)?;
        let result = self.wait(id)?;
        p.tell(format!("MCP {tool}: {}", shorten(&result.to_string())));
        Ok(result)
    }
}

fn is_notification(message: &Value, method: &str) -> bool {
    message.get("method").and_then(Value::as_str) == Some(method)
}

/// A member of the structured part of a result.
pub fn structured(result: &Value, name: &str) -> Value {
    let found = result.get("structuredContent").and_then(|content| content.get(name));
    found.cloned().unwrap_or(Value::Null)
}

/// How often the server has carried something out.
pub fn executions(p: &Play) -> TrialResult<usize> {
    let done = std::fs::read_to_string(p.workspace()?.join("done")).unwrap_or_default();
    Ok(done.lines().count())
}
