//! Deny rules, held against everything that could be reached.
//!
//! Names are compared without regard to folder and case, options without regard to order and
//! clustering: a deny rule errs towards holding.

use crate::aliases;
use crate::loose::Word;
use crate::places::{Places, Trail, is_below};
use crate::reach::Visitor;
use crate::rule::{Body, Effect, End, Rule, Token};
use crate::wrappers::base_name;
use std::collections::HashMap;

/// Deny rules by what they are looked up by.
#[derive(Debug, Default)]
pub(crate) struct Denials {
    by_program: HashMap<String, Vec<usize>>,
    paths: Vec<(usize, String)>,
}

impl Denials {
    pub(crate) fn new(rules: &[Rule]) -> Self {
        let mut denials = Self::default();
        for (at, rule) in rules.iter().enumerate() {
            match (rule.effect, &rule.body) {
                (Effect::Allow, _) => {}
                (Effect::Deny, Body::Path(path)) => denials.paths.push((at, path.clone())),
                (Effect::Deny, Body::Command { .. }) => {
                    let name = rule.program().map(base_name).unwrap_or_default();
                    denials.by_program.entry(name.to_ascii_lowercase()).or_default().push(at);
                }
            }
        }
        denials
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.by_program.is_empty() && self.paths.is_empty()
    }
}

/// Looks for the first deny rule that holds.
pub(crate) struct Hunt<'a> {
    denials: &'a Denials,
    rules: &'a [Rule],
    places: &'a Places<'a>,
    /// Absolute, lower case, with the last name of each.
    paths: Vec<(usize, String, String)>,
    moved: bool,
    pub(crate) hit: Option<usize>,
}

impl<'a> Hunt<'a> {
    pub(crate) fn new(denials: &'a Denials, rules: &'a [Rule], places: &'a Places<'a>) -> Self {
        let named = |at: usize, path: &str| {
            let path = path.to_lowercase();
            let name = base_name(&path).to_owned();
            (at, path, name)
        };
        let mut paths = Vec::new();
        for (at, path) in &denials.paths {
            paths.extend(places.of_rule(path).iter().map(|path| named(*at, path)));
        }
        Self { denials, rules, places, paths, moved: false, hit: None }
    }

    fn operand(&mut self, word: &Word) {
        if self.paths.is_empty() || self.hit.is_some() {
            return;
        }
        let whole = word.text.to_lowercase();
        // From another folder, or through something expanded, only the name is known.
        let mut named = self.moved || !word.is_literal() || whole.contains("/proc/");
        let mut meant: Vec<String> = Vec::new();
        for part in parts(&word.text).filter(|part| !part.is_empty()) {
            let (path, trail) = self.places.resolve(part);
            named |= trail == Trail::Lost;
            meant.extend([self.places.lexical(part), path].map(|path| path.to_lowercase()));
        }
        let hit = self.paths.iter().find(|(_, path, name)| {
            meant.iter().any(|meant| is_below(meant, path))
                || (named && whole.split(SEPARATORS).any(|part| part == name))
        });
        self.hit = hit.map(|(at, ..)| *at);
    }
}

const SEPARATORS: [char; 6] = ['/', '=', ':', '@', ',', '}'];

/// The word itself, and the paths that may be hidden in it: `--file=P`, `-fP`, `host:P`, `@P`.
fn parts(word: &str) -> impl Iterator<Item = &str> {
    let attached = word.strip_prefix('-').and_then(|rest| {
        let mut chars = rest.chars();
        chars.next();
        Some(chars.as_str()).filter(|rest| !rest.is_empty())
    });
    let behind = word.split_once(['=', ':', '@']).map(|(_, rest)| rest);
    let pieces = word.split(['=', ':', '@', ',']);
    std::iter::once(word).chain(attached).chain(behind).chain(pieces)
}

impl Visitor for Hunt<'_> {
    fn words(&mut self, words: &[Word]) {
        self.moved |= words.iter().any(|word| {
            matches!(base_name(&word.text), "cd" | "chdir" | "pushd" | "popd" | "-C")
                || word.text.starts_with("--directory")
                || word.text.starts_with("--chdir")
        });
        words.iter().for_each(|word| self.operand(word));
    }

    fn target(&mut self, word: &Word) {
        self.operand(word);
    }

    fn command(&mut self, words: &[Word]) {
        let Some(program) = words.first().filter(|word| word.is_literal()) else { return };
        if self.hit.is_some() {
            return;
        }
        let name = base_name(&program.text).to_ascii_lowercase();
        let plain = name.replace(['^', '`'], "");
        let plain = plain.strip_suffix(".exe").unwrap_or(&plain);
        let names = [Some(name.as_str()), Some(plain), aliases::cmdlet(plain)];
        let rules =
            names.into_iter().flatten().filter_map(|name| self.denials.by_program.get(name));
        let holds = |at: &&usize| self.rules.get(**at).is_some_and(|rule| holds(rule, words));
        self.hit = rules.flatten().find(holds).copied();
    }
}

/// Whether a deny rule for this program holds for these words.
fn holds(rule: &Rule, words: &[Word]) -> bool {
    let Body::Command { tokens, end } = &rule.body else { return false };
    let (wanted, given) = (tokens.get(1..).unwrap_or_default(), words.get(1..).unwrap_or_default());
    let options = wanted.iter().filter_map(option);
    if !options.clone().all(|option| has_option(given, option)) {
        return false;
    }
    let mut rest = given;
    for token in wanted.iter().filter(|token| option(token).is_none()) {
        match behind(rest, token) {
            Some(after) => rest = after,
            None => return false,
        }
    }
    match end {
        End::Open => true,
        End::Exact => {
            let operands = rest.iter().filter(|word| !word.text.starts_with('-')).count();
            let allowed = options.count();
            let given = given.iter().filter(|word| word.text.starts_with('-') && word.text != "--");
            operands == 0 && (allowed > 0 || given.count() == 0)
        }
    }
}

fn option(token: &Token) -> Option<&str> {
    match token {
        Token::Word(word) if word.starts_with('-') && word.len() > 1 => Some(word),
        Token::Word(_) | Token::InWorkspace => None,
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

/// What follows the first operand, if that is the token; options and their values may precede it.
fn behind<'w>(given: &'w [Word], token: &Token) -> Option<&'w [Word]> {
    let mut after_option = false;
    for (at, word) in given.iter().enumerate() {
        let is_option = word.text.starts_with('-');
        let fits = match token {
            Token::Word(wanted) => word.is_literal() && word.text == *wanted,
            Token::InWorkspace => !is_option,
        };
        if fits {
            return given.get(at + 1..);
        }
        if !is_option && !after_option {
            return None;
        }
        after_option = is_option;
    }
    None
}
