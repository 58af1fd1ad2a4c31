//! Finds the spans of policies, words and strings in a policy file.
//!
//! Cedar's parsed policies have no spans, so the text is tokenized a second time. The tokens are
//! used only to locate problems and to split a file into policies.

use crate::problem::TextSpan;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Word,
    /// A string literal with its quotes.
    String,
    Punctuation,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PolicyToken<'t> {
    pub(crate) kind: TokenKind,
    pub(crate) text: &'t str,
    pub(crate) start: usize,
}

impl PolicyToken<'_> {
    pub(crate) fn span(&self) -> TextSpan {
        TextSpan::new(self.start, self.start + self.text.len())
    }
}

pub(crate) fn tokenize(text: &str) -> Vec<PolicyToken<'_>> {
    let mut found = Vec::new();
    let mut position = 0;
    while let Some(rest) = text.get(position..)
        && let Some(first) = rest.chars().next()
    {
        let (kind, length) = if rest.starts_with("//") {
            (None, rest.find('\n').unwrap_or(rest.len()))
        } else if first == '"' {
            (Some(TokenKind::String), string_length(rest))
        } else if is_word_char(first) {
            (Some(TokenKind::Word), rest.find(|c| !is_word_char(c)).unwrap_or(rest.len()))
        } else {
            ((!first.is_whitespace()).then_some(TokenKind::Punctuation), first.len_utf8())
        };
        if let (Some(kind), Some(text)) = (kind, rest.get(..length)) {
            found.push(PolicyToken { kind, text, start: position });
        }
        position += length;
    }
    found
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The length of the string literal at the start of the text, including its quotes.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (position, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return position + 1,
            _ => {}
        }
    }
    text.len()
}

/// The spans of the policies of a file, each including its semicolon.
pub(crate) fn policy_spans(text: &str) -> Vec<TextSpan> {
    let mut found = Vec::new();
    let mut start = None;
    for token in tokenize(text) {
        let first = *start.get_or_insert(token.start);
        if token.kind == TokenKind::Punctuation && token.text == ";" {
            found.push(TextSpan::new(first, token.span().end));
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
        let found: Vec<_> =
            policy_spans(text).iter().map(|span| span.slice(text).unwrap()).collect();
        assert_eq!(found, ["@id(\"x;\\\"y\")\npermit(a);", "forbid(b)\nwhen { \"é;\" };"]);
    }
}
