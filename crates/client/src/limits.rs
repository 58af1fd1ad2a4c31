//! Every bound of the client, with its reason.

/// Bytes of one response: far more than the longest list that the daemon sends.
pub(crate) const MAX_BODY_BYTES: usize = 16 << 20;

/// Bytes of one line of a head or an event: a card with long arguments, every character escaped.
pub(crate) const MAX_LINE_BYTES: u64 = 4 << 20;

/// Headers of one response. The daemon sends about ten.
pub(crate) const MAX_HEADERS: usize = 64;
