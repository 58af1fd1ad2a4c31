//! `mcp test`: starts an added server, lists its tools, and shows what a call of each would meet.

use super::args::McpTestArgs;
use super::defaults;
use crate::clock::SystemClock;
use crate::daemon_start::reach_daemon;
use crate::limits;
use crate::settings::Settings;
use countersign_client::UpgradedStream;
use countersign_console::table::{self, TableCell};
use countersign_console::{BOLD, DIM, Exit, Failure, Page, out};
use countersign_core::decide::explain;
use countersign_core::model::call::CallDraft;
use countersign_core::model::decision::Decision;
use countersign_core::model::names::{Action, Agent, NameError, SessionKey, SessionName, Tool};
use countersign_core::model::words::Surface;
use countersign_engine::{Engine, Memory};
use countersign_gateway::{CONNECT_PATH, ConnectRequest, UPGRADE};
use countersign_rules::ZeroEntropy;
use countersign_setup::GraphFile;
use serde_json::{Value, json};
use std::io::{BufRead, Write};
use std::path::Path;

/// What would be decided about a tool, called without arguments.
pub(super) struct TestedTool {
    pub(super) name: String,
    pub(super) claim: Claim,
    actions: Vec<Action>,
    decision: Decision,
}

/// What a tool says about itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Claim {
    ReadsOnly,
    Unspecified,
}

pub(super) fn test(args: &McpTestArgs, settings: &Settings) -> Result<Exit, Failure> {
    let name = args.name.as_str();
    if !settings.mcp_servers()?.iter().any(|server| server.name == args.name) {
        let message = format!("there is no server `{name}`");
        return Err(Failure::usage(message, "`countersign mcp ls` lists them"));
    }
    let file = args.graph.search(args.daemon.data.as_deref(), settings.graph_places()).open()?;
    let tested = test_tools(name, args.daemon.data.as_deref(), &file, settings)?;
    if args.daemon.json {
        out::show_json(&json!({"tools": tested.iter().map(to_json).collect::<Vec<_>>()}))?;
    } else {
        let mut page = tools_page(name, &tested);
        add_example(&mut page, name, &tested);
        out::show(&page)?;
    }
    Ok(Exit::Allowed)
}

/// Starts the server through the daemon, and decides a call of each of its tools.
pub(super) fn test_tools(
    server: &str,
    data: Option<&Path>,
    file: &GraphFile,
    settings: &Settings,
) -> Result<Vec<TestedTool>, Failure> {
    let listed = list_tools(server, data, settings)?;
    let own = |(name, claim): (String, Claim)| {
        let name = name.strip_prefix(&format!("{server}__"))?.to_owned();
        Some((name, claim))
    };
    listed
        .into_iter()
        .filter_map(own)
        .map(|(tool, claim)| decide(file, server, (tool, claim), settings))
        .collect()
}

/// The tools, as a client sees them.
fn list_tools(
    server: &str,
    data: Option<&Path>,
    settings: &Settings,
) -> Result<Vec<(String, Claim)>, Failure> {
    let session = defaults::session_name(&defaults::current_folder()?)?;
    let request = ConnectRequest { session, server: None, only: Some(server.to_owned()) };
    let connection = reach_daemon(data, limits::DAEMON_TIMEOUT, settings)?;
    let mut stream = connection.upgrade(CONNECT_PATH, UPGRADE, &request)?;
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "countersign-mcp-test", "version": env!("CARGO_PKG_VERSION")}});
    ask(&mut stream, 1, "initialize", &hello)?;
    let listed = ask(&mut stream, 2, "tools/list", &json!({}))?;
    let tools = listed.get("tools").and_then(Value::as_array).cloned().unwrap_or_default();
    let read = |tool: &Value| {
        let reads = tool.pointer("/annotations/readOnlyHint") == Some(&Value::Bool(true));
        let claim = if reads { Claim::ReadsOnly } else { Claim::Unspecified };
        Some((tool.get("name")?.as_str()?.to_owned(), claim))
    };
    Ok(tools.iter().filter_map(read).collect())
}

fn ask(
    stream: &mut UpgradedStream,
    id: u32,
    method: &str,
    params: &Value,
) -> Result<Value, Failure> {
    let failure = |why: &dyn std::fmt::Display| {
        let help = "check that the server works without Countersign";
        Failure::new(format!("the server did not answer `{method}`: {why}"), help)
    };
    let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    writeln!(stream.writer, "{request}").map_err(|error| failure(&error))?;
    let mut line = String::new();
    loop {
        line.clear();
        let length = stream.reader.read_line(&mut line).map_err(|error| failure(&error))?;
        if length == 0 {
            return Err(failure(&"the connection ended"));
        }
        let message: Value = serde_json::from_str(&line).map_err(|error| failure(&error))?;
        if message.get("id") == Some(&json!(id)) {
            return match message.pointer("/error/message").and_then(Value::as_str) {
                Some(error) => Err(failure(&error)),
                None => Ok(message.get("result").cloned().unwrap_or_default()),
            };
        }
    }
}

fn decide(
    file: &GraphFile,
    server: &str,
    (name, claim): (String, Claim),
    settings: &Settings,
) -> Result<TestedTool, Failure> {
    let bug = |error: NameError| Failure::new(error.to_string(), "report this as a bug");
    let full = Tool::parse(&format!("mcp__{server}__{name}")).map_err(bug)?;
    let actions = file.loaded.graph.actions_for_tool(&full, &json!({})).map_err(bug)?;
    let engine = Engine::new(Memory::empty(), Box::new(SystemClock), Box::new(ZeroEntropy))
        .with_file_system(Box::new(settings.file_system()))
        .with_home(settings.home.clone());
    engine.load_graph(file.loaded.clone())?;
    engine.open(|_| Ok(()))?;
    engine.set_surface(Surface::Reachable)?;
    let agent = Agent::parse("test").map_err(bug)?;
    let session = SessionKey::new(&agent, &SessionName::parse("test").map_err(bug)?);
    let first = actions.first().cloned();
    let first = first.ok_or_else(|| {
        Failure::new(format!("the graph gives `{full}` no action"), "correct its mapping")
    })?;
    let mut draft = CallDraft::plain(agent, session, first);
    (draft.actions, draft.tool) = (actions.clone(), Some(full));
    let decision = engine.decide_hypothetical(&draft)?;
    Ok(TestedTool { name, claim, actions, decision })
}

fn join_actions(tool: &TestedTool) -> String {
    tool.actions.iter().map(Action::as_str).collect::<Vec<_>>().join(", ")
}

fn to_json(tool: &TestedTool) -> Value {
    json!({"tool": tool.name, "actions": tool.actions, "outcome": tool.decision.outcome,
        "reason": tool.decision.reason, "sentence": explain::operator_sentence(&tool.decision)})
}

pub(super) fn tools_page(server: &str, tools: &[TestedTool]) -> Page {
    if tools.is_empty() {
        return Page::from_line(&format!("`{server}` lists no tools, or could not be started"));
    }
    let mut page = Page::new();
    let row = |tool: &TestedTool| {
        vec![
            TableCell::styled(BOLD, tool.name.as_str()),
            TableCell::new(join_actions(tool)),
            TableCell::new(tool.decision.outcome.to_string()),
            TableCell::styled(DIM, explain::operator_sentence(&tool.decision)),
        ]
    };
    let rows: Vec<Vec<TableCell>> = tools.iter().map(row).collect();
    table::draw(&mut page, &["TOOL", "ACTION", "OUTCOME", "WHY"], &rows);
    page.text("decided without arguments; a call can be stricter because of its own").end();
    page
}

fn add_example(page: &mut Page, server: &str, tools: &[TestedTool]) {
    if tools.is_empty() {
        return;
    }
    let example =
        "To give tools actions of their own, add lines like this below `tools` in the graph:";
    page.text(example).end();
    for tool in tools {
        let name = &tool.name;
        page.text(&format!("  mcp__{server}__{name}: {{actions: [{server}.{name}]}}")).end();
    }
}
