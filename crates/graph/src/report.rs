//! Collects problems and warnings while a graph is read, and reads nodes as typed values.
//!
//! Each `read_…` method returns the value, or reports a problem and returns `None`. Reading
//! continues after a problem, so that one run shows all of them.

use crate::limits;
use crate::node::{DocumentNode, MapEntry, NodeValue};
use crate::problem::{Problem, TextSpan};
use std::ops::RangeInclusive;

#[derive(Default)]
pub(crate) struct ProblemReport {
    problems: Vec<Problem>,
    dropped_count: usize,
    pub(crate) warnings: Vec<Problem>,
}

impl ProblemReport {
    pub(crate) fn add_problem(
        &mut self,
        span: TextSpan,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.add_problem_with(span, message, || help.into());
    }

    /// Takes the help lazily: the search for a similar name is slow, and only problems that are
    /// shown need it.
    pub(crate) fn add_problem_with(
        &mut self,
        span: TextSpan,
        message: impl Into<String>,
        help: impl FnOnce() -> String,
    ) {
        if self.problems.len() < limits::MAX_PROBLEMS {
            self.problems.push(Problem::new(span, message, help()));
        } else {
            self.dropped_count += 1;
        }
    }

    pub(crate) fn add_warning(
        &mut self,
        span: TextSpan,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        if self.warnings.len() < limits::MAX_PROBLEMS {
            self.warnings.push(Problem::new(span, message, help));
        }
    }

    /// The warnings, or the problems if there are any.
    pub(crate) fn finish(mut self) -> Result<Vec<Problem>, Vec<Problem>> {
        self.problems.sort_by_key(|problem| problem.span.start);
        if self.dropped_count > 0 {
            let span = self.problems.last().map_or(TextSpan::at_offset(0), |problem| problem.span);
            let message = format!("{} more problems are not shown", self.dropped_count);
            self.problems.push(Problem::new(span, message, "fix these first"));
        }
        if self.problems.is_empty() { Ok(self.warnings) } else { Err(self.problems) }
    }

    fn report_type_mismatch(
        &mut self,
        node: &DocumentNode,
        label: &str,
        expected: &str,
        help: &str,
    ) {
        let message =
            format!("`{label}` should be {expected}, but this is {}", node.describe_type());
        self.add_problem(node.span, message, help);
    }

    pub(crate) fn read_text<'n>(&mut self, node: &'n DocumentNode, label: &str) -> Option<&'n str> {
        if let NodeValue::String(text) = &node.value {
            return Some(text);
        }
        self.report_type_mismatch(node, label, "text", "put it in quotes if it is meant as text");
        None
    }

    pub(crate) fn read_bool(&mut self, node: &DocumentNode, label: &str) -> Option<bool> {
        if let NodeValue::Bool(flag) = node.value {
            return Some(flag);
        }
        self.report_type_mismatch(
            node,
            label,
            "`true` or `false`",
            "write `true` or `false`, without quotes",
        );
        None
    }

    pub(crate) fn read_list<'n>(
        &mut self,
        node: &'n DocumentNode,
        label: &str,
    ) -> Option<&'n [DocumentNode]> {
        if let NodeValue::List(items) = &node.value {
            return Some(items);
        }
        self.report_type_mismatch(
            node,
            label,
            "a list",
            "write `[]` for an empty list, `[name]` for one entry",
        );
        None
    }

    pub(crate) fn read_map<'n>(
        &mut self,
        node: &'n DocumentNode,
        label: &str,
    ) -> Option<&'n [MapEntry]> {
        let entries = node.entries();
        if entries.is_none() {
            self.report_type_mismatch(
                node,
                label,
                "a map",
                "write its keys and values, or remove it",
            );
        }
        entries
    }

    pub(crate) fn read_integer(
        &mut self,
        node: &DocumentNode,
        label: &str,
        range: RangeInclusive<u32>,
    ) -> Option<u32> {
        let help = format!("write a whole number from {} to {}", range.start(), range.end());
        let NodeValue::Int(int) = node.value else {
            self.report_type_mismatch(node, label, "a whole number", &help);
            return None;
        };
        let number = u32::try_from(int).ok().filter(|number| range.contains(number));
        if number.is_none() {
            self.add_problem(node.span, format!("`{label}` may not be `{int}`"), help);
        }
        number
    }

    /// A number from 0 to 1; NaN is refused.
    pub(crate) fn read_fraction(&mut self, node: &DocumentNode, label: &str) -> Option<f64> {
        let help = "write a number from 0 to 1, for example 0.85";
        let number = match node.value {
            NodeValue::Float(float) => float,
            NodeValue::Int(0) => 0.0,
            NodeValue::Int(1) => 1.0,
            NodeValue::Int(int) => {
                self.add_problem(node.span, format!("`{label}` may not be `{int}`"), help);
                return None;
            }
            NodeValue::Null
            | NodeValue::Bool(_)
            | NodeValue::String(_)
            | NodeValue::List(_)
            | NodeValue::Map(_) => {
                self.report_type_mismatch(node, label, "a number", help);
                return None;
            }
        };
        if (0.0..=1.0).contains(&number) {
            return Some(number);
        }
        self.add_problem(node.span, format!("`{label}` may not be `{number}`"), help);
        None
    }

    /// One of a closed set of words.
    pub(crate) fn read_word<T>(
        &mut self,
        node: &DocumentNode,
        label: &str,
        words: &[&str],
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let text = self.read_text(node, label)?;
        let found = read(text);
        if found.is_none() {
            let help = format!("write one of {}", quote_words(words));
            self.add_problem(node.span, format!("`{label}` may not be `{text}`"), help);
        }
        found
    }
}

/// The span of an offset inside a text. The whole text if escapes make the offset uncertain.
pub(crate) fn span_within_text(node: &DocumentNode, text: &str, offset: usize) -> TextSpan {
    let TextSpan { start, end } = node.span;
    match (end.saturating_sub(start)).checked_sub(text.len()) {
        Some(0) => TextSpan::new(start + offset, end),
        // Quoted, without escapes.
        Some(2) => TextSpan::new(start + 1 + offset, end),
        Some(_) | None => node.span,
    }
}

/// Puts each word in backticks and joins them with commas.
pub(crate) fn quote_words(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}
