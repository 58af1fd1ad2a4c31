//! Input: decides whether a key counts, and edits the line.
//!
//! See docs/decisions/0023-terminal-answers.md.

use super::{InputGate, InputMode, Prompt};
use crate::key_reader::TerminalKey;
use crate::limits;
use crate::line_buffer::{LineBuffer, LineDefect};
use countersign_core::model::words::Presence;
use std::time::Duration;

impl Prompt {
    /// Handles bytes that were read at `at` and had not arrived at `since`.
    pub fn handle_input(&mut self, bytes: &[u8], since: Duration, at: Duration) {
        if self.input_mode == InputMode::DisplayOnly || bytes.is_empty() {
            return;
        }
        self.now = at;
        self.record_activity(at);
        for key in self.keys.decode(bytes, at) {
            if self.handle_screen_key(key) {
                // It answers nothing, so it may come at any time.
            } else if self.admit_input(since, at) {
                self.handle_key(key, at);
            } else {
                self.discard_key(key);
            }
            if self.is_finished {
                return;
            }
        }
        self.admit_input(since, at);
        self.write_prompt();
    }

    /// Decodes and discards bytes that arrived before a question was shown completely.
    pub fn discard_input(&mut self, bytes: &[u8], at: Duration) {
        if self.input_mode == InputMode::Interactive && !bytes.is_empty() {
            self.record_activity(at);
            self.keys.decode(bytes, at).into_iter().for_each(|key| self.discard_key(key));
        }
    }

    fn discard_key(&mut self, key: TerminalKey) {
        match key {
            TerminalKey::Char(_) | TerminalKey::Invalid => self.is_line_cut = true,
            TerminalKey::Enter | TerminalKey::EraseLine | TerminalKey::Interrupt => {
                self.is_line_cut = false;
            }
            TerminalKey::Backspace
            | TerminalKey::EndOfInput
            | TerminalKey::PasteStart
            | TerminalKey::PasteEnd
            | TerminalKey::Focus
            | TerminalKey::Move(_)
            | TerminalKey::Escape
            | TerminalKey::Ignored => {}
        }
    }

    /// Whether a key that arrived between these times counts. A key that may be too early does
    /// not count and starts the quiet period again.
    fn admit_input(&mut self, since: Duration, at: Duration) -> bool {
        let Some(active) = &mut self.active else { return true };
        match active.gate {
            InputGate::Open => true,
            InputGate::Closed => false,
            InputGate::OpensAt(opens_at) if since >= opens_at => {
                active.gate = InputGate::Open;
                true
            }
            InputGate::OpensAt(_) => {
                active.gate = InputGate::OpensAt(at + limits::QUIET_PERIOD);
                false
            }
        }
    }

    fn handle_key(&mut self, key: TerminalKey, at: Duration) {
        match key {
            TerminalKey::Char(c) if self.handle_quick_key(c) => {}
            TerminalKey::Char(c) => {
                if self.is_line_cut {
                    self.line.add_defect(LineDefect::StartedEarly);
                }
                // Before `push`, because the prompt includes the line: otherwise `c` appears twice.
                self.write_prompt();
                if self.line.push(c, at) {
                    self.echo(c);
                }
            }
            TerminalKey::Enter => {
                self.write_prompt();
                self.end_input_line();
                let line = self.line.finish(at);
                self.is_line_cut = false;
                self.handle_line(&line);
                self.unfold_replies();
                self.write_prompt();
            }
            TerminalKey::Backspace => {
                if let Some(c) = self.line.erase(at) {
                    self.echo_erased(c);
                }
            }
            TerminalKey::EraseLine => self.clear_line(),
            TerminalKey::EndOfInput if !self.line.is_started() => self.quit(),
            TerminalKey::Interrupt => self.handle_interrupt(),
            TerminalKey::PasteStart | TerminalKey::PasteEnd => {
                self.line.add_defect(LineDefect::Pasted);
            }
            TerminalKey::Invalid => self.line.add_defect(LineDefect::Invalid),
            TerminalKey::Focus => self.handle_focus(at),
            TerminalKey::EndOfInput
            | TerminalKey::Move(_)
            | TerminalKey::Escape
            | TerminalKey::Ignored => {}
        }
    }

    /// Ends the line that Enter was typed on.
    fn end_input_line(&mut self) {
        match self.is_full_screen() {
            true => self.clear_replies(),
            false => self.output.push('\n'),
        }
        self.is_cursor_in_line = false;
    }

    /// An operator who has just returned to the window has not read the card yet.
    fn handle_focus(&mut self, at: Duration) {
        if self.line.is_started() {
            self.line.add_defect(LineDefect::Disturbed);
        } else if let Some(active) = &mut self.active {
            active.gate = InputGate::OpensAt(at + limits::QUIET_PERIOD);
            self.leave_input_line();
        }
    }

    /// Ctrl-C discards a half-typed line, or ends the prompt if there is none. It never answers.
    pub fn handle_interrupt(&mut self) {
        self.keys.reset();
        if self.line.is_started() {
            self.clear_line();
            self.write_line("nothing was answered");
            self.write_prompt();
        } else {
            self.quit();
        }
    }

    fn clear_line(&mut self) {
        self.discard_line();
        self.is_line_cut = false;
    }

    /// Discards what was typed. The rest of that line, up to Enter, does not count either.
    pub(super) fn discard_line(&mut self) {
        self.is_line_cut |= self.line.is_started();
        self.line = LineBuffer::default();
        self.leave_input_line();
    }

    /// Ends the prompt. Open requests stay open.
    pub fn quit(&mut self) {
        self.discard_line();
        self.write_held();
        match self.questions.len() {
            0 => {}
            1 => self.write_line("1 request stays open, unanswered"),
            count => self.write_line(&format!("{count} requests stay open, unanswered")),
        }
        self.is_finished = true;
    }

    /// Leaves the line of the prompt, because a pager is going to write.
    pub fn clear_input_line(&mut self) {
        self.discard_line();
    }

    /// Another program uses the terminal from now on.
    pub fn suspend(&mut self) {
        self.discard_line();
        self.report_presence(Presence::Away);
    }

    /// Shows the active question again after another program used the terminal.
    pub fn resume(&mut self, now: Duration) {
        self.keys.reset();
        self.record_activity(now);
        self.show_active();
    }

    /// Updates presence and opens the gate. `read_at` is when input was last read.
    pub fn tick(&mut self, read_at: Duration, now: Duration) {
        self.now = now;
        if self.input_mode == InputMode::DisplayOnly {
            return;
        }
        self.update_presence(now);
        if self.is_full_screen()
            && let Some(key) = self.keys.take_escape(now)
        {
            self.handle_screen_key(key);
        }
        if let Some(active) = &mut self.active
            && matches!(active.gate, InputGate::OpensAt(opens_at) if read_at >= opens_at)
        {
            active.gate = InputGate::Open;
        }
        self.write_prompt();
    }

    /// When `tick` has to be called next.
    pub fn next_tick(&self) -> Option<Duration> {
        let opens_at = match self.active.as_ref().map(|active| active.gate) {
            Some(InputGate::OpensAt(opens_at)) => Some(opens_at),
            Some(InputGate::Open | InputGate::Closed) | None => None,
        };
        let is_full_screen = self.is_full_screen();
        let escape_ends_at = self.keys.escape_ends_at().filter(|_| is_full_screen);
        let burst_ends_at = self.bursts.next_end(self.now).filter(|_| is_full_screen);
        let times = [opens_at, self.next_presence_change(), escape_ends_at, burst_ends_at];
        times.into_iter().flatten().min()
    }
}
