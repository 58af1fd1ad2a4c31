//! A change of a file, as people read it.

use countersign_console::{BOLD, CYAN, GREEN, NONE, Page, RED};
use similar::{ChangeTag, TextDiff};
use std::path::Path;

/// Lines around a change.
const CONTEXT_LINES: usize = 3;

pub fn draw_diff(page: &mut Page, path: &Path, old: &str, new: &str) {
    let shown = path.display().to_string();
    page.styled(BOLD, &shown).end();
    let diff = TextDiff::from_lines(old, new);
    for group in diff.grouped_ops(CONTEXT_LINES) {
        let line = group.first().map_or(0, |op| op.new_range().start + 1);
        page.styled(CYAN, &format!("@@ line {line} @@")).end();
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let (style, sign) = match change.tag() {
                ChangeTag::Delete => (RED, "-"),
                ChangeTag::Insert => (GREEN, "+"),
                ChangeTag::Equal => (NONE, " "),
            };
            // A tab would be shown as an escape.
            let line = change.value().trim_end_matches(['\n', '\r']).replace('\t', "    ");
            page.styled(style, &format!("{sign}{line}")).end();
        }
    }
}
