//! Benchmarks for a machine that others use as well.
//!
//! Absolute times depend on the load, so only ratios of variants measured in turn, operation by
//! operation, are judged, and only from rounds in which the machine was quiet. Too few quiet rounds
//! give no verdict.

pub mod all;
pub mod decide;
pub mod gateway;
pub mod goals;
pub mod hook;
pub mod log;
pub mod machine_load;
pub mod report;
pub mod rounds;
pub mod rules;
pub mod runs;
pub mod server;
pub mod statistics;
pub mod store;
pub mod usage;
