//! Changes of texts: line diffs of file edits and proposals, and patches.

use crate::kind::CardKind;
use crate::limits;
use crate::text::{Block, CardLine, escape_untrusted};
use crate::values::show_name;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use similar::{ChangeTag, DiffOp, TextDiff};

/// Argument names that agents use for the text before and after an edit, and for a patch.
const BEFORE_KEYS: [&str; 4] = ["old_string", "old_str", "oldString", "before"];
const AFTER_KEYS: [&str; 7] =
    ["new_string", "new_str", "newString", "after", "content", "file_text", "contents"];
const PATCH_KEYS: [&str; 5] = ["patch", "diff", "input", "patchText", "patch_text"];
/// The argument that holds several edits of one file.
const EDITS_KEY: &str = "edits";

/// How many lines a change adds and removes.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeCounts {
    pub added: usize,
    pub removed: usize,
}

impl std::fmt::Display for ChangeCounts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "+{} −{}", self.added, self.removed)
    }
}

/// One line of a change, with the text as it is, without its line end.
enum ChangeLine<'a> {
    Same(&'a str),
    Added(&'a str),
    Removed(&'a str),
    /// The line before it does not end with a line end.
    NoLineEnd,
}

/// The change that some arguments describe.
pub(crate) struct FileChange<'a> {
    name: String,
    /// The arguments that it shows in full.
    pub(crate) arguments: Vec<String>,
    pub(crate) counts: ChangeCounts,
    lines: Vec<ChangeLine<'a>>,
    unchanged: UnchangedLines,
}

/// Which unchanged lines a card shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum UnchangedLines {
    /// Those around a change.
    Near,
    /// All: those of a patch say which file it changes, and where.
    All,
}

impl<'a> FileChange<'a> {
    /// The changes that the arguments of a call describe. A text without the one that it replaces is
    /// a change only if the call edits files.
    pub(crate) fn find_in(args: &'a Value, kind: CardKind) -> Vec<Self> {
        let is_change =
            |found: &(Option<NamedText>, NamedText)| kind == CardKind::Edit || found.0.is_some();
        if let Some((before, after)) = find_edit(args).filter(is_change) {
            let names = [before.map(|(name, _)| name), Some(after.0)];
            let names: Vec<String> = names.into_iter().flatten().map(str::to_owned).collect();
            let mut change =
                Self::from_texts("change", before.map_or("", |(_, text)| text), after.1);
            change.arguments = names;
            return vec![change];
        }
        if let Some(Value::Array(edits)) = args.get(EDITS_KEY) {
            let mut changes: Vec<Self> =
                edits.iter().enumerate().filter_map(Self::from_one_of_several).collect();
            // An edit may have fields beside its texts; then the list is an argument like others.
            let has_only_texts = |edit: &Value| edit.as_object().is_some_and(|it| it.len() == 2);
            if changes.len() == edits.len() && edits.iter().all(has_only_texts) {
                changes.iter_mut().for_each(|change| change.arguments.push(EDITS_KEY.to_owned()));
            }
            return changes;
        }
        Self::from_patch(args).into_iter().collect()
    }

    fn from_one_of_several((index, edit): (usize, &'a Value)) -> Option<Self> {
        let (before, after) = find_edit(edit)?;
        let before = before?;
        let label = format!("change {} of {EDITS_KEY}, {} to {}", index + 1, before.0, after.0);
        Some(Self::from_texts(&label, before.1, after.1))
    }

    fn from_patch(args: &'a Value) -> Option<Self> {
        let is_patch = |text: &&str| {
            text.contains("*** Begin Patch") || text.contains("\n@@ ") || text.starts_with("@@ ")
        };
        let find = |name: &&'static str| {
            args.get(*name).and_then(Value::as_str).filter(is_patch).map(|text| (*name, text))
        };
        let (name, text) = PATCH_KEYS.iter().find_map(find)?;
        let lines: Vec<ChangeLine> = text.split('\n').map(patch_line).collect();
        Some(Self {
            name: format!("patch, {}", show_name(name)),
            arguments: vec![name.to_owned()],
            counts: count_lines(&lines),
            lines,
            unchanged: UnchangedLines::All,
        })
    }

    pub(crate) fn from_texts(name: &str, before: &'a str, after: &'a str) -> Self {
        let lines = diff_texts(before, after);
        let counts = count_lines(&lines);
        let (name, arguments, unchanged) = (name.to_owned(), Vec::new(), UnchangedLines::Near);
        Self { name, arguments, counts, lines, unchanged }
    }

    pub(crate) fn label(&self) -> String {
        format!("{} ({})", self.name, self.counts)
    }

    /// The changed lines with a few around them, as many as fit on a card.
    pub(crate) fn shorten_for_card(&self) -> Block {
        let mut block = Block::default();
        let mut skipped = 0_usize;
        for (at, line) in self.lines.iter().enumerate() {
            let is_skipped = self.unchanged == UnchangedLines::Near
                && matches!(line, ChangeLine::Same(_))
                && !self.is_near_change(at);
            if is_skipped {
                skipped += 1;
                continue;
            }
            note_unchanged(&mut block, &mut skipped);
            match line {
                ChangeLine::Same(text) => block.push(&escape_untrusted(text), CardLine::Text),
                ChangeLine::Added(text) => block.push(&escape_untrusted(text), CardLine::Added),
                ChangeLine::Removed(text) => {
                    block.push(&escape_untrusted(text), CardLine::Removed);
                }
                ChangeLine::NoLineEnd => block.push_note(NO_LINE_END),
            }
        }
        note_unchanged(&mut block, &mut skipped);
        block.shorten()
    }

    /// Every line with its sign, escaped, nothing left out.
    pub(crate) fn all_lines(&self) -> Vec<String> {
        let signed = |sign: &str, text: &str| format!("{sign} {}", escape_untrusted(text));
        self.lines
            .iter()
            .map(|line| match line {
                ChangeLine::Same(text) => signed(" ", text),
                ChangeLine::Added(text) => signed("+", text),
                ChangeLine::Removed(text) => signed("-", text),
                ChangeLine::NoLineEnd => format!("\\ {NO_LINE_END}"),
            })
            .collect()
    }

    fn is_near_change(&self, at: usize) -> bool {
        let from = at.saturating_sub(limits::CONTEXT_LINES);
        let near = self.lines.iter().skip(from).take(at - from + limits::CONTEXT_LINES + 1);
        near.into_iter().any(|line| matches!(line, ChangeLine::Added(_) | ChangeLine::Removed(_)))
    }
}

const NO_LINE_END: &str = "no line end here";

fn note_unchanged(block: &mut Block, skipped: &mut usize) {
    if *skipped > 0 {
        block.push_note(format!("{skipped} more lines, which stay as they are"));
        block.left_out.lines += *skipped;
        *skipped = 0;
    }
}

type NamedText<'a> = (&'static str, &'a str);

/// The text before and after an edit. With two texts of one side it is unclear which one the tool
/// uses, and then there is none.
fn find_edit(args: &Value) -> Option<(Option<NamedText<'_>>, NamedText<'_>)> {
    let find = |names: &[&'static str]| -> Vec<NamedText<'_>> {
        let text = |name: &&'static str| Some((*name, args.get(*name)?.as_str()?));
        names.iter().filter_map(text).collect()
    };
    let count = |names: &[&str]| names.iter().filter(|name| args.get(**name).is_some()).count();
    if count(&BEFORE_KEYS) > 1 || count(&AFTER_KEYS) != 1 {
        return None;
    }
    let before = match (find(&BEFORE_KEYS).as_slice(), count(&BEFORE_KEYS)) {
        ([only], 1) => Some(*only),
        (_, 0) => None,
        _ => return None,
    };
    Some((before, *find(&AFTER_KEYS).first()?))
}

fn patch_line(line: &str) -> ChangeLine<'_> {
    match line.as_bytes().first() {
        Some(b'+') if !line.starts_with("+++ ") => ChangeLine::Added(line.get(1..).unwrap_or("")),
        Some(b'-') if !line.starts_with("--- ") => ChangeLine::Removed(line.get(1..).unwrap_or("")),
        _ => ChangeLine::Same(line),
    }
}

fn count_lines(lines: &[ChangeLine]) -> ChangeCounts {
    let count =
        |is_counted: fn(&ChangeLine) -> bool| lines.iter().filter(|line| is_counted(line)).count();
    ChangeCounts {
        added: count(|line| matches!(line, ChangeLine::Added(_))),
        removed: count(|line| matches!(line, ChangeLine::Removed(_))),
    }
}

fn diff_texts<'a>(before: &'a str, after: &'a str) -> Vec<ChangeLine<'a>> {
    let mut lines = Vec::new();
    // A diff of more takes too long, so everything counts as replaced.
    if before.len() + after.len() > limits::MAX_DIFF_BYTES {
        before
            .split_inclusive('\n')
            .for_each(|line| push_line(&mut lines, ChangeTag::Delete, line));
        after.split_inclusive('\n').for_each(|line| push_line(&mut lines, ChangeTag::Insert, line));
        return lines;
    }
    let diff = TextDiff::from_lines(before, after);
    let (old, new) = (diff.old_slices(), diff.new_slices());
    for op in diff.ops() {
        let (deleted, inserted) = match op {
            DiffOp::Equal { .. } => {
                let range = op.old_range();
                let same = old.get(range).unwrap_or_default();
                same.iter().for_each(|line| push_line(&mut lines, ChangeTag::Equal, line));
                continue;
            }
            DiffOp::Delete { .. } | DiffOp::Insert { .. } | DiffOp::Replace { .. } => {
                (old.get(op.old_range()), new.get(op.new_range()))
            }
        };
        let (deleted, inserted) = (deleted.unwrap_or_default(), inserted.unwrap_or_default());
        deleted.iter().for_each(|line| push_line(&mut lines, ChangeTag::Delete, line));
        inserted.iter().for_each(|line| push_line(&mut lines, ChangeTag::Insert, line));
    }
    lines
}

fn push_line<'a>(lines: &mut Vec<ChangeLine<'a>>, tag: ChangeTag, line: &'a str) {
    let text = line.strip_suffix('\n');
    let shown = text.unwrap_or(line);
    lines.push(match tag {
        ChangeTag::Equal => ChangeLine::Same(shown),
        ChangeTag::Insert => ChangeLine::Added(shown),
        ChangeTag::Delete => ChangeLine::Removed(shown),
    });
    if text.is_none() {
        lines.push(ChangeLine::NoLineEnd);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::DisplayText;
    use serde_json::json;

    #[test]
    fn edits_and_patches_are_counted() {
        let counts = |args: &Value| {
            FileChange::find_in(args, CardKind::Edit).iter().map(|c| c.counts).collect::<Vec<_>>()
        };
        let edit = json!({"old_string": "a\nb\nc\n", "new_string": "a\nx\ny\nc\n"});
        assert_eq!(counts(&edit), [ChangeCounts { added: 2, removed: 1 }]);
        let several = json!({"edits": [
            {"old_string": "a", "new_string": "b"},
            {"old_string": "c\n", "new_string": ""},
        ]});
        let expected =
            [ChangeCounts { added: 1, removed: 1 }, ChangeCounts { added: 0, removed: 1 }];
        assert_eq!(counts(&several), expected);
        let patch = json!({"input": "*** Begin Patch\n*** Update File: a.rs\n@@ fn a\n-old\n+new\n+er\n same\n*** End Patch"});
        assert_eq!(counts(&patch), [ChangeCounts { added: 2, removed: 1 }]);
        let unclear = json!({"old_string": "a", "new_string": "b", "content": "c"});
        assert_eq!(counts(&unclear), []);
        let message = json!({"to": "bob@example.com", "content": "hello"});
        assert!(FileChange::find_in(&message, CardKind::Message).is_empty());
    }

    #[test]
    fn unchanged_lines_that_are_not_shown_are_counted_as_left_out() {
        let before: String = (0..50).map(|n| format!("{n}\n")).collect();
        let after = before.replace("25\n", "25 and a half\n");
        let change = FileChange::from_texts("change", &before, &after);
        let shown = change.shorten_for_card();
        assert_eq!(shown.left_out.lines, 43);
        assert_eq!(change.all_lines().len(), 51);
        assert!(shown.lines.contains(&CardLine::LeftOut(DisplayText::from_trusted(
            "22 more lines, which stay as they are"
        ))));
    }
}
