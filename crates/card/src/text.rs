//! Makes untrusted text safe to display.
//!
//! Control characters, escape sequences, bidirectional overrides and invisible characters become
//! visible escapes. Long text is cut in the middle, with a note of how much was left out.

use crate::limits;
use countersign_core::encoding::unicode::is_invisible;
use serde::{Deserialize, Deserializer, Serialize};

/// One line of text that is safe to display.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct DisplayText(String);

impl DisplayText {
    /// Escapes the text, including line ends, and cuts it if it is too long.
    pub fn from_untrusted(text: &str) -> Self {
        Self(cut_middle(&escape_for_display(text)))
    }

    /// Takes text that Countersign worded. Names in it have to be escaped already.
    pub(crate) fn from_trusted(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for DisplayText {
    /// Escapes again what must not be shown: the text may come from another machine.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|text| Self(escape_for_display(&text)))
    }
}

impl std::fmt::Display for DisplayText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// A line of a multi-line text, or a note about lines that were left out.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CardLine {
    Text(DisplayText),
    /// Only in a diff.
    Added(DisplayText),
    Removed(DisplayText),
    /// Worded by Countersign. Untrusted text cannot produce this variant.
    LeftOut(DisplayText),
}

impl CardLine {
    /// The text, whatever kind of line it is.
    pub const fn display_text(&self) -> &DisplayText {
        match self {
            Self::Text(shown)
            | Self::Added(shown)
            | Self::Removed(shown)
            | Self::LeftOut(shown) => shown,
        }
    }
}

/// Splits a text into lines, escapes each and shortens the whole.
pub(crate) fn escape_block(text: &str) -> Vec<CardLine> {
    let lines = text.strip_suffix('\n').unwrap_or(text).split('\n');
    shorten_block(lines.map(|line| CardLine::Text(DisplayText::from_untrusted(line))).collect())
}

/// Replaces runs of empty lines by their count and cuts the middle of a long text.
pub(crate) fn shorten_block(lines: Vec<CardLine>) -> Vec<CardLine> {
    let mut kept: Vec<CardLine> = Vec::new();
    let mut empty = Vec::new();
    for line in lines {
        if is_blank(&line) {
            empty.push(line);
            continue;
        }
        flush_empty_lines(&mut kept, &mut empty);
        kept.push(line);
    }
    flush_empty_lines(&mut kept, &mut empty);
    if kept.len() <= limits::MAX_LINES {
        return kept;
    }
    let end = kept.split_off(kept.len() - limits::TAIL_LINES);
    let middle = kept.split_off(limits::MAX_LINES - limits::TAIL_LINES);
    kept.push(CardLine::LeftOut(DisplayText::from_trusted(format!("{} more lines", middle.len()))));
    kept.extend(end);
    kept
}

fn flush_empty_lines(kept: &mut Vec<CardLine>, empty: &mut Vec<CardLine>) {
    if empty.len() > limits::MAX_EMPTY_LINES {
        kept.push(CardLine::LeftOut(DisplayText::from_trusted(format!(
            "{} empty lines",
            empty.len()
        ))));
        empty.clear();
    } else {
        kept.append(empty);
    }
}

fn is_blank(line: &CardLine) -> bool {
    match line {
        CardLine::Text(shown) | CardLine::Added(shown) | CardLine::Removed(shown) => {
            shown.0.trim().is_empty()
        }
        CardLine::LeftOut(_) => false,
    }
}

/// Replaces every character that could deceive a reader by a visible escape.
pub fn escape_for_display(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => escaped.push_str("\\n"),
            '\t' => escaped.push_str("\\t"),
            '\r' => escaped.push_str("\\r"),
            c if is_unsafe_to_display(c) => escaped.extend(c.escape_unicode()),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Whether a character controls a terminal, reorders its neighbours, or is invisible.
pub fn is_unsafe_to_display(c: char) -> bool {
    c.is_control() || is_invisible(c)
}

/// Keeps the beginning and the end of a long line: either can hold the important part.
fn cut_middle(line: &str) -> String {
    let count = line.chars().count();
    if count <= limits::MAX_LINE_CHARS {
        return line.to_owned();
    }
    let head: String =
        line.chars().take(limits::MAX_LINE_CHARS - limits::LINE_TAIL_CHARS).collect();
    let tail: String = line.chars().skip(count - limits::LINE_TAIL_CHARS).collect();
    format!("{head} [{} more characters] {tail}", count - limits::MAX_LINE_CHARS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line_text(line: &CardLine) -> &str {
        match line {
            CardLine::Text(shown)
            | CardLine::Added(shown)
            | CardLine::Removed(shown)
            | CardLine::LeftOut(shown) => shown.as_str(),
        }
    }

    #[test]
    fn control_and_invisible_characters_are_escaped() {
        let untrusted = "a\u{1b}[31mb\u{202e}c\u{200b}d\ne\tf\u{7f}\u{9b}\u{3164}\u{e0041}";
        let expected = r"a\u{1b}[31mb\u{202e}c\u{200b}d\ne\tf\u{7f}\u{9b}\u{3164}\u{e0041}";
        assert_eq!(DisplayText::from_untrusted(untrusted).as_str(), expected);
        let ignorable = "\u{1d173}\u{1bca3}\u{fff0}\u{fe0f}\u{61c}\u{fffb}";
        let expected = r"\u{1d173}\u{1bca3}\u{fff0}\u{fe0f}\u{61c}\u{fffb}";
        assert_eq!(DisplayText::from_untrusted(ignorable).as_str(), expected);
        let plain = "Grüße, 今日は, <b>C:\\temp</b> [x](y)";
        assert_eq!(DisplayText::from_untrusted(plain).as_str(), plain);
    }

    #[test]
    fn text_after_ten_thousand_empty_lines_is_shown() {
        let lines = escape_block(&format!("ls{}rm -rf ~", "\n".repeat(10_000)));
        let texts: Vec<_> = lines.iter().map(line_text).collect();
        assert_eq!(texts, ["ls", "9999 empty lines", "rm -rf ~"]);
        assert!(matches!(lines[1], CardLine::LeftOut(_)));
    }

    #[test]
    fn a_long_text_shows_both_ends_and_how_much_was_left_out() {
        let text: String = (0..10_000).map(|n| format!("line {n}\n")).collect();
        let lines = escape_block(&text);
        assert_eq!(lines.len(), limits::MAX_LINES + 1);
        assert_eq!(line_text(&lines[limits::MAX_LINES - limits::TAIL_LINES]), "9960 more lines");
        assert_eq!(line_text(lines.last().unwrap()), "line 9999");
        let long = DisplayText::from_untrusted(&format!("{}end", "x".repeat(1 << 20)));
        assert!(long.as_str().ends_with("xend") && long.as_str().contains("more characters"));
        assert!(long.as_str().len() < 400);
    }
}
