//! One line as it is typed, and what speaks against taking it for an answer.

use crate::limits;
use std::time::Duration;

/// Why a line is less than it says. The later, the worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Spoilt {
    /// Something else was shown while it was typed: it is no yes.
    Disturbed,
    /// Parts of it came faster than anybody types: it is no yes.
    Fast,
    /// Its beginning was typed before it could count: it is nothing.
    Cut,
    /// It came whole, with its end: it is nothing.
    AtOnce,
    /// Part of it was pasted: it is nothing.
    Pasted,
    /// Part of it was no key: it is nothing.
    Broken,
}

impl Spoilt {
    /// Not even a no.
    pub fn is_nothing(self) -> bool {
        self >= Self::Cut
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    text: String,
    spoilt: Option<Spoilt>,
    /// Keys that came at once, up to the last one.
    at_once: usize,
    /// Where the first letters stand that came faster than anybody types.
    fast_from: Option<usize>,
    last_at: Option<Duration>,
}

impl Line {
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn spoilt(&self) -> Option<Spoilt> {
        self.spoilt
    }

    /// Whether a hand has typed the word before the colon: what follows may be entered by words.
    pub fn has_typed_head(&self) -> bool {
        let colon = self.text.chars().position(|letter| letter == ':');
        self.fast_from.is_none_or(|from| colon.is_some_and(|colon| colon < from))
    }

    /// Whether somebody has begun to type it.
    pub fn is_begun(&self) -> bool {
        !self.text.is_empty() || self.spoilt.is_some()
    }

    /// Takes a character; false if there is no more room.
    pub fn push(&mut self, letter: char, at: Duration) -> Room {
        self.keyed(at);
        let with_an_end = self.text.is_empty() && self.at_once > 1;
        let many = self.text.chars().count();
        if self.at_once >= limits::MANY || with_an_end {
            self.spoil(Spoilt::Fast);
            let from = (many + 1).saturating_sub(self.at_once);
            self.fast_from = self.fast_from.or(Some(from));
        }
        if many >= limits::LINE {
            self.spoil(Spoilt::Broken);
            return Room::None;
        }
        self.text.push(letter);
        Room::Left
    }

    /// Takes the last character back, and says which it was.
    pub fn erase(&mut self, at: Duration) -> Option<char> {
        self.keyed(at);
        self.text.pop()
    }

    pub fn spoil(&mut self, why: Spoilt) {
        self.spoilt = self.spoilt.max(Some(why));
    }

    /// The line is typed.
    pub fn end(&mut self, at: Duration) -> Self {
        self.keyed(at);
        if self.at_once > 1 {
            self.spoil(Spoilt::AtOnce);
        }
        let last_at = self.last_at;
        let ended = std::mem::take(self);
        // What comes at once with this end has not been typed either.
        *self = Self { last_at, at_once: ended.at_once, ..Self::default() };
        ended
    }

    fn keyed(&mut self, at: Duration) {
        let near = self.last_at.is_some_and(|last| at.saturating_sub(last) < limits::AT_ONCE);
        self.at_once = if near { self.at_once.saturating_add(1) } else { 1 };
        self.last_at = Some(at);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    Left,
    None,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Characters and an end, each so many milliseconds after the one before.
    fn typed(text: &str, apart: u64) -> Line {
        let mut line = Line::default();
        let mut at = Duration::from_secs(1);
        for letter in text.chars() {
            at += Duration::from_millis(apart);
            line.push(letter, at);
        }
        line.end(at + Duration::from_millis(apart))
    }

    #[test]
    fn what_a_hand_types_is_whole() {
        assert_eq!(typed("session", 30).spoilt(), None);
        assert_eq!(typed("y", 30).spoilt(), None);
        assert_eq!(typed("", 30).spoilt(), None);
    }

    #[test]
    fn what_comes_with_its_end_was_pasted() {
        assert_eq!(typed("y", 0).spoilt(), Some(Spoilt::AtOnce));
        assert_eq!(typed("y", 9).spoilt(), Some(Spoilt::AtOnce));
    }

    #[test]
    fn many_letters_at_once_are_no_yes_and_may_only_be_a_note() {
        for (typed, at_once, head) in
            [("n: ", "日本語", true), ("n", ": words", false), ("", "n: x", false)]
        {
            let mut line = Line::default();
            let mut at = Duration::from_secs(1);
            for letter in typed.chars() {
                line.push(letter, at);
                at += Duration::from_millis(100);
            }
            at_once.chars().for_each(|letter| {
                line.push(letter, at);
            });
            let ended = line.end(at + Duration::from_secs(1));
            assert_eq!(ended.spoilt(), Some(Spoilt::Fast));
            assert_eq!(ended.has_typed_head(), head, "{typed}{at_once}");
        }
    }

    #[test]
    fn a_line_at_once_with_the_end_of_another_is_nothing() {
        let mut line = Line::default();
        let at = Duration::from_secs(1);
        line.end(at);
        line.push('y', at + Duration::from_millis(1));
        assert_eq!(line.end(at + Duration::from_millis(2)).spoilt(), Some(Spoilt::AtOnce));
    }

    #[test]
    fn a_line_has_an_end() {
        let long = typed(&"x".repeat(limits::LINE + 1), 30);
        assert_eq!(long.spoilt(), Some(Spoilt::Broken));
        assert_eq!(long.text().len(), limits::LINE);
    }
}
