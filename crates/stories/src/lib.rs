//! Case files: stories with expected decisions, one idea per file.
//!
//! A case is read strictly, run as a client of the engine, and reported so that a failure can be
//! acted on. Nothing here decides: a story sees what any client of the engine sees.

mod case;
mod read;
mod report;
mod run;
mod schema;
mod spec;

pub use case::Case;
pub use read::read;
pub use report::{CaseReport, Failure, Verdict};
pub use run::{Traced, run, run_on, trace};
pub use schema::schema;
