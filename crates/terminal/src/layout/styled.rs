//! Lines whose parts say what they are. Each surface gives them its own colours.

use super::Colours;
use super::wrap::wrap_columns;
use countersign_core::model::words::Risk;

/// What a part of a card is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextStyle {
    Plain,
    /// What is decided about: the strongest thing on the screen.
    Strong,
    Danger,
    /// Where something goes.
    Destination,
    /// What nobody has verified, and what is rarely read.
    Quiet,
    /// What can be typed.
    Key,
    Risk(Risk),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StyledLine {
    pub spans: Vec<(TextStyle, String)>,
}

impl From<String> for StyledLine {
    fn from(text: String) -> Self {
        Self::new(TextStyle::Plain, text)
    }
}

impl StyledLine {
    pub fn new(style: TextStyle, text: impl Into<String>) -> Self {
        Self { spans: vec![(style, text.into())] }
    }

    /// A line in which the first of each of these words stands out, where it fits on the line.
    pub(super) fn highlight(line: &str, words: &[(String, TextStyle)]) -> Self {
        let mut styled = Self::default();
        let mut rest = line;
        let mut left: Vec<&(String, TextStyle)> =
            words.iter().filter(|(word, _)| !word.is_empty()).collect();
        while let Some((at, index)) = find_first(rest, &left) {
            let (word, style) = left.remove(index);
            let (before, from) = rest.split_at(at);
            let (found, after) = from.split_at(word.len());
            styled.push(TextStyle::Plain, before);
            styled.push(*style, found);
            rest = after;
        }
        styled.push(TextStyle::Plain, rest);
        styled
    }

    /// Breaks a line into lines of this many columns. What stands out does so on each of them.
    pub(super) fn wrap(&self, first: &str, next: &str, columns: usize) -> Vec<Self> {
        let mut spans = self.spans.iter().map(|(style, text)| (*style, text.as_str()));
        let mut current = spans.next();
        let mut lines = Vec::new();
        let wrapped = wrap_columns(first, next, &self.plain_text(), columns);
        for (index, line) in wrapped.iter().enumerate() {
            let prefix = if index == 0 { first } else { next };
            let mut styled = Self::new(TextStyle::Plain, prefix);
            let mut room = line.len().saturating_sub(prefix.len());
            while let Some((style, text)) = current.filter(|_| room > 0) {
                let (start, rest) = text.split_at_checked(room).unwrap_or((text, ""));
                styled.push(style, start);
                room = room.saturating_sub(start.len());
                current = if rest.is_empty() { spans.next() } else { Some((style, rest)) };
            }
            lines.push(styled);
        }
        lines
    }

    pub fn push(&mut self, style: TextStyle, text: &str) {
        if !text.is_empty() {
            self.spans.push((style, text.to_owned()));
        }
    }

    pub fn plain_text(&self) -> String {
        self.spans.iter().map(|(_, text)| text.as_str()).collect()
    }

    /// The line with the escape sequences of its styles.
    pub(super) fn paint(&self, colours: Colours) -> String {
        let paint = |(style, text): &(TextStyle, String)| match (colours, style.code()) {
            (Colours::Absent, _) | (_, "") => text.clone(),
            (Colours::Shown, code) => format!("\x1b[{code}m{text}\x1b[0m"),
        };
        self.spans.iter().map(paint).collect()
    }
}

/// Where the first of these words begins, and which one it is.
fn find_first(text: &str, words: &[&(String, TextStyle)]) -> Option<(usize, usize)> {
    let found = words
        .iter()
        .enumerate()
        .filter_map(|(index, (word, _))| Some((text.find(word.as_str())?, index)));
    found.min()
}

impl TextStyle {
    /// The parameters of the escape sequence that sets it. Only the sixteen colours, which each
    /// terminal maps to its own background.
    const fn code(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Strong => "1",
            Self::Danger => "1;31",
            Self::Destination => "1;36",
            Self::Quiet => "2",
            Self::Key => "1;4",
            Self::Risk(Risk::ReadOnly | Risk::Low) => "1;32",
            Self::Risk(Risk::Moderate) => "1;33",
            Self::Risk(Risk::High) => "1;31",
            Self::Risk(Risk::Critical) => "1;7;31",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_goes_on_in_the_next_line_stands_out_there_too() {
        let words = [("the remote origin".to_owned(), TextStyle::Destination)];
        let lines = StyledLine::highlight("to the remote origin now", &words).wrap("", "> ", 12);
        let painted: Vec<String> = lines.iter().map(|line| line.paint(Colours::Shown)).collect();
        let on = |text: &str| format!("\x1b[1;36m{text}\x1b[0m");
        assert_eq!(
            painted,
            [
                format!("to {}", on("the ")),
                format!("> {}", on("remote ")),
                format!("> {} now", on("origin")),
            ]
        );
    }

    #[test]
    fn each_word_stands_out_once_in_the_order_of_the_line() {
        let words =
            [("main".to_owned(), TextStyle::Key), ("origin".to_owned(), TextStyle::Destination)];
        let line = StyledLine::highlight("to origin main, main", &words);
        assert_eq!(line.plain_text(), "to origin main, main");
        let styled: Vec<&str> = line
            .spans
            .iter()
            .filter(|(style, _)| *style != TextStyle::Plain)
            .map(|(_, text)| text.as_str())
            .collect();
        assert_eq!(styled, ["origin", "main"]);
        assert_eq!(line.paint(Colours::Absent), "to origin main, main");
        assert!(line.paint(Colours::Shown).starts_with("to \x1b[1;36morigin\x1b[0m "));
    }
}
