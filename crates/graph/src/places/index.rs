//! Finds the patterns that can end at a name, so that a name is compared with few of them.
//!
//! Most patterns end in a literal name and most others in a literal extension: both are one lookup.

use super::name_glob::NameGlob;
use std::collections::{BTreeMap, HashMap};

/// Positions of patterns, by what their last name must have.
#[derive(Clone, Debug, Default)]
pub(super) struct LastNameIndex {
    by_name: HashMap<String, Vec<usize>>,
    /// `*.pem`, by what follows the last dot.
    by_extension: HashMap<String, Vec<usize>>,
    /// `.env.*`, by the first character.
    by_first_char: BTreeMap<char, Vec<usize>>,
    others: Vec<usize>,
}

impl LastNameIndex {
    pub(super) fn insert(&mut self, last_name: &NameGlob, position: usize) {
        let positions = match last_name {
            NameGlob::Literal(name) => self.by_name.entry(name.clone()).or_default(),
            NameGlob::Wildcard(wildcard) => self.wildcard_positions(wildcard),
        };
        positions.push(position);
    }

    fn wildcard_positions(&mut self, wildcard: &str) -> &mut Vec<usize> {
        let is_literal = |text: &str| !text.contains(['*', '?']);
        if let Some(extension) = find_extension(wildcard).filter(|text| is_literal(text)) {
            return self.by_extension.entry(extension.to_owned()).or_default();
        }
        match wildcard.chars().next().filter(|first| !matches!(first, '*' | '?')) {
            Some(first) => self.by_first_char.entry(first).or_default(),
            None => &mut self.others,
        }
    }

    /// Every pattern whose last name may match, and some whose does not.
    pub(super) fn candidates(&self, lower_name: &str) -> impl Iterator<Item = usize> {
        let extension = find_extension(lower_name).and_then(|text| self.by_extension.get(text));
        let first = lower_name.chars().next().and_then(|first| self.by_first_char.get(&first));
        let lists = [self.by_name.get(lower_name), extension, first, Some(&self.others)];
        lists.into_iter().flatten().flatten().copied()
    }
}

fn find_extension(name: &str) -> Option<&str> {
    name.rsplit_once('.').map(|(_, extension)| extension)
}
