//! A buffer of styled text for people. Everything that a person reads is built here.
//!
//! It sanitizes every text, so that a name from a file cannot control the terminal. Styles are
//! always written; the output stream removes them where they are not wanted (`NO_COLOR`,
//! `TERM=dumb`, no terminal).

use crate::sanitize::sanitize;
use anstyle::{AnsiColor, Style};

pub const NONE: Style = Style::new();
pub const BOLD: Style = Style::new().bold();
pub const DIM: Style = Style::new().dimmed();
pub const GREEN: Style = AnsiColor::Green.on_default();
pub const CYAN: Style = AnsiColor::Cyan.on_default();
pub const YELLOW: Style = AnsiColor::Yellow.on_default();
pub const RED: Style = AnsiColor::Red.on_default();

#[derive(Default)]
pub struct Page(String);

impl Page {
    pub fn new() -> Self {
        Self::default()
    }

    /// A page of one line.
    pub fn from_line(text: &str) -> Self {
        let mut page = Self::new();
        page.text(text).end();
        page
    }

    pub fn text(&mut self, text: &str) -> &mut Self {
        self.0.push_str(&sanitize(text));
        self
    }

    pub fn styled(&mut self, style: Style, text: &str) -> &mut Self {
        let text = sanitize(text);
        self.0.push_str(&format!("{style}{text}{style:#}"));
        self
    }

    /// A line that a layout has made safe and styled already.
    pub fn push_styled_line(&mut self, line: &str) -> &mut Self {
        self.0.push_str(line);
        self
    }

    pub fn spaces(&mut self, count: usize) -> &mut Self {
        self.0.push_str(&" ".repeat(count));
        self
    }

    /// Ends the line.
    pub fn end(&mut self) -> &mut Self {
        self.0.push('\n');
        self
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}
