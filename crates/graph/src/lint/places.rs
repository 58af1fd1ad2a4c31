//! Finds place patterns that are built in already.

use super::{LintCheck, LintFindings, LintedGraph, list_texts};
use crate::places::PlaceKind;
use crate::places::built_in::BUILT_IN_GROUPS;

pub(super) fn lint(linted: &LintedGraph<'_>, findings: &mut LintFindings) {
    for (key, kind) in [("secrets", PlaceKind::Secret), ("guarded", PlaceKind::Guarded)] {
        for (text, span) in list_texts(linted.root.get(key)) {
            if is_built_in(kind, text) {
                let message = format!("`{text}` is built in");
                findings.add(LintCheck::PlaceWithoutEffect, span, message);
            }
        }
    }
}

/// Compares the texts only; which paths a pattern covers is not compared.
fn is_built_in(kind: PlaceKind, text: &str) -> bool {
    let groups = BUILT_IN_GROUPS.iter().copied().flatten().filter(|group| group.kind == kind);
    groups.flat_map(|group| group.patterns).any(|pattern| pattern.eq_ignore_ascii_case(text))
}
