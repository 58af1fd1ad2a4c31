//! Every bound of the reports, each with its reason.

use std::time::Duration;

/// Ledger entries in memory at once: a few megabytes, however long the ledger is.
pub(crate) const LEDGER_PAGE: usize = 1024;
/// One line of an export: arguments of a megabyte, with every character escaped.
pub(crate) const MAX_EXPORT_LINE_BYTES: u64 = 64 << 20;
/// Differences that a replay shows: more give no new information.
pub(crate) const MAX_SHOWN_DIFFERENCES: usize = 100;
/// Ids that are listed if several match.
pub(crate) const MAX_LISTED_IDS: usize = 5;
/// How often `log --follow` and `ledger follow` read the ledger: often enough to watch, and cheap.
pub(crate) const LEDGER_POLL_INTERVAL: Duration = Duration::from_millis(500);

/// Characters of a call in one line about it: the rest is in `why`.
pub(crate) const MAX_WHAT_CHARS: usize = 120;
