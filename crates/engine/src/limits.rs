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
/// Links followed for one path: as many as Linux follows, so that we go no further than it would.
pub const LINKS: usize = 40;
/// Bytes of a path, and of what its links make of it: Linux takes no longer one.
pub const PATH_BYTES: usize = 4096;
/// Questions to the disk about one command line: more words than that nobody meant as paths, and
/// a line must not cost the gate a second.
pub const LOOKUPS: usize = 2_000;
/// Targets times recipients of one call: each is judged by itself, and a call that names more of
/// them than this is one that nobody would read.
pub const COMBINATIONS: usize = 256;
