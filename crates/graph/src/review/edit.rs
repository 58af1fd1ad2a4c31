//! Small edits of a text, in the style of the text around them.
//!
//! Three ways to write a key: between braces, on a line of its own, at the end of an empty file.
//! What a line begins with (blanks, or a dotted path in TOML) is what the new line begins with.

use crate::node::{Entry, Format, Kind, Node};
use crate::problem::Span;
use countersign_core::model::time::Date;

const KEY: &str = "last_reviewed";

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Edit {
    span: Span,
    text: String,
}

impl Edit {
    fn insert(at: usize, text: String) -> Self {
        Self { span: Span::at(at), text }
    }
}

/// Carries the edits out. Two of the same place are one: YAML aliases share their text.
pub(super) fn apply(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|edit| edit.span.start);
    edits.dedup();
    let mut out = String::with_capacity(text.len() + 64);
    let mut done = 0;
    for edit in edits {
        out.push_str(text.get(done..edit.span.start).unwrap_or_default());
        out.push_str(&edit.text);
        done = edit.span.end;
    }
    out.push_str(text.get(done..).unwrap_or_default());
    out
}

pub(super) struct Editor<'t> {
    pub(super) text: &'t str,
    pub(super) format: Format,
    pub(super) date: Date,
}

impl Editor<'_> {
    /// The date alone; quotes stay.
    pub(super) fn replace(&self, old: &Node) -> Edit {
        let Span { start, end } = old.span;
        let written = old.span.of(self.text).unwrap_or_default();
        if written.is_empty() {
            return Edit::insert(start, format!(" {}", self.date));
        }
        let quotes = quotes(written);
        if quotes > 0 {
            let inside = Span::new(start + quotes, end - quotes);
            return Edit { span: inside, text: self.date.to_string() };
        }
        Edit { span: old.span, text: self.value() }
    }

    pub(super) fn insert_at_root(&self, root: &Node) -> Option<Edit> {
        let entries = root.entries()?;
        if self.is_in_braces(root) {
            return self.insert_in_braces(root, entries.first());
        }
        let Some(first) = entries.first() else {
            let gap = if self.text.is_empty() || self.text.ends_with('\n') {
                ""
            } else {
                self.line_end()
            };
            let line = format!("{gap}{}{}", self.pair(), self.line_end());
            return Some(Edit::insert(self.text.len(), line));
        };
        let (line, before) = self.line_of(first);
        // A TOML table's header: what stands above the first one belongs to the root.
        let blank_line = if before.starts_with('[') { self.line_end() } else { "" };
        let before = before.trim_start_matches('[');
        let text = format!("{before}{}{}{blank_line}", self.pair(), self.line_end());
        before.trim().is_empty().then(|| Edit::insert(line, text))
    }

    pub(super) fn insert_into(&self, domain: &Node) -> Option<Edit> {
        let entries = domain.entries()?;
        if self.is_in_braces(domain) {
            return self.insert_in_braces(domain, entries.first());
        }
        // In TOML, an entry that is a table may have a header of its own.
        let beside = entries.iter().find(|entry| !matches!(entry.value.value, Kind::Map(_)))?;
        let beside = if self.format == Format::Toml { beside } else { entries.first()? };
        let (line, before) = self.line_of(beside);
        if self.format == Format::Yaml && !before.trim().is_empty() {
            return None;
        }
        Some(Edit::insert(line, format!("{before}{}{}", self.pair(), self.line_end())))
    }

    fn is_in_braces(&self, map: &Node) -> bool {
        self.text.get(map.span.start..).is_some_and(|rest| rest.starts_with('{'))
    }

    /// Before the first entry, with the blanks that stand before that one.
    fn insert_in_braces(&self, map: &Node, first: Option<&Entry>) -> Option<Edit> {
        let open = map.span.start + 1;
        let Some(first) = first else {
            return Some(Edit::insert(open, self.pair()));
        };
        let gap = self.text.get(open..first.key.span.start)?;
        let colon = self.text.get(first.key.span.end..first.value.span.start)?;
        let compact = self.format == Format::Json && colon == ":";
        let pair = if compact { self.pair().replacen(": ", ":", 1) } else { self.pair() };
        let blank = gap.contains('\n') && gap.trim().is_empty();
        let gap = match (blank, compact) {
            (true, _) => gap,
            (false, true) => "",
            (false, false) => " ",
        };
        Some(Edit::insert(first.key.span.start, format!("{pair},{gap}")))
    }

    /// Where the line of an entry begins, and what stands there before its key.
    fn line_of(&self, entry: &Entry) -> (usize, &str) {
        let before = self.text.get(..entry.key.span.start).unwrap_or_default();
        let mark = if before.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let line = before.rfind('\n').map_or(mark, |at| at + 1);
        (line, before.get(line..).unwrap_or_default())
    }

    fn value(&self) -> String {
        match self.format {
            Format::Json => format!("\"{}\"", self.date),
            Format::Toml | Format::Yaml => self.date.to_string(),
        }
    }

    fn pair(&self) -> String {
        match self.format {
            Format::Json => format!("\"{KEY}\": {}", self.value()),
            Format::Toml => format!("{KEY} = {}", self.value()),
            Format::Yaml => format!("{KEY}: {}", self.value()),
        }
    }

    fn line_end(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }
}

/// How many quotes stand at each end.
fn quotes(written: &str) -> usize {
    let enclosed = |mark: &str| {
        written.len() >= 2 * mark.len() && written.starts_with(mark) && written.ends_with(mark)
    };
    if enclosed("\"\"\"") || enclosed("'''") {
        3
    } else {
        usize::from(enclosed("\"") || enclosed("'"))
    }
}
