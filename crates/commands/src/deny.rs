//! Matches deny rules against every command that a line could reach.
//!
//! Program names are compared without folder and case, options without order and clustering: in
//! doubt, a deny rule matches.

use crate::aliases;
use crate::context::{CommandContext, PathCertainty, is_below};
use crate::loose::Word;
use crate::reach::Visitor;
use crate::rule::{CommandRule, RuleBody, RuleEffect, RuleEnd, RuleToken};
use crate::wrappers::base_name;
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

/// A denied path as it is compared with words: absolute and in lower case.
struct DeniedPath {
    rule: usize,
    path: String,
    file_name: String,
}

/// Finds the first deny rule that matches.
pub(crate) struct DenySearch<'a> {
    deny_index: &'a DenyIndex,
    rules: &'a [CommandRule],
    context: &'a CommandContext<'a>,
    paths: Vec<DeniedPath>,
    directory_changed: bool,
    pub(crate) matched_rule: Option<usize>,
}

impl DeniedPath {
    fn new(rule: usize, path: &str) -> Self {
        let path = path.to_lowercase();
        let file_name = base_name(&path).to_owned();
        Self { rule, path, file_name }
    }
}

impl<'a> DenySearch<'a> {
    pub(crate) fn new(
        deny_index: &'a DenyIndex,
        rules: &'a [CommandRule],
        context: &'a CommandContext<'a>,
    ) -> Self {
        let mut paths = Vec::new();
        for (rule, path) in &deny_index.paths {
            paths.extend(context.rule_paths(path).iter().map(|path| DeniedPath::new(*rule, path)));
        }
        Self { deny_index, rules, context, paths, directory_changed: false, matched_rule: None }
    }

    fn check_operand(&mut self, word: &Word) {
        if self.paths.is_empty() || self.matched_rule.is_some() {
            return;
        }
        let lower_text = word.text.to_lowercase();
        // After a change of directory, or with an expansion, only the file name is known.
        let mut is_name_enough =
            self.directory_changed || !word.is_literal() || lower_text.contains("/proc/");
        let mut paths_meant: Vec<String> = Vec::new();
        for part in path_candidates(&word.text).filter(|part| !part.is_empty()) {
            let (mut places, certainty) = self.context.resolve(part);
            is_name_enough |= certainty == PathCertainty::NameOnly;
            places.push(self.context.lexical_path(part));
            paths_meant.extend(places.iter().map(|path| path.to_lowercase()));
        }
        let matched = self.paths.iter().find(|denied| {
            paths_meant.iter().any(|meant| is_below(meant, &denied.path))
                || (is_name_enough
                    && lower_text.split(NAME_SEPARATORS).any(|part| part == denied.file_name))
        });
        self.matched_rule = matched.map(|denied| denied.rule);
    }
}

const NAME_SEPARATORS: [char; 6] = ['/', '=', ':', '@', ',', '}'];

/// The word itself, and the paths it may contain: `--file=P`, `-fP`, `host:P`, `@P`.
fn path_candidates(word: &str) -> impl Iterator<Item = &str> {
    let attached = word.strip_prefix('-').and_then(|rest| {
        let mut chars = rest.chars();
        chars.next();
        Some(chars.as_str()).filter(|rest| !rest.is_empty())
    });
    let after_separator = word.split_once(['=', ':', '@']).map(|(_, rest)| rest);
    let pieces = word.split(['=', ':', '@', ',']);
    std::iter::once(word).chain(attached).chain(after_separator).chain(pieces)
}

impl Visitor for DenySearch<'_> {
    fn visit_words(&mut self, words: &[Word]) {
        self.directory_changed |= words.iter().any(|word| {
            matches!(base_name(&word.text), "cd" | "chdir" | "pushd" | "popd" | "-C")
                || word.text.starts_with("--directory")
                || word.text.starts_with("--chdir")
        });
        words.iter().for_each(|word| self.check_operand(word));
    }

    fn visit_redirect_target(&mut self, word: &Word) {
        self.check_operand(word);
    }

    fn visit_command(&mut self, words: &[Word]) {
        let Some(program) = words.first().filter(|word| word.is_literal()) else { return };
        if self.matched_rule.is_some() {
            return;
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
        RuleToken::Word(_) | RuleToken::InWorkspace => None,
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
            RuleToken::InWorkspace => !is_option,
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
