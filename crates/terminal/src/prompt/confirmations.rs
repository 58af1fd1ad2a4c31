//! Confirmations: the second yes to a broad choice, and the text that approves a critical request.

use super::{Prompt, TypedAnswer, TypedChoice};
use crate::line_buffer::LineDefect;
use crate::parse::{ParsedLine, ParsedReply, ReplyMeaning};
use crate::question::PromptQuestion;
use countersign_card::SecondConfirmation;
use countersign_core::model::words::Choice;

impl Prompt {
    pub(super) fn is_confirming(&self) -> bool {
        self.active.as_ref().is_some_and(|active| active.is_confirming)
    }

    /// Only a plain yes confirms. Another reply goes back to the card, and what is no reply is asked
    /// again.
    pub(super) fn handle_confirmation(
        &mut self,
        id: &str,
        parsed: &ParsedLine,
        defect: Option<LineDefect>,
    ) {
        let Some(question) = self.find_question(id).cloned() else { return };
        let is_yes = matches!(parsed, ParsedLine::Reply(ParsedReply {
            meaning: ReplyMeaning::Yes, note, id_beginning: None,
        }) if note.is_empty());
        if matches!(parsed, ParsedLine::Query(_) | ParsedLine::Other(_)) {
            self.reject_line("type yes to confirm it, or n to choose again; nothing was answered");
            return;
        }
        if !is_yes {
            self.write_line("that does not confirm it; the request stays open");
            self.show_active();
            return;
        }
        if !self.rejects_yes(defect) {
            self.send_choices(&question, Some("yes".to_owned()));
        }
    }

    /// Whether this is the text that a critical card asks for. Text that also has another meaning
    /// needs `once` before it.
    pub(super) fn is_critical_confirmation(
        &self,
        id: &str,
        parsed: &ParsedLine,
        text: &str,
    ) -> bool {
        let question = self.find_question(id);
        let Some(confirm) = question.and_then(|question| question.view.card.confirm.as_ref())
        else {
            return false;
        };
        let text = text.trim();
        let is_after_once = text.strip_prefix("once ") == Some(&confirm.typed);
        match parsed {
            ParsedLine::Other(_) | ParsedLine::UnknownCommand(_) => {
                text == confirm.typed || is_after_once
            }
            ParsedLine::Reply(reply) => reply.id_beginning.is_some() && is_after_once,
            ParsedLine::Empty
            | ParsedLine::Query(_)
            | ParsedLine::Command(_)
            | ParsedLine::ConsentPhrase(_) => false,
        }
    }

    pub(super) fn approve_critical(&mut self, id: &str, defect: Option<LineDefect>) {
        let Some(question) = self.find_question(id).cloned() else { return };
        if self.rejects_yes(defect) {
            return;
        }
        let answer = TypedAnswer::uniform(&question, Choice::Once);
        let confirm = question.view.card.confirm.map(|confirm| confirm.typed);
        self.send_answer(TypedAnswer { confirm, ..answer });
    }
}

pub(super) fn needs_confirmation(question: &PromptQuestion, choices: &[TypedChoice]) -> bool {
    question.items().iter().zip(choices).any(|(item, typed)| {
        typed.choice != Choice::Decline
            && item.offers.iter().any(|offer| {
                typed.is_offered_by(offer) && offer.second == SecondConfirmation::Needed
            })
    })
}
