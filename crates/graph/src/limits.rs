//! Every bound on a file that is read here, each with its reason.
//!
//! A file may come from anywhere; reading it must end soon and in bounded memory.

use std::ops::RangeInclusive;

/// A graph of 100,000 actions is under 3 MiB.
pub const FILE_BYTES: usize = 16 << 20;
/// The deepest graph needs six levels; the readers recurse once per level.
pub const DEPTH: usize = 64;
/// What all YAML aliases of a file may expand to, so that ten lines cannot become a gigabyte.
pub const ALIASED_BYTES: usize = 16 << 20;
/// Problems reported for one file: nobody reads the hundred-and-first.
pub const PROBLEMS: usize = 100;

/// Files of policies in one folder: more are no longer read by a person.
pub const RULE_FILES: usize = 100;
/// What all policies of a graph may come to; a policy of ten lines has 500 bytes.
pub const RULE_BYTES: usize = 1 << 20;

/// Cooling of more than a year is a block in disguise.
pub const COOLING_HOURS: RangeInclusive<u32> = 0..=8_760;
/// An undo window of no days would promise an undo that never works.
pub const UNDO_DAYS: RangeInclusive<u32> = 1..=3_650;
/// An interval of no days would have every graph decayed on the day of its review.
pub const REVIEW_DAYS: RangeInclusive<u32> = 1..=3_650;
