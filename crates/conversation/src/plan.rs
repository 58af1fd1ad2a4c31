//! Proposing and answering plans.
//!
//! An accepted plan becomes one grant per step, each used up by one call. A plan is answered in
//! the conversation only, within a few turns.

use crate::ShortReply;
use countersign_core::decide::facts::Facts;
use countersign_core::model::change::Change;
use countersign_core::model::grant::Holder;
use countersign_core::model::grant::{Confirmation, Coverage, Scope, Source};
use countersign_core::model::limits;
use countersign_core::model::names::SessionKey;
use countersign_core::model::plan::{PlanAnswer, PlanDraft, PlanState};
use countersign_core::model::words::Risk;
use countersign_core::state::Planned;
use countersign_core::steps::end_consent::{end_plan_steps, end_task_consent};
use countersign_core::steps::settle::create_direct_grant;

pub(crate) const PLAN_ENDED: &str = "The plan is off";

/// An agent proposes a plan. This ends the plan before it and the grants of that plan.
pub fn propose_plan(facts: &Facts, session: &SessionKey, mut plan: PlanDraft) -> Vec<Change> {
    plan.turn = facts.state.turn(session, facts.now);
    plan.redact(facts.key);
    let mut changes = vec![Change::PlanProposed { session: session.clone(), plan: Box::new(plan) }];
    changes.extend(end_plan_steps(facts, session));
    let another = facts
        .state
        .open_session(session, facts.now)
        .is_some_and(|open| open.planned == Planned::Once);
    if another {
        changes.extend(end_task_consent(facts, session));
    }
    changes
}

/// The operator has accepted a plan where the agent's program showed it. That is a clear yes on the
/// turn of the plan. While a stop holds, the plan is only proposed.
pub fn propose_accepted_plan(
    facts: &Facts,
    session: &SessionKey,
    plan: PlanDraft,
) -> (Vec<String>, Vec<Change>) {
    let mut changes = propose_plan(facts, session, plan);
    let proposed = changes.iter().find_map(|change| {
        if let Change::PlanProposed { plan, .. } = change { Some(plan.clone()) } else { None }
    });
    let is_stopped = facts.state.is_stopped(session, facts.now);
    let Some(plan) = proposed.filter(|_| !is_stopped) else { return (Vec::new(), changes) };
    let (answer, answered) = answer_plan(facts, session, &plan, &ShortReply::ClearYes);
    changes.extend(answered);
    (vec![describe_answer(answer).to_owned()], changes)
}

/// What became of a plan, in one line.
pub(crate) fn describe_answer(answer: PlanAnswer) -> &'static str {
    match answer {
        PlanAnswer::Accepted => "Plan accepted: each step counts once",
        PlanAnswer::Confirm | PlanAnswer::ConfirmLast => "Shall I carry out the plan as it stands?",
        PlanAnswer::Amended => "That is another plan: let me propose it anew",
        PlanAnswer::Ended => PLAN_ENDED,
        PlanAnswer::Stale => "That plan is no longer open; propose it again",
    }
}

/// The result of a reply to the open plan, and the changes that follow.
pub fn answer_plan(
    facts: &Facts,
    session: &SessionKey,
    plan: &PlanDraft,
    reply: &ShortReply,
) -> (PlanAnswer, Vec<Change>) {
    // The current turn counts.
    let age = (facts.state.turn(session, facts.now) + 1).saturating_sub(plan.turn);
    let answer = judge_reply(plan, age, reply);
    let mut changes = vec![Change::PlanAnswered { session: session.clone(), answer }];
    if answer == PlanAnswer::Accepted {
        changes.extend(grant_steps(facts, session, plan));
    }
    (answer, changes)
}

fn judge_reply(plan: &PlanDraft, age: u32, reply: &ShortReply) -> PlanAnswer {
    let concrete = plan.score >= limits::PLAN_SCORE;
    let is_confirming = matches!(plan.state, PlanState::Confirming | PlanState::ConfirmingLast);
    // A question that was put on the last turn can be answered on the next one.
    let is_last_answer =
        plan.state == PlanState::ConfirmingLast && age == limits::PLAN_TURNS.saturating_add(1);
    match reply {
        ShortReply::No { .. } | ShortReply::NoInside => PlanAnswer::Ended,
        ShortReply::ClearYes if is_last_answer => PlanAnswer::Accepted,
        _ if age > limits::PLAN_TURNS || plan.score < limits::PLAN_SCORE_WEAK => PlanAnswer::Stale,
        _ if plan.state == PlanState::Amended => PlanAnswer::Stale,
        ShortReply::YesWithChanges => PlanAnswer::Amended,
        ShortReply::ClearYes if is_confirming => PlanAnswer::Accepted,
        ShortReply::ClearYes if concrete && age <= 1 => PlanAnswer::Accepted,
        ShortReply::ClearYes | ShortReply::WeakYes if age == limits::PLAN_TURNS => {
            PlanAnswer::ConfirmLast
        }
        ShortReply::ClearYes | ShortReply::WeakYes => PlanAnswer::Confirm,
    }
}

/// One grant for each step, in the plan's order.
fn grant_steps(facts: &Facts, session: &SessionKey, plan: &PlanDraft) -> Vec<Change> {
    let Some(open) = facts.state.open_session(session, facts.now) else { return Vec::new() };
    let holder = Holder { session, agent: &open.agent, project: None };
    plan.actions
        .iter()
        .map(|action| {
            let (action, commands) = (action.clone(), plan.commands.clone());
            let coverage = Coverage::Step { action, commands };
            let terms = (Scope::Once, None, Confirmation::Plain);
            let (mut grant, _) = create_direct_grant(facts, &holder, coverage, terms);
            grant.source = Source::Plan;
            grant.shown = Risk::Moderate;
            grant.ends_at = Some(facts.now + limits::SESSION_GRANT);
            Change::GrantMinted { grant: Box::new(grant) }
        })
        .collect()
}
