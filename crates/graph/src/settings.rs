//! The settings of a graph that name no action: confidence, decay, reviews, contacts.

use crate::fields::{Fields, is_remark};
use crate::limits;
use crate::node::{Kind, Node};
use crate::problem::Span;
use crate::report::Report;
use countersign_core::model::graph::{Decay, Reviewed, Unclassified, Visible};
use countersign_core::model::time::Date;
use countersign_core::model::words::VisiblePolicy;
use std::collections::BTreeMap;

const DECAY_ACTION: &str = "downgrade_to_requires_approval";
/// Where the file names no `review_interval_days`.
const REVIEW_DAYS: u32 = 30;

/// Each key that is not there is inherited.
pub(crate) fn visible(node: Option<&Node>, inherited: Visible, report: &mut Report) -> Visible {
    let fields = node.and_then(|n| Fields::read(n, "visible", &["threshold", "policy"], report));
    let Some(fields) = fields else { return inherited };
    let threshold = fields.get("threshold").and_then(|n| report.fraction(n, "threshold"));
    let policy = fields.get("policy").and_then(|n| {
        let words: Vec<_> = VisiblePolicy::ALL.iter().map(|policy| policy.word()).collect();
        report.word(n, "policy", &words, VisiblePolicy::from_word)
    });
    Visible {
        threshold: threshold.unwrap_or(inherited.threshold),
        policy: policy.unwrap_or(inherited.policy),
    }
}

pub(crate) fn unclassified(node: Option<&Node>, report: &mut Report) -> Unclassified {
    let read = |word: &str| match word {
        "ask" => Some(Unclassified::Ask),
        "deny" => Some(Unclassified::Deny),
        _ => None,
    };
    let found = node.and_then(|n| report.word(n, "unclassified", &["ask", "deny"], read));
    found.unwrap_or(Unclassified::Ask)
}

/// A review date and where it stands.
pub(crate) struct Dated {
    pub(crate) span: Span,
    pub(crate) reviewed: Reviewed,
}

/// A date that cannot be read is kept as such: it counts as never, which is the strict reading.
pub(crate) fn last_reviewed(node: &Node, report: &mut Report) -> Option<Dated> {
    let written = match &node.value {
        Kind::String(text) => text.clone(),
        Kind::Null => "null".to_owned(),
        Kind::Bool(flag) => flag.to_string(),
        Kind::Int(int) => int.to_string(),
        Kind::Float(float) => float.to_string(),
        Kind::List(_) | Kind::Map(_) => {
            let message = format!("`last_reviewed` is a date, and this is {}", node.described());
            report.problem(node.span, message, "write a day, for example 2026-01-05");
            return None;
        }
    };
    let reviewed = Date::parse(&written).map_or_else(
        || {
            let message = format!("`{written}` is not a date, and counts as never reviewed");
            report.warn(node.span, message, "write the day as 2026-01-05, or review the graph");
            Reviewed::Unreadable(written.clone())
        },
        Reviewed::On,
    );
    Some(Dated { span: node.span, reviewed })
}

/// Whether consent decays, and the interval, which counts for project grants either way.
pub(crate) fn decay(node: Option<&Node>, report: &mut Report) -> (Decay, u32) {
    let keys = ["enabled", "review_interval_days", "decay_action"];
    let fields = node.and_then(|node| {
        Fields::read(node, "consent_decay", &keys, report).map(|fields| (node, fields))
    });
    let Some((node, fields)) = fields else { return (Decay::Off, REVIEW_DAYS) };
    let days = fields
        .get("review_interval_days")
        .and_then(|n| report.whole(n, "review_interval_days", limits::REVIEW_DAYS))
        .unwrap_or(REVIEW_DAYS);
    if let Some(action) = fields.get("decay_action") {
        let read = |word: &str| (word == DECAY_ACTION).then_some(());
        report.word(action, "decay_action", &[DECAY_ACTION], read);
    }
    let Some(enabled) = fields.get("enabled") else {
        let message = "`consent_decay` does not say whether it is enabled";
        report.problem(node.span, message, "write `enabled: true` or `enabled: false`");
        return (Decay::Off, days);
    };
    match report.flag(enabled, "enabled") {
        Some(true) => (Decay::AfterDays(days), days),
        Some(false) | None => (Decay::Off, days),
    }
}

pub(crate) fn contacts(node: Option<&Node>, report: &mut Report) -> BTreeMap<String, Vec<String>> {
    let entries = node.and_then(|n| report.map(n, "vip_contacts")).unwrap_or_default();
    entries
        .iter()
        .filter(|entry| !is_remark(entry))
        .map(|entry| (entry.key.name.clone(), contact_ids(&entry.value, report)))
        .collect()
}

fn contact_ids(node: &Node, report: &mut Report) -> Vec<String> {
    let single = std::slice::from_ref(node);
    let ids = if let Kind::List(ids) = &node.value { ids.as_slice() } else { single };
    if ids.is_empty() {
        report.problem(
            node.span,
            "a contact needs an id",
            "write a number or an address in quotes",
        );
    }
    ids.iter().filter_map(|id| contact_id(id, report)).collect()
}

fn contact_id(node: &Node, report: &mut Report) -> Option<String> {
    // Unquoted, `+15550100` is a number in YAML and loses its plus.
    let help = "write a number or an address in quotes, for example \"+15550100\"";
    let Kind::String(id) = &node.value else {
        let message = format!("a contact's id is text, and this is {}", node.described());
        report.problem(node.span, message, help);
        return None;
    };
    if id.is_empty() || id.trim() != id || id.chars().any(char::is_control) {
        let message = format!("`{}` cannot be the id of a contact", id.escape_debug());
        report.problem(node.span, message, help);
        return None;
    }
    Some(id.clone())
}
