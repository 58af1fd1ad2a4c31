//! The decision once more, written to be read beside the specification.
//!
//! The order of precedence is one table. Every grant, rule and reducer is found by looking at all
//! of them. It shares the data types with the first implementation and none of the functions that
//! decide, so that a misreading has to be made twice to go unseen. It explains nothing, is slow,
//! and gates nothing.

mod consent;
mod question;
mod situation;

use consent::names_the_command;
use countersign_core::decide::facts::Facts;
use countersign_core::model::call::{Call, Definition, Parking};
use countersign_core::model::graph::{Asking, Graph, Unclassified};
use countersign_core::model::ids::CallId;
use countersign_core::model::names::{Agent, SessionName, Step};
use countersign_core::model::request::RequestState;
use countersign_core::model::words::Outcome::{Allow, Ask, Deny, Notify};
use countersign_core::model::words::{Effect, Outcome, Reason, Risk, Surface, Tier};
use countersign_core::state::{CallRecord, CallState, Mode};
use question::{Question, questions};

/// What was decided, and the one deciding reason.
pub type Verdict = (Outcome, Reason);

type Applies = fn(&Question) -> bool;

/// The order of precedence, for one action: the first row that applies decides.
const STEPS: &[(Applies, Outcome, Reason)] = &[
    (|q| q.tier == Some(Tier::Blocked), Deny, Reason::Blocked),
    (situation::touches_our_own, Deny, Reason::SelfProtection),
    (situation::lacks_the_channel, Deny, Reason::ChannelRequired),
    (situation::needs_a_proposal, Deny, Reason::DiffMissing),
    // The graph denies here too, and no grant lifts what the graph denies.
    (|q| q.is_unlisted(Unclassified::Deny), Deny, Reason::Unclassified),
    (situation::was_declined_lately, Deny, Reason::DeclinedBefore),
    // Redeemed: what may have happened is repeated only on a yes to this very question.
    (situation::may_have_happened, Ask, Reason::UnknownEffect),
    (consent::names_this_call, Allow, Reason::Granted),
    (situation::is_clicked, Allow, Reason::Gesture),
    (situation::is_beyond_a_dry_run, Ask, Reason::DryRun),
    (situation::is_second_destination, Ask, Reason::FanOut),
    (|q| q.call.observed.definition == Definition::Changed, Ask, Reason::ToolChanged),
    (situation::was_declined_in_session, Ask, Reason::PreviouslyDeclined),
    // What the graph does not list, only a grant for the exact command carries.
    (|q| q.is_unlisted(Unclassified::Ask) && !names_the_command(q), Ask, Reason::Unclassified),
    (situation::is_individual, Ask, Reason::Individual),
    (|q| q.rule_is(|rule| rule.asking == Asking::Always), Ask, Reason::AlwaysAsk),
    (|q| q.risk == Risk::Critical && consent::matches(q), Ask, Reason::TooRiskyToCarry),
    (|q| q.risk == Risk::Critical, Ask, Reason::NoGrant),
    (situation::is_nested, Allow, Reason::Nested),
    (|q| q.is_reduced && q.risk <= Risk::Low, Allow, Reason::Reduced),
    (situation::is_autonomous, Allow, Reason::Autonomous),
    (|q| q.risk == Risk::ReadOnly, Allow, Reason::ReadOnly),
    (situation::passes_while_idle, Allow, Reason::Idle),
    (consent::is_given_before_any_plan, Allow, Reason::Granted),
    (consent::is_planned, Allow, Reason::Plan),
    (consent::is_given, Allow, Reason::Granted),
    (situation::is_visible, Notify, Reason::Visible),
    (|q| q.is_decayed() || consent::waits_for_review(q), Ask, Reason::Decayed),
    (consent::matches, Ask, Reason::TooRiskyToCarry),
    (consent::has_ended, Ask, Reason::Expired),
    (|_| true, Ask, Reason::NoGrant),
];

/// Decides a fresh call.
pub fn decide(facts: &Facts, call: &Call) -> Verdict {
    whole(facts, call, None)
}

/// Decides about a parked call that its agent redeems: its record first, then the usual order.
pub fn retry(facts: &Facts, id: CallId, session: &SessionName, agent: &Agent) -> Verdict {
    let record = facts.state.calls.get(&id);
    match record.filter(|r| r.call.session == *session && r.call.agent == *agent) {
        Some(own) => by_record(facts, own).unwrap_or_else(|| whole(facts, &own.call, Some(own))),
        None => (Deny, Reason::Malformed),
    }
}

fn whole(facts: &Facts, call: &Call, record: Option<&CallRecord>) -> Verdict {
    let Some(graph) = facts.graph else { return (Deny, Reason::NoGraph) };
    if is_malformed(facts, graph, call) {
        return (Deny, Reason::Malformed);
    }
    if facts.state.paused.contains(&call.agent) {
        return (Deny, Reason::Paused);
    }
    // Of several actions the strictest holds; of equally strict ones the first.
    let first = |q: &Question| STEPS.iter().find(|(applies, ..)| applies(q));
    let questions = questions(facts, graph, call, record);
    let verdicts = questions.iter().filter_map(first).map(|(_, outcome, why)| (*outcome, *why));
    let strictest = verdicts.rev().max_by_key(|(outcome, _)| *outcome);
    let nobody = facts.surface == Surface::Gone && call.parking == Parking::Refused;
    // The third distinct question from inside one running call.
    let too_many = situation::running(facts, call)
        .is_some_and(|outer| outer.questions.len() >= 2 && !outer.questions.contains(&call.digest));
    match strictest {
        None => (Deny, Reason::Malformed),
        Some((Ask, _)) if too_many => (Deny, Reason::TooManyAsks),
        Some((Ask, _)) if nobody => (Deny, Reason::NoOperator),
        Some(verdict) => verdict,
    }
}

/// Not this agent's session or run, no such step, no action, or no confidence.
fn is_malformed(facts: &Facts, graph: &Graph, call: &Call) -> bool {
    let session = facts.state.sessions.get(&call.session);
    let run = call.run.and_then(|id| facts.state.runs.get(&id));
    let own = run.filter(|run| run.session == call.session && run.agent == call.agent);
    let steps = own.and_then(|run| graph.workflows.get(&run.workflow)).map(|w| &w.steps);
    let known = |step: &Step| steps.is_some_and(|all| all.iter().any(|one| one.name == *step));
    session.is_some_and(|session| session.agent != call.agent)
        || (call.run.is_some() && own.is_none())
        || call.step.as_ref().is_some_and(|step| !known(step))
        || call.actions.is_empty()
        || !(0.0..=1.0).contains(&call.claims.confidence)
}

/// What the record of a redeemed call says, if it says anything by itself.
fn by_record(facts: &Facts, record: &CallRecord) -> Option<Verdict> {
    // A request that ran out has done so whether it was written down or not.
    let ran_out = facts.state.requests.values().any(|request| {
        let over = request.state == RequestState::Open && facts.now >= request.ends_at;
        over && record.requests.contains(&request.id)
    });
    let session = facts.state.sessions.get(&record.call.session);
    let stopped = session.is_some_and(|session| session.mode == Mode::Stopped);
    match record.state {
        _ if facts.state.paused.contains(&record.call.agent) => Some((Deny, Reason::Paused)),
        CallState::Ended(Effect::Done) => Some((Allow, Reason::AlreadyDone)),
        CallState::Stopped => Some((Deny, Reason::Stopped)),
        _ if stopped => Some((Deny, Reason::Stopped)),
        CallState::Executing => Some((Deny, Reason::Running)),
        CallState::Declined => Some((Deny, Reason::DeclinedBefore)),
        CallState::Expired => Some((Deny, Reason::Expired)),
        CallState::Parked if ran_out => Some((Deny, Reason::Expired)),
        CallState::Denied | CallState::Parked | CallState::Approved | CallState::Ended(_) => None,
    }
}
