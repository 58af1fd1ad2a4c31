//! The decision behind a check, made by the engine as for any call, over an empty store.
//!
//! A reachable surface is assumed, no recipient is named, and nothing is kept.

use crate::clock::{NothingKept, SystemClock};
use crate::failure::Failure;
use countersign_core::call::Draft;
use countersign_core::decision::Decision;
use countersign_core::graph::Graph;
use countersign_core::names::{Action, Agent, NameError, SessionName};
use countersign_core::words::Surface;
use countersign_engine::{Engine, Memory};

pub(super) fn decided(
    graph: &Graph,
    action: &Action,
    confidence: f64,
) -> Result<Decision, Failure> {
    let engine = Engine::new(Memory::empty(), Box::new(SystemClock), Box::new(NothingKept));
    engine.load(graph.clone())?;
    engine.set_surface(Surface::Reachable)?;
    let draft = draft(action, confidence)
        .map_err(|error| Failure::new(error.to_string(), "report this as a bug"))?;
    Ok(engine.suppose(&draft)?)
}

/// A call with nothing in it but its action: untrusted channel, no target, no claims.
fn draft(action: &Action, confidence: f64) -> Result<Draft, NameError> {
    let (agent, session) = (Agent::parse("check")?, SessionName::parse("check")?);
    let mut draft = Draft::plain(agent, session, action.clone());
    draft.claims.confidence = confidence;
    Ok(draft)
}
