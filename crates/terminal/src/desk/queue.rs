//! What lies on the desk: questions come, are shown in turn, and go.

use super::{Act, Closing, Current, Desk, Heard, Listening, Stage, Topic, What, often};
use crate::limits;
use crate::question::{Question, short};
use countersign_core::model::delivery::Evidence;
use countersign_core::model::words::Ending;
use std::time::Duration;

impl Desk {
    pub(super) fn asked(&mut self, question: Question) {
        if let Some(known) = self.questions.iter_mut().find(|q| q.request == question.request) {
            if *known == question {
                return;
            }
            *known = question.clone();
            if self.is_current(&question.request) {
                self.said(&format!("{} has changed", question.short()));
                self.show_current();
            }
            return;
        }
        if self.questions.len() >= limits::QUESTIONS {
            self.said("more wait than are kept here; `countersign ls` lists them");
            return;
        }
        let often = self.often.asks(&question);
        self.questions.push(question.clone());
        match self.heard {
            Heard::Nothing => self.shown_only(&question, often),
            Heard::Typed => self.lay_down(&question, often),
        }
    }

    /// Without a terminal every card is shown as it comes.
    fn shown_only(&mut self, question: &Question, often: often::Now) {
        match often {
            often::Now::Seldom => self.card(question),
            often::Now::Begins => {
                let agent = question.agent.clone();
                self.often_card(&agent);
            }
            often::Now::GoesOn => {}
        }
        self.acts.push(delivered(&question.request, Evidence::Requested));
    }

    fn lay_down(&mut self, question: &Question, often: often::Now) {
        let agent = &question.agent;
        let mine = match self.current.as_ref().map(|current| &current.topic) {
            Some(Topic::Request(id)) => {
                let of = self.questions.iter().find(|question| question.request == *id);
                of.is_some_and(|question| question.agent == *agent)
            }
            Some(Topic::Often(_)) | None => false,
        };
        match (often, &self.current) {
            (_, None) => self.next(),
            (often::Now::Begins, Some(_)) if mine => self.next(),
            (often::Now::Begins, Some(_)) => {
                let many = self.often.many(agent);
                self.said(&format!("{agent} asked {many} times in a minute; that is one card"));
            }
            (often::Now::GoesOn, Some(_)) => {}
            (often::Now::Seldom, Some(_)) => {
                let waits = self.questions.len();
                let line = format!(
                    "waits behind this, {}: {} {waits} waiting.",
                    question.short(),
                    question.announced
                );
                self.said(&line);
                self.acts.push(delivered(&question.request, Evidence::Queued));
            }
        }
    }

    pub(super) fn is_current(&self, request: &str) -> bool {
        matches!(&self.current, Some(Current { topic: Topic::Request(id), .. }) if id == request)
    }

    /// Takes up the next question, if there is one.
    pub(super) fn next(&mut self) {
        self.drop_line();
        let topic = match self.often.first(&self.questions) {
            Some(agent) => Some(Topic::Often(agent)),
            None => self.questions.first().map(|q| Topic::Request(q.request.clone())),
        };
        self.current = topic.map(Current::begin);
        self.show_current();
    }

    /// Takes up this question.
    pub(super) fn take_up(&mut self, request: &str) {
        self.drop_line();
        self.current = Some(Current::begin(Topic::Request(request.to_owned())));
        self.show_current();
    }

    /// Shows what is asked, whole; it listens once that is done.
    pub(super) fn show_current(&mut self) {
        self.drop_line();
        let Some(current) = &mut self.current else { return };
        let topic = current.topic.clone();
        *current = Current::begin(topic.clone());
        match &topic {
            Topic::Often(agent) => self.often_card(agent),
            Topic::Request(id) => {
                let found = self.questions.iter().position(|question| question.request == *id);
                let Some(question) = found.and_then(|at| self.questions.get(at)).cloned() else {
                    self.current = None;
                    return;
                };
                self.card(&question);
                let (at, all) = (found.map_or(1, |at| at + 1), self.questions.len());
                self.said(&format!("request {}, {at} of {all} waiting", question.short()));
                self.acts.push(delivered(id, Evidence::Requested));
            }
        }
        self.shows = true;
    }

    /// What was to be written has been, at this time.
    pub fn shown(&mut self, now: Duration) {
        self.shows = false;
        if let Some(current) = &mut self.current
            && current.listening == Listening::NotYet
        {
            current.listening = Listening::From(now + limits::GUARD);
        }
    }

    /// A request has ended, or part of it was answered elsewhere.
    pub(super) fn closed(&mut self, closing: &Closing) {
        let found = self.questions.iter().position(|q| q.request == closing.request);
        let Some(at) = found else { return };
        let id = short(&closing.request).to_owned();
        let Some(ending) = closing.ending else {
            self.acts.push(Act::Fetch(closing.request.clone()));
            return;
        };
        let surface = closing.surface.as_deref().unwrap_or("another surface");
        let when = &closing.at;
        self.said(&match ending {
            Ending::Approved | Ending::Declined => {
                format!("{id} was answered on {surface} at {when}: {ending}")
            }
            Ending::Cancelled => format!("{id} was withdrawn at {when}"),
            Ending::Expired => format!("{id} expired at {when}; nothing was allowed"),
        });
        self.remove(at);
    }

    pub(super) fn remove(&mut self, at: usize) {
        let gone = self.questions.remove(at);
        let was_current = self.is_current(&gone.request);
        let of_often = matches!(&self.current, Some(Current { topic: Topic::Often(agent), .. })
            if !self.questions.iter().any(|q| q.agent == *agent));
        if was_current || of_often {
            self.current = None;
            self.next();
        }
    }

    pub(super) fn lost(&mut self, why: &str) {
        if self.connected {
            self.connected = false;
            self.said(&format!("lost the daemon ({why}); what waits stays open, trying again"));
        }
    }

    pub(super) fn back(&mut self, open: Option<&[String]>) {
        if !self.connected {
            self.connected = true;
            self.said("the daemon is back; nothing was missed");
        }
        let Some(open) = open else { return };
        while let Some(at) = self.questions.iter().position(|q| !open.contains(&q.request)) {
            let id = self.questions.get(at).map(|q| q.short().to_owned()).unwrap_or_default();
            self.said(&format!("{id} is no longer open"));
            self.remove(at);
        }
    }
}

impl Current {
    fn begin(topic: Topic) -> Self {
        let stage = Stage::Asking(Vec::new(), String::new());
        Self { topic, stage, listening: Listening::NotYet, unclear: 0, explained: false }
    }
}

fn delivered(request: &str, evidence: Evidence) -> Act {
    Act::Delivered { what: What::Request(request.to_owned()), evidence }
}
