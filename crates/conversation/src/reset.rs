//! Turns that clear consent: stop, correction, clear, and the end of runs.

use crate::ProcessedTurn;
use crate::announce::{announce_reset, announce_run_ends};
use crate::listing::standing_commands;
use crate::text::count;
use countersign_core::decide::facts::Facts;
use countersign_core::model::change::{Change, GrantEnding, Reset};
use countersign_core::model::grant::{Grant, Owner};
use countersign_core::model::limits;
use countersign_core::model::names::SessionKey;
use countersign_core::model::request::Request;
use countersign_core::model::run::{Run, RunState};
use countersign_core::model::turn::TurnResult;
use countersign_core::model::words::{Ending, RunEnding};
use countersign_core::steps::end_consent::end_plan_steps;
use countersign_core::steps::settle;
use countersign_core::steps::sweep::end_run;

/// Clears consent, cancels open requests, and stops everything until the next turn or answer, in the
/// sessions of sub-agents too.
pub(super) fn stop_session(facts: &Facts, session: &SessionKey) -> ProcessedTurn {
    let below = facts.state.sessions_below(session);
    let stopped = || std::iter::once(session).chain(&below);
    let mut changes: Vec<Change> =
        stopped().flat_map(|session| clear_grants(facts, session, Reset::Stop)).collect();
    let is_in_conversation = |request: &&Request| !request.is_proposal() && !request.is_imported();
    let open = stopped().flat_map(|session| facts.state.open_requests(session, facts.now));
    let cards: Vec<_> = open
        .filter(is_in_conversation)
        .map(|request| settle::request_closed(request.id, Ending::Cancelled))
        .collect();
    let (grants, requests) = (count_ended_grants(facts, &changes), count(cards.len(), "request"));
    changes.extend(cards);
    let kept = count(standing_commands(facts, session).count(), "standing command");
    let line = format!(
        "Stopped: {grants} cleared, {requests} cancelled, {kept} kept; nothing but reading runs \
         until you go on"
    );
    ProcessedTurn::new(TurnResult::Stop, vec![line], changes)
}

pub(super) fn apply_correction(facts: &Facts, session: &SessionKey) -> ProcessedTurn {
    let changes = clear_grants(facts, session, Reset::Correction);
    let line = format!("Corrected: {} cleared", count_ended_grants(facts, &changes));
    ProcessedTurn::new(TurnResult::Reset, vec![line], changes)
}

pub(super) fn clear_consent(facts: &Facts, session: &SessionKey) -> ProcessedTurn {
    let changes = clear_grants(facts, session, Reset::Clear);
    let line = format!("Consent state cleared: {}", count_ended_grants(facts, &changes));
    ProcessedTurn::new(TurnResult::Reset, vec![line], changes)
}

/// The operator says that the work is done: ends the session's runs.
pub(super) fn end_all_runs(facts: &Facts, session: &SessionKey) -> ProcessedTurn {
    let runs: Vec<&Run> = live_runs(facts, session).collect();
    let mut changes = vec![reset_change(session, Reset::RunEnd)];
    changes.extend(runs.iter().flat_map(|run| end_run(facts, run, RunEnding::Completed)));
    if runs.is_empty() {
        changes.extend(end_plan_steps(facts, session));
    }
    let mut lines = announce_run_ends(&changes);
    if lines.is_empty() {
        lines.push("No workflow is running".to_owned());
    }
    ProcessedTurn::new(TurnResult::Reset, lines, changes)
}

/// What a reported move of the conversation led to.
#[derive(Clone, Debug, PartialEq)]
pub struct ReportedMove {
    pub lines: Vec<String>,
    pub changes: Vec<Change>,
}

/// An adapter reports that the operator has changed the topic: ends the session's runs.
pub fn topic_changed(facts: &Facts, session: &SessionKey) -> ReportedMove {
    let ProcessedTurn { lines, changes, .. } = end_all_runs(facts, session);
    ReportedMove { lines, changes }
}

/// An adapter reports another project, feature or set of files: clears the consent for the task.
pub fn context_changed(facts: &Facts, session: &SessionKey) -> ReportedMove {
    let changes = clear_grants(facts, session, Reset::ContextSwitch);
    let lines = announce_reset(Reset::ContextSwitch).map(str::to_owned).into_iter().collect();
    ReportedMove { lines, changes }
}

/// Ends the runs in which no call was allowed for too many turns.
pub(super) fn end_idle_runs(
    facts: &Facts,
    session: &SessionKey,
    already: &[Change],
) -> Vec<Change> {
    // The current turn counts.
    let turn = facts.state.turn(session, facts.now) + 1;
    let ends = |run: &Run| {
        already
            .iter()
            .any(|change| matches!(change, Change::RunEnded { run: id, .. } if *id == run.id))
    };
    live_runs(facts, session)
        .filter(|run| turn >= run.active_turn + limits::RUN_IDLE_TURNS && !ends(run))
        .flat_map(|run| end_run(facts, run, RunEnding::Idle))
        .collect()
}

fn live_runs<'a>(facts: &Facts<'a>, session: &'a SessionKey) -> impl Iterator<Item = &'a Run> {
    facts
        .state
        .runs
        .values()
        .filter(move |run| run.session == *session && !matches!(run.state, RunState::Ended(_)))
}

fn reset_change(session: &SessionKey, why: Reset) -> Change {
    Change::ConsentReset { session: session.clone(), why }
}

/// Ends every grant of the session except its standing commands. Project grants outlive a session.
fn clear_grants(facts: &Facts, session: &SessionKey, why: Reset) -> Vec<Change> {
    let ends = |grant: &Grant| Change::GrantEnded { grant: grant.id, why: GrantEnding::Reset };
    let grants = facts.state.grants.iter().filter(|grant| {
        grant.owner == Owner::Session(session.clone())
            && (grant.is_held() || facts.state.is_in_use(grant.id))
            && !grant.is_standing_command()
    });
    std::iter::once(reset_change(session, why)).chain(grants.map(ends)).collect()
}

/// The grants that the operator gave. The content of a program that a card showed is none.
fn count_ended_grants(facts: &Facts, changes: &[Change]) -> String {
    let ended = changes.iter().filter_map(|change| {
        if let Change::GrantEnded { grant, .. } = change { Some(*grant) } else { None }
    });
    let grants = ended.filter_map(|id| facts.state.grants.get(id));
    count(grants.filter(|grant| !grant.is_program_pin()).count(), "grant")
}
