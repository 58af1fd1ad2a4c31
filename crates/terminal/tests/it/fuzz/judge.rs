//! What must hold for every answer, worked out from the record alone.
//!
//! A second, simple reading of the rules: it knows what was typed by hand and when, and nothing of
//! the code that is tested.

use countersign_core::model::words::Choice;
use countersign_terminal::{GUARD, Told};
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    Hand,
    /// Pasted, between brackets.
    Brackets,
    /// Pasted by a terminal that knows no brackets.
    Paste,
    /// A sequence of the terminal, whole.
    Terminal,
    /// Part of one.
    Torn,
}

#[derive(Clone, Debug)]
pub enum Entry {
    Byte {
        at: Duration,
        byte: u8,
        by: By,
    },
    /// A card was written to its end.
    Shown {
        at: Duration,
        request: String,
    },
    /// Something else was shown, or the window was looked at.
    Disturbed,
    /// Nobody can answer it any more.
    Closed {
        request: String,
    },
    /// What is half typed was dropped.
    Dropped,
    Answered {
        told: Told,
    },
}

#[derive(Debug, Default)]
pub struct Counted {
    pub cards: usize,
    pub keys: usize,
    pub answers: usize,
    pub yeses: usize,
}

/// One line as a hand typed it.
#[derive(Clone, Debug, Default)]
struct Typed {
    text: String,
    /// Something in it was not typed.
    foreign: bool,
    /// Where that begins, as far as it is part of the text.
    pasted_from: Option<usize>,
    disturbed: bool,
    /// Its beginning was typed before it could count.
    cut: bool,
}

/// The card that was shown last, and what was typed for it.
struct Showing {
    request: String,
    quiet_from: Duration,
    listens: bool,
    lines: Vec<Typed>,
}

#[derive(Default)]
struct Judge {
    showing: Option<Showing>,
    line: Typed,
    /// The same line, if an Enter inside of torn brackets has ended what was before it.
    rest: Option<Typed>,
    closed: Vec<String>,
    counted: Counted,
}

pub fn judged(log: &[Entry]) -> Result<Counted, String> {
    let mut judge = Judge::default();
    for (at, entry) in log.iter().enumerate() {
        judge.see(entry).map_err(|why| {
            let before: Vec<String> = log[at.saturating_sub(30)..=at]
                .iter()
                .map(|entry| format!("  {entry:?}"))
                .collect();
            format!("{why}\n{}", before.join("\n"))
        })?;
    }
    Ok(judge.counted)
}

impl Judge {
    fn see(&mut self, entry: &Entry) -> Result<(), String> {
        match entry {
            Entry::Byte { at, byte, by } => self.byte(*at, *byte, *by),
            Entry::Shown { at, request } => {
                self.counted.cards += 1;
                let line = self.rest.as_ref().unwrap_or(&self.line);
                let cut = line.cut || !line.text.is_empty();
                self.line = Typed { cut, ..Typed::default() };
                self.rest = None;
                self.showing = Some(Showing {
                    request: request.clone(),
                    quiet_from: *at + GUARD,
                    listens: false,
                    lines: Vec::new(),
                });
            }
            Entry::Disturbed => {
                for line in [Some(&mut self.line), self.rest.as_mut()].into_iter().flatten() {
                    line.disturbed |= !line.text.is_empty();
                }
            }
            Entry::Dropped => {
                self.line = Typed::default();
                self.rest = None;
            }
            Entry::Closed { request } => self.closed.push(request.clone()),
            Entry::Answered { told } => return self.answered(told),
        }
        Ok(())
    }

    fn byte(&mut self, at: Duration, byte: u8, by: By) {
        self.counted.keys += 1;
        if let Some(showing) = &mut self.showing
            && !showing.listens
        {
            if at < showing.quiet_from {
                showing.quiet_from = at + GUARD;
                match (by, byte) {
                    (_, b'\r') | (By::Hand | By::Paste, 0x15) => self.line = Typed::default(),
                    (By::Hand | By::Paste, _) => self.line.cut = true,
                    _ => {}
                }
                return;
            }
            showing.listens = true;
        }
        match (by, byte) {
            (By::Terminal, _) => {}
            (By::Brackets, b'\r') => {
                self.line.foreign |= !self.line.text.is_empty();
                self.rest = Some(Typed::default());
            }
            // Before the first letter it was no part of the line.
            (By::Brackets | By::Torn, _) => self.line.foreign |= !self.line.text.is_empty(),
            (By::Hand | By::Paste, b'\r') => {
                self.line.foreign |= by == By::Paste;
                let typed = std::mem::take(&mut self.line);
                if let Some(showing) = &mut self.showing {
                    showing.lines.push(typed);
                    showing.lines.extend(self.rest.take());
                }
                self.rest = None;
            }
            (By::Hand, 0x7f) => {
                for line in [Some(&mut self.line), self.rest.as_mut()].into_iter().flatten() {
                    line.text.pop();
                }
            }
            (By::Hand, 0x15) => (self.line, self.rest) = (Typed::default(), None),
            (By::Hand | By::Paste, byte) => {
                for line in [Some(&mut self.line), self.rest.as_mut()].into_iter().flatten() {
                    if by == By::Paste {
                        line.foreign = true;
                        line.pasted_from = line.pasted_from.or(Some(line.text.len()));
                    }
                    line.text.push(char::from(byte));
                }
            }
        }
    }

    fn answered(&mut self, told: &Told) -> Result<(), String> {
        self.counted.answers += 1;
        if self.closed.contains(&told.request) {
            return Err(format!("answered what was closed: {told:?}"));
        }
        let Some(showing) = &self.showing else {
            return Err(format!("answered before anything was shown: {told:?}"));
        };
        if showing.request != told.request {
            return Err(format!("{} was shown last, and answered was {told:?}", showing.request));
        }
        for (_, choice) in &told.choices {
            let said = match &told.confirm {
                Some(typed) if typed != "yes" => showing.lines.iter().any(|line| {
                    line.is_yes() && line.text.trim().trim_start_matches("once ") == typed
                }),
                _ => showing.lines.iter().any(|line| line.says(*choice, &told.note)),
            };
            let unclear = *choice == Choice::Decline
                && showing.lines.iter().filter(|line| line.is_unclear()).count() > 1;
            if !said && !unclear {
                return Err(format!("{choice} was not typed: {:?}", showing.lines));
            }
            self.counted.yeses += usize::from(*choice != Choice::Decline);
        }
        let twice = |line: &Typed| line.is_yes() && matches!(line.text.trim(), "y" | "yes");
        if told.confirm.as_deref() == Some("yes") && !showing.lines.iter().any(twice) {
            return Err(format!("nothing was confirmed: {:?}", showing.lines));
        }
        self.closed.push(told.request.clone());
        Ok(())
    }
}

impl Typed {
    fn is_typed(&self) -> bool {
        !self.foreign && !self.cut
    }

    fn is_yes(&self) -> bool {
        self.is_typed() && !self.disturbed
    }

    fn is_unclear(&self) -> bool {
        self.is_typed() && !self.text.trim().is_empty()
    }

    fn says(&self, choice: Choice, note: &str) -> bool {
        let (word, said) = self.text.trim().split_once(':').unwrap_or((self.text.trim(), ""));
        let words: &[&str] = match choice {
            Choice::Once => &["y", "yes", "once"],
            Choice::Run => &["task", "run"],
            Choice::Quarter => &["15m"],
            Choice::Session => &["s", "session"],
            Choice::Project => &["p", "project"],
            Choice::Decline => &["n", "no", "decline", "decline and stop", "stop"],
        };
        // Only the words of a no may come from elsewhere, not the no itself.
        let colon = self.text.find(':');
        let by_words = self.pasted_from.is_some_and(|from| colon.is_some_and(|at| at < from));
        let able = match choice {
            Choice::Decline => self.is_typed() || by_words && !self.cut,
            _ => self.is_yes(),
        };
        able && words.contains(&word.trim()) && note.contains(said.trim())
    }
}
