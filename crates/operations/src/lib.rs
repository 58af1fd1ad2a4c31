//! The operations on the state that are not about a call or an answer, one file each.
//!
//! An agent asks ahead, starts a run or submits a proposal; the operator imports grants of an
//! earlier system; time makes a repeat or a review due. Each takes facts and returns changes, as the
//! steps of `core` do, and reaches the same requests and records. No call's decision needs one.
//!
//! See docs/decisions/0128-operations-beside-calls.md.

// A new variant must not fall into a wildcard arm unnoticed.
#![deny(clippy::wildcard_enum_match_arm)]

pub mod ask_ahead;
pub mod import;
pub mod propose;
pub mod repeat;
pub mod reviews;
pub mod start_run;
