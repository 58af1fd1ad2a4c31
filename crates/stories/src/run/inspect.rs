//! Steps that only inspect: the printed tier, the number of grants and requests, and the ledger.

use super::StepResult;
use super::env::StoryEnv;
use crate::case::{CaseStep, StepKind};
use countersign_core::decide::printed_tier;
use countersign_core::model::change::Kind;
use countersign_core::model::grant::{Grant, Scope, Source};
use countersign_core::model::names::Action;
use countersign_core::model::run::RunState;
use countersign_core::model::time::Span;
use countersign_core::model::words::Printed;
use countersign_core::state::State;
use countersign_engine::EngineError;
use countersign_ledger::{Entry, verify};

/// The result that the step expects: its `expect` word, or the value that the step key states.
pub(super) fn expected_result(step: &CaseStep) -> Option<String> {
    match &step.kind {
        StepKind::Check { prints, .. } => prints.map(|printed| printed.word().to_owned()),
        StepKind::Grants(count) | StepKind::Requests(count) | StepKind::Notices(count) => {
            Some(count.to_string())
        }
        StepKind::Ledger(kinds) => Some(format_kinds(kinds)),
        _ => step.expect.result.clone(),
    }
}

pub(super) fn check_tier(
    env: &StoryEnv,
    domain: &str,
    action: &str,
    confidence: f64,
) -> Result<StepResult, EngineError> {
    let (graph, today) = (env.engine.graph()?, env.engine.display_time().date());
    let printed = match (&graph, Action::new(domain, action)) {
        (Some(graph), Ok(action)) => printed_tier(graph, &action, confidence, today),
        (None, _) | (_, Err(_)) => Printed::Forced,
    };
    Ok(StepResult::from_word(printed.word()))
}

pub(super) fn count_grants(env: &StoryEnv, step: &CaseStep) -> Result<StepResult, EngineError> {
    let (state, session) = (env.engine.read_whole_state()?, env.step_session(step));
    let in_session = state.grants.iter().filter(|grant| grant.made_in == session);
    let count = in_session.filter(|grant| is_counted(env, &state, grant)).count();
    Ok(StepResult::from_word(&count.to_string()))
}

/// Whether a grant is in force, its run is live, it is not due for review, and no plan made it.
fn is_counted(env: &StoryEnv, state: &State, grant: &Grant) -> bool {
    let now = env.engine.display_time();
    let is_suspended = grant.scope == Scope::Run
        && grant
            .run
            .and_then(|run| state.runs.get(&run))
            .is_none_or(|run| run.state != RunState::Live || !run.is_live(now));
    let days = env.engine.graph().ok().flatten().map_or(0, |graph| graph.review_days);
    let is_review_due =
        grant.scope == Scope::Project && now >= grant.reviewed_at + Span::days(i64::from(days));
    grant.in_force(now) && !is_suspended && !is_review_due && grant.source != Source::Plan
}

pub(super) fn count_requests(env: &StoryEnv, step: &CaseStep) -> Result<StepResult, EngineError> {
    let (state, session, now) =
        (env.engine.read_whole_state()?, env.step_session(step), env.engine.display_time());
    let count = state.open_requests(&session, now).count();
    Ok(StepResult::from_word(&count.to_string()))
}

pub(super) fn count_notices(env: &StoryEnv) -> Result<StepResult, EngineError> {
    Ok(StepResult::from_word(&env.engine.open_notices()?.len().to_string()))
}

/// The longest prefix of `kinds` that occurs in the ledger in this order.
pub(super) fn compare_ledger(env: &StoryEnv, kinds: &[Kind]) -> Result<StepResult, EngineError> {
    let entries = env.engine.read_all_entries()?;
    if let Err(error) = verify(&entries) {
        return Ok(StepResult::from_word(&error.to_string()));
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
    let mut result = StepResult::from_word(&format_kinds(&found));
    if next.is_some() {
        let all: Vec<Kind> = entries.iter().map(|entry| entry.kind).collect();
        result.explanation = Some(format!("the ledger has {}", format_kinds(&all)));
    }
    Ok(result)
}

fn format_kinds(kinds: &[Kind]) -> String {
    let words: Vec<_> = kinds.iter().map(|kind| kind.word()).collect();
    format!("ledger [{}]", words.join(", "))
}

/// Explains how a replay of the ledger differs from the recorded state and decisions, if it does.
pub(super) fn find_replay_difference(env: &StoryEnv) -> Option<String> {
    match env.engine.replay() {
        Ok(replayed) if !replayed.different.is_empty() => {
            Some(format!("the replay decides entries {:?} differently", replayed.different))
        }
        Ok(replayed) if !replayed.not_replayable.is_empty() => {
            Some(format!("the replay cannot decide entries {:?}", replayed.not_replayable))
        }
        Ok(replayed) if !replayed.is_consistent() => Some(format!(
            "the replay gives a different state: {}",
            replayed.different_tables.join(", ")
        )),
        Ok(_) => find_noncanonical_entry(env),
        Err(error) => Some(error.to_string()),
    }
}

/// Names an entry whose text is not canonical JSON. An independent verifier would reject it.
fn find_noncanonical_entry(env: &StoryEnv) -> Option<String> {
    let check_canonical = |text: &str| {
        let parsed = countersign_core::encoding::json::parse(text.as_bytes()).ok()?;
        (countersign_core::encoding::json::canonical(&parsed).ok()? == text).then_some(())
    };
    let entries = match env.engine.read_all_entries() {
        Ok(entries) => entries,
        Err(error) => return Some(error.to_string()),
    };
    let check_entry = |entry: &Entry| {
        check_canonical(&entry.bytes)?;
        entry.content().map_or(Some(()), |held| check_canonical(&held.text))
    };
    let found = entries.iter().find(|entry| check_entry(entry).is_none())?;
    Some(format!("entry {} is not canonical JSON", found.seq))
}
