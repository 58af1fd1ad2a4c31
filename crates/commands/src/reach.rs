//! From found commands to those they would run: through control words, wrappers, shells and texts.
//!
//! Every level is one deeper, and beyond the bound nothing is followed: then the search says that
//! it is incomplete.

use crate::limits;
use crate::loose::{self, OPENERS, Word};
use crate::subject::SHELLS;
use crate::wrappers::{self, Inner, Wrapper};
use std::collections::HashSet;

/// What looks at everything that is reached.
pub(crate) trait Visitor {
    /// A command as it stands in a text, with every word it has.
    fn words(&mut self, words: &[Word]);
    /// A file that is redirected from or to.
    fn target(&mut self, word: &Word);
    /// A command that would be run: one that stands there, or one inside it.
    fn command(&mut self, words: &[Word]);
}

/// Visits everything that the text could reach; why not everything, if so.
pub(crate) fn everything(text: &str, visitor: &mut dyn Visitor) -> Option<&'static str> {
    let mut search = Search { visitor, incomplete: None };
    search.text(text, 0);
    search.incomplete
}

struct Search<'a> {
    visitor: &'a mut dyn Visitor,
    incomplete: Option<&'static str>,
}

impl Search<'_> {
    fn text(&mut self, text: &str, depth: usize) {
        if depth > limits::NESTING {
            self.incomplete.get_or_insert("it is nested more than 8 deep");
            return;
        }
        let found = loose::scan(text);
        if let Some(why) = found.incomplete {
            self.incomplete.get_or_insert(why);
        }
        if depth == 0 && found.commands.len() > limits::SEGMENTS {
            self.incomplete.get_or_insert("there are more than 64 commands in it");
        }
        found.targets.iter().for_each(|word| self.visitor.target(word));
        for words in &found.commands {
            self.visitor.words(words);
            let mut seen = HashSet::new();
            for piece in pieces(words) {
                self.command(piece, depth, &mut seen);
            }
        }
        found.texts.iter().for_each(|text| self.text(text, depth + 1));
    }

    fn command(&mut self, words: &[Word], depth: usize, seen: &mut HashSet<usize>) {
        let words = bare(words);
        let Some(program) = words.first() else { return };
        // What is left of the same words is the same command, however it was reached.
        if !seen.insert(program as *const Word as usize) {
            return;
        }
        if depth > limits::NESTING {
            self.incomplete.get_or_insert("it is wrapped more than 8 deep");
            return;
        }
        self.visitor.command(words);
        let name = wrappers::base_name(&program.text).to_ascii_lowercase();
        if SHELLS.contains(&name.as_str()) {
            self.scripts(words, depth);
            // `cmd /c del x` and `powershell -Command ri x` run all that follows.
            if name.starts_with("cmd") || name.starts_with("p") {
                self.joined(words.get(1..).unwrap_or_default(), depth);
            }
            return;
        }
        let Some(wrapper) = wrappers::of(&name) else { return };
        match wrapper.inner {
            Inner::After(operands) => {
                for inner in self.inner(words, wrapper, operands, depth) {
                    self.command(inner, depth + 1, seen);
                }
            }
            Inner::Find => {
                executed(words).for_each(|inner| self.command(inner, depth + 1, seen));
            }
            Inner::Script => self.scripts(words, depth),
            Inner::Joined => self.joined(words, depth),
        }
    }

    fn scripts(&mut self, words: &[Word], depth: usize) {
        for word in words.iter().skip(1) {
            self.text(&word.text, depth + 1);
        }
    }

    fn joined(&mut self, words: &[Word], depth: usize) {
        let words: Vec<_> = words.iter().skip(1).map(|word| word.text.as_str()).collect();
        self.text(&words.join(" "), depth + 1);
    }

    /// Where the inner command may begin: one or two readings.
    fn inner<'w>(
        &mut self,
        words: &'w [Word],
        wrapper: &Wrapper,
        operands: usize,
        depth: usize,
    ) -> Vec<&'w [Word]> {
        let (mut at, mut doubtful) = (1, false);
        while let Some(word) = words.get(at) {
            let option = word.text.as_str();
            if !option.starts_with('-') && !is_assignment(option) {
                break;
            }
            if wrapper.name == "env" && option.starts_with('-') && option.contains(['S', 's']) {
                self.split_string(option, words.get(at + 1), depth);
            }
            doubtful = !is_assignment(option) && !wrapper.flags.contains(&option);
            at += 1;
            if wrapper.valued.contains(&option) {
                at += 1;
                doubtful = false;
            }
        }
        at += operands;
        let places = if doubtful { at..at + 2 } else { at..at + 1 };
        places.filter_map(|at| words.get(at..)).filter(|inner| !inner.is_empty()).collect()
    }

    /// `env -S 'text'`: split and run.
    fn split_string(&mut self, option: &str, next: Option<&Word>, depth: usize) {
        if let Some((_, attached)) = option.split_once(['S', '=']) {
            self.text(attached, depth + 1);
        }
        if let Some(next) = next {
            self.text(&next.text, depth + 1);
        }
    }
}

/// Words of a shell and assignments in front are not the program.
fn bare(mut words: &[Word]) -> &[Word] {
    while let Some((first, rest)) = words.split_first() {
        match first.text.as_str() {
            "function" => words = rest.get(1..).unwrap_or_default(),
            "time" if rest.first().is_some_and(|word| word.text.starts_with('-')) => break,
            word if OPENERS.contains(&word) || is_assignment(word) => words = rest,
            _ => break,
        }
    }
    words
}

/// The whole command, and what stands behind each word that opens another one.
fn pieces(words: &[Word]) -> impl Iterator<Item = &[Word]> {
    let opens = |word: &Word| matches!(word.text.as_str(), "{" | "do" | "then" | "else");
    let split = words.split(opens).filter(|piece| !piece.is_empty());
    std::iter::once(words).chain(split)
}

fn executed(words: &[Word]) -> impl Iterator<Item = &[Word]> {
    let is_exec =
        |word: &Word| matches!(word.text.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir");
    let ends = |word: &Word| matches!(word.text.as_str(), ";" | "+");
    words.split(is_exec).skip(1).filter_map(move |rest| rest.split(ends).next())
}

/// `NAME=`, `NAME+=` or `NAME[…]=` in front.
fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    let name = name.strip_suffix('+').unwrap_or(name);
    let name = name.split('[').next().unwrap_or(name);
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}
