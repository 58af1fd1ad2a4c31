//! The strict parser, for allow rules: simple commands of literal words, and nothing that two
//! shells could parse differently.
//!
//! It may refuse harmless lines, but must never accept a line that a shell would parse differently.
//! Deny rules use `loose` instead.
//!
//! See docs/decisions/0048-what-the-strict-reader-accepts.md.

mod cursor;
mod documents;
mod loops;
mod segment;
mod variables;
mod words;

use crate::limits;
use cursor::Cursor;
use documents::PendingDocument;
pub use segment::{
    Assignment, FileRedirection, Redirection, Segment, SegmentOrigin, Stream, WriteMode,
};
use variables::{Variable, is_free_name};
use words::{ParsedWord, VariableUse};

/// How a word was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WordForm {
    Literal,
    /// Contains an unquoted `*` or `?`, and no quotes; or is the variable of a loop over such a word.
    Pattern,
    /// Contains `$?` or `${PIPESTATUS[0]}`, which stand in the text as they were written.
    Status,
}

/// The operator between two simple commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    And,
    Or,
    Then,
    Pipe,
}

/// Where and why the strict parser refuses a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseRefusal {
    /// In bytes from the start of the line.
    pub offset: usize,
    pub why: &'static str,
}

/// Words that are keywords at the start of a command, in any common shell.
const RESERVED_WORDS: &[&str] = &[
    "if",
    "then",
    "else",
    "elif",
    "fi",
    "do",
    "done",
    "case",
    "esac",
    "while",
    "until",
    "for",
    "in",
    "function",
    "select",
    "coproc",
    "repeat",
    "foreach",
    "end",
    "nocorrect",
    "noglob",
    "and",
    "or",
    "not",
    "begin",
    "switch",
    "always",
    "typeset",
    "declare",
    "local",
];

/// Parses the simple commands of a line.
pub fn parse_line(text: &str) -> Result<Vec<Segment>, ParseRefusal> {
    parse_commands(text).map(|(segments, _)| segments)
}

/// Where the words of each simple command end, in bytes from the start of the line. `None` if the line
/// is refused.
pub fn find_word_ends(text: &str) -> Option<Vec<Vec<usize>>> {
    let (segments, ends) = parse_commands(text).ok()?;
    let is_same = |(segment, ends): (&Segment, &Vec<usize>)| segment.argv.len() == ends.len();
    (segments.len() == ends.len() && segments.iter().zip(&ends).all(is_same)).then_some(ends)
}

fn parse_commands(text: &str) -> Result<(Vec<Segment>, Vec<Vec<usize>>), ParseRefusal> {
    let cursor = Cursor::new(text);
    let mut parser =
        LineParser { cursor, segments: Vec::new(), word_ends: Vec::new(), pending: Vec::new() };
    parser.skip_lines()?;
    let mut commands = 0;
    while !parser.cursor.is_done() {
        if commands == limits::MAX_SEGMENTS {
            return Err(parser.cursor.refuse("there are more than 64 commands in it"));
        }
        commands += 1;
        parser.parse_command()?;
    }
    if !parser.pending.is_empty() {
        return Err(parser.cursor.refuse("a here-document has no text"));
    }
    match parser.segments.last().and_then(|last| last.join) {
        Some(Join::And | Join::Or | Join::Pipe) => {
            Err(parser.cursor.refuse("a command is missing at the end"))
        }
        Some(Join::Then) | None => Ok((parser.segments, parser.word_ends)),
    }
}

struct LineParser<'a> {
    cursor: Cursor<'a>,
    segments: Vec<Segment>,
    /// Where the words of each segment end.
    word_ends: Vec<Vec<usize>>,
    /// Here-documents whose texts start after this line.
    pending: Vec<PendingDocument>,
}

impl LineParser<'_> {
    /// A simple command, a loop, or an assignment, with the join behind it.
    fn parse_command(&mut self) -> Result<(), ParseRefusal> {
        if self.cursor.take_keyword("for") {
            return self.parse_loop();
        }
        if self.parse_statement()? {
            return Ok(());
        }
        let segment = self.parse_segment()?;
        self.segments.push(segment);
        let join = self.parse_join()?;
        if let Some(last) = self.segments.last_mut() {
            last.join = join;
        }
        Ok(())
    }

    /// Takes `NAME=value` without a command. It must happen in any case, or the value is not certain.
    fn parse_statement(&mut self) -> Result<bool, ParseRefusal> {
        let start = self.cursor.rest();
        let refusal = self.cursor.refuse("a command is missing");
        let Some(name) = self.cursor.take_assigned_name() else { return Ok(false) };
        let value = self.parse_value()?;
        self.cursor.skip_gap();
        self.cursor.skip_comment();
        if !self.cursor.is_done() && !self.cursor.is_at_join() {
            self.cursor.go_back(start);
            return Ok(false);
        }
        let before = self.segments.last().and_then(|last| last.join);
        let is_certain = matches!(before, None | Some(Join::Then)) && self.pending.is_empty();
        let join = self.parse_join()?;
        if !is_certain || !is_free_name(name) || matches!(join, Some(Join::Or | Join::Pipe)) {
            return Err(refusal);
        }
        let name = name.to_owned();
        self.cursor.variables.push(Variable { name, value, form: WordForm::Literal });
        Ok(true)
    }

    fn parse_segment(&mut self) -> Result<Segment, ParseRefusal> {
        let mut segment = Segment::default();
        let mut ends = Vec::new();
        if !self.cursor.variables.is_empty() {
            segment.origin = SegmentOrigin::BehindVariable;
        }
        loop {
            self.cursor.skip_gap();
            self.cursor.skip_comment();
            if self.cursor.is_done() || self.cursor.is_at_join() {
                break;
            }
            if self.parse_single_character(&mut segment) {
                ends.push(self.cursor.offset());
                continue;
            }
            let start = self.cursor.offset();
            if self.cursor.is_at_redirection() {
                self.parse_redirection(&mut segment)?;
                continue;
            }
            if segment.argv.is_empty()
                && let Some(name) = self.cursor.take_assigned_name()
            {
                let value = self.parse_value()?;
                segment.assignments.push(Assignment { name: name.to_owned(), value });
                continue;
            }
            let word = words::parse_word(&mut self.cursor)?;
            if segment.argv.is_empty() {
                check_program_name(&word, start)?;
            }
            match word.form {
                WordForm::Literal => {}
                WordForm::Pattern => segment.patterns.push(segment.argv.len()),
                WordForm::Status => segment.statuses.push(segment.argv.len()),
            }
            segment.argv.push(word.text);
            ends.push(self.cursor.offset());
        }
        match segment.argv.is_empty() {
            true => Err(self.cursor.refuse("a command is missing")),
            false => {
                self.word_ends.push(ends);
                Ok(segment)
            }
        }
    }

    /// The brackets of `[ … ]`, and `!` behind the program, are literal only as words of their own.
    fn parse_single_character(&mut self, segment: &mut Segment) -> bool {
        let wanted: &[char] = match segment.argv.first().map(String::as_str) {
            None => &['['],
            Some("[") => &[']', '!'],
            Some(_) => &['!'],
        };
        let found = wanted.iter().find(|c| self.cursor.take_whole_word(**c));
        segment.argv.extend(found.map(char::to_string));
        found.is_some()
    }

    /// The value of an assignment or the target of a redirection: one literal word.
    fn parse_literal(&mut self) -> Result<String, ParseRefusal> {
        let start = self.cursor.offset();
        let word = words::parse_word(&mut self.cursor)?;
        let refuse = |why| Err(ParseRefusal { offset: start, why });
        if word.variables == VariableUse::Replaced {
            return refuse("something is expanded");
        }
        match word.form {
            WordForm::Literal => Ok(word.text),
            WordForm::Pattern => refuse("a pattern is expanded"),
            WordForm::Status => refuse("something is expanded"),
        }
    }

    fn parse_value(&mut self) -> Result<String, ParseRefusal> {
        match self.cursor.peek() {
            None | Some(' ' | '\t' | '\n' | ';' | '&' | '|') => Ok(String::new()),
            Some(_) => self.parse_literal(),
        }
    }

    fn parse_redirection(&mut self, segment: &mut Segment) -> Result<(), ParseRefusal> {
        if segment.argv.is_empty() {
            return Err(self.cursor.refuse("a redirection comes before its command"));
        }
        if let Some(redirection) = self.cursor.take_harmless_redirection() {
            segment.redirections.push(redirection);
            return Ok(());
        }
        let offset = self.cursor.offset();
        if self.cursor.take_text("<<<") {
            return self.parse_here_string(segment);
        }
        if let Some(delimiter) = documents::take_delimiter(&mut self.cursor)? {
            let index = self.segments.len();
            let is_second = segment.input.is_some();
            if is_second || self.pending.iter().any(|document| document.segment == index) {
                return Err(self.cursor.refuse("a command has two here-documents"));
            }
            self.pending.push(PendingDocument { segment: index, delimiter, offset });
            return Ok(());
        }
        let Some((stream, mode)) = self.cursor.take_write_operator() else {
            return Err(self.cursor.refuse("something is redirected"));
        };
        self.cursor.skip_gap();
        if self.cursor.is_done() || self.cursor.is_at_join() {
            return Err(self.cursor.refuse("a redirection has no target"));
        }
        let path = self.parse_literal()?;
        segment.redirections.push(Redirection::File(FileRedirection { stream, mode, path }));
        Ok(())
    }

    /// `<<< WORD`: one literal word, to which the shell adds a line end.
    fn parse_here_string(&mut self, segment: &mut Segment) -> Result<(), ParseRefusal> {
        let refusal = self.cursor.refuse("a command has two here-documents");
        let index = self.segments.len();
        let is_second = self.pending.iter().any(|document| document.segment == index);
        self.cursor.skip_blanks();
        if self.cursor.is_done() || self.cursor.is_at_join() {
            return Err(self.cursor.refuse("a redirection has no target"));
        }
        let text = self.parse_literal()?;
        match is_second || segment.input.is_some() {
            true => Err(refusal),
            false => {
                segment.input = Some(format!("{text}\n"));
                Ok(())
            }
        }
    }

    fn parse_join(&mut self) -> Result<Option<Join>, ParseRefusal> {
        // The line's end is left to `skip_lines`, which reads here-documents there.
        let join = if self.cursor.peek() == Some('\n') {
            Join::Then
        } else {
            match self.cursor.take_operator() {
                None => return Ok(None),
                Some("&&") => Join::And,
                Some("||") => Join::Or,
                Some("|") => Join::Pipe,
                Some(";") => Join::Then,
                Some(_) => {
                    let why = "it contains an operator other than `&&`, `||`, `;`, `|`";
                    return Err(self.cursor.refuse(why));
                }
            }
        };
        self.skip_lines()?;
        Ok(Some(join))
    }

    /// Skips blanks, comments and line ends, and reads the here-documents that start behind one.
    fn skip_lines(&mut self) -> Result<(), ParseRefusal> {
        loop {
            self.cursor.skip_gap();
            self.cursor.skip_comment();
            if self.cursor.peek() != Some('\n') {
                return Ok(());
            }
            // Shells differ on where the text starts if its line has more than one end.
            let first = self.pending.first();
            if first.is_some_and(|first| self.cursor.has_line_end_since(first.offset)) {
                let why = "a line continues behind the start of a here-document";
                return Err(self.cursor.refuse(why));
            }
            self.cursor.next();
            for document in std::mem::take(&mut self.pending) {
                let text = documents::take_text(&mut self.cursor, &document.delimiter)?;
                if let Some(segment) = self.segments.get_mut(document.segment) {
                    segment.input = Some(text);
                }
            }
        }
    }
}

fn check_program_name(word: &ParsedWord, offset: usize) -> Result<(), ParseRefusal> {
    let text = word.text.as_str();
    let why = if text.is_empty() {
        "the program has no name"
    } else if word.form == WordForm::Pattern {
        "a pattern is expanded"
    } else if word.variables == VariableUse::Replaced {
        "something is expanded"
    } else if text == "[" {
        return Ok(());
    } else if text.contains('=') {
        "an assignment is part of the command"
    } else if RESERVED_WORDS.contains(&text) {
        "it starts with a keyword of the shell"
    } else if !text.bytes().all(words::is_safe) {
        "the name of the program contains unsafe characters"
    } else {
        return Ok(());
    };
    Err(ParseRefusal { offset, why })
}

#[cfg(test)]
mod tests;
