//! A buffer of styled text for people. Everything that a person reads is built here.
//!
//! It sanitizes every text, so that a name from a file cannot control the terminal. Styles are
//! always written; the output stream removes them where they are not wanted (`NO_COLOR`,
//! `TERM=dumb`, no terminal).

use crate::sanitize::sanitize;
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
    pub(crate) fn from_line(text: &str) -> Self {
        let mut page = Self::new();
        page.text(text).end();
        page
    }

    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        self.0.push_str(&sanitize(text));
        self
    }

    pub(crate) fn styled(&mut self, style: Style, text: &str) -> &mut Self {
        let text = sanitize(text);
        self.0.push_str(&format!("{style}{text}{style:#}"));
        self
    }

    /// A line that a layout has made safe and styled already.
    pub(crate) fn laid_out(&mut self, line: &str) -> &mut Self {
        self.0.push_str(line);
        self
    }

    pub(crate) fn spaces(&mut self, count: usize) -> &mut Self {
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
