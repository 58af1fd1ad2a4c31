//! Every bound of the console, each with its reason.

/// Characters of one name or sentence from a file: nobody reads a key of ten megabytes to its end.
pub(crate) const MAX_TEXT_CHARS: usize = 400;
/// Characters on either side of a problem: a JSON file may be one line.
pub(crate) const EXCERPT_CONTEXT: usize = 60;
/// Bytes of an answer at a prompt: enough for a yes, not for a file piped in by mistake.
pub(crate) const MAX_REPLY_BYTES: u64 = 64;
