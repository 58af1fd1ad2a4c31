//! Tools and slash commands: outside names that stand for actions of the graph.

use crate::actions::{categories, references};
use crate::domain::Catalogue;
use crate::fields::{Fields, is_remark_among_names};
use crate::node::{Entry, Key, Kind, Node};
use crate::report::Report;
use countersign_core::model::graph::{Repeat, ToolMapping, ToolPattern};
use countersign_core::model::names::{Action, Tool};
use countersign_core::model::words::Undo;
use std::collections::BTreeMap;

const KEYS: [&str; 9] = [
    "actions",
    "categories",
    "target",
    "command",
    "recipient",
    "amount",
    "reversible",
    "idempotent",
    "health",
];

pub(crate) fn read(
    node: Option<&Node>,
    catalogue: &Catalogue,
    report: &mut Report,
) -> Vec<ToolMapping> {
    let entries = node.and_then(|node| report.map(node, "tools")).unwrap_or_default();
    let entries = entries.iter().filter(|entry| !is_remark_among_names(entry));
    entries.filter_map(|entry| mapping(entry, catalogue, report)).collect()
}

fn mapping(entry: &Entry, catalogue: &Catalogue, report: &mut Report) -> Option<ToolMapping> {
    let fields = Fields::read(&entry.value, &entry.key.name, &KEYS, report)?;
    let pattern = pattern(&entry.key, report);
    let actions = references(fields.get("actions"), "actions", catalogue, report);
    if fields.get("actions").is_none_or(|node| node.value == Kind::List(Vec::new())) {
        let message = format!("the tool `{}` stands for no action", entry.key.name);
        let help = "name its actions: `actions: [domain.verb]`; until then only a call that names an action itself can use it";
        report.warn(entry.key.span, message, help);
    }
    let target = targets(fields.get("target"), report);
    let mut pointer = |key: &str| fields.get(key).and_then(|node| pointer(node, key, report));
    let command = pointer("command");
    let (recipient, amount) = (pointer("recipient"), pointer("amount"));
    let mut flag = |key: &str| fields.get(key).and_then(|node| report.flag(node, key));
    let (reversible, idempotent) = (flag("reversible"), flag("idempotent"));
    Some(ToolMapping {
        pattern: pattern?,
        actions,
        categories: categories(fields.get("categories"), report),
        target,
        command,
        recipient,
        amount,
        undo: reversible.map(|yes| if yes { Undo::Reversible } else { Undo::Irreversible }),
        repeat: if idempotent == Some(true) { Repeat::Idempotent } else { Repeat::NeedsAPerson },
        health: fields
            .get("health")
            .and_then(|node| report.text(node, "health"))
            .map(str::to_owned),
    })
}

/// `name`, or `prefix*`.
fn pattern(key: &Key, report: &mut Report) -> Option<ToolPattern> {
    let name = key.name.as_str();
    let (stem, is_prefix) = match name.strip_suffix('*') {
        Some(stem) => (stem, true),
        None => (name, false),
    };
    let fault = if stem.contains('*') {
        Some("a `*` stands only at its end".to_owned())
    } else if is_prefix && stem.is_empty() {
        None
    } else {
        Tool::parse(stem).err().map(|error| error.to_string())
    };
    if let Some(fault) = fault {
        let message = format!("`{}` cannot be a tool: {fault}", name.escape_debug());
        report.problem(key.span, message, "write the tool's name, or the beginning of it and `*`");
        return None;
    }
    let stem = stem.to_owned();
    Some(if is_prefix { ToolPattern::Prefix(stem) } else { ToolPattern::Exact(stem) })
}

/// One pointer or several: two agents may call one tool by one name and its argument by two.
fn targets(node: Option<&Node>, report: &mut Report) -> Vec<String> {
    let items = match node.map(|node| &node.value) {
        Some(Kind::List(items)) => items.as_slice(),
        _ => node.map(std::slice::from_ref).unwrap_or_default(),
    };
    items.iter().filter_map(|item| pointer(item, "target", report)).collect()
}

/// A JSON pointer (RFC 6901).
fn pointer(node: &Node, what: &str, report: &mut Report) -> Option<String> {
    let text = report.text(node, what)?;
    let starts = text.is_empty() || text.starts_with('/');
    let escapes = text.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']));
    if !starts || !escapes {
        let message = format!("`{what}` is a JSON pointer, and `{text}` is not");
        let help = "write the path into the arguments, for example `/path` or `/to/0`; \
                    `~0` is a `~` and `~1` a `/` inside of a name";
        report.problem(node.span, message, help);
        return None;
    }
    Some(text.to_owned())
}

/// Slash commands by name, without the slash.
pub(crate) fn slash(
    node: Option<&Node>,
    catalogue: &Catalogue,
    report: &mut Report,
) -> BTreeMap<String, Vec<Action>> {
    let entries = node.and_then(|node| report.map(node, "slash")).unwrap_or_default();
    let mut commands = BTreeMap::new();
    for entry in entries.iter().filter(|entry| !is_remark_among_names(entry)) {
        let written = entry.key.name.as_str();
        let name = written.strip_prefix('/').unwrap_or(written);
        let actions = references(Some(&entry.value), written, catalogue, report);
        if name.is_empty() || name.contains(char::is_whitespace) {
            let message = format!("`{}` cannot be a slash command", written.escape_debug());
            report.problem(entry.key.span, message, "write one word, with or without its `/`");
        } else if commands.insert(name.to_owned(), actions).is_some() {
            let message = format!("the slash command `{name}` occurs twice");
            report.problem(entry.key.span, message, "keep one; `/name` and `name` are the same");
        }
    }
    commands
}
