//! Sentences of the conversation, typed at the prompt. They go to the session of the card that is
//! shown, and answer no card.
//!
//! See docs/decisions/0066-sentences-at-the-prompt.md.

use super::{Prompt, PromptTask};
use crate::line_buffer::LineDefect;
use crate::parse::{ConsentPhrase, PhraseEffect, SlashCommand};

impl Prompt {
    pub(super) fn say_phrase(
        &mut self,
        phrase: &ConsentPhrase,
        active: Option<String>,
        defect: Option<LineDefect>,
    ) {
        // What loosens has to be typed as carefully as a yes.
        if phrase.effect == PhraseEffect::Loosens && self.rejects_yes(defect) {
            return;
        }
        let session = match active {
            Some(id) => {
                if let Some(typed) = self.find_confirmation(&id, &phrase.text) {
                    self.reject_line(&format!(
                        "that is also a sentence of its own: to allow the call, type: once {typed}. Nothing was answered"
                    ));
                    return;
                }
                self.find_session(&id)
            }
            None => None,
        };
        let words = phrase.text.clone();
        self.tasks.push(PromptTask::RunCommand(SlashCommand::Say { session, words }));
    }

    /// The text that a critical card asks for, if this is it.
    fn find_confirmation(&self, request: &str, text: &str) -> Option<String> {
        let confirm = self.find_question(request)?.view.card.confirm.as_ref()?;
        (confirm.typed == text).then(|| confirm.typed.clone())
    }

    /// The session of a request, as `AGENT/NAME`.
    fn find_session(&self, request: &str) -> Option<String> {
        let question = self.find_question(request)?;
        Some(format!("{}/{}", question.agent, question.view.card.session()?))
    }
}
