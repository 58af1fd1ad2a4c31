//! Line diffs of file edits and proposals.

use crate::limits;
use crate::text::{CardLine, DisplayText, shorten_block};
use serde_json::Value;
use similar::{ChangeTag, TextDiff};

/// Argument names that agents use for the text before and after an edit.
const BEFORE_KEYS: [&str; 4] = ["old_string", "old_str", "oldString", "before"];
const AFTER_KEYS: [&str; 7] =
    ["new_string", "new_str", "newString", "after", "content", "file_text", "contents"];

pub(super) fn is_change_argument(name: &str) -> bool {
    BEFORE_KEYS.contains(&name) || AFTER_KEYS.contains(&name)
}

/// The diff of an edit whose arguments have known names.
pub(super) fn diff_arguments(args: &Value) -> Option<Vec<CardLine>> {
    let text =
        |names: &[&str]| names.iter().find_map(|name| args.get(*name).and_then(Value::as_str));
    let count = |names: &[&str]| names.iter().filter(|name| args.get(**name).is_some()).count();
    // With two texts of one side it is unclear which one the tool uses.
    if count(&AFTER_KEYS) != 1 || count(&BEFORE_KEYS) > 1 {
        return None;
    }
    Some(diff_texts(text(&BEFORE_KEYS).unwrap_or_default(), text(&AFTER_KEYS)?))
}

pub(super) fn diff_texts(before: &str, after: &str) -> Vec<CardLine> {
    if before.len() + after.len() > limits::MAX_DIFF_BYTES {
        let lines = before.lines().map(|line| CardLine::Removed(DisplayText::from_untrusted(line)));
        return shorten_block(
            lines
                .chain(after.lines().map(|l| CardLine::Added(DisplayText::from_untrusted(l))))
                .collect(),
        );
    }
    let diff = TextDiff::from_lines(before, after);
    let mut lines = Vec::new();
    for (index, group) in diff.grouped_ops(limits::CONTEXT_LINES).iter().enumerate() {
        if index > 0 {
            lines.push(CardLine::LeftOut(DisplayText::from_trusted("lines that stay as they are")));
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let text = DisplayText::from_untrusted(
                change.value().strip_suffix('\n').unwrap_or(change.value()),
            );
            lines.push(match change.tag() {
                ChangeTag::Equal => CardLine::Text(text),
                ChangeTag::Insert => CardLine::Added(text),
                ChangeTag::Delete => CardLine::Removed(text),
            });
        }
    }
    shorten_block(lines)
}
