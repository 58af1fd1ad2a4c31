//! Parses one literal word: safe characters, `'…'`, and `"…"` without expansions, in any mixture.

use super::{Cursor, ParseRefusal};

pub(super) fn parse_word(at: &mut Cursor) -> Result<String, ParseRefusal> {
    let begin = at.offset();
    let mut word = at.take_while(is_safe).to_owned();
    loop {
        match at.peek() {
            None | Some(' ' | '\t' | '\n' | ';' | '&' | '|') => break,
            Some('\'') => parse_single_quotes(at, &mut word)?,
            Some('"') => parse_double_quotes(at, &mut word)?,
            Some('#') if at.offset() > begin => push_next(at, &mut word),
            Some('~') if word.ends_with(|c: char| c.is_ascii_alphanumeric()) => {
                push_next(at, &mut word);
            }
            Some(c) => return Err(at.refuse(explain_unsafe(c))),
        }
        word.push_str(at.take_while(is_safe));
    }
    // zsh expands `=name` to the path of a program.
    if word.starts_with('=') {
        return Err(ParseRefusal { offset: begin, why: "a word starts with `=`" });
    }
    Ok(word)
}

fn push_next(at: &mut Cursor, word: &mut String) {
    word.extend(at.next());
}

fn parse_single_quotes(at: &mut Cursor, word: &mut String) -> Result<(), ParseRefusal> {
    let open = at.refuse("a quote is not closed");
    at.next();
    word.push_str(at.take_until(b"'").ok_or(open)?);
    at.next();
    Ok(())
}

fn parse_double_quotes(at: &mut Cursor, word: &mut String) -> Result<(), ParseRefusal> {
    let open = at.refuse("a quote is not closed");
    at.next();
    loop {
        word.push_str(at.take_until(b"\"\\$`!").ok_or(open)?);
        match at.peek() {
            Some('"') => break,
            Some('\\') => parse_escape(at, word)?,
            _ => return Err(at.refuse("something is expanded inside double quotes")),
        }
    }
    at.next();
    Ok(())
}

/// Inside double quotes, a backslash escapes four characters and a line end; otherwise it is
/// literal.
fn parse_escape(at: &mut Cursor, word: &mut String) -> Result<(), ParseRefusal> {
    at.next();
    match at.peek() {
        Some('"' | '\\' | '$' | '`') => push_next(at, word),
        Some('\n') => return Err(at.refuse("a line is continued")),
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
