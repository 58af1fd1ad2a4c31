//! The queue of questions: which are open, which one is active, and when they are shown.

use super::bursts::BurstPhase;
use super::{
    ActiveQuestion, DeliverySubject, InputGate, InputMode, Prompt, PromptTask, ReportedAnswer,
    Topic,
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
                self.write_line(&format!("{} has changed", self.short_id(&question.request)));
                self.show_active();
            }
            return;
        }
        if self.questions.len() >= limits::MAX_QUESTIONS {
            self.write_line("too many open requests to show here; `countersign ls` lists them");
            return;
        }
        let burst = self.bursts.record_question(&question);
        self.questions.push(question.clone());
        match self.input_mode {
            InputMode::DisplayOnly => self.display_question(&question, burst),
            InputMode::Interactive => self.queue_question(&question, burst),
        }
    }

    fn display_question(&mut self, question: &PromptQuestion, burst: BurstPhase) {
        match burst {
            BurstPhase::None => self.write_card(question),
            BurstPhase::Starts => self.write_burst_card(&question.agent),
            BurstPhase::Continues => {}
        }
        self.report_delivery(&question.request, Evidence::Requested);
    }

    /// Shows the question if no other is active, or announces it.
    fn queue_question(&mut self, question: &PromptQuestion, burst: BurstPhase) {
        let agent = &question.agent;
        match (burst, &self.active) {
            (_, None) => self.show_next(),
            (BurstPhase::Starts, Some(_)) => {
                let asked = self.bursts.count_recent(agent);
                self.write_line(&format!(
                    "{agent} asked {asked} times in a minute; its questions become one card"
                ));
            }
            (BurstPhase::Continues, Some(_)) => self.redraw_prompt(),
            (BurstPhase::None, Some(_)) => {
                self.announce(question);
                self.report_delivery(&question.request, Evidence::Queued);
            }
        }
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
            Ordering::Greater => self.redraw_prompt(),
        }
    }

    fn report_delivery(&mut self, request: &str, evidence: Evidence) {
        let subject = DeliverySubject::Request(request.to_owned());
        self.tasks.push(PromptTask::ReportDelivery { subject, evidence });
    }

    fn is_active(&self, request: &str) -> bool {
        let active = self.active.as_ref();
        matches!(active.map(|active| &active.topic), Some(Topic::Request(id)) if id == request)
    }

    pub(super) fn show_next(&mut self) {
        let topic = match self.bursts.first_agent(&self.questions) {
            Some(agent) => Some(Topic::Burst(agent)),
            None => self.questions.first().map(|first| Topic::Request(first.request.clone())),
        };
        self.activate(topic);
    }

    pub(super) fn activate(&mut self, topic: Option<Topic>) {
        self.active = topic.map(ActiveQuestion::new);
        self.show_active();
    }

    /// Shows the active question from the start. It accepts input after `mark_shown`.
    pub(super) fn show_active(&mut self) {
        self.discard_line();
        let Some(active) = &mut self.active else { return };
        let topic = active.topic.clone();
        *active = ActiveQuestion::new(topic.clone());
        match &topic {
            Topic::Burst(agent) => self.write_burst_card(agent),
            Topic::Request(id) => {
                let index = self.questions.iter().position(|question| question.request == *id);
                let Some(question) = index.and_then(|at| self.questions.get(at)).cloned() else {
                    self.active = None;
                    return;
                };
                self.write_card(&question);
                self.report_delivery(&question.request, Evidence::Requested);
            }
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
        self.write_line(&match ending {
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
        let ends_burst = match self.active.as_ref().map(|active| &active.topic) {
            Some(Topic::Burst(agent)) => !self.questions.iter().any(|open| open.agent == *agent),
            Some(Topic::Request(_)) | None => false,
        };
        if ends_burst || self.is_active(&removed.request) {
            self.active = None;
            self.show_next();
        }
    }

    pub(super) fn handle_connection_lost(&mut self, why: &str) {
        if self.is_connected {
            self.is_connected = false;
            self.write_line(&format!(
                "lost the daemon ({why}), reconnecting; open requests stay open"
            ));
        }
    }

    pub(super) fn handle_connection_restored(&mut self, open_requests: Option<&[String]>) {
        if !self.is_connected {
            self.is_connected = true;
            self.write_line(match open_requests {
                None => "the daemon is back; nothing was missed",
                Some(_) => "the daemon is back; what happened meanwhile is not shown",
            });
        }
        let Some(open) = open_requests else { return };
        while let Some(index) = self.questions.iter().position(|q| !open.contains(&q.request)) {
            let id = self.questions.get(index).map(|question| self.short_id(&question.request));
            self.write_line(&format!("{} is no longer open", id.unwrap_or_default()));
            self.remove_question(index);
        }
    }
}

impl ActiveQuestion {
    fn new(topic: Topic) -> Self {
        Self {
            topic,
            gate: InputGate::Closed,
            choices: Vec::new(),
            note: String::new(),
            is_confirming: false,
            is_enter_explained: false,
            announced: 0,
        }
    }
}
