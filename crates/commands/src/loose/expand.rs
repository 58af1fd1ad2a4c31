//! Scans what follows a dollar sign.

use super::scan::{DollarPlace, Scanner};
use super::{LooseItem, Subshell, TOO_DEEP, UNCLOSED, UNKNOWN_VALUE, Word, ansi, is_too_deep};

impl Scanner<'_> {
    pub(super) fn scan_dollar(&mut self, word: &mut Word, depth: usize, place: DollarPlace) {
        // A line continuation after `$` is removed.
        self.skip_line_continuations();
        match self.chars.peek().copied() {
            Some('(') => {
                self.chars.next();
                word.push_expanded(UNKNOWN_VALUE);
                self.found.items.push(LooseItem::Enter(Subshell::Substitution));
                self.scan_list(depth + 1);
                self.found.items.push(LooseItem::Leave);
            }
            Some('{') => {
                self.chars.next();
                word.push_expanded(UNKNOWN_VALUE);
                self.scan_braces(depth + 1);
            }
            Some('\'') if place == DollarPlace::Bare => {
                self.chars.next();
                if ansi::decode(&mut self.chars, &mut word.text).is_none() {
                    self.mark_incomplete(UNCLOSED);
                }
            }
            // `$"…"` is scanned as a double-quoted string.
            Some('"') if place == DollarPlace::Bare => {}
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let is_name = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
                while self.chars.next_if(is_name).is_some() {}
                word.push_expanded(UNKNOWN_VALUE);
            }
            Some(c) if c.is_ascii_digit() || "@*#?$!-".contains(c) => {
                self.chars.next();
                word.push_expanded(UNKNOWN_VALUE);
            }
            Some('[') => word.push_expanded(UNKNOWN_VALUE),
            _ => word.text.push('$'),
        }
    }

    fn skip_line_continuations(&mut self) {
        let mut ahead = self.chars.clone();
        while ahead.next() == Some('\\') && ahead.next() == Some('\n') {
            self.chars = ahead.clone();
        }
    }

    /// `${…}`: only substitutions inside it matter.
    fn scan_braces(&mut self, depth: usize) {
        if is_too_deep(depth) {
            self.mark_incomplete(TOO_DEEP);
            return;
        }
        let mut inside = Word::default();
        while let Some(c) = self.chars.next() {
            match c {
                '}' => return,
                '\\' => {
                    self.chars.next();
                }
                '\'' => self.scan_single_quotes(&mut inside),
                '"' => self.scan_double_quotes(&mut inside, depth),
                '$' => self.scan_dollar(&mut inside, depth, DollarPlace::Bare),
                '`' => self.scan_backticks(&mut inside),
                _ => {}
            }
        }
        self.mark_incomplete(UNCLOSED);
    }
}
