//! Replies: what was typed, held against what is asked.

use super::{Act, Current, Desk, Listening, Stage, Then, Told, Topic};
use crate::line::{Line, Spoilt};
use crate::question::{Offered, Question};
use crate::reply::{Command, Meaning, Said, Words, said};
use countersign_core::model::redact::holds_secret;
use countersign_core::model::words::Choice;

/// What an answer came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was taken, and this is what it gave.
    Taken(Vec<String>),
    /// Nobody can answer it any more, and why.
    Over(String),
    /// It was not taken, and the request is still open.
    Refused(String),
}

impl Desk {
    pub(super) fn reply(&mut self, line: &Line) {
        if let Some(why) = line.spoilt().filter(|why| why.is_nothing()) {
            self.ask_again(match why {
                Spoilt::Pasted => "that was pasted; an answer is typed. Nothing was answered",
                Spoilt::Broken => "that held something that is no key. Nothing was answered",
                Spoilt::Cut => "you were typing when this was shown. Nothing was answered",
                Spoilt::AtOnce | Spoilt::Fast | Spoilt::Disturbed => {
                    "that came faster than anybody types. Nothing was answered"
                }
            });
            return;
        }
        if !line.has_typed_head() {
            self.ask_again("that came faster than anybody types. Nothing was answered");
            return;
        }
        match (said(line.text()), self.topic()) {
            (Said::Nothing, _) => self.nothing(),
            (said, Some(Topic::Request(id))) if self.is_confirming() => {
                self.second(&id, &said, line.spoilt());
            }
            (Said::Command(command), _) => self.command(command),
            (Said::Words(_) | Said::Other(_), None) => {
                self.said("nothing is asked; /help says what can be typed");
            }
            (Said::Words(words), Some(Topic::Often(agent))) => self.often(&agent, &words),
            (said, Some(Topic::Request(id))) if self.is_field(&id, &said, line.text()) => {
                self.field(&id, line.text(), line.spoilt());
            }
            (Said::Words(words), Some(Topic::Request(id))) => self.words(&id, words, line.spoilt()),
            (Said::NoCommand(text), _) => {
                self.said(&format!("`{text}` is no command; /help lists them"));
            }
            (Said::Other(_), Some(Topic::Often(_))) => {
                self.said("say pause or review");
            }
            (Said::Other(_), Some(Topic::Request(_))) if line.spoilt().is_some() => {
                self.ask_again("something came while you typed. Nothing was answered");
            }
            (Said::Other(text), Some(Topic::Request(id))) => self.unclear(&id, &text),
        }
    }

    fn topic(&self) -> Option<Topic> {
        self.current.as_ref().map(|current| current.topic.clone())
    }

    fn question(&self, id: &str) -> Option<Question> {
        self.questions.iter().find(|question| question.request == id).cloned()
    }

    /// Enter alone never decides.
    fn nothing(&mut self) {
        let Some(current) = &mut self.current else { return };
        if !current.explained {
            current.explained = true;
            self.said("Enter alone decides nothing");
        }
    }

    fn ask_again(&mut self, why: &str) {
        self.said(why);
        self.guard();
    }

    /// Listens only after what is written now was shown, and the keys were still.
    fn guard(&mut self) {
        if let Some(current) = &mut self.current {
            current.listening = Listening::NotYet;
            self.shows = true;
        }
    }

    fn often(&mut self, agent: &str, words: &Words) {
        match words.meaning {
            Meaning::Pause => {
                self.acts.push(Act::Command(Command::Pause(agent.to_owned())));
                self.often.review(agent);
                // What waits is shown once this is done.
                self.current = None;
            }
            Meaning::Review => {
                self.often.review(agent);
                self.next();
            }
            Meaning::Yes | Meaning::Choice(_) | Meaning::Stop | Meaning::Later => {
                self.said("say pause or review; nothing was answered");
            }
        }
    }

    fn words(&mut self, id: &str, words: Words, spoilt: Option<Spoilt>) {
        let Some(question) = self.question(id) else { return };
        if let Some(named) = &words.id
            && !question.request.ends_with(named.as_str())
        {
            self.other_one(&named.clone());
            return;
        }
        if holds_secret(&words.note) {
            self.said("the note looks like it holds a secret: it would go to the agent and into the record. Nothing was answered");
            return;
        }
        match words.meaning {
            Meaning::Choice(Choice::Decline) => {
                self.choose(&question, Choice::Decline, &words.note);
            }
            Meaning::Stop => {
                let all = vec![Choice::Decline; question.items.len()];
                self.tell(&question, &all, (&words.note, None, Then::Stop));
            }
            Meaning::Later => self.later(id),
            Meaning::Pause | Meaning::Review => {
                self.said("that is for an agent that asks very often; /pause AGENT pauses one");
            }
            Meaning::Yes => {
                let choice = self.plain_yes(&question);
                self.yes(&question, choice, (&words.note, spoilt));
            }
            Meaning::Choice(choice) => self.yes(&question, choice, (&words.note, spoilt)),
        }
    }

    fn is_confirming(&self) -> bool {
        matches!(self.current, Some(Current { stage: Stage::Confirming(..), .. }))
    }

    /// The second confirmation: a yes, or nothing.
    fn second(&mut self, id: &str, said: &Said, spoilt: Option<Spoilt>) {
        let Some(question) = self.question(id) else { return };
        match said {
            Said::Words(Words { meaning: Meaning::Yes, note, id: None }) if note.is_empty() => {
                self.confirmed(&question, spoilt);
            }
            _ => {
                self.said("that does not confirm it; the request stays open");
                self.show_current();
            }
        }
    }

    fn given(&self) -> (Vec<Choice>, String) {
        match self.current.as_ref().map(|current| &current.stage) {
            Some(Stage::Asking(given, note) | Stage::Confirming(given, note)) => {
                (given.clone(), note.clone())
            }
            None => (Vec::new(), String::new()),
        }
    }

    fn plain_yes(&self, question: &Question) -> Choice {
        let at = self.given().0.len();
        question.items.get(at).map_or(Choice::Once, |item| item.yes)
    }

    fn yes(&mut self, question: &Question, choice: Choice, (note, spoilt): (&str, Option<Spoilt>)) {
        if self.spoils_yes(spoilt) {
            return;
        }
        if let Some((what, typed)) = &question.confirm {
            let line = format!("this is critical: to say yes, type the {what}: {typed}");
            self.said(&line);
            return;
        }
        self.choose(question, choice, note);
    }

    fn spoils_yes(&mut self, spoilt: Option<Spoilt>) -> bool {
        match spoilt {
            None => return false,
            Some(Spoilt::Disturbed) => {
                self.ask_again("something came while you typed; a yes has to be typed again");
            }
            Some(_) => self.ask_again("that came faster than anybody types; type a yes by hand"),
        }
        true
    }

    /// One choice for the thing that is asked now.
    fn choose(&mut self, question: &Question, choice: Choice, note: &str) {
        let (mut given, mut notes) = self.given();
        let Some(item) = question.items.get(given.len()) else { return };
        if !item.offers.iter().any(|(offered, _)| *offered == choice) {
            let offered: Vec<&str> = item.offers.iter().map(|(choice, _)| choice.word()).collect();
            let offered = offered.join(", ");
            self.said(&format!("{choice} is not offered here, only {offered}; it stays open"));
            return;
        }
        given.push(choice);
        if !note.is_empty() {
            notes = [notes.as_str(), note].join(" ").trim().to_owned();
        }
        if given.len() < question.items.len() {
            self.set_stage(Stage::Asking(given, notes));
            self.guard();
            return;
        }
        if twice(question, &given) {
            self.said("that would hold in the whole project, at high risk: it counts only if you confirm it");
            self.set_stage(Stage::Confirming(given, notes));
            self.guard();
            return;
        }
        self.tell(question, &given, (&notes, None, Then::GoOn));
    }

    fn set_stage(&mut self, stage: Stage) {
        if let Some(current) = &mut self.current {
            current.stage = stage;
        }
    }

    fn confirmed(&mut self, question: &Question, spoilt: Option<Spoilt>) {
        if self.spoils_yes(spoilt) {
            return;
        }
        let (given, note) = self.given();
        self.tell(question, &given, (&note, Some("yes".to_owned()), Then::GoOn));
    }

    /// Whether this is what a critical card asks to be typed.
    /// A word that says something else anyway needs `once` before it.
    fn is_field(&self, id: &str, said: &Said, text: &str) -> bool {
        let field = self.question(id).and_then(|question| question.confirm);
        let text = text.trim();
        field.is_some_and(|(_, typed)| match said {
            Said::Other(_) | Said::NoCommand(_) => {
                text == typed || text.strip_prefix("once ") == Some(&typed)
            }
            Said::Words(words) => words.id.is_some() && text.strip_prefix("once ") == Some(&typed),
            Said::Nothing | Said::Command(_) => false,
        })
    }

    fn field(&mut self, id: &str, text: &str, spoilt: Option<Spoilt>) {
        let Some(question) = self.question(id) else { return };
        if self.spoils_yes(spoilt) {
            return;
        }
        let text = text.trim();
        let typed = question.confirm.as_ref().map_or("", |(_, typed)| typed).to_owned();
        if !text.ends_with(&typed) {
            return;
        }
        let once = vec![Choice::Once; question.items.len()];
        self.tell(&question, &once, ("", Some(typed), Then::GoOn));
    }

    /// Not understood: asked once more, then declined.
    fn unclear(&mut self, id: &str, text: &str) {
        let Some(question) = self.question(id) else { return };
        let Some(current) = &mut self.current else { return };
        current.unclear = current.unclear.saturating_add(1);
        if current.unclear > 1 {
            self.said("that is no answer either; it counts as a no");
            let all = vec![Choice::Decline; question.items.len()];
            self.tell(&question, &all, ("", None, Then::GoOn));
            return;
        }
        let offers = question.items.iter().flat_map(|item| &item.offers);
        let mut words: Vec<&str> = offers.map(|(choice, _)| choice.word()).collect();
        words.dedup();
        let words = words.join(", ");
        let again = format!("`{text}` is no answer; say one of {words}. Once more unclear is a no");
        self.ask_again(&again);
    }

    fn later(&mut self, id: &str) {
        if let Some(at) = self.questions.iter().position(|question| question.request == id) {
            let question = self.questions.remove(at);
            self.questions.push(question);
            self.said("later; it stays open");
            self.next();
        }
    }

    /// Another request was named: it is shown, and answered only then.
    pub(super) fn other_one(&mut self, named: &str) {
        let fits = |question: &&Question| question.request.ends_with(named);
        let found: Vec<String> =
            self.questions.iter().filter(fits).map(|question| question.request.clone()).collect();
        match found.as_slice() {
            [one] => {
                self.said("that one was not shown last; nothing was answered yet");
                self.take_up(one);
            }
            [] => self.said(&format!("nothing that waits here is called {named}")),
            _ => self.said(&format!("several are called {named}; type more of it")),
        }
    }

    fn tell(
        &mut self,
        question: &Question,
        choices: &[Choice],
        (note, confirm, then): (&str, Option<String>, Then),
    ) {
        let actions = question.items.iter().map(|item| item.action.clone());
        self.acts.push(Act::Answer(Told {
            request: question.request.clone(),
            digest: question.digest.clone(),
            choices: actions.zip(choices.iter().copied()).collect(),
            note: note.to_owned(),
            confirm,
            then,
        }));
        // Until it is settled nothing more is heard.
        if let Some(current) = &mut self.current {
            current.listening = Listening::NotYet;
        }
    }

    /// What an answer came to.
    pub fn settled(&mut self, request: &str, outcome: Outcome) {
        match outcome {
            Outcome::Taken(lines) => lines.iter().for_each(|line| self.said(line)),
            Outcome::Over(why) => self.said(&why),
            Outcome::Refused(why) => {
                self.said(&format!("{why}; the request stays open"));
                self.show_current();
                return;
            }
        }
        if let Some(at) = self.questions.iter().position(|question| question.request == request) {
            self.remove(at);
        }
    }
}

fn twice(question: &Question, given: &[Choice]) -> bool {
    question.items.iter().zip(given).any(|(item, choice)| {
        *choice != Choice::Decline && item.offers.contains(&(*choice, Offered::Twice))
    })
}
