//! Every bound of this room, with its reason.

use std::time::Duration;

/// A question listens after the keys have been still for so long since it was shown: whoever types
/// something else has not stopped within this time.
pub const GUARD: Duration = Duration::from_millis(400);
/// Keys that come closer together than this come from no hand.
pub(crate) const AT_ONCE: Duration = Duration::from_millis(10);
/// So many keys at once are no key that was held or rolled.
pub(crate) const MANY: usize = 3;
/// A sequence of a terminal comes whole; what is torn for longer than this is none.
pub(crate) const TORN: Duration = Duration::from_millis(100);
/// Longest line that is taken: a note of 500 characters and a word before it.
pub(crate) const LINE: usize = 600;
/// Longest run of parameters of a sequence; more is swallowed without being kept.
pub(crate) const PARAMETERS: usize = 32;
/// Without a key for so long nobody is known to be active.
pub const IDLE: Duration = Duration::from_secs(120);
/// Without a key for so long nobody is known to be there.
pub(crate) const AWAY: Duration = Duration::from_secs(900);
/// More questions of one agent than this within a minute are one card.
pub(crate) const BURST: usize = 5;
/// What is told again within this time is counted.
pub(crate) const SAME: Duration = Duration::from_secs(60);
/// Of the exact action, so much is in an announcement.
pub(crate) const ANNOUNCED: usize = 200;
/// Bytes that are read at once: what a terminal holds.
pub(crate) const READ: usize = 4096;
/// Bytes that are read before something else is looked at: a paste must not hold everything up.
pub(crate) const READ_AT_MOST: usize = 1 << 20;
/// Questions that are kept; the daemon bounds them too.
pub(crate) const QUESTIONS: usize = 10_000;
/// Different notices that are remembered, to count what repeats.
pub(crate) const NOTICES: usize = 256;
