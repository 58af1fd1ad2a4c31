//! The options and operands of a command that reads below folders.
//!
//! It knows which options take a value. Where a word may be either, no exclusion is added.

use super::{ExclusionPoint, ExclusionStyle};
use crate::folder_walk::LinkUse;

/// The options of a program that take a value.
pub(super) struct OptionSpec {
    pub(super) letters: &'static str,
    pub(super) names: &'static str,
}

/// One option, by its dashes and name.
pub(super) struct ReadOption {
    pub(super) name: String,
    pub(super) value: Option<String>,
}

/// The words of a command behind its program.
pub(super) struct ReadCommand {
    pub(super) options: Vec<ReadOption>,
    /// With their indices in the words.
    pub(super) operands: Vec<(usize, String)>,
    /// How many words there are up to the last option and its value.
    options_end: usize,
    is_certain: bool,
}

impl ReadCommand {
    pub(super) fn new(words: &[String], spec: &OptionSpec) -> Self {
        let mut read =
            Self { options: Vec::new(), operands: Vec::new(), options_end: 0, is_certain: true };
        read.read_from(words, 0, spec);
        read
    }

    /// The first word is letters whose values follow as words of their own: `tar cfC a.tar dir .`
    pub(super) fn new_bundled(words: &[String], spec: &OptionSpec) -> Self {
        let mut read =
            Self { options: Vec::new(), operands: Vec::new(), options_end: 1, is_certain: true };
        let letters = words.first().map(|word| word.trim_start_matches('-')).unwrap_or_default();
        let mut next = 1;
        for letter in letters.chars() {
            let value = spec.letters.contains(letter).then(|| words.get(next).cloned()).flatten();
            next += usize::from(value.is_some());
            read.options.push(ReadOption { name: format!("-{letter}"), value });
        }
        read.options_end = next;
        read.read_from(words, next, spec);
        read
    }

    fn read_from(&mut self, words: &[String], start: usize, spec: &OptionSpec) {
        let mut at = start;
        while let Some(word) = words.get(at) {
            if word == "--" {
                let rest = words.iter().enumerate().skip(at + 1);
                self.operands.extend(rest.map(|(at, word)| (at, word.clone())));
                return;
            }
            let next = words.get(at + 1);
            let taken = match word.strip_prefix("--") {
                Some(long) => self.read_long(long, next, spec),
                None if word.len() > 1 && word.starts_with('-') => {
                    self.read_letters(word.get(1..).unwrap_or_default(), next, spec)
                }
                None => {
                    self.operands.push((at, word.clone()));
                    at += 1;
                    continue;
                }
            };
            at += taken;
            self.options_end = at.min(words.len());
        }
    }

    fn read_long(&mut self, long: &str, next: Option<&String>, spec: &OptionSpec) -> usize {
        if let Some((name, value)) = long.split_once('=') {
            let value = Some(value.to_owned());
            self.options.push(ReadOption { name: format!("--{name}"), value });
            return 1;
        }
        let mut names = spec.names.split_whitespace();
        let takes_value = names.clone().any(|name| name == long);
        // It may be short for one that takes a value.
        self.is_certain &= takes_value || !names.any(|name| name.starts_with(long));
        let value = if takes_value { next.cloned() } else { None };
        self.options.push(ReadOption { name: format!("--{long}"), value });
        if takes_value { 2 } else { 1 }
    }

    fn read_letters(&mut self, letters: &str, next: Option<&String>, spec: &OptionSpec) -> usize {
        for (at, letter) in letters.char_indices() {
            let name = format!("-{letter}");
            if !spec.letters.contains(letter) {
                self.options.push(ReadOption { name, value: None });
                continue;
            }
            let rest = letters.get(at + letter.len_utf8()..).unwrap_or_default();
            let (value, taken) = match rest {
                "" => (next.cloned(), 2),
                rest => (Some(rest.to_owned()), 1),
            };
            self.options.push(ReadOption { name, value });
            return taken;
        }
        1
    }

    pub(super) fn has_letter(&self, letters: &[char]) -> bool {
        letters.iter().any(|letter| self.count_letter(*letter) > 0)
    }

    pub(super) fn count_letter(&self, letter: char) -> usize {
        self.count_name(&format!("-{letter}"))
    }

    pub(super) fn count_name(&self, name: &str) -> usize {
        self.options.iter().filter(|option| option.name == name).count()
    }

    pub(super) fn has_name(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.count_name(name) > 0)
    }

    /// What it does with links, by the option that follows them.
    pub(super) fn find_links(&self, letter: char, name: &str) -> LinkUse {
        match self.has_letter(&[letter]) || self.has_name(&[name]) {
            true => LinkUse::Followed,
            false => LinkUse::Skipped,
        }
    }

    pub(super) fn values<'a>(&'a self, names: &'a [&str]) -> impl Iterator<Item = &'a str> {
        let is_named = |option: &&ReadOption| names.contains(&option.name.as_str());
        self.options.iter().filter(is_named).filter_map(|option| option.value.as_deref())
    }

    /// Behind the last option and its value, and in front of `--`. The program is word 0.
    pub(super) fn find_point(&self, style: ExclusionStyle) -> Option<ExclusionPoint> {
        self.is_certain.then_some(ExclusionPoint { after: self.options_end, style })
    }
}
