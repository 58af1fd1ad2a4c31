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
        Self(cut_middle(&escape_untrusted(text), limits::MAX_LINE_CHARS).0)
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

/// Cuts the name of a field, which is escaped already, and counts what is cut.
pub(crate) fn cut_label(label: &str) -> (DisplayText, LeftOut) {
    let (text, characters) = cut_middle(label, limits::MAX_LABEL_CHARS);
    (DisplayText(text), LeftOut { lines: 0, characters })
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
    /// Worded by Countersign: how much is left out, or another note about the lines. Untrusted text
    /// cannot produce this variant.
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

/// How much of an action a card leaves out.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    pub lines: usize,
    /// Characters of lines that are shown in part.
    pub characters: usize,
}

impl LeftOut {
    pub const fn is_nothing(&self) -> bool {
        self.lines == 0 && self.characters == 0
    }
}

impl std::ops::AddAssign for LeftOut {
    fn add_assign(&mut self, other: Self) {
        self.lines += other.lines;
        self.characters += other.characters;
    }
}

impl std::fmt::Display for LeftOut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.lines, self.characters) {
            (0, 0) => f.write_str("nothing"),
            (0, characters) => write!(f, "{characters} more characters"),
            (1, 0) => f.write_str("1 more line"),
            (lines, 0) => write!(f, "{lines} more lines"),
            (lines, characters) => {
                write!(f, "{lines} more lines and {characters} more characters")
            }
        }
    }
}

/// Lines of a card, and how much they leave out.
#[derive(Default)]
pub(crate) struct Block {
    pub(crate) lines: Vec<CardLine>,
    pub(crate) left_out: LeftOut,
}

impl Block {
    /// One line per text; line ends inside a text are escaped.
    pub(crate) fn from_list<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        Self::from_escaped(texts.into_iter().map(escape_untrusted), CardLine::Text)
    }

    /// The lines of a text. A line end at the end is shown as an empty line.
    pub(crate) fn from_text(text: &str) -> Self {
        Self::from_list(text.split('\n'))
    }

    /// The lines of a JSON text, which has its own escapes.
    pub(crate) fn from_json(text: &str) -> Self {
        Self::from_escaped(text.split('\n').map(escape_for_display), CardLine::Text)
    }

    fn from_escaped(
        lines: impl Iterator<Item = String>,
        make: impl Fn(DisplayText) -> CardLine,
    ) -> Self {
        let mut block = Self::default();
        for line in lines {
            block.push(&line, &make);
        }
        block.shorten()
    }

    /// Adds an escaped line, which is cut if it is too long.
    pub(crate) fn push(&mut self, escaped: &str, make: impl Fn(DisplayText) -> CardLine) {
        let (text, characters) = cut_middle(escaped, limits::MAX_LINE_CHARS);
        self.left_out.characters += characters;
        self.lines.push(make(DisplayText(text)));
    }

    /// Adds a note that Countersign worded.
    pub(crate) fn push_note(&mut self, note: impl Into<String>) {
        self.lines.push(CardLine::LeftOut(DisplayText::from_trusted(note)));
    }

    /// Replaces runs of empty lines by their count and cuts the middle of a long text.
    pub(crate) fn shorten(mut self) -> Self {
        let mut kept: Vec<CardLine> = Vec::new();
        let mut empty = Vec::new();
        for line in std::mem::take(&mut self.lines) {
            if is_empty(&line) {
                empty.push(line);
                continue;
            }
            flush_empty_lines(&mut kept, &mut empty);
            kept.push(line);
        }
        flush_empty_lines(&mut kept, &mut empty);
        if kept.len() > limits::MAX_LINES {
            let end = kept.split_off(kept.len() - limits::TAIL_LINES);
            let middle = kept.split_off(limits::MAX_LINES - limits::TAIL_LINES);
            let left_out = LeftOut { lines: middle.len(), characters: 0 };
            kept.push(CardLine::LeftOut(DisplayText::from_trusted(left_out.to_string())));
            kept.extend(end);
            self.left_out += left_out;
        }
        self.lines = kept;
        self
    }
}

/// The count says everything about empty lines, so nothing is left out.
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

/// Lines of a diff count as empty only if they stay as they are.
fn is_empty(line: &CardLine) -> bool {
    match line {
        CardLine::Text(shown) => shown.0.is_empty(),
        CardLine::Added(_) | CardLine::Removed(_) | CardLine::LeftOut(_) => false,
    }
}

/// Escapes text of an agent. Two texts never give the same result: a backslash that could be taken
/// for an escape of ours is doubled.
pub(crate) fn escape_untrusted(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '\\' => {
                let is_doubled = characters.peek().is_some_and(|next| {
                    matches!(next, '\\' | 'n' | 't' | 'r' | 'u') || is_unsafe_to_display(*next)
                });
                escaped.push_str(if is_doubled { "\\\\" } else { "\\" });
            }
            '\n' => escaped.push_str("\\n"),
            '\t' => escaped.push_str("\\t"),
            '\r' => escaped.push_str("\\r"),
            c if is_unsafe_to_display(c) => escaped.extend(c.escape_unicode()),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Replaces every character that could deceive a reader by a visible escape. Text that is escaped
/// already stays as it is.
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

/// Keeps the beginning and the end of a long line: either can hold the important part. Returns the
/// number of characters that it leaves out, too.
fn cut_middle(line: &str, max: usize) -> (String, usize) {
    let count = line.chars().count();
    if count <= max {
        return (line.to_owned(), 0);
    }
    let tail_length = limits::LINE_TAIL_CHARS.min(max / 4);
    let head: String = line.chars().take(max - tail_length).collect();
    let tail: String = line.chars().skip(count - tail_length).collect();
    let left_out = count - max;
    (format!("{head} [{left_out} more characters] {tail}"), left_out)
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
        let plain = r"Grüße, 今日は, <b>C:\docs</b> [x](y) grep '\.rs$' \";
        assert_eq!(DisplayText::from_untrusted(plain).as_str(), plain);
    }

    /// Undoes the escapes, which works for every text only if no two texts look the same.
    fn unescape(shown: &str) -> String {
        let mut text = String::new();
        let mut rest = shown.chars();
        while let Some(c) = rest.next() {
            if c != '\\' {
                text.push(c);
                continue;
            }
            match rest.clone().next() {
                Some('\\') => text.push('\\'),
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some('r') => text.push('\r'),
                Some('u') => {
                    let code: String = rest.clone().skip(2).take_while(|c| *c != '}').collect();
                    let number = u32::from_str_radix(&code, 16).unwrap();
                    text.push(char::from_u32(number).unwrap());
                    rest.nth(code.len() + 1);
                }
                Some(_) | None => {
                    text.push('\\');
                    continue;
                }
            }
            rest.next();
        }
        text
    }

    #[test]
    fn no_two_texts_are_shown_alike() {
        let parts = ["\\", "n", "t", "u", "{1b}", "\n", "\t", "\u{1b}", "x", "\u{202e}", "."];
        let mut texts = vec![String::new()];
        for _ in 0..4 {
            let longer = texts.iter().flat_map(|text| parts.map(|part| format!("{text}{part}")));
            let longer: Vec<String> = longer.collect();
            texts.extend(longer);
            texts.sort();
            texts.dedup();
        }
        for text in &texts {
            assert_eq!(unescape(&escape_untrusted(text)), *text, "{text:?}");
        }
    }

    #[test]
    fn text_after_ten_thousand_empty_lines_is_shown() {
        let Block { lines, left_out } =
            Block::from_text(&format!("ls{}rm -rf ~", "\n".repeat(10_000)));
        let texts: Vec<_> = lines.iter().map(line_text).collect();
        assert_eq!(texts, ["ls", "9999 empty lines", "rm -rf ~"]);
        assert!(matches!(lines[1], CardLine::LeftOut(_)));
        assert!(left_out.is_nothing());
    }

    #[test]
    fn a_long_text_shows_both_ends_and_how_much_was_left_out() {
        let text: String = (0..10_000).map(|n| format!("line {n}\n")).collect();
        let Block { lines, left_out } = Block::from_text(text.trim_end());
        assert_eq!(left_out, LeftOut { lines: 9960, characters: 0 });
        assert_eq!(lines.len(), limits::MAX_LINES + 1);
        assert_eq!(line_text(&lines[limits::MAX_LINES - limits::TAIL_LINES]), "9960 more lines");
        assert_eq!(line_text(lines.last().unwrap()), "line 9999");
        let long = DisplayText::from_untrusted(&format!("{}end", "x".repeat(1 << 20)));
        assert!(long.as_str().ends_with("xend") && long.as_str().contains("more characters"));
        assert!(long.as_str().len() < 400);
    }
}
