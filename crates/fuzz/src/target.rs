//! A fuzzing target: a name, seeds, and a property that must hold for any bytes.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

pub struct Target {
    pub name: &'static str,
    /// The property that is checked, for people.
    pub property: &'static str,
    /// Longer inputs are cut: most bugs need few bytes, and short inputs run fast.
    pub max_bytes: usize,
    /// Words with a special meaning that may not occur in any seed.
    pub words: &'static [&'static str],
    pub seeds: fn() -> std::io::Result<Vec<Vec<u8>>>,
    pub check: fn(&[u8]) -> TargetResult,
}

/// The features of an input, or how it breaks the property.
pub type TargetResult = Result<Features, String>;

/// Hashes of what an input did. The search keeps an input that has a new hash.
///
/// Features stand in for coverage, which a program can only get from unstable Rust or `unsafe`.
#[derive(Clone, Debug, Default)]
pub struct Features(Vec<u64>);

impl Features {
    pub fn add(&mut self, what: impl Hash) {
        let mut hasher = DefaultHasher::new();
        what.hash(&mut hasher);
        self.0.push(hasher.finish());
    }

    /// Adds a message without its quotes and numbers, so that it identifies the code that wrote it.
    pub fn add_message(&mut self, kind: &str, sentence: &str) {
        self.add((kind, message_shape(sentence)));
    }

    /// Adds the order of magnitude of a number, so that one more is not a new feature.
    pub fn add_size(&mut self, kind: &str, number: usize) {
        self.add((kind, number.checked_ilog2()));
    }

    pub fn iter(&self) -> impl Iterator<Item = u64> {
        self.0.iter().copied()
    }
}

/// The first words before and after the quoted part, which is often taken from the input.
fn message_shape(sentence: &str) -> String {
    let before = sentence.split('`').next().unwrap_or_default();
    let after = sentence.rsplit_once('`').map_or("", |(_, after)| after);
    let words = [before, after].into_iter().flat_map(|part| {
        let words = part.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty());
        words.take(6)
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_about_other_names_is_the_same_feature() {
        let features = |sentence: &str| {
            let mut features = Features::default();
            features.add_message("problem", sentence);
            features.iter().collect::<Vec<_>>()
        };
        assert_eq!(features("`a` occurs 2 times"), features("`bcd` occurs 17 times"));
        assert_ne!(features("`a` occurs twice"), features("`a` is missing"));
    }
}
