//! Problems in a file: what is wrong, where, and how to fix it.
//!
//! Spans are byte offsets; lines and columns are computed only for display. `Problems` is the
//! error type of this crate: all problems of a file together with its text.

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};
use std::fmt;

/// A range of bytes in a text; the end is exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TextSpan {
    pub start: usize,
    pub end: usize,
}

impl TextSpan {
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    pub const fn at_offset(offset: usize) -> Self {
        Self { start: offset, end: offset }
    }

    /// The text of the span, or `None` if the span is not from this text.
    pub fn slice<'t>(&self, text: &'t str) -> Option<&'t str> {
        text.get(self.start..self.end)
    }
}

/// A position for display: line and column, both counted from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineColumn {
    pub line: usize,
    pub column: usize,
}

impl LineColumn {
    pub fn from_offset(text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let column = before.get(line_start..).unwrap_or_default().chars().count() + 1;
        Self { line, column }
    }
}

impl fmt::Display for LineColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Problem {
    pub span: TextSpan,
    pub message: String,
    pub help: String,
}

impl Problem {
    pub fn new(span: TextSpan, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { span, message: message.into(), help: help.into() }
    }
}

/// Every problem of one file, with its name and text.
#[derive(Clone, Debug)]
pub struct Problems {
    source: NamedSource<String>,
    list: Vec<Problem>,
}

impl Problems {
    pub fn new(name: &str, bytes: &[u8], list: Vec<Problem>) -> Self {
        // The replacement shifts offsets after the first invalid byte; no span lies there.
        let text = String::from_utf8_lossy(bytes).into_owned();
        Self { source: NamedSource::new(name, text), list }
    }

    pub fn name(&self) -> &str {
        self.source.name()
    }

    pub fn text(&self) -> &str {
        self.source.inner()
    }

    pub fn list(&self) -> &[Problem] {
        &self.list
    }

    /// `file:line:column: message`, one line for each problem.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        self.list.iter().map(|problem| {
            let place = LineColumn::from_offset(self.text(), problem.span.start);
            format!("{}:{place}: {}", self.name(), problem.message)
        })
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lines().collect::<Vec<_>>().join("\n"))
    }
}

impl std::error::Error for Problems {}

/// A single problem shows its help below the snippet. With several, each help is a label.
impl Diagnostic for Problems {
    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let single = self.list.len() == 1;
        Some(Box::new(self.list.iter().map(move |problem| {
            let label = (!single).then(|| problem.help.clone());
            let TextSpan { start, end } = problem.span;
            LabeledSpan::new(label, start, end.saturating_sub(start))
        })))
    }

    fn help(&self) -> Option<Box<dyn fmt::Display + '_>> {
        match self.list.as_slice() {
            [problem] => Some(Box::new(&problem.help)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_counts_lines_and_characters_from_one() {
        let text = "ä: 1\r\nöß: 2\n";
        let places: Vec<_> = [0, 2, text.find('2').unwrap(), text.len(), 999]
            .map(|at| LineColumn::from_offset(text, at))
            .into();
        let place = |line, column| LineColumn { line, column };
        assert_eq!(places, [place(1, 1), place(1, 2), place(2, 5), place(3, 1), place(3, 1)]);
    }

    #[test]
    fn every_problem_prints_its_file_line_and_column() {
        let first = Problem::new(TextSpan::new(0, 1), "`a` is unknown", "remove it");
        let second = Problem::new(TextSpan::new(5, 6), "`b` is unknown", "remove it");
        let problems = Problems::new("g.yaml", b"a: 1\nb: 2\n", vec![first, second]);
        assert_eq!(problems.to_string(), "g.yaml:1:1: `a` is unknown\ng.yaml:2:1: `b` is unknown");
    }
}
