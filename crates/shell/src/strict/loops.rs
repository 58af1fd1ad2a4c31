//! `for NAME in WORDS; do COMMANDS; done`, as the commands that it runs: its body once for each word.
//!
//! The body has no loops, here-documents and redirections into files, and does not change the folder.
//! Its commands may only read, which the walk checks. So their order does not matter.
//!
//! See docs/decisions/0070-loops-and-variables-of-a-line.md.

use super::WordForm;
use super::variables::{Variable, is_free_name};
use super::words::{self, VariableUse};
use super::{Join, LineParser, ParseRefusal, Redirection, Segment, SegmentOrigin};
use crate::limits;

impl LineParser<'_> {
    /// Parses a loop behind the word `for`.
    pub(super) fn parse_loop(&mut self) -> Result<(), ParseRefusal> {
        let is_piped = self.segments.last().is_some_and(|last| last.join == Some(Join::Pipe));
        if is_piped || !self.pending.is_empty() {
            return Err(self.cursor.refuse("a loop reads what another command prints"));
        }
        let first = self.segments.len();
        let values = self.parse_loop_head()?;
        let body = self.cursor.rest();
        for value in values {
            self.cursor.go_back(body);
            self.cursor.variables.push(value);
            self.parse_loop_body()?;
            self.cursor.variables.pop();
        }
        self.skip_end_redirections();
        let join = self.parse_join()?;
        self.join_iterations(first, join);
        Ok(())
    }

    /// `NAME in WORDS; do`
    fn parse_loop_head(&mut self) -> Result<Vec<Variable>, ParseRefusal> {
        self.cursor.skip_blanks();
        let name = self.cursor.take_while(|b| b.is_ascii_alphanumeric() || b == b'_').to_owned();
        let is_bound = self.cursor.variables.iter().any(|variable| variable.name == name);
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
            if word.form == WordForm::Status || word.variables == VariableUse::Replaced {
                return Err(refusal);
            }
            values.push(Variable { name: name.to_owned(), value: word.text, form: word.form });
        }
        match values.is_empty() {
            true => Err(self.cursor.refuse("a loop has no list of words")),
            false => Ok(values),
        }
    }

    /// The commands up to `done`.
    fn parse_loop_body(&mut self) -> Result<(), ParseRefusal> {
        let mut last_join = None;
        loop {
            self.skip_lines()?;
            if last_join == Some(Join::Then) && self.cursor.take_keyword("done") {
                return Ok(());
            }
            if self.segments.len() >= limits::MAX_EXPANDED_SEGMENTS {
                return Err(self.cursor.refuse("its loops run more than 200 commands"));
            }
            let start = self.cursor.refuse("a loop does more than run simple commands");
            let mut segment = self.parse_segment()?;
            if !self.pending.is_empty() || !is_simple(&segment) {
                return Err(start);
            }
            segment.origin = SegmentOrigin::Loop;
            self.segments.push(segment);
            let join = self.parse_join()?;
            if join.is_none() {
                return Err(self.cursor.refuse("a loop has no end"));
            }
            if let Some(last) = self.segments.last_mut() {
                last.join = join;
            }
            last_join = join;
        }
    }

    /// `done 2>&1`
    fn skip_end_redirections(&mut self) {
        self.cursor.skip_gap();
        while self.cursor.take_harmless_redirection().is_some() {
            self.cursor.skip_gap();
        }
        self.cursor.skip_comment();
    }

    /// Joins the commands of all iterations. All of them start in the same folder; if the loop is a part
    /// of a pipe, so are all of them.
    fn join_iterations(&mut self, first: usize, join: Option<Join>) {
        let segments = self.segments.get_mut(first..).unwrap_or_default();
        for segment in &mut *segments {
            if join == Some(Join::Pipe) || segment.join != Some(Join::Pipe) {
                segment.join = Some(if join == Some(Join::Pipe) { Join::Pipe } else { Join::And });
            }
        }
        if let Some(last) = segments.last_mut() {
            last.join = join;
        }
    }
}

fn is_simple(segment: &Segment) -> bool {
    let is_file = |one: &Redirection| matches!(one, Redirection::File(_));
    !segment.redirections.iter().any(is_file)
        && segment.input.is_none()
        && segment.argv.first().is_some_and(|name| name != "cd")
}
