//! Scans what follows a dollar sign.

use super::scan::{DollarPlace, Scanner};
use super::{LooseItem, Subshell, TOO_DEEP, UNCLOSED, Word, ansi, is_too_deep};

impl Scanner<'_> {
    pub(super) fn scan_dollar(&mut self, word: &mut Word, depth: usize, place: DollarPlace) {
        // A line continuation after `$` is removed.
        self.skip_line_continuations();
        match self.chars.peek().copied() {
            Some('(') => {
                self.chars.next();
                self.found.items.push(LooseItem::Enter(Subshell::Substitution));
                let start = self.found.items.len();
                self.scan_list(depth + 1);
                let inside = self.found.items.get(start..).unwrap_or_default();
                word.push_value(self.found.variables.read_substitution(inside));
                self.found.items.push(LooseItem::Leave);
            }
            Some('{') => {
                self.chars.next();
                let inside = self.scan_braces(depth + 1);
                word.push_value(self.found.variables.read_braces(&inside));
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
                let mut name = String::new();
                while let Some(c) = self.chars.next_if(is_name) {
                    name.push(c);
                }
                word.push_value(self.found.variables.get(&name).to_vec());
            }
            Some(c) if c.is_ascii_digit() || "@*#?$!-".contains(c) => {
                self.chars.next();
                word.push_value(self.found.variables.get(&c.to_string()).to_vec());
            }
            Some('[') => word.push_value(Vec::new()),
            _ => word.text.push('$'),
        }
    }

    fn skip_line_continuations(&mut self) {
        let mut ahead = self.chars.clone();
        while ahead.next() == Some('\\') && ahead.next() == Some('\n') {
            self.chars = ahead.clone();
        }
    }

    /// `${…}`: the substitutions inside it, and its text.
    fn scan_braces(&mut self, depth: usize) -> String {
        if is_too_deep(depth) {
            self.mark_incomplete(TOO_DEEP);
            return String::new();
        }
        let mut inside = Word::default();
        while let Some(c) = self.chars.next() {
            match c {
                '}' => return inside.list_readings().into_iter().next().unwrap_or_default(),
                '\\' => inside.text.extend(self.chars.next()),
                '\'' => self.scan_single_quotes(&mut inside),
                '"' => self.scan_double_quotes(&mut inside, depth),
                '$' => self.scan_dollar(&mut inside, depth, DollarPlace::Bare),
                '`' => self.scan_backticks(&mut inside),
                c => inside.text.push(c),
            }
        }
        self.mark_incomplete(UNCLOSED);
        String::new()
    }
}
