//! Reads `secrets` and `guarded`: lists of place patterns.

use crate::limits;
use crate::node::DocumentNode;
use crate::places::PlacePattern;
use crate::report::{ProblemReport, span_within_text};
use std::collections::HashMap;

/// The patterns of a list, as written. Invalid ones are reported and left out.
pub(crate) fn read_place_patterns(
    node: Option<&DocumentNode>,
    label: &str,
    report: &mut ProblemReport,
) -> Vec<String> {
    let entries = node.and_then(|node| report.read_list(node, label)).unwrap_or_default();
    if let Some(node) = node.filter(|_| entries.len() > limits::MAX_PLACE_PATTERNS) {
        let message = format!("`{label}` has more than {} patterns", limits::MAX_PLACE_PATTERNS);
        report.add_problem(node.span, message, "name folders instead of single files");
        return Vec::new();
    }
    let mut seen = HashMap::new();
    let mut patterns = Vec::new();
    for entry in entries {
        let Some(text) = read_place_pattern(entry, label, report) else { continue };
        if let Some(earlier) = seen.insert(fold_pattern(text), text) {
            report_repeated_pattern(entry, earlier, text, report);
        } else {
            patterns.push(text.to_owned());
        }
    }
    patterns
}

fn read_place_pattern<'n>(
    entry: &'n DocumentNode,
    label: &str,
    report: &mut ProblemReport,
) -> Option<&'n str> {
    let text = report.read_text(entry, label)?;
    match PlacePattern::parse(text) {
        Ok(_) => Some(text),
        Err(error) => {
            let message = format!("`{}` is not a place pattern: {error}", text.escape_debug());
            let span = span_within_text(entry, text, error.offset);
            report.add_problem(span, message, error.fault.help());
            None
        }
    }
}

/// What two patterns have in common that match the same paths.
fn fold_pattern(text: &str) -> String {
    text.strip_prefix(PlacePattern::EXCEPTION_MARK).unwrap_or(text).to_ascii_lowercase()
}

fn report_repeated_pattern(
    entry: &DocumentNode,
    earlier: &str,
    text: &str,
    report: &mut ProblemReport,
) {
    let is_exception = |text: &str| text.starts_with(PlacePattern::EXCEPTION_MARK);
    let message = if is_exception(earlier) == is_exception(text) {
        format!("the pattern `{text}` occurs twice")
    } else {
        format!("`{earlier}` and `{text}` cancel each other")
    };
    report.add_problem(entry.span, message, "remove one of the two");
}
