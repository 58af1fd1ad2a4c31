//! The data types of Countersign: calls, grants, requests, runs, decisions and changes.
//!
//! Methods here look at one value only. Nothing here reads the state or decides.

pub mod words;

pub mod answering;
pub mod category;
pub mod ids;
pub mod limits;
pub mod names;
pub mod time;

pub mod amount;
pub mod application;
pub mod call;
pub mod command;
pub mod danger;
pub mod decision;
pub mod delivery;
pub mod draft;
pub mod grant;
pub mod graph;
pub mod imported;
pub mod narrowed;
pub mod node;
pub mod notice;
pub mod open_questions;
pub mod place;
pub mod plan;
pub mod proposal;
pub mod reason_traits;
pub mod recorded;
pub(crate) mod redaction;
pub mod repeat;
pub mod request;
pub mod rule_results;
pub mod run;
pub mod run_file;
pub mod session_place;
pub mod turn;

pub mod change;
