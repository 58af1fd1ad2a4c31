//! The operations on the state, one file each. Each takes facts and returns changes.
//!
//! A step writes nothing itself: the engine commits the changes that it returns. What is about
//! neither a call nor an answer is in the crate `operations`.
//!
//! See docs/decisions/0005-interpretations-of-the-specification.md.

pub mod complete;
pub mod end_consent;
pub mod grant_directly;
pub mod lift_declines;
pub mod may_answer;
pub mod notice;
pub mod open_request;
pub mod record;
pub mod resolve;
pub mod retry;
pub mod revoke;
pub mod settle;
pub mod suggest;
pub mod sweep;
