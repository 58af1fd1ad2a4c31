//! Which coding agents are on this machine.

use crate::context::SetupContext;
use crate::files::{exists, read_if_present};
use clap::Args;
use countersign_console::Failure;
use countersign_harness::{Program, find_disabling_key};
use std::path::PathBuf;

#[derive(Args)]
pub struct AgentOption {
    /// Only these, separated by commas: claude, codex [default: all that are found]
    #[arg(long = "agents", value_name = "NAMES", value_delimiter = ',', value_parser = parse_program)]
    pub(crate) named: Vec<Program>,
}

fn parse_program(word: &str) -> Result<Program, String> {
    Program::parse(word).ok_or_else(|| {
        let words = Program::ALL.map(Program::word);
        format!("not a known program; write one of: {}", words.join(", "))
    })
}

pub(crate) struct FoundProgram {
    pub(crate) program: Program,
    /// The folder of its settings.
    pub(crate) folder: PathBuf,
    /// Whether it is on this machine at all.
    pub(crate) is_present: bool,
}

impl FoundProgram {
    pub(crate) fn look_for(program: Program, context: &SetupContext) -> Result<Self, Failure> {
        let folder = context.program_folder(program)?.to_owned();
        let is_present = exists(&folder) || context.find_executable(program.executable()).is_some();
        Ok(Self { program, folder, is_present })
    }

    /// Files in which a key can turn hooks off: the user's own, and those of an administrator.
    fn switch_files(&self) -> Vec<PathBuf> {
        match self.program {
            Program::ClaudeCode => vec![
                self.folder.join("settings.json"),
                PathBuf::from("/etc/claude-code/managed-settings.json"),
                PathBuf::from("/Library/Application Support/ClaudeCode/managed-settings.json"),
            ],
            Program::Codex => {
                vec![self.folder.join("config.toml"), PathBuf::from("/etc/codex/requirements.toml")]
            }
        }
    }

    /// The keys that keep our hooks from running, and their files.
    pub(crate) fn find_switches(&self) -> Vec<(&'static str, PathBuf)> {
        let find = |path: PathBuf| {
            let bytes = read_if_present(&path).ok().flatten()?;
            let text = String::from_utf8_lossy(&bytes);
            Some((find_disabling_key(self.program, &text)?, path))
        };
        self.switch_files().into_iter().filter_map(find).collect()
    }
}

/// The named programs, or all that are present.
pub(crate) fn choose_programs(
    option: &AgentOption,
    context: &SetupContext,
) -> Result<Vec<FoundProgram>, Failure> {
    let is_named = |program: Program| option.named.contains(&program);
    let mut found = Vec::new();
    for program in Program::ALL {
        let one = FoundProgram::look_for(program, context)?;
        if is_named(program) || (option.named.is_empty() && one.is_present) {
            found.push(one);
        }
    }
    Ok(found)
}
