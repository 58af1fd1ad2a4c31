//! The command line of `countersign hook`.

use clap::Args;
use countersign_harness::Program;

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
the program's own form. Whatever goes wrong blocks the tool: exit code 2, with the reason on stderr."
)]
pub(crate) struct HookArgs {
    /// The program: claude or codex
    #[arg(value_name = "NAME", value_parser = parse_program)]
    pub(crate) program: Program,
}

pub(crate) fn parse_program(word: &str) -> Result<Program, String> {
    let known = Program::ALL.map(Program::word).join(" and ");
    Program::parse(word).ok_or_else(|| format!("the programs are {known}"))
}
