//! Checks every answer against the log alone.
//!
//! A second, simple implementation of the rules. It knows what was typed by hand and when, and
//! shares no code with the prompt.

use countersign_core::model::words::Choice;
use countersign_terminal::{QUIET_PERIOD, TypedAnswer};
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputSource {
    Typed,
    BracketedPaste,
    /// Pasted at a terminal without bracketed paste.
    PlainPaste,
    /// A complete escape sequence.
    Sequence,
    /// A part of one.
    TornSequence,
}

#[derive(Clone, Debug)]
pub enum LogEntry {
    Byte {
        at: Duration,
        byte: u8,
        source: InputSource,
    },
    /// A card was written completely.
    Shown {
        at: Duration,
        request: String,
        /// Letters that act alone, and are part of no line.
        quick_keys: &'static [u8],
    },
    /// Something covers the card, and keys go there.
    Hidden,
    /// Something else was shown, or the window gained or lost focus.
    Disturbed,
    /// The request can no longer be answered.
    Closed {
        request: String,
    },
    /// The half-typed line was discarded.
    Discarded,
    Answered {
        answer: TypedAnswer,
    },
}

#[derive(Debug, Default)]
pub struct TrialCounts {
    pub cards: usize,
    pub keys: usize,
    pub answers: usize,
    pub approvals: usize,
}

/// One line as the operator typed it.
#[derive(Clone, Debug, Default)]
struct ObservedLine {
    text: String,
    /// A part of it was not typed.
    has_foreign_input: bool,
    /// Where the pasted part of the text starts.
    pasted_from: Option<usize>,
    is_disturbed: bool,
    /// It was started before input was accepted.
    is_cut: bool,
}

/// The card that was shown last, and the lines typed for it.
struct ShownCard {
    request: String,
    quick_keys: &'static [u8],
    quiet_from: Duration,
    accepts_input: bool,
    lines: Vec<ObservedLine>,
}

#[derive(Default)]
struct AnswerChecker {
    card: Option<ShownCard>,
    line: ObservedLine,
    /// The same line, in case an Enter inside an incomplete paste ended the part before it.
    alternative: Option<ObservedLine>,
    is_hidden: bool,
    closed: Vec<String>,
    counts: TrialCounts,
}

pub fn check_log(log: &[LogEntry]) -> Result<TrialCounts, String> {
    let mut checker = AnswerChecker::default();
    for (at, entry) in log.iter().enumerate() {
        checker.check_entry(entry).map_err(|why| {
            let before: Vec<String> = log[at.saturating_sub(30)..=at]
                .iter()
                .map(|entry| format!("  {entry:?}"))
                .collect();
            format!("{why}\n{}", before.join("\n"))
        })?;
    }
    Ok(checker.counts)
}

impl AnswerChecker {
    fn check_entry(&mut self, entry: &LogEntry) -> Result<(), String> {
        match entry {
            LogEntry::Byte { at, byte, source } => self.record_byte(*at, *byte, *source),
            LogEntry::Hidden => self.is_hidden = true,
            LogEntry::Shown { at, request, quick_keys } => {
                self.counts.cards += 1;
                if std::mem::take(&mut self.is_hidden) {
                    (self.line, self.alternative) = (ObservedLine::default(), None);
                }
                let line = self.alternative.as_ref().unwrap_or(&self.line);
                let is_cut = line.is_cut || !line.text.is_empty();
                self.line = ObservedLine { is_cut, ..ObservedLine::default() };
                self.alternative = None;
                self.card = Some(ShownCard {
                    request: request.clone(),
                    quick_keys,
                    quiet_from: *at + QUIET_PERIOD,
                    accepts_input: false,
                    lines: Vec::new(),
                });
            }
            LogEntry::Disturbed => {
                for line in self.open_lines() {
                    line.is_disturbed |= !line.text.is_empty();
                }
            }
            LogEntry::Discarded => {
                self.line = ObservedLine::default();
                self.alternative = None;
            }
            LogEntry::Closed { request } => self.closed.push(request.clone()),
            LogEntry::Answered { answer } => return self.check_answer(answer),
        }
        Ok(())
    }

    fn open_lines(&mut self) -> impl Iterator<Item = &mut ObservedLine> {
        [Some(&mut self.line), self.alternative.as_mut()].into_iter().flatten()
    }

    fn record_byte(&mut self, at: Duration, byte: u8, source: InputSource) {
        self.counts.keys += 1;
        if self.is_hidden {
            return;
        }
        if let Some(card) = &mut self.card
            && !card.accepts_input
        {
            if at < card.quiet_from {
                card.quiet_from = at + QUIET_PERIOD;
                match (source, byte) {
                    (_, b'\r') | (InputSource::Typed | InputSource::PlainPaste, 0x15) => {
                        self.line = ObservedLine::default();
                    }
                    (InputSource::Typed | InputSource::PlainPaste, _) => self.line.is_cut = true,
                    _ => {}
                }
                return;
            }
            card.accepts_input = true;
        }
        let is_quick = self.card.as_ref().is_some_and(|card| card.quick_keys.contains(&byte));
        match (source, byte) {
            (InputSource::Sequence, _) => {}
            (InputSource::Typed, _) if is_quick && self.line.is_empty() => {}
            (InputSource::BracketedPaste, b'\r') => {
                self.line.has_foreign_input |= !self.line.text.is_empty();
                self.alternative = Some(ObservedLine::default());
            }
            // Before the first character it is not part of the line.
            (InputSource::BracketedPaste | InputSource::TornSequence, _) => {
                self.line.has_foreign_input |= !self.line.text.is_empty();
            }
            (InputSource::Typed | InputSource::PlainPaste, b'\r') => {
                self.line.has_foreign_input |= source == InputSource::PlainPaste;
                let typed = std::mem::take(&mut self.line);
                if let Some(card) = &mut self.card {
                    card.lines.push(typed);
                    card.lines.extend(self.alternative.take());
                }
                self.alternative = None;
            }
            (InputSource::Typed, 0x7f) => {
                for line in self.open_lines() {
                    line.text.pop();
                }
            }
            (InputSource::Typed, 0x15) => {
                (self.line, self.alternative) = (ObservedLine::default(), None);
            }
            (InputSource::Typed | InputSource::PlainPaste, byte) => {
                for line in self.open_lines() {
                    if source == InputSource::PlainPaste {
                        line.has_foreign_input = true;
                        line.pasted_from = line.pasted_from.or(Some(line.text.len()));
                    }
                    line.text.push(char::from(byte));
                }
            }
        }
    }

    fn check_answer(&mut self, answer: &TypedAnswer) -> Result<(), String> {
        self.counts.answers += 1;
        if self.is_hidden {
            return Err(format!("answered while the card was covered: {answer:?}"));
        }
        if self.closed.contains(&answer.request) {
            return Err(format!("answered after it was closed: {answer:?}"));
        }
        let Some(card) = &self.card else {
            return Err(format!("answered before anything was shown: {answer:?}"));
        };
        if card.request != answer.request {
            return Err(format!("{} was shown last, but the answer is {answer:?}", card.request));
        }
        for (_, choice) in &answer.choices {
            let is_typed = match &answer.confirm {
                Some(typed) if typed != "yes" => card.lines.iter().any(|line| {
                    line.can_be_yes() && line.text.trim().trim_start_matches("once ") == typed
                }),
                _ => card.lines.iter().any(|line| line.states(*choice, &answer.note)),
            };
            if !is_typed {
                return Err(format!("{choice} was not typed: {:?}", card.lines));
            }
            self.counts.approvals += usize::from(*choice != Choice::Decline);
        }
        let is_confirmation =
            |line: &ObservedLine| line.can_be_yes() && matches!(line.text.trim(), "y" | "yes");
        if answer.confirm.as_deref() == Some("yes") && !card.lines.iter().any(is_confirmation) {
            return Err(format!("nothing was confirmed: {:?}", card.lines));
        }
        self.closed.push(answer.request.clone());
        Ok(())
    }
}

impl ObservedLine {
    fn is_empty(&self) -> bool {
        self.text.is_empty() && !self.has_foreign_input && !self.is_cut
    }

    fn is_typed(&self) -> bool {
        !self.has_foreign_input && !self.is_cut
    }

    fn can_be_yes(&self) -> bool {
        self.is_typed() && !self.is_disturbed
    }

    fn states(&self, choice: Choice, note: &str) -> bool {
        let (word, typed_note) = self.text.trim().split_once(':').unwrap_or((self.text.trim(), ""));
        let words: &[&str] = match choice {
            Choice::Once => &["y", "yes", "once"],
            Choice::Run => &["task", "run"],
            Choice::Quarter => &["15m"],
            Choice::Session => &["s", "session"],
            Choice::Project => &["p", "project"],
            Choice::Decline => &["n", "no", "decline", "decline and stop", "stop"],
        };
        // Only the note of a no may come from an input method, not the no itself.
        let colon = self.text.find(':');
        let is_pasted_note = self.pasted_from.is_some_and(|from| colon.is_some_and(|at| at < from));
        let can_count = match choice {
            Choice::Decline => self.is_typed() || is_pasted_note && !self.is_cut,
            _ => self.can_be_yes(),
        };
        can_count && words.contains(&word.trim()) && note.contains(typed_note.trim())
    }
}
