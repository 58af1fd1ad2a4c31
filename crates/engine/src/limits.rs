//! Every bound of the engine, each with its reason.

use countersign_core::model::time::Span;

/// Deciding again after a conflict: more often means that something is wrong, and then it is no.
pub const ATTEMPTS: usize = 3;
/// Between reading and writing, after which a decision is made again: the machine was asleep, and
/// what it was decided on may be over.
pub const STALE: Span = Span::seconds(10);
/// Attempts leased in one round: the next round takes the rest.
pub const REPEATS: usize = 64;
/// Completions on their way to the disk: whoever brings more waits.
pub const LATE: usize = 1024;
/// Revocations that could not be written: with more than this, nothing is decided until a restart.
pub const UNWRITTEN: usize = 1024;
