//! Every bound of the command line, each with its reason.

use std::time::Duration;

/// Characters of one name or sentence from a file: a key of ten megabytes is not read to its end.
pub(crate) const SHOWN: usize = 400;
/// Characters of a line shown on either side of a problem: a JSON file may be one line.
pub(crate) const AROUND: usize = 60;
/// More cases than this show progress on a terminal; fewer are over before it could be read.
pub(crate) const SHORT_RUN: usize = 200;
/// Cases between two signs of progress.
pub(crate) const PROGRESS_EVERY: usize = 50;
/// Entries of the ledger that are held at once: a few megabytes, however long it is.
pub(crate) const PAGE: usize = 1024;
/// One line of an export: arguments of a megabyte, with every character escaped.
pub(crate) const EXPORT_LINE: u64 = 64 << 20;
/// Differences that a replay shows; more say nothing new.
pub(crate) const DIFFERENCES: usize = 100;
/// What is read of a prompt's answer: enough for a yes, not for a file piped in by mistake.
pub(crate) const REPLY_BYTES: u64 = 64;
/// How long a command waits for the daemon, beyond the time that it asked the daemon to wait.
pub(crate) const DAEMON_TIMEOUT: Duration = Duration::from_secs(10);
/// How long `doctor` waits for a daemon that may hang.
pub(crate) const DOCTOR_TIMEOUT: Duration = Duration::from_secs(5);
/// The first delay before a daemon that is away is tried again: a restart takes no longer.
pub(crate) const MIN_RECONNECT_DELAY: Duration = Duration::from_millis(200);
/// The longest such delay: nobody wants to wait longer for a daemon that is back.
pub(crate) const MAX_RECONNECT_DELAY: Duration = Duration::from_secs(5);
/// Grants that `/grants` and `/allowlist` list: nobody reads more line by line.
pub(crate) const MAX_LISTED_GRANTS: usize = 100;
/// Used-up grants that are listed after those in force.
pub(crate) const MAX_USED_GRANTS: usize = 20;
/// Pages that are searched for them; `--all` searches everywhere.
pub(crate) const MAX_USED_GRANT_PAGES: usize = 5;
/// Grants of one review: nobody reviews more in one go.
pub(crate) const MAX_REVIEWED_GRANTS: usize = 10_000;
/// Characters of an id that name it: fewer would fit several on any busy day.
pub(crate) const LEAST_OF_AN_ID: usize = 4;
/// Ids that are listed where one was meant and several fit.
pub(crate) const CANDIDATES: usize = 5;
/// How often `log --follow` and `ledger follow` read the ledger: often enough to watch, and cheap.
pub(crate) const LEDGER_POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Open files that `serve` asks for: the connections that both sockets accept, and some more.
pub(crate) const OPEN_FILES: u64 = 40_000;
/// Steps that wait for the disk at once. They share one write, so more would only cost memory.
pub(crate) const MAX_BLOCKING_THREADS: usize = 32;
/// A thread that is idle for this long ends and frees its memory.
pub(crate) const IDLE_THREAD_LIFETIME: Duration = Duration::from_secs(1);
/// How long the agent of `demo` waits for an answer: enough to read a card.
pub(crate) const DEMO_ANSWER_TIMEOUT: Duration = Duration::from_secs(120);
