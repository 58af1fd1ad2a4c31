//! States that the operations reach rarely: put together by hand, within what can be.

use super::{World, edges, names};
use crate::chance::Chance;
use countersign_core::encoding::digest::Digest;
use countersign_core::model::grant::{Confirmation, Coverage, Grant, GrantState, Scope, Source};
use countersign_core::model::ids::{CallId, Fresh, GestureId, GrantId, RunId};
use countersign_core::model::limits;
use countersign_core::model::run::RunState;
use countersign_core::model::time::{Span, Time};
use countersign_core::model::words::{Effect, Risk};
use countersign_core::state::{CallRecord, CallState, Consent, Declined, Failure, Mode, Standing};
use std::sync::Arc;

pub fn tamper(world: &mut World, chance: &mut Chance) -> Option<()> {
    match chance.below(18) {
        0..3 => grant(world, chance),
        3..6 => record(world, chance),
        6..10 => running(world, chance),
        10..12 => session(world, chance),
        12..14 => run(world, chance),
        14..17 => task_consent(world, chance),
        _ => {
            edges::wait(world, chance);
            Some(())
        }
    }
}

fn grant(world: &mut World, chance: &mut Chance) -> Option<()> {
    let now = world.now;
    let ids: Vec<GrantId> = world.state.grants.iter().map(|grant| grant.id).collect();
    let digests = digests(world);
    let Some(id) = chance.pick(&ids) else { return Some(()) };
    let grant = world.state.grants.get_mut(*id)?;
    match chance.below(8) {
        0 => grant.shown = *chance.pick(Risk::ALL)?,
        1 => grant.confirmation = Confirmation::Plain,
        2 if grant.ends_at.is_some() => grant.ends_at = Some(now + Span::seconds(1)),
        3 => grant.reviewed_at = Time::from_micros(now.micros() - 29 * 86_400_000_000),
        4 => grant.state = GrantState::Ended,
        5 => grant.state = GrantState::Spent,
        6 if grant.scope == Scope::Once => {
            grant.state = match chance.pick(&digests) {
                Some(only) => GrantState::Released { only: *only },
                None => GrantState::Revoked,
            }
        }
        7 if imported(grant) => grant.source = Source::Import,
        _ => grant.state = GrantState::Revoked,
    }
    Some(())
}

fn digests(world: &World) -> Vec<Digest> {
    let mut digests: Vec<_> = world.state.calls.values().map(|r| r.call.digest).collect();
    digests.sort_unstable();
    digests
}

fn imported(grant: &Grant) -> bool {
    matches!(grant.coverage, Coverage::Everything | Coverage::Action(_))
        && grant.source == Source::Standing
}

fn a_record<'a>(world: &'a mut World, chance: &mut Chance) -> Option<&'a mut CallRecord> {
    let mut ids: Vec<_> = world.state.calls.keys().copied().collect();
    ids.sort_unstable();
    world.state.calls.get_mut(chance.pick(&ids)?)
}

fn record(world: &mut World, chance: &mut Chance) -> Option<()> {
    let now = world.now;
    let Some(record) = a_record(world, chance) else { return Some(()) };
    let (lasting, agent) = (record.call.lasting, record.call.agent.clone());
    let states = [
        CallState::Parked,
        CallState::Approved,
        CallState::Declined,
        CallState::Expired,
        CallState::Stopped,
        CallState::Ended(Effect::Done),
        CallState::Ended(Effect::Done),
        CallState::Ended(Effect::Unknown),
        CallState::Ended(Effect::Unknown),
        CallState::Ended(Effect::Unknown),
        CallState::Ended(Effect::Unknown),
        CallState::Ended(Effect::Failed),
    ];
    if chance.percent(25) {
        world.state.declined.insert(lasting, Declined { agent, at: now, note: String::new() });
    } else {
        record.state = *chance.pick(&states)?;
    }
    Some(())
}

/// A call still runs, on a grant, a click or another call, and declared what may follow.
fn running(world: &mut World, chance: &mut Chance) -> Option<()> {
    let grants: Vec<GrantId> = world.state.grants.iter().map(|grant| grant.id).collect();
    let gestures: Vec<GestureId> = world.state.gestures.keys().copied().collect();
    let mut calls: Vec<CallId> = world.state.calls.keys().copied().collect();
    calls.sort_unstable();
    let Some(id) = chance.pick(&calls) else { return Some(()) };
    // Nothing is nested in itself: what it is put into is inside nothing so far.
    let is_outermost = |other: &&CallId| {
        let record = world.state.calls.get(other);
        *other != id && record.is_some_and(|record| record.call.observed.parent.is_none())
    };
    let around: Vec<CallId> = calls.iter().filter(is_outermost).copied().collect();
    let mut consent =
        Consent { grants: Vec::new(), gesture: None, parent: None, standing: Standing::Given };
    match chance.below(4) {
        0 | 1 => consent.grants.extend(chance.pick(&grants)),
        2 => consent.gesture = chance.pick(&gestures).copied(),
        _ => {
            consent.parent = chance.pick(&around).copied();
            let outer = consent.parent.and_then(|outer| world.state.calls.get_mut(&outer));
            if let (Some(outer), Some(gesture)) = (outer, chance.pick(&gestures)) {
                outer.consent.gesture = Some(*gesture);
            }
        }
    }
    if chance.percent(15) {
        consent.standing = *chance.pick(&[Standing::None, Standing::Withdrawn])?;
    }
    let asked = chance.below(4);
    let declares = names::actions(chance, 3)?;
    let record = world.state.calls.get_mut(id)?;
    record.state = CallState::Executing;
    let call = Arc::make_mut(&mut record.call);
    call.declares = declares;
    call.observed.parent = consent.parent;
    record.consent = consent;
    record.card_risk = *chance.pick(&[Risk::Low, Risk::Moderate, Risk::High])?;
    record.questions = [record.call.digest, record.call.lasting].into_iter().take(asked).collect();
    Some(())
}

fn session(world: &mut World, chance: &mut Chance) -> Option<()> {
    let (name, _, _) = names::session(chance)?;
    let digests = digests(world);
    let Some(session) = world.state.sessions.get_mut(&name) else { return Some(()) };
    let (action, target) = (names::action(chance)?, vec!["ann@here".to_owned()]);
    match chance.below(8) {
        0 => session.mode = Mode::DryRun,
        1 => session.mode = Mode::Stopped,
        2 | 3 => session.declined.push((action, target)),
        4 => session.accepted = vec![action],
        _ => {
            let digest = chance.pick(&digests).copied().unwrap_or(Digest::zero());
            session.failures.push(Failure { action, target, digest });
        }
    }
    Some(())
}

fn run(world: &mut World, chance: &mut Chance) -> Option<()> {
    let ids: Vec<RunId> = world.state.runs.keys().copied().collect();
    let Some(id) = chance.pick(&ids) else { return Some(()) };
    if chance.percent(60) {
        world.state.runs.get_mut(id)?.state = RunState::Suspended;
        return Some(());
    }
    goes_on(world, chance, *id)
}

/// A long run: fifty turns and one more or less, confirmed before, at or after that.
fn goes_on(world: &mut World, chance: &mut Chance, id: RunId) -> Option<()> {
    let Some(run) = world.state.runs.get_mut(&id) else { return Some(()) };
    let Some(session) = world.state.sessions.get_mut(&run.session) else { return Some(()) };
    let turns = *chance.pick(&[49, 50, 51, 99, 100, 101])?;
    session.turn = run.started_turn + turns;
    run.active_turn = session.turn;
    run.confirmed_turn = run.started_turn + *chance.pick(&[0, 49, 50, 51, 99, 100])?.min(&turns);
    Some(())
}

/// Consent for a task: what an answer *this task* inside a run would have minted.
fn task_consent(world: &mut World, chance: &mut Chance) -> Option<()> {
    let grants = world.state.grants.iter();
    let runs: Vec<Grant> =
        grants.filter(|g| matches!(g.coverage, Coverage::Run { .. })).cloned().collect();
    let Some(of_run) = chance.pick(&runs) else { return Some(()) };
    let fresh = Fresh::new(world.now, chance.bits());
    for _ in 0..2 {
        let mut grant = of_run.clone();
        grant.id = GrantId::fresh(&fresh);
        grant.coverage = match chance.percent(50) {
            true => Coverage::Category(names::category(chance)?),
            false => Coverage::Action(names::action(chance)?),
        };
        grant.source = Source::Category;
        grant.shown = Risk::Moderate;
        grant.granted_at = world.now;
        grant.ends_at = Some(world.now + limits::RUN_GRANT);
        grant.state = GrantState::Live;
        world.state.grants.insert(grant);
    }
    match of_run.run {
        Some(run) if chance.percent(50) => goes_on(world, chance, run),
        Some(_) | None => Some(()),
    }
}
