//! What a target is: a name, seeds, and what must hold for any bytes.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

pub struct Target {
    pub name: &'static str,
    /// What is held, for people.
    pub what: &'static str,
    /// Longer inputs are cut: most faults need few bytes, and few bytes are quick.
    pub longest: usize,
    /// Words that no seed may hold but that mean something here.
    pub words: &'static [&'static str],
    pub seeds: fn() -> std::io::Result<Vec<Vec<u8>>>,
    pub hold: fn(&[u8]) -> Held,
}

/// Where an input led, or what it broke.
pub type Held = Result<Traits, String>;

/// What an input did, as numbers: an input with a number never seen before is kept.
///
/// It stands in for coverage, which no stable compiler reports to a program without `unsafe`.
#[derive(Clone, Debug, Default)]
pub struct Traits(Vec<u64>);

impl Traits {
    pub fn note(&mut self, what: impl Hash) {
        let mut hasher = DefaultHasher::new();
        what.hash(&mut hasher);
        self.0.push(hasher.finish());
    }

    /// A sentence without what it quotes and counts: the place in our code that says it.
    pub fn say(&mut self, kind: &str, sentence: &str) {
        self.note((kind, shape(sentence)));
    }

    /// A number by its size, so that one more is not yet something new.
    pub fn count(&mut self, kind: &str, number: usize) {
        self.note((kind, number.checked_ilog2()));
    }

    pub fn iter(&self) -> impl Iterator<Item = u64> {
        self.0.iter().copied()
    }
}

/// The first words around what is quoted, which is often a part of the input and may hold quotes.
fn shape(sentence: &str) -> String {
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
    fn a_sentence_about_other_names_is_the_same_trait() {
        let traits = |sentence: &str| {
            let mut traits = Traits::default();
            traits.say("problem", sentence);
            traits.iter().collect::<Vec<_>>()
        };
        assert_eq!(traits("`a` occurs 2 times"), traits("`bcd` occurs 17 times"));
        assert_ne!(traits("`a` occurs twice"), traits("`a` is missing"));
    }
}
