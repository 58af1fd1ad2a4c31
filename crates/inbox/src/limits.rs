//! Every bound of this crate, with its reason.

/// Columns below which a card and its choices no longer fit beside each other in whole words.
pub(crate) const MIN_COLUMNS: u16 = 60;
/// Rows below which the header, the keys and a card of a few lines no longer fit.
pub(crate) const MIN_ROWS: u16 = 16;
/// Columns from which the list of what waits stands beside the card. In a narrower window the card
/// needs them.
pub(crate) const MIN_LIST_SCREEN: u16 = 76;
/// Columns of the list: a third of the screen, within these bounds.
pub(crate) const MIN_LIST_COLUMNS: u16 = 24;
/// Longer headlines are on the card.
pub(crate) const MAX_LIST_COLUMNS: u16 = 38;
/// Columns of the card, beyond which lines are hard to read.
pub(crate) const MAX_CARD_COLUMNS: u16 = 100;
/// Rows for hints, or for the replies to what was typed. They are always there: a card that moved while
/// it is answered would be another one.
pub(crate) const REPLY_ROWS: usize = 2;
/// Columns of a label that others are aligned with: a longer one would push all texts aside.
pub(crate) const MAX_LABEL_COLUMNS: usize = 14;
/// Rows from which hints have a second row. In a lower window the card needs it.
pub(crate) const MIN_ROWS_WITH_NOTES: u16 = 20;
