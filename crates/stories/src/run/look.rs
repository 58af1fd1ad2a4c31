//! Steps that only look: the printed tier, how many grants and requests, what the ledger says.

use super::Seen;
use super::world::World;
use crate::case::{Does, Step};
use countersign_core::decide::printed_tier;
use countersign_core::ledger;
use countersign_core::ledger::Entry;
use countersign_core::model::change::Kind;
use countersign_core::model::grant::{Grant, Scope, Source};
use countersign_core::model::names::Action;
use countersign_core::model::run::RunState;
use countersign_core::model::time::Span;
use countersign_core::model::words::Printed;
use countersign_core::state::State;
use countersign_engine::EngineError;

/// What the step expects to see first: the word it names, or the number it states.
pub(super) fn expected_word(step: &Step) -> Option<String> {
    match &step.does {
        Does::Check { prints, .. } => prints.map(|printed| printed.word().to_owned()),
        Does::Grants(count) | Does::Requests(count) | Does::Notices(count) => {
            Some(count.to_string())
        }
        Does::Ledger(kinds) => Some(joined(kinds)),
        _ => step.expect.word.clone(),
    }
}

pub(super) fn check(
    world: &World,
    domain: &str,
    action: &str,
    confidence: f64,
) -> Result<Seen, EngineError> {
    let graph = world.engine.graph()?;
    let printed = match (&graph, Action::new(domain, action)) {
        (Some(graph), Ok(action)) => printed_tier(graph, &action, confidence),
        (None, _) | (_, Err(_)) => Printed::Forced,
    };
    Ok(Seen::word(printed.word()))
}

pub(super) fn grants(world: &World, step: &Step) -> Result<Seen, EngineError> {
    let (state, session) = (world.engine.state()?, world.session(step));
    let mine = state.grants.iter().filter(|grant| grant.made_in == session);
    let count = mine.filter(|grant| counts(world, &state, grant)).count();
    Ok(Seen::word(&count.to_string()))
}

/// In force, not waiting for its run to be taken up, not due for review, and no step of a plan.
fn counts(world: &World, state: &State, grant: &Grant) -> bool {
    let now = world.engine.now();
    let suspended = grant.scope == Scope::Run
        && grant
            .run
            .and_then(|run| state.runs.get(&run))
            .is_none_or(|run| run.state != RunState::Live || !run.is_live(now));
    let days = world.engine.graph().ok().flatten().map_or(0, |graph| graph.review_days);
    let lapsed =
        grant.scope == Scope::Project && now >= grant.reviewed_at + Span::days(i64::from(days));
    grant.in_force(now) && !suspended && !lapsed && grant.source != Source::Plan
}

pub(super) fn requests(world: &World, step: &Step) -> Result<Seen, EngineError> {
    let (state, session, now) = (world.engine.state()?, world.session(step), world.engine.now());
    let count = state.open_requests(&session, now).count();
    Ok(Seen::word(&count.to_string()))
}

pub(super) fn notices(world: &World) -> Result<Seen, EngineError> {
    Ok(Seen::word(&world.engine.notices()?.len().to_string()))
}

/// The expected kinds as far as they occur in this order; all of them if the ledger has them.
pub(super) fn ledger(world: &World, kinds: &[Kind]) -> Result<Seen, EngineError> {
    let entries = world.engine.entries()?;
    if let Err(error) = ledger::verify(&entries) {
        return Ok(Seen::word(&error.to_string()));
    }
    let mut wanted = kinds.iter();
    let mut next = wanted.next();
    let mut found = Vec::new();
    for entry in &entries {
        if next == Some(&entry.kind) {
            found.push(entry.kind);
            next = wanted.next();
        }
    }
    let mut seen = Seen::word(&joined(&found));
    if next.is_some() {
        let all: Vec<Kind> = entries.iter().map(|entry| entry.kind).collect();
        seen.why = Some(format!("the ledger has {}", joined(&all)));
    }
    Ok(seen)
}

fn joined(kinds: &[Kind]) -> String {
    let words: Vec<_> = kinds.iter().map(|kind| kind.word()).collect();
    format!("ledger [{}]", words.join(", "))
}

/// Why the ledger, replayed, does not give state and decisions again; none if it does.
pub(super) fn replay_differs(world: &World) -> Option<String> {
    match world.engine.replay() {
        Ok(replayed) if !replayed.different.is_empty() => {
            Some(format!("other decisions in the entries {:?}", replayed.different))
        }
        Ok(replayed) if !replayed.not_replayable.is_empty() => {
            Some(format!("no decisions for the entries {:?}", replayed.not_replayable))
        }
        Ok(replayed) if !replayed.holds() => {
            Some(format!("another state: {}", replayed.state.join(", ")))
        }
        Ok(_) => not_canonical(world),
        Err(error) => Some(error.to_string()),
    }
}

/// Which entry is written otherwise than a verifier elsewhere would write it.
fn not_canonical(world: &World) -> Option<String> {
    let as_written = |text: &str| {
        let parsed = countersign_core::encoding::json::parse(text.as_bytes()).ok()?;
        (countersign_core::encoding::json::canonical(&parsed).ok()? == text).then_some(())
    };
    let entries = match world.engine.entries() {
        Ok(entries) => entries,
        Err(error) => return Some(error.to_string()),
    };
    let of = |entry: &Entry| {
        as_written(&entry.bytes)?;
        entry.held().map_or(Some(()), |held| as_written(&held.text))
    };
    let found = entries.iter().find(|entry| of(entry).is_none())?;
    Some(format!("entry {} is not in its canonical form", found.seq))
}
