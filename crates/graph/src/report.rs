//! What was found wrong while a graph is read, and the typed readers that find it.
//!
//! Each reader returns what it read, or reports why it could not and returns nothing; reading
//! goes on, so that one run shows every problem.

use crate::limits;
use crate::node::{Entry, Kind, Node};
use crate::problem::{Problem, Span};
use std::ops::RangeInclusive;

#[derive(Default)]
pub(crate) struct Report {
    problems: Vec<Problem>,
    not_kept: usize,
    pub(crate) warnings: Vec<Problem>,
}

impl Report {
    pub(crate) fn problem(
        &mut self,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.misspelt(span, message, || help.into());
    }

    /// Looking for the nearest name takes a while, so it is done only for what will be shown.
    pub(crate) fn misspelt(
        &mut self,
        span: Span,
        message: impl Into<String>,
        help: impl FnOnce() -> String,
    ) {
        if self.problems.len() < limits::PROBLEMS {
            self.problems.push(Problem::new(span, message, help()));
        } else {
            self.not_kept += 1;
        }
    }

    pub(crate) fn warn(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>) {
        if self.warnings.len() < limits::PROBLEMS {
            self.warnings.push(Problem::new(span, message, help));
        }
    }

    /// The warnings of a reading without problems.
    pub(crate) fn finish(mut self) -> Result<Vec<Problem>, Vec<Problem>> {
        self.problems.sort_by_key(|problem| problem.span.start);
        if self.not_kept > 0 {
            let span = self.problems.last().map_or(Span::at(0), |problem| problem.span);
            let message = format!("{} more problems are not shown", self.not_kept);
            self.problems.push(Problem::new(span, message, "mend these first"));
        }
        if self.problems.is_empty() { Ok(self.warnings) } else { Err(self.problems) }
    }

    fn mismatch(&mut self, node: &Node, what: &str, wanted: &str, help: &str) {
        let message = format!("`{what}` should be {wanted}, and this is {}", node.described());
        self.problem(node.span, message, help);
    }

    pub(crate) fn text<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n str> {
        if let Kind::String(text) = &node.value {
            return Some(text);
        }
        self.mismatch(node, what, "text", "put it in quotes if it is meant as text");
        None
    }

    pub(crate) fn flag(&mut self, node: &Node, what: &str) -> Option<bool> {
        if let Kind::Bool(flag) = node.value {
            return Some(flag);
        }
        self.mismatch(node, what, "`true` or `false`", "write `true` or `false`, without quotes");
        None
    }

    pub(crate) fn list<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n [Node]> {
        if let Kind::List(items) = &node.value {
            return Some(items);
        }
        self.mismatch(node, what, "a list", "write `[]` for an empty list, `[name]` for one entry");
        None
    }

    pub(crate) fn map<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n [Entry]> {
        let entries = node.entries();
        if entries.is_none() {
            self.mismatch(node, what, "a map", "write its keys and values, or remove it");
        }
        entries
    }

    pub(crate) fn whole(
        &mut self,
        node: &Node,
        what: &str,
        range: RangeInclusive<u32>,
    ) -> Option<u32> {
        let help = format!("write a whole number from {} to {}", range.start(), range.end());
        let Kind::Int(int) = node.value else {
            self.mismatch(node, what, "a whole number", &help);
            return None;
        };
        let number = u32::try_from(int).ok().filter(|number| range.contains(number));
        if number.is_none() {
            self.problem(node.span, format!("`{what}` may not be `{int}`"), help);
        }
        number
    }

    /// A number from 0 to 1; NaN is none.
    pub(crate) fn fraction(&mut self, node: &Node, what: &str) -> Option<f64> {
        let help = "write a number from 0 to 1, for example 0.85";
        let number = match node.value {
            Kind::Float(float) => float,
            Kind::Int(0) => 0.0,
            Kind::Int(1) => 1.0,
            Kind::Int(int) => {
                self.problem(node.span, format!("`{what}` may not be `{int}`"), help);
                return None;
            }
            Kind::Null | Kind::Bool(_) | Kind::String(_) | Kind::List(_) | Kind::Map(_) => {
                self.mismatch(node, what, "a number", help);
                return None;
            }
        };
        if (0.0..=1.0).contains(&number) {
            return Some(number);
        }
        self.problem(node.span, format!("`{what}` may not be `{number}`"), help);
        None
    }

    /// One of a closed set of words.
    pub(crate) fn word<T>(
        &mut self,
        node: &Node,
        what: &str,
        words: &[&str],
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let text = self.text(node, what)?;
        let found = read(text);
        if found.is_none() {
            let help = format!("write one of {}", quoted(words));
            self.problem(node.span, format!("`{what}` may not be `{text}`"), help);
        }
        found
    }
}

/// `a`, `b`, `c`, each in backticks.
pub(crate) fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}
