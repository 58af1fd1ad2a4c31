//! What holds for the whole graph: the unlisted, decay, reviews, confidence, contacts.

use super::rules::STRANGERS;
use super::{Difference, Differences, Pair, Subject, Turn, listed};
use countersign_core::model::graph::{Decay, Graph, Reviewed, Unclassified, Visible};
use countersign_core::model::names::Action;
use countersign_core::model::words::{Tier, VisiblePolicy};
use std::collections::BTreeSet;

pub(super) fn diff(graphs: &Pair<'_>, found: &mut Vec<Difference>) {
    let Pair { old, new } = graphs;
    let mut out = Differences { subject: Subject::Graph, found };
    let denies = |graph: &Graph| graph.unclassified == Unclassified::Deny;
    let word = |deny: &bool| if *deny { "deny" } else { "ask" }.to_owned();
    out.ordered("unclassified", (denies(old), denies(new)), word);
    visible((old.visible, new.visible), &mut out);
    decay(graphs, &mut out);
    reviewed(graphs, (&old.last_reviewed, &new.last_reviewed), &mut out);
    contacts(graphs, &mut out);
}

/// By strictness.
const fn policy(policy: VisiblePolicy) -> u8 {
    match policy {
        VisiblePolicy::Seed => 0,
        VisiblePolicy::Reversible => 1,
        VisiblePolicy::Never => 2,
    }
}

pub(super) fn visible((old, new): (Visible, Visible), out: &mut Differences<'_>) {
    if let Some(turn) = Turn::towards(&policy(old.policy), &policy(new.policy)) {
        out.add("visible.policy", (old.policy.to_string(), new.policy.to_string()), turn);
    }
    let Some(turn) = Turn::towards(&old.threshold, &new.threshold) else { return };
    // What is never enough need not be more.
    let counts = old.policy != VisiblePolicy::Never || new.policy != VisiblePolicy::Never;
    let turn = if counts { turn } else { Turn::Neither };
    out.add("visible.threshold", (old.threshold.to_string(), new.threshold.to_string()), turn);
}

/// The interval also counts for project grants, whether decay is on or not.
fn decay(graphs: &Pair<'_>, out: &mut Differences<'_>) {
    let Pair { old, new } = graphs;
    let enabled = |graph: &Graph| graph.decay != Decay::Off;
    out.ordered("consent_decay.enabled", (enabled(old), enabled(new)), bool::to_string);
    if let Some(turn) = Turn::towards(&new.review_days, &old.review_days) {
        let days = (old.review_days.to_string(), new.review_days.to_string());
        out.add("consent_decay.review_interval_days", days, turn);
    }
}

/// A later date renews what has decayed. An earlier one may do so too, if the other lay ahead.
pub(super) fn reviewed(
    graphs: &Pair<'_>,
    (old, new): (&Reviewed, &Reviewed),
    out: &mut Differences<'_>,
) {
    if old == new {
        return;
    }
    let turn = match (graphs.new.decay, old, new) {
        (Decay::Off, _, _) => Turn::Neither,
        (Decay::AfterDays(_), _, Reviewed::Never | Reviewed::Unreadable(_)) => Turn::Stricter,
        (Decay::AfterDays(_), Reviewed::On(old), Reviewed::On(new)) if new < old => Turn::Unclear,
        (Decay::AfterDays(_), _, Reviewed::On(_)) => Turn::Looser,
    };
    out.add("last_reviewed", (date(old), date(new)), turn);
}

fn date(reviewed: &Reviewed) -> String {
    match reviewed {
        Reviewed::Never => "never".to_owned(),
        Reviewed::On(date) => date.to_string(),
        Reviewed::Unreadable(text) => format!("`{text}`"),
    }
}

fn contacts(graphs: &Pair<'_>, out: &mut Differences<'_>) {
    let ids = |graph: &Graph| -> BTreeSet<String> {
        graph.contacts.values().flatten().cloned().collect()
    };
    let (old, new) = (ids(graphs.old), ids(graphs.new));
    if old == new {
        return;
    }
    // A long list is not shown twice: before is who goes, after is who comes.
    let (gone, come) = (&old - &new, &new - &old);
    let turn = match Turn::of_permissions(&old, &new) {
        Turn::Stricter if !are_strangers_blocked(graphs.new) => Turn::Unclear,
        turn => turn,
    };
    out.add("vip_contacts", (listed(&gone), listed(&come)), turn);
}

/// Whether whoever is no contact is turned away, wherever a graph tells them apart. Otherwise the
/// rule for strangers may be the milder one in some respect.
fn are_strangers_blocked(graph: &Graph) -> bool {
    let is_blocked = |action: &Action| {
        let rules = STRANGERS.iter().filter_map(|verb| Action::new(action.domain(), verb).ok());
        rules.filter_map(|a| graph.rule(&a)).any(|rule| rule.tier == Tier::Blocked)
    };
    let mut about_strangers = graph.rules.keys().filter(|a| STRANGERS.contains(&a.verb()));
    about_strangers.all(is_blocked)
}
