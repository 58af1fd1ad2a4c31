//! Codex: `prefix_rule(pattern = […], decision = "…")` in files that end in `.rules`.
//!
//! These files are Starlark. Only calls with literal arguments are read; everything else is skipped.

use super::{ForeignEffect, ForeignRules};
use crate::install::parse_loosely;
use crate::shell_words::quote;
use serde_json::Value;

/// More alternatives are no rule that a person has written.
const MAX_ALTERNATIVES: usize = 64;

pub(super) fn read(text: &str, rules: &mut ForeignRules) {
    let text = without_comments(text);
    for call in text.split("prefix_rule").skip(1) {
        let Some(arguments) = find_arguments(call) else {
            rules.skip("prefix_rule", "its arguments are not written out");
            continue;
        };
        let shown =
            format!("prefix_rule({})", arguments.split_whitespace().collect::<Vec<_>>().join(" "));
        convert(&shown, arguments, rules);
    }
}

fn convert(shown: &str, arguments: &str, rules: &mut ForeignRules) {
    let decision = find_value(arguments, "decision");
    let effect = match decision.as_ref().map(|value| value.as_str()) {
        None | Some(Some("allow")) => ForeignEffect::Allow,
        Some(Some("prompt")) => ForeignEffect::Ask,
        Some(Some("forbidden")) => ForeignEffect::Deny,
        Some(_) => return rules.skip(shown, "its decision is unknown"),
    };
    let pattern = find_value(arguments, "pattern");
    match pattern.as_ref().and_then(Value::as_array).and_then(|words| expand(words)) {
        Some(lines) => {
            for line in lines {
                rules.add(effect, shown, format!("{line} *"));
            }
        }
        None => rules.skip(shown, "its pattern is not a list of words"),
    }
}

/// Every line that the pattern stands for: a list inside of it has alternatives.
fn expand(pattern: &[Value]) -> Option<Vec<String>> {
    let mut lines = vec![String::new()];
    for element in pattern {
        let words: Vec<&str> = match element {
            Value::String(word) => vec![word],
            Value::Array(words) => words.iter().map(Value::as_str).collect::<Option<_>>()?,
            _ => return None,
        };
        let longer = lines.iter().flat_map(|line| {
            words.iter().map(move |word| format!("{line} {}", quote(word)).trim().to_owned())
        });
        lines = longer.collect();
        if lines.len() > MAX_ALTERNATIVES {
            return None;
        }
    }
    Some(lines).filter(|_| !pattern.is_empty())
}

/// The literal behind `name =`.
fn find_value(arguments: &str, name: &str) -> Option<Value> {
    let mut rest = arguments;
    loop {
        let (before, after) = rest.split_once(name)?;
        let starts_word = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '"');
        match after.trim_start().strip_prefix('=') {
            Some(value) if starts_word => return parse_loosely(first_literal(value.trim_start())),
            Some(_) | None => rest = after,
        }
    }
}

/// Up to the comma or parenthesis that ends it.
fn first_literal(text: &str) -> &str {
    let end = scan(text, |c, depth| depth == 0 && matches!(c, ',' | ')'));
    end.map_or(text, |end| text.get(..end).unwrap_or(text)).trim()
}

/// What is between the parentheses of a call.
fn find_arguments(call: &str) -> Option<&str> {
    let inner = call.trim_start().strip_prefix('(')?;
    let end = scan(inner, |c, depth| depth == 0 && c == ')')?;
    inner.get(..end)
}

/// The first character outside of strings for which this holds, with the brackets open before it.
fn scan(text: &str, is_end: impl Fn(char, usize) -> bool) -> Option<usize> {
    let (mut depth, mut open_quote, mut is_escaped) = (0_usize, None, false);
    for (at, c) in text.char_indices() {
        match open_quote {
            Some(_) if is_escaped => is_escaped = false,
            Some(_) if c == '\\' => is_escaped = true,
            Some(quote) if c == quote => open_quote = None,
            Some(_) => {}
            None if matches!(c, '"' | '\'') => open_quote = Some(c),
            None if is_end(c, depth) => return Some(at),
            None if matches!(c, '[' | '(' | '{') => depth += 1,
            None if matches!(c, ']' | ')' | '}') => depth = depth.saturating_sub(1),
            None => {}
        }
    }
    None
}

fn without_comments(text: &str) -> String {
    let line = |line: &str| match scan(line, |c, _| c == '#') {
        Some(at) => line.get(..at).unwrap_or(line).to_owned(),
        None => line.to_owned(),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}
