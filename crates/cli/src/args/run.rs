//! The command line of `countersign run`.

use super::{DaemonOption, HELP_TEMPLATE};
use clap::Args;
use countersign_core::model::names::{SessionName, Tool};

#[derive(Args)]
#[command(about = "Ask about a command, and run exactly that", help_template = HELP_TEMPLATE, after_help = AFTER, before_help = "\
Examples:
  countersign run -- git push origin main
  countersign run --session deploy --wait 60 -- make install
  countersign run --env NODE_ENV -- npm ci

The words are decided about as they are, and run as they are: there is no shell in between, so that `*`,
`$HOME` and `>` stand for themselves.")]
pub(crate) struct RunArgs {
    /// The session that the call belongs to
    #[arg(long, default_value = "run", value_parser = |text: &str| SessionName::parse(text))]
    pub(crate) session: SessionName,
    /// The tool as which the graph knows commands
    #[arg(long, default_value = "Bash", value_parser = |text: &str| Tool::parse(text))]
    pub(crate) tool: Tool,
    /// Why, in the agent's words
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(crate) reason: String,
    /// How many seconds to wait for an answer
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    #[arg(value_parser = clap::value_parser!(u64).range(..=300))]
    pub(crate) wait: u64,
    /// A variable that goes along, and is decided about; may be given several times
    #[arg(long = "env", value_name = "NAME")]
    pub(crate) variables: Vec<String>,
    /// The program and its words
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

const AFTER: &str = "\
Of the environment only what says who and where somebody is goes along (PATH, HOME, USER, LANG, TERM and
the like). Any other variable has to be named with --env; it then stands in front of the command on
the card, and no rule and no grant for the bare command covers it.

Once the command has run, the exit code is its own, or 128 and the number of the signal that ended it.
Before that it is one of these, and a line on stderr begins with `not run` or `error`:
  1 failure   2 usage   3 declined   5 blocked   7 expired   8 not answered in time   9 nobody to ask";
