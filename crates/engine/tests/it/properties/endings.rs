//! Once means once, and what is over carries nothing.

use super::steps::{tale, told};
use super::worlds::{Effected, World};
use super::{Held, holds, try_on};
use countersign_core::change::{Attempt, Change, Reset};
use countersign_core::decision::{Basis, Decision};
use countersign_core::grant::{Coverage, Grant, Owner, Scope, Source};
use countersign_core::ids::{CallId, GrantId};
use countersign_core::names::SessionName;
use countersign_core::state::{Mode, State};
use countersign_core::time::Time;
use countersign_core::words::{Effect, Risk};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Executions that rest on a once-grant and may have had an effect, or still may.
fn once_means_once(world: &World) -> Held {
    let state = world.state();
    let once = |id: &GrantId| state.grants.get(*id).is_some_and(|g| g.scope == Scope::Once);
    let mut holders: BTreeMap<GrantId, Vec<CallId>> = BTreeMap::new();
    let mut resting: BTreeMap<CallId, (BTreeSet<GrantId>, bool)> = BTreeMap::new();
    for effected in &world.effects {
        match effected {
            Effected::Began { call, decision } => {
                let grants: BTreeSet<_> = decision.grants().filter(once).collect();
                for grant in &grants {
                    let holders = holders.entry(*grant).or_default();
                    holders.push(*call);
                    prop_assert_eq!(holders.len(), 1, "{} admits {:?}", grant, holders);
                }
                let critical = decision.verdicts.iter().any(|one| one.risk == Risk::Critical);
                resting.insert(*call, (grants, critical));
            }
            // What is critical was used up by the attempt.
            Effected::Ended { call, effect: Effect::Nothing } => {
                let (grants, critical) = resting.remove(call).unwrap();
                if !critical {
                    grants.iter().for_each(|grant| drop(holders.remove(grant)));
                }
            }
            Effected::Ended { .. } => {}
        }
    }
    Ok(())
}

#[test]
fn a_once_grant_admits_at_most_one_effect() {
    try_on(&told(12..36), 256, |tale| once_means_once(&World::after(&tale)));
}

/// What the operator has taken back so far, and what every call rests on.
#[derive(Default)]
struct Gone {
    grants: BTreeSet<GrantId>,
    consent: BTreeMap<CallId, (Vec<GrantId>, Vec<CallId>)>,
}

impl Gone {
    /// A revocation names its grant; a stop, a correction or a run's end means all that hang on it.
    fn hear(&mut self, state: &State, change: &Change) {
        match change {
            Change::GrantRevoked { grant } => self.lose(state, |one| one.id == *grant),
            Change::RunEnded { run, .. } => self.lose(state, |one| one.run == Some(*run)),
            Change::ConsentReset { session, why } if *why != Reset::RunEnd => {
                self.lose(state, |one| is_cleared(one, session));
            }
            _ => {}
        }
    }

    fn lose(&mut self, state: &State, which: impl Fn(&Grant) -> bool) {
        self.grants.extend(state.grants.iter().filter(|grant| which(grant)).map(|grant| grant.id));
    }

    fn remember(&mut self, call: CallId, decision: &Decision) {
        let parents = decision.verdicts.iter().filter_map(|verdict| match verdict.basis {
            Basis::Parent(parent) => Some(parent),
            _ => None,
        });
        self.consent.insert(call, (decision.grants().collect(), parents.collect()));
    }

    /// Whether a call rests, itself or through its parents, on something that is gone.
    fn reaches(&self, call: CallId) -> bool {
        let Some((grants, parents)) = self.consent.get(&call) else { return false };
        grants.iter().any(|grant| self.grants.contains(grant))
            || parents.iter().any(|parent| self.reaches(*parent))
    }
}

/// Every grant of the session but the commands that the operator named.
fn is_cleared(grant: &Grant, session: &SessionName) -> bool {
    let named =
        grant.source == Source::Standing && matches!(grant.coverage, Coverage::Command { .. });
    grant.owner == Owner::Session(session.clone()) && !named
}

fn rests_on_nothing_gone(
    state: &State,
    gone: &Gone,
    (call, decision): (CallId, &Decision),
) -> Held {
    prop_assert!(!gone.reaches(call), "{decision:?} rests on what was taken back");
    let record = &state.calls[&call];
    if state.mode(&record.call.session) == Mode::Stopped {
        for grant in decision.grants().map(|id| state.grants.get(id).unwrap()) {
            prop_assert_ne!(grant.scope, Scope::Project, "after a stop: {:?}", decision);
        }
    }
    Ok(())
}

fn nothing_gone_carries(world: &World) -> Held {
    let (mut state, mut gone) = (State::empty(), Gone::default());
    for entry in world.engine.entries().unwrap() {
        let (at, change): (Time, Change) = entry.change().unwrap();
        gone.hear(&state, &change);
        state.apply(at, &change);
        let Change::CallDecided { attempt, decision, .. } = &change else { continue };
        let call = match attempt {
            Attempt::First(call) => call.id,
            Attempt::Retry(call) => *call,
            _ => continue,
        };
        if decision.goes_ahead() {
            gone.remember(call, decision);
            rests_on_nothing_gone(&state, &gone, (call, decision))?;
        }
    }
    Ok(())
}

#[test]
fn nothing_rests_on_what_was_revoked_stopped_or_ended_with_its_run() {
    try_on(&told(12..36), 256, |tale| nothing_gone_carries(&World::after(&tale)));
}

#[test]
fn after_a_revocation_of_everything_no_earlier_grant_carries() {
    holds(&tale(), |tale| {
        let mut world = World::after(&tale);
        let earlier: BTreeSet<GrantId> = world.state().grants.iter().map(|g| g.id).collect();
        for at in 0..3 {
            world.act(&super::steps::Deed::Revoke(at, super::steps::What::All));
        }
        let (state, graph) = (world.state(), world.graph());
        for call in world.probes() {
            let decision = world.decided((&state, &graph), &call);
            prop_assert!(!decision.grants().any(|id| earlier.contains(&id)), "{decision:?}");
        }
        Ok(())
    });
}
