//! Every word of the vocabulary occurs in a case, so that each reason, entry kind and scope has at
//! least one tested example.

use crate::cases::case_files;
use countersign_core::model::change::Kind;
use countersign_core::model::grant::{CoverageKind, Scope, Source};
use countersign_core::model::words::{Choice, Effect, Ending, Outcome, Reason, RunEnding};
use countersign_stories::{parse_case, run_with_coverage};
use std::collections::BTreeSet;

/// Words that no story can produce, and why.
const NOT_COVERED: &[(&str, &str)] = &[
    ("reason no_graph", "a story always has a graph; a daemon may start without one"),
    ("reason tool_changed", "tool definitions are pinned by the gateway"),
    ("reason cancelled", "an agent cancels over the API; the server's tests cover it"),
    ("coverage program", "no agent of a story can replace a program; properties pin some"),
    ("entry call_cancelled", "as above"),
    ("entry repeat_queued", "only the gateway repeats calls; its tests and the engine's write it"),
    ("entry repeat_leased", "as above"),
    ("entry repeat_ended", "as above"),
    ("entry gesture_closed", "a surface closes a click over the API; the server's tests cover it"),
    ("entry agent_recorded", "agents record over the API; the server's tests cover it"),
    ("entry arguments_erased", "stories erase nothing; the store tests cover it"),
    ("entry credential_issued", "stories have no authentication; the server's tests cover it"),
    ("entry credential_revoked", "as above"),
    ("entry assurance_found", "as above"),
];

fn all_words() -> BTreeSet<String> {
    fn prefix_words<T: ToString>(kind: &str, words: &[T]) -> Vec<String> {
        words.iter().map(|word| format!("{kind} {}", word.to_string())).collect()
    }
    [
        prefix_words("entry", Kind::ALL),
        prefix_words("outcome", Outcome::ALL),
        prefix_words("reason", Reason::ALL),
        prefix_words("choice", Choice::ALL),
        prefix_words("answer", Ending::ALL),
        prefix_words("scope", Scope::ALL),
        prefix_words("source", Source::ALL),
        prefix_words("coverage", CoverageKind::ALL),
        prefix_words("effect", Effect::ALL),
        prefix_words("run ending", RunEnding::ALL),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn covered_words() -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for file in case_files("cases") {
        let case = parse_case(&file.name, &file.bytes).unwrap();
        let (failures, coverage) = run_with_coverage(&case, None).unwrap();
        assert!(failures.is_empty(), "{}: {failures:?}", file.name);
        words.extend(coverage.words);
    }
    words
}

#[test]
fn every_word_occurs_in_a_case_or_is_listed_as_not_covered() {
    let listed: BTreeSet<String> = NOT_COVERED.iter().map(|(word, _)| (*word).to_owned()).collect();
    let uncovered: BTreeSet<String> = all_words().difference(&covered_words()).cloned().collect();
    assert_eq!(uncovered, listed);
}
