//! Every bound of the pages, each with its reason.

use countersign_core::model::time::Span;

/// More questions of one agent than this within the window are one row, as at the terminal.
pub(crate) const MAX_SEPARATE_QUESTIONS: usize = 5;
/// The window in which an agent's questions are counted.
pub(crate) const BURST_WINDOW: Span = Span::minutes(1);
/// Characters of a command that the live region says: what comes after is on the card.
pub(crate) const MAX_ANNOUNCED_CHARS: usize = 200;
/// Grants beside the card: more are on their own page.
pub(crate) const GRANTS_BESIDE_CARD: usize = 8;
