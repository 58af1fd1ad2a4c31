//! The same difference in a smaller world: things are dropped one by one while it stays.

use super::both;
use crate::world::{Attempt, World};
use countersign_core::model::ids::CallId;
use countersign_core::state::grants::Grants;

/// Drops whatever the difference does not need.
pub fn smallest(world: &World, attempt: &Attempt) -> (World, Attempt) {
    let (mut world, mut attempt) = (world.clone(), attempt.clone());
    let shown = both(&world, &attempt);
    let stays = |world: &World, attempt: &Attempt| both(world, attempt) == shown;
    let mut smaller = true;
    while smaller {
        smaller = false;
        for candidate in worlds(&world, &attempt) {
            if stays(&candidate, &attempt) {
                (world, smaller) = (candidate, true);
                break;
            }
        }
        for candidate in attempts(&attempt) {
            if stays(&world, &candidate) {
                (attempt, smaller) = (candidate, true);
                break;
            }
        }
    }
    (world, attempt)
}

/// Every world that lacks one thing of this one.
fn worlds(world: &World, attempt: &Attempt) -> Vec<World> {
    let mut all = Vec::new();
    let mut without = |drop: &dyn Fn(&mut World)| {
        let mut smaller = world.clone();
        drop(&mut smaller);
        all.push(smaller);
    };
    for grant in world.state.grants.iter() {
        without(&|w| {
            let mut kept = Grants::empty();
            w.state.grants.iter().filter(|g| g.id != grant.id).for_each(|g| kept.insert(g.clone()));
            w.state.grants = kept;
        });
    }
    for id in world.state.calls.keys().filter(|id| Some(**id) != redeemed(attempt)) {
        without(&|w| drop(w.state.calls.remove(id)));
    }
    for id in world.state.runs.keys() {
        without(&|w| drop(w.state.runs.remove(id)));
    }
    for id in world.state.gestures.keys() {
        without(&|w| drop(w.state.gestures.remove(id)));
    }
    for digest in world.state.declined.keys() {
        without(&|w| drop(w.state.declined.remove(digest)));
    }
    for name in world.state.sessions.keys() {
        without(&|w| drop(w.state.sessions.remove(name)));
    }
    let Some(graph) = &world.graph else { return all };
    for action in graph.rules.keys() {
        without(&|w| w.graph.iter_mut().for_each(|graph| drop(graph.rules.remove(action))));
    }
    for at in 0..graph.reducers.len() {
        without(&|w| w.graph.iter_mut().for_each(|graph| drop(graph.reducers.remove(at))));
    }
    for at in 0..graph.tools.len() {
        without(&|w| w.graph.iter_mut().for_each(|graph| drop(graph.tools.remove(at))));
    }
    for name in graph.workflows.keys() {
        without(&|w| w.graph.iter_mut().for_each(|graph| drop(graph.workflows.remove(name))));
    }
    all
}

fn redeemed(attempt: &Attempt) -> Option<CallId> {
    match attempt {
        Attempt::Fresh(_) => None,
        Attempt::Retry { id, .. } => Some(*id),
    }
}

/// Every attempt that says less. Its digest stays as it was, so that grants for it still are.
fn attempts(attempt: &Attempt) -> Vec<Attempt> {
    let Attempt::Fresh(call) = attempt else { return Vec::new() };
    let mut all = vec![call.clone(); 9];
    for (at, smaller) in all.iter_mut().enumerate() {
        match at {
            0 => smaller.observed.callers.clear(),
            1 => drop(smaller.declares.pop()),
            2 if smaller.actions.len() > 1 => drop(smaller.actions.pop()),
            3 if smaller.actions.len() > 1 => drop(smaller.actions.remove(0)),
            4 => smaller.observed.parent = None,
            5 => smaller.claims.categories.clear(),
            6 => smaller.claims.risk = None,
            7 => smaller.command = None,
            _ => smaller.run = None,
        }
    }
    all.retain(|smaller| smaller != call);
    all.into_iter().map(Attempt::Fresh).collect()
}
