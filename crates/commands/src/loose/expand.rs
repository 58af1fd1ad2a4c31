//! Scans what follows a dollar sign.

use super::scan::Scanner;
use super::{TOO_DEEP, UNCLOSED, Word, WordKind, ansi, is_too_deep};

impl Scanner<'_> {
    pub(super) fn scan_dollar(&mut self, word: &mut Word, depth: usize) {
        // A line continuation after `$` is removed.
        self.skip_line_continuations();
        match self.chars.peek().copied() {
            Some('(') => {
                self.chars.next();
                word.kind = WordKind::Dynamic;
                self.scan_list(depth + 1);
            }
            Some('{') => {
                self.chars.next();
                word.kind = WordKind::Dynamic;
                self.scan_braces(depth + 1);
            }
            Some('\'') => {
                self.chars.next();
                if ansi::decode(&mut self.chars, &mut word.text).is_none() {
                    self.mark_incomplete(UNCLOSED);
                }
            }
            // `$"…"` is scanned as a double-quoted string.
            Some('"') => {}
            Some(c) if c.is_ascii_alphanumeric() || "_@*#?$!-[".contains(c) => {
                word.push_expanded('$');
            }
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
                '$' => self.scan_dollar(&mut inside, depth),
                '`' => self.scan_backticks(&mut inside),
                _ => {}
            }
        }
        self.mark_incomplete(UNCLOSED);
    }
}
