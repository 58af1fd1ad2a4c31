//! Scans quotes and backticks.

use super::scan::Scanner;
use super::{UNCLOSED, Word, WordKind};

impl Scanner<'_> {
    pub(super) fn scan_single_quotes(&mut self, word: &mut Word) {
        for c in self.chars.by_ref() {
            if c == '\'' {
                return;
            }
            word.text.push(c);
        }
        self.mark_incomplete(UNCLOSED);
    }

    pub(super) fn scan_double_quotes(&mut self, word: &mut Word, depth: usize) {
        while let Some(c) = self.chars.next() {
            match c {
                '"' => return,
                '\\' => match self.chars.next() {
                    Some(c @ ('"' | '\\' | '$' | '`')) => word.text.push(c),
                    Some('\n') => {}
                    Some(c) => word.text.extend(['\\', c]),
                    None => break,
                },
                '$' => self.scan_dollar(word, depth),
                '`' => self.scan_backticks(word),
                c => word.text.push(c),
            }
        }
        self.mark_incomplete(UNCLOSED);
    }

    /// The content is a nested text, with one level of backslashes removed.
    pub(super) fn scan_backticks(&mut self, word: &mut Word) {
        word.kind = WordKind::Dynamic;
        let mut text = String::new();
        while let Some(c) = self.chars.next() {
            match c {
                '`' => {
                    self.found.nested_texts.push(text);
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
        self.found.nested_texts.push(text);
        self.mark_incomplete(UNCLOSED);
    }
}
