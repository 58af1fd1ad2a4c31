//! Splits a text into rules and their tokens.

use super::RuleError;

/// One token with its offset. A quoted token is never a placeholder.
#[derive(Clone, Debug)]
pub(super) struct RawToken {
    pub(super) text: String,
    pub(super) offset: usize,
    pub(super) quoting: TokenQuoting,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenQuoting {
    Plain,
    Quoted,
}

/// The tokens of one rule, with the start and end of the rule in the text.
pub(super) struct RawRule {
    pub(super) tokens: Vec<RawToken>,
    pub(super) start: usize,
    pub(super) end: usize,
}

pub(super) fn tokenize_rules(text: &str) -> Result<Vec<RawRule>, RuleError> {
    let mut rules = Vec::new();
    let mut rule = RawRule { tokens: Vec::new(), start: 0, end: 0 };
    let mut open: Option<RawToken> = None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let is_separator = |next: Option<&(usize, char)>| next.is_none_or(|(_, c)| is_blank(*c));
        match c {
            c if is_blank(c) => rule.tokens.extend(open.take()),
            ';' if is_separator(chars.peek()) => {
                rule.tokens.extend(open.take());
                rule.end = at;
                rules.push(std::mem::replace(
                    &mut rule,
                    RawRule { tokens: Vec::new(), start: at + 1, end: 0 },
                ));
            }
            '\'' | '"' => {
                let token = open.get_or_insert_with(|| RawToken::starting_at(at));
                token.quoting = TokenQuoting::Quoted;
                read_quoted(&mut chars, c, &mut token.text).ok_or_else(|| unclosed_quote(at))?;
            }
            c => open.get_or_insert_with(|| RawToken::starting_at(at)).text.push(c),
        }
    }
    rule.tokens.extend(open);
    rule.end = text.len();
    // A trailing separator does not start another rule.
    if !rule.tokens.is_empty() || rules.is_empty() {
        rules.push(rule);
    }
    Ok(rules)
}

impl RawToken {
    const fn starting_at(at: usize) -> Self {
        Self { text: String::new(), offset: at, quoting: TokenQuoting::Plain }
    }
}

const fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n')
}

fn unclosed_quote(at: usize) -> RuleError {
    RuleError::new(at, "a quote is not closed", "close it, or put the quote itself in quotes")
}

fn read_quoted(
    chars: &mut impl Iterator<Item = (usize, char)>,
    quote: char,
    text: &mut String,
) -> Option<()> {
    while let Some((_, c)) = chars.next() {
        match c {
            c if c == quote => return Some(()),
            '\\' if quote == '"' => match chars.next()?.1 {
                escaped @ ('"' | '\\' | '$' | '`') => text.push(escaped),
                other => text.extend(['\\', other]),
            },
            c => text.push(c),
        }
    }
    None
}
