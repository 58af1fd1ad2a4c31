//! Domains: trust, confidence, destinations, conditions, and their own review dates.

use super::settings::{self, reviewed};
use super::{Difference, Differences, NONE, Pair, Subject, Turn};
use countersign_core::model::graph::{Demand, Destinations, Domain};
use countersign_core::model::words::TrustLevel;

/// A domain that one of the graphs lacks shows in its actions.
pub(super) fn diff(graphs: &Pair<'_>, found: &mut Vec<Difference>) {
    for (name, old) in graphs.old.domains.iter() {
        let Some(new) = graphs.new.domains.get(name) else { continue };
        let subject = Subject::Domain(name.clone());
        let mut out = Differences { subject, found: &mut *found };
        trust((old, new), &mut out);
        visible(graphs, (old, new), &mut out);
        let one = |domain: &Domain| domain.destinations == Destinations::One;
        out.ordered("single_destination", (one(old), one(new)), bool::to_string);
        conditions((old, new), &mut out);
        if old.last_reviewed.is_some() || new.last_reviewed.is_some() {
            let dates = (graphs.old.reviewed(Some(old)), graphs.new.reviewed(Some(new)));
            reviewed(graphs, dates, &mut out);
        }
    }
}

/// Only low trust is told apart: there, confidence never helps.
fn trust((old, new): (&Domain, &Domain), out: &mut Differences<'_>) {
    if old.trust == new.trust {
        return;
    }
    let word = |domain: &Domain| domain.trust.map_or(NONE, TrustLevel::word).to_owned();
    let low = |domain: &Domain| domain.trust == Some(TrustLevel::Low);
    let turn = Turn::towards(&low(old), &low(new)).unwrap_or(Turn::Neither);
    out.add("trust_level", (word(old), word(new)), turn);
}

/// A domain that says nothing of its own follows the graph, and is not listed again.
fn visible(graphs: &Pair<'_>, (old, new): (&Domain, &Domain), out: &mut Differences<'_>) {
    let inherited = old.visible == graphs.old.visible && new.visible == graphs.new.visible;
    if !inherited {
        settings::visible((old.visible, new.visible), out);
    }
}

fn conditions((old, new): (&Domain, &Domain), out: &mut Differences<'_>) {
    let (old, new) = (old.conditions, new.conditions);
    let diff = (old.diff == Demand::Needed, new.diff == Demand::Needed);
    out.ordered("require_diff", diff, bool::to_string);
    let number = |number: &Option<u32>| number.map_or(NONE.to_owned(), |n| n.to_string());
    out.ordered("cooling_period_hours", (old.cooling_hours, new.cooling_hours), number);
    out.ordered("undo_window_days", (old.undo_days, new.undo_days), number);
}
