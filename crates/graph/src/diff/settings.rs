//! Compares the settings of the whole graph: unlisted actions, decay, reviews, confidence, contacts,
//! places.

use super::actions::STRANGER_VERBS;
use super::{DiffDirection, DiffSubject, Difference, GraphPair, SubjectDiff, join_names, places};
use countersign_core::model::graph::{Decay, Graph, LastReview, Unclassified, VisibilityRule};
use countersign_core::model::names::Action;
use countersign_core::model::words::{Tier, VisiblePolicy};
use std::collections::BTreeSet;

pub(super) fn diff(graphs: &GraphPair<'_>, differences: &mut Vec<Difference>) {
    let GraphPair { old, new } = graphs;
    let mut out = SubjectDiff { subject: DiffSubject::Graph, differences };
    let denies = |graph: &Graph| graph.unclassified == Unclassified::Deny;
    let word = |deny: &bool| if *deny { "deny" } else { "ask" }.to_owned();
    out.compare("unclassified", denies(old), denies(new), word);
    diff_visible(old.visible, new.visible, &mut out);
    diff_decay(graphs, &mut out);
    diff_review_date(graphs, &old.last_reviewed, &new.last_reviewed, &mut out);
    diff_contacts(graphs, &mut out);
    places::diff(graphs, &mut out);
}

/// A higher number is stricter.
const fn policy_strictness(policy: VisiblePolicy) -> u8 {
    match policy {
        VisiblePolicy::Seed => 0,
        VisiblePolicy::Reversible => 1,
        VisiblePolicy::Never => 2,
    }
}

pub(super) fn diff_visible(old: VisibilityRule, new: VisibilityRule, out: &mut SubjectDiff<'_>) {
    if let Some(direction) = DiffDirection::from_strictness(
        &policy_strictness(old.policy),
        &policy_strictness(new.policy),
    ) {
        out.add("visible.policy", old.policy.to_string(), new.policy.to_string(), direction);
    }
    let Some(direction) = DiffDirection::from_strictness(&old.threshold, &new.threshold) else {
        return;
    };
    // Under the policy `never` the threshold has no effect.
    let counts = old.policy != VisiblePolicy::Never || new.policy != VisiblePolicy::Never;
    let direction = if counts { direction } else { DiffDirection::Neither };
    out.add("visible.threshold", old.threshold.to_string(), new.threshold.to_string(), direction);
}

/// The interval also applies to project grants, with or without decay.
fn diff_decay(graphs: &GraphPair<'_>, out: &mut SubjectDiff<'_>) {
    let GraphPair { old, new } = graphs;
    let enabled = |graph: &Graph| graph.decay != Decay::Off;
    out.compare("consent_decay.enabled", enabled(old), enabled(new), bool::to_string);
    if let Some(direction) = DiffDirection::from_strictness(&new.review_days, &old.review_days) {
        let (before, after) = (old.review_days.to_string(), new.review_days.to_string());
        out.add("consent_decay.review_interval_days", before, after, direction);
    }
}

/// A later date renews decayed consent. An earlier one may too, if the other was in the future.
pub(super) fn diff_review_date(
    graphs: &GraphPair<'_>,
    old: &LastReview,
    new: &LastReview,
    out: &mut SubjectDiff<'_>,
) {
    if old == new {
        return;
    }
    let direction = match (graphs.new.decay, old, new) {
        (Decay::Off, _, _) => DiffDirection::Neither,
        (Decay::AfterDays(_), _, LastReview::Never | LastReview::Unreadable(_)) => {
            DiffDirection::Stricter
        }
        (Decay::AfterDays(_), LastReview::On(old), LastReview::On(new)) if new < old => {
            DiffDirection::Unclear
        }
        (Decay::AfterDays(_), _, LastReview::On(_)) => DiffDirection::Looser,
    };
    out.add("last_reviewed", describe_review(old), describe_review(new), direction);
}

fn describe_review(reviewed: &LastReview) -> String {
    match reviewed {
        LastReview::Never => "never".to_owned(),
        LastReview::On(date) => date.to_string(),
        LastReview::Unreadable(text) => format!("`{text}`"),
    }
}

fn diff_contacts(graphs: &GraphPair<'_>, out: &mut SubjectDiff<'_>) {
    let ids = |graph: &Graph| -> BTreeSet<String> {
        graph.contacts.values().flatten().cloned().collect()
    };
    let (old, new) = (ids(graphs.old), ids(graphs.new));
    if old == new {
        return;
    }
    // Shows only the contacts that were removed and added, not both lists.
    let (removed, added) = (&old - &new, &new - &old);
    let direction = match DiffDirection::from_permissions(&old, &new) {
        DiffDirection::Stricter if !are_strangers_blocked(graphs.new) => DiffDirection::Unclear,
        direction => direction,
    };
    out.add("vip_contacts", join_names(&removed), join_names(&added), direction);
}

/// Whether every domain with a stranger verb blocks strangers. Otherwise the rule for strangers
/// may be the more permissive one in some respect.
fn are_strangers_blocked(graph: &Graph) -> bool {
    let is_blocked = |action: &Action| {
        let rules =
            STRANGER_VERBS.iter().filter_map(|verb| Action::new(action.domain(), verb).ok());
        rules.filter_map(|a| graph.rule(&a)).any(|rule| rule.tier == Tier::Blocked)
    };
    let mut about_strangers = graph.rules.keys().filter(|a| STRANGER_VERBS.contains(&a.verb()));
    about_strangers.all(is_blocked)
}
