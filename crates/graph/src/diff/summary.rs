//! One line about a changed graph: what became looser and what became stricter.

use super::{DiffDirection, Difference};
use crate::limits;

/// For example `1 looser (git.push tier: requires_approval → autonomous), 2 stricter (…)`.
pub fn summarize(differences: &[Difference]) -> String {
    let parts: Vec<String> =
        [DiffDirection::Looser, DiffDirection::Unclear, DiffDirection::Stricter]
            .into_iter()
            .filter_map(|direction| summarize_direction(differences, direction))
            .collect();
    match parts.as_slice() {
        [] => "no rule became looser or stricter".to_owned(),
        parts => parts.join(", "),
    }
}

fn summarize_direction(differences: &[Difference], direction: DiffDirection) -> Option<String> {
    let mut found: Vec<&Difference> =
        differences.iter().filter(|difference| difference.direction == direction).collect();
    // One key tells what happened to a subject; the others mostly follow from it.
    found.dedup_by_key(|difference| &difference.subject);
    if found.is_empty() {
        return None;
    }
    let named = found.iter().take(limits::SUMMARY_DIFFERENCES).map(|difference| {
        let Difference { subject, key, before, after, .. } = difference;
        format!("{subject} {key}: {} → {}", shorten(before), shorten(after))
    });
    let mut named: Vec<String> = named.collect();
    let more = found.len().saturating_sub(limits::SUMMARY_DIFFERENCES);
    if more > 0 {
        named.push(format!("and {more} more"));
    }
    Some(format!("{} {} ({})", found.len(), direction.word(), named.join("; ")))
}

fn shorten(value: &str) -> String {
    match value.char_indices().nth(limits::SUMMARY_VALUE_CHARS) {
        Some((end, _)) => format!("{}…", value.get(..end).unwrap_or_default()),
        None => value.to_owned(),
    }
}
