//! Parses the text of a turn. Nothing is looked up here.
//!
//! The order of the tests is significant: what makes things stricter comes first.

mod tighten;

use crate::phrases as p;
use crate::text::{
    contains_phrase, normalise, split_commands, starts_with_phrase, strip_courtesy, strip_phrase,
};

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

/// What a turn can do to consent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UtteranceEffect {
    /// It may allow something.
    Loosens,
    /// Less is allowed until a later turn.
    HoldsBack,
    EndsConsent,
    /// It ends the runs, and with them their consent.
    EndsWork,
    /// It asks what is in force.
    Lists,
    None,
}

impl Utterance {
    pub(crate) fn effect(&self) -> UtteranceEffect {
        match self {
            Self::Grant(_) | Self::Slash(_) | Self::Answer(_) => UtteranceEffect::Loosens,
            Self::DryRun | Self::Stop => UtteranceEffect::HoldsBack,
            Self::Correction | Self::Clear | Self::Revoke(_) | Self::RevokeAll => {
                UtteranceEffect::EndsConsent
            }
            Self::RunEnd => UtteranceEffect::EndsWork,
            Self::Allowlist | Self::Consent => UtteranceEffect::Lists,
            Self::Other => UtteranceEffect::None,
        }
    }
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

pub fn parse_utterance(text: &str) -> Utterance {
    if text.trim_start().starts_with(p::DRY_RUN) {
        return Utterance::DryRun;
    }
    let normalised = normalise(text);
    if let Some(tightening) = tighten::parse_tightening(text, &normalised) {
        return tightening;
    }
    if let Some(list) = strip_phrase(text, p::GRANT) {
        return Utterance::Grant(split_commands(list));
    }
    let plain = strip_courtesy(&normalised);
    if p::SHOW_ALLOWLIST.contains(&plain) {
        return Utterance::Allowlist;
    }
    if p::SHOW_CONSENT.contains(&plain) {
        return Utterance::Consent;
    }
    if let Some(command) = text.trim().strip_prefix('/') {
        let name = command.split_whitespace().next().unwrap_or_default();
        return Utterance::Slash(name.to_owned());
    }
    if tighten::ends_task(text, &normalised) {
        return Utterance::RunEnd;
    }
    parse_reply(text, &normalised).map_or(Utterance::Other, Utterance::Answer)
}

/// Whether the text begins with a no: `no, that's wrong` is also an answer.
pub(super) fn begins_with_no(text: &str) -> bool {
    let normalised = normalise(text);
    p::NO.iter().any(|phrase| starts_with_phrase(&normalised, phrase))
}

fn parse_reply(text: &str, normalised: &str) -> Option<ShortReply> {
    if p::NO.iter().any(|phrase| starts_with_phrase(normalised, phrase)) {
        return Some(ShortReply::No { note: parse_note(text) });
    }
    let has_no = p::NO.iter().any(|phrase| contains_phrase(normalised, phrase));
    if has_no {
        return Some(ShortReply::NoInside);
    }
    // A question is not an answer: `yes?`
    if p::CLEAR_YES.contains(&normalised) && !text.contains('?') {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_all_parse_as(phrases: &[&str], expected: &Utterance) {
        for phrase in phrases {
            let upper = phrase.to_uppercase();
            for text in [(*phrase).to_owned(), format!("  {phrase}! "), upper] {
                assert_eq!(parse_utterance(&text), *expected, "{text:?}");
            }
        }
    }

    #[test]
    fn every_phrase_of_every_list_is_understood() {
        assert_all_parse_as(&p::STOP, &Utterance::Stop);
        assert_all_parse_as(&p::CORRECTION, &Utterance::Correction);
        assert_all_parse_as(&p::CLEAR, &Utterance::Clear);
        assert_all_parse_as(&p::RUN_END, &Utterance::RunEnd);
        assert_all_parse_as(&p::NEW_TASK, &Utterance::RunEnd);
        let revocations = ["revoke all consent", "revoke all my consent", "revoke", "/revoke all"];
        assert_all_parse_as(&revocations, &Utterance::RevokeAll);
        assert_all_parse_as(&p::SHOW_ALLOWLIST, &Utterance::Allowlist);
        assert_all_parse_as(&p::SHOW_CONSENT, &Utterance::Consent);
        assert_all_parse_as(&p::CLEAR_YES, &Utterance::Answer(ShortReply::ClearYes));
        assert_all_parse_as(&p::WEAK_YES, &Utterance::Answer(ShortReply::WeakYes));
        assert_all_parse_as(&p::NO, &Utterance::Answer(ShortReply::No { note: String::new() }));
        for change in p::CHANGES {
            let text = format!("yes, {change} the tests");
            assert_eq!(
                parse_utterance(&text),
                Utterance::Answer(ShortReply::YesWithChanges),
                "{text}"
            );
        }
    }

    #[test]
    fn a_longer_word_is_another_word() {
        for text in
            ["stopping is hard", "waiting", "yesterday", "nobody", "noble", "finest work", "okra"]
        {
            assert_eq!(parse_utterance(text), Utterance::Other, "{text}");
        }
    }

    #[test]
    fn what_follows_a_yes_weakens_it() {
        let answer = |text| {
            let Utterance::Answer(reply) = parse_utterance(text) else { return None };
            Some(reply)
        };
        assert_eq!(answer("yes please"), Some(ShortReply::WeakYes));
        assert_eq!(answer("ok do it"), Some(ShortReply::WeakYes));
        assert_eq!(answer("go ahead, but skip the tests"), Some(ShortReply::YesWithChanges));
        assert_eq!(answer("yes, but don't push"), Some(ShortReply::NoInside));
        assert_eq!(answer("no: not today"), Some(ShortReply::No { note: "not today".into() }));
        assert_eq!(answer("Let\u{2019}s do it"), Some(ShortReply::ClearYes));
        assert_eq!(answer("yes?"), Some(ShortReply::WeakYes));
    }

    #[test]
    fn a_dry_run_is_written_in_capitals() {
        assert_eq!(parse_utterance("DRY RUN: deploy it"), Utterance::DryRun);
        assert_eq!(parse_utterance("dry run: deploy it"), Utterance::Other);
    }

    #[test]
    fn commands_are_separated_by_commas() {
        let heard = parse_utterance("Grant standing consent for: git push, make  check ,");
        assert_eq!(heard, Utterance::Grant(vec!["git push".into(), "make  check".into()]));
        assert_eq!(
            parse_utterance("Revoke consent for: git push"),
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
            assert_eq!(parse_utterance(text), Utterance::Stop, "{text}");
        }
        for text in ["please don't stop", "no, waiting is fine", "please", "ok stopping"] {
            assert_ne!(parse_utterance(text), Utterance::Stop, "{text}");
        }
    }

    #[test]
    fn turning_to_another_task_ends_the_run() {
        for text in [
            "actually, let's work on the docs instead",
            "Actually let\u{2019}s work on the docs instead, please!",
            "no, let's work on tests instead",
        ] {
            assert_eq!(parse_utterance(text), Utterance::RunEnd, "{text}");
        }
        for text in ["let's work on the docs", "use tabs instead", "instead, run the tests"] {
            assert_ne!(parse_utterance(text), Utterance::RunEnd, "{text}");
        }
    }

    #[test]
    fn a_report_of_completion_ends_the_run() {
        for text in [
            "Done, thanks!",
            "ok, done",
            "Great, all done. Thank you",
            "Tests pass, PR created, feature complete.",
            "feature X is complete",
            "The migration is finished",
            "ok, next task please",
            "Next task: fix the login",
        ] {
            assert_eq!(parse_utterance(text), Utterance::RunEnd, "{text}");
        }
        for text in [
            "is feature X complete?",
            "the feature is done?",
            "it's not done",
            "this is almost done",
            "when it is done, push",
            "done with the tests, now push",
            "the work that you should have completed is done",
            "thanks",
            "great, thanks",
        ] {
            assert_ne!(parse_utterance(text), Utterance::RunEnd, "{text}");
        }
    }

    #[test]
    fn what_only_tightens_is_matched_loosely() {
        for text in ["No, that's wrong", "please do it differently", "sorry, thats wrong: tabs"] {
            assert_eq!(parse_utterance(text), Utterance::Correction, "{text}");
        }
        for text in ["please clear consent state", "Clear my consent state, thanks"] {
            assert_eq!(parse_utterance(text), Utterance::Clear, "{text}");
        }
        let push = Utterance::Revoke(vec!["git push".into()]);
        for text in [
            "please revoke consent for git push",
            "Revoke my consent for: git push",
            "revoke git push",
            "\u{201c}Revoke consent for: git push",
        ] {
            assert_eq!(parse_utterance(text), push, "{text}");
        }
        let Utterance::Revoke(names) =
            parse_utterance("Revoke consent for: git push and Make, please")
        else {
            panic!("no revocation");
        };
        for name in ["git push", "Make"] {
            assert!(names.iter().any(|known| known == name), "{names:?}");
        }
        assert_eq!(
            parse_utterance("revoke all-tests.sh"),
            Utterance::Revoke(vec!["all-tests.sh".into()])
        );
    }

    #[test]
    fn what_loosens_is_matched_exactly() {
        for text in [
            "please grant standing consent for: git push",
            "grant standing consent for git push",
            "I grant standing consent for: git push",
        ] {
            assert_eq!(parse_utterance(text), Utterance::Other, "{text}");
        }
    }

    #[test]
    fn stop_comes_before_everything_but_a_dry_run() {
        assert_eq!(parse_utterance("stop, revoke all consent"), Utterance::Stop);
        assert_eq!(parse_utterance("wait"), Utterance::Stop);
        assert_eq!(parse_utterance("DRY RUN: stop"), Utterance::DryRun);
    }
}
