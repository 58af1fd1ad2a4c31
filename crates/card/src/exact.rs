//! The action itself, as labelled fields: complete, or with a count of what is left out.

mod change;

pub use change::ChangeCounts;
pub(crate) use change::FileChange;

use crate::decided::DecidedCall;
use crate::kind::{self, CardKind};
use crate::text::Block;
use crate::values::{ShownValue, show_name};
use crate::{CardContext, CardField};
use countersign_core::decide::within_run::{WithinRun, within_run};
use countersign_core::model::call::{Call, Definition, DefinitionChange};
use countersign_core::model::command::{Command, render_argv};
use countersign_core::model::graph::ToolMapping;
use countersign_core::model::imported::ImportedGrant;
use countersign_core::model::names::Action;
use countersign_core::model::proposal::Proposal;
use countersign_core::model::request::{Request, Start, Subject};
use serde_json::Value;
use std::collections::BTreeSet;

/// The complete action, most important fields first.
pub(crate) fn exact_fields(
    context: CardContext<'_>,
    request: &Request,
    decided: Option<&DecidedCall<'_>>,
    kind: CardKind,
) -> Vec<CardField> {
    match (&request.subject, decided) {
        (Subject::Calls(_), Some(decided)) => {
            let mut fields = call_fields(decided, kind);
            fields.extend(partial_yes_fields(context, request, decided));
            fields
        }
        (Subject::Start(start), _) => {
            let actions = list_declared_actions(context, start);
            let actions = actions.iter().map(String::as_str);
            vec![CardField::from_block("actions", Block::from_list(actions))]
        }
        (Subject::Standing(coverage), _) => {
            vec![CardField::single_line("covers", &coverage.to_string())]
        }
        (Subject::Slash(slash), _) => vec![
            CardField::single_line("action", slash.action.as_str()),
            CardField::single_line("because", "the agent says that you typed a slash command"),
        ],
        (Subject::Imported(imported), _) => import_fields(imported),
        (Subject::Proposal(id), _) => {
            context.state.proposals.get(id).map_or_else(Vec::new, proposal_fields)
        }
        (Subject::Ahead(_) | Subject::Calls(_), _) => Vec::new(),
    }
}

/// The actions of a workflow, with a mark on those that the start does not cover.
pub(crate) fn list_declared_actions(context: CardContext<'_>, start: &Start) -> Vec<String> {
    let describe =
        |action: &Action| match within_run(context.graph, &start.workflow, action, context.now) {
            WithinRun::Covered => action.to_string(),
            WithinRun::Asks => format!("{action} (will still ask)"),
            WithinRun::Denied => format!("{action} (the graph denies it)"),
        };
    start.actions.iter().map(describe).collect()
}

/// If the call needs more than this request asks for, lists which actions a yes approves and which
/// it does not.
fn partial_yes_fields(
    context: CardContext<'_>,
    request: &Request,
    decided: &DecidedCall<'_>,
) -> Vec<CardField> {
    let DecidedCall { call, actions, .. } = *decided;
    let declared = call.declares.iter().filter(|action| !actions.contains(action));
    let is_on_card =
        |action: &Action| request.items.iter().any(|item| item.action.as_ref() == Some(action));
    let (approved, others): (Vec<_>, Vec<_>) =
        actions.iter().chain(declared).partition(|action| is_on_card(action));
    if approved.is_empty() || others.is_empty() {
        return Vec::new();
    }
    let list_actions = |actions: &[&Action]| {
        let risk = |action: &Action| {
            let item = request.items.iter().find(|item| item.action.as_ref() == Some(action));
            if let Some(item) = item {
                return format!("{} risk", item.risk);
            }
            let rule = context.graph.and_then(|graph| graph.rule(action));
            rule.map_or_else(|| "in no list".to_owned(), |rule| format!("{} risk", rule.risk))
        };
        let lines: Vec<_> =
            actions.iter().map(|action| format!("{action}, {}", risk(action))).collect();
        Block::from_list(lines.iter().map(String::as_str))
    };
    vec![
        CardField::from_block("this covers", list_actions(&approved)),
        CardField::from_block("decided separately", list_actions(&others)),
    ]
}

fn import_fields(imported: &ImportedGrant) -> Vec<CardField> {
    let mut fields = vec![
        CardField::single_line("covers", &imported.coverage.to_string()),
        CardField::single_line("there", &format!("{}, given {}", imported.key, imported.given_at)),
    ];
    fields.extend(imported.ends_at.map(|end| CardField::single_line("ends", &end.to_string())));
    if !imported.words.is_empty() {
        fields.push(CardField::multi_line("said there", &imported.words));
    }
    fields
}

fn proposal_fields(proposal: &Proposal) -> Vec<CardField> {
    let (before, after) = (proposal.diff.before.as_str(), proposal.diff.after.as_str());
    let change = FileChange::from_texts("change", before, after);
    vec![
        CardField::from_block(&change.label(), change.shorten_for_card()),
        CardField::multi_line("undo plan", &proposal.undo),
        CardField::single_line("not before", &proposal.cools_until.to_string()),
    ]
}

/// The name of an argument of the call that a JSON pointer of the tool mapping means, if it is one
/// of the arguments themselves and not a part of one.
fn argument_name(pointer: &str) -> Option<String> {
    let name = pointer.strip_prefix('/')?;
    (!name.contains('/')).then(|| name.replace("~1", "/").replace("~0", "~"))
}

/// An argument is left out of the list of arguments only if it is the very argument that another
/// field shows, never because its value is the same.
fn call_fields(decided: &DecidedCall<'_>, kind: CardKind) -> Vec<CardField> {
    let DecidedCall { call, graph, .. } = *decided;
    let tool = call.tool.as_ref().map(|tool| tool.as_str());
    let mapping = tool.and_then(|tool| graph.and_then(|graph| graph.tool(tool)));
    let mut fields = Vec::new();
    let mut shown: BTreeSet<String> = BTreeSet::new();
    if let Some(command) = &call.command {
        let argument = mapping.and_then(|mapping| mapping.command.as_deref());
        let argument = argument.and_then(argument_name);
        let raw = argument.as_ref().and_then(|name| call.args.get(name)).and_then(Value::as_str);
        let text = raw.map_or_else(|| command_text(command), str::to_owned);
        fields.push(CardField::from_block("command", Block::from_text(&text)));
        shown.extend(argument.filter(|_| raw.is_some()));
    }
    if let Some((name, amount)) = find_amount_argument(mapping, call) {
        let value = ShownValue::from_json(amount);
        let label = format!("{}{}", label_argument("amount", &name), value.type_note());
        fields.push(CardField::from_block(&label, value.to_block()));
        shown.insert(name);
    }
    let names_files = kind::names_files(decided);
    fields.extend(target_fields(call, mapping, (kind, names_files), &mut shown));
    if call.recipients != call.target && !call.recipients.is_empty() {
        let recipients = call.recipients.iter().map(String::as_str);
        fields.push(CardField::from_block("recipients", Block::from_list(recipients)));
    }
    for change in FileChange::find_in(&call.args, kind) {
        fields.push(CardField::from_block(&change.label(), change.shorten_for_card()));
        shown.extend(change.arguments);
    }
    fields.extend(argument_fields(&call.args, &shown));
    fields.extend(definition_field(call));
    fields
}

/// What changed in the tool's definition since it was approved.
fn definition_field(call: &Call) -> Option<CardField> {
    let Definition::Changed(change) = &call.observed.definition else { return None };
    if *change == DefinitionChange::default() {
        return None;
    }
    let change = FileChange::from_texts("changed definition", &change.before, &change.after);
    Some(CardField::from_block(&change.label(), change.shorten_for_card()))
}

fn command_text(command: &Command) -> String {
    match command {
        Command::Plain { argv, .. } => render_argv(argv),
        Command::NotPlain { text, .. } => text.clone(),
    }
}

fn find_amount_argument<'a>(
    mapping: Option<&ToolMapping>,
    call: &'a Call,
) -> Option<(String, &'a Value)> {
    let name = argument_name(mapping?.amount.as_deref()?)?;
    let value = call.args.get(&name)?;
    Some((name, value))
}

/// The targets that are arguments, each with the argument's name, and then the others.
fn target_fields(
    call: &Call,
    mapping: Option<&ToolMapping>,
    (kind, names_files): (CardKind, bool),
    shown: &mut BTreeSet<String>,
) -> Vec<CardField> {
    let label = match kind {
        CardKind::Message => "to",
        CardKind::Money => "payee",
        CardKind::Edit | CardKind::Delete if names_files => "path",
        CardKind::Network => "address",
        _ => "target",
    };
    let mut others: Vec<&str> = call.target.iter().map(String::as_str).collect();
    let mut fields = Vec::new();
    for pointer in mapping.map(|mapping| mapping.target.as_slice()).unwrap_or_default() {
        let Some(name) = argument_name(pointer) else { continue };
        let (label, block) = match call.args.get(&name) {
            Some(Value::String(text)) if take_all(&mut others, &[text]) => {
                (label_argument(label, &name), ShownValue::from_text(text).to_block())
            }
            Some(Value::Array(values)) => {
                let texts: Option<Vec<&str>> = values.iter().map(Value::as_str).collect();
                let Some(texts) = texts.filter(|texts| take_all(&mut others, texts)) else {
                    continue;
                };
                (format!("{label} ({}, a list)", show_name(&name)), Block::from_list(texts))
            }
            _ => continue,
        };
        fields.push(CardField::from_block(&label, block));
        shown.insert(name);
    }
    if !others.is_empty() {
        let is_beside = mapping.is_some_and(|mapping| !mapping.target.is_empty());
        let beside = if is_beside { ", beside the arguments" } else { "" };
        let block = Block::from_list(others);
        fields.push(CardField::from_block(&format!("{label}{beside}"), block));
    }
    fields
}

/// What an argument is for, and its name unless that is the same word.
fn label_argument(label: &str, name: &str) -> String {
    match label == name || PLAIN_NAMES.contains(&name) {
        true => label.to_owned(),
        false => format!("{label} ({})", show_name(name)),
    }
}

/// Names of arguments that say no more than our labels do.
const PLAIN_NAMES: [&str; 6] = ["file_path", "filePath", "notebook_path", "path", "url", "uri"];

/// Takes these texts out of a list, or none of them if one is missing.
fn take_all(list: &mut Vec<&str>, texts: &[&str]) -> bool {
    let mut rest = list.clone();
    for text in texts {
        let Some(at) = rest.iter().position(|other| other == text) else { return false };
        rest.remove(at);
    }
    *list = rest;
    !texts.is_empty()
}

/// The arguments that no earlier field shows, each under its name.
fn argument_fields(args: &Value, shown: &BTreeSet<String>) -> Vec<CardField> {
    let Value::Object(fields) = args else {
        return if args.is_null() {
            Vec::new()
        } else {
            let value = ShownValue::from_json(args);
            let label = format!("arguments{}", value.type_note());
            vec![CardField::from_block(&label, value.to_block())]
        };
    };
    fields
        .iter()
        .filter(|(name, _)| !shown.contains(*name))
        .map(|(name, value)| {
            let value = ShownValue::from_json(value);
            let label = format!("argument {}{}", show_name(name), value.type_note());
            CardField::from_block(&label, value.to_block())
        })
        .collect()
}

/// The numbers of lines that a call adds to and removes from files, if its arguments say so.
pub(crate) fn count_changes(call: &Call, kind: CardKind) -> Option<ChangeCounts> {
    let changes = FileChange::find_in(&call.args, kind);
    let mut counts = changes.iter().map(|change| change.counts);
    let first = counts.next()?;
    Some(counts.fold(first, |sum, next| ChangeCounts {
        added: sum.added + next.added,
        removed: sum.removed + next.removed,
    }))
}
