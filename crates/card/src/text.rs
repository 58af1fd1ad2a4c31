//! Text from agents, made fit to be shown: nothing in it acts, nothing in it hides.
//!
//! Control characters, escape sequences, characters that reorder their neighbours and those that are
//! drawn as nothing become visible escapes. What is too long is cut in the middle, and says so.

use countersign_core::model::names::is_invisible;
use serde::{Deserialize, Deserializer, Serialize};

/// Characters of one line that are shown, of which the last few show its end.
const LINE: usize = 240;
const LINE_END: usize = 60;
/// Lines of one text that are shown, of which the last few show its end.
const LINES: usize = 40;
const LINES_END: usize = 12;
/// More empty lines than this are counted instead of shown.
const EMPTY: usize = 2;

/// One line as it may be shown.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Shown(String);

impl Shown {
    /// Line ends are shown as escapes.
    pub fn line(text: &str) -> Self {
        Self(cut(&visible(text)))
    }

    /// Our own words, with names in them that were shown before.
    pub(crate) fn said(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for Shown {
    /// Escapes again what must not be shown: the text may come from another machine.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|text| Self(visible(&text)))
    }
}

impl std::fmt::Display for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// A line of a text with several, or what was left out between two of them.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    Text(Shown),
    /// Only in a diff.
    Added(Shown),
    Removed(Shown),
    /// Our own words; no text can look like this.
    LeftOut(Shown),
}

impl Line {
    /// The text, whatever kind of line it is.
    pub const fn shown(&self) -> &Shown {
        match self {
            Self::Text(shown)
            | Self::Added(shown)
            | Self::Removed(shown)
            | Self::LeftOut(shown) => shown,
        }
    }
}

/// The lines of a text.
pub(crate) fn block(text: &str) -> Vec<Line> {
    let lines = text.strip_suffix('\n').unwrap_or(text).split('\n');
    shortened(lines.map(|line| Line::Text(Shown::line(line))).collect())
}

/// Empty lines counted, and the middle left out of what is too long.
pub(crate) fn shortened(lines: Vec<Line>) -> Vec<Line> {
    let mut kept: Vec<Line> = Vec::new();
    let mut empty = Vec::new();
    for line in lines {
        if is_empty(&line) {
            empty.push(line);
            continue;
        }
        keep_empty(&mut kept, &mut empty);
        kept.push(line);
    }
    keep_empty(&mut kept, &mut empty);
    if kept.len() <= LINES {
        return kept;
    }
    let end = kept.split_off(kept.len() - LINES_END);
    let middle = kept.split_off(LINES - LINES_END);
    kept.push(Line::LeftOut(Shown::said(format!("{} more lines", middle.len()))));
    kept.extend(end);
    kept
}

fn keep_empty(kept: &mut Vec<Line>, empty: &mut Vec<Line>) {
    if empty.len() > EMPTY {
        kept.push(Line::LeftOut(Shown::said(format!("{} empty lines", empty.len()))));
        empty.clear();
    } else {
        kept.append(empty);
    }
}

fn is_empty(line: &Line) -> bool {
    match line {
        Line::Text(shown) | Line::Added(shown) | Line::Removed(shown) => shown.0.trim().is_empty(),
        Line::LeftOut(_) => false,
    }
}

/// The text with everything visible that could deceive a reader.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => shown.push_str("\\n"),
            '\t' => shown.push_str("\\t"),
            '\r' => shown.push_str("\\r"),
            c if is_unfit(c) => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    shown
}

/// Characters that act on a terminal, reorder their neighbours, or are drawn as nothing.
pub fn is_unfit(c: char) -> bool {
    c.is_control() || is_invisible(c) || is_blank_letter(c)
}

/// Letters and marks that are drawn as nothing, beyond those that no name may hold.
fn is_blank_letter(c: char) -> bool {
    matches!(c,
        '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}')
}

/// The beginning and the end of a long line: what matters can stand at either.
fn cut(shown: &str) -> String {
    let many = shown.chars().count();
    if many <= LINE {
        return shown.to_owned();
    }
    let head: String = shown.chars().take(LINE - LINE_END).collect();
    let tail: String = shown.chars().skip(many - LINE_END).collect();
    format!("{head} [{} more characters] {tail}", many - LINE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(line: &Line) -> &str {
        match line {
            Line::Text(shown)
            | Line::Added(shown)
            | Line::Removed(shown)
            | Line::LeftOut(shown) => shown.as_str(),
        }
    }

    #[test]
    fn what_acts_or_hides_becomes_visible() {
        let given = "a\u{1b}[31mb\u{202e}c\u{200b}d\ne\tf\u{7f}\u{9b}\u{3164}\u{e0041}";
        let shown = r"a\u{1b}[31mb\u{202e}c\u{200b}d\ne\tf\u{7f}\u{9b}\u{3164}\u{e0041}";
        assert_eq!(Shown::line(given).as_str(), shown);
        let plain = "Grüße, 今日は, <b>C:\\temp</b> [x](y)";
        assert_eq!(Shown::line(plain).as_str(), plain);
    }

    #[test]
    fn what_stands_behind_ten_thousand_empty_lines_is_shown() {
        let lines = block(&format!("ls{}rm -rf ~", "\n".repeat(10_000)));
        let texts: Vec<_> = lines.iter().map(text).collect();
        assert_eq!(texts, ["ls", "9999 empty lines", "rm -rf ~"]);
        assert!(matches!(lines[1], Line::LeftOut(_)));
    }

    #[test]
    fn a_long_text_shows_both_ends_and_how_much_is_between() {
        let many: String = (0..10_000).map(|n| format!("line {n}\n")).collect();
        let lines = block(&many);
        assert_eq!(lines.len(), LINES + 1);
        assert_eq!(text(&lines[LINES - LINES_END]), "9960 more lines");
        assert_eq!(text(lines.last().unwrap()), "line 9999");
        let long = Shown::line(&format!("{}end", "x".repeat(1 << 20)));
        assert!(long.as_str().ends_with("xend") && long.as_str().contains("more characters"));
        assert!(long.as_str().len() < 400);
    }
}
