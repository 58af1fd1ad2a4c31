//! "Did you mean": the known word that is most similar to a misspelt one.
//!
//! A suggestion never changes an answer or an exit code.

use countersign_core::model::graph::Graph;
use countersign_core::model::names::Action;
use strsim::damerau_levenshtein;

/// The most similar action of the graph, if one is similar.
pub fn similar_action<'g>(graph: &'g Graph, action: &Action) -> Option<&'g Action> {
    find_similar(action.as_str(), graph.rules.keys().map(|listed| (listed.as_str(), listed)))
}

pub fn similar_domain<'g>(graph: &'g Graph, word: &str) -> Option<&'g str> {
    find_similar(word, graph.domains.keys().map(|name| (name.as_str(), name.as_str())))
}

pub fn similar_word<'w>(word: &str, known: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    find_similar(word, known.map(|word| (word, word)))
}

fn find_similar<'g, T>(word: &str, known: impl Iterator<Item = (&'g str, T)>) -> Option<T> {
    let lower = word.to_lowercase();
    known
        .filter(|(name, _)| name.len().abs_diff(word.len()) <= max_distance(name))
        .map(|(name, found)| (damerau_levenshtein(&lower, &name.to_lowercase()), name, found))
        .filter(|(distance, name, _)| *distance <= max_distance(name))
        .min_by_key(|(distance, name, _)| (*distance, *name))
        .map(|(_, _, found)| found)
}

/// One typing error for a short name, more for a longer one.
fn max_distance(name: &str) -> usize {
    (name.len() / 4).clamp(1, 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(word: &str) -> Option<&'static str> {
        let known = ["email.send", "email.read", "calendar.create_event", "files.read"];
        find_similar(word, known.into_iter().map(|name| (name, name)))
    }

    #[test]
    fn a_typing_error_finds_the_intended_name() {
        assert_eq!(near("email.sned"), Some("email.send"));
        assert_eq!(near("emial.send"), Some("email.send"));
        assert_eq!(near("Email.Send"), Some("email.send"));
        assert_eq!(near("calendar.create-events"), Some("calendar.create_event"));
    }

    #[test]
    fn a_different_name_gets_no_suggestion() {
        assert_eq!(near("email.forward"), None);
        assert_eq!(near("bank.transfer"), None);
        assert_eq!(near(&"x".repeat(256)), None);
    }
}
