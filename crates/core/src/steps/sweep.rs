//! Ends grants, requests and runs whose time has run out.
//!
//! Decisions compare instants themselves and never wait for a sweep. The sweep records what has
//! ended, so that the ledger contains it and lists stay short.

use crate::decide::facts::Facts;
use crate::model::change::{Change, GrantEnding};
use crate::model::grant::GrantState;
use crate::model::ids::RunId;
use crate::model::names::SessionKey;
use crate::model::request::RequestState;
use crate::model::run::{Run, RunState};
use crate::model::words::{Ending, RunEnding, words};
use crate::steps::end_consent::end_plan_steps;
use crate::steps::settle;

pub fn sweep(facts: &Facts) -> Vec<Change> {
    let mut changes: Vec<Change> = facts
        .state
        .requests
        .values()
        .filter(|request| request.state == RequestState::Open && request.ends_at <= facts.now)
        .map(|request| settle::request_closed(request.id, Ending::Expired))
        .collect();
    let over = facts.state.runs.values().filter(|run| has_run_out(facts, run));
    let mut ended_with_runs = Vec::new();
    for run in over {
        let how = match run.state {
            RunState::Suspended => RunEnding::Abandoned,
            RunState::Live | RunState::Ended(_) => RunEnding::Idle,
        };
        let ended = end_run(facts, run, how);
        ended_with_runs.extend(ended.iter().map(ended_grant));
        changes.extend(ended);
    }
    changes.extend(
        facts
            .state
            .grants
            .iter()
            .filter(|grant| matches!(grant.state, GrantState::Live | GrantState::Released { .. }))
            .filter(|grant| grant.is_over(facts.now) && !ended_with_runs.contains(&Some(grant.id)))
            .map(|grant| Change::GrantEnded { grant: grant.id, why: GrantEnding::Time }),
    );
    changes
}

/// Ends a run and everything that ends with it.
pub fn end_run(facts: &Facts, run: &Run, how: RunEnding) -> Vec<Change> {
    if matches!(run.state, RunState::Ended(_)) {
        return Vec::new();
    }
    let mut changes = vec![Change::RunEnded { run: run.id, how }];
    changes.extend(end_grants_of_run(facts, run.id));
    changes.extend(end_plan_steps(facts, &run.session));
    changes
}

/// Ends the runs of a session that a restart suspended and nobody reattached.
pub fn reconcile(facts: &Facts, session: &SessionKey) -> (Swept, Vec<Change>) {
    if facts.state.open_session(session, facts.now).is_none() {
        return (Swept::NoSession, Vec::new());
    }
    let runs = || facts.state.runs.values().filter(|run| run.session == *session);
    let left = runs().filter(|run| run.state == RunState::Suspended);
    let changes: Vec<Change> =
        left.flat_map(|run| end_run(facts, run, RunEnding::Abandoned)).collect();
    let swept = if !changes.is_empty() {
        Swept::Swept
    } else if runs().any(|run| run.is_live(facts.now)) {
        Swept::ActiveRunPresent
    } else {
        Swept::NoBlanket
    };
    (swept, changes)
}

words! {
    /// The result of reconciling a session after a restart.
    Swept {
        Swept = "swept",
        ActiveRunPresent = "active_run_present",
        NoBlanket = "no_blanket",
        NoSession = "no_session",
    }
}

fn has_run_out(facts: &Facts, run: &Run) -> bool {
    !matches!(run.state, RunState::Ended(_)) && run.ends_at() <= facts.now
}

fn end_grants_of_run(facts: &Facts, run: RunId) -> Vec<Change> {
    facts
        .state
        .grants
        .iter()
        .filter(|grant| grant.run == Some(run))
        .filter(|grant| grant.is_held() || facts.state.is_in_use(grant.id))
        .map(|grant| Change::GrantEnded { grant: grant.id, why: GrantEnding::RunOver })
        .collect()
}

fn ended_grant(change: &Change) -> Option<crate::model::ids::GrantId> {
    let Change::GrantEnded { grant, .. } = change else { return None };
    Some(*grant)
}
