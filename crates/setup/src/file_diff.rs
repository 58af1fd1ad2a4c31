//! A change of a file, as people read it.

use countersign_console::{BOLD, CYAN, GREEN, NONE, Page, RED};
use similar::{ChangeTag, TextDiff};
use std::path::Path;

/// Lines around a change.
const CONTEXT_LINES: usize = 3;

pub fn draw_diff(page: &mut Page, path: &Path, old: &str, new: &str) {
    draw_diff_folded(page, path, (old, new), usize::MAX);
}

/// The same, with at most so many lines of each block that is added.
pub(crate) fn draw_diff_folded(
    page: &mut Page,
    path: &Path,
    (old, new): (&str, &str),
    max_added: usize,
) {
    let shown = path.display().to_string();
    page.styled(BOLD, &shown).end();
    let diff = TextDiff::from_lines(old, new);
    for group in diff.grouped_ops(CONTEXT_LINES) {
        let line = group.first().map_or(0, |op| op.new_range().start + 1);
        page.styled(CYAN, &format!("@@ line {line} @@")).end();
        let mut added = 0;
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            if change.tag() == ChangeTag::Insert {
                added += 1;
            } else {
                draw_folded(page, added, max_added);
                added = 0;
            }
            if added > max_added {
                continue;
            }
            let (style, sign) = match change.tag() {
                ChangeTag::Delete => (RED, "-"),
                ChangeTag::Insert => (GREEN, "+"),
                ChangeTag::Equal => (NONE, " "),
            };
            // A tab would be shown as an escape.
            let line = change.value().trim_end_matches(['\n', '\r']).replace('\t', "    ");
            page.styled(style, &format!("{sign}{line}")).end();
        }
        draw_folded(page, added, max_added);
    }
}

fn draw_folded(page: &mut Page, added: usize, max_added: usize) {
    match added.saturating_sub(max_added) {
        0 => {}
        more => {
            let text = format!("+… {more} more lines of this kind: `--full` shows them");
            page.styled(GREEN, &text).end();
        }
    }
}
