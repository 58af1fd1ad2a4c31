//! Ends a session, and everything that belongs to it.
//!
//! See docs/decisions/0040-end-sessions.md.

use countersign_core::decide::facts::Facts;
use countersign_core::model::change::{Change, GrantEnding};
use countersign_core::model::grant::{Grant, Owner};
use countersign_core::model::ids::GrantId;
use countersign_core::model::names::SessionKey;
use countersign_core::model::request::Request;
use countersign_core::model::run::{Run, RunState};
use countersign_core::model::words::{Ending, RunEnding, SessionEnder};
use countersign_core::steps::settle;
use countersign_core::steps::sweep::end_run;

/// Ends a session with the sessions of its sub-agents. Nothing if it has ended before.
pub fn end_session(facts: &Facts, session: &SessionKey, by: SessionEnder) -> Vec<Change> {
    // Those below first: what holds them back from above still holds then, and carries over.
    let below = facts.state.sessions_below(session);
    let ended = below.iter().rev().chain([session]);
    ended.flat_map(|session| end_one_session(facts, session, by)).collect()
}

/// Ends the session's runs, grants and requests, then the session itself with its waiting calls.
/// Project grants, proposals and imported grants outlive a session.
fn end_one_session(facts: &Facts, session: &SessionKey, by: SessionEnder) -> Vec<Change> {
    let row = facts.state.sessions.get(session).filter(|row| row.ended_at.is_none());
    let Some(row) = row else { return Vec::new() };
    let mut changes = end_runs(facts, session);
    let why = match by {
        SessionEnder::Silence => GrantEnding::Time,
        SessionEnder::Agent | SessionEnder::Adapter | SessionEnder::Operator => GrantEnding::Reset,
    };
    changes.extend(end_grants(facts, session, why, &changes));
    let belongs = |request: &&Request| !request.is_proposal() && !request.is_imported();
    let requests = facts.state.open_requests(session, facts.now).filter(belongs);
    changes.extend(requests.map(|request| settle::request_closed(request.id, Ending::Cancelled)));
    changes.push(Change::SessionEnded { session: session.clone(), opening: row.opening, by });
    changes
}

/// Ends a session whose agent has submitted nothing for too long.
pub fn end_silent_session(facts: &Facts, session: &SessionKey) -> Vec<Change> {
    match facts.state.open_session(session, facts.now) {
        Some(_) => Vec::new(),
        // While a sub-agent is at work, the session above it is not silent.
        None => end_one_session(facts, session, SessionEnder::Silence),
    }
}

fn end_runs(facts: &Facts, session: &SessionKey) -> Vec<Change> {
    let open = |run: &&Run| run.session == *session && !matches!(run.state, RunState::Ended(_));
    let runs = facts.state.runs.values().filter(open);
    runs.flat_map(|run| end_run(facts, run, RunEnding::Cancelled)).collect()
}

/// The session's grants, except those that end with its runs.
fn end_grants(
    facts: &Facts,
    session: &SessionKey,
    why: GrantEnding,
    with_runs: &[Change],
) -> Vec<Change> {
    let has_ended = |id: GrantId| {
        with_runs.iter().any(|c| matches!(c, Change::GrantEnded { grant, .. } if *grant == id))
    };
    let own = |grant: &&Grant| {
        grant.owner == Owner::Session(session.clone())
            && (grant.is_held() || facts.state.is_in_use(grant.id))
            && !has_ended(grant.id)
    };
    let grants = facts.state.grants.iter().filter(own);
    grants.map(|grant| Change::GrantEnded { grant: grant.id, why }).collect()
}
