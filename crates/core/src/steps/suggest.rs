//! The grant that would have spared a question which the operator approved.
//!
//! It is a direct grant: what `grants add` would refuse, and what it would not carry, is not
//! suggested. Nor is anything that a person should look at each time. Whether something was asked
//! often enough is decided elsewhere.

use crate::model::call::{Call, Part, Words};
use crate::model::category::Category;
use crate::model::grant::{Confirmation, Coverage, Scope};
use crate::model::graph::{Graph, Rule};
use crate::model::names::Action;
use crate::model::place::{ActionOrigin, Bound, Place, StandsForPlace};
use crate::model::reason_traits::SparedBy;
use crate::model::request::{Request, RequestItem, RequestState};
use crate::model::words::{Choice, Covers, Ending, Reason, Risk};
use crate::steps::grant_directly::{check_action, find_refusal};
use crate::steps::settle::{
    NamedCoverage, direct_risk, named_coverage, offered_coverage, why_only_once,
};

/// A grant like the yes to an approved request, and where it would hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimilarGrant {
    pub coverage: Coverage,
    pub within: Option<Vec<Bound>>,
}

/// The only item of an approved request, if the request is about calls and has one.
pub fn approved_item(request: &Request) -> Option<&RequestItem> {
    let [item] = request.items.as_slice() else { return None };
    let is_yes = item.answer.is_some_and(|answer| answer != Choice::Decline);
    (request.state == RequestState::Closed(Ending::Approved) && is_yes).then_some(item)
}

/// The grant of this scope that would have spared the approval of this call, if it may be suggested.
pub fn suggest_grant(
    graph: Option<&Graph>,
    (request, call): (&Request, &Call),
    covers: Option<Covers>,
    scope: Scope,
) -> Option<SimilarGrant> {
    let (graph, item) = (graph?, approved_item(request)?);
    let action = item.action.as_ref()?;
    let offered = offered_coverage(call, item, choice_for(scope));
    let is_offered = match covers {
        Some(covers) => offered.contains(&covers),
        None => call.command.is_none(),
    };
    if !is_offered || !may_be_carried(graph, (request, call), item, covers) {
        return None;
    }
    let mut named = named_coverage(Some(graph), (call, item), action, covers);
    // A suggestion is one grant.
    let NamedCoverage { coverage, within, .. } = named.pop().filter(|_| named.is_empty())?;
    let is_refused =
        find_refusal(Some(graph), &coverage, (scope, Confirmation::Confirmed)).is_some();
    let is_above = item.risk > direct_risk(Some(graph), &coverage);
    (!is_refused && !is_above).then_some(SimilarGrant { coverage, within })
}

/// Whether a question with this reason is spared by a grant that covers this.
pub fn is_asked_for_lack(reason: Reason, covers: Option<Covers>) -> bool {
    match reason.traits().spared_by {
        SparedBy::AnyGrant => true,
        SparedBy::CommandGrant => covers == Some(Covers::Command),
        SparedBy::NoGrant => false,
    }
}

fn choice_for(scope: Scope) -> Choice {
    match scope {
        Scope::Project => Choice::Project,
        Scope::Once | Scope::Until | Scope::Run | Scope::Session => Choice::Session,
    }
}

/// Whether nothing about the call asks for a look at each one. The card offered only *once* for
/// critical and always-asked actions, for shells, interpreters and inline code.
fn may_be_carried(
    graph: &Graph,
    (request, call): (&Request, &Call),
    item: &RequestItem,
    covers: Option<Covers>,
) -> bool {
    let Some(action) = &item.action else { return false };
    let is_classed = item.bounds.as_ref().is_some_and(|b| b.origin == ActionOrigin::Class);
    let is_ruled_out = graph.rule(action).is_some() && check_action(graph, action).is_err();
    item.part == Part::Named
        && call.words == Words::Kept
        && call.detectors.is_empty()
        && item.choices.contains(&Choice::Session)
        && item.risk < Risk::Critical
        && !is_ruled_out
        && is_asked_for_lack(item.reason, covers)
        && (is_classed || why_only_once(Some(graph), call, action).is_none())
        && request.programs.iter().all(|program| !program.hash.is_empty())
        && is_at_ordinary_place(graph.rule(action), action, item)
}

/// Whether nothing secret or guarded is concerned, and nothing is deleted outside of the workspace.
fn is_at_ordinary_place(rule: Option<&Rule>, action: &Action, item: &RequestItem) -> bool {
    let Some(bounds) = item.bounds.as_deref() else { return true };
    let is_apart = bounds.places.iter().any(|place| place.is_kept_apart());
    let stands_for =
        |place: Place| bounds.stands_for_place == StandsForPlace::Yes && place.is_named_by(action);
    let deletes = |category: &Category| category.as_str() == "filesystem_delete";
    let is_deletion = action.verb().starts_with("delete")
        || rule.is_some_and(|rule| rule.categories.iter().any(deletes));
    let is_kept = |place: Place| place != Place::WriteOutside || is_deletion;
    let apart = [Place::Secret, Place::WriteGuarded, Place::WriteOutside];
    !is_apart && !apart.into_iter().any(|place| is_kept(place) && stands_for(place))
}
