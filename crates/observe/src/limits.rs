//! Every bound of this crate, each with its reason.

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
