//! Every limit on the files that this crate parses, each with its reason.
//!
//! Files are untrusted: parsing must finish in bounded time and memory.

use std::ops::RangeInclusive;

/// A graph of 100,000 actions is under 3 MiB.
pub const MAX_FILE_BYTES: usize = 16 << 20;
/// A graph needs six levels; the parsers recurse once per level.
pub const MAX_DEPTH: usize = 64;
/// Total expansion of all YAML aliases in a file, so that ten lines cannot become a gigabyte.
pub const MAX_ALIASED_BYTES: usize = 16 << 20;
/// Problems reported for one file; a person fixes the first ones and runs the check again.
pub const MAX_PROBLEMS: usize = 100;

/// Policy files in one folder; nobody reviews more.
pub const MAX_POLICY_FILES: usize = 100;
/// Total size of all policies of a graph; a policy of ten lines has 500 bytes.
pub const MAX_POLICY_BYTES: usize = 1 << 20;

/// Patterns in `secrets` or `guarded`; nobody reviews more, and each path is compared with them.
pub const MAX_PLACE_PATTERNS: usize = 1_000;
/// Length of one place pattern; a path of the kernel has at most 4096 bytes, and a readable pattern
/// far fewer.
pub const MAX_PLACE_PATTERN_BYTES: usize = 1_000;

/// Differences that the summary of a changed graph names for each direction: it is one line.
pub const SUMMARY_DIFFERENCES: usize = 3;
/// Characters of each value in that summary.
pub const SUMMARY_VALUE_CHARS: usize = 60;

/// A cooling period of more than a year would in effect block the action.
pub const COOLING_HOURS_RANGE: RangeInclusive<u32> = 0..=8_760;
/// An undo window of no days would promise an undo that never works.
pub const UNDO_DAYS_RANGE: RangeInclusive<u32> = 1..=3_650;
/// With an interval of zero days a graph would decay on the day of its review.
pub const REVIEW_DAYS_RANGE: RangeInclusive<u32> = 1..=3_650;
