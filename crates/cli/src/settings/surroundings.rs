//! What a coding agent's program tells its hooks in their environment.

use super::{env_folder, env_var};
use countersign_harness::Program;
use std::path::PathBuf;

pub(crate) struct ProgramSurroundings {
    pub(crate) attendance: ProgramAttendance,
    /// The folder that the program was started for.
    pub(crate) project_folder: Option<PathBuf>,
}

/// Whether somebody sits in front of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProgramAttendance {
    Attended,
    /// Nobody, or the program does not say.
    Unattended,
}

impl ProgramSurroundings {
    pub(crate) fn from_environment(program: Program) -> Self {
        match program {
            Program::ClaudeCode => {
                let attended = env_var("CLAUDE_CODE_SESSION_ATTENDED");
                let is_attended = attended.is_some_and(|(_, value)| value == "1");
                let attendance = if is_attended {
                    ProgramAttendance::Attended
                } else {
                    ProgramAttendance::Unattended
                };
                Self { attendance, project_folder: env_folder("CLAUDE_PROJECT_DIR") }
            }
            // Codex sets nothing, and its hooks cannot make it ask.
            Program::Codex => {
                Self { attendance: ProgramAttendance::Unattended, project_folder: None }
            }
        }
    }
}
