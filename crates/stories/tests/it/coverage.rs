//! Every word that a decision can use occurs in a case: a reason nobody tells a story about is a
//! reason nobody has thought through.

use crate::cases::files;
use countersign_core::model::change::Kind;
use countersign_core::model::grant::{CoverageKind, Scope, Source};
use countersign_core::model::words::{Choice, Effect, Ending, Outcome, Reason, RunEnding};
use countersign_stories::{read, trace};
use std::collections::BTreeSet;

/// Words that no story can bring about yet, and what is still missing for each.
const LATER: &[(&str, &str)] = &[
    ("reason no_graph", "a story always has a graph; a daemon may start without one"),
    ("reason tool_changed", "tool definitions are pinned by the gateway"),
    (
        "entry repeat_queued",
        "only an executor of ours puts calls off; the engine's tests bring one",
    ),
    ("entry repeat_leased", "as above"),
    ("entry repeat_ended", "as above"),
    ("entry agent_recorded", "agents record over the API; the daemon's tests do"),
    ("entry arguments_erased", "stories erase nothing; the tests of the stores do"),
    (
        "entry credential_issued",
        "in a story everybody is who the step says; the daemon's tests tell",
    ),
    ("entry credential_revoked", "as above"),
    ("entry assurance_found", "as above"),
];

fn all_words() -> BTreeSet<String> {
    fn named<T: ToString>(kind: &str, words: &[T]) -> Vec<String> {
        words.iter().map(|word| format!("{kind} {}", word.to_string())).collect()
    }
    [
        named("entry", Kind::ALL),
        named("outcome", Outcome::ALL),
        named("reason", Reason::ALL),
        named("choice", Choice::ALL),
        named("answer", Ending::ALL),
        named("scope", Scope::ALL),
        named("source", Source::ALL),
        named("coverage", CoverageKind::ALL),
        named("effect", Effect::ALL),
        named("run ending", RunEnding::ALL),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn told() -> BTreeSet<String> {
    let cases = files().into_iter().filter_map(|(file, bytes)| read(&file, &bytes).ok());
    cases.filter_map(|case| trace(&case, None).ok()).flat_map(|(_, traced)| traced.words).collect()
}

#[test]
fn every_word_occurs_in_a_case_or_is_named_as_later() {
    let later: BTreeSet<String> = LATER.iter().map(|(word, _)| (*word).to_owned()).collect();
    let told = told();
    let untold: Vec<_> = all_words().difference(&told).cloned().collect();
    let untold: Vec<_> = untold.into_iter().filter(|word| !later.contains(word)).collect();
    assert!(untold.is_empty(), "no case brings about: {untold:?}");
    let told_already: Vec<_> = later.intersection(&told).collect();
    assert!(told_already.is_empty(), "no longer later: {told_already:?}");
    let unknown: Vec<_> = later.difference(&all_words()).cloned().collect();
    assert!(unknown.is_empty(), "not words at all: {unknown:?}");
}

#[test]
fn the_project_tells_at_least_a_hundred_stories() {
    assert!(files().len() >= 100, "{}", files().len());
}
