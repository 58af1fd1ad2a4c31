//! A page of text for people: the only way from our words to a terminal.
//!
//! Whatever is put on a page is made plain, so that no name from a file can draw on the screen.
//! Styles are always written; the stream takes them out where they are not wanted (`NO_COLOR`,
//! `TERM=dumb`, no terminal).

use crate::plain::plain;
use anstyle::{AnsiColor, Style};

pub(crate) const NONE: Style = Style::new();
pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const GREEN: Style = AnsiColor::Green.on_default();
pub(crate) const CYAN: Style = AnsiColor::Cyan.on_default();
pub(crate) const YELLOW: Style = AnsiColor::Yellow.on_default();
pub(crate) const RED: Style = AnsiColor::Red.on_default();

#[derive(Default)]
pub(crate) struct Page(String);

impl Page {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// A page of one line.
    pub(crate) fn of(text: &str) -> Self {
        let mut page = Self::new();
        page.text(text).end();
        page
    }

    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        self.0.push_str(&plain(text));
        self
    }

    pub(crate) fn styled(&mut self, style: Style, text: &str) -> &mut Self {
        let text = plain(text);
        self.0.push_str(&format!("{style}{text}{style:#}"));
        self
    }

    pub(crate) fn blanks(&mut self, count: usize) -> &mut Self {
        self.0.push_str(&" ".repeat(count));
        self
    }

    /// Ends the line.
    pub(crate) fn end(&mut self) -> &mut Self {
        self.0.push('\n');
        self
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}
