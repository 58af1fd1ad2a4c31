//! A comparison that finds nothing must be able to find something: here the second implementation
//! is shown a bent world, in which it decides as one would that forgot something.

use countersign_core::model::grant::{GrantState, Owner};
use countersign_core::model::graph::Asking;
use countersign_core::model::names::Agent;
use countersign_core::model::time::Time;
use countersign_core::model::words::Risk;
use countersign_core::state::Mode;
use countersign_reference::chance::Chance;
use countersign_reference::compare::both;
use countersign_reference::world::{self, World};

/// How many of some thousand cases come out otherwise in the bent world.
fn found(bend: impl Fn(&mut World)) -> usize {
    let mut found = 0;
    for (world, attempts) in (0..600).filter_map(|seed| world::random(&mut Chance::new(seed))) {
        let mut bent = world.clone();
        bend(&mut bent);
        let differs = |attempt: &&world::Attempt| {
            let ((first, _), (_, second)) = (both(&world, attempt), both(&bent, attempt));
            first != second
        };
        found += attempts.iter().filter(differs).count();
    }
    found
}

#[test]
fn nothing_is_found_in_a_world_that_is_not_bent() {
    assert_eq!(found(|_| {}), 0);
}

#[test]
fn one_microsecond_is_found() {
    assert!(found(|world| world.now = Time::from_micros(world.now.micros() + 1)) > 0);
}

#[test]
fn a_forgotten_ceiling_is_found() {
    assert!(
        found(|world| world.state.grants.iter_mut().for_each(|g| g.shown = Risk::Critical)) > 0
    );
}

#[test]
fn a_grant_that_serves_every_agent_is_found() {
    let swap = |world: &mut World| {
        let bert = Agent::parse("bert").unwrap();
        world.state.grants.iter_mut().for_each(|grant| grant.agent = bert.clone());
    };
    assert!(found(swap) > 0);
}

#[test]
fn a_used_grant_that_serves_again_is_found() {
    let renew = |world: &mut World| {
        for grant in world.state.grants.iter_mut().filter(|g| g.state == GrantState::Spent) {
            grant.state = GrantState::Live;
        }
    };
    assert!(found(renew) > 0);
}

#[test]
fn a_forgotten_dry_run_or_stop_is_found() {
    let forget = |world: &mut World| {
        world.state.sessions.values_mut().for_each(|session| session.mode = Mode::Normal);
    };
    assert!(found(forget) > 0);
}

#[test]
fn a_rule_that_no_longer_always_asks_is_found() {
    let relax = |world: &mut World| {
        let rules = world.graph.iter_mut().flat_map(|graph| graph.rules.values_mut());
        rules.for_each(|rule| rule.asking = Asking::ByTier);
    };
    assert!(found(relax) > 0);
}

#[test]
fn a_project_grant_counted_as_the_sessions_is_found() {
    let move_in = |world: &mut World| {
        let mut moved = countersign_core::state::grants::Grants::empty();
        for grant in world.state.grants.iter() {
            let mut grant = grant.clone();
            grant.owner = Owner::Session(grant.made_in.clone());
            moved.insert(grant);
        }
        world.state.grants = moved;
    };
    assert!(found(move_in) > 0);
}
