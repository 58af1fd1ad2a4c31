//! Every bound of the setup commands, each with its reason.

use countersign_core::model::time::Span;
use std::time::Duration;

/// How long `doctor` waits for a daemon that may hang.
pub(crate) const DOCTOR_TIMEOUT: Duration = Duration::from_secs(5);
/// Free disk space below which `doctor` reports a problem: writes may fail at any time.
pub const MIN_FREE_BYTES: u64 = 64 << 20;
/// Free disk space below which `doctor` warns: enough for days, so there is time to act.
pub(crate) const LOW_FREE_BYTES: u64 = 1 << 30;
/// Entries at the end of the ledger that `doctor` verifies without `--deep`: a fraction of a second.
pub(crate) const DOCTOR_ENTRIES: u64 = 1_000;
/// How far the ledger may be ahead of our clock: machines with NTP differ by less.
pub(crate) const MAX_CLOCK_SKEW: Span = Span::seconds(5);
/// How long `doctor` waits for a hook. One that waits longer waits for a person.
pub(crate) const CANARY_TIMEOUT: Duration = Duration::from_secs(5);
/// Bytes of a hook's output that `doctor` reads: far more than any verdict.
pub(crate) const MAX_CANARY_BYTES: u64 = 1 << 20;
/// Days of transcripts that `init` reads: long enough for a habit, and what people still remember.
pub(crate) const TRANSCRIPT_DAYS: u32 = 30;
/// Transcripts of one program that `init` reads: more sessions than anybody has in a month.
pub(crate) const MAX_TRANSCRIPTS: usize = 5_000;
/// Bytes of all transcripts that `init` reads: a few seconds.
pub(crate) const MAX_TRANSCRIPT_BYTES: u64 = 1 << 30;
/// Bytes of one line of a transcript: a result of a tool may be large, a call is not.
pub(crate) const MAX_TRANSCRIPT_LINE: u64 = 16 << 20;
/// Calls that `init` decides with each preset: the counts say the same with more.
pub(crate) const MAX_TRANSCRIPT_CALLS: usize = 20_000;

/// Processes above a hook that are looked at: more than any agent starts inside of another.
pub(crate) const MAX_ANCESTORS: usize = 64;
/// The largest support packet: some thousand entries of the ledger.
pub(crate) const MAX_PACKET_BYTES: u64 = 64 << 20;
/// Seconds that sharing a packet waits for an answer: the daemon waits no longer.
pub(crate) const MAX_SHARE_WAIT_SECONDS: u64 = 300;
/// Added lines that `init` shows of one change: the first hook. Those of the other events are alike.
pub(crate) const MAX_SHOWN_ADDITIONS: usize = 16;
