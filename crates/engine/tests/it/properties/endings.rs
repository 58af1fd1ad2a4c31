//! Once means once, and what is over carries nothing.

use super::graphs::{WORKFLOWS, action, category};
use super::steps::{Deed, What};
use super::tales::{Tale, give_and_take};
use super::worlds::{Effected, World, session};
use super::{Held, holds};
use countersign_core::model::call::{Call, Part};
use countersign_core::model::change::{Attempt, Change, Reset};
use countersign_core::model::decision::{Basis, Decision, Verdict};
use countersign_core::model::grant::{Coverage, Grant, Owner, Scope, Source};
use countersign_core::model::ids::{CallId, GrantId};
use countersign_core::model::names::{Action, SessionKey};
use countersign_core::model::time::Time;
use countersign_core::model::words::{Effect, Risk};
use countersign_core::state::{Mode, State};
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
    holds(&give_and_take(), |tale| once_means_once(&World::after(&tale)));
}

/// What the operator has taken back so far, and what every call rests on.
#[derive(Default)]
struct Gone {
    grants: BTreeSet<GrantId>,
    consent: BTreeMap<CallId, Vec<Verdict>>,
}

impl Gone {
    /// A revocation names its grant; a stop, a correction or a run's end means all that hang on it.
    fn note_change(&mut self, state: &State, change: &Change) {
        match change {
            Change::GrantRevoked { grant, .. } => self.lose(state, |one| one.id == *grant),
            Change::RunEnded { run, .. } => self.lose(state, |one| one.run == Some(*run)),
            Change::ConsentReset { session, why } if *why != Reset::RunEnd => {
                self.lose(state, |one| is_cleared(one, session));
            }
            _ => {}
        }
    }

    /// What the operator's words reach, said once more and in another way.
    fn obey(&mut self, state: &State, deed: &Deed) {
        let Deed::Revoke(at, what) = deed else { return };
        let session = session(*at);
        let project = state.sessions.get(&session).unwrap().project.clone().map(Owner::Project);
        self.lose(state, |one| {
            let here = one.owner == Owner::Session(session.clone())
                || Some(&one.owner) == project.as_ref();
            here && is_named(one, what)
        });
    }

    fn lose(&mut self, state: &State, which: impl Fn(&Grant) -> bool) {
        self.grants.extend(state.grants.iter().filter(|grant| which(grant)).map(|grant| grant.id));
    }

    fn remember(&mut self, call: CallId, decision: &Decision) {
        self.consent.insert(call, decision.verdicts.clone());
    }

    /// Whether a call rests, itself or through its parents, on something that is gone.
    fn reaches(&self, call: CallId) -> bool {
        self.reaches_for(call, None)
    }

    /// The same for what is nested in the call for one of the actions that it declares. What only other
    /// declared actions rest on does not count.
    fn reaches_for(&self, call: CallId, declared: Option<&Action>) -> bool {
        let verdicts = self.consent.get(&call).into_iter().flatten();
        let mut counting = verdicts.filter(|verdict| {
            let is_meant = declared.is_none_or(|action| verdict.action == *action);
            verdict.part == Part::Named || is_meant
        });
        counting.any(|verdict| match &verdict.basis {
            Basis::Grants(grants) => grants.iter().any(|grant| self.grants.contains(grant)),
            Basis::Parent(parent) => self.reaches_for(*parent, Some(&verdict.action)),
            _ => false,
        })
    }
}

fn is_named(grant: &Grant, what: &What) -> bool {
    match (what, &grant.coverage) {
        (What::All, _) => true,
        (What::Action(at), Coverage::Action(one) | Coverage::Digest { action: one, .. }) => {
            *one == action(*at)
        }
        (What::Category(at), Coverage::Category(one)) => *one == category(*at),
        (What::Command(line), Coverage::Command { argv, .. }) => argv.join(" ") == *line,
        (What::Workflow, Coverage::Class { workflow, .. }) => workflow.as_str() == WORKFLOWS[0],
        _ => false,
    }
}

/// Every grant of the session but the commands that the operator named.
fn is_cleared(grant: &Grant, session: &SessionKey) -> bool {
    let named =
        grant.source == Source::Standing && matches!(grant.coverage, Coverage::Command { .. });
    grant.owner == Owner::Session(session.clone()) && !named
}

/// No decision that is recorded, and none that could be asked for now, rests on what is gone.
fn nothing_gone_carries(tale: &Tale) -> Held {
    let (mut world, mut gone) = (World::new(&tale.graph, &tale.calls), Gone::default());
    let (mut state, mut seen) = (State::empty(), 0);
    for deed in &tale.deeds {
        gone.obey(&world.state(), deed);
        world.act(deed);
        let entries = world.engine.read_all_entries().unwrap();
        for entry in &entries[seen..] {
            let (at, change): (Time, Change) = entry.change().unwrap();
            gone.note_change(&state, &change);
            state.apply(at, &change);
            if let Some((call, decision)) = went_ahead(&change) {
                gone.remember(call, decision);
                prop_assert!(!gone.reaches(call), "{decision:?} rests on what was taken back");
            }
        }
        seen = entries.len();
        for call in world.probes() {
            let decision = world.decided((&state, &world.graph()), &call);
            rests_on_nothing_gone(
                (&state, world.engine.display_time()),
                &mut gone,
                (&call, &decision),
            )?;
        }
    }
    Ok(())
}

fn went_ahead(change: &Change) -> Option<(CallId, &Decision)> {
    let Change::CallDecided { attempt, decision, .. } = change else { return None };
    let call = match attempt {
        Attempt::First(call) => call.id,
        Attempt::Retry(call) => *call,
        _ => return None,
    };
    decision.goes_ahead().then_some((call, decision))
}

fn rests_on_nothing_gone(
    (state, now): (&State, Time),
    gone: &mut Gone,
    (call, decision): (&Call, &Decision),
) -> Held {
    if !decision.goes_ahead() {
        return Ok(());
    }
    gone.remember(call.id, decision);
    prop_assert!(!gone.reaches(call.id), "{decision:?} rests on what was taken back");
    let stopped = state.mode(&call.session, now) == Mode::Stopped;
    for grant in decision.grants().map(|id| state.grants.get(id).unwrap()) {
        prop_assert!(!stopped || grant.scope != Scope::Project, "after a stop: {decision:?}");
    }
    Ok(())
}

#[test]
fn nothing_rests_on_what_was_revoked_stopped_or_ended_with_its_run() {
    holds(&give_and_take(), |tale| nothing_gone_carries(&tale));
}

#[test]
fn after_a_revocation_of_everything_no_earlier_grant_carries() {
    holds(&give_and_take(), |tale| {
        let mut world = World::after(&tale);
        let earlier: BTreeSet<GrantId> = world.state().grants.iter().map(|g| g.id).collect();
        for at in 0..3 {
            world.act(&Deed::Revoke(at, What::All));
        }
        let (state, graph) = (world.state(), world.graph());
        for call in world.probes() {
            let decision = world.decided((&state, &graph), &call);
            prop_assert!(!decision.grants().any(|id| earlier.contains(&id)), "{decision:?}");
        }
        Ok(())
    });
}
