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
/// If one agent asks more questions than this within `BURST_WINDOW`, it asks too often.
pub(crate) const MAX_SEPARATE_QUESTIONS: usize = 5;
/// Long enough that a retrying agent is noticed, short enough that an agent that works is not.
pub(crate) const BURST_WINDOW: Span = Span::seconds(60);
/// Without a further question for this long, the agent no longer asks too often.
pub(crate) const BURST_END: Duration = Duration::from_secs(60);
/// Other calls of such an agent that are listed above its card, so that the card stays on the screen.
pub(crate) const MAX_BURST_LINES: usize = 5;
/// Lines that one input may lead to on a full screen. The longest list of grants has fewer.
pub(crate) const MAX_REPLIES: usize = 2_000;
/// Replies that stand below a card. More get a panel.
pub(crate) const MAX_REPLY_ROWS: usize = 2;
/// Messages that are kept until they are read.
pub(crate) const MAX_MESSAGES: usize = 200;
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
/// Columns below which a card is laid out as if the terminal were this wide: a mark and a word.
pub(crate) const MIN_COLUMNS: usize = 20;
/// Columns from which labels are aligned; in a narrower window the blanks would be missing.
pub(crate) const MIN_ALIGNED_COLUMNS: usize = 48;
/// Columns of a label that others are aligned with. A longer one stands out by itself.
pub(crate) const MAX_LABEL_COLUMNS: usize = 16;
/// Columns of a name in the header, which should stay one line.
pub(crate) const MAX_NAME_COLUMNS: usize = 24;
/// Columns of the folder in the last line of a card: fewer say nothing.
pub(crate) const MIN_FOLDER_COLUMNS: usize = 12;
/// Columns of the headline in the prompt, so that there is room to type.
pub(crate) const MAX_PROMPT_COLUMNS: usize = 48;
/// Arrivals that are announced above one question. More are only counted, so that its card stays
/// on the screen.
pub(crate) const MAX_ANNOUNCED_ARRIVALS: usize = 3;
/// Characters of an id that are shown: its letter and six digits, short enough to type.
pub(crate) const SHORT_ID_CHARS: usize = 7;
/// Ids that are listed if several start alike.
pub(crate) const MAX_LISTED_IDS: usize = 10;
