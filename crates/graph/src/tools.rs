//! Reads tools and slash commands: external names that map to actions of the graph.
//!
//! See docs/decisions/0075-tools-declare-what-they-trigger.md.

use crate::action_references::read_action_list;
use crate::actions::read_categories;
use crate::domain::DomainCatalogue;
use crate::fields::{MapFields, is_comment_in_name_map};
use crate::node::{DocumentNode, MapEntry, MapKey, NodeValue};
use crate::report::ProblemReport;
use countersign_core::model::graph::{EmptyArgument, Repeat, ToolMapping, ToolPattern};
use countersign_core::model::names::{Action, Tool};
use countersign_core::model::words::Undo;
use std::collections::BTreeMap;

const KEYS: [&str; 12] = [
    "actions",
    "declares",
    "categories",
    "target",
    "command",
    "folder",
    "recipient",
    "amount",
    "reversible",
    "idempotent",
    "health",
    "if_empty",
];

const EMPTY_KEYS: [&str; 2] = ["argument", "actions"];

pub(crate) fn read_tools(
    node: Option<&DocumentNode>,
    catalogue: &DomainCatalogue,
    report: &mut ProblemReport,
) -> Vec<ToolMapping> {
    let entries = node.and_then(|node| report.read_map(node, "tools")).unwrap_or_default();
    let entries = entries.iter().filter(|entry| !is_comment_in_name_map(entry));
    entries.filter_map(|entry| read_mapping(entry, catalogue, report)).collect()
}

fn read_mapping(
    entry: &MapEntry,
    catalogue: &DomainCatalogue,
    report: &mut ProblemReport,
) -> Option<ToolMapping> {
    let fields = MapFields::read(&entry.value, &entry.key.name, &KEYS, report)?;
    let pattern = read_pattern(&entry.key, report);
    let actions = read_action_list(fields.get("actions"), "actions", catalogue, report);
    if fields.get("actions").is_none_or(|node| node.value == NodeValue::List(Vec::new())) {
        let message = format!("the tool `{}` is mapped to no action", entry.key.name);
        let help = "name its actions: `actions: [domain.verb]`; until then, only calls that name an action themselves can use it";
        report.add_warning(entry.key.span, message, help);
    }
    let declares = read_action_list(fields.get("declares"), "declares", catalogue, report);
    let target = read_pointers(fields.get("target"), "target", report);
    let folder = read_pointers(fields.get("folder"), "folder", report);
    let mut pointer = |key: &str| fields.get(key).and_then(|node| read_pointer(node, key, report));
    let command = pointer("command");
    let (recipient, amount) = (pointer("recipient"), pointer("amount"));
    let mut flag = |key: &str| fields.get(key).and_then(|node| report.read_bool(node, key));
    let (reversible, idempotent) = (flag("reversible"), flag("idempotent"));
    Some(ToolMapping {
        pattern: pattern?,
        actions,
        declares,
        categories: read_categories(fields.get("categories"), report),
        target,
        command,
        folder,
        recipient,
        amount,
        undo: reversible.map(|yes| if yes { Undo::Reversible } else { Undo::Irreversible }),
        repeat: if idempotent == Some(true) { Repeat::Idempotent } else { Repeat::NeedsAPerson },
        health: fields
            .get("health")
            .and_then(|node| report.read_text(node, "health"))
            .map(str::to_owned),
        if_empty: fields.get("if_empty").and_then(|node| read_if_empty(node, catalogue, report)),
    })
}

/// `{argument: POINTER, actions: [domain.verb]}`
fn read_if_empty(
    node: &DocumentNode,
    catalogue: &DomainCatalogue,
    report: &mut ProblemReport,
) -> Option<EmptyArgument> {
    let fields = MapFields::read(node, "if_empty", &EMPTY_KEYS, report)?;
    let argument = fields.get("argument").and_then(|node| read_pointer(node, "argument", report));
    let actions = read_action_list(fields.get("actions"), "actions", catalogue, report);
    match argument {
        Some(argument) if !actions.is_empty() => Some(EmptyArgument { argument, actions }),
        Some(_) | None => {
            let message = "`if_empty` needs an argument and the actions without it".to_owned();
            report.add_problem(
                node.span,
                message,
                "write `{argument: /chars, actions: [domain.verb]}`",
            );
            None
        }
    }
}

/// `name`, or `prefix*`.
fn read_pattern(key: &MapKey, report: &mut ProblemReport) -> Option<ToolPattern> {
    let name = key.name.as_str();
    let (stem, is_prefix) = match name.strip_suffix('*') {
        Some(stem) => (stem, true),
        None => (name, false),
    };
    let fault = if stem.contains('*') {
        Some("a `*` is allowed only at its end".to_owned())
    } else if is_prefix && stem.is_empty() {
        None
    } else {
        Tool::parse(stem).err().map(|error| error.to_string())
    };
    if let Some(fault) = fault {
        let message = format!("`{}` cannot be a tool: {fault}", name.escape_debug());
        report.add_problem(key.span, message, "write the tool's name, or a prefix of it and `*`");
        return None;
    }
    let stem = stem.to_owned();
    Some(if is_prefix { ToolPattern::Prefix(stem) } else { ToolPattern::Exact(stem) })
}

/// One pointer or several: two agents may use the same tool name with different argument names.
fn read_pointers(
    node: Option<&DocumentNode>,
    label: &str,
    report: &mut ProblemReport,
) -> Vec<String> {
    let items = match node.map(|node| &node.value) {
        Some(NodeValue::List(items)) => items.as_slice(),
        _ => node.map(std::slice::from_ref).unwrap_or_default(),
    };
    items.iter().filter_map(|item| read_pointer(item, label, report)).collect()
}

/// A JSON pointer (RFC 6901).
fn read_pointer(node: &DocumentNode, label: &str, report: &mut ProblemReport) -> Option<String> {
    let text = report.read_text(node, label)?;
    let has_valid_start = text.is_empty() || text.starts_with('/');
    let has_valid_escapes = text.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']));
    if !has_valid_start || !has_valid_escapes {
        let message = format!("`{label}` should be a JSON pointer, but `{text}` is not one");
        let help = "write the path into the arguments, for example `/path` or `/to/0`; \
                    in a name, write `~0` for `~` and `~1` for `/`";
        report.add_problem(node.span, message, help);
        return None;
    }
    Some(text.to_owned())
}

/// The slash commands, by name without the slash.
pub(crate) fn read_slash_commands(
    node: Option<&DocumentNode>,
    catalogue: &DomainCatalogue,
    report: &mut ProblemReport,
) -> BTreeMap<String, Vec<Action>> {
    let entries = node.and_then(|node| report.read_map(node, "slash")).unwrap_or_default();
    let mut commands = BTreeMap::new();
    for entry in entries.iter().filter(|entry| !is_comment_in_name_map(entry)) {
        let given_name = entry.key.name.as_str();
        let name = given_name.strip_prefix('/').unwrap_or(given_name);
        let actions = read_action_list(Some(&entry.value), given_name, catalogue, report);
        if name.is_empty() || name.contains(char::is_whitespace) {
            let message = format!("`{}` cannot be a slash command", given_name.escape_debug());
            report.add_problem(entry.key.span, message, "write one word, with or without its `/`");
        } else if commands.insert(name.to_owned(), actions).is_some() {
            let message = format!("the slash command `{name}` occurs twice");
            report.add_problem(
                entry.key.span,
                message,
                "keep one; `/name` and `name` are the same",
            );
        }
    }
    commands
}
