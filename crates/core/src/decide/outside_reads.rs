//! Reading outside of the workspace: a yes for some time to one read in a folder or repository covers
//! every read there, by whatever tool or command, if the graph lets the same read pass inside.
//!
//! See docs/decisions/0122-one-yes-to-read-in-a-repository.md.

use super::action_context::ActionContext;
use crate::model::call::{Call, Part};
use crate::model::grant::{Grant, Scope, Source};
use crate::model::graph::Graph;
use crate::model::names::Action;
use crate::model::place::{ActionOrigin, Bound, Place, StandsForPlace};
use crate::model::request::RequestItem;
use crate::model::words::{Risk, Tier};

/// Whether a grant of one read outside covers the action, which is another one in the same place.
pub(crate) fn covers_outside_read(q: &ActionContext, grant: &Grant, granted: &Action) -> bool {
    matches!(grant.scope, Scope::Until | Scope::Session)
        && grant.source == Source::Answer
        && grant.within.as_deref().is_some_and(|bounds| Bound::cover_reading(bounds, q.within()))
        && is_free_reading(q.graph, granted)
        && reads_outside(q)
}

/// Whether the action does nothing but read outside of the workspace.
pub(crate) fn reads_outside(q: &ActionContext) -> bool {
    q.part == Part::Named
        && (q.call.command.is_none() || q.is_of_class())
        && is_only_read_outside(q.places())
        && (q.stands_for_place() || !q.places().is_empty())
        && !q.has_detectors()
        && is_free_reading(q.graph, &q.action)
}

/// Whether an item of a card asks for a read outside, so that a yes for some time covers every read
/// there.
pub fn asks_for_outside_read(graph: &Graph, call: &Call, item: &RequestItem) -> bool {
    let (Some(action), Some(bounds)) = (&item.action, &item.bounds) else { return false };
    let is_known = call.command.is_none() || bounds.origin == ActionOrigin::Class;
    let stands_for_place = bounds.stands_for_place == StandsForPlace::Yes;
    is_known
        && item.part == Part::Named
        && item.risk <= Risk::Moderate
        && is_only_read_outside(&bounds.places)
        && (stands_for_place || !bounds.places.is_empty())
        && bounds.within.iter().any(Bound::is_outside)
        && is_free_reading(graph, action)
}

fn is_only_read_outside(places: &[Place]) -> bool {
    places.iter().all(|place| *place == Place::ReadOutside)
}

/// Whether the graph lets this reading pass without a question inside of the workspace.
fn is_free_reading(graph: &Graph, action: &Action) -> bool {
    let base = Place::ReadOutside.base_of(action);
    let rule = graph.rule(base.as_ref().unwrap_or(action));
    rule.is_some_and(|rule| rule.tier == Tier::Autonomous && rule.risk == Risk::ReadOnly)
}
