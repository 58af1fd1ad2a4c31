//! Where the coding agents keep their settings, and what the setup commands know of the machine.

use super::{SettingSource, Settings, env_folder};
use crate::clock::SystemClock;
use countersign_harness::Program;
use countersign_setup::{SetupContext, folder_variable};
use std::path::PathBuf;

/// The folders of the programs' settings, where a variable or the home says so.
pub(super) fn find_folders() -> Vec<(Program, PathBuf)> {
    let folder = |program: Program| {
        let in_home = || env_folder("HOME").map(|home| home.join(program.settings_folder()));
        env_folder(folder_variable(program)).or_else(in_home)
    };
    Program::ALL.into_iter().filter_map(|program| Some((program, folder(program)?))).collect()
}

impl Settings {
    pub(crate) fn setup_context(&self) -> SetupContext {
        SetupContext {
            record: self.record(),
            graphs: self.graph_places(),
            home: self.home.clone(),
            program_path: self.program_path.clone(),
            own_program: std::env::current_exe().map_err(|error| error.to_string()),
            program_folders: self.program_folders.clone(),
            settings_file: self.unusual_settings_file(),
            variables_in_force: self.variables_in_force(),
            file_system: self.file_system(),
            clock: Box::new(SystemClock),
        }
    }

    fn variables_in_force(&self) -> Vec<&'static str> {
        let sources = [self.store.source, self.graph.source];
        let name = |source| match source {
            SettingSource::Environment(name) => Some(name),
            SettingSource::File | SettingSource::Default => None,
        };
        sources.into_iter().filter_map(name).collect()
    }
}
