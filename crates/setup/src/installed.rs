//! Our entries in the settings of coding agents: what `init` would write, the backup that it makes,
//! and what `uninstall` restores.
//!
//! All files of a program are written, or none.

mod backup;
mod detect;
mod plan;
mod write;

pub(crate) use backup::Backup;
pub(crate) use detect::{AgentOption, FoundProgram, choose_programs};
pub(crate) use plan::{PlannedFileChange, ProgramPlan, check_writable, plan_removal};

use countersign_harness::Program;
use std::path::{Path, PathBuf};

/// Where `init` writes which file a program is.
pub fn program_record(data: &Path, program: Program) -> PathBuf {
    data.join("hooks").join(format!("{}.program", program.word()))
}
