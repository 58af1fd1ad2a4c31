//! Changes of a text, line by line.

use crate::text::{Line, Shown, shortened};
use serde_json::Value;
use similar::{ChangeTag, TextDiff};

/// How agents call the text before and the text after.
const BEFORE: [&str; 4] = ["old_string", "old_str", "oldString", "before"];
const AFTER: [&str; 7] =
    ["new_string", "new_str", "newString", "after", "content", "file_text", "contents"];
/// Lines around a change that stay as they are.
const AROUND: usize = 3;
/// Beyond this a text is not compared, but shown before and after.
const LONGEST: usize = 1 << 17;

pub(super) fn is_of_a_change(name: &str) -> bool {
    BEFORE.contains(&name) || AFTER.contains(&name)
}

/// The change that arguments hold, where they hold one in words that are known.
pub(super) fn in_arguments(args: &Value) -> Option<Vec<Line>> {
    let text =
        |names: &[&str]| names.iter().find_map(|name| args.get(*name).and_then(Value::as_str));
    let named = |names: &[&str]| names.iter().filter(|name| args.get(**name).is_some()).count();
    // Two texts under different names could not both be shown as the one after.
    if named(&AFTER) != 1 || named(&BEFORE) > 1 {
        return None;
    }
    Some(of(text(&BEFORE).unwrap_or_default(), text(&AFTER)?))
}

pub(super) fn of(before: &str, after: &str) -> Vec<Line> {
    if before.len() + after.len() > LONGEST {
        let lines = before.lines().map(|line| Line::Removed(Shown::line(line)));
        return shortened(
            lines.chain(after.lines().map(|l| Line::Added(Shown::line(l)))).collect(),
        );
    }
    let diff = TextDiff::from_lines(before, after);
    let mut lines = Vec::new();
    for (at, group) in diff.grouped_ops(AROUND).iter().enumerate() {
        if at > 0 {
            lines.push(Line::LeftOut(Shown::said("lines that stay as they are")));
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let text = Shown::line(change.value().strip_suffix('\n').unwrap_or(change.value()));
            lines.push(match change.tag() {
                ChangeTag::Equal => Line::Text(text),
                ChangeTag::Insert => Line::Added(text),
                ChangeTag::Delete => Line::Removed(text),
            });
        }
    }
    shortened(lines)
}
