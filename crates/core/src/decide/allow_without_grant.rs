//! Steps 8, 10 to 13 and 16: what is allowed without a stored grant.

use super::action_context::{ActionContext, DecisionMode};
use crate::decide::facts::Facts;
use crate::model::call::Call;
use crate::model::decision::{Basis, NearestChange, Verdict};
use crate::model::graph::WhenIdle;
use crate::model::limits;
use crate::model::words::{
    Initiator, Outcome, Presence, Reason, Risk, Surface, Tier, TrustLevel, VisiblePolicy,
};
use crate::state::{Consent, ConsentStanding};

/// Step 8: the operator's own click, for the actions it declares.
pub(crate) fn allow_gesture(q: &ActionContext) -> Option<Verdict> {
    if q.call.observed.initiator != Initiator::Operator || q.mode == DecisionMode::Retry {
        return None;
    }
    let gesture = q.facts.state.gestures.get(&q.call.observed.gesture?)?;
    let live = gesture.session == q.call.session && q.facts.now < gesture.ends_at;
    let shown = q.risk < Risk::Critical || gesture.shows == Some(q.call.digest);
    if !live || !shown || !gesture.declares.contains(&q.action) {
        return None;
    }
    q.allow(Reason::Gesture, Basis::Gesture(gesture.id), NearestChange::Later)
}

/// Step 10: nested in a running call that was consented to and declared this action.
pub(crate) fn allow_nested(q: &ActionContext) -> Option<Verdict> {
    if q.mode == DecisionMode::Retry {
        return None;
    }
    let parent = q.call.observed.parent?;
    let outer = q.facts.state.running(parent, &q.call.session, &q.call.agent, q.facts.now)?;
    let is_covered = outer.consent.standing == ConsentStanding::Given
        && is_consent_valid(q.facts, &outer.consent)
        && outer.consent.actions.contains(&q.action)
        && outer.call.declares.contains(&q.action)
        && q.risk <= outer.card_risk.min(Risk::Moderate);
    if !is_covered {
        return None;
    }
    q.allow(Reason::Nested, Basis::Parent(parent), NearestChange::Later)
}

/// Whether the consent of a running call is still valid, and that of all calls it is nested in.
fn is_consent_valid(facts: &Facts, consent: &Consent) -> bool {
    let mut inner = Some(consent);
    for _ in 0..limits::PARENT_CHAIN {
        let Some(consent) = inner else { return true };
        if consent.standing == ConsentStanding::Withdrawn || !is_basis_valid(facts, consent) {
            return false;
        }
        let outer = consent.parent.and_then(|id| facts.state.calls.get(&id));
        inner = outer.map(|outer| &outer.consent);
    }
    false
}

/// Whether the gesture and the runs that consent rests on are not over, even if no sweep has
/// recorded their end.
fn is_basis_valid(facts: &Facts, consent: &Consent) -> bool {
    let gesture = consent.gesture.filter(|_| consent.grants.is_empty());
    let is_gesture_live = gesture.is_none_or(|id| {
        facts.state.gestures.get(&id).is_some_and(|gesture| facts.now < gesture.ends_at)
    });
    let grants = consent.grants.iter().filter_map(|id| facts.state.grants.get(*id));
    let mut runs = grants.filter_map(|grant| facts.state.runs.get(&grant.run?));
    is_gesture_live && !runs.any(|run| run.is_over(facts.now))
}

/// Step 11: a reducer lowers the risk inside a caller that the operator trusts.
pub(crate) fn allow_reduced(q: &ActionContext) -> Option<Verdict> {
    let reducer = q.reducer?;
    if q.mode == DecisionMode::Retry || q.risk > Risk::Low {
        return None;
    }
    q.allow(Reason::Reduced, Basis::Reducer(reducer.caller.clone()), NearestChange::Later)
}

/// Step 12: the graph lists the action as autonomous, and the permission has not decayed.
pub(crate) fn allow_autonomous(q: &ActionContext) -> Option<Verdict> {
    let ceiling = q.rule_risk().max(Risk::Moderate);
    if q.tier? != Tier::Autonomous || q.is_decayed() || q.risk > ceiling || q.is_held_by_place() {
        return None;
    }
    q.allow(Reason::Autonomous, q.tier_basis(), NearestChange::RiskAbove(ceiling))
}

/// Step 13: the action only reads, and no policy demands approval.
pub(crate) fn allow_read_only(q: &ActionContext) -> Option<Verdict> {
    let is_held = q.facts.ruled.demands_approval(&q.action) || q.is_held_by_place();
    if q.risk > Risk::ReadOnly || is_held {
        return None;
    }
    q.allow(Reason::ReadOnly, Basis::Rule, NearestChange::RiskAbove(Risk::ReadOnly))
}

/// Step 13: while the operator is idle, actions pass that are low risk, reversible and
/// marked `when_idle`.
pub(crate) fn allow_when_idle(q: &ActionContext) -> Option<Verdict> {
    let marked = q.rule?.when_idle == WhenIdle::Pass && q.can_be_undone();
    let idle = q.facts.state.presence == Presence::Idle && q.mode == DecisionMode::New;
    let is_held = q.facts.ruled.demands_approval(&q.action) || q.is_held_by_place();
    if !marked || !idle || is_held || q.risk > Risk::Low {
        return None;
    }
    q.allow(Reason::Idle, Basis::Rule, NearestChange::Presence)
}

/// Step 16: the agent's confidence, as far as the operator lets it count.
pub(crate) fn notify_visible(q: &ActionContext) -> Option<Verdict> {
    let visible = q.graph.visible(q.domain);
    let eligible = q.tier? == Tier::RequiresApproval
        && q.call.claims.confidence >= visible.threshold
        && q.risk <= Risk::Moderate
        && q.facts.surface == Surface::Reachable
        && !is_being_asked(q.facts, q.call);
    // What a repository asks about is asked: a decayed permission must not pass by confidence instead.
    let is_moved = q.graph.layer.as_ref().is_some_and(|layer| layer.moved.contains_key(&q.action));
    let enforced = match visible.policy {
        _ if is_moved => false,
        VisiblePolicy::Seed => true,
        VisiblePolicy::Reversible => q.can_be_undone() && q.domain?.trust != Some(TrustLevel::Low),
        VisiblePolicy::Never => false,
    };
    if !eligible || !enforced {
        return None;
    }
    let alternative = NearestChange::Confidence(visible.threshold);
    Some(q.verdict(Outcome::Notify, Reason::Visible, Basis::Rule, alternative))
}

/// Whether a request about exactly this call is open.
fn is_being_asked(facts: &Facts, call: &Call) -> bool {
    facts.state.requests.with_digest(&call.digest).any(|request| request.is_open(facts.now))
}
