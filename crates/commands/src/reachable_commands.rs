//! Visits every command that a line could run, through keywords, wrappers, shells and scripts.
//!
//! Each is visited with the folders in which it may run. Beyond the nesting limit nothing is followed,
//! and the search reports that it is incomplete.

mod folders;

use crate::context::CommandContext;
use crate::limits;
use crate::loose::{
    self, COMMAND_OPENERS, Incomplete, InputExpansion, LooseCommand, LooseItem, LooseScan,
    Subshell, Variables, Word,
};
use crate::runner_table;
use crate::subject::SHELLS;
use crate::working_folders::{ChangeCertainty, FolderChange, FolderFlow, FolderSet};
use crate::wrappers::{self, InnerCommand, Wrapper};
use std::collections::HashSet;

/// Receives everything that the search reaches.
pub(crate) trait Visitor {
    /// A word that may become a path elsewhere: an assignment, or what a substitution prints.
    fn visit_loose_word(&mut self, word: &Word, folders: &FolderSet);
    /// The target of a redirection.
    fn visit_redirect_target(&mut self, word: &Word, folders: &FolderSet);
    /// All commands of a text in their order, before each of them is visited.
    fn visit_scan(&mut self, _scanned: &LooseScan) {}
    /// Whether the values that variables may hold are searched, too.
    fn follows_values(&self) -> bool {
        false
    }
    /// A command that would run: the written one, or one that it wraps. Returns whether all of its
    /// words are checked as paths; `outer` says so of the command that contains these words.
    fn visit_command(
        &mut self,
        words: &[Word],
        folders: &FolderSet,
        outer: OperandCheck,
    ) -> OperandCheck;
}

/// Whether the words of a command were checked as those of a command without a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OperandCheck {
    Open,
    Done,
}

/// Visits everything that the text could reach. Returns why the search is incomplete, if it is.
pub(crate) fn visit_reachable(
    text: &str,
    context: &CommandContext,
    visitor: &mut dyn Visitor,
) -> Option<Incomplete> {
    // With a search path of its own, `cd` leads anywhere.
    let changes = if text.contains("CDPATH") { CdReading::Anywhere } else { CdReading::ByPath };
    let budget = text.len().saturating_mul(limits::MAX_READINGS).saturating_add(1024);
    let mut search = CommandSearch {
        visitor,
        context,
        changes,
        variables: Variables::of_shell(context.workspace),
        incomplete: None,
        shells: 0,
        substitutions: 0,
        budget,
    };
    search.search_text(text, 0, &FolderSet::new(context.cwd));
    search.incomplete
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CdReading {
    ByPath,
    Anywhere,
}

struct CommandSearch<'a> {
    visitor: &'a mut dyn Visitor,
    context: &'a CommandContext<'a>,
    changes: CdReading,
    /// What the variables of the line may hold.
    variables: Variables,
    incomplete: Option<Incomplete>,
    /// How many shells were reached. They may run what they are given as input.
    shells: usize,
    /// How many substitutions the search is in.
    substitutions: usize,
    /// How many more bytes are scanned.
    budget: usize,
}

/// Words that make a list conditional: what a `cd` in it changes may not happen.
const CONDITIONAL_WORDS: &[&str] = &[
    "if", "then", "else", "elif", "do", "while", "until", "{", "}", "case", "for", "function",
    "select", "and", "or", "not", "begin", "coproc",
];

impl CommandSearch<'_> {
    fn search_text(&mut self, text: &str, depth: usize, folders: &FolderSet) {
        if depth > limits::MAX_NESTING {
            self.incomplete.get_or_insert(Incomplete::TooDeep("it is nested more than 8 deep"));
            return;
        }
        if self.try_spend(text) {
            let scanned = loose::scan_with(text, self.variables.clone());
            self.variables = scanned.variables.clone();
            self.search_scan(&scanned, depth, folders);
        }
    }

    fn try_spend(&mut self, text: &str) -> bool {
        let rest = self.budget.checked_sub(text.len());
        if rest.is_none() {
            self.incomplete
                .get_or_insert(Incomplete::Unreadable("it can be read in too many ways"));
        }
        self.budget = rest.unwrap_or(0);
        rest.is_some()
    }

    fn search_scan(&mut self, scanned: &LooseScan, depth: usize, folders: &FolderSet) {
        if let Some(why) = scanned.incomplete {
            self.incomplete.get_or_insert(why);
        }
        self.visitor.visit_scan(scanned);
        let shells_before = self.shells;
        let is_conditional = scanned.items.iter().any(has_conditional_word);
        let mut flows = Vec::new();
        let mut flow = FolderFlow::new(folders.clone());
        let mut seen_folders = folders.clone();
        for item in &scanned.items {
            match item {
                LooseItem::Enter(kind) => {
                    self.substitutions += usize::from(*kind == Subshell::Substitution);
                    flows.push((flow.clone(), *kind));
                }
                LooseItem::Leave => {
                    if let Some((before, kind)) = flows.pop() {
                        self.substitutions -= usize::from(kind == Subshell::Substitution);
                        flow = before;
                    }
                }
                LooseItem::Command(command) => {
                    self.search_written(command, depth, flow.folders());
                    let change = self.find_change(&command.words, flow.folders());
                    let change = change.map(|change| match is_conditional {
                        true => FolderChange { certainty: ChangeCertainty::MayFail, ..change },
                        false => change,
                    });
                    if is_conditional || change.is_some() {
                        seen_folders = seen_folders.union(flow.folders());
                    }
                    flow.advance(change, command.join.into());
                    // A loop runs its commands again, where it came to.
                    if is_conditional {
                        let everywhere = flow.folders().clone().union(&seen_folders);
                        flow = FolderFlow::new(everywhere);
                    }
                }
            }
        }
        // A text that is not closed leaves substitutions open.
        let left = flows.iter().filter(|(_, kind)| *kind == Subshell::Substitution).count();
        self.substitutions -= left;
        let everywhere = seen_folders.union(flow.folders());
        self.substitutions += 1;
        for text in &scanned.nested_texts {
            self.search_text(text, depth + 1, &everywhere);
        }
        self.substitutions -= 1;
        for input in &scanned.inputs {
            if input.expansion == InputExpansion::Substitutions && self.try_spend(&input.text) {
                let scanned = loose::scan_input(&input.text, self.variables.clone());
                self.search_scan(&scanned, depth + 1, &everywhere);
            }
        }
        if self.shells > shells_before {
            self.search_given_scripts(scanned, depth, &everywhere);
        }
    }

    /// What a shell in this text may read and run: here-documents, and what `echo` prints.
    fn search_given_scripts(&mut self, scanned: &LooseScan, depth: usize, folders: &FolderSet) {
        for input in &scanned.inputs {
            self.search_text(&input.text, depth + 1, folders);
        }
        for item in &scanned.items {
            let LooseItem::Command(command) = item else { continue };
            let program = command.words.first().map(|word| wrappers::base_name(&word.text));
            if matches!(program, Some("echo" | "printf")) {
                self.search_scripts(&command.words, depth, folders);
            }
        }
    }

    fn search_written(&mut self, command: &LooseCommand, depth: usize, folders: &FolderSet) {
        let folders = &self.add_option_folders(&command.words, folders);
        for word in &command.redirect_targets {
            self.visitor.visit_redirect_target(word, folders);
        }
        for word in command.words.iter().filter(|word| is_assignment(&word.text)) {
            self.visitor.visit_loose_word(word, folders);
        }
        let program = command.words.first().map(|word| wrappers::base_name(&word.text));
        if self.substitutions > 0 && matches!(program, Some("echo" | "printf")) {
            for word in &command.words {
                self.visitor.visit_loose_word(word, folders);
            }
        }
        let mut seen = HashSet::new();
        for piece in split_at_openers(&command.words) {
            self.search_command(piece, depth, &mut seen, (folders, OperandCheck::Open));
        }
    }

    fn search_command(
        &mut self,
        words: &[Word],
        depth: usize,
        seen: &mut HashSet<usize>,
        (folders, outer): (&FolderSet, OperandCheck),
    ) {
        let words = skip_prefixes(words);
        let Some(program) = words.first() else { return };
        // The same tail of the words is the same command, however it was reached.
        if !seen.insert(program as *const Word as usize) {
            return;
        }
        if depth > limits::MAX_NESTING {
            self.incomplete.get_or_insert(Incomplete::TooDeep("it is wrapped more than 8 deep"));
            return;
        }
        let checked = self.visitor.visit_command(words, folders, outer);
        self.search_readings(words, depth, folders);
        let name = wrappers::base_name(&program.text).to_ascii_lowercase();
        if SHELLS.contains(&name.as_str()) {
            self.shells += 1;
            self.search_scripts(words, depth, folders);
            // `cmd /c del x` and `powershell -Command ri x` run the rest of the line.
            if name.starts_with("cmd") || name.starts_with("p") {
                self.search_joined(words.get(1..).unwrap_or_default(), depth, folders);
            }
            return;
        }
        let Some(wrapper) = wrappers::find_wrapper(&name) else {
            let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
            let starts = runner_table::find_reachable_starts(&texts);
            for inner in starts.into_iter().filter_map(|start| words.get(start..)) {
                self.search_command(inner, depth + 1, seen, (folders, checked));
            }
            return;
        };
        match wrapper.inner {
            InnerCommand::AfterOperands(operands) => {
                for inner in self.find_inner_commands(words, wrapper, operands, (depth, folders)) {
                    self.search_command(inner, depth + 1, seen, (folders, checked));
                }
            }
            InnerCommand::FindExec => {
                find_exec_commands(words).for_each(|inner| {
                    self.search_command(inner, depth + 1, seen, (folders, checked))
                });
            }
            InnerCommand::Script => self.search_scripts(words, depth, folders),
            InnerCommand::Joined => self.search_joined(words, depth, folders),
        }
    }

    fn list_texts(&self, word: &Word) -> Vec<String> {
        match self.visitor.follows_values() {
            true => word.list_readings(),
            false => vec![word.text.clone()],
        }
    }

    /// A variable of the line may hold the program, or the whole command.
    fn search_readings(&mut self, words: &[Word], depth: usize, folders: &FolderSet) {
        let Some((program, rest)) = words.split_first() else { return };
        if !self.visitor.follows_values() || program.values.iter().all(Vec::is_empty) {
            return;
        }
        let rest: Vec<&str> = rest.iter().map(|word| word.text.as_str()).collect();
        for reading in program.list_readings() {
            self.search_text(&format!("{reading} {}", rest.join(" ")), depth + 1, folders);
        }
    }

    fn search_scripts(&mut self, words: &[Word], depth: usize, folders: &FolderSet) {
        self.variables.add_arguments(words.iter().skip(2));
        let texts: Vec<String> =
            words.iter().skip(1).flat_map(|word| self.list_texts(word)).collect();
        texts.iter().for_each(|text| self.search_text(text, depth + 1, folders));
    }

    fn search_joined(&mut self, words: &[Word], depth: usize, folders: &FolderSet) {
        let mut joined = vec![String::new()];
        for word in words.iter().skip(1) {
            let readings = self.list_texts(word);
            let longer = joined
                .iter()
                .flat_map(|start| readings.iter().map(move |text| format!("{start} {text}")));
            joined = longer.take(limits::MAX_VALUES).collect();
        }
        joined.iter().for_each(|text| self.search_text(text, depth + 1, folders));
    }

    /// The inner command. Two candidates if it is unknown whether the last option has a value.
    fn find_inner_commands<'w>(
        &mut self,
        words: &'w [Word],
        wrapper: &Wrapper,
        operands: usize,
        (depth, folders): (usize, &FolderSet),
    ) -> Vec<&'w [Word]> {
        let (mut index, mut may_have_value) = (1, false);
        while let Some(word) = words.get(index) {
            let option = word.text.as_str();
            if !option.starts_with('-') && !is_assignment(option) {
                break;
            }
            if wrapper.name == "env" && option.starts_with('-') && option.contains(['S', 's']) {
                self.search_split_string(option, words.get(index + 1), (depth, folders));
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
    fn search_split_string(
        &mut self,
        option: &str,
        next: Option<&Word>,
        (depth, folders): (usize, &FolderSet),
    ) {
        if let Some((_, attached)) = option.split_once(['S', '=']) {
            self.search_text(attached, depth + 1, folders);
        }
        if let Some(next) = next {
            self.search_text(&next.text, depth + 1, folders);
        }
    }
}

fn has_conditional_word(item: &LooseItem) -> bool {
    let LooseItem::Command(command) = item else { return false };
    command.words.first().is_some_and(|word| CONDITIONAL_WORDS.contains(&word.text.as_str()))
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
pub(crate) fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    let name = name.strip_suffix('+').unwrap_or(name);
    let name = name.split('[').next().unwrap_or(name);
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}
