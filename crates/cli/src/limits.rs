//! Every bound of the command line, each with its reason.

/// Characters of one name or sentence from a file: a key of ten megabytes is not read to its end.
pub(crate) const SHOWN: usize = 400;
/// Characters of a line shown on either side of a problem: a JSON file may be one line.
pub(crate) const AROUND: usize = 60;
/// More cases than this show progress on a terminal; fewer are over before it could be read.
pub(crate) const SHORT_RUN: usize = 200;
/// Cases between two signs of progress.
pub(crate) const PROGRESS_EVERY: usize = 50;
/// Entries of the ledger that are held at once: a few megabytes, however long it is.
pub(crate) const PAGE: usize = 1024;
/// One line of an export: arguments of a megabyte, with every character escaped.
pub(crate) const EXPORT_LINE: u64 = 64 << 20;
/// Differences that a replay shows; more say nothing new.
pub(crate) const DIFFERENCES: usize = 100;
/// What is read of a prompt's answer: enough for a yes, not for a file piped in by mistake.
pub(crate) const REPLY_BYTES: u64 = 64;
/// Characters of an id that name it: fewer would fit several on any busy day.
pub(crate) const LEAST_OF_AN_ID: usize = 4;
/// Ids that are listed where one was meant and several fit.
pub(crate) const CANDIDATES: usize = 5;
