//! Scans quotes and backticks.

use super::scan::{DollarPlace, Scanner};
use super::{UNCLOSED, Word};

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
                '$' => self.scan_dollar(word, depth, DollarPlace::Quoted),
                '`' => self.scan_backticks(word),
                c => word.text.push(c),
            }
        }
        self.mark_incomplete(UNCLOSED);
    }

    /// The whole text is like the inside of double quotes, in which a double quote is literal.
    pub(super) fn scan_substitutions(&mut self) {
        let mut word = Word::default();
        while let Some(c) = self.chars.next() {
            match c {
                '\\' => {
                    self.chars.next();
                }
                '$' => self.scan_dollar(&mut word, 0, DollarPlace::Quoted),
                '`' => self.scan_backticks(&mut word),
                _ => {}
            }
        }
    }

    /// The content is a nested text, with one level of backslashes removed.
    pub(super) fn scan_backticks(&mut self, word: &mut Word) {
        let at = word.values.len();
        word.push_value(Vec::new());
        let mut text = String::new();
        while let Some(c) = self.chars.next() {
            match c {
                '`' => {
                    let inside = super::scan_with(&text, self.found.variables.clone());
                    if let Some(values) = word.values.get_mut(at) {
                        *values = self.found.variables.read_substitution(&inside.items);
                    }
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
