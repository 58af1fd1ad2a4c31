//! The limits of a search, each with its reason.

use std::time::Duration;

/// Inputs with new features: a search with a larger pool repeats itself.
pub const MAX_POOL_INPUTS: usize = 4_096;
/// Findings of one search: further ones are seldom different bugs.
pub const MAX_FINDINGS: usize = 10;
/// Words taken from the seeds for mutations.
pub const MAX_WORDS: usize = 4_096;
/// Attempts to shrink a finding.
pub const MAX_SHRINK_ATTEMPTS: usize = 4_000;
/// Time for one input in optimised code; a person would notice a tenth of it.
pub const INPUT_TIME_LIMIT: Duration = Duration::from_millis(500);
/// Retries of an input that took too long, because the machine may be busy.
pub const MAX_TIMING_RETRIES: usize = 4;
