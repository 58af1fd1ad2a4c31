//! Every bound of this crate, with its reason.

use countersign_core::model::time::Span;
use std::time::Duration;

/// A question accepts input after it was shown and no key has arrived for this long. A person who
/// is typing something else does not pause for this long.
pub const QUIET_PERIOD: Duration = Duration::from_millis(400);
/// No person presses keys at shorter intervals than this.
pub(crate) const MIN_KEY_INTERVAL: Duration = Duration::from_millis(10);
/// A person can roll two keys at once, but not this many.
pub(crate) const MIN_BURST_KEYS: usize = 3;
/// Terminals send an escape sequence in one piece; a longer gap means that it is incomplete.
pub(crate) const MAX_SEQUENCE_GAP: Duration = Duration::from_millis(100);
/// Characters in a line: a note of 500 and the words before it.
pub(crate) const MAX_LINE_LENGTH: usize = 600;
/// Bytes kept of the parameters of an escape sequence. No sequence that we recognise has more.
pub(crate) const MAX_PARAMETER_BYTES: usize = 32;
/// Without a key for this long, the operator is idle.
pub(crate) const IDLE_AFTER: Duration = Duration::from_secs(120);
/// Without a key for this long, the operator is away.
pub(crate) const AWAY_AFTER: Duration = Duration::from_secs(900);
/// If one agent asks more questions than this within `BURST_WINDOW`, they become one card.
pub(crate) const MAX_SEPARATE_QUESTIONS: usize = 5;
/// Long enough that a retrying agent is noticed, short enough that an agent that works is not.
pub(crate) const BURST_WINDOW: Span = Span::seconds(60);
/// A notice with the same text is not shown again within this time.
pub(crate) const NOTICE_REPEAT_WINDOW: Duration = Duration::from_secs(60);
/// Characters of the exact action in an announcement, which is one line.
pub(crate) const MAX_ANNOUNCED_CHARS: usize = 200;
/// Bytes read at once: the size of a terminal's input buffer.
pub(crate) const READ_BUFFER: usize = 4096;
/// Bytes read before other events are handled, so that a large paste does not delay them.
pub(crate) const MAX_READ: usize = 1 << 20;
/// Open questions kept here. The daemon bounds them too.
pub(crate) const MAX_QUESTIONS: usize = 10_000;
/// Notice texts remembered in order to recognise repeats.
pub(crate) const MAX_REMEMBERED_NOTICES: usize = 256;
