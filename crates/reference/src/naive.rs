//! The second implementation of the decision, written to be read next to the specification.
//!
//! The order of precedence is one table, and lookups scan all grants, rules and reducers. It shares
//! the data types with the first implementation but none of the deciding functions, so that only a
//! misreading made twice goes unnoticed. It is slow, explains nothing and gates nothing.

mod consent;
mod decided;
mod heads;
mod lookups;
mod pins;
mod question;
mod situation;

use consent::has_grant_for_command;
use countersign_core::decide::facts::Facts;
use countersign_core::model::call::{Call, Parking};
use countersign_core::model::graph::{AskingRule, Graph, Unclassified};
use countersign_core::model::ids::CallId;
use countersign_core::model::names::{Agent, SessionKey, StepName};
use countersign_core::model::request::{Request, RequestState, Subject};
use countersign_core::model::time::Span;
use countersign_core::model::words::Outcome::{Allow, Ask, Deny, Notify};
use countersign_core::model::words::{Effect, Outcome, Reason, Risk, Surface, Tier};
use countersign_core::state::{CallRecord, CallState, Session};
use question::{ActionQuestion, list_questions};

/// The outcome and the one deciding reason.
pub type NaiveDecision = (Outcome, Reason);

type Condition = fn(&ActionQuestion) -> bool;

/// The order of precedence, for one action: the first row that applies decides.
const PRECEDENCE: &[(Condition, Outcome, Reason)] = &[
    (|q| q.tier == Some(Tier::Blocked), Deny, Reason::Blocked),
    (situation::touches_protected_files, Deny, Reason::SelfProtection),
    (situation::is_stopped, Deny, Reason::Stopped),
    (situation::lacks_trusted_channel, Deny, Reason::ChannelRequired),
    (situation::needs_proposal, Deny, Reason::DiffMissing),
    // This is a denial by the graph, so no grant overrides it.
    (|q| q.is_unlisted(Unclassified::Deny), Deny, Reason::Unclassified),
    (situation::was_declined_recently, Deny, Reason::DeclinedBefore),
    // On a retry: a call that may have run is repeated only after a yes to this very request.
    (consent::may_have_run, Ask, Reason::UnknownEffect),
    (consent::has_grant_for_call, Allow, Reason::Granted),
    (situation::has_gesture, Allow, Reason::Gesture),
    (situation::is_stopped_by_dry_run, Ask, Reason::DryRun),
    (situation::is_second_destination, Ask, Reason::FanOut),
    (consent::has_unseen_definition, Ask, Reason::ToolChanged),
    (situation::has_unresolved_target, Ask, Reason::UnresolvedPath),
    (situation::was_declined_in_session, Ask, Reason::PreviouslyDeclined),
    // Only a grant for the exact command allows an unlisted action.
    (|q| q.is_unlisted(Unclassified::Ask) && !has_grant_for_command(q), Ask, Reason::Unclassified),
    (situation::is_individual_step, Ask, Reason::Individual),
    (situation::executes_changed_files, Ask, Reason::ChangedBeforeRun),
    (|q| q.has_rule_where(|rule| rule.asking == AskingRule::Always), Ask, Reason::AlwaysAsk),
    (|q| q.risk == Risk::Critical && consent::has_matching_grant(q), Ask, Reason::TooRiskyToCarry),
    (|q| q.risk == Risk::Critical, Ask, Reason::NoGrant),
    (situation::is_covered_by_parent, Allow, Reason::Nested),
    (|q| q.is_reduced && q.risk <= Risk::Low, Allow, Reason::Reduced),
    (situation::is_autonomous, Allow, Reason::Autonomous),
    (|q| q.risk == Risk::ReadOnly && !situation::is_held_back(q), Allow, Reason::ReadOnly),
    (situation::can_pass_while_idle, Allow, Reason::Idle),
    (consent::is_granted_before_plans, Allow, Reason::Granted),
    (consent::is_in_plan, Allow, Reason::Plan),
    (consent::is_granted, Allow, Reason::Granted),
    (situation::is_visible, Notify, Reason::Visible),
    (|q| q.is_decayed() || consent::has_grant_due_for_review(q), Ask, Reason::Decayed),
    (consent::has_matching_grant, Ask, Reason::TooRiskyToCarry),
    (consent::has_ended_grant, Ask, Reason::Expired),
    (|_| true, Ask, Reason::NoGrant),
];

/// Decides a new call.
pub fn decide(facts: &Facts, call: &Call) -> NaiveDecision {
    decide_call(facts, call, None)
}

/// Decides a retry of a parked call: by its record first, then in the usual order.
pub fn decide_retry(
    facts: &Facts,
    id: CallId,
    session: &SessionKey,
    agent: &Agent,
) -> NaiveDecision {
    let record = facts.state.calls.get(&id);
    match record.filter(|r| r.call.session == *session && r.call.agent == *agent) {
        Some(own) => {
            decide_by_record(facts, own).unwrap_or_else(|| decide_call(facts, &own.call, Some(own)))
        }
        None => (Deny, Reason::Malformed),
    }
}

fn is_paused(facts: &Facts, agent: &Agent) -> bool {
    let paused = &facts.state.paused;
    paused.contains(agent) || paused.iter().any(|paused| paused.as_str() == "*")
}

fn decide_call(facts: &Facts, call: &Call, record: Option<&CallRecord>) -> NaiveDecision {
    let Some(graph) = facts.graph else { return (Deny, Reason::NoGraph) };
    let parent = call.observed.parent.and_then(|id| facts.state.calls.get(&id));
    let foreign = record.is_none() && parent.is_some_and(|outer| outer.call.agent != call.agent);
    if foreign || is_malformed(facts, graph, call) {
        return (Deny, Reason::Malformed);
    }
    if is_paused(facts, &call.agent) || has_run_of_ended_session(facts, call) {
        return (Deny, Reason::Paused);
    }
    // The strictest action decides; of equally strict ones the first.
    let first_match = |q: &ActionQuestion| PRECEDENCE.iter().find(|(applies, ..)| applies(q));
    let questions = list_questions(facts, graph, call, record);
    let verdicts =
        questions.iter().filter_map(first_match).map(|(_, outcome, why)| (*outcome, *why));
    let strictest = verdicts.rev().max_by_key(|(outcome, _)| *outcome);
    let asks = |q: &&ActionQuestion| first_match(q).is_some_and(|(_, outcome, _)| *outcome == Ask);
    let asked: Vec<&ActionQuestion> = questions.iter().filter(asks).collect();
    let is_unattended = facts.surface == Surface::Gone && call.parking == Parking::Refused;
    // The third distinct question from inside one running call.
    let too_many = lookups::running_parent(facts, call)
        .is_some_and(|outer| outer.questions.len() >= 2 && !outer.questions.contains(&call.digest));
    match strictest {
        None => (Deny, Reason::Malformed),
        Some((Ask, _)) if too_many => (Deny, Reason::TooManyAsks),
        Some((Ask, _)) if is_unattended => (Deny, Reason::NoOperator),
        Some((Ask, _)) if has_too_many_open(facts, call, &asked) => (Deny, Reason::TooManyOpen),
        Some(verdict) => verdict,
    }
}

/// The session with this key, unless it was ended or its agent has been silent for a day and the
/// quarter of an hour to which activity is recorded.
fn find_open_session<'a>(facts: &Facts<'a>, key: &SessionKey) -> Option<&'a Session> {
    let session = facts.state.sessions.get(key)?;
    let silent_for_too_long = facts.now >= session.active_at + Span::minutes(24 * 60 + 15);
    (session.ended_at.is_none() && !silent_for_too_long).then_some(session)
}

fn has_run_of_ended_session(facts: &Facts, call: &Call) -> bool {
    let run = call.run.and_then(|id| facts.state.runs.get(&id));
    let session = find_open_session(facts, &call.session);
    run.is_some_and(|run| session.is_none_or(|session| session.opening != run.opening))
}

/// The call would open more questions than its session, its agent, or all agents together, may have
/// open. Actions up to moderate risk share a question; an action that an open question of this call
/// lists needs none.
fn has_too_many_open(facts: &Facts, call: &Call, asked: &[&ActionQuestion]) -> bool {
    let is_open = |r: &&Request| r.state == RequestState::Open && facts.now < r.ends_at;
    let own = |r: &&Request| r.session == call.session;
    let here: Vec<_> = facts.state.requests.values().filter(is_open).filter(own).collect();
    let requests = here.iter().filter(|request| request.digest == call.digest);
    let listed: Vec<_> = requests.flat_map(|r| &r.items).filter(|i| i.answer.is_none()).collect();
    let is_new = |q: &&&ActionQuestion| !listed.iter().any(|i| i.action.as_ref() == Some(q.action));
    let new: Vec<_> = asked.iter().filter(is_new).collect();
    let alone = new.iter().filter(|q| q.risk > Risk::Moderate).count();
    let needed = alone + usize::from(alone < new.len());
    let here = here.iter().filter(|r| !matches!(r.subject, Subject::Imported(_))).count() + needed;
    let (own, all) = (facts.questions.of_agent + needed, facts.questions.in_all + needed);
    let max = facts.questions.allowed;
    needed > 0 && (here > max.per_session || own > max.per_agent || all > max.in_all)
}

/// The session or run belongs to another agent, the step is unknown, or the call has no action or
/// an invalid confidence.
fn is_malformed(facts: &Facts, graph: &Graph, call: &Call) -> bool {
    let run = call.run.and_then(|id| facts.state.runs.get(&id));
    let own = run.filter(|run| run.session == call.session && run.agent == call.agent);
    let waiting = situation::find_waiting_start(facts, call);
    let workflow = own.map(|run| &run.workflow).or(waiting);
    let steps = workflow.and_then(|name| graph.workflows.get(name)).map(|w| &w.steps);
    let known = |step: &StepName| steps.is_some_and(|all| all.iter().any(|one| one.name == *step));
    call.session.agent_name() != call.agent.as_str()
        || (call.run.is_some() && workflow.is_none())
        || call.step.as_ref().is_some_and(|step| !known(step))
        || call.actions.is_empty()
        || !(0.0..=1.0).contains(&call.claims.confidence)
}

/// The decision that follows from the record of a retried call alone, if any.
fn decide_by_record(facts: &Facts, record: &CallRecord) -> Option<NaiveDecision> {
    // A request is over at its end time, even if no sweep has recorded that yet.
    let has_expired = facts.state.requests.values().any(|request| {
        let over = request.state == RequestState::Open && facts.now >= request.ends_at;
        over && record.requests.contains(&request.id)
    });
    let session = find_open_session(facts, &record.call.session);
    // Reading goes on during a stop.
    let is_stopped = (session.is_some_and(|session| session.restraints.mode.is_stopped())
        || situation::is_stopped_above(facts, &record.call.session))
        && decide_call(facts, &record.call, Some(record)).1 == Reason::Stopped;
    match record.state {
        _ if is_paused(facts, &record.call.agent) => Some((Deny, Reason::Paused)),
        _ if session.is_none_or(|s| s.opening != record.opening) => Some((Deny, Reason::Paused)),
        CallState::Ended(Effect::Done) => Some((Allow, Reason::AlreadyDone)),
        CallState::Stopped => Some((Deny, Reason::Stopped)),
        _ if is_stopped => Some((Deny, Reason::Stopped)),
        CallState::Executing => Some((Deny, Reason::Running)),
        CallState::Declined => Some((Deny, Reason::DeclinedBefore)),
        CallState::Expired => Some((Deny, Reason::Expired)),
        CallState::Cancelled => Some((Deny, Reason::Cancelled)),
        CallState::Parked if has_expired => Some((Deny, Reason::Expired)),
        CallState::Denied | CallState::Parked | CallState::Approved | CallState::Ended(_) => None,
    }
}
