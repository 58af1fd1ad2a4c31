//! Matches deny rules against every command that a line could reach.
//!
//! Program names are compared without folder and case, options without order and clustering: in
//! doubt, a deny rule matches.
//!
//! See docs/decisions/0047-what-a-deny-rule-reads.md.

use crate::context::CommandContext;
use crate::denied_path::{DeniedPath, DeniedPathSearch, PathWord};
use crate::git_words::find_git_subcommand;
use crate::loose::Word;
use crate::reachable_commands::{OperandCheck, Visitor};
use crate::rule::{CommandRule, RuleBody, RuleEffect, RuleEnd, RuleToken};
use crate::working_folders::FolderSet;
use crate::wrappers::base_name;
use crate::{aliases, option_tables};
use std::collections::HashMap;

/// An index of deny rules.
#[derive(Debug, Default)]
pub(crate) struct DenyIndex {
    by_program: HashMap<String, Vec<usize>>,
    paths: Vec<(usize, String)>,
}

impl DenyIndex {
    pub(crate) fn new(rules: &[CommandRule]) -> Self {
        let mut deny_index = Self::default();
        for (index, rule) in rules.iter().enumerate() {
            match (rule.effect, &rule.body) {
                (RuleEffect::Allow, _) => {}
                (RuleEffect::Deny, RuleBody::Path(path)) => {
                    deny_index.paths.push((index, path.clone()))
                }
                (RuleEffect::Deny, RuleBody::Command { .. }) => {
                    let name = rule.program().map(base_name).unwrap_or_default();
                    deny_index.by_program.entry(name.to_ascii_lowercase()).or_default().push(index);
                }
            }
        }
        deny_index
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.by_program.is_empty() && self.paths.is_empty()
    }
}

/// Finds the first deny rule that matches.
pub(crate) struct DenySearch<'a> {
    deny_index: &'a DenyIndex,
    rules: &'a [CommandRule],
    context: &'a CommandContext<'a>,
    paths: Vec<DeniedPath>,
    pub(crate) matched_rule: Option<usize>,
}

impl<'a> DenySearch<'a> {
    pub(crate) fn new(
        deny_index: &'a DenyIndex,
        rules: &'a [CommandRule],
        context: &'a CommandContext<'a>,
    ) -> Self {
        let mut paths = Vec::new();
        for (rule, path) in &deny_index.paths {
            let found = context.rule_paths(path);
            paths.extend(found.iter().map(|path| DeniedPath::new(*rule, path, context.workspace)));
        }
        Self { deny_index, rules, context, paths, matched_rule: None }
    }

    fn check_path(&mut self, word: &Word, kind: PathWord, folders: &FolderSet) {
        if self.paths.is_empty() || self.matched_rule.is_some() {
            return;
        }
        let reading =
            DeniedPathSearch { denied: &self.paths, kind, folders, context: self.context };
        self.matched_rule = reading.find_rule(word);
    }

    fn check_operands(
        &mut self,
        words: &[Word],
        folders: &FolderSet,
        outer: OperandCheck,
    ) -> OperandCheck {
        if self.paths.is_empty() {
            return OperandCheck::Done;
        }
        if let [program] = words {
            if program.text.contains('/') {
                self.check_path(program, PathWord::IfPathLike, folders);
            }
            return OperandCheck::Done;
        }
        match find_path_words(words) {
            Some(paths) => {
                for word in paths.iter().filter_map(|index| words.get(*index)) {
                    self.check_path(word, PathWord::Always, folders);
                }
                outer
            }
            None if outer == OperandCheck::Done => outer,
            None => {
                let subcommand = find_git_subcommand(words.iter().map(|word| word.text.as_str()));
                for (index, word) in words.iter().enumerate() {
                    if Some(index) != subcommand {
                        self.check_path(word, PathWord::IfPathLike, folders);
                    }
                }
                OperandCheck::Done
            }
        }
    }
}

/// The words that the table of the command takes as paths; `None` without a table that knows every
/// word of the command.
pub(crate) fn find_path_words(words: &[Word]) -> Option<Vec<usize>> {
    let argv: Vec<String> = words.iter().map(|word| word.text.clone()).collect();
    let table = option_tables::find_table(&argv)?;
    let skipped = table.name.split(' ').count();
    let paths = option_tables::find_paths(table, argv.get(skipped..)?)?;
    Some(paths.into_iter().map(|index| index + skipped).collect())
}

impl Visitor for DenySearch<'_> {
    fn visit_loose_word(&mut self, word: &Word, folders: &FolderSet) {
        self.check_path(word, PathWord::IfPathLike, folders);
    }

    fn visit_redirect_target(&mut self, word: &Word, folders: &FolderSet) {
        self.check_path(word, PathWord::Always, folders);
    }

    fn visit_command(
        &mut self,
        words: &[Word],
        folders: &FolderSet,
        outer: OperandCheck,
    ) -> OperandCheck {
        let checked = self.check_operands(words, folders, outer);
        let Some(program) = words.first().filter(|word| word.is_literal()) else { return checked };
        if self.matched_rule.is_some() {
            return checked;
        }
        let name = base_name(&program.text).to_ascii_lowercase();
        let bare_name = name.replace(['^', '`'], "");
        let bare_name = bare_name.strip_suffix(".exe").unwrap_or(&bare_name);
        let names = [Some(name.as_str()), Some(bare_name), aliases::find_cmdlet(bare_name)];
        let rules =
            names.into_iter().flatten().filter_map(|name| self.deny_index.by_program.get(name));
        let is_match =
            |index: &&usize| self.rules.get(**index).is_some_and(|rule| matches_rule(rule, words));
        self.matched_rule = rules.flatten().find(is_match).copied();
        checked
    }
}

/// Whether a deny rule for this program matches these words.
fn matches_rule(rule: &CommandRule, words: &[Word]) -> bool {
    let RuleBody::Command { tokens, end } = &rule.body else { return false };
    let (wanted, given) = (tokens.get(1..).unwrap_or_default(), words.get(1..).unwrap_or_default());
    let options = wanted.iter().filter_map(as_option);
    if !options.clone().all(|option| has_option(given, option)) {
        return false;
    }
    let mut rest = given;
    for token in wanted.iter().filter(|token| as_option(token).is_none()) {
        match words_after(rest, token) {
            Some(after) => rest = after,
            None => return false,
        }
    }
    match end {
        RuleEnd::Open => true,
        RuleEnd::Exact => {
            let operands = rest.iter().filter(|word| !word.text.starts_with('-')).count();
            let allowed = options.count();
            let given = given.iter().filter(|word| word.text.starts_with('-') && word.text != "--");
            operands == 0 && (allowed > 0 || given.count() == 0)
        }
    }
}

fn as_option(token: &RuleToken) -> Option<&str> {
    match token {
        RuleToken::Word(word) if word.starts_with('-') && word.len() > 1 => Some(word),
        RuleToken::Word(_) | RuleToken::InWorkspace | RuleToken::UnlistedTask => None,
    }
}

/// A long option may be abbreviated, short ones may be clustered in any order.
fn has_option(given: &[Word], wanted: &str) -> bool {
    if wanted.starts_with("--") {
        return given.iter().any(|word| {
            let name = word.text.split('=').next().unwrap_or_default();
            name.len() > 2 && name.starts_with("--") && wanted.starts_with(name)
        });
    }
    let clusters = || given.iter().filter(|word| word.text.starts_with('-'));
    clusters().any(|word| word.text == wanted)
        || wanted.chars().skip(1).all(|letter| {
            clusters().any(|word| !word.text.starts_with("--") && word.text.contains(letter))
        })
}

/// The words after the first operand, if that operand matches the token. Options and their values
/// may precede it.
fn words_after<'w>(given: &'w [Word], token: &RuleToken) -> Option<&'w [Word]> {
    let mut after_option = false;
    for (index, word) in given.iter().enumerate() {
        let is_option = word.text.starts_with('-');
        let matches = match token {
            RuleToken::Word(wanted) => word.is_literal() && word.text == *wanted,
            RuleToken::InWorkspace | RuleToken::UnlistedTask => !is_option,
        };
        if matches {
            return given.get(index + 1..);
        }
        if !is_option && !after_option {
            return None;
        }
        after_option = is_option;
    }
    None
}
