//! Output: appends whole lines, and redraws only the line of the prompt.

use super::screen::MessageUrgency;
use super::{ActiveQuestion, DeliverySubject, EraseMode, InputGate, InputMode, Prompt, PromptTask};
use crate::layout::{CONTINUED, cut_to_width, text_width, wrap_columns};
use crate::limits;
use crate::line_buffer::LineDefect;
use crate::question::{PromptQuestion, shorten_id};
use countersign_card::escape_for_display;
use countersign_core::model::delivery::Evidence;
use std::collections::BTreeMap;
use std::time::Duration;
use unicode_width::UnicodeWidthChar;

/// The urgency of a notice that a full screen shows before others.
const ALERT: &str = "alert";

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

/// Something that happened elsewhere while a card was shown.
pub(super) struct HeldMessage {
    text: String,
    /// The notice that it is about.
    notice: Option<String>,
}

impl Prompt {
    /// Says what happened elsewhere. A card that is laid out stays together with its prompt: the
    /// message waits until it is answered, and the prompt counts it.
    pub(super) fn report_message(&mut self, text: &str) {
        let message = HeldMessage { text: text.to_owned(), notice: None };
        self.hold_or_write(message, MessageUrgency::News);
    }

    fn hold_or_write(&mut self, message: HeldMessage, kind: MessageUrgency) {
        if self.screen.is_some() {
            self.push_message(&message.text, kind);
            self.report_notice_shown(message.notice);
            self.disturb_line();
        } else if self.holds_messages() && self.held.len() < limits::MAX_MESSAGES {
            self.held.push(message);
            self.redraw_prompt();
        } else {
            self.write_line(&message.text);
            self.report_notice_shown(message.notice);
        }
    }

    fn holds_messages(&self) -> bool {
        let is_laid_out = (self.layout)().width().is_some();
        self.input_mode == InputMode::Interactive && is_laid_out && self.active.is_some()
    }

    /// Writes what was held back. The card that follows stands below it.
    pub(super) fn write_held(&mut self) {
        for message in std::mem::take(&mut self.held) {
            self.write_line(&message.text);
            self.report_notice_shown(message.notice);
        }
    }

    fn report_notice_shown(&mut self, notice: Option<String>) {
        if let Some(id) = notice {
            let subject = DeliverySubject::Notice(id);
            self.tasks.push(PromptTask::ReportDelivery { subject, evidence: Evidence::Requested });
        }
    }

    /// A half-typed line stays, but can no longer be a yes.
    pub(super) fn disturb_line(&mut self) {
        if self.line.is_started() {
            self.line.add_defect(LineDefect::Disturbed);
        }
    }

    /// Writes a line of the program. A half-typed line stays, but can no longer be a yes. It may
    /// quote an agent, so what does not fit into the first line is marked.
    pub(super) fn write_line(&mut self, text: &str) {
        if self.screen.is_some() {
            self.push_reply(text);
            self.disturb_line();
            return;
        }
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
        self.disturb_line();
    }

    /// Writes a line that is cut where the window ends.
    pub(super) fn write_shortened(&mut self, text: &str) {
        match (self.layout)().width() {
            Some(width) => self.write_line(&cut_to_width(text, width.saturating_sub(1))),
            None => self.write_line(text),
        }
    }

    pub(super) fn write_card(&mut self, question: &PromptQuestion) {
        if self.screen.is_some() {
            return;
        }
        self.write_held();
        self.leave_input_line();
        self.output.push('\n');
        if let Some(burst) = self.describe_burst(&question.request) {
            self.write_line(&burst);
            for line in self.list_burst_calls(&question.request) {
                self.write_shortened(&line);
            }
        }
        let id = self.short_id(&question.request);
        for line in (self.layout)().render(&question.view, &id) {
            self.output.push_str(&line);
            self.output.push('\n');
        }
    }

    /// The same line is not written again and again: an agent could hide a card behind it.
    pub(super) fn write_announcements(&mut self, session: &str, lines: &[String], now: Duration) {
        for line in lines {
            let text = format!("{session}: {line}");
            if self.notices.remember(&text, now) {
                self.report_message(&text);
            }
        }
    }

    pub(super) fn write_notice(&mut self, id: &str, urgency: &str, text: &str, now: Duration) {
        if !self.notices.remember(text, now) {
            return;
        }
        let text = format!("{urgency} {}: {text}", shorten_id(id, []));
        let notice = Some(id.to_owned());
        let kind = if urgency == ALERT { MessageUrgency::Alert } else { MessageUrgency::News };
        self.hold_or_write(HeldMessage { text, notice }, kind);
    }

    /// Writes the prompt if input is accepted and the cursor is not behind a prompt already.
    pub(super) fn write_prompt(&mut self) {
        if self.is_cursor_in_line || self.shows_question || self.screen.is_some() {
            return;
        }
        let Some(prompt) = self.prompt_text() else { return };
        self.output.push_str(&prompt);
        self.output.push_str(self.line.text());
        self.is_cursor_in_line = true;
    }

    pub(super) fn prompt_text(&self) -> Option<String> {
        let active = self.active.as_ref()?;
        if active.gate != InputGate::Open && self.screen.is_none() {
            return None;
        }
        let question = self.find_question(&active.request)?;
        let (others, width) = (self.count_others(), (self.layout)().width());
        if self.is_full_screen() && active.asks_about_call(question) {
            // The card stands above it.
            return Some("Allow? ".to_owned());
        }
        Some(active.request_prompt(question, &others, width))
    }

    /// What waits besides the active question: ` (13 more, 1 message: /m)`. A full screen lists it.
    fn count_others(&self) -> String {
        if self.screen.is_some() {
            return String::new();
        }
        let more = match self.questions.len().saturating_sub(1) {
            0 => None,
            more => Some(format!("{more} more")),
        };
        let messages = match self.held.len() {
            0 => None,
            1 => Some("1 message: /m".to_owned()),
            count => Some(format!("{count} messages: /m")),
        };
        let counts: Vec<String> = more.into_iter().chain(messages).collect();
        if counts.is_empty() { String::new() } else { format!(" ({})", counts.join(", ")) }
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
            self.disturb_line();
        }
    }

    pub(super) fn echo(&mut self, c: char) {
        if self.screen.is_some() {
            return;
        }
        self.output.push(c);
        self.is_cursor_in_line = true;
    }

    pub(super) fn echo_erased(&mut self, c: char) {
        if self.screen.is_some() {
            return;
        }
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
    /// Whether the prompt would name the call, and not one item of it or a text to type.
    fn asks_about_call(&self, question: &PromptQuestion) -> bool {
        let names_item = question.items().len() > 1 && self.choices.len() < question.items().len();
        !self.is_confirming && question.view.card.confirm.is_none() && !names_item
    }

    /// What is asked, with the number of other requests that wait.
    fn request_prompt(
        &self,
        question: &PromptQuestion,
        more: &str,
        width: Option<usize>,
    ) -> String {
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
            Some(_) | None => format!("{}{more} ", question.ask_briefly(columns)),
        }
    }
}
