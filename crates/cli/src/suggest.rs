//! "Did you mean": the word that is nearest to a misspelt one.
//!
//! A suggestion is talk. It never changes an answer or an exit code.

use countersign_core::model::graph::Graph;
use countersign_core::model::names::Action;
use strsim::damerau_levenshtein;

/// The nearest action that the graph lists, if one is near.
pub(crate) fn action<'g>(graph: &'g Graph, given: &Action) -> Option<&'g Action> {
    nearest(given.as_str(), graph.rules.keys().map(|action| (action.as_str(), action)))
}

/// The nearest domain of the graph, if one is near.
pub(crate) fn domain<'g>(graph: &'g Graph, given: &str) -> Option<&'g str> {
    nearest(given, graph.domains.keys().map(|name| (name.as_str(), name.as_str())))
}

/// The nearest of some words, if one is near.
pub(crate) fn word<'w>(given: &str, known: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    nearest(given, known.map(|word| (word, word)))
}

fn nearest<'g, T>(given: &str, known: impl Iterator<Item = (&'g str, T)>) -> Option<T> {
    let lower = given.to_lowercase();
    known
        .filter(|(name, _)| name.len().abs_diff(given.len()) <= allowed(name))
        .map(|(name, found)| (damerau_levenshtein(&lower, &name.to_lowercase()), name, found))
        .filter(|(distance, name, _)| *distance <= allowed(name))
        .min_by_key(|(distance, name, _)| (*distance, *name))
        .map(|(_, _, found)| found)
}

/// One slip for a short name, more for a longer one.
fn allowed(name: &str) -> usize {
    (name.len() / 4).clamp(1, 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(given: &str) -> Option<&'static str> {
        let known = ["email.send", "email.read", "calendar.create_event", "files.read"];
        nearest(given, known.into_iter().map(|name| (name, name)))
    }

    #[test]
    fn a_slip_finds_the_name_that_was_meant() {
        assert_eq!(near("email.sned"), Some("email.send"));
        assert_eq!(near("emial.send"), Some("email.send"));
        assert_eq!(near("Email.Send"), Some("email.send"));
        assert_eq!(near("calendar.create-events"), Some("calendar.create_event"));
    }

    #[test]
    fn what_is_not_near_gets_no_suggestion() {
        assert_eq!(near("email.forward"), None);
        assert_eq!(near("bank.transfer"), None);
        assert_eq!(near(&"x".repeat(256)), None);
    }
}
