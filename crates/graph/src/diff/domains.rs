//! Compares domains: trust, confidence, destinations, conditions and review dates.

use super::settings::{self, diff_review_date};
use super::{DiffSubject, Difference, Direction, GraphPair, NONE, SubjectDiff};
use countersign_core::model::graph::{Demand, Destinations, Domain};
use countersign_core::model::words::TrustLevel;

/// Skips domains that only one graph has; their actions show up as differences.
pub(super) fn diff(graphs: &GraphPair<'_>, found: &mut Vec<Difference>) {
    for (name, old) in graphs.old.domains.iter() {
        let Some(new) = graphs.new.domains.get(name) else { continue };
        let subject = DiffSubject::Domain(name.clone());
        let mut out = SubjectDiff { subject, found: &mut *found };
        diff_trust((old, new), &mut out);
        diff_visible(graphs, (old, new), &mut out);
        let one = |domain: &Domain| domain.destinations == Destinations::One;
        out.compare("single_destination", (one(old), one(new)), bool::to_string);
        diff_conditions((old, new), &mut out);
        if old.last_reviewed.is_some() || new.last_reviewed.is_some() {
            let dates = (graphs.old.reviewed(Some(old)), graphs.new.reviewed(Some(new)));
            diff_review_date(graphs, dates, &mut out);
        }
    }
}

/// Only low trust affects decisions: with it, confidence never helps.
fn diff_trust((old, new): (&Domain, &Domain), out: &mut SubjectDiff<'_>) {
    if old.trust == new.trust {
        return;
    }
    let word = |domain: &Domain| domain.trust.map_or(NONE, TrustLevel::word).to_owned();
    let low = |domain: &Domain| domain.trust == Some(TrustLevel::Low);
    let turn = Direction::from_strictness(&low(old), &low(new)).unwrap_or(Direction::Neither);
    out.add("trust_level", (word(old), word(new)), turn);
}

/// Skips domains that inherit the graph's setting; that difference is listed once, for the graph.
fn diff_visible(graphs: &GraphPair<'_>, (old, new): (&Domain, &Domain), out: &mut SubjectDiff<'_>) {
    let inherited = old.visible == graphs.old.visible && new.visible == graphs.new.visible;
    if !inherited {
        settings::diff_visible((old.visible, new.visible), out);
    }
}

fn diff_conditions((old, new): (&Domain, &Domain), out: &mut SubjectDiff<'_>) {
    let (old, new) = (old.conditions, new.conditions);
    let diff = (old.diff == Demand::Needed, new.diff == Demand::Needed);
    out.compare("require_diff", diff, bool::to_string);
    let number = |number: &Option<u32>| number.map_or(NONE.to_owned(), |n| n.to_string());
    out.compare("cooling_period_hours", (old.cooling_hours, new.cooling_hours), number);
    out.compare("undo_window_days", (old.undo_days, new.undo_days), number);
}
