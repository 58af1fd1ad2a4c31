//! Matches allow rules against one simple command of literal words.

use crate::command_place::{CommandPlace, PathRule};
use crate::context::is_plain_path;
use crate::option_tables::ProgramEffect;
use crate::project_tasks::{explain_unknown_task, is_unlisted_task};
use crate::rule::{CommandRule, RuleBody, RuleEffect, RuleEnd, RuleToken};
use crate::working_folders::FolderSet;
use crate::written_paths::WrittenPaths;
use crate::{option_tables, subject};
use std::collections::{BTreeSet, HashMap};

/// Why a command is not covered for which there is no rule at all.
pub(crate) const NO_RULE: &str = "no rule matches it";

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
        place: &CommandPlace,
        paths: PathRule,
    ) -> Result<usize, String> {
        let mut why = None;
        for index in self.find_candidates(argv) {
            let Some(rule) = rules.get(index) else { continue };
            match explain_mismatch(rule, argv, place, paths) {
                None => return Ok(index),
                Some(mismatch) => why = why.or(Some(mismatch)),
            }
        }
        Err(why.unwrap_or_else(|| NO_RULE.to_owned()))
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
    place: &CommandPlace,
    paths: PathRule,
) -> Option<String> {
    let useless_rule = |why: &str| Some(format!("`{}` covers nothing: {why}", rule.text));
    if let Some(why) = subject::explain_unusable_rule(rule, place.context) {
        return useless_rule(why);
    }
    let RuleBody::Command { tokens, end } = &rule.body else {
        return useless_rule("it is not a command");
    };
    for (token, word) in tokens.iter().zip(argv) {
        match token {
            RuleToken::Word(wanted) if wanted == word => {}
            RuleToken::InWorkspace if is_plain_path(word) && place.is_inside(word) => {}
            RuleToken::InWorkspace => {
                return Some(format!("`{word}` is not a path inside the workspace"));
            }
            RuleToken::UnlistedTask if is_unlisted_task(word, argv, place) => {}
            RuleToken::UnlistedTask => {
                return Some(format!("`{word}` is no ordinary name of a task, or is defined"));
            }
            RuleToken::Word(wanted) => {
                return Some(format!("it has `{word}` where the rule has `{wanted}`"));
            }
        }
    }
    match (end, argv.get(tokens.len()..)) {
        (_, None) => Some("it has fewer words than the rule".to_owned()),
        (RuleEnd::Open, Some([])) => {
            explain_unknown_task(argv, place).or_else(|| explain_moved_path(argv, place, paths))
        }
        (RuleEnd::Exact, Some([])) => explain_moved_path(argv, place, paths),
        (RuleEnd::Exact, Some([last])) if last == "--" => explain_moved_path(argv, place, paths),
        (RuleEnd::Exact, Some([more, ..])) => {
            Some(format!("the rule does not allow `{more}` at the end"))
        }
        (RuleEnd::Open, Some(more)) => {
            match rule.literal_words().as_deref().and_then(option_tables::find_table) {
                Some(table) => option_tables::explain_uncovered_words(table, more)
                    .or_else(|| explain_file_operand(table, argv, place))
                    .or_else(|| explain_outside_path(table, (tokens.len(), argv), place, paths))
                    .or_else(|| explain_unknown_task(argv, place))
                    .or_else(|| explain_moved_path(argv, place, paths)),
                None => useless_rule("its program has no option table"),
            }
        }
    }
}

/// Why a rule `HEAD *`, with the words that select the table of this command, would not cover it.
pub(crate) fn explain_uncovered_head(argv: &[String], place: &CommandPlace) -> Option<String> {
    let Some(table) = option_tables::find_table(argv) else { return Some(NO_RULE.to_owned()) };
    let fixed = table.name.split(' ').count();
    option_tables::explain_uncovered_words(table, argv.get(fixed..).unwrap_or_default())
        .or_else(|| explain_file_operand(table, argv, place))
        .or_else(|| explain_outside_path(table, (fixed, argv), place, PathRule::Inside))
        .or_else(|| explain_unknown_task(argv, place))
        .or_else(|| explain_moved_path(argv, place, PathRule::Inside))
}

/// Git takes the operand of `checkout` for a file if it names no branch, and then discards what was
/// changed in the file.
fn explain_file_operand(
    table: &'static option_tables::OptionTable,
    argv: &[String],
    place: &CommandPlace,
) -> Option<String> {
    if table.name == "helm template" && place.context.disk.has_files() {
        let chart = argv.last().filter(|chart| is_option_or_missing(chart, place))?;
        return Some(format!("`{chart}` is no chart of the workspace, so it may be a remote one"));
    }
    if table.name != "git checkout" {
        return None;
    }
    let mut operands = argv.iter().skip(2).filter(|word| !word.starts_with('-'));
    let file = operands.find(|word| !is_option_or_missing(word, place))?;
    Some(format!("`{file}` names a file, whose changes git may discard"))
}

/// Why a path that a final `*` takes is not covered.
fn explain_outside_path(
    table: &'static option_tables::OptionTable,
    (fixed, argv): (usize, &[String]),
    place: &CommandPlace,
    rule: PathRule,
) -> Option<String> {
    let skipped = table.name.split(' ').count();
    let words = argv.get(skipped..).unwrap_or_default();
    let paths = option_tables::find_paths(table, words)?;
    // The rule itself names the words before its `*`.
    let mut taken = paths.iter().filter(|index| **index + skipped >= fixed);
    let is_refused = |word: &&String| !place.accepts(word, rule, table.effect);
    let outside = taken.find_map(|index| words.get(*index).filter(is_refused)).cloned();
    let inner = || option_tables::find_inner_paths(argv).into_iter().find(|path| is_refused(&path));
    let link = || find_outside_link(table, words, place);
    outside
        .or_else(inner)
        .or_else(link)
        .map(|word| format!("`{word}` is not inside the workspace, or a secret"))
}

/// A target of `ln -s` that leads out of the workspace from where the link will be. The last operand is
/// the link, or the folder of the links.
fn find_outside_link(
    table: &'static option_tables::OptionTable,
    words: &[String],
    place: &CommandPlace,
) -> Option<String> {
    if table.name != "ln" {
        return None;
    }
    let operands = option_tables::find_paths(table, words)?;
    let mut operands: Vec<&String> = operands.iter().filter_map(|at| words.get(*at)).collect();
    let link = if operands.len() > 1 { operands.pop()? } else { return None };
    let folders = place.context.find_certain(link, place.folders).unwrap_or_default();
    let parents = folders.iter().filter_map(|folder| folder.rsplit_once('/')).map(|(up, _)| up);
    let starts: Vec<&str> = folders.iter().map(String::as_str).chain(parents).collect();
    let leads_out = |target: &&&String| {
        starts.iter().any(|folder| {
            place.context.find_inside(target, &FolderSet::new(Some(folder))).is_none()
        })
    };
    operands.iter().find(leads_out).map(|target| (*target).clone())
}

/// After a `cd`, and after a command that writes, a path of an exact rule is another one.
fn explain_moved_path(argv: &[String], place: &CommandPlace, rule: PathRule) -> Option<String> {
    let is_unmoved = !place.has_changed_folder && *place.written == WrittenPaths::default();
    if is_unmoved {
        return None;
    }
    let table = option_tables::find_table(argv);
    let skipped = table.map_or(1, |table| table.name.split(' ').count());
    let words = argv.get(skipped..).unwrap_or_default();
    let paths = table.and_then(|table| option_tables::find_paths(table, words));
    let is_path = |index: usize, word: &String| match &paths {
        Some(paths) => paths.contains(&index),
        None => word.contains('/') || !is_option_or_missing(word, place),
    };
    let effect = table.map_or(ProgramEffect::Unknown, |table| table.effect);
    let moved = words
        .iter()
        .enumerate()
        .find(|(index, word)| is_path(*index, word) && !place.accepts(word, rule, effect));
    moved.map(|(_, word)| format!("`{word}` is not the path that the rule names any more"))
}

fn is_option_or_missing(word: &str, place: &CommandPlace) -> bool {
    use crate::context::PathEntry::{Missing, Unknown};
    let is_missing = |folder: &String| {
        matches!(place.context.disk.read_entry(word, Some(folder)), Missing | Unknown)
    };
    word.starts_with('-') || place.folders.known.iter().all(is_missing)
}
