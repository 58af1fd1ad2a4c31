//! The built-in place patterns, in groups that share a reason.
//!
//! A pattern belongs here if a program keeps credentials at that place or executes it without being
//! asked. Instructions that people edit every day (`AGENTS.md`, rules for an agent) do not. Each
//! pattern needs a row in the tests that it matches; a test compares docs/places.md with them.

mod cache;
mod guarded;
mod plan;
mod secret;

use super::PlaceKind;

/// Patterns that stand here for the same reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceGroup {
    pub kind: PlaceKind,
    pub title: &'static str,
    /// What is there, or which program runs it.
    pub reason: &'static str,
    pub patterns: &'static [&'static str],
}

pub const BUILT_IN_GROUPS: &[&[PlaceGroup]] =
    &[secret::GROUPS, guarded::GROUPS, cache::GROUPS, plan::GROUPS];

const fn secret(
    title: &'static str,
    reason: &'static str,
    patterns: &'static [&'static str],
) -> PlaceGroup {
    PlaceGroup { kind: PlaceKind::Secret, title, reason, patterns }
}

const fn guarded(
    title: &'static str,
    reason: &'static str,
    patterns: &'static [&'static str],
) -> PlaceGroup {
    PlaceGroup { kind: PlaceKind::Guarded, title, reason, patterns }
}

const fn plan(
    title: &'static str,
    reason: &'static str,
    patterns: &'static [&'static str],
) -> PlaceGroup {
    PlaceGroup { kind: PlaceKind::Plan, title, reason, patterns }
}

const fn cache(
    title: &'static str,
    reason: &'static str,
    patterns: &'static [&'static str],
) -> PlaceGroup {
    PlaceGroup { kind: PlaceKind::Cache, title, reason, patterns }
}
