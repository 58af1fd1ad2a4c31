//! Bounds of the stores, each with its reason.

use std::time::Duration;

/// Commits that SQLite writes in one transaction. Beyond this the last caller of a batch would
/// wait for too many others.
pub(crate) const MAX_SQLITE_BATCH: usize = 256;

/// Commits that a node sends to PostgreSQL in one statement, for the same reason.
pub(crate) const MAX_POSTGRES_BATCH: usize = 128;

/// Entries at the ledger's end that are read to find the latest instant: the entries of one batch
/// can carry their instants in any order.
pub(crate) const LEDGER_TAIL_ENTRIES: u64 = 256;

/// Results of calls that are kept at once. An agent asks for its last few again; each may have a
/// megabyte.
pub(crate) const MAX_KEPT_RESULTS: usize = 1_024;

/// Rows that one page of grants scans where no index leads to the wanted ones only.
pub(crate) const MAX_SCANNED_ROWS: usize = 1_000;

/// Bytes that most rows fit in. A buffer of this size is allocated at once.
pub(crate) const TYPICAL_ROW_BYTES: usize = 1_024;

/// Rows that all working copies of the SQLite writer hold together: about ten megabytes, however
/// many sessions are in use.
pub(crate) const MAX_WORKING_COPY_ROWS: usize = 12_288;

/// What an almost empty working copy costs, counted in rows.
pub(crate) const EMPTY_COPY_ROWS: usize = 12;

/// A working copy that has grown by this many rows, and to twice its size, is loaded again without
/// the ended rows. With twice its size, a commit costs the same however many rows there are.
pub(crate) const MIN_COPY_GROWTH_ROWS: usize = 64;

/// Reads that the SQLite store remembers for the commits that follow them: more than are decided
/// at the same time. What is not remembered is read twice.
pub(crate) const MAX_CACHED_READS: usize = 64;

/// Cells for which the SQLite writer remembers the last change.
pub(crate) const MAX_TRACKED_CELLS: usize = 4_096;

/// Pages in SQLite's log after which a checkpoint starts. Syncing a file that grows is far slower
/// than syncing one that is overwritten, so the log should reach its full length soon.
pub(crate) const CHECKPOINT_PAGES: usize = 1_024;

/// Bytes of a page of SQLite.
pub(crate) const PAGE_BYTES: usize = 4_096;

/// Pages that a commit writes besides about one for each change: the last page of each table.
pub(crate) const PAGES_PER_COMMIT: usize = 4;

/// How long SQLite waits for a lock that another connection holds.
pub(crate) const SQLITE_BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Bytes on the disk that are kept free for answers, revocations and pauses: about a hundred of them,
/// each with the pages of its tables.
pub(crate) const RESERVE_BYTES: u64 = 4 << 20;

/// Prepared statements that one SQLite connection keeps: all that the store uses.
pub(crate) const SQLITE_CACHED_STATEMENTS: usize = 96;

/// The oldest usable SQLite, 3.51.3. In older ones a commit in WAL mode can lose pages when a
/// checkpoint meets a reader.
pub(crate) const MIN_SQLITE_VERSION: i32 = 3_051_003;

/// Session snapshots that one node keeps. The cache is emptied when it is full.
pub(crate) const MAX_CACHED_SESSIONS: usize = 512;

/// A cached snapshot that has taken this many commits, and as many as it has open requests, is read
/// again without the ended rows.
pub(crate) const MIN_SNAPSHOT_COMMITS: usize = 128;

/// Reads of several sessions or of none that a node remembers: about as many as one node answers
/// at the same time.
pub(crate) const MAX_RECENT_READS: usize = 16;

/// How long a connection to PostgreSQL may take to open, and how long sent data may stay without an
/// acknowledgement before the connection counts as lost.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// How long a caller waits for PostgreSQL by default. A call takes a read and a commit, and has to
/// be answered within 5 seconds whatever the database does.
pub(crate) const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

/// How long a caller waits for a read of more than some sessions.
pub(crate) const LONG_READ_TIMEOUT: Duration = Duration::from_secs(4);

/// After a database did not answer in time, callers are refused at once for this long.
pub(crate) const RECONNECT_PAUSE: Duration = Duration::from_millis(500);

/// A notification can be lost with its connection, so a listening node looks anyway.
pub(crate) const LISTEN_INTERVAL: Duration = Duration::from_millis(500);

/// Without notifications a node looks about as often as a person would notice.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Letters in the name of a schema: index and function names are made from it, and PostgreSQL
/// cuts names off at 63 bytes.
pub(crate) const MAX_SCHEMA_NAME_BYTES: usize = 48;
