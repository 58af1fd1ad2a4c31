//! Answers what the operator asks about the active card. Nothing here decides.

use super::screen::CardDetail;
use super::{Prompt, PromptTask};
use crate::layout::{list_offers, offer_words};
use crate::parse::OperatorQuery;

impl Prompt {
    pub(super) fn answer_query(&mut self, id: &str, query: OperatorQuery) {
        match query {
            OperatorQuery::Help if self.is_full_screen() => self.show_help(),
            OperatorQuery::Why if self.is_full_screen() => self.toggle_detail(CardDetail::Why),
            OperatorQuery::Coverage if self.is_full_screen() => {
                self.toggle_detail(CardDetail::Offers);
            }
            OperatorQuery::Coverage => self.list_coverage(id),
            OperatorQuery::Help => self.explain_choices(id),
            OperatorQuery::Why => self.explain_request(id),
            OperatorQuery::Scope => self.ask_for_scope(id),
            OperatorQuery::Whole => self.tasks.push(PromptTask::ShowWhole(id.to_owned())),
        }
    }

    fn list_coverage(&mut self, id: &str) {
        let Some(question) = self.find_question(id).cloned() else { return };
        for item in question.items() {
            if question.items().len() > 1 {
                self.write_line(&format!("{}:", item.action));
            }
            list_offers(item).iter().for_each(|line| self.write_line(line));
        }
    }

    fn explain_choices(&mut self, id: &str) {
        self.list_coverage(id);
        let Some(question) = self.find_question(id).cloned() else { return };
        if let Some(confirm) = &question.view.card.confirm {
            self.write_line(&format!("to allow, type the {}: {}", confirm.what, confirm.typed));
        }
        for line in [
            "n: reason: no, and the reason goes to the agent",
            "stop: no, and the session's permissions end",
            "later: answer the next question first; this one stays open",
            "v: everything that the agent sent; w: why you are asked",
            "/help: what else you can type",
        ] {
            self.write_line(line);
        }
    }

    fn explain_request(&mut self, id: &str) {
        let Some(question) = self.find_question(id).cloned() else { return };
        for why in &question.view.card.why {
            self.write_line(&format!("asked because {why}"));
        }
        let short = self.short_id(id);
        self.write_line(&format!("`countersign why {short}` tells more"));
    }

    fn ask_for_scope(&mut self, id: &str) {
        let Some(question) = self.find_question(id).cloned() else { return };
        if let Some(confirm) = &question.view.card.confirm {
            let (what, typed) = (&confirm.what, &confirm.typed);
            self.reject_line(&format!("this is critical: to allow it, type the {what}: {typed}"));
            return;
        }
        let answered = self.active.as_ref().map_or(0, |active| active.choices.len());
        let words = question.items().get(answered).map(offer_words).unwrap_or_default();
        self.reject_line(&format!("for how long? {}, or n for no", words.join(", ")));
    }
}
