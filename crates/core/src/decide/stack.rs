//! The stack of calls that run around a call, for reducers.

use crate::decide::facts::Facts;
use crate::model::call::Call;
use crate::model::graph::{Graph, Reducer};
use crate::model::ids::CallId;
use crate::model::limits;
use crate::model::names::Action;
use crate::state::CallState;

/// The reducer to the lowest risk among those whose caller runs around the call.
pub(crate) fn find_reducer<'a>(
    facts: &Facts,
    graph: &'a Graph,
    call: &Call,
    action: &Action,
) -> Option<&'a Reducer> {
    graph
        .reducers
        .iter()
        .filter(|reducer| reducer.action == *action)
        .filter(|reducer| is_on_stack(facts, call, &reducer.caller))
        .min_by_key(|reducer| reducer.to)
}

fn is_on_stack(facts: &Facts, call: &Call, caller: &str) -> bool {
    call.observed.callers.iter().any(|name| name == caller)
        || running_parents(facts, call).any(|id| {
            facts.state.calls.get(&id).is_some_and(|record| {
                let outer = &record.call;
                record.state == CallState::Executing
                    && (outer.actions.iter().any(|action| action.as_str() == caller)
                        || outer.tool.as_ref().is_some_and(|tool| tool.as_str() == caller))
            })
        })
}

/// The chain of running calls around a call, innermost first.
fn running_parents(facts: &Facts, call: &Call) -> impl Iterator<Item = CallId> {
    let outer = move |id: CallId| {
        facts.state.running(id, &call.session, &call.agent, facts.now).map(|record| record.call.id)
    };
    let first = call.observed.parent.and_then(outer);
    std::iter::successors(first, move |id| {
        facts.state.calls.get(id).and_then(|record| record.call.observed.parent).and_then(outer)
    })
    .take(limits::PARENT_CHAIN)
}
