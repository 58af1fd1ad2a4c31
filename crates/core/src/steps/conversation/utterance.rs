//! Parses the text of a turn. Nothing is looked up here.
//!
//! The order of the tests is significant: what makes things stricter comes first.

use super::phrases as p;

/// The meaning of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Utterance {
    DryRun,
    Stop,
    Correction,
    Clear,
    Revoke(Vec<String>),
    RevokeAll,
    Grant(Vec<String>),
    Allowlist,
    Consent,
    /// A slash command that the graph may know, without its slash.
    Slash(String),
    RunEnd,
    Answer(ShortReply),
    Other,
}

/// A turn that could be an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShortReply {
    ClearYes,
    /// Weak words, or a clear yes with something after it.
    WeakYes,
    /// A yes that asks for changes to what was shown.
    YesWithChanges,
    /// It begins with a no. The note is for the agent.
    No {
        note: String,
    },
    /// It contains a no, but not at the beginning.
    NoInside,
}

pub fn hear(text: &str) -> Utterance {
    if text.trim_start().starts_with(p::DRY_RUN) {
        return Utterance::DryRun;
    }
    let normalised = normalise(text);
    let plain = strip_courtesy(&normalised);
    if p::STOP.iter().any(|phrase| starts_with_phrase(plain, phrase)) {
        return Utterance::Stop;
    }
    if p::CORRECTION.iter().any(|phrase| starts_with_phrase(&normalised, phrase)) {
        return Utterance::Correction;
    }
    if p::CLEAR.contains(&normalised.as_str()) {
        return Utterance::Clear;
    }
    if p::REVOKE_ALL.contains(&normalised.as_str()) {
        return Utterance::RevokeAll;
    }
    if let Some(list) = strip_phrase(text, p::REVOKE).or_else(|| strip_phrase(text, "/revoke ")) {
        return Utterance::Revoke(split_commands(list));
    }
    if let Some(list) = strip_phrase(text, p::GRANT) {
        return Utterance::Grant(split_commands(list));
    }
    if p::SHOW_ALLOWLIST.contains(&normalised.as_str()) {
        return Utterance::Allowlist;
    }
    if p::SHOW_CONSENT.contains(&normalised.as_str()) {
        return Utterance::Consent;
    }
    if let Some(command) = text.trim().strip_prefix('/') {
        let name = command.split_whitespace().next().unwrap_or_default();
        return Utterance::Slash(name.to_owned());
    }
    if p::RUN_END.contains(&normalised.as_str()) || is_change_of_task(plain) {
        return Utterance::RunEnd;
    }
    parse_reply(text, &normalised).map_or(Utterance::Other, Utterance::Answer)
}

/// The text without courtesy words and punctuation in front: `no, please wait` is `wait`.
fn strip_courtesy(normalised: &str) -> &str {
    let mut rest = normalised;
    loop {
        let trimmed = rest.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '/');
        let courtesy = p::COURTESY.iter().find(|word| starts_with_phrase(trimmed, word));
        match courtesy.and_then(|word| trimmed.get(word.len()..)) {
            Some(after) => rest = after,
            None => return trimmed,
        }
    }
}

/// Whether the operator turns to another task: `actually, let's work on the docs instead`.
fn is_change_of_task(plain: &str) -> bool {
    p::CHANGE_OF_TASK.iter().any(|phrase| starts_with_phrase(plain, phrase))
        && contains_phrase(plain, p::INSTEAD)
}

fn parse_reply(text: &str, normalised: &str) -> Option<ShortReply> {
    if p::NO.iter().any(|phrase| starts_with_phrase(normalised, phrase)) {
        return Some(ShortReply::No { note: parse_note(text) });
    }
    let has_no = p::NO.iter().any(|phrase| contains_phrase(normalised, phrase));
    if has_no {
        return Some(ShortReply::NoInside);
    }
    if p::CLEAR_YES.contains(&normalised) {
        return Some(ShortReply::ClearYes);
    }
    let phrases = p::CLEAR_YES.iter().chain(&p::WEAK_YES);
    let rest = phrases
        .filter(|phrase| starts_with_phrase(normalised, phrase))
        .find_map(|phrase| normalised.get(phrase.len()..))?;
    let changed =
        rest.split(|c: char| !c.is_alphanumeric() && c != '\'').any(|w| p::CHANGES.contains(&w));
    Some(if changed { ShortReply::YesWithChanges } else { ShortReply::WeakYes })
}

/// The note to the agent: in `no: not today`, the part after the colon.
fn parse_note(text: &str) -> String {
    text.split_once(':').map_or_else(String::new, |(_, note)| note.trim().to_owned())
}

/// Lower case, straight apostrophes, single blanks, no closing punctuation.
fn normalise(text: &str) -> String {
    let straight = text.replace(['\u{2018}', '\u{2019}', '\u{2bc}'], "'").to_lowercase();
    let words: Vec<&str> = straight.split_whitespace().collect();
    words.join(" ").trim_end_matches(['.', '!', '?', ',', ';', '…']).trim_end().to_owned()
}

/// Whether the text is the phrase, or begins with it as whole words.
fn starts_with_phrase(normalised: &str, phrase: &str) -> bool {
    normalised
        .strip_prefix(phrase)
        .is_some_and(|rest| rest.chars().next().is_none_or(|c| !c.is_alphanumeric() && c != '\''))
}

/// Whether the text contains the phrase as whole words.
fn contains_phrase(normalised: &str, phrase: &str) -> bool {
    normalised
        .char_indices()
        .filter(|(at, _)| {
            let before = normalised.get(..*at).and_then(|head| head.chars().next_back());
            before.is_none_or(|c| !c.is_alphanumeric() && c != '\'')
        })
        .any(|(at, _)| normalised.get(at..).is_some_and(|rest| starts_with_phrase(rest, phrase)))
}

/// The text after a phrase, ignoring case.
fn strip_phrase<'a>(text: &'a str, phrase: &str) -> Option<&'a str> {
    let text = text.trim();
    let head = text.get(..phrase.len())?;
    head.eq_ignore_ascii_case(phrase).then(|| text.get(phrase.len()..)).flatten()
}

fn split_commands(list: &str) -> Vec<String> {
    list.split(',').map(|one| one.trim().to_owned()).filter(|one| !one.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_all_parse_as(phrases: &[&str], expected: &Utterance) {
        for phrase in phrases {
            let upper = phrase.to_uppercase();
            for text in [(*phrase).to_owned(), format!("  {phrase}! "), upper] {
                assert_eq!(hear(&text), *expected, "{text:?}");
            }
        }
    }

    #[test]
    fn every_phrase_of_every_list_is_understood() {
        assert_all_parse_as(&p::STOP, &Utterance::Stop);
        assert_all_parse_as(&p::CORRECTION, &Utterance::Correction);
        assert_all_parse_as(&p::CLEAR, &Utterance::Clear);
        assert_all_parse_as(&p::RUN_END, &Utterance::RunEnd);
        assert_all_parse_as(&p::REVOKE_ALL, &Utterance::RevokeAll);
        assert_all_parse_as(&p::SHOW_ALLOWLIST, &Utterance::Allowlist);
        assert_all_parse_as(&p::SHOW_CONSENT, &Utterance::Consent);
        assert_all_parse_as(&p::CLEAR_YES, &Utterance::Answer(ShortReply::ClearYes));
        assert_all_parse_as(&p::WEAK_YES, &Utterance::Answer(ShortReply::WeakYes));
        assert_all_parse_as(&p::NO, &Utterance::Answer(ShortReply::No { note: String::new() }));
        for change in p::CHANGES {
            let text = format!("yes, {change} the tests");
            assert_eq!(hear(&text), Utterance::Answer(ShortReply::YesWithChanges), "{text}");
        }
    }

    #[test]
    fn a_longer_word_is_another_word() {
        for text in
            ["stopping is hard", "waiting", "yesterday", "nobody", "noble", "finest work", "okra"]
        {
            assert_eq!(hear(text), Utterance::Other, "{text}");
        }
    }

    #[test]
    fn what_follows_a_yes_weakens_it() {
        let answer = |text| {
            let Utterance::Answer(reply) = hear(text) else { return None };
            Some(reply)
        };
        assert_eq!(answer("yes please"), Some(ShortReply::WeakYes));
        assert_eq!(answer("ok do it"), Some(ShortReply::WeakYes));
        assert_eq!(answer("go ahead, but skip the tests"), Some(ShortReply::YesWithChanges));
        assert_eq!(answer("yes, but don't push"), Some(ShortReply::NoInside));
        assert_eq!(answer("no: not today"), Some(ShortReply::No { note: "not today".into() }));
        assert_eq!(answer("Let\u{2019}s do it"), Some(ShortReply::ClearYes));
    }

    #[test]
    fn a_dry_run_is_written_in_capitals() {
        assert_eq!(hear("DRY RUN: deploy it"), Utterance::DryRun);
        assert_eq!(hear("dry run: deploy it"), Utterance::Other);
    }

    #[test]
    fn commands_are_separated_by_commas() {
        let heard = hear("Grant standing consent for: git push, make  check ,");
        assert_eq!(heard, Utterance::Grant(vec!["git push".into(), "make  check".into()]));
        assert_eq!(
            hear("Revoke consent for: git push"),
            Utterance::Revoke(vec!["git push".into()])
        );
    }

    #[test]
    fn courtesy_around_a_stop_does_not_count() {
        for text in [
            "please stop",
            "no, wait",
            "stop!",
            "Hey -- hold on",
            "sorry, no: cancel that",
            "ok, actually, please stop, thanks",
            "...wait",
            "No, please /stop",
        ] {
            assert_eq!(hear(text), Utterance::Stop, "{text}");
        }
        for text in ["please don't stop", "no, waiting is fine", "please", "ok stopping"] {
            assert_ne!(hear(text), Utterance::Stop, "{text}");
        }
    }

    #[test]
    fn turning_to_another_task_ends_the_run() {
        for text in [
            "actually, let's work on the docs instead",
            "Actually let\u{2019}s work on the docs instead, please!",
            "no, let's work on tests instead",
        ] {
            assert_eq!(hear(text), Utterance::RunEnd, "{text}");
        }
        for text in ["let's work on the docs", "use tabs instead", "instead, run the tests"] {
            assert_ne!(hear(text), Utterance::RunEnd, "{text}");
        }
    }

    #[test]
    fn stop_comes_before_everything_but_a_dry_run() {
        assert_eq!(hear("stop, revoke all consent"), Utterance::Stop);
        assert_eq!(hear("wait"), Utterance::Stop);
        assert_eq!(hear("DRY RUN: stop"), Utterance::DryRun);
    }
}
