//! Turns a typed line into an answer to the active question.

use super::confirmations::needs_confirmation;
use super::{AfterAnswer, AnswerOutcome, InputGate, Prompt, PromptTask, Topic, TypedAnswer};
use crate::line_buffer::{LineBuffer, LineDefect};
use crate::parse::{ParsedLine, ParsedReply, ReplyMeaning, SlashCommand, parse_line};
use crate::question::PromptQuestion;
use countersign_core::model::redact::holds_secret;
use countersign_core::model::words::Choice;

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
        let topic = self.active.as_ref().map(|active| active.topic.clone());
        match (parse_line(line.text()), topic) {
            (ParsedLine::Empty, _) => self.explain_enter(),
            (parsed, Some(Topic::Request(id))) if self.is_confirming() => {
                self.handle_confirmation(&id, &parsed, defect);
            }
            (ParsedLine::Command(command), _) => self.run_command(command),
            (ParsedLine::Reply(_) | ParsedLine::Other(_), None) => {
                self.write_line("no question is open; /help lists what you can type");
            }
            (ParsedLine::Reply(reply), Some(Topic::Burst(agent))) => {
                self.answer_burst(&agent, reply.meaning);
            }
            (parsed, Some(Topic::Request(id)))
                if self.is_critical_confirmation(&id, &parsed, line.text()) =>
            {
                self.approve_critical(&id, defect);
            }
            (ParsedLine::Reply(reply), Some(Topic::Request(id))) => {
                self.handle_reply(&id, reply, defect);
            }
            (ParsedLine::UnknownCommand(text), _) => {
                self.write_line(&format!("`{text}` is not a command; /help lists the commands"));
            }
            (ParsedLine::Other(_), Some(Topic::Burst(_))) => {
                self.write_line("type pause or review");
            }
            (ParsedLine::Other(_), Some(Topic::Request(_))) if defect.is_some() => {
                self.reject_line("something appeared while you typed. Nothing was answered");
            }
            (ParsedLine::Other(text), Some(Topic::Request(id))) => {
                self.handle_unclear(&id, &text);
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

    fn reject_line(&mut self, why: &str) {
        self.write_line(why);
        self.close_gate();
    }

    /// Accepts input again after the current output was shown and the keys were quiet.
    fn close_gate(&mut self) {
        if let Some(active) = &mut self.active {
            active.gate = InputGate::Closed;
            self.shows_question = true;
        }
    }

    fn answer_burst(&mut self, agent: &str, meaning: ReplyMeaning) {
        match meaning {
            ReplyMeaning::Pause => {
                let command = SlashCommand::Pause(agent.to_owned());
                self.tasks.push(PromptTask::RunCommand(command));
                self.bursts.start_review(agent);
                // The next question is shown when the result of the command arrives.
                self.active = None;
            }
            ReplyMeaning::Review => {
                self.bursts.start_review(agent);
                self.show_next();
            }
            ReplyMeaning::Yes
            | ReplyMeaning::Choice(_)
            | ReplyMeaning::Stop
            | ReplyMeaning::Later => {
                self.write_line("type pause or review; nothing was answered");
            }
        }
    }

    fn handle_reply(&mut self, id: &str, reply: ParsedReply, defect: Option<LineDefect>) {
        let Some(question) = self.find_question(id).cloned() else { return };
        let ParsedReply { meaning, note, id_suffix } = reply;
        if let Some(suffix) = id_suffix
            && !question.request.ends_with(&suffix)
        {
            self.show_named(&suffix);
            return;
        }
        if holds_secret(&note) {
            self.write_line(
                "the note looks like it contains a secret: it would go to the agent and into the record. Nothing was answered",
            );
            return;
        }
        match meaning {
            ReplyMeaning::Choice(Choice::Decline) => {
                self.choose(&question, Choice::Decline, &note);
            }
            ReplyMeaning::Stop => {
                let answer = TypedAnswer::uniform(&question, Choice::Decline);
                self.send_answer(TypedAnswer { note, after: AfterAnswer::StopSession, ..answer });
            }
            ReplyMeaning::Later => self.postpone(id),
            ReplyMeaning::Pause | ReplyMeaning::Review => {
                self.write_line("this answers only an agent that asks too often; to pause an agent, type /pause AGENT");
            }
            ReplyMeaning::Yes => {
                let answered = self.active.as_ref().map_or(0, |active| active.choices.len());
                let yes = question.items.get(answered).map_or(Choice::Once, |item| item.yes);
                self.approve(&question, yes, &note, defect);
            }
            ReplyMeaning::Choice(choice) => self.approve(&question, choice, &note, defect),
        }
    }

    fn approve(
        &mut self,
        question: &PromptQuestion,
        choice: Choice,
        note: &str,
        defect: Option<LineDefect>,
    ) {
        if self.rejects_yes(defect) {
            return;
        }
        if let Some(confirm) = &question.confirm {
            let (what, typed) = (&confirm.what, &confirm.typed);
            self.write_line(&format!("this is critical: to say yes, type the {what}: {typed}"));
            return;
        }
        self.choose(question, choice, note);
    }

    /// Rejects a yes on a line with a defect, and says so.
    pub(super) fn rejects_yes(&mut self, defect: Option<LineDefect>) -> bool {
        match defect {
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

    /// Records a choice for the next item, and sends the answer after the last one.
    fn choose(&mut self, question: &PromptQuestion, choice: Choice, note: &str) {
        let Some(active) = &mut self.active else { return };
        let Some(item) = question.items.get(active.choices.len()) else { return };
        if !item.offers.iter().any(|(offered, _)| *offered == choice) {
            let offers: Vec<&str> = item.offers.iter().map(|(choice, _)| choice.word()).collect();
            let offers = offers.join(", ");
            self.write_line(&format!(
                "{choice} is not offered here, only {offers}; the request stays open"
            ));
            return;
        }
        active.choices.push(choice);
        active.note = [active.note.as_str(), note].join(" ").trim().to_owned();
        if active.choices.len() < question.items.len() {
            self.close_gate();
        } else if needs_confirmation(question, &active.choices) {
            active.is_confirming = true;
            self.write_line("this allows something of high risk in the whole project; it counts only if you confirm it");
            self.close_gate();
        } else {
            self.send_choices(question, None);
        }
    }

    /// The first unclear reply is asked again, the second declines.
    fn handle_unclear(&mut self, id: &str, text: &str) {
        let Some(question) = self.find_question(id).cloned() else { return };
        let Some(active) = &mut self.active else { return };
        active.unclear_replies = active.unclear_replies.saturating_add(1);
        if active.unclear_replies > 1 {
            self.write_line("that is not an answer either; it counts as a no");
            self.send_answer(TypedAnswer::uniform(&question, Choice::Decline));
            return;
        }
        let offers = question.items.iter().flat_map(|item| &item.offers);
        let mut words: Vec<&str> = offers.map(|(choice, _)| choice.word()).collect();
        words.dedup();
        let words = words.join(", ");
        self.reject_line(&format!(
            "`{text}` is not an answer; type one of {words}. A second unclear reply counts as a no"
        ));
    }

    fn postpone(&mut self, id: &str) {
        if let Some(index) = self.questions.iter().position(|question| question.request == id) {
            let question = self.questions.remove(index);
            self.questions.push(question);
            self.write_line("postponed; the request stays open");
            self.show_next();
        }
    }

    /// Shows the request that the operator named. It can be answered only after that.
    pub(super) fn show_named(&mut self, suffix: &str) {
        let ids = self.questions.iter().map(|question| &question.request);
        let matching: Vec<String> = ids.filter(|id| id.ends_with(suffix)).cloned().collect();
        match matching.as_slice() {
            [id] => {
                self.write_line("that request was not shown last; nothing was answered yet");
                self.activate(Some(Topic::Request(id.clone())));
            }
            [] => self.write_line(&format!("no open request ends with {suffix}")),
            _ => {
                self.write_line(&format!("several requests end with {suffix}; type more of the id"))
            }
        }
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
            AnswerOutcome::Accepted(lines) => lines.iter().for_each(|line| self.write_line(line)),
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
    fn new(question: &PromptQuestion, choices: &[Choice]) -> Self {
        let actions = question.items.iter().map(|item| item.action.clone());
        Self {
            request: question.request.clone(),
            digest: question.digest.clone(),
            choices: actions.zip(choices.iter().copied()).collect(),
            note: String::new(),
            confirm: None,
            after: AfterAnswer::Continue,
        }
    }

    /// The same choice for every item.
    pub(super) fn uniform(question: &PromptQuestion, choice: Choice) -> Self {
        Self::new(question, &vec![choice; question.items.len()])
    }
}
