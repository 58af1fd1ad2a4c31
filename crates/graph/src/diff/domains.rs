//! Compares domains: trust, confidence, destinations, conditions and review dates.

use super::settings::{self, diff_review_date};
use super::{DiffDirection, DiffSubject, Difference, GraphPair, NONE, SubjectDiff};
use countersign_core::model::graph::{Conditions, Demand, Destinations, Domain};
use countersign_core::model::words::TrustLevel;

/// Skips domains that only one graph has; their actions show up as differences.
pub(super) fn diff(graphs: &GraphPair<'_>, differences: &mut Vec<Difference>) {
    for (name, old) in graphs.old.domains.iter() {
        let Some(new) = graphs.new.domains.get(name) else { continue };
        let subject = DiffSubject::Domain(name.clone());
        let mut out = SubjectDiff { subject, differences: &mut *differences };
        diff_trust(old, new, &mut out);
        diff_visible(graphs, old, new, &mut out);
        let is_single = |domain: &Domain| domain.destinations == Destinations::One;
        out.compare("single_destination", is_single(old), is_single(new), bool::to_string);
        diff_conditions(old, new, &mut out);
        if old.last_reviewed.is_some() || new.last_reviewed.is_some() {
            let (before, after) = (graphs.old.reviewed(Some(old)), graphs.new.reviewed(Some(new)));
            diff_review_date(graphs, before, after, &mut out);
        }
    }
}

/// Only low trust affects decisions: with it, confidence never helps.
fn diff_trust(old: &Domain, new: &Domain, out: &mut SubjectDiff<'_>) {
    if old.trust == new.trust {
        return;
    }
    let word = |domain: &Domain| domain.trust.map_or(NONE, TrustLevel::word).to_owned();
    let is_low = |domain: &Domain| domain.trust == Some(TrustLevel::Low);
    let direction = DiffDirection::from_strictness(&is_low(old), &is_low(new))
        .unwrap_or(DiffDirection::Neither);
    out.add("trust_level", word(old), word(new), direction);
}

/// Skips domains that inherit the graph's setting; that difference is listed once, for the graph.
fn diff_visible(graphs: &GraphPair<'_>, old: &Domain, new: &Domain, out: &mut SubjectDiff<'_>) {
    let inherited = old.visible == graphs.old.visible && new.visible == graphs.new.visible;
    if !inherited {
        settings::diff_visible(old.visible, new.visible, out);
    }
}

fn diff_conditions(old: &Domain, new: &Domain, out: &mut SubjectDiff<'_>) {
    let (old, new) = (old.conditions, new.conditions);
    let needs_diff = |conditions: Conditions| conditions.diff == Demand::Needed;
    out.compare("require_diff", needs_diff(old), needs_diff(new), bool::to_string);
    let show_number =
        |show_number: &Option<u32>| show_number.map_or(NONE.to_owned(), |n| n.to_string());
    out.compare("cooling_period_hours", old.cooling_hours, new.cooling_hours, show_number);
    out.compare("undo_window_days", old.undo_days, new.undo_days, show_number);
}
