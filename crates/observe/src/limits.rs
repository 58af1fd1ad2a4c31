//! Every limit on lookups and argument facts, each with its reason.

/// Links followed for one path: as many as Linux follows.
pub const MAX_LINKS: usize = 40;
/// Bytes of a path, also after its links are replaced by their targets: Linux takes no longer one.
pub const MAX_PATH_BYTES: usize = 4096;
/// Lookups for one command line. Nobody writes a line with more paths, and judging it must not take
/// a second.
pub const MAX_LOOKUPS: usize = 2_000;
/// Targets times recipients of one call. Each combination is judged separately, and nobody reads a
/// call with more.
pub const MAX_COMBINATIONS: usize = 256;
/// Files of ours that a file with several names is compared with. Our folders contain a few dozen; a
/// call must not wait for a folder that somebody filled.
pub const MAX_OWN_FILES: usize = 10_000;
/// Bytes of the names of a file's extended attributes. A file with more counts as one whose access
/// list cannot be read.
pub const MAX_ATTRIBUTE_NAMES: usize = 4096;
/// Names in a folder that a pattern is compared with. A call must not wait for a huge folder.
pub const MAX_LISTED_NAMES: usize = 10_000;
