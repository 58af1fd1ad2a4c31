//! Breaks text into lines that fit. No character is lost, and each line gets its prefix.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Before a line that an agent's text fills.
pub(super) const MARK: &str = "  | ";
/// Before a line that goes on with the text of the line before.
pub(crate) const CONTINUED: &str = "  > ";

/// How many columns a text takes.
pub fn text_width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// The text, or its beginning and an ellipsis in this many columns.
pub fn cut_to_width(text: &str, columns: usize) -> String {
    if text_width(text) <= columns {
        return text.to_owned();
    }
    let (start, _) = text.split_at(fitting_bytes(text, columns.saturating_sub(1)));
    format!("{}…", start.trim_end())
}

/// Breaks a text into lines of this many columns, after blanks where that is possible. The prefixes
/// stand before the first line and before the others.
pub fn wrap_columns(first: &str, next: &str, text: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let (mut prefix, mut rest) = (first, text);
    loop {
        let room = columns.saturating_sub(text_width(prefix)).max(1);
        if text_width(rest) <= room {
            lines.push(format!("{prefix}{rest}"));
            return lines;
        }
        let (line, others) = rest.split_at(break_position(rest, room));
        lines.push(format!("{prefix}{line}"));
        (prefix, rest) = (next, others);
    }
}

/// How many bytes go into a line: up to the last blank that fits, unless that wastes most of it.
fn break_position(text: &str, room: usize) -> usize {
    let fitting = fitting_bytes(text, room);
    let blank = text.get(..fitting).and_then(|start| start.rfind(' ')).map(|at| at + 1);
    match blank {
        Some(at) if at * 2 >= fitting => at,
        Some(_) | None => fitting,
    }
}

/// How many bytes fit into these columns: at least one character, so that every line advances.
fn fitting_bytes(text: &str, columns: usize) -> usize {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += c.width().unwrap_or(0);
        if used > columns && at > 0 {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_after_blanks_and_lose_nothing() {
        let lines = wrap_columns("  ", CONTINUED, "git push origin main --force", 18);
        assert_eq!(lines, ["  git push origin ", "  > main --force"]);
        let long = wrap_columns(MARK, CONTINUED, "aaaaaaaaaaaaaaaaaaaaaaaa", 14);
        assert_eq!(long, ["  | aaaaaaaaaa", "  > aaaaaaaaaa", "  > aaaa"]);
        assert_eq!(wrap_columns(MARK, CONTINUED, "", 20), ["  | "]);
    }

    #[test]
    fn wide_characters_count_twice() {
        let lines = wrap_columns("", CONTINUED, "今日は今日は", 6);
        assert_eq!(lines, ["今日は", "  > 今", "  > 日", "  > は"]);
        assert_eq!(cut_to_width("今日は", 5), "今日…");
    }
}
