//! The command line of `countersign hook`.

use crate::settings::HookOptions;
use clap::Args;
use countersign_harness::Program;
use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Args)]
#[command(
    about = "Answer the hook of a coding agent's program",
    before_help = "\
Examples:
  countersign hook claude < event.json     answer an event of Claude Code
  countersign hook codex < event.json      answer an event of Codex
  countersign init                         install it in the programs' settings
  countersign doctor                       try the installed hooks

The program runs this before and after its tools, and writes the event to its input. The answer is in
the program's own form. It takes nothing from its environment but PATH: what is not named here is at
the usual place in the home that the system knows of you. Whatever goes wrong blocks the tool: exit code 2, with the reason on stderr."
)]
pub(crate) struct HookArgs {
    /// The program: claude or codex
    #[arg(value_name = "NAME", value_parser = parse_program)]
    pub(crate) program: Program,
    /// The daemon's folder: an absolute path [default: `countersign` in your own data folder]
    #[arg(long, value_name = "DIR", value_parser = parse_absolute)]
    pub(crate) data: Option<PathBuf>,
    /// The settings file: an absolute path
    #[arg(long, value_name = "FILE", value_parser = parse_absolute)]
    pub(crate) settings: Option<PathBuf>,
}

impl HookArgs {
    pub(crate) fn options(&self) -> HookOptions {
        HookOptions { data: self.data.clone(), settings: self.settings.clone() }
    }
}

/// The program decides in which folder a hook runs.
fn parse_absolute(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    if path.is_absolute() { Ok(path) } else { Err("start it with `/`".to_owned()) }
}

/// The words after `countersign`, if they are exactly those of an installed hook.
pub(super) fn read_words(
    mut words: impl Iterator<Item = OsString>,
) -> Option<(Program, HookOptions)> {
    if words.next()? != "hook" {
        return None;
    }
    let program = Program::parse(words.next()?.to_str()?)?;
    let mut options = HookOptions::default();
    while let Some(name) = words.next() {
        let value = parse_absolute(words.next()?.to_str()?).ok()?;
        match name.to_str()? {
            "--data" => options.data = Some(value),
            "--settings" => options.settings = Some(value),
            _ => return None,
        }
    }
    Some((program, options))
}

pub(crate) fn parse_program(word: &str) -> Result<Program, String> {
    let known = Program::ALL.map(Program::word).join(" and ");
    Program::parse(word).ok_or_else(|| format!("the programs are {known}"))
}
