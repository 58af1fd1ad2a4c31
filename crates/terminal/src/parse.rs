//! Parses a typed line. The prompt decides whether the line answers anything.

use countersign_conversation::{Utterance, parse_utterance};
use countersign_core::model::ids::RequestId;
use countersign_core::model::words::{Choice, Covers};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParsedLine {
    /// Enter alone.
    Empty,
    Reply(ParsedReply),
    /// Asks something. It is answered and decides nothing.
    Query(OperatorQuery),
    Command(SlashCommand),
    UnknownCommand(String),
    /// Words of the conversation that grant, end or list consent. They answer no question.
    ConsentPhrase(ConsentPhrase),
    /// Anything else: the text that a critical card asks for, or an unclear reply.
    Other(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedReply {
    pub meaning: ReplyMeaning,
    /// Goes to the agent.
    pub note: String,
    /// The first characters of the id of the request that the operator means.
    pub id_beginning: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyMeaning {
    /// A plain yes. The card says which choice it stands for.
    Yes,
    Choice(Choice),
    /// A yes for some time that goes as far as this.
    Wider(Choice, Covers),
    /// A no that also ends the session's permissions.
    Stop,
    /// Answers nothing yet.
    Later,
    /// Answers nothing: the agent's calls are denied from now on.
    Pause,
}

/// What an operator can ask about the card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperatorQuery {
    /// What can be typed, and what each choice permits.
    Help,
    /// Why it was asked.
    Why,
    /// `allow` and `approve` do not say for how long.
    Scope,
    /// How far each choice goes.
    Coverage,
    /// The whole call.
    Whole,
}

/// A sentence that Countersign understands in any session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsentPhrase {
    pub text: String,
    pub effect: PhraseEffect,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PhraseEffect {
    Loosens,
    /// It tightens, or only asks.
    Tightens,
}

/// A line that starts with a slash. It answers nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SlashCommand {
    Grants,
    Revoke(String),
    /// Revokes what the last answer allowed.
    RevokeLast,
    /// Revokes what the answer to this request allowed.
    RevokeAnswer(String),
    Allowlist(Option<String>),
    Pause(String),
    Resume(String),
    /// Adds the operator's words to a session: the named one, or the only one that is open.
    Say {
        session: Option<String>,
        words: String,
    },
    /// Shows a card again: the one whose id starts like this, or the current one.
    Show(Option<String>),
    ListRequests,
    /// Shows what happened elsewhere.
    Messages,
    Help,
    Quit,
}

pub fn parse_line(line: &str) -> ParsedLine {
    let line = line.trim();
    if line.is_empty() {
        return ParsedLine::Empty;
    }
    if line.starts_with('/') {
        return parse_command(line);
    }
    let (head, note) = line.split_once(':').map_or((line, ""), |(head, note)| (head, note.trim()));
    let head = head.split_whitespace().collect::<Vec<_>>().join(" ");
    // The only letter whose case matters: `p` is the project.
    let head = if head == "P" { "pause".to_owned() } else { head.to_lowercase() };
    if matches!(head.as_str(), "u" | "undo") && note.is_empty() {
        return ParsedLine::Command(SlashCommand::RevokeLast);
    }
    let reply = |meaning, id_beginning| {
        ParsedLine::Reply(ParsedReply { meaning, note: note.to_owned(), id_beginning })
    };
    if let Some(query) = parse_query(&head) {
        return ParsedLine::Query(query);
    }
    if let Some(meaning) = parse_meaning(&head) {
        return reply(meaning, None);
    }
    let with_id = head.rsplit_once(' ').filter(|(_, id)| is_id_beginning(id));
    match with_id.map(|(head, id)| (parse_query(head), parse_meaning(head), id)) {
        Some((Some(query), ..)) => ParsedLine::Query(query),
        Some((None, Some(meaning), id)) => reply(meaning, Some(id.to_owned())),
        Some((None, None, _)) | None => parse_phrase(line),
    }
}

/// Words of the conversation, or anything else.
fn parse_phrase(line: &str) -> ParsedLine {
    let effect = match parse_utterance(line) {
        Utterance::Grant(_) => PhraseEffect::Loosens,
        Utterance::DryRun
        | Utterance::Stop
        | Utterance::Correction
        | Utterance::Clear
        | Utterance::Revoke(_)
        | Utterance::RevokeAll
        | Utterance::Allowlist
        | Utterance::Consent
        | Utterance::RunEnd => PhraseEffect::Tightens,
        // A card takes no answer in other words than its own.
        Utterance::Answer(_) | Utterance::Slash(_) | Utterance::Other => {
            return ParsedLine::Other(line.to_owned());
        }
    };
    ParsedLine::ConsentPhrase(ConsentPhrase { text: line.to_owned(), effect })
}

fn parse_query(words: &str) -> Option<OperatorQuery> {
    Some(match words {
        "?" | "h" | "help" | "more" => OperatorQuery::Help,
        "w" | "why" | "why?" => OperatorQuery::Why,
        "approve" | "allow" => OperatorQuery::Scope,
        "e" | "coverage" => OperatorQuery::Coverage,
        "v" | "view" | "whole" | "full" => OperatorQuery::Whole,
        _ => return None,
    })
}

fn parse_meaning(words: &str) -> Option<ReplyMeaning> {
    Some(match words {
        "y" | "yes" => ReplyMeaning::Yes,
        "stop" | "decline and stop" | "deny and stop" => ReplyMeaning::Stop,
        "later" => ReplyMeaning::Later,
        "pause" => ReplyMeaning::Pause,
        words => match parse_choice(words) {
            Some(choice) => ReplyMeaning::Choice(choice),
            None => return parse_wider(words),
        },
    })
}

fn parse_choice(words: &str) -> Option<Choice> {
    Some(match words {
        "once" => Choice::Once,
        "task" | "this task" | "run" => Choice::Run,
        "15m" | "15 m" | "15min" | "15 min" | "15 minutes" | "for 15m" => Choice::Quarter,
        "s" | "session" | "this session" => Choice::Session,
        "p" | "project" | "this project" => Choice::Project,
        "n" | "no" | "decline" | "deny" => Choice::Decline,
        _ => return None,
    })
}

/// A choice of some time and how far it goes: `s head`, or `sh` for short. `s!` is for exactly this
/// command.
fn parse_wider(words: &str) -> Option<ReplyMeaning> {
    let (choice, covers) = match words {
        "s!" => (Choice::Session, Covers::Command),
        "p!" => (Choice::Project, Covers::Command),
        "sh" => (Choice::Session, Covers::Head),
        "sa" => (Choice::Session, Covers::Actions),
        "pa" => (Choice::Project, Covers::Actions),
        words => {
            let (choice, covers) = words.rsplit_once(' ')?;
            (parse_choice(choice)?, Covers::from_word(covers)?)
        }
    };
    match choice {
        Choice::Quarter | Choice::Session | Choice::Project => {
            Some(ReplyMeaning::Wider(choice, covers))
        }
        Choice::Once | Choice::Run | Choice::Decline => None,
    }
}

fn parse_command(line: &str) -> ParsedLine {
    let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let argument = || (!rest.is_empty()).then(|| rest.to_owned());
    let command = match (name.to_lowercase().as_str(), rest) {
        ("/grants", "") => SlashCommand::Grants,
        ("/revoke", id) if !id.is_empty() => SlashCommand::Revoke(id.to_owned()),
        ("/allowlist", _) => SlashCommand::Allowlist(argument()),
        ("/pause", agent) if !agent.is_empty() => SlashCommand::Pause(agent.to_owned()),
        ("/resume", agent) if !agent.is_empty() => SlashCommand::Resume(agent.to_owned()),
        ("/say", rest) => match rest.split_once(char::is_whitespace) {
            Some((session, words)) => {
                SlashCommand::Say { session: Some(session.to_owned()), words: words.trim().into() }
            }
            None => return ParsedLine::UnknownCommand(line.to_owned()),
        },
        ("/stop", _) => return parse_phrase(line),
        ("/show", _) => SlashCommand::Show(argument()),
        ("/ls" | "/waiting", "") => SlashCommand::ListRequests,
        ("/m" | "/messages", "") => SlashCommand::Messages,
        ("/help" | "/?", "") => SlashCommand::Help,
        ("/quit" | "/exit", "") => SlashCommand::Quit,
        _ => return ParsedLine::UnknownCommand(line.to_owned()),
    };
    ParsedLine::Command(command)
}

/// Whether this can be the beginning of a request's id.
fn is_id_beginning(word: &str) -> bool {
    let digits = word.strip_prefix(RequestId::LETTER);
    digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(meaning: ReplyMeaning, note: &str, id: Option<&str>) -> ParsedLine {
        ParsedLine::Reply(ParsedReply {
            meaning,
            note: note.to_owned(),
            id_beginning: id.map(str::to_owned),
        })
    }

    #[test]
    fn letters_and_the_words_of_the_card_are_understood() {
        for (line, meaning) in [
            ("y", ReplyMeaning::Yes),
            (" Yes ", ReplyMeaning::Yes),
            ("s", ReplyMeaning::Choice(Choice::Session)),
            ("p", ReplyMeaning::Choice(Choice::Project)),
            ("n", ReplyMeaning::Choice(Choice::Decline)),
            ("once", ReplyMeaning::Choice(Choice::Once)),
            ("this  task", ReplyMeaning::Choice(Choice::Run)),
            ("15 min", ReplyMeaning::Choice(Choice::Quarter)),
            ("session", ReplyMeaning::Choice(Choice::Session)),
            ("project", ReplyMeaning::Choice(Choice::Project)),
            ("decline", ReplyMeaning::Choice(Choice::Decline)),
            ("decline and stop", ReplyMeaning::Stop),
            ("later", ReplyMeaning::Later),
        ] {
            assert_eq!(parse_line(line), reply(meaning, "", None), "{line}");
        }
    }

    #[test]
    fn every_choice_is_parsed_from_its_word() {
        for choice in Choice::ALL {
            assert_eq!(
                parse_line(choice.word()),
                reply(ReplyMeaning::Choice(*choice), "", None),
                "{choice}"
            );
        }
    }

    #[test]
    fn a_choice_of_some_time_can_say_how_far_it_goes() {
        for (line, choice, covers) in [
            ("s head", Choice::Session, Covers::Head),
            ("sh", Choice::Session, Covers::Head),
            ("Session  Actions", Choice::Session, Covers::Actions),
            ("sa", Choice::Session, Covers::Actions),
            ("s command", Choice::Session, Covers::Command),
            ("15m head", Choice::Quarter, Covers::Head),
            ("15 min actions", Choice::Quarter, Covers::Actions),
            ("p actions", Choice::Project, Covers::Actions),
            ("pa", Choice::Project, Covers::Actions),
        ] {
            let wider = ReplyMeaning::Wider(choice, covers);
            assert_eq!(parse_line(line), reply(wider, "", None), "{line}");
        }
        let wider = ReplyMeaning::Wider(Choice::Session, Covers::Head);
        assert_eq!(parse_line("sh r3e22a1: go"), reply(wider, "go", Some("r3e22a1")));
    }

    #[test]
    fn an_unknown_coverage_is_no_reply() {
        for line in
            ["s heads", "s all", "s everything", "s a", "s h", "y head", "once head", "n head"]
        {
            assert_eq!(parse_line(line), ParsedLine::Other(line.to_owned()));
        }
        for line in ["head", "actions", "ah", "sah", "s head actions", "head s", "task actions"] {
            assert_eq!(parse_line(line), ParsedLine::Other(line.to_owned()));
        }
    }

    #[test]
    fn a_reply_can_have_a_note_and_an_id() {
        let no = ReplyMeaning::Choice(Choice::Decline);
        assert_eq!(parse_line("n: use staging: please"), reply(no, "use staging: please", None));
        assert_eq!(parse_line("y r3e22a1"), reply(ReplyMeaning::Yes, "", Some("r3e22a1")));
        let session = ReplyMeaning::Choice(Choice::Session);
        assert_eq!(parse_line("session R3E22A1: go"), reply(session, "go", Some("r3e22a1")));
    }

    #[test]
    fn text_that_only_looks_like_a_reply_is_not_one() {
        for line in [
            "yy",
            "y n",
            "yes please",
            "ok",
            "12:30",
            "no way",
            "n o",
            "y 3e22a1",
            "y r",
            "1",
            "ye",
        ] {
            assert_eq!(parse_line(line), ParsedLine::Other(line.to_owned()));
        }
        assert_eq!(parse_line(" \t "), ParsedLine::Empty);
    }

    #[test]
    fn words_that_ask_something_are_no_replies() {
        for (line, query) in [
            ("?", OperatorQuery::Help),
            ("Help", OperatorQuery::Help),
            ("why", OperatorQuery::Why),
            ("approve", OperatorQuery::Scope),
            ("allow", OperatorQuery::Scope),
            ("allow: go on", OperatorQuery::Scope),
            ("approve r3e22a1", OperatorQuery::Scope),
            ("v", OperatorQuery::Whole),
        ] {
            assert_eq!(parse_line(line), ParsedLine::Query(query), "{line}");
        }
    }

    #[test]
    fn commands_start_with_a_slash() {
        assert_eq!(parse_line("/grants"), ParsedLine::Command(SlashCommand::Grants));
        assert_eq!(
            parse_line("/revoke 12ab"),
            ParsedLine::Command(SlashCommand::Revoke("12ab".into()))
        );
        assert_eq!(parse_line("/allowlist"), ParsedLine::Command(SlashCommand::Allowlist(None)));
        assert_eq!(parse_line("/revoke"), ParsedLine::UnknownCommand("/revoke".into()));
        assert_eq!(parse_line("/srv/data"), ParsedLine::UnknownCommand("/srv/data".into()));
    }
}
