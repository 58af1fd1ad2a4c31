//! The command line of `countersign log`.

use super::{FilterArgs, HELP_TEMPLATE};
use crate::ledger::When;
use crate::record::RecordOption;
use clap::Args;

#[derive(Args)]
#[command(about = "Tell what happened, one line for each entry of the ledger", help_template = HELP_TEMPLATE, before_help = "\
Examples:
  countersign log --last 20
  countersign log --follow                    what happens from now on, until Ctrl-C
  countersign log --follow --last 20
  countersign log --session s1 --since 2h
  countersign log --id 3e22a1                 all that happened to a call, request or grant
  countersign log --kind call_decided --json  the same as `ledger query --json`")]
pub(crate) struct LogArgs {
    #[command(flatten)]
    pub(crate) filters: FilterArgs,
    /// Not before: a day, an instant (2026-01-05T09:00:00Z), or how long ago (2h, 30d)
    #[arg(long, value_name = "WHEN", value_parser = When::parse)]
    pub(crate) since: Option<When>,
    /// Before this, which itself does not count
    #[arg(long, value_name = "WHEN", value_parser = When::parse, conflicts_with = "follow")]
    pub(crate) until: Option<When>,
    /// Of these only the last so many
    #[arg(long, value_name = "COUNT")]
    pub(crate) last: Option<usize>,
    /// Go on with what comes, until Ctrl-C; of what is there only what `--since` or `--last` names
    #[arg(long, short = 'f')]
    pub(crate) follow: bool,
    #[command(flatten)]
    pub(crate) record: RecordOption,
    /// Print one JSON object per entry
    #[arg(long)]
    pub(crate) json: bool,
}
