//! The line that is being typed, and its defects: reasons why it may not count as an answer.

use crate::limits;
use std::time::Duration;

/// Why a line counts less than its text says. Ordered by severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LineDefect {
    /// Something else was shown while it was typed: it cannot be a yes.
    Disturbed,
    /// Parts of it arrived faster than a person types: it cannot be a yes.
    TooFast,
    /// It was started before input was accepted: it cannot be an answer.
    StartedEarly,
    /// It arrived at once with its Enter: it cannot be an answer.
    ArrivedAtOnce,
    /// Part of it was pasted: it cannot be an answer.
    Pasted,
    /// Part of it was not a key, or it is too long: it cannot be an answer.
    Invalid,
}

impl LineDefect {
    /// The line is not even a no.
    pub fn is_fatal(self) -> bool {
        self >= Self::StartedEarly
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineBuffer {
    text: String,
    defect: Option<LineDefect>,
    /// How many keys arrived at once, up to the last one.
    burst: usize,
    /// The index of the first character that arrived faster than a person types.
    fast_from: Option<usize>,
    last_key_at: Option<Duration>,
}

impl LineBuffer {
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn defect(&self) -> Option<LineDefect> {
        self.defect
    }

    /// Whether a person typed the part before the colon. Input methods may enter whole words after it.
    pub fn has_typed_head(&self) -> bool {
        let colon = self.text.chars().position(|c| c == ':');
        self.fast_from.is_none_or(|from| colon.is_some_and(|colon| colon < from))
    }

    pub fn is_started(&self) -> bool {
        !self.text.is_empty() || self.defect.is_some()
    }

    /// Appends a character. Returns false if the line is full.
    pub fn push(&mut self, c: char, at: Duration) -> bool {
        self.record_key(at);
        let follows_enter = self.text.is_empty() && self.burst > 1;
        let length = self.text.chars().count();
        if self.burst >= limits::MIN_BURST_KEYS || follows_enter {
            self.add_defect(LineDefect::TooFast);
            let from = (length + 1).saturating_sub(self.burst);
            self.fast_from = self.fast_from.or(Some(from));
        }
        if length >= limits::MAX_LINE_LENGTH {
            self.add_defect(LineDefect::Invalid);
            return false;
        }
        self.text.push(c);
        true
    }

    /// Removes the last character and returns it.
    pub fn erase(&mut self, at: Duration) -> Option<char> {
        self.record_key(at);
        self.text.pop()
    }

    pub fn add_defect(&mut self, defect: LineDefect) {
        self.defect = self.defect.max(Some(defect));
    }

    /// Returns the line that Enter ends, and starts a new one.
    pub fn finish(&mut self, at: Duration) -> Self {
        self.record_key(at);
        if self.burst > 1 {
            self.add_defect(LineDefect::ArrivedAtOnce);
        }
        let finished = std::mem::take(self);
        // Keys that arrive at once with this Enter were not typed by a person either.
        self.burst = finished.burst;
        self.last_key_at = finished.last_key_at;
        finished
    }

    fn record_key(&mut self, at: Duration) {
        let interval = self.last_key_at.map(|last| at.saturating_sub(last));
        let is_burst = interval.is_some_and(|interval| interval < limits::MIN_KEY_INTERVAL);
        self.burst = if is_burst { self.burst.saturating_add(1) } else { 1 };
        self.last_key_at = Some(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The characters and Enter, at this interval in milliseconds.
    fn type_line(text: &str, interval: u64) -> LineBuffer {
        let mut line = LineBuffer::default();
        let mut at = Duration::from_secs(1);
        for c in text.chars() {
            at += Duration::from_millis(interval);
            line.push(c, at);
        }
        line.finish(at + Duration::from_millis(interval))
    }

    #[test]
    fn a_line_typed_by_hand_has_no_defect() {
        assert_eq!(type_line("session", 30).defect(), None);
        assert_eq!(type_line("y", 30).defect(), None);
        assert_eq!(type_line("", 30).defect(), None);
    }

    #[test]
    fn a_line_that_arrives_with_its_enter_was_not_typed() {
        assert_eq!(type_line("y", 0).defect(), Some(LineDefect::ArrivedAtOnce));
        assert_eq!(type_line("y", 9).defect(), Some(LineDefect::ArrivedAtOnce));
    }

    #[test]
    fn many_characters_at_once_cannot_be_a_yes_and_only_count_as_a_note() {
        for (typed, at_once, has_head) in
            [("n: ", "日本語", true), ("n", ": words", false), ("", "n: x", false)]
        {
            let mut line = LineBuffer::default();
            let mut at = Duration::from_secs(1);
            for c in typed.chars() {
                line.push(c, at);
                at += Duration::from_millis(100);
            }
            at_once.chars().for_each(|c| {
                line.push(c, at);
            });
            let finished = line.finish(at + Duration::from_secs(1));
            assert_eq!(finished.defect(), Some(LineDefect::TooFast));
            assert_eq!(finished.has_typed_head(), has_head, "{typed}{at_once}");
        }
    }

    #[test]
    fn a_line_at_once_with_the_enter_of_another_cannot_be_an_answer() {
        let mut line = LineBuffer::default();
        let at = Duration::from_secs(1);
        line.finish(at);
        line.push('y', at + Duration::from_millis(1));
        let finished = line.finish(at + Duration::from_millis(2));
        assert_eq!(finished.defect(), Some(LineDefect::ArrivedAtOnce));
    }

    #[test]
    fn a_line_has_a_maximum_length() {
        let long = type_line(&"x".repeat(limits::MAX_LINE_LENGTH + 1), 30);
        assert_eq!(long.defect(), Some(LineDefect::Invalid));
        assert_eq!(long.text().len(), limits::MAX_LINE_LENGTH);
    }
}
