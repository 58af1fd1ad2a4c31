//! Keys that occur twice in one map.
//!
//! Readers differ in which of the two they keep, so a file that has them means two things.

use super::Entry;
use crate::problem::Problem;
use std::collections::HashSet;

/// Below this many entries comparing each pair is cheaper than hashing.
const FEW: usize = 12;

pub(super) fn refuse_duplicates(entries: &[Entry], problems: &mut Vec<Problem>) {
    if entries.len() <= FEW {
        for (at, entry) in entries.iter().enumerate() {
            if entries.iter().take(at).any(|earlier| earlier.key.name == entry.key.name) {
                problems.push(twice(entry));
            }
        }
        return;
    }
    let mut seen = HashSet::with_capacity(entries.len());
    for entry in entries {
        if !seen.insert(entry.key.name.as_str()) {
            problems.push(twice(entry));
        }
    }
}

fn twice(entry: &Entry) -> Problem {
    let message = format!("the key `{}` occurs twice", entry.key.name);
    Problem::new(entry.key.span, message, "keep one of the two")
}
