//! Valid states that random steps rarely reach, produced by editing the state directly.

use super::{Scenario, boundaries, names};
use crate::rng::Rng;
use countersign_core::encoding::digest::Digest;
use countersign_core::model::call::CallTarget;
use countersign_core::model::command::Command;
use countersign_core::model::grant::{Confirmation, Coverage, Grant, GrantState, Scope, Source};
use countersign_core::model::ids::{CallId, GestureId, GrantId, IdGenerator, RunId};
use countersign_core::model::limits;
use countersign_core::model::names::{Action, SessionKey};
use countersign_core::model::run::RunState;
use countersign_core::model::time::{Span, Time};
use countersign_core::model::words::{Effect, Risk};
use countersign_core::state::{
    CallRecord, CallState, CarriedOver, Consent, ConsentStanding, DeclineRecord, DeclineState,
    FailedCall, Mode, Restraints,
};
use std::sync::Arc;

pub fn alter_state(scenario: &mut Scenario, rng: &mut Rng) -> Option<()> {
    match rng.below(18) {
        0..3 => alter_grant(scenario, rng),
        3..6 => alter_record(scenario, rng),
        6..10 => make_call_running(scenario, rng),
        10..12 => alter_session(scenario, rng),
        12..14 => alter_run(scenario, rng),
        14..17 => mint_task_consent(scenario, rng),
        _ => {
            boundaries::advance_clock(scenario, rng);
            Some(())
        }
    }
}

fn alter_grant(scenario: &mut Scenario, rng: &mut Rng) -> Option<()> {
    let now = scenario.now;
    let ids: Vec<GrantId> = scenario.state.grants.iter().map(|grant| grant.id).collect();
    let digests = list_digests(scenario);
    let Some(id) = rng.pick(&ids) else { return Some(()) };
    let grant = scenario.state.grants.get_mut(*id)?;
    match rng.below(10) {
        0 => grant.shown = *rng.pick(Risk::ALL)?,
        1 => grant.confirmation = Confirmation::Plain,
        2 if grant.ends_at.is_some() => grant.ends_at = Some(now + Span::seconds(1)),
        3 => grant.reviewed_at = Time::from_micros(now.micros() - 29 * 86_400_000_000),
        4 => grant.state = GrantState::Ended,
        5 => grant.state = GrantState::Spent,
        6 if grant.scope == Scope::Once => {
            grant.state = match rng.pick(&digests) {
                Some(only) => GrantState::Released { only: *only },
                None => GrantState::Revoked,
            }
        }
        7 if can_be_import(grant) => grant.source = Source::Import,
        _ => grant.state = GrantState::Revoked,
    }
    Some(())
}

fn list_digests(scenario: &Scenario) -> Vec<Digest> {
    let mut digests: Vec<_> = scenario.state.calls.values().map(|r| r.call.digest).collect();
    digests.sort_unstable();
    digests
}

fn can_be_import(grant: &Grant) -> bool {
    matches!(grant.coverage, Coverage::Everything | Coverage::Action(_))
        && grant.source == Source::Standing
}

fn pick_record<'a>(scenario: &'a mut Scenario, rng: &mut Rng) -> Option<&'a mut CallRecord> {
    let mut ids: Vec<_> = scenario.state.calls.keys().copied().collect();
    ids.sort_unstable();
    scenario.state.calls.get_mut(rng.pick(&ids)?)
}

fn alter_record(scenario: &mut Scenario, rng: &mut Rng) -> Option<()> {
    let now = scenario.now;
    let Some(record) = pick_record(scenario, rng) else { return Some(()) };
    let (lasting, agent) = (record.call.lasting, record.call.agent.clone());
    // Those that a decision meets only on a retry of this very record come up more often.
    let common = [
        CallState::Parked,
        CallState::Approved,
        CallState::Declined,
        CallState::Expired,
        CallState::Stopped,
        CallState::Ended(Effect::Done),
        CallState::Ended(Effect::Done),
        CallState::Ended(Effect::Failed),
    ];
    let unknown = CallState::Ended(Effect::Unknown);
    let rare = [CallState::Cancelled, CallState::Cancelled, unknown, unknown, unknown];
    if rng.chance(25) {
        let (session, _, _) = names::pick_session(rng)?;
        let opening = u32::try_from(rng.below(3)).unwrap_or_default();
        let state = match rng.below(10) {
            0 => DeclineState::Lifted,
            1 | 2 => DeclineState::LiftedIn(vec![(session, opening)]),
            _ => DeclineState::Holds,
        };
        let (project, target, note) = (None, CallTarget::Named(Vec::new()), String::new());
        let action = None;
        let declined = DeclineRecord { agent, project, action, target, at: now, note, state };
        scenario.state.declined.insert(lasting, declined);
    } else {
        record.state = *(if rng.chance(60) { rng.pick(&rare)? } else { rng.pick(&common)? });
    }
    Some(())
}

/// Makes a call run on a grant, a gesture or another call, with declared actions.
fn make_call_running(scenario: &mut Scenario, rng: &mut Rng) -> Option<()> {
    let grants: Vec<GrantId> = scenario.state.grants.iter().map(|grant| grant.id).collect();
    let gestures: Vec<GestureId> = scenario.state.gestures.keys().copied().collect();
    let mut calls: Vec<CallId> = scenario.state.calls.keys().copied().collect();
    calls.sort_unstable();
    let Some(id) = rng.pick(&calls) else { return Some(()) };
    // Avoids cycles: only a call without a parent becomes the parent.
    let is_outermost = |other: &&CallId| {
        let record = scenario.state.calls.get(other);
        *other != id && record.is_some_and(|record| record.call.observed.parent.is_none())
    };
    let around: Vec<CallId> = calls.iter().filter(is_outermost).copied().collect();
    let mut consent = Consent {
        declared: Vec::new(),
        grants: Vec::new(),
        gesture: None,
        parent: None,
        standing: ConsentStanding::Given,
        actions: Vec::new(),
    };
    match rng.below(4) {
        0 | 1 => consent.grants.extend(rng.pick(&grants)),
        2 => consent.gesture = rng.pick(&gestures).copied(),
        _ => {
            consent.parent = rng.pick(&around).copied();
            let outer = consent.parent.and_then(|outer| scenario.state.calls.get_mut(&outer));
            if let (Some(outer), Some(gesture)) = (outer, rng.pick(&gestures)) {
                outer.consent.gesture = Some(*gesture);
            }
        }
    }
    if rng.chance(15) {
        consent.standing = *rng.pick(&[ConsentStanding::None, ConsentStanding::Withdrawn])?;
    }
    let question_count = rng.below(4);
    let declares = names::pick_actions(rng, 3)?;
    // Some of what it declares may have passed without consent.
    let is_all = rng.chance(94);
    consent.actions = if is_all { declares.clone() } else { names::pick_actions(rng, 3)? };
    let record = scenario.state.calls.get_mut(id)?;
    record.state = CallState::Executing;
    let call = Arc::make_mut(&mut record.call);
    call.declares = declares;
    call.observed.parent = consent.parent;
    record.consent = consent;
    record.card_risk = *rng.pick(&[Risk::Low, Risk::Moderate, Risk::High])?;
    record.questions =
        [record.call.digest, record.call.lasting].into_iter().take(question_count).collect();
    Some(())
}

fn alter_session(scenario: &mut Scenario, rng: &mut Rng) -> Option<()> {
    let (name, _, _) = names::pick_session(rng)?;
    let digests = list_digests(scenario);
    let Some(session) = scenario.state.sessions.get_mut(&name) else { return Some(()) };
    let target = match rng.chance(30) {
        true => CallTarget::Command(Command::Plain { argv: names::pick_argv(rng)?, cwd: None }),
        false => CallTarget::Named(vec!["ann@here".to_owned()]),
    };
    let action = names::pick_action(rng)?;
    match rng.below(11) {
        0 => session.restraints.mode = Mode::DryRun,
        1 => session.restraints.mode = *rng.pick(&[Mode::Stopped, Mode::StoppedDryRun])?,
        2 | 3 => session.restraints.declined.push((action, target)),
        4 => session.accepted = vec![action],
        5..8 => end_session(scenario, rng, (&name, (action, target))),
        8 => put_below_another(scenario, rng, &name)?,
        _ => {
            let digest = rng.pick(&digests).copied().unwrap_or(Digest::zero());
            session.failures.push(FailedCall { action, target, digest });
        }
    }
    Some(())
}

/// Makes a session that of a sub-agent; the one above it is stopped some of the time.
fn put_below_another(scenario: &mut Scenario, rng: &mut Rng, name: &SessionKey) -> Option<()> {
    let (above, _, _) = names::pick_session(rng)?;
    let row = scenario.state.sessions.get_mut(&above).filter(|row| row.above.is_none());
    let Some(row) = row.filter(|_| above != *name) else { return Some(()) };
    row.below.push(name.clone());
    if rng.chance(50) {
        row.restraints.mode = Mode::Stopped;
    }
    scenario.state.sessions.get_mut(name)?.above = Some(above);
    Some(())
}

/// Ends a session by its agent, by somebody else, or by silence; some of the time just not yet.
fn end_session(
    scenario: &mut Scenario,
    rng: &mut Rng,
    (name, refused): (&SessionKey, (Action, CallTarget)),
) {
    let Some(session) = scenario.state.sessions.get_mut(name) else { return };
    if rng.chance(30) {
        let margin = if rng.chance(50) { Span::seconds(1) } else { Span::seconds(0) };
        session.active_at =
            scenario.now - limits::SESSION_IDLE - limits::SESSION_ACTIVITY_STEP + margin;
        return;
    }
    session.ended_at = Some(scenario.now);
    let mut restraints = std::mem::replace(&mut session.restraints, Restraints::NONE);
    match rng.below(3) {
        0 => restraints.declined.push(refused),
        1 => restraints.mode = Mode::DryRun,
        _ => {}
    }
    if rng.chance(70) {
        let ends_at = scenario.now + Span::seconds(i64::from(rng.chance(80)));
        scenario.state.carried_over.insert(name.to_agent(), CarriedOver { ends_at, restraints });
    }
}

fn alter_run(scenario: &mut Scenario, rng: &mut Rng) -> Option<()> {
    let ids: Vec<RunId> = scenario.state.runs.keys().copied().collect();
    let Some(id) = rng.pick(&ids) else { return Some(()) };
    if rng.chance(60) {
        let until = [scenario.now, scenario.now + Span::minutes(1)];
        let until = rng.pick(&until).copied();
        let run = scenario.state.runs.get_mut(id)?;
        (run.state, run.reattach_until) = (RunState::Suspended, until);
        return Some(());
    }
    lengthen_run(scenario, rng, *id)
}

/// Moves a run to about its fiftieth or hundredth turn, confirmed before, at or after that.
fn lengthen_run(scenario: &mut Scenario, rng: &mut Rng, id: RunId) -> Option<()> {
    let Some(run) = scenario.state.runs.get_mut(&id) else { return Some(()) };
    let Some(session) = scenario.state.sessions.get_mut(&run.session) else { return Some(()) };
    let turns = *rng.pick(&[49, 50, 51, 99, 100, 101])?;
    session.turn = run.started_turn + turns;
    run.active_turn = session.turn;
    run.confirmed_turn = run.started_turn + *rng.pick(&[0, 49, 50, 51, 99, 100])?.min(&turns);
    Some(())
}

/// Mints the grants that an answer *this task* inside a run would mint.
fn mint_task_consent(scenario: &mut Scenario, rng: &mut Rng) -> Option<()> {
    let grants = scenario.state.grants.iter();
    let runs: Vec<Grant> =
        grants.filter(|g| matches!(g.coverage, Coverage::Run { .. })).cloned().collect();
    let Some(of_run) = rng.pick(&runs) else { return Some(()) };
    let ids = IdGenerator::new(scenario.now, rng.next_u64());
    for _ in 0..2 {
        let mut grant = of_run.clone();
        grant.id = GrantId::generate(&ids);
        grant.coverage = match rng.chance(50) {
            true => Coverage::Category(names::pick_category(rng)?),
            false => Coverage::Action(names::pick_action(rng)?),
        };
        grant.source = Source::Category;
        grant.shown = Risk::Moderate;
        grant.granted_at = scenario.now;
        grant.ends_at = Some(scenario.now + limits::RUN_GRANT);
        grant.state = GrantState::Live;
        scenario.state.grants.insert(grant);
    }
    match of_run.run {
        Some(run) if rng.chance(50) => lengthen_run(scenario, rng, run),
        Some(_) | None => Some(()),
    }
}
