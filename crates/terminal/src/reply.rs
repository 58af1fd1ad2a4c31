//! What a typed line says. Whether it can be said here is for the desk to know.

use countersign_core::model::words::Choice;

/// What was typed, in our words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// Enter alone.
    Nothing,
    Words(Words),
    Command(Command),
    /// A command that there is not.
    NoCommand(String),
    /// Anything else: what a card asks to be typed, or nothing that is known.
    Other(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    pub meaning: Meaning,
    /// Words for the agent.
    pub note: String,
    /// The end of the id of the request that is meant.
    pub id: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// A plain yes: what it means is the card's.
    Yes,
    Choice(Choice),
    /// A no that also ends what the session was allowed.
    Stop,
    /// Not now.
    Later,
    /// Of an agent that asks very often.
    Pause,
    Review,
}

/// What is no answer and begins with a slash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    Grants,
    Revoke(String),
    Allowlist(Option<String>),
    Pause(String),
    Resume(String),
    /// One card again; the current one where none is named.
    Show(Option<String>),
    Waiting,
    Help,
    Quit,
}

/// Reads a line.
pub fn said(line: &str) -> Said {
    let line = line.trim();
    if line.is_empty() {
        return Said::Nothing;
    }
    if line.starts_with('/') {
        return slash(line);
    }
    let (head, note) = line.split_once(':').map_or((line, ""), |(head, note)| (head, note.trim()));
    let head = head.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let words = |meaning, id| Said::Words(Words { meaning, note: note.to_owned(), id });
    if let Some(meaning) = meaning(&head) {
        return words(meaning, None);
    }
    let named = head.rsplit_once(' ').filter(|(_, id)| is_id(id));
    match named.and_then(|(head, id)| Some((meaning(head)?, id))) {
        Some((meaning, id)) => words(meaning, Some(id.to_owned())),
        None => Said::Other(line.to_owned()),
    }
}

fn meaning(words: &str) -> Option<Meaning> {
    Some(match words {
        "y" | "yes" => Meaning::Yes,
        "once" => Meaning::Choice(Choice::Once),
        "task" | "this task" | "run" => Meaning::Choice(Choice::Run),
        "15m" | "15 m" | "15min" | "15 min" | "15 minutes" | "for 15m" => {
            Meaning::Choice(Choice::Quarter)
        }
        "s" | "session" | "this session" => Meaning::Choice(Choice::Session),
        "p" | "project" | "this project" => Meaning::Choice(Choice::Project),
        "n" | "no" | "decline" | "deny" => Meaning::Choice(Choice::Decline),
        "stop" | "decline and stop" | "deny and stop" => Meaning::Stop,
        "later" => Meaning::Later,
        "pause" => Meaning::Pause,
        "review" => Meaning::Review,
        _ => return None,
    })
}

fn slash(line: &str) -> Said {
    let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let named = || (!rest.is_empty()).then(|| rest.to_owned());
    let command = match (name.to_lowercase().as_str(), rest) {
        ("/grants", "") => Command::Grants,
        ("/revoke", id) if !id.is_empty() => Command::Revoke(id.to_owned()),
        ("/allowlist", _) => Command::Allowlist(named()),
        ("/pause", agent) if !agent.is_empty() => Command::Pause(agent.to_owned()),
        ("/resume", agent) if !agent.is_empty() => Command::Resume(agent.to_owned()),
        ("/show", _) => Command::Show(named()),
        ("/ls" | "/waiting", "") => Command::Waiting,
        ("/help" | "/?", "") => Command::Help,
        ("/quit" | "/exit", "") => Command::Quit,
        _ => return Said::NoCommand(line.to_owned()),
    };
    Said::Command(command)
}

/// The end of an id, by which a request can be named.
fn is_id(word: &str) -> bool {
    word.len() >= 4 && word.bytes().all(|b| b.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(meaning: Meaning, note: &str, id: Option<&str>) -> Said {
        Said::Words(Words { meaning, note: note.to_owned(), id: id.map(str::to_owned) })
    }

    #[test]
    fn the_old_letters_and_the_words_of_the_card_are_understood() {
        for (line, meaning) in [
            ("y", Meaning::Yes),
            (" Yes ", Meaning::Yes),
            ("s", Meaning::Choice(Choice::Session)),
            ("p", Meaning::Choice(Choice::Project)),
            ("n", Meaning::Choice(Choice::Decline)),
            ("once", Meaning::Choice(Choice::Once)),
            ("this  task", Meaning::Choice(Choice::Run)),
            ("15 min", Meaning::Choice(Choice::Quarter)),
            ("session", Meaning::Choice(Choice::Session)),
            ("project", Meaning::Choice(Choice::Project)),
            ("decline", Meaning::Choice(Choice::Decline)),
            ("decline and stop", Meaning::Stop),
            ("later", Meaning::Later),
        ] {
            assert_eq!(said(line), words(meaning, "", None), "{line}");
        }
    }

    #[test]
    fn every_choice_is_said_by_its_own_word() {
        for choice in Choice::ALL {
            assert_eq!(said(choice.word()), words(Meaning::Choice(*choice), "", None), "{choice}");
        }
    }

    #[test]
    fn a_note_and_an_id_come_along() {
        let no = Meaning::Choice(Choice::Decline);
        assert_eq!(said("n: use staging: please"), words(no, "use staging: please", None));
        assert_eq!(said("y 3e22a1"), words(Meaning::Yes, "", Some("3e22a1")));
        let session = Meaning::Choice(Choice::Session);
        assert_eq!(said("session 3E22A1: go"), words(session, "go", Some("3e22a1")));
    }

    #[test]
    fn what_only_looks_like_an_answer_is_none() {
        for line in ["yy", "y n", "yes please", "ok", "12:30", "no way", "n o", "y 3e", "1", "ye"] {
            assert_eq!(said(line), Said::Other(line.to_owned()));
        }
        assert_eq!(said(" \t "), Said::Nothing);
    }

    #[test]
    fn commands_begin_with_a_slash() {
        assert_eq!(said("/grants"), Said::Command(Command::Grants));
        assert_eq!(said("/revoke 12ab"), Said::Command(Command::Revoke("12ab".into())));
        assert_eq!(said("/allowlist"), Said::Command(Command::Allowlist(None)));
        assert_eq!(said("/revoke"), Said::NoCommand("/revoke".into()));
        assert_eq!(said("/srv/data"), Said::NoCommand("/srv/data".into()));
    }
}
