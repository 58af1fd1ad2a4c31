//! The text of rules, cut into rules and tokens.

use super::RuleError;

/// One token with its place; a quoted one is never a placeholder.
#[derive(Clone, Debug)]
pub(super) struct Raw {
    pub(super) text: String,
    pub(super) at: usize,
    pub(super) quoting: Quoting,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quoting {
    Plain,
    Quoted,
}

/// The tokens of every rule, with the place where each rule begins and ends.
pub(super) struct Cut {
    pub(super) tokens: Vec<Raw>,
    pub(super) begin: usize,
    pub(super) end: usize,
}

pub(super) fn cut(text: &str) -> Result<Vec<Cut>, RuleError> {
    let mut rules = Vec::new();
    let mut rule = Cut { tokens: Vec::new(), begin: 0, end: 0 };
    let mut open: Option<Raw> = None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let ends = |next: Option<&(usize, char)>| next.is_none_or(|(_, c)| is_blank(*c));
        match c {
            c if is_blank(c) => rule.tokens.extend(open.take()),
            ';' if ends(chars.peek()) => {
                rule.tokens.extend(open.take());
                rule.end = at;
                rules.push(std::mem::replace(
                    &mut rule,
                    Cut { tokens: Vec::new(), begin: at + 1, end: 0 },
                ));
            }
            '\'' | '"' => {
                let token = open.get_or_insert_with(|| Raw::at(at));
                token.quoting = Quoting::Quoted;
                quoted(&mut chars, c, &mut token.text).ok_or_else(|| unclosed(at))?;
            }
            c => open.get_or_insert_with(|| Raw::at(at)).text.push(c),
        }
    }
    rule.tokens.extend(open);
    rule.end = text.len();
    // A separator at the very end separates nothing.
    if !rule.tokens.is_empty() || rules.is_empty() {
        rules.push(rule);
    }
    Ok(rules)
}

impl Raw {
    const fn at(at: usize) -> Self {
        Self { text: String::new(), at, quoting: Quoting::Plain }
    }
}

const fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n')
}

fn unclosed(at: usize) -> RuleError {
    RuleError::new(at, "a quote is not closed", "close it, or put the quote itself in quotes")
}

fn quoted(
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
