//! A small tokenizer for Rust source text.
//!
//! It drops comments, strings and items behind `#[cfg(test)]`, so that a check sees production
//! code only. It does not parse Rust: a check that needs types belongs in clippy.

/// An identifier, `::`, or one punctuation character, with the line it stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'t> {
    pub text: &'t str,
    pub line: usize,
}

/// The tokens of production code, and the modules that exist only in tests.
pub struct ProductionCode<'t> {
    pub tokens: Vec<Token<'t>>,
    /// Names of modules declared as `#[cfg(test)] mod name;`.
    pub test_modules: Vec<&'t str>,
}

pub fn production_code(text: &str) -> ProductionCode<'_> {
    let all = tokenize(text);
    let mut code = ProductionCode { tokens: Vec::new(), test_modules: Vec::new() };
    let mut at = 0;
    while let Some(token) = all.get(at) {
        if is_test_attribute(&all, at) {
            let start = skip_attributes(&all, at);
            let end = skip_item(&all, start);
            code.test_modules.extend(declared_module(&all, start, end));
            at = end;
        } else {
            code.tokens.push(*token);
            at += 1;
        }
    }
    code
}

fn text_at<'t>(tokens: &[Token<'t>], at: usize) -> &'t str {
    tokens.get(at).map_or("", |token| token.text)
}

fn is_test_attribute(tokens: &[Token<'_>], at: usize) -> bool {
    ["#", "[", "cfg", "(", "test", ")", "]"]
        .iter()
        .zip(at..)
        .all(|(expected, at)| text_at(tokens, at) == *expected)
}

fn skip_attributes(tokens: &[Token<'_>], mut at: usize) -> usize {
    while text_at(tokens, at) == "#" && text_at(tokens, at + 1) == "[" {
        at = skip_group(tokens, at + 1);
    }
    at
}

/// The end of an item: after its `;`, or after its block.
fn skip_item(tokens: &[Token<'_>], mut at: usize) -> usize {
    while at < tokens.len() {
        match text_at(tokens, at) {
            ";" => return at + 1,
            "{" => return skip_group(tokens, at),
            "(" | "[" => at = skip_group(tokens, at),
            _ => at += 1,
        }
    }
    at
}

/// The position after the bracket that closes the one at `at`.
fn skip_group(tokens: &[Token<'_>], mut at: usize) -> usize {
    let mut depth = 0_usize;
    while at < tokens.len() {
        match text_at(tokens, at) {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
        if depth == 0 {
            break;
        }
    }
    at
}

fn declared_module<'t>(tokens: &[Token<'t>], start: usize, end: usize) -> Option<&'t str> {
    let item = tokens.get(start..end)?;
    let module = item.iter().position(|token| token.text == "mod")?;
    let is_declaration = item.last().is_some_and(|token| token.text == ";");
    item.get(module + 1).filter(|_| is_declaration).map(|token| token.text)
}

fn tokenize(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let (mut rest, mut line) = (text, 1);
    while let Some(first) = rest.chars().next() {
        let (length, is_token) = next_piece(rest, first);
        let (piece, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        if is_token {
            tokens.push(Token { text: piece, line });
        }
        line += piece.matches('\n').count();
        rest = after;
    }
    tokens
}

/// How many bytes the next piece takes, and whether it is a token.
fn next_piece(rest: &str, first: char) -> (usize, bool) {
    if rest.starts_with("//") {
        (rest.find('\n').unwrap_or(rest.len()), false)
    } else if rest.starts_with("/*") {
        (block_comment_length(rest), false)
    } else if let Some(length) = string_length(rest) {
        (length, false)
    } else if is_name_start(first) {
        (name_length(rest), true)
    } else if first.is_whitespace() || first.is_ascii_digit() {
        // A number, with the letters that belong to it.
        let end = rest.find(|c: char| !(c == first || is_name_part(c)));
        (if first.is_whitespace() { first.len_utf8() } else { end.unwrap_or(rest.len()) }, false)
    } else if rest.starts_with("::") {
        (2, true)
    } else {
        (first.len_utf8(), true)
    }
}

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn name_length(rest: &str) -> usize {
    rest.find(|c: char| !is_name_part(c)).unwrap_or(rest.len())
}

/// Block comments nest.
fn block_comment_length(rest: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(tail) = rest.get(at..).filter(|tail| !tail.is_empty()) {
        if tail.starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if tail.starts_with("*/") {
            (depth, at) = (depth.saturating_sub(1), at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += tail.chars().next().map_or(1, char::len_utf8);
        }
    }
    rest.len()
}

/// The length of a string, a byte string, a raw string, a character or a lifetime.
fn string_length(rest: &str) -> Option<usize> {
    let prefix = ["br", "cr", "b", "c", "r"]
        .into_iter()
        .find(|prefix| {
            let after = rest.strip_prefix(*prefix).unwrap_or("");
            let hashes = after.trim_start_matches('#');
            after.starts_with(['"', '\'']) || (prefix.ends_with('r') && hashes.starts_with('"'))
        })
        .unwrap_or("");
    let body = rest.get(prefix.len()..)?;
    if prefix.ends_with('r') {
        let hashes = body.len() - body.trim_start_matches('#').len();
        let end = format!("\"{}", "#".repeat(hashes));
        let from = hashes + 1;
        let found = body.get(from..)?.find(&end);
        return Some(found.map_or(rest.len(), |at| prefix.len() + from + at + end.len()));
    }
    match body.chars().next()? {
        '"' => Some(prefix.len() + quoted_length(body, '"')),
        '\'' => Some(prefix.len() + character_length(body)),
        _ => None,
    }
}

fn quoted_length(body: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in body.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    body.len()
}

/// `'a'` and `'\n'` are characters; `'a` is a lifetime.
fn character_length(body: &str) -> usize {
    let mut letters = body.chars().skip(1);
    match (letters.next(), letters.next()) {
        (Some('\\'), _) | (Some(_), Some('\'')) => quoted_length(body, '\''),
        _ => 1 + name_length(body.get(1..).unwrap_or("")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        production_code(text).tokens.iter().map(|token| token.text).collect()
    }

    #[test]
    fn comments_strings_characters_and_lifetimes_are_dropped() {
        let text =
            "a // b\n/* c /* d */ e */ \"f \\\" g\" r#\"h \" i\"# b'j' '\\'' &'k str 1_0u8 l";
        assert_eq!(texts(text), ["a", "&", "str", "l"]);
    }

    #[test]
    fn a_token_knows_its_line() {
        let code = production_code("a\n\"x\ny\"\nb");
        assert_eq!(code.tokens, [Token { text: "a", line: 1 }, Token { text: "b", line: 4 }]);
    }

    #[test]
    fn items_behind_cfg_test_are_dropped() {
        let text = "a; #[cfg(test)] #[path = \"x\"] mod tests { fn b() { c } } d
                    #[cfg(test)] use e; #[cfg(test)] mod plans; #[cfg(feature)] f";
        assert_eq!(texts(text), ["a", ";", "d", "#", "[", "cfg", "(", "feature", ")", "]", "f"]);
        assert_eq!(production_code(text).test_modules, ["plans"]);
    }
}
