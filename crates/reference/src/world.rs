//! A world: a graph, a state and an instant, together with what is attempted in it.
//!
//! Worlds are small and their names few, so that grants, declines and records meet the calls
//! that they are about. Instants lie at the ends of things or one microsecond beside them.

mod aims;
mod drafts;
mod edges;
mod graphs;
mod history;
mod names;
mod rules;
mod tamper;

use crate::chance::Chance;
use countersign_core::decide::facts::Facts;
use countersign_core::model::call::Call;
use countersign_core::model::graph::Graph;
use countersign_core::model::ids::{CallId, Fresh};
use countersign_core::model::names::{Agent, SessionName};
use countersign_core::model::ruled::Ruled;
use countersign_core::model::time::Time;
use countersign_core::model::words::{Presence, Surface};
use countersign_core::state::State;
use countersign_core::steps::resolve::resolve_call;

#[derive(Clone, Debug)]
pub struct World {
    pub now: Time,
    pub graph: Option<Graph>,
    pub state: State,
    pub surface: Surface,
    pub protected: Vec<String>,
    /// What policies and command rules say about whatever is attempted.
    pub ruled: Ruled,
}

/// What is decided in a world.
#[derive(Clone, Debug)]
pub enum Attempt {
    Fresh(Box<Call>),
    Retry { id: CallId, session: SessionName, agent: Agent },
}

/// Attempts per world: making a world costs more than deciding in it.
const ATTEMPTS: usize = 16;

impl World {
    pub fn facts<'a>(&'a self, fresh: &'a Fresh) -> Facts<'a> {
        Facts {
            now: self.now,
            fresh,
            graph: self.graph.as_ref(),
            state: &self.state,
            surface: self.surface,
            protected: &self.protected,
            ruled: &self.ruled,
            key: None,
            node: countersign_core::model::names::NodeName::local(),
        }
    }
}

/// A world with a history, and attempts in it; none if a name of ours is no name.
pub fn random(chance: &mut Chance) -> Option<(World, Vec<Attempt>)> {
    let mut world = World {
        now: Time::parse("2026-01-05T09:00:00Z")?,
        graph: Some(graphs::random(chance)?),
        state: State::empty(),
        surface: Surface::Reachable,
        protected: vec!["/var/ours".to_owned()],
        ruled: Ruled::default(),
    };
    history::open_sessions(&mut world)?;
    for _ in 0..4 + chance.below(14) {
        history::happen(&mut world, chance)?;
    }
    last_moves(&mut world, chance)?;
    let attempts = (0..ATTEMPTS).filter_map(|_| attempt(&world, chance)).collect();
    Some((world, attempts))
}

/// What holds at the moment of the decision, whatever happened before.
fn last_moves(world: &mut World, chance: &mut Chance) -> Option<()> {
    for _ in 0..chance.below(4) {
        tamper::tamper(world, chance)?;
    }
    if chance.percent(70) {
        edges::wait(world, chance);
    }
    if chance.percent(60) {
        let (now, presence) = (world.now, Presence::Idle);
        world
            .state
            .apply(now, &countersign_core::model::change::Change::PresenceChanged { presence });
    }
    if chance.percent(25) {
        world.ruled = rules::random(chance);
    }
    if chance.percent(12) {
        world.surface = Surface::Gone;
    }
    if chance.percent(15) {
        world.graph = Some(graphs::random(chance)?);
    }
    if chance.percent(1) {
        world.graph = None;
    }
    Some(())
}

fn attempt(world: &World, chance: &mut Chance) -> Option<Attempt> {
    if chance.percent(33)
        && let Some(retry) = redeemed(world, chance)
    {
        return Some(retry);
    }
    let fresh = Fresh::new(world.now, chance.bits());
    let likely = match chance.below(10) {
        0..3 => drafts::again(world, chance),
        3..8 => aims::aimed(world, chance),
        _ => None,
    };
    let draft = likely.or_else(|| drafts::random(world, chance))?;
    let call = resolve_call(&world.facts(&fresh), draft).ok()?;
    Some(Attempt::Fresh(Box::new(call)))
}

fn redeemed(world: &World, chance: &mut Chance) -> Option<Attempt> {
    let mut ids: Vec<CallId> = world.state.calls.keys().copied().collect();
    ids.sort_unstable();
    let id = *chance.pick(&ids)?;
    let call = &world.state.calls.get(&id)?.call;
    let (mut session, mut agent) = (call.session.clone(), call.agent.clone());
    if chance.percent(3) {
        session = names::session(chance)?.0;
    }
    if chance.percent(3) {
        agent = names::agent(chance)?;
    }
    Some(Attempt::Retry { id, session, agent })
}
