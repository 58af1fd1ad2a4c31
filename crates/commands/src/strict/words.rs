//! Parses one word: safe characters, `'…'`, and `"…"` without expansions, in any mixture; or one
//! unquoted pattern.

use super::{Cursor, ParseRefusal, documents};

pub(super) struct ParsedWord {
    pub(super) text: String,
    pub(super) form: WordForm,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordForm {
    Literal,
    /// Contains an unquoted `*` or `?`, and no quotes.
    Pattern,
}

pub(super) fn parse_word(cursor: &mut Cursor) -> Result<ParsedWord, ParseRefusal> {
    let start = cursor.offset();
    let mut word = cursor.take_while(is_safe).to_owned();
    let (mut form, mut is_safe_only) = (WordForm::Literal, true);
    // zsh expands `=name` to the path of a program.
    let starts_with_equals = word.starts_with('=');
    loop {
        match cursor.peek() {
            None | Some(' ' | '\t' | '\n' | ';' | '&' | '|') => break,
            Some('*' | '?') => {
                form = WordForm::Pattern;
                push_next(cursor, &mut word);
                word.push_str(cursor.take_while(is_safe));
                continue;
            }
            Some('\'') => parse_single_quotes(cursor, &mut word)?,
            Some('"') => parse_double_quotes(cursor, &mut word)?,
            Some('#') if cursor.offset() > start => push_next(cursor, &mut word),
            Some('~') if word.ends_with(|c: char| c.is_ascii_alphanumeric()) => {
                push_next(cursor, &mut word);
            }
            Some(c) => return Err(cursor.refuse(explain_unsafe(c))),
        }
        is_safe_only = false;
        word.push_str(cursor.take_while(is_safe));
    }
    let refuse = |why| Err(ParseRefusal { offset: start, why });
    if starts_with_equals && !word.bytes().all(|b| b == b'=') {
        return refuse("a word starts with `=`");
    }
    if form == WordForm::Pattern {
        // Quotes, `~` and `#` in a pattern, and two stars, are read differently by other shells.
        if !is_safe_only || word.contains("**") {
            return refuse("a pattern is expanded");
        }
    }
    Ok(ParsedWord { text: word, form })
}

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

fn parse_double_quotes(cursor: &mut Cursor, word: &mut String) -> Result<(), ParseRefusal> {
    let unclosed = cursor.refuse("a quote is not closed");
    cursor.next();
    if let Some(text) = documents::take_cat_document(cursor)? {
        word.push_str(&text);
    }
    loop {
        word.push_str(cursor.take_until(b"\"\\$`!").ok_or(unclosed)?);
        match cursor.peek() {
            Some('"') => break,
            Some('\\') => parse_escape(cursor, word)?,
            _ => return Err(cursor.refuse("something is expanded inside double quotes")),
        }
    }
    cursor.next();
    Ok(())
}

/// Inside double quotes, a backslash escapes four characters and a line end; otherwise it is
/// literal.
fn parse_escape(cursor: &mut Cursor, word: &mut String) -> Result<(), ParseRefusal> {
    cursor.next();
    match cursor.peek() {
        Some('"' | '\\' | '$' | '`') => push_next(cursor, word),
        Some('\n') => return Err(cursor.refuse("a line is continued")),
        _ => word.push('\\'),
    }
    Ok(())
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
        '\\' => "there is a backslash outside quotes",
        '#' => "there is a comment in it",
        '!' => "`!` negates, or expands history",
        c if !c.is_ascii() => "there is a non-ASCII character outside quotes",
        _ => "a character is special to a shell",
    }
}
