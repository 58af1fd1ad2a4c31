//! The operations on the state, one file each. Each takes facts and returns changes.
//!
//! A step writes nothing itself: the engine commits the changes that it returns.
//!
//! See docs/decisions/0005-interpretations-of-the-specification.md.

pub mod ask_ahead;
pub mod complete;
pub mod end_consent;
pub mod grant_directly;
pub mod import;
pub mod lift_declines;
pub mod may_answer;
pub mod notice;
pub mod open_request;
pub mod propose;
pub mod record;
pub mod repeat;
pub mod resolve;
pub mod retry;
pub mod reviews;
pub mod revoke;
pub mod settle;
pub mod start_run;
pub mod suggest;
pub mod sweep;
