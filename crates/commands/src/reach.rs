//! Visits every command that a line could run, through keywords, wrappers, shells and scripts.
//!
//! Beyond the nesting limit nothing is followed, and the search reports that it is incomplete.

use crate::limits;
use crate::loose::{self, COMMAND_OPENERS, Word};
use crate::subject::SHELLS;
use crate::wrappers::{self, InnerCommand, Wrapper};
use std::collections::HashSet;

/// Receives everything that the search reaches.
pub(crate) trait Visitor {
    /// A command as it is written, with all its words.
    fn visit_words(&mut self, words: &[Word]);
    /// The target of a redirection.
    fn visit_redirect_target(&mut self, word: &Word);
    /// A command that would run: the written one, or one that it wraps.
    fn visit_command(&mut self, words: &[Word]);
}

/// Visits everything that the text could reach. Returns why the search is incomplete, if it is.
pub(crate) fn visit_reachable(text: &str, visitor: &mut dyn Visitor) -> Option<&'static str> {
    let mut search = ReachSearch { visitor, incomplete: None };
    search.search_text(text, 0);
    search.incomplete
}

struct ReachSearch<'a> {
    visitor: &'a mut dyn Visitor,
    incomplete: Option<&'static str>,
}

impl ReachSearch<'_> {
    fn search_text(&mut self, text: &str, depth: usize) {
        if depth > limits::MAX_NESTING {
            self.incomplete.get_or_insert("it is nested more than 8 deep");
            return;
        }
        let scanned = loose::scan(text);
        if let Some(why) = scanned.incomplete {
            self.incomplete.get_or_insert(why);
        }
        if depth == 0 && scanned.commands.len() > limits::MAX_SEGMENTS {
            self.incomplete.get_or_insert("there are more than 64 commands in it");
        }
        scanned.redirect_targets.iter().for_each(|word| self.visitor.visit_redirect_target(word));
        for words in &scanned.commands {
            self.visitor.visit_words(words);
            let mut seen = HashSet::new();
            for piece in split_at_openers(words) {
                self.search_command(piece, depth, &mut seen);
            }
        }
        scanned.nested_texts.iter().for_each(|text| self.search_text(text, depth + 1));
    }

    fn search_command(&mut self, words: &[Word], depth: usize, seen: &mut HashSet<usize>) {
        let words = skip_prefixes(words);
        let Some(program) = words.first() else { return };
        // The same tail of the words is the same command, however it was reached.
        if !seen.insert(program as *const Word as usize) {
            return;
        }
        if depth > limits::MAX_NESTING {
            self.incomplete.get_or_insert("it is wrapped more than 8 deep");
            return;
        }
        self.visitor.visit_command(words);
        let name = wrappers::base_name(&program.text).to_ascii_lowercase();
        if SHELLS.contains(&name.as_str()) {
            self.search_scripts(words, depth);
            // `cmd /c del x` and `powershell -Command ri x` run the rest of the line.
            if name.starts_with("cmd") || name.starts_with("p") {
                self.search_joined(words.get(1..).unwrap_or_default(), depth);
            }
            return;
        }
        let Some(wrapper) = wrappers::find_wrapper(&name) else { return };
        match wrapper.inner {
            InnerCommand::AfterOperands(operands) => {
                for inner in self.find_inner_commands(words, wrapper, operands, depth) {
                    self.search_command(inner, depth + 1, seen);
                }
            }
            InnerCommand::FindExec => {
                find_exec_commands(words)
                    .for_each(|inner| self.search_command(inner, depth + 1, seen));
            }
            InnerCommand::Script => self.search_scripts(words, depth),
            InnerCommand::Joined => self.search_joined(words, depth),
        }
    }

    fn search_scripts(&mut self, words: &[Word], depth: usize) {
        for word in words.iter().skip(1) {
            self.search_text(&word.text, depth + 1);
        }
    }

    fn search_joined(&mut self, words: &[Word], depth: usize) {
        let words: Vec<_> = words.iter().skip(1).map(|word| word.text.as_str()).collect();
        self.search_text(&words.join(" "), depth + 1);
    }

    /// The inner command. Two candidates if it is unknown whether the last option has a value.
    fn find_inner_commands<'w>(
        &mut self,
        words: &'w [Word],
        wrapper: &Wrapper,
        operands: usize,
        depth: usize,
    ) -> Vec<&'w [Word]> {
        let (mut index, mut may_have_value) = (1, false);
        while let Some(word) = words.get(index) {
            let option = word.text.as_str();
            if !option.starts_with('-') && !is_assignment(option) {
                break;
            }
            if wrapper.name == "env" && option.starts_with('-') && option.contains(['S', 's']) {
                self.search_split_string(option, words.get(index + 1), depth);
            }
            may_have_value = !is_assignment(option) && !wrapper.flags.contains(&option);
            index += 1;
            if wrapper.options_with_value.contains(&option) {
                index += 1;
                may_have_value = false;
            }
        }
        index += operands;
        let starts = if may_have_value { index..index + 2 } else { index..index + 1 };
        starts.filter_map(|index| words.get(index..)).filter(|inner| !inner.is_empty()).collect()
    }

    /// `env -S 'text'` splits the text and runs it.
    fn search_split_string(&mut self, option: &str, next: Option<&Word>, depth: usize) {
        if let Some((_, attached)) = option.split_once(['S', '=']) {
            self.search_text(attached, depth + 1);
        }
        if let Some(next) = next {
            self.search_text(&next.text, depth + 1);
        }
    }
}

/// Skips shell keywords and assignments before the program.
fn skip_prefixes(mut words: &[Word]) -> &[Word] {
    while let Some((first, rest)) = words.split_first() {
        match first.text.as_str() {
            "function" => words = rest.get(1..).unwrap_or_default(),
            "time" if rest.first().is_some_and(|word| word.text.starts_with('-')) => break,
            word if COMMAND_OPENERS.contains(&word) || is_assignment(word) => words = rest,
            _ => break,
        }
    }
    words
}

/// The whole command, and the part after each keyword that opens another command.
fn split_at_openers(words: &[Word]) -> impl Iterator<Item = &[Word]> {
    let opens = |word: &Word| matches!(word.text.as_str(), "{" | "do" | "then" | "else");
    let split = words.split(opens).filter(|piece| !piece.is_empty());
    std::iter::once(words).chain(split)
}

fn find_exec_commands(words: &[Word]) -> impl Iterator<Item = &[Word]> {
    let is_exec =
        |word: &Word| matches!(word.text.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir");
    let is_end = |word: &Word| matches!(word.text.as_str(), ";" | "+");
    words.split(is_exec).skip(1).filter_map(move |rest| rest.split(is_end).next())
}

/// Whether the word starts with `NAME=`, `NAME+=` or `NAME[…]=`.
fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    let name = name.strip_suffix('+').unwrap_or(name);
    let name = name.split('[').next().unwrap_or(name);
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}
