//! Every bound of a search, each with its reason.

use std::time::Duration;

/// Inputs kept because they led somewhere new: a search that keeps everything repeats itself.
pub const POOL: usize = 4_096;
/// Findings of one search: the eleventh is seldom another bug.
pub const FINDINGS: usize = 10;
/// Words taken from the seeds.
pub const WORDS: usize = 4_096;
/// Attempts to make a finding smaller.
pub const SHRINKING: usize = 4_000;
/// One input may take this long where code is optimised; a tenth of it is noticed by a person.
pub const PATIENCE: Duration = Duration::from_millis(500);
/// How often an input that took too long is tried again, because machines have other work.
pub const SECOND_LOOKS: usize = 4;
