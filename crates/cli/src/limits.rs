//! Every bound of the command line, each with its reason.

use std::time::Duration;

/// Up to so many cases no progress is shown: they end before anybody could read it.
pub(crate) const SHORT_TEST_RUN: usize = 200;
/// Cases between two updates of the progress line.
pub(crate) const PROGRESS_INTERVAL: usize = 50;
/// How long a command waits for the daemon, beyond the time that it asked the daemon to wait.
pub(crate) const DAEMON_TIMEOUT: Duration = Duration::from_secs(10);
/// The first delay before a daemon that is away is tried again: a restart takes no longer.
pub(crate) const MIN_RECONNECT_DELAY: Duration = Duration::from_millis(200);
/// The longest such delay: nobody wants to wait longer for a daemon that is back.
pub(crate) const MAX_RECONNECT_DELAY: Duration = Duration::from_secs(5);
/// How long a client waits for the daemon that it started: ten seconds, for a disk that is busy.
pub(crate) const DAEMON_START: Duration = Duration::from_secs(10);
/// How long `stop` waits for the daemon to end: it writes what it has decided, also on a slow disk.
pub(crate) const DAEMON_STOP: Duration = Duration::from_secs(20);
/// Seconds that `gate` and `run` can wait for an answer: the daemon waits no longer.
pub(crate) const MAX_WAIT_SECONDS: u64 = 300;
/// Grants that `grants ls` lists unless `--limit` says otherwise: a few screens.
pub(crate) const DEFAULT_LISTED_GRANTS: u64 = 200;
/// Days that `grants review --within` looks ahead: ten years are more than any review interval.
pub(crate) const MAX_REVIEW_DAYS: u32 = 3_650;
/// Proposals that `proposals` lists: more than an agent should ever have open.
pub(crate) const MAX_LISTED_PROPOSALS: usize = 200;
/// Grants that `/grants` and `/allowlist` list: nobody reads more line by line.
pub(crate) const MAX_LISTED_GRANTS: usize = 100;
/// Grants of one review: nobody reviews more in one go.
pub(crate) const MAX_REVIEWED_GRANTS: usize = 10_000;
/// Open files that `serve` asks for: the connections that both sockets accept, and some more.
pub(crate) const OPEN_FILES: u64 = 40_000;
/// Steps that wait for the disk at once. They share one write, so more would only cost memory.
pub(crate) const MAX_BLOCKING_THREADS: usize = 32;
/// A thread that is idle for this long ends and frees its memory.
pub(crate) const IDLE_THREAD_LIFETIME: Duration = Duration::from_secs(1);
/// How long the agent of `demo` waits for an answer: enough to read a card.
pub(crate) const DEMO_ANSWER_TIMEOUT: Duration = Duration::from_secs(120);
/// Bytes of a program or script that `run` holds and hashes: larger than any program that people
/// build, and small enough to read twice.
pub(crate) const MAX_PINNED_BYTES: u64 = 1 << 30;
/// Files that `run` holds for one command. Nobody reads a card with more.
pub(crate) const MAX_PINNED_FILES: usize = 64;
/// How often `demo --auto` looks for Ctrl-C: soon enough for a person.
pub(crate) const DEMO_INTERRUPT_POLL: Duration = Duration::from_millis(50);
/// How long a hook waits for an answer while a surface shows the question. Programs wait ten minutes
/// for a hook, and go on without it after that: half a minute less leaves time for everything else.
pub(crate) const HOOK_WAIT: Duration = Duration::from_secs(570);
/// The same while no surface is attached: time to run `countersign approve`, and not longer, because
/// the agent can tell its user only after the hook has ended.
pub(crate) const HOOK_WAIT_UNSEEN: Duration = Duration::from_secs(15);
/// How often a waiting hook looks for a no in its program's prompt: soon enough to feel immediate.
pub(crate) const REJECTION_POLL: Duration = Duration::from_millis(100);
/// How long a hook that is being ended looks for a no. Claude Code writes it about a tenth of a second
/// after its signal, and kills the hook a second later than this.
pub(crate) const REJECTION_WAIT: Duration = Duration::from_millis(700);
/// How much of a transcript is read at once: a line with a no has at most a few kilobytes.
pub(crate) const TRANSCRIPT_PART: u64 = 1 << 20;
/// How long a hook waits for the daemon that it started.
pub(crate) const HOOK_DAEMON_START: Duration = Duration::from_secs(2);
/// How long one request of a waiting hook may take: less than the daemon's own limit.
pub(crate) const HOOK_WAIT_SLICE: Duration = Duration::from_secs(60);
/// What a program writes to its status line: a few kilobytes.
pub(crate) const MAX_STATUS_BYTES: u64 = 1 << 20;
/// How often a client looks for a daemon that somebody else is starting.
pub(crate) const DAEMON_START_POLL: Duration = Duration::from_millis(20);
/// How long a server that `mcp wrap` runs may take to end after its input was closed: as long as one of
/// the daemon's.
pub(crate) const SERVER_EXIT_GRACE: Duration = countersign_gateway::limits::EXIT_GRACE;
/// How often `mcp wrap` looks whether such a server has ended: soon enough for a client that waits.
pub(crate) const SERVER_EXIT_POLL: Duration = Duration::from_millis(20);
