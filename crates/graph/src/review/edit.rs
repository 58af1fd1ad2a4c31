//! Small text edits in the style of the surrounding text.
//!
//! A key is inserted in braces, on its own line, or at the end of an empty file. A new line gets
//! the prefix of the line after it: indentation, or a dotted path in TOML.

use crate::node::{DocumentNode, Format, MapEntry, NodeValue};
use crate::problem::TextSpan;
use crate::text_edit::{Edit, line_ending};
use countersign_core::model::time::Date;

const KEY: &str = "last_reviewed";

pub(super) struct Editor<'t> {
    pub(super) text: &'t str,
    pub(super) format: Format,
    pub(super) date: Date,
}

impl Editor<'_> {
    /// Replaces only the date and keeps its quotes.
    pub(super) fn replace_date(&self, old: &DocumentNode) -> Edit {
        let TextSpan { start, end } = old.span;
        let old_text = old.span.slice(self.text).unwrap_or_default();
        if old_text.is_empty() {
            return Edit::insert(start, format!(" {}", self.date));
        }
        let quotes = count_quotes(old_text);
        if quotes > 0 {
            let inside = TextSpan::new(start + quotes, end - quotes);
            return Edit { span: inside, text: self.date.to_string() };
        }
        Edit { span: old.span, text: self.date_literal() }
    }

    pub(super) fn insert_at_root(&self, root: &DocumentNode) -> Option<Edit> {
        let entries = root.entries()?;
        if self.is_in_braces(root) {
            return self.insert_in_braces(root, entries.first());
        }
        let Some(first) = entries.first() else {
            let gap = if self.text.is_empty() || self.text.ends_with('\n') {
                ""
            } else {
                line_ending(self.text)
            };
            let line = format!("{gap}{}{}", self.key_and_date(), line_ending(self.text));
            return Some(Edit::insert(self.text.len(), line));
        };
        let (line, prefix) = self.line_prefix(first);
        // In TOML, the lines above the first table header belong to the root.
        let blank_line = if prefix.starts_with('[') { line_ending(self.text) } else { "" };
        let prefix = prefix.trim_start_matches('[');
        let text = format!("{prefix}{}{}{blank_line}", self.key_and_date(), line_ending(self.text));
        prefix.trim().is_empty().then(|| Edit::insert(line, text))
    }

    pub(super) fn insert_in_domain(&self, domain: &DocumentNode) -> Option<Edit> {
        let entries = domain.entries()?;
        if self.is_in_braces(domain) {
            return self.insert_in_braces(domain, entries.first());
        }
        // In TOML, an entry that is a table may have its own header.
        let non_table =
            entries.iter().find(|entry| !matches!(entry.value.value, NodeValue::Map(_)))?;
        let neighbour = if self.format == Format::Toml { non_table } else { entries.first()? };
        let (line, prefix) = self.line_prefix(neighbour);
        if self.format == Format::Yaml && !prefix.trim().is_empty() {
            return None;
        }
        Some(Edit::insert(
            line,
            format!("{prefix}{}{}", self.key_and_date(), line_ending(self.text)),
        ))
    }

    fn is_in_braces(&self, map: &DocumentNode) -> bool {
        self.text.get(map.span.start..).is_some_and(|rest| rest.starts_with('{'))
    }

    /// Inserts before the first entry, with the same whitespace.
    fn insert_in_braces(&self, map: &DocumentNode, first: Option<&MapEntry>) -> Option<Edit> {
        let after_brace = map.span.start + 1;
        let Some(first) = first else {
            return Some(Edit::insert(after_brace, self.key_and_date()));
        };
        let gap = self.text.get(after_brace..first.key.span.start)?;
        let colon = self.text.get(first.key.span.end..first.value.span.start)?;
        let compact = self.format == Format::Json && colon == ":";
        let pair =
            if compact { self.key_and_date().replacen(": ", ":", 1) } else { self.key_and_date() };
        let blank = gap.contains('\n') && gap.trim().is_empty();
        let gap = match (blank, compact) {
            (true, _) => gap,
            (false, true) => "",
            (false, false) => " ",
        };
        Some(Edit::insert(first.key.span.start, format!("{pair},{gap}")))
    }

    /// The start of the entry's line, and the text on that line before the key.
    fn line_prefix(&self, entry: &MapEntry) -> (usize, &str) {
        let before = self.text.get(..entry.key.span.start).unwrap_or_default();
        let mark = if before.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let line = before.rfind('\n').map_or(mark, |at| at + 1);
        (line, before.get(line..).unwrap_or_default())
    }

    fn date_literal(&self) -> String {
        match self.format {
            Format::Json => format!("\"{}\"", self.date),
            Format::Toml | Format::Yaml => self.date.to_string(),
        }
    }

    fn key_and_date(&self) -> String {
        match self.format {
            Format::Json => format!("\"{KEY}\": {}", self.date_literal()),
            Format::Toml => format!("{KEY} = {}", self.date_literal()),
            Format::Yaml => format!("{KEY}: {}", self.date_literal()),
        }
    }
}

/// The number of quote characters at each end.
fn count_quotes(old_text: &str) -> usize {
    let enclosed = |mark: &str| {
        old_text.len() >= 2 * mark.len() && old_text.starts_with(mark) && old_text.ends_with(mark)
    };
    if enclosed("\"\"\"") || enclosed("'''") {
        3
    } else {
        usize::from(enclosed("\"") || enclosed("'"))
    }
}
