//! What the other questions look up about a call: its parent, its tool, whom it is sent to.

use super::find_open_session;
use countersign_core::decide::facts::Facts;
use countersign_core::model::call::Call;
use countersign_core::model::graph::{AskingRule, ChannelRule, Graph, ToolMapping, ToolPattern};
use countersign_core::model::names::Action;
use countersign_core::model::words::Tier;
use countersign_core::state::{CallRecord, CallState};

/// The parent call, if it still runs and belongs to this session and agent.
pub fn running_parent<'a>(facts: &Facts<'a>, call: &Call) -> Option<&'a CallRecord> {
    let outer = call.observed.parent.and_then(|id| facts.state.calls.get(&id))?;
    let session = find_open_session(facts, &call.session);
    let own = outer.call.session == call.session
        && outer.call.agent == call.agent
        && session.is_some_and(|session| session.opening == outer.opening);
    (own && outer.state == CallState::Executing).then_some(outer)
}

/// The longest pattern wins; of two equally long ones, the exact name.
pub fn find_tool_mapping<'a>(graph: &'a Graph, call: &Call) -> Option<&'a ToolMapping> {
    let tool = call.tool.as_ref()?.as_str();
    let weight = |mapping: &ToolMapping| match &mapping.pattern {
        ToolPattern::Exact(name) => (name == tool).then_some(2 * name.len() + 1),
        ToolPattern::Prefix(start) => tool.starts_with(start.as_str()).then_some(2 * start.len()),
    };
    graph.tools.iter().filter(|mapping| weight(mapping).is_some()).max_by_key(|m| weight(m))
}

/// A send to an unknown recipient is decided as the action that the domain lists for that case.
pub fn resolve_recipient_action<'a>(
    facts: &Facts,
    graph: &'a Graph,
    call: &Call,
    named: &'a Action,
) -> &'a Action {
    let known = |id: &String| graph.contacts.values().any(|ids| ids.contains(id));
    let to_contacts = !call.recipients.is_empty() && call.recipients.iter().all(known);
    let is_blocked = graph.rules.get(named).is_some_and(|rule| rule.tier == Tier::Blocked)
        || facts.ruled.policies.get(named).is_some_and(|by| by.tier == Tier::Blocked);
    if to_contacts || is_blocked || !named.verb().starts_with("send") {
        return named;
    }
    let for_unknown = graph.rules.iter().filter(|(action, _)| {
        let is_for_unknown = matches!(action.verb(), "send_unknown" | "send_to_unknown");
        is_for_unknown && action.domain() == named.domain()
    });
    // The stricter of the two; of equally strict ones `send_to_unknown`.
    let strictest = for_unknown.max_by_key(|(action, rule)| {
        let bound = rule.channel == ChannelRule::TrustedOnly;
        let always = rule.asking == AskingRule::Always;
        (rule.tier, bound, always, rule.risk, action.verb() == "send_to_unknown")
    });
    strictest.map_or(named, |(action, _)| action)
}
