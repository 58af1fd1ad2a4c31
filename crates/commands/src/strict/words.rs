//! Parses one word: safe characters, `\c`, `'…'`, and `"…"` without expansions, in any mixture; or one
//! unquoted pattern. `$?` is the only expansion, because it is always digits.

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
    /// Contains `$?` or `${PIPESTATUS[0]}`, which stand in the text as they were written.
    Status,
}

pub(super) fn parse_word(cursor: &mut Cursor) -> Result<ParsedWord, ParseRefusal> {
    while cursor.take_continuation() {}
    let start = cursor.offset();
    let mut word = cursor.take_while(is_safe).to_owned();
    let (mut has_wildcard, mut is_safe_only, mut statuses) = (false, true, 0);
    let (mut has_quotes, mut has_escaped_quotes) = (false, false);
    // zsh expands `=name` to the path of a program.
    let starts_with_equals = word.starts_with('=');
    loop {
        match cursor.peek() {
            None | Some(' ' | '\t' | '\n' | ';' | '&' | '|') => break,
            Some('*' | '?') => {
                has_wildcard = true;
                push_next(cursor, &mut word);
                word.push_str(cursor.take_while(is_safe));
                continue;
            }
            Some('\'') => {
                has_quotes = true;
                parse_single_quotes(cursor, &mut word)?;
            }
            Some('"') => {
                has_quotes = true;
                statuses += parse_double_quotes(cursor, &mut word)?;
            }
            Some('\\') => {
                let is_first = cursor.offset() == start;
                let escaped = parse_bare_escape(cursor, &mut word)?;
                has_escaped_quotes |= matches!(escaped, Some('\'' | '"'));
                // A reader that does not know the escape would see two commands.
                let is_operator = matches!(escaped, Some(';' | '&' | '|' | '<' | '>' | '(' | ')'));
                if is_operator && !(is_first && cursor.is_at_word_end()) {
                    return Err(cursor.refuse("an escaped operator is a part of a word"));
                }
            }
            Some('$') if take_status(cursor, &mut word) => statuses += 1,
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
    if has_quotes && has_escaped_quotes {
        return refuse("a word has quotes and escaped quotes");
    }
    // Quotes, `~` and `#` in a pattern, and two stars, are read differently by other shells.
    if has_wildcard && (!is_safe_only || word.contains("**")) {
        return refuse("a pattern is expanded");
    }
    // Nobody could tell a literal `$?` from one that is expanded.
    if statuses > 0 && word.matches('$').count() > statuses {
        return refuse("something is expanded beside a literal `$`");
    }
    let form = match (has_wildcard, statuses) {
        (true, _) => WordForm::Pattern,
        (false, 0) => WordForm::Literal,
        (false, _) => WordForm::Status,
    };
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

/// Outside quotes, a backslash makes the next character literal, which is returned, or continues a
/// line. Some shells read it with a letter or a digit as a control character.
fn parse_bare_escape(cursor: &mut Cursor, word: &mut String) -> Result<Option<char>, ParseRefusal> {
    if cursor.take_continuation() {
        return Ok(None);
    }
    let refusal = cursor.refuse("a backslash stands in front of what shells read differently");
    cursor.next();
    match cursor.peek() {
        Some(c) if c.is_ascii_punctuation() || matches!(c, ' ' | '\t') => {
            push_next(cursor, word);
            Ok(Some(c))
        }
        _ => Err(refusal),
    }
}

/// Takes `$?` or `${PIPESTATUS[0]}`: the status of another command, which is a number.
fn take_status(cursor: &mut Cursor, word: &mut String) -> bool {
    const STATUSES: &[&str] = &["$?", "${PIPESTATUS[0]}", "${PIPESTATUS[1]}"];
    let found = STATUSES.iter().find(|text| cursor.take_text(text));
    word.extend(found.copied());
    found.is_some()
}

/// Returns how many statuses are in the quotes.
fn parse_double_quotes(cursor: &mut Cursor, word: &mut String) -> Result<usize, ParseRefusal> {
    let mut statuses = 0;
    let unclosed = cursor.refuse("a quote is not closed");
    cursor.next();
    if let Some(text) = documents::take_cat_document(cursor)? {
        word.push_str(&text);
    }
    loop {
        word.push_str(cursor.take_until(b"\"\\$`!").ok_or(unclosed)?);
        match cursor.peek() {
            Some('"') => break,
            Some('\\') => parse_escape(cursor, word),
            Some('$') if take_status(cursor, word) => statuses += 1,
            _ => return Err(cursor.refuse("something is expanded inside double quotes")),
        }
    }
    cursor.next();
    Ok(statuses)
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
