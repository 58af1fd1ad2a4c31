//! The conditions of the precedence table that do not depend on grants.

use super::find_open_session;
use super::lookups::{find_tool_mapping, running_parent};
use super::question::ActionQuestion;
use countersign_core::decide::facts::Facts;
use countersign_core::encoding::digest::Digest;
use countersign_core::model::call::{Call, CallTarget, Part};
use countersign_core::model::command::Command;
use countersign_core::model::graph::{
    ChannelRule, Conditions, Destinations, Rule, StepConsent, WhenIdle,
};
use countersign_core::model::limits;
use countersign_core::model::names::{SessionKey, Workflow};
use countersign_core::model::place::ActionOrigin;
use countersign_core::model::request::{Attendance, RequestState, Subject};
use countersign_core::model::rule_results::{
    CommandRuleResult, Firmness, OwnFileResult, PolicyResult,
};
use countersign_core::model::run::{Run, RunState};
use countersign_core::model::run_file::RunFileContent;
use countersign_core::model::words::{
    Channel, Initiator, Presence, Risk, Surface, Tier, TrustLevel, Undo, VisiblePolicy,
};
use countersign_core::state::{CallRecord, ConsentStanding, DeclineState, Mode, Restraints};
use serde_json::{Value, json};

/// The run has ended, or had no allowed call for too long.
pub fn is_run_over(facts: &Facts, run: &Run) -> bool {
    let idle = match run.attendance {
        Attendance::Attended => limits::RUN_IDLE,
        Attendance::Headless => limits::RUN_IDLE_HEADLESS,
    };
    let left =
        run.state == RunState::Suspended && run.reattach_until.is_some_and(|end| facts.now >= end);
    matches!(run.state, RunState::Ended(_)) || left || facts.now >= run.active_at + idle
}

/// A target leads to our files, or the command line does or contains the path of one.
pub fn touches_protected_files(q: &ActionQuestion) -> bool {
    let line = match &q.call.command {
        Some(Command::Plain { argv, .. }) => argv.join("\n"),
        Some(Command::NotPlain { text, .. }) => text.clone(),
        None => String::new(),
    };
    let found = matches!(q.facts.ruled.command, Some(CommandRuleResult::Protected { .. }));
    let in_a_name = |c: char| c.is_alphanumeric() || ".-_".contains(c);
    matches!(q.facts.ruled.target, Some(OwnFileResult::Protected { .. }))
        || found && q.part == Part::Named
        || q.facts.protected.iter().any(|ours| {
            let around: Vec<&str> = line.split(ours.as_str()).collect();
            let mut places = around.iter().zip(around.iter().skip(1));
            places.any(|(before, after)| {
                !before.ends_with(in_a_name) && !after.starts_with(in_a_name)
            })
        })
}

/// Nobody can say where a target leads.
pub fn has_unresolved_target(q: &ActionQuestion) -> bool {
    matches!(q.facts.ruled.target, Some(OwnFileResult::Unresolved { .. }))
}

/// A file that decides what the line executes is not the one that the session knows. One that it does
/// not know is new, unless it is two seconds older than the session.
pub fn has_changed_files(q: &ActionQuestion) -> bool {
    let Some(seen) = q.restraints.map(|restraints| &restraints.run_files) else { return false };
    q.facts.ruled.run_files.iter().any(|file| match (seen.files.get(&file.path), seen.since) {
        (Some(known), _) => file.content != *known,
        (None, Some(since)) if file.content != RunFileContent::Absent => {
            let since = since.micros() - 2_000_000;
            file.changed_at.is_none_or(|changed| changed.micros() > since)
        }
        (None, Some(_) | None) => false,
    })
}

pub fn executes_changed_files(q: &ActionQuestion) -> bool {
    q.part == Part::Named && has_changed_files(q)
}

pub fn lacks_trusted_channel(q: &ActionQuestion) -> bool {
    let is_bound = q.has_rule_where(|rule| rule.channel == ChannelRule::TrustedOnly);
    is_bound && q.call.observed.channel != Channel::Trusted
}

pub fn needs_proposal(q: &ActionQuestion) -> bool {
    let asks = Some(Tier::RequiresApproval);
    let channel = q.has_rule_where(|rule| rule.channel == ChannelRule::TrustedOnly);
    let is_bound = channel || q.rule.map(|rule| rule.tier) == asks || q.tier == asks;
    is_bound && q.domain.is_some_and(|domain| domain.conditions != Conditions::NONE)
}

pub fn was_declined_recently(q: &ActionQuestion) -> bool {
    let declined = q.facts.state.declined.get(&q.call.lasting);
    declined.is_some_and(|declined| {
        let open = q.facts.state.open_session(&q.call.session, q.facts.now);
        let here = open.map(|open| (q.call.session.clone(), open.opening));
        let is_here = |sessions: &Vec<_>| here.is_some_and(|here| sessions.contains(&here));
        let is_lifted = matches!(&declined.state, DeclineState::LiftedIn(s) if is_here(s))
            || declined.state == DeclineState::Lifted;
        !is_lifted && q.facts.now < declined.at + limits::DECLINE_STICKS
    })
}

/// A call that runs a command acts on that command, whatever target it names.
pub fn find_target(call: &Call) -> CallTarget {
    let named = if call.target.is_empty() { &call.recipients } else { &call.target };
    let named = CallTarget::Named(named.clone());
    call.command.clone().map_or(named, CallTarget::Command)
}

pub fn has_gesture(q: &ActionQuestion) -> bool {
    let gesture = q.call.observed.gesture.and_then(|id| q.facts.state.gestures.get(&id));
    let covers = gesture.is_some_and(|gesture| {
        gesture.session == q.call.session
            && q.facts.now < gesture.ends_at
            && gesture.declares.contains(q.action)
            && (q.risk < Risk::Critical || gesture.shows == Some(q.call.digest))
    });
    covers && q.record.is_none() && q.call.observed.initiator == Initiator::Operator
}

/// The operator said stop, and nothing since that lets the work go on.
pub fn is_stopped(q: &ActionQuestion) -> bool {
    let is_stopped = |restraints: &Restraints| restraints.mode.is_stopped();
    let is_own = q.has_restraint_where(is_stopped);
    q.risk > Risk::ReadOnly && (is_own || is_stopped_above(q.facts, &q.call.session))
}

/// Whether a session above that of a sub-agent is stopped, or its agent carries a stop over.
pub fn is_stopped_above(facts: &Facts, session: &SessionKey) -> bool {
    let Some(above) = facts.state.sessions.get(session).and_then(|row| row.above.as_ref()) else {
        return false;
    };
    let carried = facts.state.carried_over.get(&above.to_agent());
    let mode = match find_open_session(facts, above) {
        Some(open) => Some(open.restraints.mode),
        None => carried.filter(|c| facts.now < c.ends_at).map(|c| c.restraints.mode),
    };
    mode.is_some_and(Mode::is_stopped) || is_stopped_above(facts, above)
}

pub fn is_stopped_by_dry_run(q: &ActionQuestion) -> bool {
    q.risk > Risk::ReadOnly && q.has_restraint_where(|restraints| restraints.mode.is_dry_run())
}

/// The event already went to another destination, or goes to several at once.
pub fn is_second_destination(q: &ActionQuestion) -> bool {
    let only_one = q.domain.is_some_and(|domain| domain.destinations == Destinations::One);
    let [target] = q.call.target.as_slice() else { return only_one && !q.call.target.is_empty() };
    let form = match q.call.args.get("event") {
        Some(event) => json!({"event": event}),
        None => json!({"args": arguments_without_target(q)}),
    };
    let Ok(event) = Digest::hash_value("countersign/event/v1", &form) else { return only_one };
    let earlier =
        q.restraints.and_then(|restraints| restraints.destinations.get(q.action.domain()));
    only_one && earlier.and_then(|events| events.get(&event)).is_some_and(|first| first != target)
}

fn arguments_without_target(q: &ActionQuestion) -> Value {
    let mut args = q.call.args.clone();
    for pointer in find_tool_mapping(q.graph, q.call).map_or(&[][..], |mapping| &mapping.target) {
        if let Some((above, key)) = pointer.rsplit_once('/')
            && let Some(Value::Object(fields)) = args.pointer_mut(above)
        {
            fields.remove(key);
        }
    }
    args
}

pub fn was_declined_in_session(q: &ActionQuestion) -> bool {
    let this = (q.action.clone(), find_target(q.call));
    q.has_restraint_where(|restraints| restraints.declined.contains(&this))
}

/// The workflow of the run that a call names, if the start of that run still waits for an answer.
pub fn find_waiting_start<'a>(facts: &Facts<'a>, call: &Call) -> Option<&'a Workflow> {
    facts.state.requests.values().find_map(|request| match &request.subject {
        Subject::Start(start) => {
            let is_open = request.state == RequestState::Open && facts.now < request.ends_at;
            let is_own = Some(start.run) == call.run && request.session == call.session;
            (is_open && is_own).then_some(&start.workflow)
        }
        _ => None,
    })
}

/// The action belongs to an individual step of the run's workflow, or the call names such a step.
pub fn is_individual_step(q: &ActionQuestion) -> bool {
    let run = q.call.run.and_then(|id| q.facts.state.runs.get(&id));
    let name = run.map(|run| &run.workflow).or_else(|| find_waiting_start(q.facts, q.call));
    let workflow = name.and_then(|name| q.graph.workflows.get(name));
    workflow.is_some_and(|workflow| {
        workflow.steps.iter().any(|step| {
            let matches =
                q.call.step.as_ref() == Some(&step.name) || step.actions.contains(q.action);
            matches && step.consent == StepConsent::Individual
        })
    })
}

pub fn is_covered_by_parent(q: &ActionQuestion) -> bool {
    let Some(outer) = running_parent(q.facts, q.call) else { return false };
    let is_within_shown_risk = q.risk <= outer.card_risk && q.risk <= Risk::Moderate;
    let is_given =
        outer.consent.standing == ConsentStanding::Given && is_consent_in_force(q.facts, outer);
    let is_item =
        outer.call.declares.contains(q.action) && outer.consent.actions.contains(q.action);
    q.record.is_none() && is_within_shown_risk && is_given && is_item
}

/// Whether the consent of a running call still holds, and that of each call it is nested in.
fn is_consent_in_force(facts: &Facts, record: &CallRecord) -> bool {
    let consent = &record.consent;
    let run_over = facts.state.grants.iter().any(|grant| {
        let run = grant.run.and_then(|id| facts.state.runs.get(&id));
        consent.grants.contains(&grant.id) && run.is_some_and(|run| is_run_over(facts, run))
    });
    let gesture = consent.gesture.and_then(|id| facts.state.gestures.get(&id));
    let clicked = consent.gesture.is_some() && consent.grants.is_empty();
    let gesture_holds = !clicked || gesture.is_some_and(|g| facts.now < g.ends_at);
    let outer = consent.parent.and_then(|id| facts.state.calls.get(&id));
    let outer_holds = outer.is_none_or(|outer| is_consent_in_force(facts, outer));
    consent.standing != ConsentStanding::Withdrawn && !run_over && gesture_holds && outer_holds
}

pub fn is_autonomous(q: &ActionQuestion) -> bool {
    let within = |rule: &Rule| q.risk <= rule.risk.max(Risk::Moderate);
    q.tier == Some(Tier::Autonomous)
        && q.has_rule_where(within)
        && !q.is_decayed()
        && !q.is_held_by_place()
}

/// A policy wants this to be approved, or it acts at another place than its rule expects, so neither
/// reading nor idleness is enough.
pub fn is_held_back(q: &ActionQuestion) -> bool {
    let by = q.facts.ruled.policies.get(q.action);
    let by_policy =
        |by: &PolicyResult| by.hold == Firmness::Firm && by.tier == Tier::RequiresApproval;
    by.is_some_and(by_policy) || q.is_held_by_place()
}

pub fn can_pass_while_idle(q: &ActionQuestion) -> bool {
    let may_pass = q.has_rule_where(|rule| rule.when_idle == WhenIdle::Pass);
    let is_idle = q.record.is_none() && q.facts.state.presence == Presence::Idle;
    may_pass && is_idle && q.risk == Risk::Low && is_reversible(q) && !is_held_back(q)
}

/// For an action the call performs, the call's own value takes precedence over the rule's. A class has
/// the value of its rule, unless the agent claims that nobody can undo the call.
fn is_reversible(q: &ActionQuestion) -> bool {
    let of_call = match (q.part, q.decided.origin) {
        (Part::Declared, _) => None,
        (Part::Named, ActionOrigin::Call) => q.call.undo,
        (Part::Named, ActionOrigin::Class) => {
            q.call.claims.undo.filter(|undo| *undo == Undo::Irreversible)
        }
    };
    let of_rule = q.rule.map_or(Undo::Irreversible, |rule| rule.undo.unwrap_or(Undo::Irreversible));
    of_call.unwrap_or(of_rule) == Undo::Reversible
}

pub fn is_visible(q: &ActionQuestion) -> bool {
    let Some(domain) = q.domain else { return false };
    let is_confident = q.call.claims.confidence >= domain.visible.threshold;
    let is_listed = q.tier == Some(Tier::RequiresApproval);
    let by_policy = match domain.visible.policy {
        VisiblePolicy::Seed => true,
        VisiblePolicy::Reversible => is_reversible(q) && domain.trust != Some(TrustLevel::Low),
        VisiblePolicy::Never => false,
    };
    let is_asked = q.facts.state.requests.values().any(|request| {
        let open = request.state == RequestState::Open && q.facts.now < request.ends_at;
        open && request.digest == q.call.digest
    });
    // Confidence never lowers a high risk, and a notice needs a surface that shows it.
    let is_possible = q.risk <= Risk::Moderate && q.facts.surface == Surface::Reachable;
    is_listed && is_confident && is_possible && by_policy && !is_asked
}
