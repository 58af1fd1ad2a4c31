//! Measuring on a machine that others use too.
//!
//! Absolute times move with the weather, so only ratios of things measured in turn, operation
//! by operation, are judged, and only from rounds in which the machine was quiet. Too few quiet
//! rounds give no verdict at all.

pub mod decide;
pub mod goals;
pub mod log;
pub mod report;
pub mod rounds;
pub mod rules;
pub mod runs;
pub mod server;
pub mod statistics;
pub mod store;
pub mod weather;
