//! What is written: whole lines, appended, one fact each.

use super::{Act, Current, Desk, Erasing, Listening, Stage, Topic, What};
use crate::limits;
use crate::line::Spoilt;
use crate::question::Question;
use countersign_card::escape_for_display;
use countersign_core::model::delivery::Evidence;
use countersign_core::model::words::Choice;
use std::collections::BTreeMap;
use std::time::Duration;
use unicode_width::UnicodeWidthChar;

/// What was told lately, with how often since it was last shown.
#[derive(Default)]
pub(super) struct Repeats(BTreeMap<String, (Duration, usize)>);

impl Desk {
    /// One line of ours. Something half typed is not lost by it, but is no yes any more.
    pub(super) fn said(&mut self, text: &str) {
        self.away_from_prompt();
        self.out.push_str(&escape_for_display(text));
        self.out.push('\n');
        if self.line.is_begun() {
            self.line.spoil(Spoilt::Disturbed);
        }
    }

    pub(super) fn card(&mut self, question: &Question) {
        self.away_from_prompt();
        self.out.push('\n');
        for line in &question.lines {
            self.out.push_str(line);
            self.out.push('\n');
        }
    }

    pub(super) fn often_card(&mut self, agent: &str) {
        let (many, waits) = (self.often.many(agent), self.of(agent));
        self.away_from_prompt();
        self.out.push('\n');
        self.said(&format!("{agent} asked {many} times in a minute"));
        self.said("choice pause: its calls are denied until you resume it; what waits stays open");
        self.said(&format!("choice review: what waits of it, one after the other: {waits}"));
    }

    fn of(&self, agent: &str) -> usize {
        self.questions.iter().filter(|question| question.agent == agent).count()
    }

    pub(super) fn told(&mut self, id: &str, urgency: &str, text: &str, now: Duration) {
        let repeats = &mut self.repeats.0;
        repeats.retain(|_, (at, _)| now < *at + limits::SAME);
        if let Some((_, many)) = repeats.get_mut(text) {
            *many = many.saturating_add(1);
            return;
        }
        if repeats.len() < limits::NOTICES {
            repeats.insert(text.to_owned(), (now, 0));
        }
        self.said(&format!("{urgency} {}: {text}", crate::question::short(id)));
        let (what, evidence) = (What::Notice(id.to_owned()), Evidence::Requested);
        self.acts.push(Act::Delivered { what, evidence });
    }

    /// Writes the prompt if something listens and the cursor is not behind one.
    pub(super) fn prompt(&mut self) {
        if self.within || self.shows {
            return;
        }
        let Some(prompt) = self.prompt_text() else { return };
        self.out.push_str(&prompt);
        self.out.push_str(self.line.text());
        self.within = true;
    }

    fn prompt_text(&self) -> Option<String> {
        let current = self.current.as_ref()?;
        if current.listening != Listening::Now {
            return None;
        }
        Some(match &current.topic {
            Topic::Often(_) => "answer, pause or review: ".to_owned(),
            Topic::Request(id) => {
                let question = self.questions.iter().find(|question| question.request == *id)?;
                self.prompt_for(current, question)
            }
        })
    }

    fn prompt_for(&self, current: &Current, question: &Question) -> String {
        let id = question.short();
        let (given, _) = match &current.stage {
            Stage::Confirming(..) => return format!("type yes to confirm {id}: "),
            Stage::Asking(given, note) => (given, note),
        };
        if let Some((what, _)) = &question.confirm {
            return format!("answer {id}, type the {what} or n: ");
        }
        let item = question.items.get(given.len());
        let yes = item.map_or(Choice::Once, |item| item.yes);
        match question.items.len() {
            0 | 1 => format!("answer {id}, y is {yes}: "),
            all => {
                let action = item.map_or("", |item| item.action.as_str());
                let at = given.len() + 1;
                format!("answer {id}, {at} of {all}, {}, y is {yes}: ", escape_for_display(action))
            }
        }
    }

    /// Ends the line that the cursor stands in.
    pub(super) fn away_from_prompt(&mut self) {
        if self.within {
            self.out.push('\n');
            self.within = false;
        }
    }

    pub(super) fn echo(&mut self, letter: char) {
        self.out.push(letter);
        self.within = true;
    }

    pub(super) fn echo_erased(&mut self, letter: char) {
        match self.erasing {
            Erasing::Back => {
                for _ in 0..letter.width().unwrap_or(1) {
                    self.out.push_str("\x08 \x08");
                }
            }
            Erasing::Anew => {
                self.away_from_prompt();
                self.prompt();
            }
        }
    }
}
