//! What a dollar sign begins.

use super::scan::Scanner;
use super::{Kind, TOO_DEEP, UNCLOSED, Word, ansi, is_too_deep};

impl Scanner<'_> {
    pub(super) fn dollar(&mut self, word: &mut Word, depth: usize) {
        // A continued line between `$` and what follows leaves nothing behind.
        self.skip_continued();
        match self.chars.peek().copied() {
            Some('(') => {
                self.chars.next();
                word.kind = Kind::Dynamic;
                self.list(depth + 1);
            }
            Some('{') => {
                self.chars.next();
                word.kind = Kind::Dynamic;
                self.braces(depth + 1);
            }
            Some('\'') => {
                self.chars.next();
                if ansi::decode(&mut self.chars, &mut word.text).is_none() {
                    self.give_up(UNCLOSED);
                }
            }
            // `$"…"` is read as the quote that follows.
            Some('"') => {}
            Some(c) if c.is_ascii_alphanumeric() || "_@*#?$!-[".contains(c) => {
                word.expand('$');
            }
            _ => word.text.push('$'),
        }
    }

    fn skip_continued(&mut self) {
        let mut ahead = self.chars.clone();
        while ahead.next() == Some('\\') && ahead.next() == Some('\n') {
            self.chars = ahead.clone();
        }
    }

    /// `${…}`: only what is substituted inside matters.
    fn braces(&mut self, depth: usize) {
        if is_too_deep(depth) {
            self.give_up(TOO_DEEP);
            return;
        }
        let mut inside = Word::default();
        while let Some(c) = self.chars.next() {
            match c {
                '}' => return,
                '\\' => {
                    self.chars.next();
                }
                '\'' => self.single(&mut inside),
                '"' => self.double(&mut inside, depth),
                '$' => self.dollar(&mut inside, depth),
                '`' => self.backticks(&mut inside),
                _ => {}
            }
        }
        self.give_up(UNCLOSED);
    }
}
