//! Parses tokens into rules; every error has an offset and a help text.

use super::tokens::{RawRule, RawToken, TokenQuoting, tokenize_rules};
use super::{CommandRule, RuleBody, RuleEffect, RuleEnd, RuleError, RuleToken};
use crate::limits;
use countersign_core::encoding::unicode::is_invisible;

const FORM_HELP: &str = "write `allow PROGRAM …`, `deny PROGRAM …`, `deny path PATH` or `none`";

/// Parses the rules of a text. The text `none` means no rules.
pub fn parse_rules(text: &str) -> Result<Vec<CommandRule>, RuleError> {
    let raw_rules = tokenize_rules(text)?;
    if let [single] = raw_rules.as_slice()
        && let [word] = single.tokens.as_slice()
        && word.text == "none"
    {
        return Ok(Vec::new());
    }
    if raw_rules.len() > limits::MAX_RULES {
        return Err(RuleError::new(0, "there are more than 10,000 rules", "split the list"));
    }
    raw_rules.iter().map(|raw_rule| parse_rule(raw_rule, text)).collect()
}

/// Parses one rule without its first word, as an entry of an `allow` or `deny` list.
pub fn parse_body(effect: RuleEffect, text: &str) -> Result<CommandRule, RuleError> {
    let prefix = format!("{} ", effect.word());
    let first = text.split_whitespace().next().unwrap_or_default();
    if ["allow", "deny", "none"].contains(&first) {
        let message = format!("there is `{first}` where a program should be");
        let help = "write the command alone: the list says whether it is allowed or denied, and \
                    an empty list holds no rule";
        return Err(RuleError::new(0, message, help));
    }
    // Offsets refer to the entry, without the prefix that was added to it.
    let here =
        |error: RuleError| RuleError { offset: error.offset.saturating_sub(prefix.len()), ..error };
    let mut rules = parse_rules(&format!("{prefix}{text}")).map_err(here)?;
    match (rules.pop(), rules.is_empty()) {
        (Some(rule), true) => Ok(rule),
        _ => {
            let help = "write each rule as a separate entry, or put the `;` in quotes";
            Err(RuleError::new(0, "one entry contains more than one rule", help))
        }
    }
}

fn parse_rule(raw_rule: &RawRule, text: &str) -> Result<CommandRule, RuleError> {
    let Some((verb, rest)) = raw_rule.tokens.split_first() else {
        return Err(RuleError::new(raw_rule.start, "a rule is empty", FORM_HELP));
    };
    if raw_rule.end - raw_rule.start > limits::MAX_RULE_BYTES {
        return Err(RuleError::new(verb.offset, "a rule is longer than 4 KiB", "shorten the rule"));
    }
    if let Some(hidden) = text.get(raw_rule.start..raw_rule.end).and_then(find_hidden_char) {
        let help = "write the rule with visible characters";
        return Err(RuleError::new(raw_rule.start, format!("a rule contains {hidden:?}"), help));
    }
    let effect = match (verb.text.as_str(), verb.quoting) {
        ("allow", TokenQuoting::Plain) => RuleEffect::Allow,
        ("deny", TokenQuoting::Plain) => RuleEffect::Deny,
        (other, _) => {
            return Err(RuleError::new(
                verb.offset,
                format!("a rule cannot start with `{other}`"),
                FORM_HELP,
            ));
        }
    };
    let body = match rest {
        [] => return Err(RuleError::new(verb.offset, "the rule names no program", FORM_HELP)),
        [word, path] if effect == RuleEffect::Deny && is_plain_token(word, "path") => {
            RuleBody::Path(path.text.clone())
        }
        tokens => parse_command(tokens)?,
    };
    let text = text.get(raw_rule.start..raw_rule.end).unwrap_or_default().trim().to_owned();
    Ok(CommandRule { text, effect, body })
}

/// The first control or invisible character, which a reader of the rule would not see.
fn find_hidden_char(text: &str) -> Option<char> {
    let hidden = |c: &char| c.is_control() && *c != '\t' && *c != '\n';
    text.chars().find(|c| hidden(c) || is_invisible(*c))
}

fn is_plain_token(raw: &RawToken, text: &str) -> bool {
    raw.quoting == TokenQuoting::Plain && raw.text == text
}

fn parse_command(raw: &[RawToken]) -> Result<RuleBody, RuleError> {
    let (raw, end) = match raw.split_last() {
        Some((last, before)) if is_plain_token(last, "*") => (before, RuleEnd::Open),
        _ => (raw, RuleEnd::Exact),
    };
    let tokens: Vec<RuleToken> = raw.iter().map(parse_token).collect::<Result<_, _>>()?;
    match (tokens.first(), raw.first()) {
        (Some(RuleToken::Word(word)), _) if !word.is_empty() => {
            Ok(RuleBody::Command { tokens, end })
        }
        (_, at) => {
            let at = at.map_or(0, |raw| raw.offset);
            let help = "name the program; `*` and `<path:ws>` are for its arguments";
            Err(RuleError::new(at, "the program cannot be a placeholder", help))
        }
    }
}

fn parse_token(raw: &RawToken) -> Result<RuleToken, RuleError> {
    let fail = |message: &str, help| Err(RuleError::new(raw.offset, message, help));
    match (raw.text.as_str(), raw.quoting) {
        ("<path:ws>", TokenQuoting::Plain) => Ok(RuleToken::InWorkspace),
        ("<unlisted-task>", TokenQuoting::Plain) => Ok(RuleToken::UnlistedTask),
        ("*", TokenQuoting::Plain) => {
            fail("`*` is not at the end of the rule", "put it last, or in quotes if it is literal")
        }
        (text, TokenQuoting::Plain) if text.starts_with('<') && text.ends_with('>') => fail(
            "an unknown placeholder",
            "write `<path:ws>` or `<unlisted-task>`, or put it in quotes if it is literal",
        ),
        (text, _) => Ok(RuleToken::Word(text.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word_tokens(words: &[&str]) -> Vec<RuleToken> {
        words.iter().map(|word| RuleToken::Word((*word).to_owned())).collect()
    }

    #[test]
    fn a_text_is_parsed_into_rules() {
        let read = parse_rules("allow git log *; deny path ./.env; allow cat <path:ws>").unwrap();
        let bodies: Vec<_> = read.into_iter().map(|rule| rule.body).collect();
        let mut cat = word_tokens(&["cat"]);
        cat.push(RuleToken::InWorkspace);
        assert_eq!(
            bodies,
            [
                RuleBody::Command { tokens: word_tokens(&["git", "log"]), end: RuleEnd::Open },
                RuleBody::Path("./.env".to_owned()),
                RuleBody::Command { tokens: cat, end: RuleEnd::Exact },
            ]
        );
        assert_eq!(parse_rules("none"), Ok(Vec::new()));
    }

    #[test]
    fn a_quoted_token_is_literal() {
        let read = parse_rules("allow psql -c 'select 1; x' '*' \"a\\\"b\";").unwrap();
        let tokens = word_tokens(&["psql", "-c", "select 1; x", "*", "a\"b"]);
        assert_eq!(read[0].body, RuleBody::Command { tokens, end: RuleEnd::Exact });
    }

    #[test]
    fn a_list_entry_is_one_rule_without_its_first_word() {
        let rule = parse_body(RuleEffect::Deny, "git push --force *").unwrap();
        assert_eq!(rule, parse_rules("deny git push --force *").unwrap()[0]);
        assert_eq!(
            parse_body(RuleEffect::Deny, "path ./.env"),
            Ok(parse_rules("deny path ./.env").unwrap()[0].clone())
        );
        for (text, at) in [
            ("", 0),
            ("ls * x", 3),
            ("ls 'x", 3),
            ("ls; rm", 4),
            ("ls; deny rm", 0),
            ("allow ls", 0),
            ("none", 0),
            ("*", 0),
        ] {
            assert_eq!(
                parse_body(RuleEffect::Allow, text).map_err(|error| error.offset),
                Err(at),
                "{text:?}"
            );
        }
    }

    #[test]
    fn an_invalid_rule_is_refused_with_its_offset() {
        for (text, at) in [
            ("", 0),
            ("permit ls", 0),
            ("allow", 0),
            ("allow ls; deny", 10),
            ("allow *", 0),
            ("allow <path:ws> x", 6),
            ("allow ls * x", 9),
            ("allow ls <dir>", 9),
            ("allow ls 'x", 9),
            ("allow ''", 6),
            ("allow ls; ; deny rm", 9),
            ("none; allow ls", 0),
            ("allow git\u{200b} status", 0),
        ] {
            assert_eq!(parse_rules(text).map_err(|error| error.offset), Err(at), "{text:?}");
        }
    }
}
