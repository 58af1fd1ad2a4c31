//! Keys that occur twice in one map.
//!
//! Readers differ in which of the two they keep, so a file that has them means two things.

use super::Entry;
use crate::limits;
use crate::problem::Problem;
use std::collections::HashSet;

/// Below this many entries comparing each pair is cheaper than hashing.
const FEW: usize = 12;

pub(super) fn refuse_duplicates(entries: &[Entry], problems: &mut Vec<Problem>) {
    let room = limits::PROBLEMS.saturating_sub(problems.len());
    let twice = repeated(entries).into_iter().take(room);
    problems.extend(twice.map(|entry| {
        let message = format!("the key `{}` occurs twice", entry.key.name);
        Problem::new(entry.key.span, message, "keep one of the two")
    }));
}

fn repeated(entries: &[Entry]) -> Vec<&Entry> {
    if entries.len() <= FEW {
        let earlier = |at: usize, entry: &Entry| {
            entries.iter().take(at).any(|other| other.key.name == entry.key.name)
        };
        let found = entries.iter().enumerate().filter(|(at, entry)| earlier(*at, entry));
        return found.map(|(_, entry)| entry).collect();
    }
    let mut seen = HashSet::with_capacity(entries.len());
    entries.iter().filter(|entry| !seen.insert(entry.key.name.as_str())).collect()
}
