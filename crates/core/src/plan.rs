//! Plans: what an agent says it will do, and what a yes to it carries.
//!
//! An accepted plan becomes one grant per step, each used up by one call. A plan is answered in
//! the conversation only, and soon: an old plan is no ground for anything.

use crate::change::{Change, GrantEnding};
use crate::conversation::Reply;
use crate::facts::Facts;
use crate::grant::{Confirmation, Coverage, Grant, GrantState, Scope, Source};
use crate::limits;
use crate::names::{Action, SessionName};
use crate::settle::{Holder, give};
use crate::state::Planned;
use crate::words::Risk;
use serde::{Deserialize, Serialize};

/// A plan that waits for an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanDraft {
    pub actions: Vec<Action>,
    /// Command lines that the plan names; other command lines are no part of it.
    pub commands: Vec<Vec<String>>,
    /// How concrete the plan is, from 0 to 4, as our side counted.
    pub score: u8,
    pub turn: u32,
    pub state: PlanState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanState {
    Proposed,
    /// A weak yes was heard; a clear one accepts.
    Confirming,
    /// The operator wants something else: only a new plan can be accepted.
    Amended,
}

/// What an answer makes of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanAnswer {
    Accepted,
    Confirm,
    /// Confirmation was asked for something that is no longer this plan.
    Amended,
    Ended,
    Stale,
}

/// An agent proposes a plan; the one before it, and what rested on it, is over.
pub fn propose_plan(facts: &Facts, session: &SessionName, mut plan: PlanDraft) -> Vec<Change> {
    plan.turn = facts.state.turn(session);
    let mut changes = vec![Change::PlanProposed { session: session.clone(), plan: Box::new(plan) }];
    changes.extend(end_steps(facts, session));
    let another =
        facts.state.sessions.get(session).is_some_and(|open| open.planned == Planned::Once);
    if another {
        changes.extend(end_task_consent(facts, session));
    }
    changes
}

/// What a reply makes of the open plan, and the changes that follow.
pub fn answer_plan(
    facts: &Facts,
    session: &SessionName,
    plan: &PlanDraft,
    reply: &Reply,
) -> (PlanAnswer, Vec<Change>) {
    // The turn that is being said counts.
    let age = (facts.state.turn(session) + 1).saturating_sub(plan.turn);
    let answer = judge(plan, age, reply);
    let mut changes = vec![Change::PlanAnswered { session: session.clone(), answer }];
    if answer == PlanAnswer::Accepted {
        changes.extend(steps(facts, session, plan));
    }
    (answer, changes)
}

fn judge(plan: &PlanDraft, age: u32, reply: &Reply) -> PlanAnswer {
    let concrete = plan.score >= limits::PLAN_SCORE;
    match reply {
        Reply::No { .. } | Reply::NoInside => PlanAnswer::Ended,
        _ if age > limits::PLAN_TURNS || plan.score < limits::PLAN_SCORE_WEAK => PlanAnswer::Stale,
        _ if plan.state == PlanState::Amended => PlanAnswer::Stale,
        Reply::YesWithChanges => PlanAnswer::Amended,
        Reply::ClearYes if plan.state == PlanState::Confirming => PlanAnswer::Accepted,
        Reply::ClearYes if concrete && age <= 1 => PlanAnswer::Accepted,
        Reply::ClearYes | Reply::WeakYes => PlanAnswer::Confirm,
    }
}

/// One grant for each step, in the plan's order.
fn steps(facts: &Facts, session: &SessionName, plan: &PlanDraft) -> Vec<Change> {
    let Some(open) = facts.state.sessions.get(session) else { return Vec::new() };
    let holder = Holder { session, agent: &open.agent, project: None };
    plan.actions
        .iter()
        .map(|action| {
            let (action, commands) = (action.clone(), plan.commands.clone());
            let coverage = Coverage::Step { action, commands };
            let terms = (Scope::Once, None, Confirmation::Plain);
            let (mut grant, _) = give(facts, &holder, coverage, terms);
            grant.source = Source::Plan;
            grant.shown = Risk::Moderate;
            grant.ends_at = Some(facts.now + limits::SESSION_GRANT);
            Change::GrantMinted { grant: Box::new(grant) }
        })
        .collect()
}

/// Ends the steps of the session's plan that were not used.
pub fn end_steps(facts: &Facts, session: &SessionName) -> Vec<Change> {
    let open = |grant: &&Grant| {
        grant.source == Source::Plan
            && grant.made_in == *session
            && matches!(
                grant.state,
                GrantState::Live | GrantState::Released { .. } | GrantState::Reserved { .. }
            )
    };
    ended(facts.state.grants.iter().filter(open))
}

/// Ends what was consented to for the tasks of a session.
pub fn end_task_consent(facts: &Facts, session: &SessionName) -> Vec<Change> {
    let open = |grant: &&Grant| {
        grant.is_for_task() && grant.made_in == *session && grant.state == GrantState::Live
    };
    ended(facts.state.grants.iter().filter(open))
}

fn ended<'a>(grants: impl Iterator<Item = &'a Grant>) -> Vec<Change> {
    grants.map(|g| Change::GrantEnded { grant: g.id, why: GrantEnding::Reset }).collect()
}
