//! Reads the settings that apply to no single action: confidence, decay, reviews, contacts.

use crate::fields::{MapFields, is_comment};
use crate::limits;
use crate::node::{DocumentNode, NodeValue};
use crate::problem::TextSpan;
use crate::report::ProblemReport;
use countersign_core::model::graph::{Decay, LastReview, Unclassified, VisibilityRule};
use countersign_core::model::time::Date;
use countersign_core::model::words::VisiblePolicy;
use std::collections::BTreeMap;

const DECAY_ACTION: &str = "downgrade_to_requires_approval";
/// Used if the file has no `review_interval_days`.
const DEFAULT_REVIEW_DAYS: u32 = 30;

/// Each missing key is inherited.
pub(crate) fn read_visible(
    node: Option<&DocumentNode>,
    inherited: VisibilityRule,
    report: &mut ProblemReport,
) -> VisibilityRule {
    let fields = node.and_then(|n| MapFields::read(n, "visible", &["threshold", "policy"], report));
    let Some(fields) = fields else { return inherited };
    let threshold = fields.get("threshold").and_then(|n| report.read_fraction(n, "threshold"));
    let policy = fields.get("policy").and_then(|n| {
        let words: Vec<_> = VisiblePolicy::ALL.iter().map(|policy| policy.word()).collect();
        report.read_word(n, "policy", &words, VisiblePolicy::from_word)
    });
    VisibilityRule {
        threshold: threshold.unwrap_or(inherited.threshold),
        policy: policy.unwrap_or(inherited.policy),
    }
}

pub(crate) fn read_unclassified(
    node: Option<&DocumentNode>,
    report: &mut ProblemReport,
) -> Unclassified {
    let read = |word: &str| match word {
        "ask" => Some(Unclassified::Ask),
        "deny" => Some(Unclassified::Deny),
        _ => None,
    };
    let found = node.and_then(|n| report.read_word(n, "unclassified", &["ask", "deny"], read));
    found.unwrap_or(Unclassified::Ask)
}

/// A review date with its span in the file.
pub(crate) struct ReviewDate {
    pub(crate) span: TextSpan,
    pub(crate) reviewed: LastReview,
}

/// An invalid date is kept as `Unreadable`: it counts as never reviewed, the strict reading.
pub(crate) fn read_last_reviewed(
    node: &DocumentNode,
    report: &mut ProblemReport,
) -> Option<ReviewDate> {
    let text = match &node.value {
        NodeValue::String(text) => text.clone(),
        NodeValue::Null => "null".to_owned(),
        NodeValue::Bool(flag) => flag.to_string(),
        NodeValue::Int(int) => int.to_string(),
        NodeValue::Float(float) => float.to_string(),
        NodeValue::List(_) | NodeValue::Map(_) => {
            let message =
                format!("`last_reviewed` should be a date, but this is {}", node.describe_type());
            report.add_problem(node.span, message, "write a day, for example 2026-01-05");
            return None;
        }
    };
    let reviewed = Date::parse(&text).map_or_else(
        || {
            let message = format!("`{text}` is not a date and counts as never reviewed");
            report.add_warning(
                node.span,
                message,
                "write the day as 2026-01-05, or review the graph",
            );
            LastReview::Unreadable(text.clone())
        },
        LastReview::On,
    );
    Some(ReviewDate { span: node.span, reviewed })
}

/// Whether consent decays, and the review interval, which project grants use even without decay.
pub(crate) fn read_decay(node: Option<&DocumentNode>, report: &mut ProblemReport) -> (Decay, u32) {
    let keys = ["enabled", "review_interval_days", "decay_action"];
    let fields = node.and_then(|node| {
        MapFields::read(node, "consent_decay", &keys, report).map(|fields| (node, fields))
    });
    let Some((node, fields)) = fields else { return (Decay::Off, DEFAULT_REVIEW_DAYS) };
    let days = fields
        .get("review_interval_days")
        .and_then(|n| report.read_integer(n, "review_interval_days", limits::REVIEW_DAYS_RANGE))
        .unwrap_or(DEFAULT_REVIEW_DAYS);
    if let Some(action) = fields.get("decay_action") {
        let read = |word: &str| (word == DECAY_ACTION).then_some(());
        report.read_word(action, "decay_action", &[DECAY_ACTION], read);
    }
    let Some(enabled) = fields.get("enabled") else {
        let message = "`consent_decay` does not say whether it is enabled";
        report.add_problem(node.span, message, "write `enabled: true` or `enabled: false`");
        return (Decay::Off, days);
    };
    match report.read_bool(enabled, "enabled") {
        Some(true) => (Decay::AfterDays(days), days),
        Some(false) | None => (Decay::Off, days),
    }
}

pub(crate) fn read_contacts(
    node: Option<&DocumentNode>,
    report: &mut ProblemReport,
) -> BTreeMap<String, Vec<String>> {
    let entries = node.and_then(|n| report.read_map(n, "vip_contacts")).unwrap_or_default();
    entries
        .iter()
        .filter(|entry| !is_comment(entry))
        .map(|entry| (entry.key.name.clone(), read_contact_ids(&entry.value, report)))
        .collect()
}

fn read_contact_ids(node: &DocumentNode, report: &mut ProblemReport) -> Vec<String> {
    let single = std::slice::from_ref(node);
    let ids = if let NodeValue::List(ids) = &node.value { ids.as_slice() } else { single };
    if ids.is_empty() {
        report.add_problem(
            node.span,
            "a contact needs an id",
            "write a number or an address in quotes",
        );
    }
    ids.iter().filter_map(|id| read_contact_id(id, report)).collect()
}

fn read_contact_id(node: &DocumentNode, report: &mut ProblemReport) -> Option<String> {
    // Unquoted, `+15550100` is a number in YAML and loses its plus.
    let help = "write a number or an address in quotes, for example \"+15550100\"";
    let NodeValue::String(id) = &node.value else {
        let message =
            format!("the id of a contact should be text, but this is {}", node.describe_type());
        report.add_problem(node.span, message, help);
        return None;
    };
    if id.is_empty() || id.trim() != id || id.chars().any(char::is_control) {
        let message = format!("`{}` cannot be the id of a contact", id.escape_debug());
        report.add_problem(node.span, message, help);
        return None;
    }
    Some(id.clone())
}
