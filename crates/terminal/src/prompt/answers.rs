//! Turns a typed line into an answer to the active question.

use super::confirmations::needs_confirmation;
use super::{AfterAnswer, AnswerOutcome, InputGate, Prompt, PromptTask, TypedAnswer, TypedChoice};
use crate::layout::cut_to_width;
use crate::limits;
use crate::line_buffer::{LineBuffer, LineDefect};
use crate::parse::{
    OperatorQuery, ParsedLine, ParsedReply, ReplyMeaning, SlashCommand, parse_line,
};
use crate::question::PromptQuestion;
use countersign_card::{CardItem, Offer};
use countersign_core::model::words::{Choice, Covers};
use countersign_redact::holds_secret;

const TOO_FAST: &str = "that came faster than anybody types. Nothing was answered";

impl Prompt {
    pub(super) fn handle_line(&mut self, line: &LineBuffer) {
        let defect = line.defect();
        if let Some(defect) = defect.filter(|defect| defect.is_fatal()) {
            self.reject_line(match defect {
                LineDefect::Pasted => "that was pasted; type the answer. Nothing was answered",
                LineDefect::Invalid => {
                    "the line contained an unreadable key or was too long. Nothing was answered"
                }
                LineDefect::StartedEarly => {
                    "you were typing when this was shown. Nothing was answered"
                }
                LineDefect::ArrivedAtOnce | LineDefect::TooFast | LineDefect::Disturbed => TOO_FAST,
            });
            return;
        }
        if !line.has_typed_head() {
            self.reject_line(TOO_FAST);
            return;
        }
        let active = self.active.as_ref().map(|active| active.request.clone());
        match (parse_line(line.text()), active) {
            (ParsedLine::Empty, _) => self.explain_enter(),
            (ParsedLine::ConsentPhrase(phrase), active) => self.say_phrase(&phrase, active, defect),
            (ParsedLine::Reply(reply), None) if reply.meaning == ReplyMeaning::Stop => {
                let words = line.text().trim().to_owned();
                self.tasks.push(PromptTask::RunCommand(SlashCommand::Say { session: None, words }));
            }
            (ParsedLine::Query(query), Some(id)) if !self.is_confirming() => {
                self.answer_query(&id, query);
            }
            (parsed, Some(id)) if self.is_confirming() => {
                self.handle_confirmation(&id, &parsed, defect);
            }
            (ParsedLine::Command(command), _) => self.run_command(command),
            (ParsedLine::Query(OperatorQuery::Help), None) => self.run_command(SlashCommand::Help),
            (ParsedLine::Reply(_) | ParsedLine::Query(_) | ParsedLine::Other(_), None) => {
                self.write_line("no question is open; /help lists what you can type");
            }
            (parsed, Some(id)) if self.is_critical_confirmation(&id, &parsed, line.text()) => {
                self.approve_critical(&id, defect);
            }
            (ParsedLine::Reply(reply), Some(id)) => self.handle_reply(&id, reply, defect),
            (ParsedLine::UnknownCommand(text), _) => self.handle_unknown_command(&text),
            (ParsedLine::Other(_), Some(_)) if defect.is_some() => {
                self.reject_line("something appeared while you typed. Nothing was answered");
            }
            (ParsedLine::Other(text), Some(id)) => self.handle_unclear(&id, &text),
            // Answered above.
            (ParsedLine::Query(_), Some(_)) => {}
        }
    }

    /// A full screen searches what waits.
    fn handle_unknown_command(&mut self, text: &str) {
        match text.strip_prefix('/').map(str::trim).filter(|_| self.is_full_screen()) {
            Some(words) if !words.is_empty() => self.search(words),
            Some(_) | None => {
                self.write_line(&format!("`{text}` is not a command; /help lists the commands"));
            }
        }
    }

    /// Enter alone never answers. This is explained once per question.
    fn explain_enter(&mut self) {
        let Some(active) = &mut self.active else { return };
        if !active.is_enter_explained {
            active.is_enter_explained = true;
            self.write_line("Enter alone decides nothing");
        }
    }

    pub(super) fn reject_line(&mut self, why: &str) {
        self.write_line(why);
        self.close_gate();
    }

    /// Accepts input again after the current output was shown and the keys were quiet.
    pub(super) fn close_gate(&mut self) {
        if let Some(active) = &mut self.active {
            active.gate = InputGate::Closed;
            self.shows_question = true;
        }
    }

    fn handle_reply(&mut self, id: &str, reply: ParsedReply, defect: Option<LineDefect>) {
        let Some(question) = self.find_question(id).cloned() else { return };
        let ParsedReply { meaning, note, id_beginning } = reply;
        if let Some(beginning) = id_beginning
            && (!question.request.starts_with(&beginning) || self.is_ambiguous(&beginning))
        {
            self.show_named(&beginning);
            return;
        }
        if holds_secret(&note) {
            self.write_line(
                "the note looks like it contains a secret: it would go to the agent and into the record. Nothing was answered",
            );
            return;
        }
        match meaning {
            ReplyMeaning::Stop => {
                let answer = TypedAnswer::uniform(&question, Choice::Decline);
                self.send_answer(TypedAnswer { note, after: AfterAnswer::StopSession, ..answer });
            }
            ReplyMeaning::Later => self.postpone(id),
            ReplyMeaning::Pause => {
                let command = SlashCommand::Pause(question.agent.clone());
                self.tasks.push(PromptTask::RunCommand(command));
            }
            ReplyMeaning::Yes => {
                let answered = self.active.as_ref().map_or(0, |active| active.choices.len());
                let yes = question.items().get(answered).map_or(Choice::Once, |item| item.yes);
                self.choose(&question, TypedChoice::plain(yes), &note, defect);
            }
            ReplyMeaning::Choice(choice) => {
                self.choose(&question, TypedChoice::plain(choice), &note, defect);
            }
            ReplyMeaning::Wider(choice, covers) => {
                let typed = TypedChoice { choice, covers: Some(covers) };
                self.choose(&question, typed, &note, defect);
            }
        }
    }

    /// Rejects a yes on a line with a defect, and says so.
    pub(super) fn rejects_yes(&mut self, defect: Option<LineDefect>) -> bool {
        match defect {
            None if self.hides_card_rows() => {
                self.reject_line("the card goes on below: PgDn shows the rest, then answer");
            }
            None => return false,
            Some(LineDefect::Disturbed) => {
                self.reject_line("something appeared while you typed; type the yes again");
            }
            Some(_) => {
                self.reject_line("that came faster than anybody types; type the yes by hand");
            }
        }
        true
    }

    /// Why a yes to this question does not count as it was typed, if it does not.
    fn rejects_approval(&mut self, question: &PromptQuestion, defect: Option<LineDefect>) -> bool {
        if self.rejects_yes(defect) {
            return true;
        }
        let Some(confirm) = &question.view.card.confirm else { return false };
        let (what, typed) = (&confirm.what, &confirm.typed);
        self.write_line(&format!("this is critical: to allow it, type the {what}: {typed}"));
        true
    }

    /// Records a choice for the next item, and sends the answer after the last one.
    fn choose(
        &mut self,
        question: &PromptQuestion,
        typed: TypedChoice,
        note: &str,
        defect: Option<LineDefect>,
    ) {
        if typed.choice != Choice::Decline && self.rejects_approval(question, defect) {
            return;
        }
        let Some(active) = &mut self.active else { return };
        let Some(item) = question.items().get(active.choices.len()) else { return };
        if !item.offers.iter().any(|offer| typed.is_offered_by(offer)) {
            let name = |offer: &Offer| {
                TypedChoice { choice: offer.choice, covers: item.extra_coverage(offer) }.to_string()
            };
            let offers = item.offers.iter().map(name).collect::<Vec<_>>().join(", ");
            self.write_line(&format!(
                "{typed} is not offered here, only {offers}; the request stays open"
            ));
            return;
        }
        active.choices.push(typed);
        active.note = [active.note.as_str(), note].join(" ").trim().to_owned();
        if active.choices.len() < question.items().len() {
            self.close_gate();
        } else if agree_on_coverage(question, &active.choices).is_none() {
            self.write_line("the items of one card are allowed to the same extent; choose again. Nothing was answered");
            self.show_active();
        } else if needs_confirmation(question, &active.choices) {
            active.is_confirming = true;
            self.write_line("this allows something of high risk in the whole project; it counts only if you confirm it");
            self.close_gate();
        } else {
            self.send_choices(question, None);
        }
    }

    /// The question is put again, however often: unclear words decide nothing.
    fn handle_unclear(&mut self, id: &str, text: &str) {
        let confirm = self.find_question(id).and_then(|found| found.view.card.confirm.clone());
        let text = cut_to_width(text, limits::MAX_NAME_COLUMNS);
        self.reject_line(&match confirm {
            Some(confirm) => format!(
                "didn't understand `{text}`: to allow this, type the {}: {}; to decline, type n",
                confirm.what, confirm.typed
            ),
            None => format!("didn't understand `{text}`: type y, n or ?"),
        });
    }

    fn postpone(&mut self, id: &str) {
        if let Some(index) = self.questions.iter().position(|question| question.request == id) {
            let question = self.questions.remove(index);
            self.questions.push(question);
            self.write_line("postponed; the request stays open");
            self.show_next(index);
        }
    }

    /// Shows the request that the operator named. It can be answered only after that.
    pub(super) fn show_named(&mut self, beginning: &str) {
        let ids = self.questions.iter().map(|question| &question.request);
        let matching: Vec<String> = ids.filter(|id| id.starts_with(beginning)).cloned().collect();
        match matching.as_slice() {
            [id] => {
                self.write_line("that request was not shown last; nothing was answered yet");
                self.activate(Some(id.clone()));
            }
            [] => self.write_line(&format!("the id of no open request starts with {beginning}")),
            several => {
                let short = several.iter().take(limits::MAX_LISTED_IDS).map(|id| self.short_id(id));
                let listed = short.collect::<Vec<_>>().join(", ");
                self.write_line(&format!("{beginning} can be several requests: {listed}"));
            }
        }
    }

    fn is_ambiguous(&self, beginning: &str) -> bool {
        let ids = self.questions.iter().map(|question| &question.request);
        ids.filter(|id| id.starts_with(beginning)).count() > 1
    }

    pub(super) fn send_choices(&mut self, question: &PromptQuestion, confirm: Option<String>) {
        let Some(active) = &self.active else { return };
        let answer = TypedAnswer::new(question, &active.choices);
        let note = active.note.clone();
        self.send_answer(TypedAnswer { note, confirm, ..answer });
    }

    pub(super) fn send_answer(&mut self, answer: TypedAnswer) {
        self.tasks.push(PromptTask::SendAnswer(answer));
        // No input counts until the outcome is known.
        if let Some(active) = &mut self.active {
            active.gate = InputGate::Closed;
        }
    }

    pub fn handle_outcome(&mut self, request: &str, outcome: AnswerOutcome) {
        match outcome {
            AnswerOutcome::Accepted(lines) => {
                self.last_answered = Some(request.to_owned());
                lines.iter().for_each(|line| self.write_line(line));
            }
            AnswerOutcome::RequestClosed(why) => self.write_line(&why),
            AnswerOutcome::Refused(why) => {
                self.write_line(&format!("{why}; the request stays open"));
                self.show_active();
                return;
            }
        }
        let index = self.questions.iter().position(|question| question.request == request);
        if let Some(index) = index {
            self.remove_question(index);
        }
    }
}

impl TypedAnswer {
    fn new(question: &PromptQuestion, choices: &[TypedChoice]) -> Self {
        let actions = question.items().iter().map(|item| item.action.to_string());
        Self {
            request: question.request.clone(),
            digest: question.view.card.digest.clone(),
            choices: actions.zip(choices.iter().map(|typed| typed.choice)).collect(),
            covers: agree_on_coverage(question, choices).flatten(),
            note: String::new(),
            confirm: None,
            after: AfterAnswer::Continue,
        }
    }

    /// The same choice for every item.
    pub(super) fn uniform(question: &PromptQuestion, choice: Choice) -> Self {
        Self::new(question, &vec![TypedChoice::plain(choice); question.items().len()])
    }
}

impl TypedChoice {
    const fn plain(choice: Choice) -> Self {
        Self { choice, covers: None }
    }

    pub(super) fn is_offered_by(&self, offer: &Offer) -> bool {
        offer.choice == self.choice && self.covers.is_none_or(|covers| offer.covers == Some(covers))
    }

    /// How far it goes: what the operator said, or what the choice alone stands for.
    fn coverage(self, item: &CardItem) -> Option<Covers> {
        let first = item.offers.iter().find(|offer| offer.choice == self.choice);
        self.covers.or(first.and_then(|offer| offer.covers))
    }
}

impl std::fmt::Display for TypedChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.covers {
            Some(covers) => write!(f, "{} {covers}", self.choice),
            None => write!(f, "{}", self.choice),
        }
    }
}

/// How far the whole answer goes: what the operator said, or what the choice alone stands for. None if
/// there is nothing that all items offer: an answer has one extent.
fn agree_on_coverage(question: &PromptQuestion, choices: &[TypedChoice]) -> Option<Option<Covers>> {
    let wide = || {
        question.items().iter().zip(choices).filter(|(_, typed)| match typed.choice {
            Choice::Quarter | Choice::Session | Choice::Project => true,
            Choice::Once | Choice::Run | Choice::Decline => false,
        })
    };
    let said = choices.iter().find_map(|typed| typed.covers);
    let Some(first) = said.or_else(|| wide().find_map(|(item, typed)| typed.coverage(item))) else {
        return Some(None);
    };
    let is_shared = wide().all(|(item, typed)| {
        let same = TypedChoice { covers: Some(first), ..*typed };
        item.offers.iter().any(|offer| same.is_offered_by(offer))
    });
    is_shared.then_some(Some(first))
}
