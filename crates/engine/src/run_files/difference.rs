//! What differs between two texts of a file, line by line, as a card shows it.

use crate::limits::{COMPARED_LINES, DIFFERENCE_BYTES, DIFFERENCE_LINES};
use countersign_core::model::run_file::RunFileContent;
use countersign_observe::ReadRunFile;

/// The difference of a file from what its session knew of it. `before` is the text of that, if it is
/// still kept.
pub(super) fn describe_difference(
    known: Option<&RunFileContent>,
    before: Option<&str>,
    now: &ReadRunFile,
) -> String {
    let after = match (&now.file.content, &now.text) {
        (RunFileContent::Absent, _) => {
            return cut_lines("removed; it was:", &prefix_lines('-', before.unwrap_or_default()));
        }
        (RunFileContent::Unreadable, _) => return "it cannot be read as text".to_owned(),
        (RunFileContent::TooMany, _) => {
            return "it has more files or folders below than are searched; a yes holds for all of \
                    them in this session"
                .to_owned();
        }
        (RunFileContent::Hash(_), None) => return "it is too long to be compared".to_owned(),
        (RunFileContent::Hash(_), Some(after)) => after,
    };
    match (known, before) {
        (Some(RunFileContent::Absent) | None, _) => {
            cut_lines("made or changed since the session was opened:", &prefix_lines('+', after))
        }
        (Some(_), None) => {
            cut_lines("what it was is not kept; it is now:", &prefix_lines(' ', after))
        }
        (Some(_), Some(before)) => cut_lines("", &compare_lines(before, after)),
    }
}

fn prefix_lines(mark: char, text: &str) -> Vec<String> {
    text.lines().map(|line| format!("{mark} {line}")).collect()
}

/// The lines that only one of the texts has, in their order.
fn compare_lines(before: &str, after: &str) -> Vec<String> {
    let (mut old, mut new): (Vec<&str>, Vec<&str>) =
        (before.lines().collect(), after.lines().collect());
    let same_start = old.iter().zip(&new).take_while(|(one, two)| one == two).count();
    old.drain(..same_start);
    new.drain(..same_start);
    let ends = old.iter().rev().zip(new.iter().rev());
    let same_end = ends.take_while(|(one, two)| one == two).count();
    old.truncate(old.len() - same_end);
    new.truncate(new.len() - same_end);
    if old.len().max(new.len()) > COMPARED_LINES {
        let removed = old.iter().map(|line| format!("- {line}"));
        return removed.chain(new.iter().map(|line| format!("+ {line}"))).collect();
    }
    walk_common(&old, &new)
}

/// Walks along a longest common subsequence.
fn walk_common(old: &[&str], new: &[&str]) -> Vec<String> {
    let width = new.len() + 1;
    let mut lengths = vec![0_usize; (old.len() + 1) * width];
    let at = |row: usize, column: usize| row * width + column;
    let get = |lengths: &[usize], index: usize| lengths.get(index).copied().unwrap_or(0);
    for (row, one) in old.iter().enumerate().rev() {
        for (column, two) in new.iter().enumerate().rev() {
            let longest = match one == two {
                true => get(&lengths, at(row + 1, column + 1)) + 1,
                false => get(&lengths, at(row + 1, column)).max(get(&lengths, at(row, column + 1))),
            };
            if let Some(cell) = lengths.get_mut(at(row, column)) {
                *cell = longest;
            }
        }
    }
    let (mut row, mut column, mut lines) = (0, 0, Vec::new());
    loop {
        match (old.get(row), new.get(column)) {
            (Some(one), Some(two)) if one == two => (row, column) = (row + 1, column + 1),
            (Some(one), two)
                if two.is_none()
                    || get(&lengths, at(row + 1, column)) >= get(&lengths, at(row, column + 1)) =>
            {
                lines.push(format!("- {one}"));
                row += 1;
            }
            (_, Some(two)) => {
                lines.push(format!("+ {two}"));
                column += 1;
            }
            (_, None) => return lines,
        }
    }
}

/// As many lines as a person reads, and how many more there are.
fn cut_lines(heading: &str, lines: &[String]) -> String {
    let mut text = heading.to_owned();
    for (shown, line) in lines.iter().enumerate() {
        if shown == DIFFERENCE_LINES || text.len() + line.len() > DIFFERENCE_BYTES {
            text.push_str(&format!("\n… {} more lines", lines.len() - shown));
            break;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(line);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_core::model::run_file::RunFile;

    fn read_file(content: RunFileContent, text: Option<&str>) -> ReadRunFile {
        let path = "/w/Makefile".to_owned();
        let file = RunFile { path, content, changed_at: None, difference: String::new() };
        ReadRunFile { file, text: text.map(str::to_owned) }
    }

    fn hash(text: &str) -> RunFileContent {
        RunFileContent::Hash(text.to_owned())
    }

    #[test]
    fn only_the_lines_that_differ_are_shown() {
        let before = "a\nb\nc\nd\ne";
        for (after, expected) in [
            ("a\nb\nx\nd\ne", "- c\n+ x"),
            ("a\nb\nc\nd\ne\nf", "+ f"),
            ("b\nc\nd\ne", "- a"),
            ("a\nx\nb\nc\nd\ny", "+ x\n- e\n+ y"),
            ("", "- a\n- b\n- c\n- d\n- e"),
        ] {
            let known = hash("1");
            let text =
                describe_difference(Some(&known), Some(before), &read_file(hash("2"), Some(after)));
            assert_eq!(text, expected, "{after:?}");
        }
    }

    #[test]
    fn a_new_file_is_shown_whole_and_a_removed_one_as_it_was() {
        let text = describe_difference(None, None, &read_file(hash("2"), Some("a\nb")));
        assert_eq!(text, "made or changed since the session was opened:\n+ a\n+ b");
        let known = hash("1");
        let text =
            describe_difference(Some(&known), Some("a"), &read_file(RunFileContent::Absent, None));
        assert_eq!(text, "removed; it was:\n- a");
        let text = describe_difference(Some(&known), None, &read_file(hash("2"), Some("a")));
        assert_eq!(text, "what it was is not kept; it is now:\n  a");
    }

    #[test]
    fn a_long_difference_is_cut_and_says_by_how_much() {
        let long = "x\n".repeat(DIFFERENCE_LINES + 7);
        let text = describe_difference(None, None, &read_file(hash("2"), Some(&long)));
        assert!(text.ends_with("\n… 7 more lines"), "{text}");
    }
}
