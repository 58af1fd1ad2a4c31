//! The strict parser, for allow rules: simple commands of literal words, and nothing that two
//! shells could parse differently.
//!
//! It may refuse harmless lines, but must never accept a line that a shell would parse differently.
//! Deny rules use `loose` instead.
//!
//! See docs/decisions/0048-what-the-strict-reader-accepts.md.

mod cursor;
mod documents;
mod groups;
mod loops;
mod program_names;
mod segment;
mod statements;
mod variables;
mod words;

use crate::limits;
use cursor::Cursor;
use documents::PendingDocument;
use groups::ListEnd;
use program_names::check_program_name;
pub use segment::{
    Assignment, FileRedirection, FolderName, FolderUse, FolderUseAt, Group, Redirection, Segment,
    SegmentOrigin, Splitting, StatusUse, Stream, WriteMode,
};
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

/// Parses the simple commands of a line.
pub fn parse_line(text: &str) -> Result<Vec<Segment>, ParseRefusal> {
    parse_commands(text, None).map(|(segments, _)| segments)
}

/// Where the words of each simple command end, in bytes from the start of the line. `None` if the line
/// is refused.
pub fn find_word_ends(text: &str) -> Option<Vec<Vec<usize>>> {
    let (segments, ends) = parse_commands(text, Some(Vec::new())).ok()?;
    let ends = ends?;
    let is_same = |(segment, ends): (&Segment, &Vec<usize>)| segment.argv.len() == ends.len();
    (segments.len() == ends.len() && segments.iter().zip(&ends).all(is_same)).then_some(ends)
}

/// The ends of words, of each segment, if somebody wants them: few lines are changed.
type WordEnds = Option<Vec<Vec<usize>>>;

fn parse_commands(
    text: &str,
    word_ends: WordEnds,
) -> Result<(Vec<Segment>, WordEnds), ParseRefusal> {
    let mut parser = LineParser {
        cursor: Cursor::new(text),
        segments: Vec::new(),
        word_ends,
        pending: Vec::new(),
        before: None,
        exported: Vec::new(),
        commands: 0,
        nesting: 0,
    };
    parser.parse_list(ListEnd::Text)?;
    match parser.pending.is_empty() {
        true => Ok((parser.segments, parser.word_ends)),
        false => Err(parser.cursor.refuse("a here-document has no text")),
    }
}

struct LineParser<'a> {
    cursor: Cursor<'a>,
    segments: Vec<Segment>,
    /// Where the words of each segment end.
    word_ends: WordEnds,
    /// Here-documents whose texts start after this line.
    pending: Vec<PendingDocument>,
    /// What stands in front of the cursor in its list; nothing at the start.
    before: Option<Join>,
    /// What every further command gets in its environment.
    exported: Vec<Assignment>,
    /// How many commands were read, without the repetitions of loops.
    commands: usize,
    nesting: usize,
}

impl LineParser<'_> {
    /// A simple command, a group, a loop, or a statement, with the join behind it.
    fn parse_command(&mut self) -> Result<(), ParseRefusal> {
        if self.segments.len() >= limits::MAX_EXPANDED_SEGMENTS {
            return Err(self.cursor.refuse("its loops run more than 200 commands"));
        }
        if !self.parse_group()? {
            if self.parse_statement()? {
                return Ok(());
            }
            let may_negate = self.before != Some(Join::Pipe);
            let is_negated = may_negate && self.cursor.take_whole_word('!');
            let refusal =
                is_negated.then(|| self.cursor.refuse("`!` negates a change of the folder"));
            let mut segment = self.parse_segment()?;
            if let Some(refusal) = refusal.filter(|_| segment.changes_folder()) {
                return Err(refusal);
            }
            segment.status = if is_negated { StatusUse::Negated } else { StatusUse::Kept };
            self.push_segment(segment)?;
        }
        let join = self.parse_join()?;
        if let Some(last) = self.segments.last_mut() {
            last.join = join;
        }
        Ok(())
    }

    /// Where the word ends that was just read.
    fn word_end(&self) -> Option<usize> {
        self.word_ends.as_ref().map(|_| self.cursor.offset())
    }

    /// Adds a command, behind the one that a substitution in it runs.
    fn push_segment(&mut self, segment: Segment) -> Result<(), ParseRefusal> {
        let is_documented = self.pending.iter().any(|one| one.segment == self.segments.len());
        if self.cursor.asks_git && is_documented {
            return Err(self.cursor.refuse("a command with a here-document asks git for a folder"));
        }
        self.push_git_question();
        self.cursor.changes += usize::from(segment.changes_folder());
        self.segments.push(segment);
        Ok(())
    }

    /// The command that prints the folder of the repository is one of the line.
    fn push_git_question(&mut self) {
        if !std::mem::take(&mut self.cursor.asks_git) {
            return;
        }
        let join = if self.before == Some(Join::Pipe) { Join::Pipe } else { Join::And };
        self.segments.push(Segment {
            argv: ["git", "rev-parse", "--show-toplevel"].map(str::to_owned).to_vec(),
            join: Some(join),
            origin: self.origin(),
            ..Segment::default()
        });
    }

    fn origin(&self) -> SegmentOrigin {
        let has_upper = |name: &str| name.bytes().any(|b| b.is_ascii_uppercase());
        match self.cursor.variables.iter().any(|variable| has_upper(&variable.name)) {
            _ if self.cursor.variables.is_empty() => SegmentOrigin::Line,
            true => SegmentOrigin::BehindSetting,
            false => SegmentOrigin::BehindVariable,
        }
    }

    fn parse_segment(&mut self) -> Result<Segment, ParseRefusal> {
        let assignments = self.exported.clone();
        let mut segment = Segment { origin: self.origin(), assignments, ..Segment::default() };
        let mut ends = Vec::new();
        loop {
            self.cursor.skip_gap();
            self.cursor.skip_comment();
            if self.cursor.is_done() || self.cursor.is_at_join() {
                break;
            }
            if self.parse_single_character(&mut segment) {
                ends.extend(self.word_end());
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
                let name = name.to_owned();
                let ParsedWord { text: value, folder, .. } = self.parse_value()?;
                segment.add_folder(FolderUseAt::Assignment(segment.assignments.len()), folder);
                segment.assignments.push(Assignment { name, value });
                continue;
            }
            let is_git = segment.argv.first().is_some_and(|program| program == "git");
            let excluding = if is_git && self.cursor.take_excluding() { "^" } else { "" };
            let mut word = words::parse_word(&mut self.cursor)?;
            word.text.insert_str(0, excluding);
            if segment.argv.is_empty() {
                check_program_name(&word, start)?;
            }
            match word.form {
                WordForm::Literal => {}
                WordForm::Pattern => segment.patterns.push(segment.argv.len()),
                WordForm::Status => segment.statuses.push(segment.argv.len()),
            }
            segment.add_folder(FolderUseAt::Word(segment.argv.len()), word.folder);
            segment.argv.push(word.text);
            ends.extend(self.word_end());
        }
        // What shells only pass on does not change where `cd` leads.
        if segment.changes_folder() && segment.assignments == self.exported {
            segment.assignments.clear();
        }
        match segment.argv.is_empty() {
            true => Err(self.cursor.refuse("a command is missing")),
            false => {
                if let Some(all) = &mut self.word_ends {
                    all.push(ends);
                }
                Ok(segment)
            }
        }
    }

    /// The brackets of `[ … ]`, and `!` and `{}` behind the program, are literal only as words of their
    /// own.
    fn parse_single_character(&mut self, segment: &mut Segment) -> bool {
        if !segment.argv.is_empty() && self.cursor.take_keyword("{}") {
            segment.argv.push("{}".to_owned());
            return true;
        }
        let wanted: &[char] = match segment.argv.first().map(String::as_str) {
            None => &['['],
            Some("[") => &[']', '!'],
            Some(_) => &['!'],
        };
        let found = wanted.iter().find(|c| self.cursor.take_whole_word(**c));
        segment.argv.extend(found.map(char::to_string));
        found.is_some()
    }

    /// The value of an assignment: one word. Shells do not split it.
    fn parse_value(&mut self) -> Result<ParsedWord, ParseRefusal> {
        let start = self.cursor.offset();
        let word = words::parse_word(&mut self.cursor)?;
        let refuse = |why| Err(ParseRefusal { offset: start, why });
        match word.form {
            WordForm::Literal => Ok(word),
            WordForm::Pattern => refuse("a pattern is expanded"),
            WordForm::Status => refuse("something is expanded"),
        }
    }

    /// The target of a redirection, and a here-string.
    fn parse_literal(&mut self) -> Result<String, ParseRefusal> {
        let refusal = self.cursor.refuse("something is expanded");
        let word = self.parse_value()?;
        match word.variables == VariableUse::Replaced || word.folder.is_some() {
            true => Err(refusal),
            false => Ok(word.text),
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

    /// The join behind a command. There is none at the end of the text and of a subshell.
    fn parse_join(&mut self) -> Result<Option<Join>, ParseRefusal> {
        // The line's end is left to `skip_lines`, which reads here-documents there.
        let join = if self.cursor.peek() == Some('\n') {
            Some(Join::Then)
        } else {
            match self.cursor.take_operator() {
                None if self.cursor.is_done() || self.cursor.is_at_subshell_end() => None,
                None => return Err(self.cursor.refuse("something follows a group of commands")),
                Some("&&") => Some(Join::And),
                Some("||") => Some(Join::Or),
                Some("|") => Some(Join::Pipe),
                Some(";") => Some(Join::Then),
                Some(_) => {
                    let why = "it contains an operator other than `&&`, `||`, `;`, `|`";
                    return Err(self.cursor.refuse(why));
                }
            }
        };
        self.before = join;
        self.end_chains(join);
        if join.is_some() {
            self.skip_lines()?;
        }
        Ok(join)
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

#[cfg(test)]
mod tests;
