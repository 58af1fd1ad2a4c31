//! Which kind of card a call gets, by what it is known to do.
//!
//! The agent has no say in this beyond adding categories: kinds choose what is shown first, and
//! every kind shows the whole call.

use countersign_core::model::call::Call;
use countersign_core::model::category::Category;
use countersign_core::model::command::Command;
use countersign_core::model::graph::Graph;
use serde::{Deserialize, Serialize};

/// What a card leads with.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "CardKind"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Shell,
    Edit,
    Delete,
    Git,
    Money,
    Message,
    Network,
    Credential,
    /// A change of the agent to itself or to its rules.
    Policy,
    /// A tool that nothing more is known of.
    Tool,
    /// The start of a workflow.
    Workflow,
    /// Asked before there is a call.
    Ahead,
    /// A permission that is to hold once more.
    Standing,
}

const MONEY: [&str; 2] = ["purchase", "paid_api_call"];
const CREDENTIALS: [&str; 4] = [
    "two_factor_authentication",
    "account_or_security_change",
    "credential_or_payment",
    "credential_context_present",
];
const MESSAGES: [&str; 6] = [
    "send_message",
    "send_email",
    "external_send",
    "external_message",
    "external_handoff",
    "support_packet_share",
];
const DELETING: [&str; 2] = ["delete_or_destructive_change", "filesystem_delete"];
const EDITING: [&str; 2] = ["filesystem_write", "file-edit"];
const NETWORK: [&str; 3] = ["http_fetch", "network", "submit_form"];

/// All categories of a call: the rules', the tool's and the agent's.
pub(crate) fn categories<'a>(graph: Option<&'a Graph>, call: &'a Call) -> Vec<&'a Category> {
    let ruled = call
        .actions
        .iter()
        .filter_map(|action| graph.and_then(|graph| graph.rule(action)))
        .flat_map(|rule| &rule.categories);
    let mut all: Vec<&Category> = ruled.chain(&call.given).chain(&call.claims.categories).collect();
    all.sort();
    all.dedup();
    all
}

/// Where the tool's mapping finds an amount in the arguments.
pub(crate) fn amount<'a>(graph: Option<&Graph>, call: &'a Call) -> Option<&'a serde_json::Value> {
    let tool = call.tool.as_ref()?;
    let pointer = graph?.tool(tool.as_str())?.amount.as_ref()?;
    call.args.pointer(pointer)
}

pub(crate) fn of(graph: Option<&Graph>, call: &Call) -> Kind {
    let categories = categories(graph, call);
    let has = |names: &[&str]| categories.iter().any(|one| names.contains(&one.as_str()));
    let verb = |starts: &[&str]| {
        call.actions
            .iter()
            .any(|action| starts.iter().any(|start| action.verb().starts_with(start)))
    };
    if let Some(command) = &call.command {
        return if is_git(command) { Kind::Git } else { Kind::Shell };
    }
    if has(&MONEY) || amount(graph, call).is_some() || verb(&["pay", "purchase", "buy"]) {
        return Kind::Money;
    }
    if has(&CREDENTIALS) {
        return Kind::Credential;
    }
    if has(&MESSAGES) || verb(&["send"]) {
        return Kind::Message;
    }
    if has(&DELETING) || verb(&["delete", "remove", "wipe"]) {
        return Kind::Delete;
    }
    if has(&EDITING) || verb(&["write", "edit", "create", "update"]) {
        return Kind::Edit;
    }
    if has(&NETWORK) || verb(&["fetch", "download", "upload"]) {
        return Kind::Network;
    }
    Kind::Tool
}

fn is_git(command: &Command) -> bool {
    match command {
        Command::Plain { argv, .. } => {
            argv.first().is_some_and(|program| program == "git" || program.ends_with("/git"))
        }
        Command::NotPlain { .. } => false,
    }
}
