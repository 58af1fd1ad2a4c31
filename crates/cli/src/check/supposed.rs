//! The decision behind a check, made by the engine as for any call, over an empty store.
//!
//! A reachable surface is assumed, no recipient is named, and nothing is kept.

use crate::clock::{NothingKept, SystemClock};
use crate::failure::Failure;
use countersign_core::call::{Claims, Definition, Draft, Observed, Parking};
use countersign_core::decision::Decision;
use countersign_core::graph::Graph;
use countersign_core::names::{Action, Agent, NameError, SessionName};
use countersign_core::words::{Channel, Initiator, Surface};
use countersign_engine::{Engine, Memory};
use serde_json::json;

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
    Ok(Draft {
        agent: Agent::parse("check")?,
        session: SessionName::parse("check")?,
        project: None,
        actions: vec![action.clone()],
        declares: Vec::new(),
        tool: None,
        args: json!({}),
        target: Vec::new(),
        command: None,
        run: None,
        step: None,
        claims: Claims {
            categories: Vec::new(),
            risk: None,
            undo: None,
            confidence,
            reason: String::new(),
            fallback: String::new(),
        },
        observed: Observed {
            categories: Vec::new(),
            parent: None,
            callers: Vec::new(),
            initiator: Initiator::Agent,
            gesture: None,
            channel: Channel::Untrusted,
            definition: Definition::AsPinned,
        },
        parking: Parking::Refused,
    })
}
