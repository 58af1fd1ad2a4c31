//! Tokens into rules, with a place and a help for whatever is wrong.

use super::tokens::{Cut, Quoting, Raw, cut};
use super::{Body, Effect, End, Rule, Token};
use crate::limits;
use std::fmt;

/// What is wrong with a rule, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleError {
    /// In bytes from the beginning of the text.
    pub at: usize,
    pub message: String,
    pub help: &'static str,
}

impl RuleError {
    pub(super) fn new(at: usize, message: impl Into<String>, help: &'static str) -> Self {
        Self { at, message: message.into(), help }
    }
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for RuleError {}

const FORM: &str = "write `allow PROGRAM …`, `deny PROGRAM …`, `deny path PATH` or `none`";

/// The rules of a text; `none` and nothing else is no rule.
pub fn rules(text: &str) -> Result<Vec<Rule>, RuleError> {
    let cuts = cut(text)?;
    if let [only] = cuts.as_slice()
        && let [word] = only.tokens.as_slice()
        && word.text == "none"
    {
        return Ok(Vec::new());
    }
    if cuts.len() > limits::RULES {
        return Err(RuleError::new(0, "there are more than 10,000 rules", "split the list"));
    }
    cuts.iter().map(|cut| one(cut, text)).collect()
}

/// One rule without its first word, as it stands in a list of rules to allow or to deny.
pub fn body(effect: Effect, text: &str) -> Result<Rule, RuleError> {
    let prefix = format!("{} ", effect.word());
    let first = text.split_whitespace().next().unwrap_or_default();
    if ["allow", "deny", "none"].contains(&first) {
        let message = format!("`{first}` stands where a program should");
        let help = "write the command alone: the list says whether it is allowed or denied, and \
                    an empty list holds no rule";
        return Err(RuleError::new(0, message, help));
    }
    // Places are counted in what was written, without the word that was put before it.
    let here = |error: RuleError| RuleError { at: error.at.saturating_sub(prefix.len()), ..error };
    let mut rules = rules(&format!("{prefix}{text}")).map_err(here)?;
    match (rules.pop(), rules.is_empty()) {
        (Some(rule), true) => Ok(rule),
        _ => {
            let help = "write each as an entry of its own, or put the `;` into quotes";
            Err(RuleError::new(0, "there is more than one rule in one entry", help))
        }
    }
}

fn one(cut: &Cut, text: &str) -> Result<Rule, RuleError> {
    let Some((verb, rest)) = cut.tokens.split_first() else {
        return Err(RuleError::new(cut.begin, "a rule is empty", FORM));
    };
    if cut.end - cut.begin > limits::RULE_BYTES {
        return Err(RuleError::new(
            verb.at,
            "a rule is longer than 4 KiB",
            "name less in one rule",
        ));
    }
    if let Some(bad) = text.get(cut.begin..cut.end).and_then(unfit) {
        let help = "write the rule with visible characters";
        return Err(RuleError::new(cut.begin, format!("a rule holds {bad:?}"), help));
    }
    let effect = match (verb.text.as_str(), verb.quoting) {
        ("allow", Quoting::Plain) => Effect::Allow,
        ("deny", Quoting::Plain) => Effect::Deny,
        (other, _) => {
            return Err(RuleError::new(verb.at, format!("`{other}` begins no rule"), FORM));
        }
    };
    let body = match rest {
        [] => return Err(RuleError::new(verb.at, "the rule names no program", FORM)),
        [word, path] if effect == Effect::Deny && is_plain(word, "path") => {
            Body::Path(path.text.clone())
        }
        tokens => command(tokens)?,
    };
    let text = text.get(cut.begin..cut.end).unwrap_or_default().trim().to_owned();
    Ok(Rule { text, effect, body })
}

/// A control or an invisible character: the reader of the rule would not see it.
fn unfit(text: &str) -> Option<char> {
    let hidden = |c: &char| c.is_control() && *c != '\t' && *c != '\n';
    text.chars().find(|c| hidden(c) || countersign_core::model::names::is_invisible(*c))
}

fn is_plain(raw: &Raw, text: &str) -> bool {
    raw.quoting == Quoting::Plain && raw.text == text
}

fn command(raw: &[Raw]) -> Result<Body, RuleError> {
    let (raw, end) = match raw.split_last() {
        Some((last, before)) if is_plain(last, "*") => (before, End::Open),
        _ => (raw, End::Exact),
    };
    let tokens: Vec<Token> = raw.iter().map(token).collect::<Result<_, _>>()?;
    match (tokens.first(), raw.first()) {
        (Some(Token::Word(word)), _) if !word.is_empty() => Ok(Body::Command { tokens, end }),
        (_, at) => {
            let at = at.map_or(0, |raw| raw.at);
            let help = "name the program; `*` and `<path:ws>` stand for its arguments";
            Err(RuleError::new(at, "the program itself cannot be left open", help))
        }
    }
}

fn token(raw: &Raw) -> Result<Token, RuleError> {
    let fail = |message: &str, help| Err(RuleError::new(raw.at, message, help));
    match (raw.text.as_str(), raw.quoting) {
        ("<path:ws>", Quoting::Plain) => Ok(Token::InWorkspace),
        ("*", Quoting::Plain) => fail(
            "`*` stands before the end of the rule",
            "put it last, or into quotes to mean itself",
        ),
        (text, Quoting::Plain) if text.starts_with('<') && text.ends_with('>') => fail(
            "an unknown placeholder",
            "write `<path:ws>`, or put it into quotes to mean itself",
        ),
        (text, _) => Ok(Token::Word(text.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<Token> {
        words.iter().map(|word| Token::Word((*word).to_owned())).collect()
    }

    #[test]
    fn rules_are_read_as_they_are_written() {
        let read = rules("allow git log *; deny path ./.env; allow cat <path:ws>").unwrap();
        let bodies: Vec<_> = read.into_iter().map(|rule| rule.body).collect();
        let mut cat = words(&["cat"]);
        cat.push(Token::InWorkspace);
        assert_eq!(
            bodies,
            [
                Body::Command { tokens: words(&["git", "log"]), end: End::Open },
                Body::Path("./.env".to_owned()),
                Body::Command { tokens: cat, end: End::Exact },
            ]
        );
        assert_eq!(rules("none"), Ok(Vec::new()));
    }

    #[test]
    fn quotes_make_a_token_mean_itself() {
        let read = rules("allow psql -c 'select 1; x' '*' \"a\\\"b\";").unwrap();
        let tokens = words(&["psql", "-c", "select 1; x", "*", "a\"b"]);
        assert_eq!(read[0].body, Body::Command { tokens, end: End::Exact });
    }

    #[test]
    fn an_entry_of_a_list_is_one_rule_without_its_first_word() {
        let rule = body(Effect::Deny, "git push --force *").unwrap();
        assert_eq!(rule, rules("deny git push --force *").unwrap()[0]);
        assert_eq!(
            body(Effect::Deny, "path ./.env"),
            Ok(rules("deny path ./.env").unwrap()[0].clone())
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
            assert_eq!(body(Effect::Allow, text).map_err(|error| error.at), Err(at), "{text:?}");
        }
    }

    #[test]
    fn what_is_no_rule_is_refused_at_its_place() {
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
            assert_eq!(rules(text).map_err(|error| error.at), Err(at), "{text:?}");
        }
    }
}
