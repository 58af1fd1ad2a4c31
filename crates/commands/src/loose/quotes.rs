//! Quotes and backticks.

use super::scan::Scanner;
use super::{Kind, UNCLOSED, Word};

impl Scanner<'_> {
    pub(super) fn single(&mut self, word: &mut Word) {
        for c in self.chars.by_ref() {
            if c == '\'' {
                return;
            }
            word.text.push(c);
        }
        self.give_up(UNCLOSED);
    }

    pub(super) fn double(&mut self, word: &mut Word, depth: usize) {
        while let Some(c) = self.chars.next() {
            match c {
                '"' => return,
                '\\' => match self.chars.next() {
                    Some(c @ ('"' | '\\' | '$' | '`')) => word.text.push(c),
                    Some('\n') => {}
                    Some(c) => word.text.extend(['\\', c]),
                    None => break,
                },
                '$' => self.dollar(word, depth),
                '`' => self.backticks(word),
                c => word.text.push(c),
            }
        }
        self.give_up(UNCLOSED);
    }

    /// The content is a text of its own, from which one level of backslashes is taken.
    pub(super) fn backticks(&mut self, word: &mut Word) {
        word.kind = Kind::Dynamic;
        let mut text = String::new();
        while let Some(c) = self.chars.next() {
            match c {
                '`' => {
                    self.found.texts.push(text);
                    return;
                }
                '\\' => match self.chars.next() {
                    Some(c @ ('`' | '\\' | '$' | '"')) => text.push(c),
                    Some(c) => text.extend(['\\', c]),
                    None => break,
                },
                c => text.push(c),
            }
        }
        self.found.texts.push(text);
        self.give_up(UNCLOSED);
    }
}
