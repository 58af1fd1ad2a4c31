//! Matches allow rules against one simple command of literal words.

use crate::context::CommandContext;
use crate::rule::{CommandRule, RuleBody, RuleEffect, RuleEnd, RuleToken};
use crate::{option_tables, subject};
use std::collections::{BTreeSet, HashMap};

/// An index of allow rules, so that the cost of a lookup hardly depends on their number.
#[derive(Debug, Default)]
pub(crate) struct AllowIndex {
    exact: HashMap<Vec<String>, usize>,
    open: HashMap<Vec<String>, usize>,
    /// The lengths of the keys of `open`.
    open_lengths: BTreeSet<usize>,
    /// Rules with a placeholder, by program.
    by_program: HashMap<String, Vec<usize>>,
}

impl AllowIndex {
    pub(crate) fn new(rules: &[CommandRule]) -> Self {
        let mut allow_index = Self::default();
        for (index, rule) in rules.iter().enumerate() {
            let (RuleEffect::Allow, RuleBody::Command { end, .. }) = (rule.effect, &rule.body)
            else {
                continue;
            };
            match (rule.literal_words(), end) {
                (Some(words), RuleEnd::Exact) => {
                    allow_index.exact.entry(words).or_insert(index);
                }
                (Some(words), RuleEnd::Open) => {
                    allow_index.open_lengths.insert(words.len());
                    allow_index.open.entry(words).or_insert(index);
                }
                (None, _) => {
                    let program = rule.program().unwrap_or_default().to_owned();
                    allow_index.by_program.entry(program).or_default().push(index);
                }
            }
        }
        allow_index
    }

    /// The rule that covers this command, or why none does.
    pub(crate) fn find_covering_rule(
        &self,
        rules: &[CommandRule],
        argv: &[String],
        context: &CommandContext,
    ) -> Result<usize, String> {
        let mut why = None;
        for index in self.find_candidates(argv) {
            let Some(rule) = rules.get(index) else { continue };
            match explain_mismatch(rule, argv, context) {
                None => return Ok(index),
                Some(mismatch) => why = why.or(Some(mismatch)),
            }
        }
        Err(why.unwrap_or_else(|| "no rule matches it".to_owned()))
    }

    fn find_candidates(&self, argv: &[String]) -> Vec<usize> {
        let without_dashes = match argv.split_last() {
            Some((last, before)) if last == "--" => before,
            _ => argv,
        };
        let exact = [argv, without_dashes].into_iter().filter_map(|argv| self.exact.get(argv));
        let open =
            self.open_lengths.iter().rev().filter_map(|length| self.open.get(argv.get(..*length)?));
        let shaped =
            argv.first().and_then(|program| self.by_program.get(program)).into_iter().flatten();
        exact.chain(shaped).chain(open).copied().collect()
    }
}

fn explain_mismatch(
    rule: &CommandRule,
    argv: &[String],
    context: &CommandContext,
) -> Option<String> {
    let useless_rule = |why: &str| Some(format!("`{}` covers nothing: {why}", rule.text));
    if let Some(why) = subject::explain_unusable_rule(rule, context) {
        return useless_rule(why);
    }
    let RuleBody::Command { tokens, end } = &rule.body else {
        return useless_rule("it is not a command");
    };
    for (token, word) in tokens.iter().zip(argv) {
        match token {
            RuleToken::Word(wanted) if wanted == word => {}
            RuleToken::InWorkspace if crate::context::is_plain_path(word) && context.find_inside(word, &crate::flow::FolderSet::new(context.cwd)).is_some() => {}
            RuleToken::InWorkspace => {
                return Some(format!("`{word}` is not a path inside the workspace"));
            }
            RuleToken::Word(wanted) => {
                return Some(format!("it has `{word}` where the rule has `{wanted}`"));
            }
        }
    }
    match (end, argv.get(tokens.len()..)) {
        (_, None) => Some("it has fewer words than the rule".to_owned()),
        (_, Some([])) => None,
        (RuleEnd::Exact, Some([last])) if last == "--" => None,
        (RuleEnd::Exact, Some([more, ..])) => {
            Some(format!("the rule does not allow `{more}` at the end"))
        }
        (RuleEnd::Open, Some(more)) => {
            match rule.literal_words().as_deref().and_then(option_tables::find_table) {
                Some(table) => option_tables::explain_uncovered_words(table, more),
                None => useless_rule("its program has no option table"),
            }
        }
    }
}
