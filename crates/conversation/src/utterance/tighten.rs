//! Turns that only tighten: stop, corrections, revocations, the end of a task.
//!
//! They are matched loosely, because a missed one leaves an agent with consent that the operator
//! meant to end. What loosens is in `utterance`, and matched exactly.

use super::Utterance;
use crate::phrases as p;
use crate::text::{contains_phrase, split_commands, starts_with_phrase, strip_courtesy};

/// Stop, correction, clearing and revocation, in this order. The end of a task comes after the
/// queries and commands.
pub(super) fn parse_tightening(text: &str, normalised: &str) -> Option<Utterance> {
    let plain = strip_courtesy(normalised);
    let begins = |phrases: &[&str]| phrases.iter().any(|phrase| starts_with_phrase(plain, phrase));
    if begins(&p::STOP) {
        return Some(Utterance::Stop);
    }
    if begins(&p::CORRECTION) {
        return Some(Utterance::Correction);
    }
    if p::CLEAR.contains(&plain) {
        return Some(Utterance::Clear);
    }
    begins(&p::REVOKE).then(|| parse_revocation(text))
}

/// Whether the operator reports the end of the task, or turns to another.
pub(super) fn ends_task(text: &str, normalised: &str) -> bool {
    let plain = strip_courtesy(normalised);
    let begins = |phrases: &[&str]| phrases.iter().any(|phrase| starts_with_phrase(plain, phrase));
    let is_question = text.trim_end().ends_with('?');
    let turns_elsewhere = begins(&p::CHANGE_OF_TASK) && contains_phrase(plain, p::INSTEAD);
    turns_elsewhere || (!is_question && (begins(&p::NEW_TASK) || reports_completion(plain)))
}

/// Whether each part of the text reports completion: `tests pass, pr created, feature x complete`.
fn reports_completion(plain: &str) -> bool {
    let parts = plain.split(['.', ',', ';', '!']).map(strip_courtesy);
    let mut said = parts.filter(|part| !part.is_empty() && !p::THANKS.contains(part)).peekable();
    said.peek().is_some() && said.all(|part| p::RUN_END.contains(&part) || is_completed(part))
}

/// Whether something is said to be complete: `feature x is complete`.
fn is_completed(part: &str) -> bool {
    let words: Vec<&str> = part.split(' ').collect();
    let is_any = |list: &[&str], word: Option<&&str>| word.is_some_and(|word| list.contains(word));
    words.len() <= p::COMPLETION_WORDS
        && is_any(&p::COMPLETED_SUBJECTS, words.first())
        && is_any(&p::COMPLETE, words.last())
        && !words.iter().any(|word| p::INCOMPLETE.contains(word))
}

/// What a revocation names. Commands keep their case, so this reads the text as it was typed.
fn parse_revocation(text: &str) -> Utterance {
    let after_courtesy = skip_words(text, &p::COURTESY);
    let named = skip_words(skip_words(after_courtesy, &p::REVOKE), &p::REVOKE_FILLERS);
    let first = named.split_whitespace().next().unwrap_or_default();
    let first = first.trim_end_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let is_empty = !named.contains(char::is_alphanumeric);
    if is_empty || p::EVERYTHING.contains(&first.as_str()) {
        return Utterance::RevokeAll;
    }
    let commands = split_commands(named);
    let parts = commands.iter().flat_map(|command| command.split(" and ")).map(strip_closing);
    let mut names: Vec<String> = Vec::new();
    // A name that nothing has revokes nothing, so it does no harm to try both readings.
    for name in commands.iter().map(String::as_str).chain(parts) {
        if !name.is_empty() && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    Utterance::Revoke(names)
}

/// A command without the quotes and thanks behind it.
fn strip_closing(command: &str) -> &str {
    let command = command.trim_end_matches(['"', '\'', '`', '!', ' ']);
    let thanks = p::THANKS.iter().find_map(|word| command.strip_suffix(word)?.strip_suffix(' '));
    thanks.unwrap_or(command).trim()
}

/// The text behind these words at its head, in any case and number, with what separates them.
fn skip_words<'a>(text: &'a str, skipped: &[&str]) -> &'a str {
    let mut rest = text;
    loop {
        let separators = [',', ':', '-', '"', '\'', '`', '\u{201c}', '\u{2018}'];
        let trimmed =
            rest.trim_start_matches(|c: char| c.is_whitespace() || separators.contains(&c));
        let end = trimmed.find(|c: char| !c.is_alphanumeric() && c != '/').unwrap_or(trimmed.len());
        let (word, after) = trimmed.split_at(end);
        if word.is_empty() || !skipped.contains(&word.to_lowercase().as_str()) {
            return trimmed;
        }
        rest = after;
    }
}
