//! Case files: stories with expected decisions, one idea per file.
//!
//! Parses a case strictly, runs its steps as a client of the engine, and reports each expectation
//! that does not hold. Nothing here decides: a story sees what any client of the engine sees.
//!
//! See docs/decisions/0003-stories-crate.md.

mod case;
mod parse;
mod report;
mod run;
mod schema;
mod spec;

pub use case::Case;
pub use parse::parse_case;
pub use report::{CaseFailure, CaseOutcome, CaseReport};
pub use run::{WordCoverage, run_case, run_case_on, run_with_coverage};
pub use schema::case_schema;
