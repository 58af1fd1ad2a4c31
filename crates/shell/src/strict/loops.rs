//! `for NAME in WORDS; do COMMANDS; done`, as the commands that it runs: its body once for each word.
//!
//! The body has no here-documents and redirections into files, and does not change the folder of the
//! line. Its commands may only read, which the walk checks. So their order does not matter.
//!
//! See docs/decisions/0070-loops-and-variables-of-a-line.md.

use super::WordForm;
use super::groups::ListEnd;
use super::variables::{Variable, is_free_name};
use super::words::{self, VariableUse};
use super::{Group, Join, LineParser, ParseRefusal, Redirection, Segment, SegmentOrigin};
use crate::limits;

impl LineParser<'_> {
    /// Parses a loop behind the word `for`. `before` is the join in front of it.
    pub(super) fn parse_loop(&mut self, before: Option<Join>) -> Result<(), ParseRefusal> {
        if before == Some(Join::Pipe) || !self.pending.is_empty() {
            return Err(self.cursor.refuse("a loop reads what another command prints"));
        }
        let values = self.parse_loop_head()?;
        let (body, commands) = (self.cursor.rest(), self.commands);
        for value in values {
            self.cursor.go_back(body);
            self.commands = commands;
            let set = self.cursor.variables.len();
            self.cursor.variables.push(value);
            self.parse_loop_body()?;
            // The value of the loop's variable does not count behind it, nor what the body set.
            self.forget_since(set);
        }
        Ok(())
    }

    /// `NAME in WORDS; do`
    fn parse_loop_head(&mut self) -> Result<Vec<Variable>, ParseRefusal> {
        self.cursor.skip_blanks();
        let name = self.cursor.take_while(|b| b.is_ascii_alphanumeric() || b == b'_').to_owned();
        let is_bound = self.cursor.variables.iter().any(|one| one.name == name && one.is_set());
        if is_bound || !is_free_name(&name) {
            return Err(self.cursor.refuse("a loop sets a variable that may have another use"));
        }
        self.cursor.skip_blanks();
        if !self.cursor.take_keyword("in") {
            return Err(self.cursor.refuse("a loop has no list of words"));
        }
        let values = self.parse_loop_values(&name)?;
        let is_closed = self.parse_join()? == Some(Join::Then);
        match is_closed && self.cursor.take_keyword("do") {
            true => Ok(values),
            false => Err(self.cursor.refuse("the words of a loop end without `do`")),
        }
    }

    fn parse_loop_values(&mut self, name: &str) -> Result<Vec<Variable>, ParseRefusal> {
        let mut values = Vec::new();
        loop {
            self.cursor.skip_gap();
            if self.cursor.is_at_word_end() {
                break;
            }
            if values.len() == limits::MAX_ITERATIONS {
                return Err(self.cursor.refuse("a loop has more than 64 words"));
            }
            let refusal = self.cursor.refuse("something is expanded");
            let word = words::parse_word(&mut self.cursor)?;
            let is_expanded = word.variables == VariableUse::Replaced || word.folder.is_some();
            if word.form == WordForm::Status || is_expanded {
                return Err(refusal);
            }
            values.push(Variable::text(name, word.text, word.form));
        }
        match values.is_empty() {
            true => Err(self.cursor.refuse("a loop has no list of words")),
            false => Ok(values),
        }
    }

    /// The commands up to `done`.
    fn parse_loop_body(&mut self) -> Result<(), ParseRefusal> {
        let first = self.segments.len();
        let start = self.cursor.refuse("a loop does more than run simple commands");
        self.parse_list(ListEnd::Words(&["done"]))?;
        let has_documents = !self.pending.is_empty();
        let segments = self.segments.get_mut(first..).unwrap_or_default();
        if segments.is_empty() || has_documents || !are_simple(segments) {
            return Err(start);
        }
        for segment in segments {
            segment.origin = SegmentOrigin::Loop;
        }
        Ok(())
    }
}

/// Whether commands write no files by redirection, and change the folder only in subshells.
fn are_simple(segments: &[Segment]) -> bool {
    let is_file = |one: &Redirection| matches!(one, Redirection::File(_));
    let mut open = Vec::new();
    segments.iter().all(|segment| {
        open.extend(&segment.opens);
        let is_simple = !segment.redirections.iter().any(is_file)
            && segment.input.is_none()
            && (!segment.changes_folder() || open.contains(&&Group::Subshell));
        open.truncate(open.len().saturating_sub(segment.closes));
        is_simple
    })
}
