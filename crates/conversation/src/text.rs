//! The text of a turn: normal form, whole phrases, and the words around them that do not count.

use crate::phrases as p;

/// The text without courtesy words and punctuation around it: `no, please wait, thanks` is `wait`.
pub(super) fn strip_courtesy(normalised: &str) -> &str {
    let mut rest = normalised;
    loop {
        let trimmed = rest.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '/');
        let courtesy = p::COURTESY.iter().find(|word| starts_with_phrase(trimmed, word));
        match courtesy.and_then(|word| trimmed.get(word.len()..)) {
            Some(after) => rest = after,
            None => return strip_thanks(trimmed),
        }
    }
}

fn strip_thanks(normalised: &str) -> &str {
    let mut rest = normalised;
    loop {
        let trimmed = rest.trim_end_matches(|c: char| !c.is_alphanumeric());
        let ends_with = |word: &&&str| {
            let before = trimmed.strip_suffix(**word);
            before.is_some_and(|before| before.ends_with(|c: char| !c.is_alphanumeric()))
        };
        match p::THANKS.iter().find(ends_with).and_then(|word| trimmed.strip_suffix(word)) {
            Some(before) => rest = before,
            None => return trimmed,
        }
    }
}

/// Lower case, straight apostrophes, single blanks, no closing punctuation.
pub(super) fn normalise(text: &str) -> String {
    let straight = text.replace(['\u{2018}', '\u{2019}', '\u{2bc}'], "'").to_lowercase();
    let words: Vec<&str> = straight.split_whitespace().collect();
    words.join(" ").trim_end_matches(['.', '!', '?', ',', ';', '…']).trim_end().to_owned()
}

/// Whether the text is the phrase, or begins with it as whole words.
pub(super) fn starts_with_phrase(normalised: &str, phrase: &str) -> bool {
    normalised
        .strip_prefix(phrase)
        .is_some_and(|rest| rest.chars().next().is_none_or(|c| !c.is_alphanumeric() && c != '\''))
}

/// Whether the text contains the phrase as whole words.
pub(super) fn contains_phrase(normalised: &str, phrase: &str) -> bool {
    normalised
        .char_indices()
        .filter(|(at, _)| {
            let before = normalised.get(..*at).and_then(|head| head.chars().next_back());
            before.is_none_or(|c| !c.is_alphanumeric() && c != '\'')
        })
        .any(|(at, _)| normalised.get(at..).is_some_and(|rest| starts_with_phrase(rest, phrase)))
}

/// The text after a phrase, ignoring case.
pub(super) fn strip_phrase<'a>(text: &'a str, phrase: &str) -> Option<&'a str> {
    let text = text.trim();
    let head = text.get(..phrase.len())?;
    head.eq_ignore_ascii_case(phrase).then(|| text.get(phrase.len()..)).flatten()
}

pub(super) fn split_commands(list: &str) -> Vec<String> {
    list.split(',').map(|one| one.trim().to_owned()).filter(|one| !one.is_empty()).collect()
}

/// `1 grant`, `2 grants`.
pub(crate) fn count(number: usize, one: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {one}s") }
}
