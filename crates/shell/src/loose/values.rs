//! The values that the expansions of a line may have, as far as the line itself says so.
//!
//! A value only adds a reading: whatever else a variable may hold is still possible.

use super::{LooseCommand, LooseItem, UNKNOWN_VALUE, Word, WordKind};
use crate::limits;
use std::collections::HashMap;

/// Stands for the name of the agent's user, in a path such as `/home/NAME`.
pub const USER_NAME: &str = "<user>";

/// The variables of a line, each with every value that it may have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variables {
    values: HashMap<String, Vec<String>>,
}

impl Variables {
    /// The variables that every shell has, and the folder that `git rev-parse --show-toplevel` prints.
    pub fn of_shell(workspace: Option<&str>) -> Self {
        let mut variables = Self::default();
        for (name, value) in
            [("HOME", "~"), ("PWD", "."), ("USER", USER_NAME), ("LOGNAME", USER_NAME)]
        {
            variables.add(name, value.to_owned());
        }
        variables.add(TOP_LEVEL, workspace.unwrap_or(".").to_owned());
        variables
    }

    pub fn get(&self, name: &str) -> &[String] {
        self.values.get(name).map_or(&[], Vec::as_slice)
    }

    pub fn add(&mut self, name: &str, value: String) {
        if !self.values.contains_key(name) && self.values.len() >= limits::MAX_VARIABLES {
            return;
        }
        let known = self.values.entry(name.to_owned()).or_default();
        if known.len() < limits::MAX_VALUES && !known.contains(&value) {
            known.push(value);
        }
    }

    /// The arguments of a script or function.
    pub fn add_arguments<'w>(&mut self, words: impl Iterator<Item = &'w Word>) {
        for value in words.flat_map(Word::list_readings) {
            ["@", "*", "1", "2", "3"].iter().for_each(|name| self.add(name, value.clone()));
        }
    }

    /// `NAME=VALUE`, anywhere in a command.
    pub(super) fn add_assignment(&mut self, word: &Word) {
        for reading in word.list_readings() {
            let Some((name, value)) = reading.split_once('=') else { continue };
            let name = name.strip_suffix('+').unwrap_or(name);
            let is_name = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
            if !name.is_empty() && name.bytes().all(is_name) {
                self.add(name, value.to_owned());
            }
        }
    }

    /// `for NAME in WORDS` and `set -- WORDS`.
    pub(super) fn add_command(&mut self, words: &[Word]) {
        let texts: Vec<&str> = words.iter().take(3).map(|word| word.text.as_str()).collect();
        match texts.as_slice() {
            ["for" | "select", name, "in"] => {
                for value in words.iter().skip(3).flat_map(Word::list_readings) {
                    self.add(name, value);
                }
            }
            ["set", "--", ..] => self.add_arguments(words.iter().skip(2)),
            _ => {}
        }
    }

    /// The values of `${…}`, by the text between the braces.
    pub(super) fn read_braces(&self, text: &str) -> Vec<String> {
        let is_name = |c: char| c.is_ascii_alphanumeric() || "_@*".contains(c);
        let end = text.find(|c| !is_name(c)).unwrap_or(text.len());
        let (name, rest) = text.split_at_checked(end).unwrap_or((text, ""));
        let mut values = self.get(name).to_vec();
        match rest.strip_prefix(':').unwrap_or(rest).split_at_checked(1) {
            Some(("-" | "=", default)) => values.push(default.to_owned()),
            Some(("%", _)) => {
                values =
                    values.iter().map(|value| value.trim_end_matches('/').to_owned()).collect();
            }
            _ => {}
        }
        values
    }

    /// What a substitution prints, if it is one command that prints its words.
    pub(super) fn read_substitution(&self, items: &[LooseItem]) -> Vec<String> {
        let mut depth = 0_usize;
        let mut commands = Vec::new();
        for item in items {
            match item {
                LooseItem::Enter(_) => depth += 1,
                LooseItem::Leave => depth = depth.saturating_sub(1),
                LooseItem::Command(command) if depth == 0 => commands.push(command),
                LooseItem::Command(_) => {}
            }
        }
        match commands.as_slice() {
            [only] => self.read_printed(only),
            _ => Vec::new(),
        }
    }

    fn read_printed(&self, command: &LooseCommand) -> Vec<String> {
        let Some((program, rest)) = command.words.split_first() else { return Vec::new() };
        let texts: Vec<&str> = rest.iter().map(|word| word.text.as_str()).collect();
        let operands = || {
            let is_operand = |word: &&Word| !word.text.starts_with('-') && !word.text.contains('%');
            rest.iter().filter(is_operand).flat_map(Word::list_readings)
        };
        match (program.text.as_str(), texts.as_slice()) {
            ("echo" | "printf" | "realpath" | "readlink", _) => operands().collect(),
            ("dirname", _) => operands().map(|value| format!("{value}/..")).collect(),
            ("pwd", _) => vec![".".to_owned()],
            ("whoami", _) | ("id", ["-un"]) => vec![USER_NAME.to_owned()],
            ("git", ["rev-parse", "--show-toplevel"]) => self.get(TOP_LEVEL).to_vec(),
            (_, _) => Vec::new(),
        }
    }
}

/// No variable has this name.
const TOP_LEVEL: &str = "--show-toplevel";

impl Word {
    /// Adds an expansion, with every value that is known for it.
    pub(super) fn push_value(&mut self, values: Vec<String>) {
        self.text.push(UNKNOWN_VALUE);
        self.values.push(values);
        self.kind = WordKind::Dynamic;
    }

    /// The texts that the word may stand for: each known value of its expansions in their place. Without
    /// a known value, the text with its unknown values.
    pub fn list_readings(&self) -> Vec<String> {
        let mut parts = self.text.split(UNKNOWN_VALUE);
        let mut readings = vec![parts.next().unwrap_or_default().to_owned()];
        for (at, part) in parts.enumerate() {
            let unknown = [UNKNOWN_VALUE.to_string()];
            let values = self.values.get(at).filter(|values| !values.is_empty());
            let values = values.map_or(unknown.as_slice(), Vec::as_slice);
            let longer = readings.iter().flat_map(|reading| {
                values.iter().map(move |value| format!("{reading}{value}{part}"))
            });
            readings = longer.take(limits::MAX_VALUES).collect();
        }
        readings
    }
}
