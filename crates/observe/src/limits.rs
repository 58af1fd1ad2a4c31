//! Every limit on lookups and argument facts, each with its reason.

use std::time::Duration;

/// Bytes of the rules of a repository. They are read for each decision, and people read them before
/// they trust them.
pub const MAX_LAYER_BYTES: u64 = 64 * 1024;
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
/// Names below a folder that is deleted as a whole, searched for secrets. A call must not wait for a
/// huge tree; beyond it, the tree counts as one that holds some.
pub const MAX_SEARCHED_NAMES: usize = 5_000;
/// Names below a folder that a command reads, searched for secrets. Reading the files takes the
/// program far longer; beyond it, the call asks.
pub const MAX_READ_NAMES: usize = 50_000;
/// Bytes of a program that is hashed: larger than any program that people build, and small enough to
/// read while a call waits.
pub const MAX_HASHED_BYTES: u64 = 1 << 30;
/// Programs whose hashes are kept: more than anybody's agents start. One more only costs hashing
/// them again.
pub const MAX_KNOWN_PROGRAMS: usize = 1_024;
/// Seconds for which a changed file is read again at each lookup. No file system counts in larger
/// steps: FAT takes two seconds.
pub const RACY_SECONDS: i64 = 2;
/// Bytes in which the first line of a script must end: as many as Linux reads.
pub const MAX_SCRIPT_LINE: u64 = 256;
/// Files that a program leads through: shims, scripts and interpreters, each time that they are met.
/// A script behind a shim, whose interpreter is behind another shim, takes about fifteen.
pub const MAX_PROGRAM_CHAIN: usize = 24;
/// Bytes of a shim's script or of a file that chooses a version. People write a few lines.
pub const MAX_VERSION_FILE_BYTES: u64 = 64 << 10;
/// Scripts of a version manager. The largest have some dozens.
pub const MAX_MANAGER_FILES: usize = 256;
/// Bytes of a file that defines tasks: people write a few hundred lines.
pub const MAX_PROJECT_FILE_BYTES: u64 = 1 << 20;
/// Folders in which the files that decide what a line executes are looked for, and those above them.
/// Nobody names more in a line.
pub const MAX_RUN_FOLDERS: usize = 32;
/// Such files of one line. A workspace with more packages asks.
pub const MAX_RUN_FILES: usize = 256;
/// Folders below that are searched for such files. A call must not wait for a huge tree; beyond it, the
/// tree counts as changed until somebody says yes.
pub const MAX_SEARCHED_FOLDERS: usize = 512;
/// Bytes of such a file that a card can compare with what it was: nobody reads a longer one there.
pub const MAX_COMPARED_BYTES: usize = 64 << 10;
/// Bytes of a file that leads from a worktree to its repository, or back: one path.
pub const MAX_GIT_LINK_BYTES: u64 = 8 * 1024;
/// Bytes of one file of git's configuration. Repositories with thousands of branches stay below.
pub const MAX_GIT_CONFIG_BYTES: u64 = 256 * 1024;
/// Bytes of a git index, which is read for its submodules. That of a million files is larger; such a
/// repository asks.
pub const MAX_GIT_INDEX_BYTES: u64 = 64 * 1024 * 1024;
/// Levels of files that include each other: as many as git reads.
pub const MAX_GIT_INCLUDE_DEPTH: usize = 10;
/// Paths that one reading of git's configuration looks at. Each is looked at again for every git
/// command.
pub const MAX_GIT_PATHS: usize = 512;
/// Submodules of one repository, at all levels: the configuration of each is read.
pub const MAX_GIT_SUBMODULES: usize = 32;
/// Folders whose reading is kept, and files whose content is kept. A daemon serves fewer workspaces;
/// an agent must not fill the memory.
pub const MAX_GIT_CACHE_ENTRIES: usize = 256;
/// Age of a file after which its time stamp tells the next change: the coarsest file systems count
/// in steps of two seconds.
pub const SETTLED_AGE: Duration = Duration::from_secs(3);
