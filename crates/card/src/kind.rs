//! Selects the kind of card for a call.
//!
//! The kind decides which facts come first; a card of any kind shows the whole call. An agent can
//! only influence the kind by claiming more categories.

use crate::decided::DecidedCall;
use countersign_core::model::amount::find_mapped_amount;
use countersign_core::model::category::Category;
use countersign_core::model::command::Command;
use serde::{Deserialize, Serialize};

/// Which facts a card shows first.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CardKind {
    Shell,
    Edit,
    Delete,
    Git,
    Money,
    Message,
    Network,
    Credential,
    /// The agent wants to change itself or its rules.
    Policy,
    /// A tool without any known category.
    Tool,
    /// The start of a workflow.
    Workflow,
    /// The agent asks before it makes a call.
    Ahead,
    /// A permission that is to be renewed or imported.
    Standing,
}

const MONEY_CATEGORIES: [&str; 2] = ["purchase", "paid_api_call"];
/// Whether a question about this category is one about money.
pub(crate) fn is_about_money(category: &Category) -> bool {
    MONEY_CATEGORIES.contains(&category.as_str())
}

const CREDENTIAL_CATEGORIES: [&str; 4] = [
    "two_factor_authentication",
    "account_or_security_change",
    "credential_or_payment",
    "credential_context_present",
];
const MESSAGE_CATEGORIES: [&str; 6] = [
    "send_message",
    "send_email",
    "external_send",
    "external_message",
    "external_handoff",
    "support_packet_share",
];
const DELETE_CATEGORIES: [&str; 2] = ["delete_or_destructive_change", "filesystem_delete"];
const EDIT_CATEGORIES: [&str; 2] = ["filesystem_write", "file-edit"];
const NETWORK_CATEGORIES: [&str; 3] = ["http_fetch", "network", "submit_form"];

/// Whether the targets of a call are files.
pub(crate) fn names_files(decided: &DecidedCall<'_>) -> bool {
    let is_about_files = |category: &&Category| {
        category.as_str().starts_with("filesystem_") || category.as_str() == "file-edit"
    };
    decided.actions.iter().any(|action| action.domain() == "files")
        || decided.categories().iter().any(is_about_files)
}

pub(crate) fn classify_call(decided: &DecidedCall<'_>) -> CardKind {
    let DecidedCall { call, graph, actions, .. } = *decided;
    let categories = decided.categories();
    let has_category =
        |names: &[&str]| categories.iter().any(|category| names.contains(&category.as_str()));
    let has_verb = |prefixes: &[&str]| {
        let mut verbs = actions.iter().map(|action| action.verb());
        verbs.any(|verb| prefixes.iter().any(|prefix| verb.starts_with(prefix)))
    };
    if let Some(command) = &call.command {
        return if is_git(command) { CardKind::Git } else { CardKind::Shell };
    }
    if has_category(&MONEY_CATEGORIES)
        || find_mapped_amount(graph, call).is_some()
        || has_verb(&["pay", "purchase", "buy"])
    {
        return CardKind::Money;
    }
    if has_category(&CREDENTIAL_CATEGORIES) {
        return CardKind::Credential;
    }
    if has_category(&MESSAGE_CATEGORIES) || has_verb(&["send"]) {
        return CardKind::Message;
    }
    if has_category(&DELETE_CATEGORIES) || has_verb(&["delete", "remove", "wipe"]) {
        return CardKind::Delete;
    }
    if has_category(&EDIT_CATEGORIES) || has_verb(&["write", "edit", "create", "update"]) {
        return CardKind::Edit;
    }
    if has_category(&NETWORK_CATEGORIES) || has_verb(&["fetch", "download", "upload"]) {
        return CardKind::Network;
    }
    CardKind::Tool
}

fn is_git(command: &Command) -> bool {
    match command {
        Command::Plain { argv, .. } => {
            argv.first().is_some_and(|program| program == "git" || program.ends_with("/git"))
        }
        Command::NotPlain { .. } => false,
    }
}
