//! Every bound of the client, with its reason.

/// One response: far more than the longest list that the daemon sends.
pub(crate) const MAX_BODY_BYTES: usize = 16 << 20;

/// One line of a head or of an event: a card with long arguments, with every character escaped.
pub(crate) const MAX_LINE_BYTES: u64 = 4 << 20;

/// Headers of one response: the daemon sends a handful.
pub(crate) const MAX_HEADERS: usize = 64;
