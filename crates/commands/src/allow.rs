//! Allow rules, held against one simple command of literal words.

use crate::places::Places;
use crate::rule::{Body, Effect, End, Rule, Token};
use crate::{subject, tools};
use std::collections::{BTreeSet, HashMap};

/// Allow rules by what they are looked up by, so that many of them cost no more than few.
#[derive(Debug, Default)]
pub(crate) struct Allowances {
    exact: HashMap<Vec<String>, usize>,
    open: HashMap<Vec<String>, usize>,
    /// How many words the rules in `open` have.
    lengths: BTreeSet<usize>,
    /// Rules with a placeholder, by program.
    shaped: HashMap<String, Vec<usize>>,
}

impl Allowances {
    pub(crate) fn new(rules: &[Rule]) -> Self {
        let mut found = Self::default();
        for (at, rule) in rules.iter().enumerate() {
            let (Effect::Allow, Body::Command { end, .. }) = (rule.effect, &rule.body) else {
                continue;
            };
            match (rule.words(), end) {
                (Some(words), End::Exact) => {
                    found.exact.entry(words).or_insert(at);
                }
                (Some(words), End::Open) => {
                    found.lengths.insert(words.len());
                    found.open.entry(words).or_insert(at);
                }
                (None, _) => {
                    let program = rule.program().unwrap_or_default().to_owned();
                    found.shaped.entry(program).or_default().push(at);
                }
            }
        }
        found
    }

    /// The rule that covers this command, or why none does.
    pub(crate) fn covering(
        &self,
        rules: &[Rule],
        argv: &[String],
        places: &Places,
    ) -> Result<usize, String> {
        let mut why = None;
        for at in self.candidates(argv) {
            let Some(rule) = rules.get(at) else { continue };
            match uncovered(rule, argv, places) {
                None => return Ok(at),
                Some(found) => why = why.or(Some(found)),
            }
        }
        Err(why.unwrap_or_else(|| "no rule names it".to_owned()))
    }

    fn candidates(&self, argv: &[String]) -> Vec<usize> {
        let bare = match argv.split_last() {
            Some((last, before)) if last == "--" => before,
            _ => argv,
        };
        let exact = [argv, bare].into_iter().filter_map(|argv| self.exact.get(argv));
        let open =
            self.lengths.iter().rev().filter_map(|length| self.open.get(argv.get(..*length)?));
        let shaped =
            argv.first().and_then(|program| self.shaped.get(program)).into_iter().flatten();
        exact.chain(shaped).chain(open).copied().collect()
    }
}

fn uncovered(rule: &Rule, argv: &[String], places: &Places) -> Option<String> {
    let named = |why: &str| Some(format!("`{}` covers nothing: {why}", rule.text));
    if let Some(why) = subject::unfit(rule, places) {
        return named(why);
    }
    let Body::Command { tokens, end } = &rule.body else { return named("it is no command") };
    for (token, word) in tokens.iter().zip(argv) {
        match token {
            Token::Word(wanted) if wanted == word => {}
            Token::InWorkspace if places.holds(word) => {}
            Token::InWorkspace => return Some(format!("`{word}` is no path inside the workspace")),
            Token::Word(wanted) => {
                return Some(format!("`{word}` stands where `{wanted}` is allowed"));
            }
        }
    }
    match (end, argv.get(tokens.len()..)) {
        (_, None) => Some("words of the rule are missing".to_owned()),
        (_, Some([])) => None,
        (End::Exact, Some([last])) if last == "--" => None,
        (End::Exact, Some([more, ..])) => Some(format!("`{more}` is more than the rule names")),
        (End::Open, Some(more)) => match rule.words().as_deref().and_then(tools::of) {
            Some(tool) => tools::uncovered(tool, more),
            None => named("its tool has no table of options"),
        },
    }
}
