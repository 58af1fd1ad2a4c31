//! Parses one word: safe characters, `\c`, `'…'`, and `"…"` without expansions, in any mixture; or one
//! unquoted pattern. Of expansions there are `$?`, which is always digits, the variables that the line
//! itself sets, and folders that the disk knows.
//!
//! See docs/decisions/0069-escapes-statuses-and-patterns-without-a-match.md.

use super::segment::{FolderName, Splitting};
use super::variables::{ParsedFolder, VariableValue};
use super::{Cursor, ParseRefusal, WordForm, documents};

pub(super) struct ParsedWord {
    pub(super) text: String,
    pub(super) form: WordForm,
    /// Whether variables of the line were replaced in it.
    pub(super) variables: VariableUse,
    /// The folder that it begins with. In the text it stands as it may be written.
    pub(super) folder: Option<ParsedFolder>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VariableUse {
    None,
    Replaced,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quoting {
    Bare,
    Double,
}

pub(super) fn parse_word(cursor: &mut Cursor) -> Result<ParsedWord, ParseRefusal> {
    while cursor.take_continuation() {}
    let start = cursor.offset();
    let mut word = WordBuilder::new(cursor.take_while(is_safe));
    while !cursor.is_at_word_end() {
        word.parse_piece(cursor, start)?;
        word.text.push_str(cursor.take_while(is_safe));
    }
    word.finish().map_err(|why| ParseRefusal { offset: start, why })
}

/// A word up to the cursor.
struct WordBuilder {
    text: String,
    /// zsh expands `=name` to the path of a program.
    starts_with_equals: bool,
    has_wildcard: bool,
    /// It has nothing but safe characters and wildcards.
    is_safe_only: bool,
    has_quotes: bool,
    has_escaped_quotes: bool,
    statuses: usize,
    variables: VariableUse,
    /// The value of a variable that is a pattern.
    pattern: Option<String>,
    folder: Option<(FolderName, Splitting)>,
}

impl WordBuilder {
    fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            starts_with_equals: text.starts_with('='),
            has_wildcard: false,
            is_safe_only: true,
            has_quotes: false,
            has_escaped_quotes: false,
            statuses: 0,
            variables: VariableUse::None,
            pattern: None,
            folder: None,
        }
    }

    /// Parses what is not a safe character.
    fn parse_piece(&mut self, cursor: &mut Cursor, start: usize) -> Result<(), ParseRefusal> {
        if let Some('*' | '?') = cursor.peek() {
            self.has_wildcard = true;
            push_next(cursor, &mut self.text);
            return Ok(());
        }
        self.is_safe_only = false;
        match cursor.peek() {
            Some('\'') => {
                self.has_quotes = true;
                parse_single_quotes(cursor, &mut self.text)
            }
            Some('"') => {
                self.has_quotes = true;
                self.parse_double_quotes(cursor)
            }
            Some('\\') => self.parse_bare_escape(cursor, start),
            Some('$') if cursor.is_at_last_dollar() => {
                push_next(cursor, &mut self.text);
                Ok(())
            }
            Some('$') => self.parse_dollar(cursor, Quoting::Bare),
            Some('#') if cursor.offset() > start => {
                push_next(cursor, &mut self.text);
                Ok(())
            }
            Some('~') if cursor.offset() == start => self.parse_home(cursor),
            Some('~' | '^') if self.text.ends_with(|c: char| c.is_ascii_alphanumeric()) => {
                push_next(cursor, &mut self.text);
                Ok(())
            }
            Some('^') if self.text.ends_with(['^', '=']) => {
                push_next(cursor, &mut self.text);
                Ok(())
            }
            // The mark of `xargs`.
            Some('{') if self.text == "-I" && cursor.take_text("{}") => {
                self.text.push_str("{}");
                Ok(())
            }
            Some('{') if self.text.ends_with(['@', '^']) => self.parse_revision_braces(cursor),
            c => Err(cursor.refuse(c.map_or("a word is missing", explain_unsafe))),
        }
    }

    /// `~` and `~/…`. The home folders of other users ask.
    fn parse_home(&mut self, cursor: &mut Cursor) -> Result<(), ParseRefusal> {
        let refusal = cursor.refuse(explain_unsafe('~'));
        cursor.next();
        match cursor.is_at_word_end() || cursor.peek() == Some('/') {
            true => self.begin_with(FolderName::Home, Splitting::Never, refusal),
            false => Err(refusal),
        }
    }

    /// A folder can only be the beginning of a word.
    fn begin_with(
        &mut self,
        folder: FolderName,
        splitting: Splitting,
        refusal: ParseRefusal,
    ) -> Result<(), ParseRefusal> {
        if !self.text.is_empty() || self.folder.is_some() {
            return Err(refusal);
        }
        self.text.push_str(folder.as_written());
        self.folder = Some((folder, splitting));
        Ok(())
    }

    /// `@{u}` and `^{commit}`: braces around one name are literal.
    fn parse_revision_braces(&mut self, cursor: &mut Cursor) -> Result<(), ParseRefusal> {
        let refusal = cursor.refuse(explain_unsafe('{'));
        cursor.next();
        let name = cursor.take_while(|b| b.is_ascii_alphanumeric() || b == b'-');
        if name.is_empty() || cursor.next() != Some('}') {
            return Err(refusal);
        }
        self.text.push('{');
        self.text.push_str(name);
        self.text.push('}');
        Ok(())
    }

    /// Outside quotes, a backslash makes the next character literal, or continues a line. Some shells
    /// read it with a letter or a digit as a control character.
    fn parse_bare_escape(&mut self, cursor: &mut Cursor, start: usize) -> Result<(), ParseRefusal> {
        if cursor.take_continuation() {
            return Ok(());
        }
        let refusal = cursor.refuse("a backslash stands in front of what shells read differently");
        let is_first = cursor.offset() == start;
        cursor.next();
        let escaped = cursor.next().filter(|c| c.is_ascii_punctuation() || matches!(c, ' ' | '\t'));
        let escaped = escaped.ok_or(refusal)?;
        self.text.push(escaped);
        self.has_escaped_quotes |= matches!(escaped, '\'' | '"');
        // A reader that does not know the escape would see two commands.
        let is_operator = matches!(escaped, ';' | '&' | '|' | '<' | '>' | '(' | ')');
        match is_operator && !(is_first && cursor.is_at_word_end()) {
            true => Err(cursor.refuse("an escaped operator is a part of a word")),
            false => Ok(()),
        }
    }

    fn parse_double_quotes(&mut self, cursor: &mut Cursor) -> Result<(), ParseRefusal> {
        let unclosed = cursor.refuse("a quote is not closed");
        cursor.next();
        if let Some(text) = documents::take_cat_document(cursor)? {
            self.text.push_str(&text);
        }
        loop {
            self.text.push_str(cursor.take_until(b"\"\\$`!").ok_or(unclosed)?);
            match cursor.peek() {
                Some('"') => break,
                Some('\\') => parse_escape(cursor, &mut self.text),
                Some('$') if cursor.is_at_literal_dollar() => push_next(cursor, &mut self.text),
                Some('$') => self.parse_dollar(cursor, Quoting::Double)?,
                _ => return Err(cursor.refuse(EXPANDED_IN_QUOTES)),
            }
        }
        cursor.next();
        Ok(())
    }

    /// The status of another command, which is a number; or a variable whose value is known.
    fn parse_dollar(&mut self, cursor: &mut Cursor, quoting: Quoting) -> Result<(), ParseRefusal> {
        const STATUSES: &[&str] = &["$?", "${PIPESTATUS[0]}", "${PIPESTATUS[1]}"];
        if let Some(status) = STATUSES.iter().find(|text| cursor.take_text(text)) {
            self.text.push_str(status);
            self.statuses += 1;
            return Ok(());
        }
        let refusal = match quoting {
            Quoting::Bare => cursor.refuse("something is expanded"),
            Quoting::Double => cursor.refuse(EXPANDED_IN_QUOTES),
        };
        let splitting = match quoting {
            Quoting::Bare => Splitting::AtBlanks,
            Quoting::Double => Splitting::Never,
        };
        if let Some(folder) = cursor.take_named_folder() {
            return self.begin_with(folder, splitting, refusal);
        }
        let variable = cursor.take_variable().ok_or(refusal)?;
        let is_pattern = variable.form == WordForm::Pattern;
        let is_one_word = |value: &str| !value.is_empty() && value.bytes().all(is_safe);
        let is_split = |value: &str| quoting == Quoting::Bare && !is_pattern && !is_one_word(value);
        let split = ParseRefusal { why: "a value may be split into words", ..refusal };
        match variable.value {
            VariableValue::Text(value) if is_split(&value) => return Err(split),
            VariableValue::Text(value) => {
                self.variables = VariableUse::Replaced;
                self.text.push_str(&value);
                self.pattern = if is_pattern { Some(value) } else { self.pattern.take() };
            }
            VariableValue::Folder { folder, rest, .. } => {
                if !rest.is_empty() && is_split(&rest) {
                    return Err(split);
                }
                self.begin_with(folder, splitting, refusal)?;
                self.text.push_str(&rest);
            }
            VariableValue::Uncertain => return Err(refusal),
        }
        Ok(())
    }

    fn finish(self) -> Result<ParsedWord, &'static str> {
        if self.starts_with_equals && !self.text.bytes().all(|b| b == b'=') {
            return Err("a word starts with `=`");
        }
        if self.has_quotes && self.has_escaped_quotes {
            return Err("a word has quotes and escaped quotes");
        }
        // Quotes, `~` and `#` in a pattern, and two stars, are read differently by other shells.
        if self.has_wildcard && (!self.is_safe_only || self.text.contains("**")) {
            return Err("a pattern is expanded");
        }
        if self.pattern.as_ref().is_some_and(|pattern| *pattern != self.text) {
            return Err("a match of a pattern is a part of a word");
        }
        // Nobody could tell a literal `$?` from one that is expanded.
        if self.statuses > 0 && self.text.matches('$').count() > self.statuses {
            return Err("something is expanded beside a literal `$`");
        }
        let form = if self.has_wildcard || self.pattern.is_some() {
            WordForm::Pattern
        } else if self.statuses > 0 {
            WordForm::Status
        } else {
            WordForm::Literal
        };
        let folder = match self.folder {
            None => None,
            Some((folder, splitting)) => {
                let rest = self.text.strip_prefix(folder.as_written()).unwrap_or_default();
                let is_path = rest.is_empty() || rest.starts_with('/');
                if !is_path || form != WordForm::Literal {
                    return Err("something is expanded beside a folder");
                }
                Some(ParsedFolder { folder, rest: rest.to_owned(), splitting })
            }
        };
        Ok(ParsedWord { text: self.text, form, variables: self.variables, folder })
    }
}

const EXPANDED_IN_QUOTES: &str = "something is expanded inside double quotes";

fn push_next(cursor: &mut Cursor, word: &mut String) {
    word.extend(cursor.next());
}

fn parse_single_quotes(cursor: &mut Cursor, word: &mut String) -> Result<(), ParseRefusal> {
    let unclosed = cursor.refuse("a quote is not closed");
    cursor.next();
    word.push_str(cursor.take_until(b"'").ok_or(unclosed)?);
    cursor.next();
    Ok(())
}

/// Inside double quotes, a backslash escapes four characters and removes a line end; otherwise it is
/// literal.
fn parse_escape(cursor: &mut Cursor, word: &mut String) {
    if cursor.take_continuation() {
        return;
    }
    cursor.next();
    match cursor.peek() {
        Some('"' | '\\' | '$' | '`') => push_next(cursor, word),
        _ => word.push('\\'),
    }
}

/// Bytes that are literal in every shell, anywhere in a word.
pub(super) const fn is_safe(byte: u8) -> bool {
    matches!(byte,
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9'
        | b'_' | b'-' | b'.' | b'/' | b':' | b'=' | b'@' | b'%' | b'+' | b',')
}

const fn explain_unsafe(c: char) -> &'static str {
    match c {
        '$' | '`' => "something is expanded",
        '*' | '?' | '[' | ']' | '{' | '}' => "a pattern is expanded",
        '~' => "a home folder is expanded",
        '<' | '>' => "something is redirected",
        '(' | ')' => "commands are grouped, or one is substituted",
        '#' => "there is a comment in it",
        '!' => "`!` negates, or expands history",
        c if !c.is_ascii() => "there is a non-ASCII character outside quotes",
        _ => "a character is special to a shell",
    }
}
