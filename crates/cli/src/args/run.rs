//! The command line of `countersign run`.

use super::DaemonOption;
use crate::exit::Exit;
use crate::limits;
use clap::Args;
use countersign_core::model::names::{SessionName, Tool};

#[derive(Args)]
#[command(about = "Ask about a command, and run it if it is allowed", after_help = help_notes(), before_help = "\
Examples:
  countersign run -- git push origin main
  countersign run --session deploy --wait 60 -- make install
  countersign run --project . -- cargo test     a yes can be for the project
  countersign run --env NODE_ENV -- npm ci

The command is decided and run exactly as written. There is no shell, so `*`, `$HOME` and `>` have
no special meaning.")]
pub(crate) struct RunArgs {
    /// The session that the call belongs to
    #[arg(long, default_value = "run", value_parser = |text: &str| SessionName::parse(text))]
    pub(crate) session: SessionName,
    /// The name of the tool that runs commands, as the graph maps it
    #[arg(long, default_value = "Bash", value_parser = |text: &str| Tool::parse(text))]
    pub(crate) tool: Tool,
    /// The project of the session: a folder that contains the current one; with an adapter's token,
    /// any name [default: the git repository around the current folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<String>,
    /// The reason that the agent gives
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(crate) reason: String,
    /// Seconds to wait for an answer
    #[arg(long, value_name = "SECONDS", default_value_t = limits::MAX_WAIT_SECONDS)]
    #[arg(value_parser = clap::value_parser!(u64).range(..=limits::MAX_WAIT_SECONDS))]
    pub(crate) wait: u64,
    /// Pass this variable, as a part of the command; can be repeated
    #[arg(long = "env", value_name = "NAME")]
    pub(crate) variables: Vec<String>,
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

fn help_notes() -> String {
    format!("{RUN_NOTES}\n\n{}", Exit::help_table())
}

const RUN_NOTES: &str = "\
The command gets only a few variables of the environment: PATH, HOME, USER, LANG, TERM and the
like. Name any other variable with `--env`: the card shows it in front of the command. A grant for
the bare command does not cover it, and a rule only if `commands.env` of the graph lists it.

If the command has run, the exit code is its own, or 128 plus the number of the signal that ended
it. If it has not run, a line on stderr starts with `not run` or `error`, and the exit code is one
of those below.";
