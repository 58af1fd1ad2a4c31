//! Where things stand in a policy file.
//!
//! Cedar keeps no places for what it has understood, so that the text is cut a second time: into
//! words, strings and signs, without comments. Nothing is decided on these.

use crate::problem::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Word,
    /// With its quotes.
    Text,
    Sign,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'t> {
    pub(crate) kind: Kind,
    pub(crate) text: &'t str,
    pub(crate) start: usize,
}

impl Token<'_> {
    pub(crate) fn span(&self) -> Span {
        Span::new(self.start, self.start + self.text.len())
    }
}

pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..)
        && let Some(first) = rest.chars().next()
    {
        let (kind, length) = if rest.starts_with("//") {
            (None, rest.find('\n').unwrap_or(rest.len()))
        } else if first == '"' {
            (Some(Kind::Text), quoted(rest))
        } else if is_of_a_word(first) {
            (Some(Kind::Word), rest.find(|c| !is_of_a_word(c)).unwrap_or(rest.len()))
        } else {
            ((!first.is_whitespace()).then_some(Kind::Sign), first.len_utf8())
        };
        if let (Some(kind), Some(text)) = (kind, rest.get(..length)) {
            found.push(Token { kind, text, start: at });
        }
        at += length;
    }
    found
}

fn is_of_a_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// How long the string is that begins here, quotes included.
fn quoted(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The policies of a file, each up to and with its semicolon.
pub(crate) fn policies(text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let mut start = None;
    for token in tokens(text) {
        let first = *start.get_or_insert(token.start);
        if token.kind == Kind::Sign && token.text == ";" {
            found.push(Span::new(first, token.span().end));
            start = None;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_ends_at_a_semicolon_outside_of_strings_and_comments() {
        let text =
            "// a; b\n@id(\"x;\\\"y\")\npermit(a); // c;\n\n  forbid(b)\nwhen { \"é;\" };\n// end";
        let found: Vec<_> = policies(text).iter().map(|span| span.of(text).unwrap()).collect();
        assert_eq!(found, ["@id(\"x;\\\"y\")\npermit(a);", "forbid(b)\nwhen { \"é;\" };"]);
    }
}
