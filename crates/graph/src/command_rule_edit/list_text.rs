//! The lists of command rules as text.

use crate::file_text::{append, assign_line, find, insert_in_braces, insert_pairs, is_in_braces};
use crate::node::{DocumentNode, Format, MapEntry, NodeValue};
use crate::problem::TextSpan;
use crate::text_edit::{Edit, apply_edits, line_ending};
use serde_json::json;

/// The texts that may have the rule at the end of the list. The caller parses them.
pub(super) fn add(text: &str, format: Format, list: &str, rule: &str) -> Vec<String> {
    let Ok(root) = crate::node::parse(text.as_bytes(), format) else { return Vec::new() };
    let entries = root.entries().unwrap_or_default();
    let commands = find(entries, "commands");
    let listed = commands.and_then(|commands| find(commands.value.entries()?, list));
    if let Some(listed) = listed {
        return add_to_list(text, &listed.value, rule).into_iter().collect();
    }
    let pair = (key_text(format, list), format!("[{}]", json!(rule)));
    let inserted = match (commands, format) {
        (Some(commands), Format::Yaml | Format::Json) => {
            insert_pairs(text, format, commands, std::slice::from_ref(&pair))
        }
        (Some(commands), Format::Toml) => insert_above_first(text, commands, &pair),
        (None, _) if is_in_braces(text, &root) => {
            let value = format!("{{{}: {}}}", pair.0, pair.1);
            insert_in_braces(text, format, &root, &[(key_text(format, "commands"), value)])
        }
        (None, _) => None,
    };
    let inserted = inserted.map(|edit| apply_edits(text, vec![edit]));
    let appended = match format {
        Format::Toml => append(text, &format!("[commands]\n{} = {}\n", pair.0, pair.1)),
        Format::Yaml | Format::Json => {
            let value = format!("{{{}: {}}}", pair.0, pair.1);
            append(text, &assign_line(format, "commands", &value))
        }
    };
    inserted.into_iter().chain([appended]).collect()
}

fn key_text(format: Format, key: &str) -> String {
    match format {
        Format::Json => json!(key).to_string(),
        Format::Toml | Format::Yaml => key.to_owned(),
    }
}

/// In TOML: on a line of its own above the first key of the table.
fn insert_above_first(text: &str, map: &MapEntry, pair: &(String, String)) -> Option<Edit> {
    let first = map.value.entries()?.first()?;
    let line = start_of_line(text, first.key.span.start);
    let prefix = text.get(line..first.key.span.start)?;
    let line_text = format!("{} = {}{}", pair.0, pair.1, line_ending(text));
    prefix.trim().is_empty().then(|| Edit::insert(line, line_text))
}

fn add_to_list(text: &str, list: &DocumentNode, rule: &str) -> Option<String> {
    let items = items(list)?;
    let rule = json!(rule).to_string();
    let edit = match (is_in_brackets(text, list), items) {
        (true, []) => Edit::insert(list.span.start + 1, rule),
        (true, [.., last]) => {
            Edit::insert(last.span.end, format!("{}{rule}", separator(text, items)))
        }
        (false, [.., last]) => {
            let line = start_of_line(text, last.span.start);
            let indent = text.get(line..last.span.start)?.split('-').next()?;
            let end = end_of_line(text, last.span.end);
            Edit::insert(end, format!("{indent}- {rule}{}", line_ending(text)))
        }
        (false, []) => return None,
    };
    Some(apply_edits(text, vec![edit]))
}

/// What stands between the last two rules, if it is only a comma and blanks.
fn separator<'t>(text: &'t str, items: &[DocumentNode]) -> &'t str {
    let between = match items {
        [.., before, last] => text.get(before.span.end..last.span.start),
        _ => None,
    };
    between.filter(|gap| gap.trim() == ",").unwrap_or(", ")
}

/// None if the rule cannot be taken out without a comment beside it.
pub(super) fn remove(
    text: &str,
    lists: Option<&DocumentNode>,
    list: &str,
    rule: &str,
) -> Option<String> {
    let entry = lists.and_then(|lists| find(lists.entries()?, list));
    let Some(entry) = entry else { return Some(text.to_owned()) };
    let items = items(&entry.value)?;
    let Some(at) = items.iter().position(|item| is_rule(item, rule)) else {
        return Some(text.to_owned());
    };
    let item = items.get(at)?;
    let edits = match is_in_brackets(text, &entry.value) {
        true => vec![Edit { span: span_in_brackets(text, items, at)?, text: String::new() }],
        false => {
            let line = start_of_line(text, item.span.start);
            let span = TextSpan::new(line, end_of_line(text, item.span.end));
            let is_last = items.len() == 1;
            let empty = is_last.then(|| Edit::insert(entry.key.span.end + 1, " []".to_owned()));
            [Edit { span, text: String::new() }].into_iter().chain(empty).collect()
        }
    };
    Some(apply_edits(text, edits))
}

pub(super) fn contains(list: &DocumentNode, rule: &str) -> bool {
    items(list).is_some_and(|items| items.iter().any(|item| is_rule(item, rule)))
}

fn is_rule(item: &DocumentNode, rule: &str) -> bool {
    item.value == NodeValue::String(rule.to_owned())
}

/// The rule with the comma behind it, or with the one before it.
fn span_in_brackets(text: &str, items: &[DocumentNode], at: usize) -> Option<TextSpan> {
    let item = items.get(at)?;
    let before = at.checked_sub(1).and_then(|before| items.get(before));
    let span = match (items.get(at + 1), before) {
        (Some(next), _) => TextSpan::new(item.span.start, next.span.start),
        (None, Some(before)) => TextSpan::new(before.span.end, item.span.end),
        (None, None) => item.span,
    };
    let has_comment = span.slice(text)?.replace(item.span.slice(text)?, "").contains('#');
    (!has_comment).then_some(span)
}

fn items(list: &DocumentNode) -> Option<&[DocumentNode]> {
    match &list.value {
        NodeValue::List(items) => Some(items),
        _ => None,
    }
}

fn is_in_brackets(text: &str, list: &DocumentNode) -> bool {
    text.get(list.span.start..).is_some_and(|rest| rest.starts_with('['))
}

fn start_of_line(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1)
}

fn end_of_line(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    rest.find('\n').map_or(text.len(), |newline| at + newline + 1)
}
