//! Lists of commands, and the groups that contain them: `( … )`, `{ …; }` and `if`.
//!
//! A group is a member of the list around it. Of `if` every branch is read as if it ran: what one of
//! them may write, and where it may lead, holds for everything behind it.
//!
//! See docs/decisions/0115-groups-conditions-and-named-folders.md.

use super::segment::FolderUse;
use super::variables::ParsedFolder;
use super::{FolderUseAt, Group, Join, LineParser, ParseRefusal, Segment};
use crate::limits;

/// What ends a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListEnd {
    Text,
    Subshell,
    /// One of these words, in the place of a command.
    Words(&'static [&'static str]),
}

impl LineParser<'_> {
    /// Parses commands up to the end of their list, and takes what ends it.
    pub(super) fn parse_list(&mut self, end: ListEnd) -> Result<&'static str, ParseRefusal> {
        self.before = None;
        loop {
            self.skip_lines()?;
            if let Some(word) = self.take_end(end)? {
                return Ok(word);
            }
            if self.commands == limits::MAX_SEGMENTS {
                return Err(self.cursor.refuse("there are more than 64 commands in it"));
            }
            self.commands += 1;
            self.parse_command()?;
        }
    }

    fn take_end(&mut self, end: ListEnd) -> Result<Option<&'static str>, ParseRefusal> {
        let is_at_end = match end {
            ListEnd::Text => self.cursor.is_done(),
            ListEnd::Subshell => self.cursor.is_at_subshell_end(),
            ListEnd::Words(words) => {
                let is_closed = self.before == Some(Join::Then);
                let mut words = words.iter().filter(|_| is_closed);
                return Ok(words.find(|word| self.cursor.take_keyword(word)).copied());
            }
        };
        match (is_at_end, self.before) {
            (false, _) => Ok(None),
            (true, Some(Join::And | Join::Or | Join::Pipe)) => {
                Err(self.cursor.refuse("a command is missing at the end"))
            }
            (true, Some(Join::Then) | None) => {
                if end == ListEnd::Subshell {
                    self.cursor.next();
                }
                Ok(Some(""))
            }
        }
    }

    /// Takes a group or a loop, up to the join behind it; false if there is another command.
    pub(super) fn parse_group(&mut self) -> Result<bool, ParseRefusal> {
        let (first, before) = (self.segments.len(), self.before);
        let set = self.cursor.variables.len();
        let group = if self.cursor.take_subshell() {
            Group::Subshell
        } else if self.cursor.take_keyword("{") {
            self.enter(|parser| parser.parse_list(ListEnd::Words(&["}"])).map(|_| ()))?;
            Group::Inline
        } else if self.cursor.take_keyword("if") {
            self.enter(Self::parse_branches)?;
            Group::Inline
        } else if self.cursor.take_keyword("for") {
            self.enter(|parser| parser.parse_loop(before))?;
            Group::Inline
        } else {
            return Ok(false);
        };
        if group == Group::Subshell {
            self.parse_subshell()?;
        }
        self.forget_since(set);
        self.before = before;
        self.close_group(first, group)?;
        self.skip_end_redirections();
        Ok(true)
    }

    fn enter(
        &mut self,
        parse: impl FnOnce(&mut Self) -> Result<(), ParseRefusal>,
    ) -> Result<(), ParseRefusal> {
        self.nesting += 1;
        if self.nesting > limits::MAX_NESTING {
            return Err(self.cursor.refuse("it is nested more than 8 deep"));
        }
        parse(self)?;
        self.nesting -= 1;
        Ok(())
    }

    /// The commands behind `(`. What they set ends with them.
    fn parse_subshell(&mut self) -> Result<(), ParseRefusal> {
        let (variables, exported) = (self.cursor.variables.clone(), self.exported.clone());
        self.cursor.subshells += 1;
        self.enter(|parser| parser.parse_list(ListEnd::Subshell).map(|_| ()))?;
        self.cursor.subshells -= 1;
        self.cursor.variables = variables;
        self.exported = exported;
        Ok(())
    }

    /// `LIST; then LIST; elif LIST; then LIST; else LIST; fi` behind `if`.
    fn parse_branches(&mut self) -> Result<(), ParseRefusal> {
        let mut end = "elif";
        while end == "elif" {
            self.parse_branch(&["then"])?;
            end = self.parse_branch(&["elif", "else", "fi"])?;
        }
        if end == "else" {
            self.parse_branch(&["fi"])?;
        }
        Ok(())
    }

    fn parse_branch(
        &mut self,
        ends: &'static [&'static str],
    ) -> Result<&'static str, ParseRefusal> {
        let set = self.cursor.variables.len();
        let end = self.parse_list(ListEnd::Words(ends))?;
        self.forget_since(set);
        Ok(end)
    }

    /// Makes the commands since `first` one group.
    fn close_group(&mut self, first: usize, group: Group) -> Result<(), ParseRefusal> {
        let refusal = self.cursor.refuse("a command is missing");
        let opening = self.segments.get_mut(first).ok_or(refusal)?;
        opening.opens.insert(0, group);
        if let Some(last) = self.segments.last_mut() {
            last.closes += 1;
        }
        Ok(())
    }

    /// `done 2>&1`
    fn skip_end_redirections(&mut self) {
        self.cursor.skip_gap();
        while self.cursor.take_harmless_redirection().is_some() {
            self.cursor.skip_gap();
        }
        self.cursor.skip_comment();
    }
}

impl Segment {
    pub(super) fn add_folder(&mut self, at: FolderUseAt, found: Option<ParsedFolder>) {
        let used = found.map(|ParsedFolder { folder, rest, splitting }| FolderUse {
            at,
            folder,
            rest,
            splitting,
        });
        self.named_folders.extend(used);
    }

    /// Whether it is a `cd`, which needs no rule of its own.
    pub fn changes_folder(&self) -> bool {
        self.argv.first().is_some_and(|program| program == "cd")
    }
}
