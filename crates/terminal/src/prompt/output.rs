//! Output: appends whole lines, one fact each, and redraws only the line of the prompt.

use super::{ActiveQuestion, DeliverySubject, EraseMode, InputGate, Prompt, PromptTask, Topic};
use crate::limits;
use crate::line_buffer::LineDefect;
use crate::question::{PromptQuestion, short_id};
use countersign_card::escape_for_display;
use countersign_core::model::delivery::Evidence;
use countersign_core::model::words::Choice;
use std::collections::BTreeMap;
use std::time::Duration;
use unicode_width::UnicodeWidthChar;

/// The texts of recent notices and when each was shown.
#[derive(Default)]
pub(super) struct ShownNotices(BTreeMap<String, Duration>);

impl Prompt {
    /// Writes a line of the program. A half-typed line stays, but can no longer be a yes.
    pub(super) fn write_line(&mut self, text: &str) {
        self.leave_input_line();
        self.output.push_str(&escape_for_display(text));
        self.output.push('\n');
        if self.line.is_started() {
            self.line.add_defect(LineDefect::Disturbed);
        }
    }

    pub(super) fn write_card(&mut self, question: &PromptQuestion) {
        self.leave_input_line();
        self.output.push('\n');
        for line in &question.lines {
            self.output.push_str(line);
            self.output.push('\n');
        }
    }

    pub(super) fn write_burst_card(&mut self, agent: &str) {
        let asked = self.bursts.count_recent(agent);
        let open = self.questions.iter().filter(|question| question.agent == agent).count();
        self.leave_input_line();
        self.output.push('\n');
        self.write_line(&format!("{agent} asked {asked} times in a minute"));
        self.write_line(
            "choice pause: its calls are denied until you resume it; open requests stay open",
        );
        self.write_line(&format!("choice review: answer its {open} open requests one by one"));
    }

    pub(super) fn write_notice(&mut self, id: &str, urgency: &str, text: &str, now: Duration) {
        let notices = &mut self.notices.0;
        notices.retain(|_, shown_at| now < *shown_at + limits::NOTICE_REPEAT_WINDOW);
        if notices.contains_key(text) {
            return;
        }
        if notices.len() < limits::MAX_REMEMBERED_NOTICES {
            notices.insert(text.to_owned(), now);
        }
        self.write_line(&format!("{urgency} {}: {text}", short_id(id)));
        let subject = DeliverySubject::Notice(id.to_owned());
        self.tasks.push(PromptTask::ReportDelivery { subject, evidence: Evidence::Requested });
    }

    /// Writes the prompt if input is accepted and the cursor is not behind a prompt already.
    pub(super) fn write_prompt(&mut self) {
        if self.is_cursor_in_line || self.shows_question {
            return;
        }
        let Some(prompt) = self.prompt_text() else { return };
        self.output.push_str(&prompt);
        self.output.push_str(self.line.text());
        self.is_cursor_in_line = true;
    }

    fn prompt_text(&self) -> Option<String> {
        let active = self.active.as_ref()?;
        if active.gate != InputGate::Open {
            return None;
        }
        Some(match &active.topic {
            Topic::Burst(_) => "answer, pause or review: ".to_owned(),
            Topic::Request(id) => active.request_prompt(self.find_question(id)?),
        })
    }

    /// Ends the line that contains the cursor.
    pub(super) fn leave_input_line(&mut self) {
        if self.is_cursor_in_line {
            self.output.push('\n');
            self.is_cursor_in_line = false;
        }
    }

    pub(super) fn echo(&mut self, c: char) {
        self.output.push(c);
        self.is_cursor_in_line = true;
    }

    pub(super) fn echo_erased(&mut self, c: char) {
        match self.erase_mode {
            EraseMode::Backspace => {
                for _ in 0..c.width().unwrap_or(1) {
                    self.output.push_str("\x08 \x08");
                }
            }
            EraseMode::Reprint => {
                self.leave_input_line();
                self.write_prompt();
            }
        }
    }
}

impl ActiveQuestion {
    fn request_prompt(&self, question: &PromptQuestion) -> String {
        let id = question.short_id();
        if self.is_confirming {
            return format!("type yes to confirm {id}: ");
        }
        if let Some(confirm) = &question.confirm {
            return format!("answer {id}, type the {} or n: ", confirm.what);
        }
        let item = question.items.get(self.choices.len());
        let yes = item.map_or(Choice::Once, |item| item.yes);
        match question.items.len() {
            0 | 1 => format!("answer {id}, y is {yes}: "),
            count => {
                let action = escape_for_display(item.map_or("", |item| &item.action));
                let number = self.choices.len() + 1;
                format!("answer {id}, {number} of {count}, {action}, y is {yes}: ")
            }
        }
    }
}
