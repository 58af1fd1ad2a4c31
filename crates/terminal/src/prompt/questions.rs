//! The queue of questions: which are open, which one is active, and when they are shown.

use super::bursts::QuestionPace;
use super::{
    ActiveQuestion, DeliverySubject, InputGate, InputMode, Prompt, PromptTask, ReportedAnswer,
};
use crate::limits;
use crate::question::PromptQuestion;
use countersign_core::model::delivery::Evidence;
use countersign_core::model::words::Ending;
use std::cmp::Ordering;
use std::time::Duration;

impl Prompt {
    pub(super) fn add_question(&mut self, question: PromptQuestion) {
        let id = &question.request;
        if let Some(known) = self.questions.iter_mut().find(|known| known.request == *id) {
            if *known == question {
                return;
            }
            *known = question.clone();
            if self.is_active(id) {
                self.report_message(&format!("{} has changed", self.short_id(&question.request)));
                self.show_active();
            }
            return;
        }
        if self.questions.len() >= limits::MAX_QUESTIONS {
            self.write_line("too many open requests to show here; `countersign ls` lists them");
            return;
        }
        let pace = self.bursts.record_question(&question, self.now);
        self.questions.push(question.clone());
        match self.input_mode {
            InputMode::DisplayOnly => self.display_question(&question, pace),
            InputMode::Interactive => self.queue_question(&question, pace),
        }
    }

    /// Cards of an agent that asks too often take one line each.
    fn display_question(&mut self, question: &PromptQuestion, pace: QuestionPace) {
        match pace {
            QuestionPace::Single => self.write_card(question),
            QuestionPace::Burst => self.write_shortened(&question.announcement),
        }
        self.report_delivery(&question.request, Evidence::Requested);
    }

    /// Shows the question if no other is active, or announces it.
    fn queue_question(&mut self, question: &PromptQuestion, pace: QuestionPace) {
        self.ring();
        self.disturb_line();
        if self.active.is_none() {
            self.show_next(0);
            return;
        }
        match (self.layout)().width() {
            // The prompt counts it, or the screen lists it.
            Some(_) => self.redraw_prompt(),
            None if pace == QuestionPace::Burst => {}
            None => self.announce(question),
        }
        self.report_delivery(&question.request, Evidence::Queued);
    }

    /// Names a request that arrived above the active question, which stays. Many are only counted.
    fn announce(&mut self, question: &PromptQuestion) {
        let Some(active) = &mut self.active else { return };
        active.announced += 1;
        let announced = active.announced;
        let (id, announcement) = (self.short_id(&question.request), &question.announcement);
        match announced.cmp(&limits::MAX_ANNOUNCED_ARRIVALS) {
            Ordering::Less | Ordering::Equal => {
                let line = format!("next, {id}: {announcement}");
                self.write_shortened(&line);
            }
            Ordering::Greater if announced == limits::MAX_ANNOUNCED_ARRIVALS + 1 => {
                self.write_line("more requests arrive; /ls lists them");
            }
            Ordering::Greater => {}
        }
    }

    pub(super) fn report_delivery(&mut self, request: &str, evidence: Evidence) {
        let subject = DeliverySubject::Request(request.to_owned());
        self.tasks.push(PromptTask::ReportDelivery { subject, evidence });
    }

    fn is_active(&self, request: &str) -> bool {
        self.active.as_ref().is_some_and(|active| active.request == request)
    }

    /// Shows the question at this place, or the last one.
    pub(super) fn show_next(&mut self, index: usize) {
        let index = index.min(self.questions.len().saturating_sub(1));
        let next = self.questions.get(index).map(|question| question.request.clone());
        self.activate(next);
    }

    pub(super) fn activate(&mut self, request: Option<String>) {
        let is_same = self.active.as_ref().map(|active| &active.request) == request.as_ref();
        self.restart_card();
        if !is_same {
            self.close_details();
        }
        self.active = request.map(ActiveQuestion::new);
        match self.active {
            Some(_) => self.show_active(),
            None => self.write_held(),
        }
    }

    /// Shows the active question from the start. It accepts input after `mark_shown`.
    pub(super) fn show_active(&mut self) {
        self.discard_line();
        self.restart_card();
        let Some(active) = &mut self.active else { return };
        let request = active.request.clone();
        *active = ActiveQuestion::new(request.clone());
        let Some(question) = self.find_question(&request).cloned() else {
            self.active = None;
            return;
        };
        self.write_card(&question);
        // A full screen reports it when all rows were drawn.
        if !self.is_full_screen() {
            self.report_delivery(&request, Evidence::Requested);
        }
        self.shows_question = true;
    }

    /// All output was written at this time.
    pub fn mark_shown(&mut self, now: Duration) {
        self.shows_question = false;
        if let Some(active) = &mut self.active
            && active.gate == InputGate::Closed
        {
            active.gate = InputGate::OpensAt(now + limits::QUIET_PERIOD);
        }
    }

    pub(super) fn handle_reported_answer(&mut self, answer: &ReportedAnswer) {
        let request = &answer.request;
        let index = self.questions.iter().position(|question| question.request == *request);
        let Some(index) = index else { return };
        let Some(ending) = answer.ending else {
            self.tasks.push(PromptTask::FetchRequest(request.clone()));
            return;
        };
        let (id, at) = (self.short_id(request), &answer.at);
        let surface = answer.surface.as_deref().unwrap_or("another surface");
        self.report_message(&match ending {
            Ending::Approved | Ending::Declined => {
                format!("{id} was answered on {surface} at {at}: {ending}")
            }
            Ending::Cancelled => format!("{id} was withdrawn at {at}"),
            Ending::Expired => format!("{id} expired at {at}; nothing was allowed"),
        });
        self.remove_question(index);
    }

    pub(super) fn remove_question(&mut self, index: usize) {
        let removed = self.questions.remove(index);
        if self.is_active(&removed.request) {
            self.active = None;
            self.show_next(index);
        } else if !self.is_full_screen() {
            self.redraw_prompt();
        }
    }

    pub(super) fn handle_connection_lost(&mut self, why: &str) {
        if self.is_connected {
            self.is_connected = false;
            self.report_message(&format!(
                "lost the daemon ({why}), reconnecting; open requests stay open"
            ));
        }
    }

    pub(super) fn handle_connection_restored(&mut self, open_requests: Option<&[String]>) {
        if !self.is_connected {
            self.is_connected = true;
            self.report_message(match open_requests {
                None => "the daemon is back; nothing was missed",
                Some(_) => "the daemon is back; what happened meanwhile is not shown",
            });
        }
        let Some(open) = open_requests else { return };
        while let Some(index) = self.questions.iter().position(|q| !open.contains(&q.request)) {
            let id = self.questions.get(index).map(|question| self.short_id(&question.request));
            self.report_message(&format!("{} is no longer open", id.unwrap_or_default()));
            self.remove_question(index);
        }
    }
}

impl ActiveQuestion {
    fn new(request: String) -> Self {
        Self {
            request,
            gate: InputGate::Closed,
            choices: Vec::new(),
            note: String::new(),
            is_confirming: false,
            is_enter_explained: false,
            announced: 0,
        }
    }
}
