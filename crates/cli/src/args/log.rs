//! The command line of `countersign log`.

use super::FilterArgs;
use crate::ledger::TimeArg;
use crate::record::RecordOption;
use clap::Args;

#[derive(Args)]
#[command(
    about = "Show what happened, one line for each entry of the ledger",
    before_help = "\
Examples:
  countersign log --last 20
  countersign log --follow                    new entries, until Ctrl-C
  countersign log --follow --last 20
  countersign log --session s1 --since 2h
  countersign log --id r3e22a1                everything about one call, request or grant
  countersign log --kind call_decided --json  the same as `ledger query --json`"
)]
pub(crate) struct LogArgs {
    #[command(flatten)]
    pub(crate) filters: FilterArgs,
    /// From this time: a date, a time (2026-01-05T09:00:00Z) or a duration before now (2h, 30d)
    #[arg(long, value_name = "WHEN", value_parser = TimeArg::parse)]
    pub(crate) since: Option<TimeArg>,
    /// Before this time
    #[arg(long, value_name = "WHEN", value_parser = TimeArg::parse, conflicts_with = "follow")]
    pub(crate) until: Option<TimeArg>,
    /// Only the last so many of them
    #[arg(long, value_name = "COUNT")]
    pub(crate) last: Option<usize>,
    /// Show new entries until Ctrl-C; existing entries only with `--since` or `--last`
    #[arg(long, short = 'f')]
    pub(crate) follow: bool,
    #[command(flatten)]
    pub(crate) record: RecordOption,
    /// Print one JSON object per entry
    #[arg(long)]
    pub(crate) json: bool,
}
