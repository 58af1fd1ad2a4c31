//! The graph, the calls that are checked, and what comes back.

use super::TrialResult;
use countersign_client::{ClientError, Connection};
use serde_json::{Value, json};
use std::fmt;
use xtask::bench::runs::Context;
use xtask::failure::Failure;

/// Reading is free, writing is asked about, and an alert goes to one place.
pub const GRAPH: &str = "\
domains:
  files: {autonomous: [read], requires_approval: [write], blocked: [wipe]}
  alerts: {single_destination: true, autonomous: [post], requires_approval: [], blocked: []}
tools:
  Read: {actions: [files.read], target: /path}
";

pub const READ: &str = "files.read";
pub const WRITE: &str = "files.write";

/// The answer to a check.
pub enum Checked {
    Allowed { operation: String },
    Pending { operation: String },
    Denied { reason: String },
    Failed(ClientError),
}

impl Checked {
    pub fn is_allowed(&self) -> bool {
        matches!(self, Self::Allowed { .. })
    }

    pub fn is_pending(&self) -> bool {
        matches!(self, Self::Pending { .. })
    }

    /// Other commits came in between too often. The agent can send it again.
    pub fn is_contended(&self) -> bool {
        matches!(self, Self::Failed(ClientError::Refused { status: 409, .. }))
    }
}

impl fmt::Display for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Allowed { .. } => f.write_str("allowed"),
            Self::Pending { .. } => f.write_str("pending"),
            Self::Denied { reason } => write!(f, "denied, {reason}"),
            Self::Failed(error) => write!(f, "failed, {error}"),
        }
    }
}

pub fn check(agent: &Connection, body: &Value) -> Checked {
    let response = match agent.post("/v1/check", body) {
        Ok(response) => response,
        Err(error) => return Checked::Failed(error),
    };
    let word = |name: &str| text(&response, name);
    match word("status").as_str() {
        "allowed" => Checked::Allowed { operation: word("operation_id") },
        "pending" => Checked::Pending { operation: word("operation_id") },
        _ => Checked::Denied { reason: word("reason") },
    }
}

/// A call with arguments that tell it from others, also in other sessions: a decline counts there
/// too.
pub fn call(session: &str, action: &str, number: usize) -> Value {
    let args = json!({"of": session, "number": number});
    json!({"session": session, "actions": [action], "args": args})
}

pub fn read_tool(session: &str, path: &str) -> Value {
    json!({"session": session, "tool": "Read", "args": {"path": path}})
}

pub fn report_done(agent: &Connection, session: &str, operation: &str) -> TrialResult<()> {
    let path = format!("/v1/operations/{operation}/outcome");
    agent
        .post(&path, &json!({"session": session, "effect": "done"}))
        .context("an outcome")
        .map(drop)
}

/// A session is open once its agent has made a call.
pub fn open_session(agent: &Connection, session: &str) -> TrialResult<()> {
    match check(agent, &call(session, READ, 0)) {
        Checked::Allowed { .. } => Ok(()),
        other => Err(Failure::new(format!("a session could not be opened: {other}"))),
    }
}

/// A text of a response; empty if it is missing.
pub fn text(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// The open requests on the first page, the oldest first.
pub fn list_requests(operator: &Connection) -> TrialResult<Vec<Value>> {
    let listed = operator.get("/v1/requests").context("the open requests")?;
    let cards = listed.get("requests").and_then(Value::as_array).cloned();
    cards.ok_or_else(|| Failure::new("no list of requests came"))
}

/// Asks about a call and returns its card.
pub fn open_request(agent: &Connection, operator: &Connection, body: &Value) -> TrialResult<Value> {
    let checked = check(agent, body);
    let Checked::Pending { operation } = &checked else {
        return Err(Failure::new(format!("a question was not asked: {checked}")));
    };
    let waits = |card: &Value| {
        let calls = card.get("calls").and_then(Value::as_array);
        calls.is_some_and(|calls| calls.iter().any(|call| call == operation.as_str()))
    };
    let found = list_requests(operator)?.into_iter().find(waits);
    found.ok_or_else(|| Failure::new("a question is not listed"))
}
