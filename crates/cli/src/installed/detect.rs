//! Which coding agents are on this machine.

use crate::args::AgentOption;
use crate::failure::Failure;
use crate::graph_search::exists;
use crate::settings::Settings;
use countersign_harness::Program;
use std::path::PathBuf;

pub(crate) struct FoundProgram {
    pub(crate) program: Program,
    /// The folder of its settings.
    pub(crate) folder: PathBuf,
    /// Whether it is on this machine at all.
    pub(crate) is_present: bool,
}

impl FoundProgram {
    pub(crate) fn look_for(program: Program, settings: &Settings) -> Result<Self, Failure> {
        let folder = settings.program_folder(program)?.to_owned();
        let is_present =
            exists(&folder) || settings.find_executable(program.executable()).is_some();
        Ok(Self { program, folder, is_present })
    }
}

/// The named programs, or all that are present.
pub(crate) fn choose_programs(
    option: &AgentOption,
    settings: &Settings,
) -> Result<Vec<FoundProgram>, Failure> {
    let is_named = |program: Program| option.named.contains(&program);
    let mut found = Vec::new();
    for program in Program::ALL {
        let one = FoundProgram::look_for(program, settings)?;
        if is_named(program) || (option.named.is_empty() && one.is_present) {
            found.push(one);
        }
    }
    Ok(found)
}
