//! Places where agents' programs keep the plans of their sessions: a plan there is like a file of the
//! workspace.
//!
//! A place belongs here if it holds nothing but text that the program shows to the person, and if
//! nothing runs it or loads it into another session by itself.
//!
//! See docs/decisions/0134-plans-and-skills-of-agents.md.

use super::{PlaceGroup, plan};

#[rustfmt::skip]
pub(super) const GROUPS: &[PlaceGroup] = &[
    plan("Claude Code", "the plan of a session, which its plan mode shows to the person", &["~/.claude/plans/*.md"]),
];
