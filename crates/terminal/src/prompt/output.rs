//! Output: appends whole lines, and redraws only the line of the prompt.

use super::{ActiveQuestion, DeliverySubject, EraseMode, InputGate, Prompt, PromptTask, Topic};
use crate::layout::{CONTINUED, cut_to_width, text_width, wrap_columns};
use crate::limits;
use crate::line_buffer::LineDefect;
use crate::question::{PromptQuestion, shorten_id};
use countersign_card::escape_for_display;
use countersign_core::model::delivery::Evidence;
use std::collections::BTreeMap;
use std::time::Duration;
use unicode_width::UnicodeWidthChar;

/// The texts of recent notices and announcements, and when each was shown.
#[derive(Default)]
pub(super) struct ShownNotices(BTreeMap<String, Duration>);

impl ShownNotices {
    /// Whether a text was not shown lately. From now on it was.
    fn remember(&mut self, text: &str, now: Duration) -> bool {
        let shown = &mut self.0;
        shown.retain(|_, shown_at| now < *shown_at + limits::NOTICE_REPEAT_WINDOW);
        if shown.contains_key(text) {
            return false;
        }
        if shown.len() < limits::MAX_REMEMBERED_NOTICES {
            shown.insert(text.to_owned(), now);
        }
        true
    }
}

impl Prompt {
    /// Writes a line of the program. A half-typed line stays, but can no longer be a yes. It may
    /// quote an agent, so what does not fit into the first line is marked.
    pub(super) fn write_line(&mut self, text: &str) {
        self.leave_input_line();
        let text = escape_for_display(text);
        let lines = match (self.layout)().width() {
            Some(width) => wrap_columns("", CONTINUED, &text, width),
            None => vec![text],
        };
        for line in lines {
            self.output.push_str(&line);
            self.output.push('\n');
        }
        if self.line.is_started() {
            self.line.add_defect(LineDefect::Disturbed);
        }
    }

    /// Writes a line that is cut where the window ends.
    pub(super) fn write_shortened(&mut self, text: &str) {
        match (self.layout)().width() {
            Some(width) => self.write_line(&cut_to_width(text, width.saturating_sub(1))),
            None => self.write_line(text),
        }
    }

    pub(super) fn write_card(&mut self, question: &PromptQuestion) {
        self.leave_input_line();
        self.output.push('\n');
        let id = self.short_id(&question.request);
        for line in (self.layout)().render(&question.view, &id) {
            self.output.push_str(&line);
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

    /// The same line is not written again and again: an agent could hide a card behind it.
    pub(super) fn write_announcements(&mut self, session: &str, lines: &[String], now: Duration) {
        for line in lines {
            let text = format!("{session}: {line}");
            if self.notices.remember(&text, now) {
                self.write_line(&text);
            }
        }
    }

    pub(super) fn write_notice(&mut self, id: &str, urgency: &str, text: &str, now: Duration) {
        if !self.notices.remember(text, now) {
            return;
        }
        self.write_line(&format!("{urgency} {}: {text}", shorten_id(id, [])));
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
            Topic::Request(id) => {
                let more = self.questions.len().saturating_sub(1);
                let width = (self.layout)().width();
                active.request_prompt(self.find_question(id)?, more, width)
            }
        })
    }

    /// Ends the line that contains the cursor, or erases it if it is written again below.
    pub(super) fn leave_input_line(&mut self) {
        if self.is_cursor_in_line {
            self.output.push_str(if self.can_erase_line() { "\r\x1b[K" } else { "\n" });
            self.is_cursor_in_line = false;
        }
    }

    /// Whether the prompt and what was typed are on one row of a terminal that can erase it.
    fn can_erase_line(&self) -> bool {
        let Some(width) = (self.layout)().width() else { return false };
        let prompt = self.prompt_text().unwrap_or_default();
        self.erase_mode == EraseMode::Backspace
            && text_width(&prompt) + text_width(self.line.text()) < width
    }

    /// Shows the count of requests in the prompt as it is now, where that needs no further line.
    pub(super) fn redraw_prompt(&mut self) {
        if self.is_cursor_in_line && self.can_erase_line() {
            self.leave_input_line();
            if self.line.is_started() {
                self.line.add_defect(LineDefect::Disturbed);
            }
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
    /// What is asked, with the number of other requests that wait.
    fn request_prompt(
        &self,
        question: &PromptQuestion,
        more: usize,
        width: Option<usize>,
    ) -> String {
        let more = if more > 0 { format!(" ({more} more)") } else { String::new() };
        if self.is_confirming {
            return format!("type yes to confirm{more}: ");
        }
        if let Some(confirm) = &question.view.card.confirm {
            return format!("Type the {}, or n{more}: ", confirm.what);
        }
        let columns = width.map_or(limits::MAX_PROMPT_COLUMNS, |width| {
            // Room for the words around it, and for an answer.
            limits::MAX_PROMPT_COLUMNS.min(width.saturating_sub(24)).max(8)
        });
        let (answered, count) = (self.choices.len(), question.items().len());
        match question.items().get(answered) {
            Some(item) if count > 1 => {
                let action = cut_to_width(&escape_for_display(item.action.as_str()), columns);
                format!("Allow {action}, {} of {count}?{more} ", answered + 1)
            }
            Some(_) | None => {
                format!("{}{more} ", question.ask_briefly(columns))
            }
        }
    }
}
