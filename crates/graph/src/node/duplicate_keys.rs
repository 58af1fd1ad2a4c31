//! Refuses keys that occur twice in one map.
//!
//! Parsers differ in which of the two they keep, so such a file is ambiguous.

use super::MapEntry;
use crate::limits;
use crate::problem::Problem;
use std::collections::HashSet;

/// Up to this many entries, comparing each pair is cheaper than hashing.
const MAX_PAIRWISE_ENTRIES: usize = 12;

pub(super) fn refuse_duplicates(entries: &[MapEntry], problems: &mut Vec<Problem>) {
    let free_slots = limits::MAX_PROBLEMS.saturating_sub(problems.len());
    let duplicates = find_duplicates(entries).into_iter().take(free_slots);
    problems.extend(duplicates.map(|entry| {
        let message = format!("the key `{}` occurs twice", entry.key.name);
        Problem::new(entry.key.span, message, "keep one of the two")
    }));
}

fn find_duplicates(entries: &[MapEntry]) -> Vec<&MapEntry> {
    if entries.len() <= MAX_PAIRWISE_ENTRIES {
        let has_earlier_twin = |at: usize, entry: &MapEntry| {
            entries.iter().take(at).any(|other| other.key.name == entry.key.name)
        };
        let found = entries.iter().enumerate().filter(|(at, entry)| has_earlier_twin(*at, entry));
        return found.map(|(_, entry)| entry).collect();
    }
    let mut seen = HashSet::with_capacity(entries.len());
    entries.iter().filter(|entry| !seen.insert(entry.key.name.as_str())).collect()
}
