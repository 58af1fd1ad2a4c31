//! What a line does to its own shell: it sets variables and options.
//!
//! See docs/decisions/0070-loops-and-variables-of-a-line.md.

use super::variables::{ValueScope, Variable, VariableValue, is_free_name};
use super::words::ParsedWord;
use super::{Assignment, Join, LineParser, ParseRefusal, WordForm};
use crate::variables::explain_refused_variable;

/// Options that end a line early or print its commands. Others change what words mean.
const SHELL_OPTIONS: &[&str] = &[
    "-e", "-u", "-x", "-eu", "-ex", "-eux", "-ue", "-euo", "-eo", "-exo", "-euxo", "-o", "+e",
    "+x", "pipefail",
];

/// Names whose value shells only pass on.
fn is_exportable(name: &str) -> bool {
    explain_refused_variable(name).is_none()
}

impl LineParser<'_> {
    /// Takes `NAME=value` without a command, or what else changes only the shell. It must happen in any case, or the value is
    /// not certain.
    pub(super) fn parse_statement(&mut self) -> Result<bool, ParseRefusal> {
        let refusal = self.cursor.refuse("a command is missing");
        let before = self.before;
        if self.cursor.take_keyword("exit") {
            return self.parse_exit(before).map(|()| true);
        }
        if self.cursor.take_keyword("export") {
            return self.parse_export(before).map(|()| true);
        }
        if self.cursor.take_keyword("set") {
            self.parse_options()?;
            return match (before, self.parse_join()?) {
                (None | Some(Join::Then | Join::And), None | Some(Join::Then | Join::And)) => {
                    Ok(true)
                }
                _ => Err(refusal),
            };
        }
        let start = self.cursor.rest();
        let Some(name) = self.cursor.take_assigned_name() else { return Ok(false) };
        let value = self.parse_value()?;
        self.cursor.skip_gap();
        self.cursor.skip_comment();
        if !self.cursor.is_done() && !self.cursor.is_at_join() {
            self.cursor.go_back(start);
            return Ok(false);
        }
        let is_certain = !matches!(before, Some(Join::Or | Join::Pipe)) && self.pending.is_empty();
        self.push_git_question();
        let variable = self.make_variable(name, value, before);
        let join = self.parse_join()?;
        if !is_certain || !is_free_name(name) || matches!(join, Some(Join::Or | Join::Pipe)) {
            return Err(refusal);
        }
        self.cursor.variables.push(variable);
        self.end_chains(join);
        Ok(true)
    }

    /// `exit` and `exit 1`. Behind `||`, what follows runs only if the command in front succeeded.
    fn parse_exit(&mut self, before: Option<Join>) -> Result<(), ParseRefusal> {
        let refusal = self.cursor.refuse("the shell ends in an unusual way");
        self.cursor.skip_gap();
        let status = self.cursor.take_while(|b| b.is_ascii_digit());
        if status.len() > 3 || !self.cursor.is_at_word_end() {
            return Err(refusal);
        }
        self.cursor.skip_gap();
        self.cursor.skip_comment();
        let is_ended = self.cursor.is_done() || self.cursor.is_at_join();
        match (before, is_ended, self.parse_join()) {
            (Some(Join::Pipe), ..)
            | (_, false, _)
            | (.., Ok(Some(Join::And | Join::Or | Join::Pipe))) => {
                return Err(refusal);
            }
            (Some(Join::Or), true, Ok(None | Some(Join::Then))) => {
                if let Some(last) = self.segments.last_mut() {
                    last.join = Some(Join::And);
                }
            }
            (_, true, Ok(None | Some(Join::Then))) => {}
            (_, _, Err(refusal)) => return Err(refusal),
        }
        Ok(())
    }

    /// `export NAME=value`: as if it stood in front of every later command.
    fn parse_export(&mut self, before: Option<Join>) -> Result<(), ParseRefusal> {
        let refusal = self.cursor.refuse("a variable is exported in an unusual way");
        let mut exported = Vec::new();
        loop {
            self.cursor.skip_gap();
            self.cursor.skip_comment();
            if self.cursor.is_done() || self.cursor.is_at_join() {
                break;
            }
            let name = self.cursor.take_assigned_name().filter(|name| is_exportable(name));
            let name = name.ok_or(refusal)?;
            let value = self.parse_value()?;
            if value.folder.is_some() {
                return Err(refusal);
            }
            exported.push(Assignment { name: name.to_owned(), value: value.text });
        }
        let is_certain = matches!(before, None | Some(Join::Then | Join::And));
        let join = self.parse_join()?;
        if exported.is_empty() || !is_certain || matches!(join, Some(Join::Or | Join::Pipe)) {
            return Err(refusal);
        }
        self.exported.append(&mut exported);
        Ok(())
    }

    fn make_variable(&self, name: &str, word: ParsedWord, before: Option<Join>) -> Variable {
        let value = match word.folder {
            Some(found) => VariableValue::Folder {
                folder: found.folder,
                rest: found.rest,
                changes: self.cursor.changes,
            },
            None => VariableValue::Text(word.text),
        };
        let scope = if before == Some(Join::And) { ValueScope::Chain } else { ValueScope::List };
        Variable { name: name.to_owned(), value, form: WordForm::Literal, scope }
    }

    /// The words of `set`.
    fn parse_options(&mut self) -> Result<(), ParseRefusal> {
        let refusal = self.cursor.refuse("an option of the shell is set");
        let mut count = 0;
        loop {
            self.cursor.skip_gap();
            self.cursor.skip_comment();
            if self.cursor.is_done() || self.cursor.is_at_join() {
                break;
            }
            let is_known = SHELL_OPTIONS.iter().any(|option| self.cursor.take_keyword(option));
            if !is_known {
                return Err(refusal);
            }
            count += 1;
        }
        if count == 0 { Err(refusal) } else { Ok(()) }
    }

    /// What was set behind `&&` is certain until something else than `&&` follows.
    pub(super) fn end_chains(&mut self, join: Option<Join>) {
        if matches!(join, Some(Join::And | Join::Pipe)) {
            return;
        }
        let chained = self.cursor.variables.iter_mut().filter(|one| one.scope == ValueScope::Chain);
        chained.for_each(Variable::forget);
    }

    /// Forgets what was set since there were so many variables: it may not have happened.
    pub(super) fn forget_since(&mut self, count: usize) {
        self.cursor.variables.iter_mut().skip(count).for_each(Variable::forget);
    }
}
